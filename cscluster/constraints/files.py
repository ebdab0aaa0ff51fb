"""Reading and writing links: CSV files with the columns ``a,b,link[,weight]``."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from cscluster import cells
from cscluster.constraints.links import Constraints
from cscluster.errors import ConstraintError, ContradictionError, ParameterError, did_you_mean
from cscluster.words import integer, plural

_HEADER = ["a", "b", "link"]
_KINDS = {"must": True, "cannot": False}
_MOST_LISTED = 50
_LARGE = 1_000_000  # characters
CONTRADICTIONS = ("refuse", "keep", "drop")
"""What can become of links that contradict each other; see `settle`."""


@dataclass(frozen=True)
class Link:
    """One line of a file of links.

    Attributes
    ----------
    a, b : int
        The rows.
    together : bool
        Whether they belong together: a must-link, else a cannot-link.
    weight : float
        Weight of the link.
    line : int, optional
        Its line in the file.
    """

    a: int
    b: int
    together: bool
    weight: float = 1.0
    line: int | None = field(default=None, compare=False)


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
        What becomes of cannot-links between samples that must-links put together.

    Raises
    ------
    ConstraintError
        If the file is missing or lines are wrong: all of them are named.
    ContradictionError
        If links contradict each other: each pair is named with the must-links between its ends.
    """
    path = Path(path)
    text = read_text(path)
    if len(text) >= _LARGE and not ids:
        constraints = _plain_links(text, n_samples)
        if constraints is not None and not len(constraints.contradictions):
            return constraints
    links = _lines(text, path, n_samples, ids)
    return settle(links, n_samples, str(path), ids, contradictions)


def _plain_links(text: str, n_samples: int) -> Constraints | None:
    """Return the links of a large file without names, weights and mistakes; None if it is not one.

    What is not that plain is left to the reader of single lines, which can say what is wrong.
    """
    import pandas as pd

    if not text.startswith(("a,b,link\n", "a,b,link\r\n")) or any(sign in text for sign in "+.eE"):
        return None  # pandas takes +1, 1.0 and 1e0 for integers
    types = {"a": np.int64, "b": np.int64, "link": "category"}
    try:
        table = pd.read_csv(io.StringIO(text), dtype=types, keep_default_na=False)
    except (ValueError, OverflowError):  # pandas' own errors are ValueErrors
        return None
    if not isinstance(table.index, pd.RangeIndex):  # more cells than the header names
        return None
    pairs = table[["a", "b"]].to_numpy()
    known = set(table["link"].cat.categories) <= _KINDS.keys()
    inside = (pairs >= 0).all() and (pairs < n_samples).all()
    if not known or not inside or (pairs[:, 0] == pairs[:, 1]).any():
        return None
    together = (table["link"] == "must").to_numpy()
    return Constraints(pairs[together], pairs[~together], n_samples=n_samples)


def parse_links(text: str, path: Path, n_samples: int, ids: Sequence[str] | None = None) -> Constraints:
    """Read links from the content of a file; see `read_links`.

    Parameters
    ----------
    text : str
        The content.
    path : Path
        Where it comes from, for messages.
    n_samples, ids : int, sequence of str
        The samples; see `read_links`.
    """
    return settle(_lines(text, path, n_samples, ids), n_samples, str(path), ids)


def list_links(text: str, path: Path, n_samples: int, ids: Sequence[str] | None = None) -> list[Link]:
    """Return the links of a file in its order; see `parse_links`.

    Parameters
    ----------
    text, path : str, Path
        The content, and where it comes from.
    n_samples, ids : int, sequence of str
        The samples; see `read_links`.

    Raises
    ------
    ConstraintError
        If a line is wrong, or links contradict each other.
    """
    links = _lines(text, path, n_samples, ids)
    settle(links, n_samples, str(path), ids)
    return links


def linked_names(path: Path) -> set[str]:
    """Return the names or indices of the samples that a links file speaks of, whether or not there are such.

    Parameters
    ----------
    path : Path
        The file.

    Raises
    ------
    ConstraintError
        If the file cannot be read.
    """
    rows = (row[:2] for _, row in content_rows(read_text(path), path, []))
    return {name for row in rows for cell in row for name in (cell, cells.unguarded(cell))}


def _lines(text: str, path: Path, n_samples: int, ids: Sequence[str] | None) -> list[Link]:
    """Return the links of a file, or raise an error that lists all lines that are wrong."""
    mistakes: list[str] = []
    rows = ((f"{path}:{line}", line, row) for line, row in content_rows(text, path, mistakes))
    return _links(rows, n_samples, ids, mistakes)


def _links(
    rows: Iterable[tuple[str, int | None, Sequence[Any]]],
    n_samples: int,
    ids: Sequence[str] | None,
    mistakes: list[str],
) -> list[Link]:
    """Return links, each given by its place in words, its line and its cells, or list all mistakes."""
    numbers = {name: number for number, name in enumerate(ids or ())}
    links: list[Link] = []
    for place, line, row in rows:
        try:
            links.append(_link(row, numbers, n_samples, line))
        except ConstraintError as error:
            mistakes.append(f"{place}: {error}")
    if mistakes:
        raise ConstraintError("\n".join(_first(mistakes, "mistake")))
    return links


def _link(row: Sequence[Any], numbers: dict[str, int], n_samples: int, line: int | None) -> Link:
    """Return the link that cells write."""
    kind = str(row[2]).lower()
    if kind not in _KINDS:
        hint = did_you_mean(kind, _KINDS)
        raise ConstraintError(f"link must be 'must' or 'cannot', got '{row[2]}'{hint}")
    a, b = (_sample(str(cell), numbers, n_samples) for cell in row[:2])
    if a == b:
        raise ConstraintError(f"sample '{row[0]}' is linked with itself.")
    weight = _weight(str(row[3])) if len(row) == 4 and str(row[3]) else 1.0
    return Link(a, b, _KINDS[kind], weight, line)


def _first(lines: list[str], noun: str) -> list[str]:
    more = len(lines) - _MOST_LISTED
    return lines if more <= 0 else [*lines[:_MOST_LISTED], f"... and {plural(more, noun)} more"]


def settle(
    links: Sequence[Link],
    n_samples: int,
    source: str,
    ids: Sequence[str] | None = None,
    contradictions: str = "refuse",
) -> Constraints:
    """Return links as constraints, and do with contradictions what is asked for.

    Parameters
    ----------
    links, n_samples, ids : sequence of Link, int, sequence of str
        The links, and the samples between which they are.
    source : str
        Where the links are from, for messages.
    contradictions : {"refuse", "keep", "drop"}
        Raise an error, keep all links, or drop each cannot-link that must-links contradict.

    Raises
    ------
    ContradictionError
        If they are refused and there are any.
    """
    if contradictions not in CONTRADICTIONS:
        raise ParameterError(f"contradictions must be refuse, keep or drop, got {contradictions!r}.")
    constraints = as_constraints(links, n_samples)
    pairs = constraints.contradictions
    if contradictions == "keep" or not len(pairs):
        return constraints
    if contradictions == "drop":
        a, b = constraints.components[constraints.pairs].T
        return constraints.select(constraints.is_must | (a != b))
    told = explain_contradictions(links, n_samples, ids)
    raise ContradictionError("\n".join([f"{source}: links contradict each other:", *_first(told, "pair")]))


def explain_contradictions(
    links: Sequence[Link], n_samples: int, ids: Sequence[str] | None = None
) -> list[str]:
    """Say of each contradiction which cannot-link it is, and which must-links put its ends together.

    Parameters
    ----------
    links, n_samples, ids : sequence of Link, int, sequence of str
        The links, and the samples between which they are.
    """
    constraints = as_constraints(links, n_samples)
    lines = {(link.together, *sorted((link.a, link.b))): link.line for link in links}

    def name(row: int) -> str:
        return f"'{ids[row] if ids else row}'"

    def place(together: bool, a: int, b: int) -> str:
        line = lines.get((together, *sorted((a, b))))
        return f" (line {line})" if line is not None else ""

    told = []
    for a, b in constraints.contradictions.tolist():
        chain = constraints.must_chain(a, b)
        steps = [f"{name(y)}{place(True, x, y)}" for x, y in pairwise(chain)]
        told.append(
            f"{name(a)} and {name(b)} are cannot-linked{place(False, a, b)}, but must-links put them "
            f"together: {' - '.join([name(a), *steps])}"
        )
    return told


def as_links(
    links: Any, n_samples: int, ids: Sequence[str] | None = None, contradictions: str = "refuse"
) -> Constraints:
    """Return links as people write them in Python as constraints.

    Parameters
    ----------
    links : Constraints, path, list of tuples, pair of lists, or None
        Constraints as they are; the path of a links file; tuples ``(a, b, "must")`` or
        ``(a, b, "cannot")``, perhaps with a weight; or ``(must_links, cannot_links)``, two lists of
        pairs.
    n_samples, ids : int, sequence of str
        The samples.  Where they have names, links go by the names.
    contradictions : {"refuse", "keep", "drop"}
        See `settle`.

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
    rows = ((f"Link number {place}", None, row) for place, row in enumerate(_tuples(links)))
    return settle(_links(rows, n_samples, ids, []), n_samples, "the given links", ids, contradictions)


def _tuples(links: Any) -> list[Sequence[Any]]:
    """Return links as tuples of two samples, a kind and perhaps a weight."""
    try:
        rows = [tuple(row) for row in links]
        if all(len(row) in (3, 4) and isinstance(row[2], str) for row in rows):
            return list(rows)
        must, cannot = rows
        return [(a, b, "must") for a, b in must] + [(a, b, "cannot") for a, b in cannot]
    except (TypeError, ValueError):
        raise ConstraintError(
            "Links must be a Constraints, the path of a links file, tuples (a, b, 'must' or 'cannot'), or "
            "two lists of pairs (must_links, cannot_links)."
        ) from None


def content_rows(text: str, path: Path, mistakes: list[str]) -> Iterator[tuple[int, list[str]]]:
    """Yield the number of the line and the cells of each link.

    Parameters
    ----------
    text, path : str, Path
        The content, and where it comes from.
    mistakes : list of str
        Takes what is wrong with lines of too few or too many cells.

    Raises
    ------
    ConstraintError
        If it is not CSV, or has another header.
    """
    separator = cells.separator(text.partition("\n")[0])
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)  # cells may hold line breaks
    try:
        header = [cell.strip().lower() for cell in next(reader, [])]
        if header[:3] != _HEADER or header[3:] not in ([], ["weight"]):
            raise ConstraintError(f"{path}:1: the first line must be 'a,b,link' or 'a,b,link,weight'.")
        for cells_of_row in reader:
            row = [cell.strip() for cell in cells_of_row]
            if not any(row):
                continue
            if len(row) not in (3, len(header)):
                mistakes.append(f"{path}:{reader.line_num}: expected {len(header)} values, got {len(row)}.")
            else:
                yield reader.line_num, row
    except csv.Error as error:
        raise ConstraintError(f"{path}: not a CSV file ({error})") from error


def read_text(path: Path) -> str:
    """Return the content of a file of links, its line breaks as they are.

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
        return Path(path).read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise ConstraintError(f"There is no links file '{path}'.") from None
    except UnicodeError:
        raise ConstraintError(f"Cannot read links file '{path}': it is not UTF-8 text.") from None
    except (OSError, ValueError) as error:
        raise ConstraintError(f"Cannot read links file '{path}': {error}") from error


def _sample(cell: str, numbers: dict[str, int], n_samples: int) -> int:
    """Return the row that a cell means: by a name, perhaps a guarded one, or by its index."""
    if numbers:
        bare = cells.unguarded(cell)
        name = bare if bare in numbers else cell
        if name in numbers:
            return numbers[name]
        names = f"; the id column holds names such as '{next(iter(numbers))}'."
        hint = names if integer(cell) is not None else did_you_mean(cell, numbers)
        raise ConstraintError(f"there is no sample '{cell}'{hint}")
    row = integer(cell)
    if row is None or row >= n_samples:
        raise ConstraintError(f"'{cell}' is not a row index from 0 to {n_samples - 1}.")
    return row


def _weight(cell: str) -> float:
    if cell.lower() == "hard":
        return math.inf
    try:
        value = float(cell.replace(",", "."))
    except ValueError:
        value = math.nan
    if not 0 < value < math.inf:
        raise ConstraintError(f"the weight must be a positive number or 'hard', got '{cell}'.")
    return value


def as_constraints(links: Sequence[Link], n_samples: int) -> Constraints:
    """Return the lines of a file as constraints.

    Parameters
    ----------
    links : sequence of Link
        The lines.
    n_samples : int
        Number of samples.
    """
    pairs = np.array([(link.a, link.b) for link in links], dtype=np.int64).reshape(-1, 2)
    is_must = np.array([link.together for link in links], dtype=bool)
    weights = np.array([link.weight for link in links], dtype=np.float64)
    return Constraints.of_pairs(pairs, is_must, weights, n_samples=n_samples)


def as_lines(constraints: Constraints) -> list[Link]:
    """Return constraints as the lines of a file, must-links first.

    Parameters
    ----------
    constraints : Constraints
        The links.
    """
    parts = (constraints.pairs, constraints.is_must, constraints.weights)
    rows = zip(*(part.tolist() for part in parts), strict=True)
    return [Link(a, b, together, weight) for (a, b), together, weight in rows]


def links_csv(links: Constraints | Sequence[Link], ids: Sequence[str] = ()) -> str:
    """Return links as the content of a file; weights only where one differs from 1.

    Parameters
    ----------
    links : Constraints or sequence of Link
        The links.
    ids : sequence of str
        Names of the samples; without any, their indices are written.
    """
    rows = as_lines(links) if isinstance(links, Constraints) else links
    weighted = any(link.weight != 1 for link in rows)
    words = {together: kind for kind, together in _KINDS.items()}
    lines = [cells.line([*_HEADER, *(["weight"] if weighted else [])])]
    for link in rows:
        names = [cells.guarded(ids[row]) if ids else row for row in (link.a, link.b)]
        weight = "hard" if math.isinf(link.weight) else link.weight
        lines.append(cells.line([*names, words[link.together], *([weight] if weighted else [])]))
    return "".join(lines)
