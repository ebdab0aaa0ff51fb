"""From a numpydoc docstring to Markdown.

Formulas stand in docstrings as indented lines or after ``.. math::``; they stay what they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_HEADING = re.compile(r"(?m)^(\w[\w ]*)\n-{3,}\n")
_GENERATED = ("Parameters",)


def summary(doc: str) -> str:
    """Return the first paragraph."""
    return _text(doc.partition("\n\n")[0]) + "\n"


def sections(doc: str) -> list[str]:
    """Return the description and every section but the parameters, whose table is made from the registry."""
    parts = _HEADING.split(doc.partition("\n\n")[2])
    titled = [*zip(["Description", *parts[1::2]], parts[0::2], strict=True)]
    titled = [piece for title, body in titled for piece in _cost_apart(title, body)]
    return [
        f"## {title}\n\n{_render(title, body)}"
        for title, body in titled
        if body.strip() and title not in _GENERATED
    ]


def whole(doc: str) -> str:
    """Return a docstring in full: summary, description and every section, each under a heading in bold."""
    parts = _HEADING.split(doc)
    titled = zip(parts[1::2], parts[2::2], strict=True)
    return "\n\n".join(
        [
            "\n\n".join(_blocks(parts[0])),
            *(f"**{title}**\n\n{_render(title, body)}" for title, body in titled),
        ]
    )


def _cost_apart(title: str, body: str) -> Iterator[tuple[str, str]]:
    """Yield a section; of the notes, the paragraphs about the cost are a section of their own."""
    if title != "Notes":
        yield title, body
        return
    paragraphs = re.split(r"\n\s*\n", body.strip("\n"))
    for name, about_cost in (("Notes", False), ("Cost", True)):
        mine = [p for p in paragraphs if ("O(" in p) == about_cost]
        yield name, "\n\n".join(re.sub(r"^(\*\*Cost\.\*\*|Complexity\.) +", "", p) for p in mine)


def _render(title: str, body: str) -> str:
    if title in ("Attributes", "Parameters", "Returns", "Raises"):
        return "\n".join(_definitions(body)) + "\n"
    if title == "Examples":
        return "\n\n".join(_examples(body)) + "\n"
    if title == "References":
        return "\n".join(_references(body)) + "\n"
    return "\n\n".join(_blocks(body)) + "\n"


def _blocks(body: str) -> Iterator[str]:
    """Yield paragraphs as text; formulas, tables and lists of lines as they stand."""
    for block in re.split(r"\n\s*\n", body.strip("\n")):
        lines = block.splitlines()
        if lines[0].startswith(".. math::"):
            formula = " ".join(line.strip() for line in block.removeprefix(".. math::").splitlines())
            yield f"$$\n{formula.strip()}\n$$"
        elif all(line.startswith("    ") for line in lines) or set(lines[0]) <= set("= "):
            yield "```text\n" + block + "\n```"
        else:
            yield _text(block)


def _text(block: str) -> str:
    """Return a paragraph with references as plain numbers, and signs that Markdown would take for tags."""
    block = re.sub(r"(\[\d+\])_", r"\1", block)
    pieces = re.split(r"(``.*?``|`[^`]*`|:math:`[^`]*`)", block, flags=re.DOTALL)
    return "".join(
        f"${piece[7:-1]}$"
        if piece.startswith(":math:")
        else piece
        if piece.startswith("`")
        else re.sub(r"([<*_|$\[\]])", r"\\\1", piece).replace("\\*\\*", "**")
        for piece in pieces
    )


def _examples(body: str) -> Iterator[str]:
    """Yield what a prompt begins as code, and the rest as text."""
    for block in re.split(r"\n\s*\n", body.strip("\n")):
        yield f"```pycon\n{block}\n```" if block.startswith(">>>") else _text(block)


def _definitions(body: str) -> Iterator[str]:
    for entry in re.split(r"\n(?=\S)", body.strip("\n")):
        head, _, text = entry.partition("\n")
        name, _, kind = head.partition(" : ")
        paragraphs = [_text(" ".join(each.split())) for each in re.split(r"\n\s*\n", text)]
        yield f"\n`{name}` {_text(kind)}\n: " + "\n\n  ".join(paragraphs)


def _references(body: str) -> Iterator[str]:
    for number, entry in re.findall(r"(?ms)^\.\. \[(\d+)\] (.*?)(?=^\.\. \[|\Z)", body):
        yield f"{number}. {_text(' '.join(entry.split()))}"
