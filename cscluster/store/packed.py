"""A run in one small file, without what its records repeat: results that travel with the sources.

The file is JSON, compressed with xz: the run's definition, what records have in common, and one column
for each thing that differs.  Keys are not kept, since they follow from the rest; scores are kept to six
decimals, seconds to four digits.
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from cscluster.errors import StoreError
from cscluster.store.folder import RunFolder
from cscluster.store.records import Record, check, make_key
from cscluster.store.table import RecordTable

_COMMON = ("dataset", "algorithm", "label", "params", "schedule", "environment", "cell", "grid")
_COLUMNS = ("point", "tier", "trial", "iterations", "converged")
_PLACES = ("place", "traceback")
_USUAL: dict[str, Any] = {"status": "ok", "warnings": [], "error": None}


def pack(folder: RunFolder, metrics: Sequence[str]) -> bytes:
    """Return the records of a run's present plan, with some of their metrics, as the content of a file."""
    records = [as_packed(record) for record in folder.planned_records()]
    kinds: dict[str, int] = {}
    rows = [kinds.setdefault(json.dumps([r[name] for name in _COMMON]), len(kinds)) for r in records]  # type: ignore[literal-required]
    used = {record["cell"] for record in records}
    content = {
        "config": folder.config(),
        "cells": {cell: meaning for cell, meaning in folder.cells().items() if cell in used},
        "datasets": folder.datasets(),
        "environments": {
            name: value
            for name, value in folder.environments().items()
            if name in {record["environment"] for record in records}
        },
        "planned": len(folder.plan()),
        "kinds": [dict(zip(_COMMON, json.loads(kind), strict=True)) for kind in kinds],
        "kind": rows,
        **{name: [record[name] for record in records] for name in _COLUMNS},  # type: ignore[literal-required]
        "metrics": {name: [record["metrics"].get(name) for record in records] for name in metrics},
        "seconds": {
            name: [record["seconds"].get(name, 0.0) for record in records]
            for name in dict.fromkeys(part for record in records for part in record["seconds"])
        },
        "cpu_seconds": [record.get("cpu_seconds") for record in records],
        "odd": {number: odd for number, record in enumerate(records) if (odd := _odd(record))},
    }
    return lzma.compress(json.dumps(content, separators=(",", ":")).encode(), preset=9)


def as_packed(record: Record) -> Record:
    """Return a record with its numbers rounded as a packed run has them."""
    return {
        **record,
        "metrics": {name: _six_places(value) for name, value in record["metrics"].items()},
        "seconds": {name: _four_digits(value) for name, value in record["seconds"].items()},
        "cpu_seconds": None if (seconds := record.get("cpu_seconds")) is None else _four_digits(seconds),
    }


def _odd(record: Record) -> dict[str, Any]:
    """Return what is unusual about a record; the place of an error, which names directories, is left out."""
    odd = {name: record[name] for name, usual in _USUAL.items() if record[name] != usual}  # type: ignore[literal-required]
    if odd.get("error"):
        odd["error"] = {name: value for name, value in odd["error"].items() if name not in _PLACES}
    return odd


def _six_places(value: float | None) -> float | None:
    return None if value is None else round(value, 6)


def _four_digits(value: float) -> float:
    return float(f"{value:.4g}")


def restore(file: Path, folder: RunFolder) -> int:
    """Write a packed run into its result directory, unless a run was started there; return its records.

    Raises
    ------
    StoreError
        If the file is damaged, or the directory cannot be written to.
    """
    if folder.exists() or not file.exists():
        return 0
    definition, records = unpack(file)
    keys = [record["key"] for record in records]
    keys += [f"not-run-{number}" for number in range(definition["planned"] - len(records))]
    with folder.writing() as writer:
        writer.put_records(records)
        writer.put_json("environments.json", definition["environments"])
        plan = {name: definition[name] for name in ("cells", "datasets")}
        writer.put_json("plan.json", {**plan, "keys": keys})
        writer.put_json("config.json", definition["config"])
        writer.put_progress(RecordTable(records), keys)
    return len(records)


def unpack(file: Path) -> tuple[dict[str, Any], list[Record]]:
    """Return the definition of a packed run, and its records.

    Raises
    ------
    StoreError
        If the file is damaged.
    """
    try:
        content = json.loads(lzma.decompress(file.read_bytes()))
        records = [check(record) for record in _records(content)]
        definition = {name: content[name] for name in ("config", "cells", "datasets", "environments")}
        definition["planned"] = int(content["planned"])
    except (OSError, lzma.LZMAError, ValueError, KeyError, TypeError, IndexError) as error:
        raise StoreError(f"'{file}' does not hold a packed run: {error}.") from None
    return definition, records


def _records(content: dict[str, Any]) -> Iterator[Any]:
    for number, kind in enumerate(content["kind"]):
        record: dict[str, Any] = {
            **content["kinds"][kind],
            **{name: content[name][number] for name in (*_COLUMNS, "cpu_seconds")},
            **{
                group: {name: values[number] for name, values in content[group].items()}
                for group in ("metrics", "seconds")
            },
            **_USUAL,
            **content["odd"].get(str(number), {}),
        }
        if record["status"] != "ok":
            record["metrics"] = {}
        key = make_key(record["cell"], record["point"], record["trial"], record["tier"])
        yield {"key": key, **record}
