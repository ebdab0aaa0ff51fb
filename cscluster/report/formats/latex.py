"""Reports as LaTeX: tables to be put into a paper."""

from __future__ import annotations

import html.entities
import re
from collections.abc import Sequence

from cscluster.errors import ended
from cscluster.report.page import Note, Page
from cscluster.report.table import PlainTable

_WIDTH = 100
"""Characters in a line of a table; a wider one would be too small to read."""

_GREEK = {
    code: rf"$\{name}$"
    for code, name in html.entities.codepoint2name.items()
    if chr(code) in "αβγδεζηθικλμνξπρστυφχψωΓΔΘΛΞΠΣΥΦΨΩ"
}
_SIGNS = str.maketrans(
    {
        **{sign: f"\\{sign}" for sign in "{}$&#%_"},
        "\\": r"\textbackslash{}",
        "^": r"\textasciicircum{}",
        "~": r"$\sim$",
        "<": r"$<$",
        ">": r"$>$",
        "|": r"\textbar{}",
        '"': r"\textquotedbl{}",
        "±": r"\ensuremath{\pm}",
        "×": r"$\times$",
        "–": "--",
        "—": "---",
        "’": "'",
        "≤": r"$\le$",
        "≥": r"$\ge$",
    }
)


def text(pages: list[Page], label: str = "") -> str:
    """Return the tables of pages, to be put into a document; notes that no table has are comments.

    Tables are labelled by `label`, numbered where there are several, or else by the titles of the pages.
    """
    parts = ["% needs \\usepackage{booktabs,graphicx,textcomp} and [T1]{fontenc}"]
    for page in pages:
        tables = [part for it in page.blocks if isinstance(it, PlainTable) for part in it.divided(_WIDTH)]
        name = label or "tab:" + re.sub(r"[^a-z0-9]+", "-", page.title.lower()).strip("-")
        is_whole = bool(label) and len(tables) == len(pages) == 1
        parts += [_table(each, name if is_whole else f"{name}-{i}") for i, each in enumerate(tables, 1)]
        said = {line for table in tables for line in table.legend}
        others = [it.text for it in page.blocks if isinstance(it, Note) and it.text not in said]
        parts += ["\n".join(f"% {escape(line)}" for line in others)] if others else []
    return "\n\n".join(parts) + "\n"


def _caption(table: PlainTable) -> str:
    """Return the caption of a table and how to read it, as sentences."""
    legend = [line.replace(" (> in plain text)", "") for line in table.legend]
    return " ".join(f"{escape(ended(part[:1].upper() + part[1:]))}" for part in [table.caption, *legend])


def _table(table: PlainTable, label: str) -> str:
    shown = table.written(escape).with_marks(r"\textbf{", "}")
    return "\n".join(
        [
            r"\begin{table}[htbp]",
            r"\centering",
            rf"\caption{{{_caption(table)}}}\label{{{label}}}",
            r"\resizebox{\ifdim\width>\textwidth\textwidth\else\width\fi}{!}{%",
            rf"\begin{{tabular}}{{{'l' * table.n_names}{'r' * table.numbers}}}",
            r"\toprule",
            _row(shown.heads),
            r"\midrule",
            *map(_row, shown.rows),
            r"\bottomrule",
            r"\end{tabular}}",
            r"\end{table}",
        ]
    )


def _row(cells: Sequence[str]) -> str:
    """Return a row; a bracket or star in front would be taken for an option of the row above."""
    row = " & ".join(cells) + r" \\"
    return f"{{}}{row}" if row.startswith(("[", "*")) else row


def escape(words: object) -> str:
    """Return a text such that LaTeX prints it as it is; signs that it lacks are printed as numbers."""
    line = " ".join(str(words).split()).translate(_SIGNS | _GREEK)
    return re.sub("[^ -~À-ž]", lambda sign: f"[U+{ord(sign[0]):04X}]", line)
