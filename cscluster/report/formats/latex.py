"""Reports as LaTeX: tables to be put into a paper, or a document that compiles."""

from __future__ import annotations

import re

from cscluster.report.document import Document
from cscluster.report.tables import Grid, divide

_START = r"""\documentclass{article}
\usepackage[T1]{fontenc}
\usepackage{textcomp}
\usepackage{booktabs} % rules of the tables
\usepackage{graphicx} % tables that are too wide are made smaller
\begin{document}
"""
_WIDTH = 90
"""Characters in a line of a table; a wider one would be too small to read."""

_SIGNS = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"$\sim$",
    "<": r"$<$",
    ">": r"$>$",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "±": r"$\pm$",
    "×": r"$\times$",
    "–": "--",
    "—": "---",
    "’": "'",
    "≤": r"$\le$",
    "≥": r"$\ge$",
}
_GREEK = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "epsilon", "ζ": "zeta", "η": "eta",
    "θ": "theta", "ι": "iota", "κ": "kappa", "λ": "lambda", "μ": "mu", "ν": "nu", "ξ": "xi", "π": "pi",
    "ρ": "rho", "σ": "sigma", "τ": "tau", "υ": "upsilon", "φ": "phi", "χ": "chi", "ψ": "psi", "ω": "omega",
    "Γ": "Gamma", "Δ": "Delta", "Θ": "Theta", "Λ": "Lambda", "Ξ": "Xi", "Π": "Pi", "Σ": "Sigma",
    "Υ": "Upsilon", "Φ": "Phi", "Ψ": "Psi", "Ω": "Omega",
}  # fmt: skip


def text(documents: list[Document]) -> str:
    """Return the tables of reports, each with a label, to be put into a document."""
    tables = [table for document in documents for table in _tables(document)]
    return "\n\n".join(["% needs \\usepackage{booktabs,graphicx,textcomp} and [T1]{fontenc}", *tables]) + "\n"


def whole(documents: list[Document]) -> str:
    """Return reports as a LaTeX document."""
    return _START + "\n".join(map(_section, documents)) + "\n\\end{document}\n"


def _tables(document: Document) -> list[str]:
    parts = [part for grid in document.grids for part in divide(grid, _WIDTH)]
    name = re.sub(r"[^a-z0-9]+", "-", document.title.lower()).strip("-")
    return [_table(part, f"tab:{name}-{number}") for number, part in enumerate(parts, start=1)]


def _section(document: Document) -> str:
    parts = [f"\\section*{{{escape(document.title)}}}"]
    parts += _tables(document)
    for outcome in document.outcomes:
        lines = [f"\\item[{{{escape(name)}}}] {escape(line)}" for name, line in outcome.orderings.items()]
        parts.append(f"\\paragraph{{{escape(outcome.heading)}}}")
        parts.append("\n".join([r"\begin{description}", *lines, r"\end{description}"]))
        parts.append(escape(outcome.sentence))
    parts += [escape(note) for note in document.notes]
    return "\n\n".join(parts) + "\n"


def _table(grid: Grid, label: str) -> str:
    heads = " & ".join(map(escape, [grid.corner, *grid.texts.columns]))
    rows = []
    for name, texts, best in grid.rows():
        cells = [rf"\textbf{{{_cell(t)}}}" if out else _cell(t) for t, out in zip(texts, best, strict=True)]
        rows.append(" & ".join([_first_cell(name), *cells]) + r" \\")
    return "\n".join(
        [
            r"\begin{table}[htbp]",
            r"\centering",
            rf"\caption{{{escape(grid.heading)}}}\label{{{label}}}",
            r"\resizebox{\ifdim\width>\textwidth\textwidth\else\width\fi}{!}{%",
            rf"\begin{{tabular}}{{l{'r' * len(grid.texts.columns)}}}",
            r"\toprule",
            rf"{heads} \\",
            r"\midrule",
            *rows,
            r"\bottomrule",
            r"\end{tabular}}",
            r"\end{table}",
        ]
    )


def _first_cell(name: str) -> str:
    """Return the name of a row; a bracket or star there would be taken for an option of the row above."""
    escaped = escape(name)
    return f"{{}}{escaped}" if escaped.startswith(("[", "*")) else escaped


def _cell(words: str) -> str:
    return words.replace("±", r"\ensuremath{\pm}")


def escape(words: object) -> str:
    """Return a text such that LaTeX prints it as it is; signs that it lacks are printed as numbers."""
    return "".join(map(_letter, " ".join(str(words).split())))


def _letter(letter: str) -> str:
    if letter in _SIGNS:
        return _SIGNS[letter]
    if letter in _GREEK:
        return rf"$\{_GREEK[letter]}$"
    if " " <= letter <= "~" or "À" <= letter <= "ž":
        return letter
    return f"[U+{ord(letter):04X}]"
