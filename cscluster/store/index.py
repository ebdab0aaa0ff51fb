"""The index of a run's records: their columns in one small file, so that a large run is read in no time.

It is believed only if the records that it was made of are still there, byte for byte, by a checksum over
all of them; records that were appended since are read as ever.  Losing it costs time, nothing else.
"""

from __future__ import annotations

import json
import sys
import zlib
from pathlib import Path
from typing import IO, Any

from cscluster import atomic
from cscluster.store.table import COMMON, Group, RecordTable

NAME = "trials.index"
_FORMAT = f"cscluster index 1 {sys.byteorder}"
_LEAST = 2000
"""Records that are worth an index."""
_SHARE = 0.1
"""Share of records that are read line by line before the index is written again."""
_BLOCK = 1 << 20


def is_worth_writing(table: RecordTable) -> bool:
    """Tell whether so many records of a table were not in the index that it should be written."""
    return len(table.keys) - table.n_indexed >= max(_LEAST, _SHARE * len(table.keys))


def write(path: Path, trials: Path, table: RecordTable) -> None:
    """Write the index of a file of records that is not written to meanwhile.

    Parameters
    ----------
    path, trials : Path
        The index, and the file of records.
    table : RecordTable
        All of these records, in the order of the file; if one is missing there, or half of one is left
        in the file, nothing is written.

    Raises
    ------
    OSError
        If it cannot be written; an earlier one then stays.
    """
    with trials.open("rb") as file:
        n_lines, size, checksum = _measure(file, trials.stat().st_size)
        file.seek(max(size - 1, 0))
        if n_lines != len(table.keys) or file.read() != b"\n":
            return
    parts = [part for group in table.groups for part in (group.places, group.scores)]
    about = {
        "bytes": size,
        "checksum": checksum,
        "keys": table.keys,
        "errors": list(table.errors.items()),
        "groups": [{name: getattr(group, name) for name in COMMON} for group in table.groups],
        "lengths": [len(part) for part in parts],
    }
    content = b"\n".join([json.dumps(about).encode(), b"".join(part.tobytes() for part in parts)])
    atomic.replace(path, f"{_FORMAT} {zlib.crc32(content):08x}\n".encode() + content)
    table.n_indexed = len(table.keys)


def read(path: Path, file: IO[bytes]) -> RecordTable:
    """Return the records of an index; none where it does not fit the file of records.

    Parameters
    ----------
    path : Path
        The index; it need not exist.
    file : binary file
        The records, open at the start; afterwards it is behind those that are returned.
    """
    table = RecordTable()
    try:
        first, content = path.read_bytes().split(b"\n", 1)
        if first != f"{_FORMAT} {zlib.crc32(content):08x}".encode():
            return table
        header, numbers = content.split(b"\n", 1)
        about = json.loads(header)
    except (OSError, ValueError):
        return table
    if _measure(file, about["bytes"])[1:] != (about["bytes"], about["checksum"]):
        file.seek(0)
        return table
    _fill(table, about, memoryview(numbers))
    return table


def _fill(table: RecordTable, about: dict[str, Any], numbers: memoryview) -> None:
    table.keys = about["keys"]
    table.errors = dict(about["errors"])
    table.n_indexed = len(table.keys)
    lengths, start = iter(about["lengths"]), 0
    for common in about["groups"]:
        group = Group(**{**common, "metrics": tuple(common["metrics"])})
        for part in (group.places, group.scores):
            stop = start + part.itemsize * next(lengths)
            part.frombytes(numbers[start:stop])
            start = stop
        table.add_group(group)


def _measure(file: IO[bytes], size: int) -> tuple[int, int, int]:
    """Read so many bytes; return how many lines and bytes they are, and their checksum."""
    n_lines = n_bytes = checksum = 0
    while block := file.read(min(_BLOCK, size - n_bytes)):
        n_lines += block.count(b"\n")
        n_bytes += len(block)
        checksum = zlib.crc32(block, checksum)
    return n_lines, n_bytes, checksum
