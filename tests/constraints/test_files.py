import csv
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from cscluster import Constraints
from cscluster.constraints.files import Link, as_links, links_csv, list_links, read_constraints
from cscluster.data.load import load_dataset
from cscluster.errors import ConstraintError, ContradictionError, DataError
from cscluster.experiment.config.schedules import File
from tests.lines import assert_match


def put(tmp_path, text):
    path = tmp_path / "links.csv"
    path.write_bytes(text.encode())
    return path


def test_reads_row_numbers_from_zero(tmp_path):
    path = put(tmp_path, "a,b,link\n0,1,must\n2, 0 ,Cannot\n\n")
    assert read_constraints(path, n_samples=3) == Constraints([(0, 1)], [(0, 2)], n_samples=3)


def test_reads_names_and_weights_and_the_mark_of_spreadsheets(tmp_path):
    path = put(tmp_path, "\ufeffA,B,Link,Weight\r\nanna,bob,must,2.5\r\nbob,eve,cannot,\r\n")
    links = read_constraints(path, n_samples=3, ids=["anna", "bob", "eve"])
    assert links == Constraints([(0, 1)], [(1, 2)], n_samples=3, must_weights=[2.5])


@pytest.mark.parametrize("weights", [None, [0.1, 7.0]])
@pytest.mark.parametrize("ids", [(), ("x", 'with "quotes", and comma', "ünï", "z")])
def test_what_is_written_is_read_back(tmp_path, weights, ids):
    links = Constraints([(0, 1), (1, 2)], [(0, 3)], n_samples=4, must_weights=weights)
    path = put(tmp_path, links_csv(links, ids))
    assert read_constraints(path, n_samples=4, ids=ids) == links


HOSTILE = st.sampled_from(
    "\n\r\x0b\x0c\x1c\x1d\x1e\x1f\x85\u2028\u2029\x00\x1b\t \",;'=+-@0aß\u202e\ufeff\U0001f600"
)
NAMES = st.lists(
    st.one_of(st.text(HOSTILE, max_size=6), st.text(max_size=6)), min_size=3, max_size=6, unique_by=str.strip
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(NAMES, st.sampled_from([",", ";", "\t"]), st.booleans())
def test_every_id_that_a_csv_file_can_hold_comes_back(tmp_path, names, separator, weighted):
    # The table is written and read as a user's own; what it calls its rows is what links call them.
    table = tmp_path / "table.csv"
    with table.open("w", encoding="utf-8", errors="ignore", newline="") as file:
        writer = csv.writer(file, delimiter=separator, quoting=csv.QUOTE_ALL)
        writer.writerows([["id", "x"], *([name, row] for row, name in enumerate(names))])
    try:
        ids = load_dataset(table, id_column="id").ids
    except DataError:
        assume(False)  # an empty name, or two that are equal
    links = Constraints([(0, 1)], [(1, 2)], n_samples=len(ids), must_weights=[0.5 if weighted else 1.0])
    path = put(tmp_path, links_csv(links, ids))
    assert read_constraints(path, n_samples=len(ids), ids=ids) == links
    assert File(path=path).points == [2]
    lines = [Link(2, 0, False), Link(0, 1, True, 2.0 if weighted else 1.0)]
    text = links_csv(lines, ids)
    assert list_links(text, path, len(ids), ids) == lines


def test_weights_are_written_only_where_needed():
    assert links_csv(Constraints([(0, 1)], n_samples=2)) == "a,b,link\n0,1,must\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "links.csv:1: .*'a,b,link'"),
        ("0,1,must\n", "links.csv:1: .*'a,b,link'"),
        ("a,b,link\n0,1\n", "links.csv:2: .*'must'.*'cannot'.*''"),
        ("a,b,link\n0,1,must,2\n", "links.csv:2: .*'must'.*'cannot'.*'must,2'"),
        (
            "a,b,link\n\n0,1,mus\n",
            "links.csv:3: .*'mus'.*'must'",
        ),
        ("a,b,link\n0,4,must\n", r"links.csv:2: .*'4'.*\b0\b.*\b3\b"),
        ("a,b,link\n-1,2,must\n", "links.csv:2: .*'-1'.*row index"),
        ("a,b,link\n²,2,must\n", "links.csv:2: .*'²'"),
        (f"a,b,link\n{'9' * 5000},2,must\n", r"links.csv:2: .*'9+ \.\.\. 9+'"),
        ("a,b,link\n2,2,must\n", "links.csv:2: .*'2'.*itself"),
        (
            "a,b,link,weight\n0,1,must,-1\n",
            "links.csv:2: .*weight.*'hard'.*'-1'",
        ),
        ("a,b,link,weight\n0,1,must,nan\n", "links.csv:2: .*weight.*'nan'"),
        ("a,b,link,weight\n0,1,must,heavy\n", "links.csv:2: .*weight.*'heavy'"),
        (
            "a,b,link\n0,1,must\n1,2,must\n2,0,cannot\n",
            "'0'.*'2'.*cannot-linked.*line 4.*must-links",
        ),
        ("a,b,link\n0,1,must\n1,0,cannot\n", "'0'.*'1'.*cannot-linked"),
    ],
)
def test_says_what_is_wrong_and_in_which_line(tmp_path, text, message):
    with pytest.raises(ConstraintError, match=message):
        read_constraints(put(tmp_path, text), n_samples=4)


def test_unknown_names_and_contradictions_are_told_by_name(tmp_path):
    ids = ["anna", "bob"]
    with pytest.raises(ConstraintError, match=r"links.csv:2: .*'ana'.*'anna'"):
        read_constraints(put(tmp_path, "a,b,link\nana,bob,must\n"), n_samples=2, ids=ids)
    with pytest.raises(ConstraintError, match=r"'anna'.*'bob'.*cannot-linked"):
        read_constraints(put(tmp_path, "a,b,link\nanna,bob,must\nbob,anna,cannot\n"), n_samples=2, ids=ids)


def test_all_mistakes_are_told_at_once(tmp_path):
    path = put(tmp_path, "a,b,link\n0,1\n0,9,must\n0,1,must\n1,1,cannot\n0,2,mist\n")
    with pytest.raises(ConstraintError) as caught:
        read_constraints(path, n_samples=3)
    assert [line.split(":")[1] for line in str(caught.value).splitlines()] == ["2", "3", "5", "6"]


CLASH = "a,b,link\n0,1,must\n1,2,must\n2,0,cannot\n3,4,must\n4,3,cannot\n0,4,cannot\n"


def test_contradictions_are_all_told_with_their_lines_and_the_chain(tmp_path):
    with pytest.raises(ContradictionError) as caught:
        read_constraints(put(tmp_path, CLASH), n_samples=5)
    assert_match(
        str(caught.value).splitlines()[1:],
        r"^'0' and '2'.*\(line 4\).*: '0' - '1' \(line 2\) - '2' \(line 3\)$",
        r"^'3' and '4'.*\(line 6\).*: '3' - '4' \(line 5\)$",
    )


def test_contradictions_are_kept_or_dropped(tmp_path):
    path = put(tmp_path, CLASH)
    must = [(0, 1), (1, 2), (3, 4)]
    assert read_constraints(path, 5, contradictions="drop") == Constraints(must, [(0, 4)], n_samples=5)
    kept = Constraints(must, [(0, 2), (3, 4), (0, 4)], n_samples=5)
    assert read_constraints(path, 5, contradictions="keep") == kept


@pytest.mark.parametrize("separator", [";", "\t", "|"])
def test_separators_are_those_of_tables(tmp_path, separator):
    text = "a,b,link,weight\n0,1,must,0.5\n1,2,cannot,1\n".replace(",", separator)
    links = Constraints([(0, 1)], [(1, 2)], n_samples=3, must_weights=[0.5])
    assert read_constraints(put(tmp_path, text), n_samples=3) == links
    assert read_constraints(put(tmp_path, text.replace("0.5", "0,5")), n_samples=3) == links


def test_links_from_python(tmp_path):
    expected = Constraints([(0, 1)], [(1, 2), (0, 2)], n_samples=3)
    ids = ["x", "y", "z"]
    assert as_links([(0, 1, "must"), (1, 2, "cannot"), (2, 0, "cannot")], 3) == expected
    assert as_links([("x", "y", "must"), ("y", "z", "cannot"), ("z", "x", "cannot", 1)], 3, ids) == expected
    frame = pd.DataFrame({"p": [0, 1, 0], "q": [1, 2, 2], "kind": ["must", "cannot", "cannot"]})
    assert as_links(frame, 3) == as_links(frame.assign(weight=1.0), 3) == expected
    assert as_links(([(0, 1)], [(1, 2), (0, 2)]), 3) == expected
    assert as_links(([("x", "y")], [("y", "z"), ("x", "z")]), 3, ids) == expected
    assert as_links(put(tmp_path, links_csv(expected)), 3) == expected
    assert as_links(expected, 3) is expected
    assert len(as_links(None, 3)) == len(as_links(([], []), 3)) == len(as_links([], 3)) == 0
    assert as_links(frame.assign(weight=np.inf), 3) == expected.hardened()


@pytest.mark.parametrize(
    ("links", "says"),
    [
        (7, "cscluster.Constraints"),
        ([(0, 1)], "cscluster.Constraints"),
        ([(0, 1, "must"), (0, 9, "must")], r"number 1.*'9'.*\b0\b.*\b2\b"),
        ([(0, 1, "must"), (0, 1, "cannot")], "'0'.*'1'.*cannot-linked"),
    ],
)
def test_wrong_links_from_python_are_one_sentence(links, says):
    with pytest.raises(ConstraintError, match=says):
        as_links(links, 3)


def test_names_that_look_like_row_numbers_are_names(tmp_path):
    path = put(tmp_path, "a,b,link\n2,0,must\n")
    assert read_constraints(path, 3, ["2", "1", "0"]) == Constraints([(0, 2)], n_samples=3)
    for cell in ("1", "02"):
        with pytest.raises(
            ConstraintError,
            match=rf"links.csv:3: .*'{cell}'.*\bp, q\b",
        ):
            read_constraints(put(tmp_path, f"a,b,link\np,q,must\n{cell},q,must\n"), 2, ["p", "q"])


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(ConstraintError, match="No such file"):
        read_constraints(tmp_path / "none.csv", n_samples=2)
    with pytest.raises(ConstraintError, match=re.escape(f"constraint file '{tmp_path}'")):
        read_constraints(tmp_path, n_samples=2)
    (tmp_path / "binary.csv").write_bytes(b"a,b,link\n\xff\xfe\x00")
    with pytest.raises(ConstraintError, match=r"constraint file .*binary\.csv'"):
        read_constraints(tmp_path / "binary.csv", n_samples=2)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(alphabet='012,\n"\r\x00 mustcan.-e;\u2028', max_size=60))
def test_any_text_is_links_or_one_clear_error(tmp_path, text):
    path = put(tmp_path, "a,b,link,weight\n" + text)
    try:
        told = repr(read_constraints(path, n_samples=3))
    except ConstraintError as error:
        told = str(error)
    assert told.startswith(("Constraints(", str(path)))


def test_hard_links_are_written_and_read_back(tmp_path):
    links = Constraints([(0, 1), (1, 2)], [(2, 3)], n_samples=4, must_weights=[float("inf"), 0.5])
    text = links_csv(links)
    assert "0,1,must,hard" in text
    assert read_constraints(put(tmp_path, text), 4) == links


@pytest.mark.parametrize("cell", ["-1", "1.0", "1e0", "3", "", str(10**30)])
def test_row_indices_are_digits_only(tmp_path, cell):
    with pytest.raises(ConstraintError, match=r"links.csv:3: '.*'.*\b0\b.*\b2\b"):
        read_constraints(put(tmp_path, f"a,b,link\n0,1,must\n0,{cell},must\n"), n_samples=3)


@pytest.mark.parametrize("rows", ['"0",1,must\n2,0,cannot\n0,1,must\n', "0,1,must\r\n2,0,cannot\r\n"])
def test_quotes_repeats_and_line_breaks_of_other_systems(tmp_path, rows):
    expected = Constraints([(0, 1)], [(0, 2)], n_samples=3)
    assert read_constraints(put(tmp_path, f"a,b,link\n{rows}"), n_samples=3) == expected


def test_a_header_alone_is_no_constraints(tmp_path):
    assert read_constraints(put(tmp_path, "a,b,link\n"), n_samples=3) == Constraints.empty(3)


def test_many_mistakes_of_one_kind_are_one_sentence(tmp_path):
    text = "a,b,link\n0,1,must\n" + "0,C-7,must\n" * 60 + "0,2,maybe\n"
    with pytest.raises(ConstraintError) as caught:
        read_constraints(put(tmp_path, text), n_samples=3)
    first = r"links\.csv:3: 'C-7'.*\b0 to 2\b.*\b59 constraints"
    assert_match(str(caught.value).splitlines(), first, r"links\.csv:63: .*'maybe'")


def test_places_are_lines_even_behind_cells_with_line_breaks(tmp_path):
    ids = ["p\nq", "r", "s"]
    with pytest.raises(ConstraintError, match=r"links.csv:5: .*sample 't'"):
        read_constraints(put(tmp_path, 'a,b,link\n"p\nq",r,must\n\nt,r,must\n'), 3, ids)
