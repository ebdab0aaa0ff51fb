import pytest

from cscluster.report.html.blocks import inline, page_file, render, table
from cscluster.report.page import BulletList, Fold, Heading, Note, Page, Picture
from cscluster.report.table import BEST, PlainTable

HARM = "</table><script>harm()</script>"


@pytest.mark.parametrize("marked", [False, True])
def test_texts_of_files_cannot_become_markup(marked):
    shown = PlainTable(
        HARM, [HARM, HARM], [[HARM, HARM]], numbers=1, marks={(0, 1): BEST}, small={(0, 1): HARM}
    )
    blocks = [Heading(2, HARM), HARM, shown, Note(HARM), BulletList([HARM]), Fold(HARM, [HARM])]
    text = page_file(Page(HARM, [*blocks, Picture("p.png", b"", HARM)], marked=marked))
    assert text.count("harm()") >= 12
    assert "<script>harm" not in text


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("0.500 ± 0.123 (3/4)", "0.500"),
        ("−0.25", "-0.25"),
        ("< 0.001", "0.001"),
        ("1,024", "1024"),
        ("12 %", "12"),
        ("5 / 3 / 2", "5"),
        ("1e-05", "1e-05"),
        ("N/A (0/20)", None),
        ("−∞", None),
        ("–", None),
        ("", None),
    ],
)
def test_numbers_are_sorted_by_what_they_begin_with(cell, value):
    text = table(PlainTable("", ["name", "number"], [["a", cell]], numbers=1))
    assert (f'data-value="{value}"' in text) == (value is not None)
    assert ("data-value" in text) == (value is not None)


def test_names_that_begin_with_a_number_are_sorted_as_names():
    text = table(PlainTable("", ["name", "share"], [["3 moons", "25%"]]))
    assert '<th scope="row"><bdi>3 moons</bdi></th>' in text
    assert '<td data-value="25">' in text


def test_marks_are_classes_and_the_best_are_strong_too():
    text = table(
        PlainTable("", ["a", "b", "c"], [["x", "1", "2"]], 2, marks={(0, 1): BEST, (0, 2): "failed"})
    )
    assert '<td data-value="1" class="number best"><strong><bdi>1</bdi></strong></td>' in text
    assert '<td data-value="2" class="number failed"><bdi>2</bdi></td>' in text


def test_long_tables_can_be_filtered():
    rows = [[str(i)] for i in range(6)]
    long, short = (
        page_file(Page("T", [Heading(2, "S"), PlainTable("", ["a"], r)])) for r in (rows, rows[:5])
    )
    assert "Filter rows" in long
    assert "Filter rows" not in short


def test_details_are_folded():
    assert render(Fold("more", ["x"])) == (
        "<details><summary><bdi>more</bdi></summary><p><bdi>x</bdi></p></details>"
    )


def test_markdown_in_lines():
    assert inline("a<br>*b*") == "a<br />\n<em>b</em>"
    assert inline("[x](javascript:alert(1)) <b>") == "[x](javascript:alert(1)) &lt;b&gt;"
