"""The whole report of one run in each format; ``UPDATE_GOLDEN=1 pytest`` writes the files again."""

import os
import re
from pathlib import Path

import pytest

from cscluster.report.aggregate import collect
from cscluster.report.compose import compose
from cscluster.report.formats import latex, markdown, terminal
from cscluster.report.html import page
from tests.report.stored import everything

GOLDEN = Path(__file__).parent / "golden"


def html_body(directory):
    """Return the page without styles, scripts and data, one element on a line."""
    text = page([collect(directory)], [directory])
    main = re.search(r"<main.*?</main>", text, re.DOTALL)[0]
    return re.sub(r"(</(?:p|tr|h\d|div|li|caption|section|thead|label|header)>)", r"\1\n", main) + "\n"


FORMATS = {
    "report.txt": lambda d: terminal.text([compose(collect(d))]),
    "by_dataset.txt": lambda d: terminal.text([compose(collect(d), "dataset")]),
    "report.md": lambda d: markdown.text([compose(collect(d))]),
    "tables.tex": lambda d: latex.text([compose(collect(d))]),
    "report.html": html_body,
}


@pytest.mark.parametrize("name", FORMATS)
def test_the_whole_report(tmp_path, name):
    text = FORMATS[name](everything(tmp_path))
    if name.endswith(".txt"):
        text = re.sub(r"(?<=\S) {2,}", "  ", text)  # the room between columns is that of the version of rich
    if os.environ.get("UPDATE_GOLDEN"):
        (GOLDEN / name).write_text(text, encoding="utf-8")
    assert text == (GOLDEN / name).read_text(encoding="utf-8")
