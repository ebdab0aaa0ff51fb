"""Reading and writing constraints: CSV files with the columns ``a,b,link[,weight]``."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from cscluster import cells
from cscluster.constraints.links import Constraints
from cscluster.errors import ConstraintError, ContradictionError, ParameterError, did_you_mean
from cscluster.words import integer, plural

_HEADER = ["a", "b", "link", "weight"]
_KINDS = {"must": True, "cannot": False}
_MOST_LISTED = 50
CONTRADICTIONS = ("refuse", "keep", "drop")
"""What can become of constraints that contradict each other; see `read_links`."""


class Link(NamedTuple):
    """One line of a constraint file.

    Parameters
    ----------
    a, b : int
        The rows.
    together : bool
        Whether it is a must-link, else a cannot-link.
    weight : float
        Its weight.
    """

    a: int
    b: int
    together: bool
    weight: float = 1.0


def read_links(
    path: Path | str, n_samples: int, ids: Sequence[str] | None = None, contradictions: str = "refuse"
) -> Constraints:
    """Read must-links and cannot-links.

    Parameters
    ----------
    path : Path
        CSV with the header ``a,b,link`` or ``a,b,link,weight``; `link` is ``must`` or ``cannot``.
    n_samples : int
        Number of samples.
    ids : sequence of str, optional
        Names of the samples.  Where there are any, a and b are names, even if they look like
        numbers; else they are row indices from 0.
    contradictions : {"refuse", "keep", "drop"}
        What becomes of cannot-links between samples that must-links put together: raise an error, keep
        them, or drop them.

    Raises
    ------
    ConstraintError
        If the file is missing or lines are wrong: all of them are named.
    ContradictionError
        If constraints contradict each other: each pair is named with the must-links between its ends.
    """
    links = _file_links(read_text(Path(path)), Path(path), n_samples, ids)
    return _consistent(links, n_samples, str(path), ids, contradictions)


def list_links(text: str, path: Path, n_samples: int, ids: Sequence[str] | None = None) -> list[Link]:
    """Return the constraints of a file in its order.

    Parameters
    ----------
    text, path : str, Path
        The content, and where it comes from.
    n_samples, ids : int, sequence of str
        The samples; see `read_links`.

    Raises
    ------
    ConstraintError
        If a line is wrong, or constraints contradict each other.
    """
    links = _file_links(text, path, n_samples, ids)
    _consistent(links, n_samples, str(path), ids)
    return [Link(*link) for link in links.itertuples(index=False)]


def linked_names(path: Path) -> set[str]:
    """Return the names or indices in a constraint file, whether or not there are such samples.

    Parameters
    ----------
    path : Path
        The file.

    Raises
    ------
    ConstraintError
        If the file cannot be read.
    """
    rows, _ = content_rows(read_text(path), path)
    names = rows[["a", "b"]].to_numpy().ravel().tolist()
    return {*names, *map(cells.unguarded, names)}


def content_rows(text: str, path: Path) -> tuple[pd.DataFrame, dict[int, str]]:
    """Return the cells of a constraint file, and what is wrong with lines of too few or too many cells.

    Parameters
    ----------
    text, path : str, Path
        The content, and where it comes from.

    Returns
    -------
    rows : DataFrame
        Strings a, b, link and weight, by line number.
    mistakes : dict
        Sentences by line number.

    Raises
    ------
    ConstraintError
        If it is not CSV, or has another header.
    """
    separator = cells.separator(text.partition("\n")[0])
    strip = cache(str.strip)  # equal cells share their memory
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)  # cells may hold line breaks
    lines, rows, mistakes = [], [], {}
    try:
        header = [cell.strip().lower() for cell in next(reader, [])]
        if header not in (_HEADER[:3], _HEADER):
            raise ConstraintError(f"{path}:1: the first line must be 'a,b,link' or 'a,b,link,weight'.")
        for row in reader:
            values = tuple(map(strip, row))
            if len(values) in (3, len(header)) and any(values):
                lines.append(reader.line_num)
                rows.append((*values, "")[:4])
            elif any(values):
                mistakes[reader.line_num] = f"expected {len(header)} values, got {len(values)}."
    except csv.Error as error:
        raise ConstraintError(f"{path}: not a CSV file ({error})") from error
    return pd.DataFrame(rows, pd.Index(lines, name="line"), _HEADER, dtype=object), mistakes


def _file_links(text: str, path: Path, n_samples: int, ids: Sequence[str] | None) -> pd.DataFrame:
    return _checked(*content_rows(text, path), f"{path}:", n_samples, ids)


def _checked(
    rows: pd.DataFrame, mistakes: dict[int, str], place: str, n_samples: int, ids: Sequence[str] | None
) -> pd.DataFrame:
    """Return cells as a table of `Link`, or raise an error that lists all mistakes with their places."""
    numbers = {name: number for number, name in enumerate(ids or ())}

    @cache
    def find(cell: str) -> int | None:
        """Return the row that a cell means: by a name, perhaps a guarded one, or by its index."""
        if numbers:
            return numbers.get(cells.unguarded(cell), numbers.get(cell))
        row = integer(cell)
        return row if row is not None and row < n_samples else None

    links = pd.DataFrame(
        {
            "a": rows["a"].map(find),
            "b": rows["b"].map(find),
            "together": rows["link"].str.lower().map(_KINDS),
            "weight": rows["weight"].map(cache(_weight)),
        }
    )
    wrong = links.isna().any(axis=1) | links["a"].eq(links["b"])
    mistakes |= {at: _mistake(row, find, n_samples, ids) for at, *row in rows[wrong].itertuples()}
    if mistakes:
        sentences = [f"{place}{at}: {mistakes[at]}" for at in sorted(mistakes)]
        raise ConstraintError("\n".join(_first(sentences, "mistake")))
    return links.astype({"a": np.int64, "b": np.int64, "together": bool, "weight": np.float64})


def _mistake(
    row: Sequence[str], find: Callable[[str], int | None], n_samples: int, ids: Sequence[str] | None
) -> str:
    """Say what is wrong with cells."""
    *ends, kind, weight = row
    if kind.lower() not in _KINDS:
        return f"link must be 'must' or 'cannot', got '{kind}'{did_you_mean(kind.lower(), _KINDS)}"
    for cell in ends:
        if find(cell) is None and ids:
            names = f"; the id column holds names such as '{ids[0]}'."
            hint = names if integer(cell) is not None else did_you_mean(cell, ids)
            return f"there is no sample '{cell}'{hint}"
        if find(cell) is None:
            return f"'{cell}' is not a row index from 0 to {n_samples - 1}."
    if find(ends[0]) == find(ends[1]):
        return f"sample '{ends[0]}' is linked with itself."
    return f"the weight must be a positive number or 'hard', got '{weight}'."


def _weight(cell: str) -> float:
    """Return the weight that a cell holds, one for an empty cell, nan for what is none."""
    if cell.lower() == "hard":
        return math.inf
    try:
        value = float(cell.replace(",", ".") or 1)
    except ValueError:
        return math.nan
    return value if 0 < value < math.inf else math.nan


def _first(lines: list[str], noun: str) -> list[str]:
    more = len(lines) - _MOST_LISTED
    return lines if more <= 0 else [*lines[:_MOST_LISTED], f"... and {plural(more, noun)} more"]


def _consistent(
    links: pd.DataFrame,
    n_samples: int,
    source: str,
    ids: Sequence[str] | None,
    contradictions: str = "refuse",
) -> Constraints:
    """Return a table of `Link` as constraints without contradictions, unless they are to be kept."""
    if contradictions not in CONTRADICTIONS:
        raise ParameterError(f"contradictions must be refuse, keep or drop, got {contradictions!r}.")
    constraints = as_constraints(links, n_samples)
    if contradictions == "keep" or not len(constraints.contradictions):
        return constraints
    if contradictions == "drop":
        a, b = constraints.components[constraints.pairs].T
        return constraints.select(constraints.is_must | (a != b))
    pairs = _first(_explained(constraints, links, ids), "pair")
    raise ContradictionError("\n".join([f"{source}: constraints contradict each other:", *pairs]))


def _explained(constraints: Constraints, links: pd.DataFrame, ids: Sequence[str] | None) -> list[str]:
    """Name the cannot-link of each contradiction, and the must-links that put its ends together."""
    lines = {(together, *sorted((a, b))): line for line, a, b, together, _ in links.itertuples()}

    def name(row: int) -> str:
        return f"'{ids[row] if ids else row}'"

    def place(together: bool, a: int, b: int) -> str:
        return f" (line {lines[together, *sorted((a, b))]})" if links.index.name else ""

    sentences = []
    for a, b in constraints.contradictions.tolist():
        steps = [f"{name(y)}{place(True, x, y)}" for x, y in pairwise(constraints.must_chain(a, b))]
        sentences.append(
            f"{name(a)} and {name(b)} are cannot-linked{place(False, a, b)}, but must-links put them "
            f"together: {' - '.join([name(a), *steps])}"
        )
    return sentences


def as_links(
    links: Any, n_samples: int, ids: Sequence[str] | None = None, contradictions: str = "refuse"
) -> Constraints:
    """Return constraints as people write them in Python as `Constraints`.

    Parameters
    ----------
    links : Constraints, path, list of tuples, data frame, pair of lists, or None
        Constraints as they are; the path of a constraint file; tuples ``(a, b, "must")`` or
        ``(a, b, "cannot")``, perhaps with a weight, infinite or "hard" for a hard constraint; a data frame
        with such columns; or
        ``(must_links, cannot_links)``, two lists of pairs.
    n_samples, ids : int, sequence of str
        The samples.  Where they have names, constraints go by the names.
    contradictions : {"refuse", "keep", "drop"}
        See `read_links`.

    Examples
    --------
    >>> as_links([("x", "y", "must"), ("y", "z", "cannot")], 3, ids=["x", "y", "z"])
    Constraints(1 must-link, 1 cannot-link, n_samples=3)
    >>> as_links(([(0, 1)], [(1, 2), (0, 2)]), 3)
    Constraints(1 must-link, 2 cannot-links, n_samples=3)
    """
    if links is None:
        return Constraints.empty(n_samples)
    if isinstance(links, Constraints):
        return links
    if isinstance(links, (str, Path)):
        return read_links(links, n_samples, ids, contradictions)
    try:
        given = links.itertuples(index=False) if isinstance(links, pd.DataFrame) else links
        rows = [tuple(row) for row in given]
        if not all(len(row) in (3, 4) and isinstance(row[2], str) for row in rows):
            must, cannot = rows
            rows = [(a, b, "must") for a, b in must] + [(a, b, "cannot") for a, b in cannot]
    except (TypeError, ValueError):
        raise ConstraintError(
            "Constraints must be a cscluster.Constraints, the path of a constraint file, tuples "
            "(a, b, 'must' or 'cannot'), a data frame of such rows, or two lists of pairs "
            "(must_links, cannot_links)."
        ) from None
    table = pd.DataFrame([(*map(_cell, row), "")[:4] for row in rows], columns=_HEADER, dtype=object)
    checked = _checked(table, {}, "Constraint number ", n_samples, ids)
    return _consistent(checked, n_samples, "the given constraints", ids, contradictions)


def _cell(value: Any) -> str:
    """Return what a file holds in the place of a value: an infinite weight is that of a hard constraint."""
    return "hard" if isinstance(value, (float, np.floating)) and value == math.inf else str(value)


def read_text(path: Path) -> str:
    """Return the content of a constraint file, its line breaks as they are.

    Parameters
    ----------
    path : Path
        The file.

    Raises
    ------
    ConstraintError
        If it cannot be read.
    """
    try:
        return path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise ConstraintError(f"There is no constraint file '{path}'.") from None
    except UnicodeError:
        raise ConstraintError(f"Cannot read constraint file '{path}': it is not UTF-8 text.") from None
    except (OSError, ValueError) as error:
        raise ConstraintError(f"Cannot read constraint file '{path}': {error}") from error


def as_constraints(links: Sequence[Link] | pd.DataFrame, n_samples: int) -> Constraints:
    """Return the lines of a file as constraints.

    Parameters
    ----------
    links : sequence of Link
        The lines.
    n_samples : int
        Number of samples.
    """
    table = pd.DataFrame(links, columns=Link._fields)
    is_must, weights = table["together"].to_numpy(bool), table["weight"].to_numpy(np.float64)
    return Constraints.of_pairs(table[["a", "b"]].to_numpy(np.int64), is_must, weights, n_samples=n_samples)


def links_csv(links: Constraints | Sequence[Link], ids: Sequence[str] = ()) -> str:
    """Return constraints as the content of a file; weights only where one differs from 1.

    Parameters
    ----------
    links : Constraints or sequence of Link
        The constraints.
    ids : sequence of str
        Names of the samples; without any, their indices are written.
    """
    if isinstance(links, Constraints):
        parts = (links.is_must.tolist(), links.weights.tolist())
        links = [Link(a, b, *rest) for (a, b), *rest in zip(links.pairs.tolist(), *parts, strict=True)]
    width = 4 if any(link.weight != 1 for link in links) else 3
    lines = [cells.line(_HEADER[:width])]
    for a, b, together, weight in links:
        names = [cells.guarded(ids[row]) if ids else row for row in (a, b)]
        kind, value = "must" if together else "cannot", "hard" if math.isinf(weight) else weight
        lines.append(cells.line([*names, kind, value][:width]))
    return "".join(lines)
