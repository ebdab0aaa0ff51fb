"""Reading and writing constraints: CSV files with the columns ``a,b,link[,weight]``."""

from __future__ import annotations

import io
import math
from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from cscluster import cells
from cscluster.constraints.links import Constraints
from cscluster.errors import ConstraintError, ContradictionError, ParameterError, did_you_mean, ended, reason
from cscluster.words import integer, plural

_HEADER = ["a", "b", "link", "weight"]
_KINDS = {"must": True, "same": True, "yes": True, "1": True}
_KINDS |= {"cannot": False, "different": False, "no": False, "-1": False, "0": False}
_UNDERSTOOD = "'must' (or same, yes, 1) or 'cannot' (or different, no, -1, 0)"
_MOST_ALIKE = 5
_MOST_LISTED = 50
CONTRADICTIONS = ("refuse", "keep", "drop")
"""What can become of constraints that contradict each other; see `read_constraints`."""


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


def read_constraints(
    path: Path | str, n_samples: int, ids: Sequence[str] | None = None, contradictions: str = "refuse"
) -> Constraints:
    """Read must-links and cannot-links.

    Parameters
    ----------
    path : Path
        CSV with the header ``a,b,link`` or ``a,b,link,weight``.  `link` is ``must``, ``same``, ``yes`` or
        ``1``, or ``cannot``, ``different``, ``no``, ``-1`` or ``0``.
    n_samples : int
        Number of samples.
    ids : sequence of str, optional
        Names of the samples.  Where there are any, a and b are names, even if they look like
        numbers.  Else they are row indices from 0.
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
    rows = content_rows(read_text(Path(path)), Path(path), indices=not ids)
    links = _checked(rows, f"{path}:", n_samples, ids)
    return _consistent(links, n_samples, str(path), ids, contradictions)


def list_links(text: str, path: Path, n_samples: int, ids: Sequence[str] | None = None) -> list[Link]:
    """Return the constraints of a file in its order.

    Parameters
    ----------
    text, path : str, Path
        The content, and where it comes from.
    n_samples, ids : int, sequence of str
        The samples; see `read_constraints`.

    Raises
    ------
    ConstraintError
        If a line is wrong, or constraints contradict each other.
    """
    links = _checked(content_rows(text, path), f"{path}:", n_samples, ids)
    _consistent(links, n_samples, str(path), ids)
    return [Link(*link) for link in links.itertuples(index=False)]


def linked_names(links: Any) -> set[str]:
    """Return the names or indices that constraints name, whether or not there are such samples.

    Parameters
    ----------
    links : path, list of tuples, data frame, pair of lists, Constraints or None
        As in `as_links`; `Constraints` name none.

    Raises
    ------
    ConstraintError
        If a file cannot be read.
    """
    if links is None or isinstance(links, Constraints):
        return set()
    rows = (
        content_rows(read_text(Path(links)), Path(links)) if isinstance(links, (str, Path)) else _rows(links)
    )
    names = pd.unique(rows[["a", "b"]].to_numpy().ravel()).tolist()
    return {*names, *map(cells.unguarded, names)}


def content_rows(text: str, path: Path, *, indices: bool = False) -> pd.DataFrame:
    """Return the cells of a constraint file.

    Parameters
    ----------
    text, path : str, Path
        The content, and where it comes from.
    indices : bool
        Whether a and b become integers where all of them are, which takes less time.

    Returns
    -------
    DataFrame
        Strings a, b, link and weight, by line number.

    Raises
    ------
    ConstraintError
        If it is not CSV, or has another header.
    """
    first = io.StringIO(text, newline="").readline()
    separator = cells.separator(first)
    header = [cell.strip(' "\r\n').lower() for cell in first.split(separator)]
    if header not in (_HEADER[:3], _HEADER):
        raise ConstraintError(
            f"{path}:1: the first line must be 'a,b,link' or 'a,b,link,weight', got '{first.strip()}'."
        )
    names = [*header, "more"]
    try:
        rows = pd.read_csv(
            io.StringIO(text),
            sep=separator,
            header=None,
            skiprows=1,
            names=names,
            index_col=False,
            dtype=dict.fromkeys(names[2:] if indices else names, object),
            na_filter=False,
            skip_blank_lines=False,
        )
    except pd.errors.EmptyDataError:
        rows = pd.DataFrame(columns=names, dtype=object)
    except pd.errors.ParserError as error:
        raise ConstraintError(f"{path}: not a CSV file ({reason(error)}).") from None
    if indices and not (rows["a"].dtype == rows["b"].dtype == np.int64):
        return content_rows(text, path)
    rows.index = pd.RangeIndex(2, len(rows) + 2, name="line")
    if '"' in text:  # cells may hold line breaks
        rows.index += rows.astype(str).sum(axis=1).str.count(r"\r\n?|\n").cumsum()
    if not indices:
        rows = rows.apply(lambda column: column.str.strip())
        rows = rows[rows.ne("").any(axis=1)]
    beyond = rows["more"].where(rows["more"].eq(""), separator + rows["more"])
    rows[header[-1]] += beyond  # no link and no weight reads so
    return rows.reindex(columns=_HEADER, fill_value="")


def _checked(rows: pd.DataFrame, place: str, n_samples: int, ids: Sequence[str] | None) -> pd.DataFrame:
    """Return cells as a table of `Link`, or raise an error that lists all mistakes with their places."""
    numbers = {name: number for number, name in enumerate(ids or ())}
    links = pd.DataFrame({end: _find(rows[end], n_samples, numbers) for end in "ab"})
    for name, column, read in (("together", "link", _kind), ("weight", "weight", _weight)):
        links[name] = rows[column].map({cell: read(cell) for cell in rows[column].unique()})
    wrong = links.isna().any(axis=1) | links["a"].eq(links["b"])
    if wrong.any():
        mistakes = _mistakes(rows[wrong], links[wrong], n_samples, ids or ())
        raise ConstraintError("\n".join(f"{place}{mistake}" for mistake in mistakes))
    return links.astype({"a": np.int64, "b": np.int64, "together": bool, "weight": np.float64})


def _find(column: pd.Series, n_samples: int, numbers: Mapping[str, int]) -> pd.Series:
    """Return the rows that cells mean: by a name, perhaps a guarded one, or by an index."""
    if numbers:
        rows = column.map(lambda cell: numbers.get(cells.unguarded(cell))).astype(np.float64)
        return rows.fillna(column[rows.isna()].map(numbers.get).astype(np.float64))
    rows = column if column.dtype == np.int64 else column.map(integer).astype(np.float64)
    return rows.where(rows.between(0, n_samples - 1))


def _kind(cell: str) -> bool | None:
    return _KINDS.get(cell.strip().lower())


def _mistakes(rows: pd.DataFrame, links: pd.DataFrame, n_samples: int, ids: Sequence[str]) -> list[str]:
    """Return places and sentences; where many lines are wrong in the same way, one for all of them."""
    end = "there is no sample '{}'" if ids else f"'{{}}' is not a row index from 0 to {n_samples - 1}"
    faults: list[tuple[str, str, pd.Series, Collection[str]]] = [
        (f"link must be {_UNDERSTOOD}, got '{{}}'", "link", links["together"].isna(), _KINDS),
        (end, "a", links["a"].isna(), ids),
        (end, "b", links["b"].isna(), ids),
        ("the constraint joins sample '{}' with itself", "a", links["a"].eq(links["b"]), ()),
        ("the weight must be a positive number or 'hard', got '{}'", "weight", links["weight"].isna(), ()),
    ]
    first = np.select([wrong for _, _, wrong, _ in faults], range(len(faults)))
    sentences = []
    for number, (says, column, _, known) in enumerate(faults):
        alike = rows.loc[first == number, column].astype(str)
        few = len(alike) <= _MOST_ALIKE
        more = "" if few else f". {plural(len(alike) - 1, 'constraint')} more like this"
        for at, cell in (alike if few else alike[:1]).items():
            hint = did_you_mean(cell.lower(), known).rstrip(".")
            if known is ids and ids:
                hint = hint or f". The id column holds names such as '{ids[0]}'"
            sentences.append((at, f": {says.format(cell)}{hint}{more}"))
    return [ended(f"{at}{says}") for at, says in sorted(sentences)]


def _weight(cell: str) -> float:
    """Return the weight that a cell holds, one for an empty cell, nan for what is none."""
    if cell.lower() == "hard":
        return math.inf
    try:
        value = float(cell.replace(",", ".") or 1)
    except ValueError:
        return math.nan
    return value if 0 < value < math.inf else math.nan


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
    pairs = _explained(constraints, links, ids)
    more = [f"... and {plural(len(pairs) - _MOST_LISTED, 'pair')} more"] if len(pairs) > _MOST_LISTED else []
    sentences = [f"{source}: constraints contradict each other:", *pairs[:_MOST_LISTED], *more]
    raise ContradictionError("\n".join(sentences))


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
        See `read_constraints`.

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
        return read_constraints(links, n_samples, ids, contradictions)
    checked = _checked(_rows(links), "Constraint number ", n_samples, ids)
    return _consistent(checked, n_samples, "the given constraints", ids, contradictions)


def _rows(links: Any) -> pd.DataFrame:
    """Return constraints as people write them in Python as the cells of a file."""
    try:
        if isinstance(links, pd.DataFrame):
            named = [column for column in _HEADER if column in links]
            links = links[named if len(named) > 2 else links.columns].itertuples(index=False)
        rows = [tuple(row) for row in links]
        if not all(len(row) in (3, 4) and isinstance(row[2], (str, int, np.integer)) for row in rows):
            must, cannot = rows
            rows = [(a, b, "must") for a, b in must] + [(a, b, "cannot") for a, b in cannot]
    except (TypeError, ValueError):
        raise ConstraintError(
            "Constraints must be a cscluster.Constraints, the path of a constraint file, tuples "
            "(a, b, 'must' or 'cannot'), a data frame of such rows, or two lists of pairs "
            "(must_links, cannot_links)."
        ) from None
    return pd.DataFrame([(*map(_cell, row), "")[:4] for row in rows], columns=_HEADER, dtype=object)


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
        return cells.decoded(path.read_bytes())
    except (OSError, ValueError) as error:
        says = getattr(error, "strerror", None) or reason(error)
        raise ConstraintError(f"Cannot read constraint file '{path}': {says}.") from None


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
