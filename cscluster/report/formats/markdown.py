"""Pages as Markdown."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Sequence

from cscluster.report.page import Block, BulletList, Fold, Heading, Note, Page, Picture
from cscluster.report.table import PlainTable

_SIGNS = re.compile(r"[\\*`\[<~]|^[#+>-]+(?= )|(?<![^\W_])_|_(?![^\W_])|&(?=#?\w+;)")
"""What would be taken for Markdown."""


def text(pages: Sequence[Page]) -> str:
    """Return pages as one Markdown file."""
    return "\n".join(map(_page, pages))


def _page(page: Page) -> str:
    words = str if page.marked else literal
    return "\n\n".join([f"# {words(page.title)}", *(_block(block, words) for block in page.blocks)]) + "\n"


def _block(block: Block, words: Callable[[str], str]) -> str:
    match block:
        case PlainTable():
            caption = f"**{words(block.caption)}**\n\n" if block.caption else ""
            return caption + table(block, words)
        case Heading():
            return f"{'#' * block.level} {words(block.text)}"
        case Picture():
            return f"![{words(block.caption)}]({block.path})\n\n{words(block.caption)}"
        case BulletList():
            return "\n".join(f"- {words(item)}" for item in block.items)
        case Fold():
            inner = "\n\n".join(_block(each, words) for each in block.blocks)
            return f"<details>\n<summary>{html.escape(block.summary)}</summary>\n\n{inner}\n\n</details>"
        case Note():
            return words(block.text)
        case _:
            return words(block)


def table(shown: PlainTable, words: Callable[[str], str] = str) -> str:
    """Return a table; `words` makes Markdown of the text of a cell."""
    shown = shown.written(words).with_marks("**", "**")
    rule = "|" + "---|" * shown.n_names + "---:|" * shown.numbers
    return "\n".join([_row(shown.heads), rule, *map(_row, shown.rows)])


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def literal(words: str) -> str:
    r"""Return Markdown that shows a text as it is, in one line.

    >>> print(literal("<b> *a_b* [c](d)"))
    \<b> \*a_b\* \[c](d)
    """
    return _SIGNS.sub(r"\\\g<0>", " ".join(words.splitlines()))
