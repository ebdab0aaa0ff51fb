"""Reading and writing links: CSV files with the columns ``a,b,link[,weight]``."""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Sequence
from pathlib import Path

from cscluster.constraints.links import Constraints
from cscluster.errors import ConstraintError, did_you_mean

_HEADER = ["a", "b", "link"]
_FORMULA = re.compile(r"'*\s*[=+\-@]")
_NUMBER = re.compile(r"\s*[+-]?\d+(\.\d+)?\s*")


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
        numbers; else they are row numbers from 0.

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
    numbers = {name: number for number, name in enumerate(ids or ())}
    links: dict[str, list[tuple[int, int]]] = {"must": [], "cannot": []}
    weights: dict[str, list[float]] = {"must": [], "cannot": []}
    try:
        rows = list(csv.reader(text.splitlines()))
    except csv.Error as error:
        raise ConstraintError(f"{path}: not a CSV file ({error})") from error
    header = [cell.strip().lower() for cell in rows[0]] if rows else []
    if header[:3] != _HEADER or header[3:] not in ([], ["weight"]):
        raise ConstraintError(f"{path}:1: the first line must be 'a,b,link' or 'a,b,link,weight'.")
    for line, row in enumerate(rows[1:], start=2):
        if not any(cell.strip() for cell in row):
            continue
        cells = [cell.strip() for cell in row]
        if len(cells) not in (3, len(header)):
            raise ConstraintError(f"{path}:{line}: expected {len(header)} values, got {len(cells)}.")
        kind = cells[2].lower()
        if kind not in links:
            raise ConstraintError(
                f"{path}:{line}: link must be 'must' or 'cannot', got '{cells[2]}'{did_you_mean(kind, links)}"
            )
        a, b = (sample_number(cell, numbers, n_samples, f"{path}:{line}") for cell in cells[:2])
        if a == b:
            raise ConstraintError(f"{path}:{line}: sample '{cells[0]}' is linked with itself.")
        links[kind].append((a, b))
        weights[kind].append(_weight(cells[3], f"{path}:{line}") if len(cells) == 4 and cells[3] else 1.0)
    found = Constraints(
        links["must"],
        links["cannot"],
        n_samples=n_samples,
        must_weights=weights["must"],
        cannot_weights=weights["cannot"],
    )
    if len(found.contradictions):
        first, second = (ids[i] if ids else str(i) for i in found.contradictions[0])
        raise ConstraintError(
            f"{path}: '{first}' and '{second}' are cannot-linked, but must-links put them together."
        )
    return found


def read_text(path: Path) -> str:
    """Return the content of a constraint file.

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
        return Path(path).read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise ConstraintError(f"There is no constraint file '{path}'.") from None
    except UnicodeError:
        raise ConstraintError(f"Cannot read constraint file '{path}': it is not UTF-8 text.") from None
    except OSError as error:
        raise ConstraintError(f"Cannot read constraint file '{path}': {error}") from error


def sample_number(cell: str, numbers: dict[str, int], n_samples: int, where: str) -> int:
    """Return the number of the sample that a cell means.

    Parameters
    ----------
    cell : str
        A name, perhaps as `plain` wrote it, or a row number.
    numbers : dict
        Number of each name; empty where samples have none.
    n_samples : int
        Number of samples.
    where : str
        File and line, for messages.

    Raises
    ------
    ConstraintError
        If there is no such sample.
    """
    if numbers:
        bare = cell.removeprefix("'")
        name = bare if _FORMULA.match(cell) and bare in numbers else cell
        if name in numbers:
            return numbers[name]
        names = f"; the id column holds names such as '{next(iter(numbers))}'."
        hint = names if cell.isdigit() else did_you_mean(cell, numbers) or names
        raise ConstraintError(f"{where}: there is no sample '{cell}'{hint}")
    if not cell.isascii() or not cell.isdigit() or len(cell) > 18 or int(cell) >= n_samples:
        raise ConstraintError(f"{where}: '{cell}' is not a row number from 0 to {n_samples - 1}.")
    return int(cell)


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


def links_csv(constraints: Constraints, ids: Sequence[str] = ()) -> str:
    """Return links as the content of a constraint file; weights only where one differs from 1.

    Parameters
    ----------
    constraints : Constraints
        The links.
    ids : sequence of str
        Names of the samples; without any, their numbers are written.
    """
    weighted = any((w != 1).any() for w in (constraints.must_weights, constraints.cannot_weights))
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*_HEADER, *(["weight"] if weighted else [])])
    for kind, pairs, weights in (
        ("must", constraints.must_links, constraints.must_weights),
        ("cannot", constraints.cannot_links, constraints.cannot_weights),
    ):
        for (a, b), w in zip(pairs.tolist(), weights.tolist(), strict=True):
            cells = [plain(ids[a]), plain(ids[b])] if ids else [a, b]
            writer.writerow([*cells, kind, *(["hard" if math.isinf(w) else w] if weighted else [])])
    return out.getvalue()


def plain(text: str) -> str:
    """Return a cell on one line that no spreadsheet takes for a formula: such a text gets an apostrophe.

    Parameters
    ----------
    text : str
        What the cell says.
    """
    text = re.sub(r"[\r\n]+", " ", text)
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text
