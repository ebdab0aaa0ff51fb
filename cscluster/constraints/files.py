"""Reading and writing links: CSV files with the columns ``a,b,link[,weight]``."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from cscluster import cells
from cscluster.constraints.links import Constraints
from cscluster.errors import ConstraintError, did_you_mean
from cscluster.words import integer

_HEADER = ["a", "b", "link"]
_KINDS = {"must": True, "cannot": False}


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
    """

    a: int
    b: int
    together: bool
    weight: float = 1.0


def read_links(path: Path, n_samples: int, ids: Sequence[str] | None = None) -> Constraints:
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

    Raises
    ------
    ConstraintError
        If the file is missing or a line is wrong (the line is named), or links contradict each
        other (the pair is named).
    """
    return parse_links(read_text(path), path, n_samples, ids)


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
    return as_constraints(list_links(text, path, n_samples, ids), n_samples)


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
    numbers = {name: number for number, name in enumerate(ids or ())}
    links = []
    for line, row in content_rows(text, path):
        where = f"{path}:{line}"
        kind = row[2].lower()
        if kind not in _KINDS:
            hint = did_you_mean(kind, _KINDS)
            raise ConstraintError(f"{where}: link must be 'must' or 'cannot', got '{row[2]}'{hint}")
        a, b = (_sample(cell, numbers, n_samples, where) for cell in row[:2])
        if a == b:
            raise ConstraintError(f"{where}: sample '{row[0]}' is linked with itself.")
        weight = _weight(row[3], where) if len(row) == 4 and row[3] else 1.0
        links.append(Link(a, b, _KINDS[kind], weight))
    contradictions = as_constraints(links, n_samples).contradictions
    if len(contradictions):
        first, second = (ids[i] if ids else str(i) for i in contradictions[0])
        raise ConstraintError(
            f"{path}: '{first}' and '{second}' are cannot-linked, but must-links put them together."
        )
    return links


def content_rows(text: str, path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield the number of the line and the cells of each link.

    Parameters
    ----------
    text, path : str, Path
        The content, and where it comes from.

    Raises
    ------
    ConstraintError
        If it is not CSV, has another header, or a line has too few or too many cells.
    """
    reader = csv.reader(io.StringIO(text, newline=""))  # a cell may hold any kind of line break
    try:
        header = [cell.strip().lower() for cell in next(reader, [])]
        if header[:3] != _HEADER or header[3:] not in ([], ["weight"]):
            raise ConstraintError(f"{path}:1: the first line must be 'a,b,link' or 'a,b,link,weight'.")
        for cells_of_row in reader:
            row = [cell.strip() for cell in cells_of_row]
            if not any(row):
                continue
            if len(row) not in (3, len(header)):
                raise ConstraintError(
                    f"{path}:{reader.line_num}: expected {len(header)} values, got {len(row)}."
                )
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


def _sample(cell: str, numbers: dict[str, int], n_samples: int, where: str) -> int:
    """Return the row that a cell means: by a name, perhaps a guarded one, or by its index."""
    if numbers:
        bare = cells.unguarded(cell)
        name = bare if bare in numbers else cell
        if name in numbers:
            return numbers[name]
        names = f"; the id column holds names such as '{next(iter(numbers))}'."
        hint = names if integer(cell) is not None else did_you_mean(cell, numbers)
        raise ConstraintError(f"{where}: there is no sample '{cell}'{hint}")
    row = integer(cell)
    if row is None or row >= n_samples:
        raise ConstraintError(f"{where}: '{cell}' is not a row index from 0 to {n_samples - 1}.")
    return row


def _weight(cell: str, where: str) -> float:
    if cell.lower() == "hard":
        return math.inf
    try:
        value = float(cell)
    except ValueError:
        value = math.nan
    if not 0 < value < math.inf:
        raise ConstraintError(f"{where}: the weight must be a positive number or 'hard', got '{cell}'.")
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
    must, cannot = ([link for link in links if link.together is kind] for kind in (True, False))
    return Constraints(
        [(link.a, link.b) for link in must],
        [(link.a, link.b) for link in cannot],
        n_samples=n_samples,
        must_weights=[link.weight for link in must],
        cannot_weights=[link.weight for link in cannot],
    )


def as_lines(constraints: Constraints) -> list[Link]:
    """Return constraints as the lines of a file, must-links first.

    Parameters
    ----------
    constraints : Constraints
        The links.
    """
    return [
        Link(a, b, together, weight)
        for together, pairs, weights in (
            (True, constraints.must_links, constraints.must_weights),
            (False, constraints.cannot_links, constraints.cannot_weights),
        )
        for (a, b), weight in zip(pairs.tolist(), weights.tolist(), strict=True)
    ]


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
