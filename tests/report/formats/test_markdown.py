import pytest
from markdown_it import MarkdownIt

from cscluster.report.aggregate import collect
from cscluster.report.compose import compose
from cscluster.report.formats import markdown
from cscluster.report.page import BulletList, Fold, Heading, Note, Page, Picture
from cscluster.report.table import BEST, PlainTable
from tests.report.stored import entry, oracle, store, trial

NASTY = [
    "a`b[c](d)",
    "<script>x</script>",
    "*a* **b** _c_ __d__ ~~e~~",
    "&lt; &amp; \\",
    "# x",
    "- x",
    "> x",
    "a|b",
]


def rendered(text):
    return MarkdownIt("commonmark").enable("table").enable("strikethrough").render(text)


def plain(text):
    """Return what a reader sees of Markdown."""
    tokens = MarkdownIt("commonmark").enable("table").enable("strikethrough").parse(text)
    return [token.children for token in tokens if token.type == "inline"]


@pytest.mark.parametrize("name", NASTY)
def test_names_from_files_are_text(name):
    table = PlainTable(name, ["algorithm", name], [[name, "0.5"]], numbers=1, marks={(0, 1): BEST})
    page = Page(name, [table, Heading(2, name), name, Note(name), BulletList([name]), Fold(name, [name])])
    shown = [
        "".join(child.content for child in children)
        for children in plain(markdown.text([page]))
        if {child.type for child in children} <= {"text", "text_special", "strong_open", "strong_close"}
    ]
    # Title, caption, head, cell, heading, paragraph, note, item and what is folded; the summary is HTML.
    assert shown.count(name) == 9
    assert "<script>" not in rendered(markdown.text([page]))


def test_several_runs_stand_below_each_other(tmp_path):
    page = compose(collect(oracle(tmp_path)))
    assert markdown.text([page, page]).count("# A title\n") == 2


def test_a_name_of_two_lines_is_one_line(tmp_path):
    label = "one\ntwo"
    records = [trial("a", 0.5, label=label)]
    text = markdown.text([compose(collect(store(tmp_path, [entry("a", label=label)], records)))])
    assert "| one two |" in text


def test_a_page_that_is_markdown_stays_as_it_is():
    table = PlainTable("of `code`", ["**b**"], [["[a](#b)"]])
    page = Page("*T*", [table, "`c`", Picture("figures/p.png", b"", "what")], marked=True)
    assert markdown.text([page]) == (
        "# *T*\n\n**of `code`**\n\n| **b** |\n|---|\n| [a](#b) |\n\n`c`\n\n![what](figures/p.png)\n\nwhat\n"
    )
