"""The blocks of a page as HTML; a reader can sort and filter its tables, without scripts they are plain."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterable

from markdown_it import MarkdownIt

from cscluster.report.html.document import document
from cscluster.report.html.markup import Markup, join, tag, text
from cscluster.report.page import Block, BulletList, Fold, Heading, Note, Page, Picture
from cscluster.report.table import BEST, PlainTable

_FEW = 5
"""Rows that a table has at most where a filter is of no use."""
_NUMBER = re.compile(r"(?:[<>] )?([+-]?\d+\.?\d*(?:e[+-]?\d+)?)(%?)")
_MARKDOWN = MarkdownIt("commonmark", {"html": False})
Words = Callable[[str], Markup]


def page_file(page: Page) -> str:
    """Return a page as one HTML file."""
    words = inline if page.marked else text
    return document(page.title, tag("article", *sections([Heading(1, page.title), *page.blocks], words)))


def sections(blocks: Iterable[Block], words: Words = text) -> list[Markup]:
    """Return blocks in boxes, each of which begins with a heading; that of level 1 leads the page."""
    parts: list[list[Block]] = []
    for block in blocks:
        if not parts or (isinstance(block, Heading) and block.level <= 2):
            parts.append([])
        parts[-1].append(block)
    return [_section(part, words) for part in parts]


def _section(blocks: list[Block], words: Words) -> Markup:
    first = next((b for b in blocks if isinstance(b, PlainTable) and len(b.rows) > _FEW), None)
    shown = [join([filter_box("Filter rows") if b is first else "", render(b, words)]) for b in blocks]
    is_lead = isinstance(blocks[0], Heading) and blocks[0].level == 1
    return tag("header", *shown, class_="lead") if is_lead else tag("section", *shown)


def render(block: Block, words: Words = text) -> Markup:
    """Return a block; what is markup already stays as it is, and `words` makes markup of texts."""
    match block:
        case Markup():
            return block
        case PlainTable():
            return table(block, words)
        case Heading():
            return tag(f"h{block.level}", words(block.text))
        case Picture():
            source = f"data:image/png;base64,{base64.b64encode(block.content).decode()}"
            image = tag("img", src=source, alt=block.caption)
            return tag("figure", image, tag("figcaption", words(block.caption)))
        case BulletList():
            return tag("ul", *(tag("li", words(item)) for item in block.items))
        case Note():
            return tag("p", words(block.text), class_="note")
        case Fold():
            inner = (render(each, words) for each in block.blocks)
            return tag("details", tag("summary", text(block.summary)), *inner)
        case _:
            return tag("p", words(block))


def table(shown: PlainTable, words: Words = text, **attributes: object) -> Markup:
    """Return a table whose columns can be sorted; attributes are those of the box around it."""
    first = "ascending" if shown.ascending else "descending"
    heads = []
    for column, name in enumerate(shown.heads):
        button, is_number = tag("button", words(name), type="button"), column >= shown.n_names
        order = {"class_": "number", "data_first": first} if is_number else {"data_first": "ascending"}
        heads.append(tag("th", button, scope="col", **order))
    rows = [
        tag("tr", *(_cell(shown, i, j, words) for j in range(len(heads)))) for i in range(len(shown.rows))
    ]
    whole = tag(
        "table",
        tag("caption", words(shown.caption)) if shown.caption else "",
        tag("thead", tag("tr", *heads)),
        tag("tbody", *rows),
        class_="sortable",
    )
    return tag("div", whole, class_="box", tabindex="0", role="region", aria_label="Table", **attributes)


def _cell(shown: PlainTable, row: int, column: int, words: Words) -> Markup:
    is_number, mark = column >= shown.n_names, shown.marks.get((row, column))
    cell, small = shown.rows[row][column], shown.small.get((row, column))
    content = words(cell)
    return tag(
        "td" if column else "th",
        tag("strong", content) if mark == BEST else content,
        tag("small", small) if small else "",
        data_value=_number(cell, is_number),
        class_=" ".join([*(["number"] if is_number else []), *([mark] if mark else [])]) or None,
        scope=None if column else "row",
    )


def _number(cell: str, is_number: bool) -> str | None:
    """Return what a cell is sorted by: the number it begins with or, in a column of names, that it is."""
    plain = cell.replace("−", "-").replace(",", "").strip("*")
    found = _NUMBER.match(plain) if is_number else _NUMBER.fullmatch(plain)
    return found[1] if found else None


def filter_box(label: str) -> Markup:
    """Return the field that filters the rows of all tables from here to the next heading."""
    field = tag("input", type="search", class_="filter", autocomplete="off", spellcheck="false")
    return tag("label", label, " ", field, tag("output", class_="matches"), class_="only-with-scripts")


def inline(words: str) -> Markup:
    """Return words with inline Markdown as elements.

    >>> inline("**a** < `b` [c](#d)")
    '<strong>a</strong> &lt; <code>b</code> <a href="#d">c</a>'
    """
    return Markup(_MARKDOWN.renderInline(words.replace("<br>", "\\\n")))
