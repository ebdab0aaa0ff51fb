"""Answers by a program, such as a rule or a language model, in the place of a person."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from typing import Any

from cscluster.errors import DataError
from cscluster.labelling.items import Items
from cscluster.labelling.session import Session
from cscluster.words import printable

TIMEOUT = 120
"""Seconds that one answer may take."""

_ANSWER = re.compile(r"(yes|y|no|n|skip|s)(?:\s+(\d*\.?\d+))?", re.IGNORECASE)


def ask_program(session: Session, items: Items, command: str, count: int) -> None:
    """Ask a program `count` questions; it is started once for each.

    It reads one line of JSON, ``{"a": {"name": ..., "values": {...}}, "b": {...}}``, and writes ``y``, ``n``
    or ``skip``, perhaps with a confidence of at most one, which becomes the weight of the answer: ``y 0.8``.

    Raises
    ------
    DataError
        If it cannot be started, fails, takes too long or writes something else; earlier answers are saved.
    """
    for _ in range(count):
        if session.question is None:
            return
        a, b = session.question
        word, weight = _reply(command, json.dumps({"a": _content(a, items), "b": _content(b, items)}))
        if word == "s":
            session.skip(a)
        else:
            session.answer(a, b, word == "y", weight)


def _content(row: int, items: Items) -> dict[str, Any]:
    """Return what a program is told about a row."""
    name = items.table.row_name(row)
    if items.pictures:
        return {"name": name, "pixels": items.pictures.pixels(row).tolist()}
    return {"name": name, "values": {cell.name: cell.value for cell in items.cells(row)}}


def _reply(command: str, question: str) -> tuple[str, float]:
    """Return the first letter of an answer, and its confidence."""
    try:
        done = subprocess.run(
            shlex.split(command),
            input=f"{question}\n",
            stdout=subprocess.PIPE,
            text=True,
            timeout=TIMEOUT,
            check=True,
        )
    except (OSError, ValueError, IndexError, subprocess.SubprocessError) as error:
        raise DataError(f"The program '{command}' gives no answer: {error}.") from None
    answer = _ANSWER.fullmatch(done.stdout.strip())
    weight = float(answer[2] or 1) if answer else 0.0
    if answer is None or not 0 < weight <= 1:
        raise DataError(
            f"The program '{command}' must write y, n or skip, and may add a confidence above 0, up to 1. "
            f"It wrote '{printable(done.stdout.strip()[:80])}'."
        )
    return answer[1][0].lower(), weight
