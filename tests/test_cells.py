"""Cells come back as they are, and none is a formula."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cscluster import cells


@pytest.mark.parametrize(
    ("text", "safe"),
    [("=1+1", "'=1+1"), ("@x", "'@x"), (" +x", "' +x"), ("-5", "-5"), ("+1.5", "+1.5"), ("a-b", "a-b")],
)
def test_no_cell_is_a_formula(text, safe):
    assert cells.guarded(text) == safe


@given(st.text(alphabet="=+-@'5. \t\na", max_size=8))
def test_the_guard_is_taken_off_again(text):
    assert cells.unguarded(cells.guarded(text)) == text or cells.guarded(text) == text


@given(st.lists(st.lists(st.text(max_size=5), min_size=2, max_size=3), max_size=4))
def test_lines_are_read_back_by_any_reader(rows):
    text = "".join(map(cells.line, rows))
    assert list(csv.reader(io.StringIO(text, newline=""))) == rows
