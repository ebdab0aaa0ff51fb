"""The result directory of a run.

::

    results/NAME/
      config.json        the resolved experiment; the shard, if it is one
      plan.json          keys of all planned trials (of a shard, those of the whole plan too), what their
                         cells mean, sizes of the data sets
      trials.jsonl       one line for each finished trial; a run appends to it, and replaces it in one step
                         where stored records are dropped (failed ones that are run again, all of a fresh run)
                         or get new labels
      environments.json  versions and machine, by the id that records carry
      trials.index       columns of the records of a large run, for who need not read them one by one
      progress.json      how much of the plan is done, and the size of trials.jsonl for which that is so
"""

from __future__ import annotations

import contextlib
import errno
import html
import json
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from filelock import FileLock, Timeout

from cscluster import atomic
from cscluster.errors import StoreError
from cscluster.store import index, run_paths
from cscluster.store.records import Record, from_line, to_line
from cscluster.store.table import RecordTable
from cscluster.words import encodable

if TYPE_CHECKING:
    import pandas as pd

RUN_NAME_RULE = "must start with a letter or digit and hold only letters, digits, '_', '-' and '.'"
_EXPERIMENT = {"name": str, "metrics": list, "algorithms": list}
_COLUMNS = (
    "dataset",
    "algorithm",
    "label",
    "grid",
    "point",
    "tier",
    "trial",
    "status",
    "iterations",
    "converged",
)


class RunFolder:
    """Reads a run's directory; `writing` opens it for the one process that writes."""

    def __init__(self, path: Path) -> None:
        self.path = Path(path)

    @property
    def trials(self) -> Path:
        """The file of records."""
        return self.path / "trials.jsonl"

    @property
    def index(self) -> Path:
        """Columns of the first records, for who need not read them one by one."""
        return self.path / index.NAME

    def exists(self) -> bool:
        """Tell whether a run was ever started here."""
        return (self.path / "config.json").is_file()

    def check_free(self) -> None:
        """Refuse a directory that holds something other than a run, or that cannot be written to.

        Raises
        ------
        StoreError
            If it does, or cannot.
        """
        if self.exists():
            return
        # What another run has begun to write, and its lock, have names with a dot.
        if self.path.is_dir() and any(not path.name.startswith(".") for path in self.path.iterdir()):
            raise StoreError(
                f"'{self.path}' holds files but no results of cscluster; "
                "choose another name or another directory of results."
            )
        existing = next(path for path in (self.path, *self.path.absolute().parents) if path.exists())
        if not existing.is_dir():
            raise StoreError(f"'{existing}' is a file; choose another directory of results.")
        if not os.access(existing, os.W_OK | os.X_OK):
            raise StoreError(
                f"No permission to write results to '{self.path}'; choose another directory of results."
            )

    def config(self) -> dict[str, Any]:
        """Return the resolved experiment, the name of its file and the command that ran it."""
        config = self._read_json("config.json")
        experiment = config.get("experiment")
        if not isinstance(config.get("source"), str) or not isinstance(experiment, dict):
            raise self._damaged("config.json", "it holds no experiment")
        for name, kind in _EXPERIMENT.items():
            if not isinstance(experiment.get(name), kind):
                raise self._damaged("config.json", f"its experiment has no '{name}'")
        return config

    def plan(self) -> list[str]:
        """Return the keys of all planned trials."""
        return self._keys("keys")

    def whole_plan(self) -> list[str]:
        """Return the keys of the plan that this run is all of, or a shard of."""
        return self._keys("whole" if "whole" in self._read_json("plan.json") else "keys")

    def cells(self) -> dict[str, Any]:
        """Return the meaning of every cell hash that records of this directory carry."""
        return self._table("plan.json", "cells")

    def datasets(self) -> dict[str, Any]:
        """Return ``n_samples`` and ``source`` of every data set; nothing where an older run left them out."""
        return self._table("plan.json", "datasets") if "datasets" in self._read_json("plan.json") else {}

    def environments(self) -> dict[str, Any]:
        """Return the environments that records refer to."""
        return self._read_json("environments.json") if (self.path / "environments.json").exists() else {}

    def _keys(self, name: str) -> list[str]:
        keys = self._read_json("plan.json").get(name)
        if not isinstance(keys, list) or not all(isinstance(key, str) for key in keys):
            raise self._damaged("plan.json", f"it has no {name}")
        return keys

    def _table(self, file: str, name: str) -> dict[str, Any]:
        table = self._read_json(file).get(name)
        if not isinstance(table, dict) or not all(isinstance(value, dict) for value in table.values()):
            raise self._damaged(file, f"it has no {name}")
        return table

    def _read_json(self, name: str) -> dict[str, Any]:
        try:
            content = json.loads((self.path / name).read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise StoreError(f"'{self.path}' is not a result directory: it has no {name}.") from None
        except (OSError, ValueError, RecursionError) as error:
            raise self._damaged(name, str(error)) from error
        if not isinstance(content, dict):
            raise self._damaged(name, "it is not a JSON object")
        return content

    def _damaged(self, name: str, reason: str) -> StoreError:
        return StoreError(f"Cannot read '{self.path / name}': {reason}.")

    def records(self) -> Iterator[Record]:
        """Yield the stored records; a torn last line is left out.

        Raises
        ------
        StoreError
            If a line was damaged or edited; the line is named.
        """
        with self._reading() as file:
            if file is not None:
                yield from self._parsed(file, first=1)

    def table(self) -> RecordTable:
        """Return the stored records by columns; those that the index holds are not read one by one.

        Raises
        ------
        StoreError
            As `records`.
        """
        table = RecordTable()
        with self._reading() as file:
            if file is not None:
                table = index.read(self.index, file)
                for record in self._parsed(file, first=len(table.keys) + 1):
                    table.add(record)
        return table

    @contextlib.contextmanager
    def _reading(self) -> Iterator[IO[bytes] | None]:
        """Open the file of records; None if there is none."""
        try:
            with self.trials.open("rb") if self.trials.exists() else contextlib.nullcontext() as file:
                yield file
        except OSError as error:
            raise StoreError(f"Cannot read '{self.trials}': {error.strerror}.") from error

    def _parsed(self, file: IO[bytes], first: int) -> Iterator[Record]:
        """Yield the records of the lines from here on, of which the first has a number."""
        for number, line in enumerate(file, start=first):
            if not line.endswith(b"\n"):
                return
            try:
                yield from_line(line)
            except (ValueError, RecursionError) as error:
                raise StoreError(
                    f"{self.trials}:{number}: this line cannot be trusted: {error}. "
                    "Delete the line to have its trial run again."
                ) from None

    def progress(self) -> Progress:
        """Return how much of the plan is done; records are read only if no run has left that behind."""
        if (self.path / "progress.json").exists():
            left = self._read_json("progress.json")
            if left.pop("bytes", None) == self.n_bytes():
                with contextlib.suppress(TypeError):  # other keys: somebody else has written it
                    return Progress(**left)
        return _progress(self.table(), self.plan())

    def n_bytes(self) -> int:
        """Return the size of the file of records."""
        return self.trials.stat().st_size if self.trials.exists() else 0

    def planned_records(self) -> list[Record]:
        """Return the records of the present plan, in plan order."""
        found = {record["key"]: record for record in self.records()}
        return [found[key] for key in self.plan() if key in found]

    def to_frame(self) -> pd.DataFrame:
        """Return the records of the present plan as a table, one row for each trial and tier.

        Each parameter has a column, called ``params.NAME``; it is empty for algorithms without it.
        """
        import pandas as pd

        rows: list[Any] = self.planned_records()
        return pd.DataFrame(
            [
                {
                    **{name: r[name] for name in _COLUMNS},
                    **{f"params.{name}": value for name, value in r["params"].items()},
                    **r["metrics"],
                    "seconds": sum(r["seconds"].values()),
                }
                for r in rows
            ]
        )

    def __repr__(self) -> str:
        return f"RunFolder({str(self.path)!r})"

    def _repr_html_(self) -> str:
        """Return the run for notebooks: progress, and the means at its last point."""
        if not self.exists():
            return f"<p>{html.escape(repr(self))}: no run was started here</p>"
        experiment, frame = self.config()["experiment"], self.to_frame()
        failed = int((frame["status"] != "ok").sum()) if len(frame) else 0
        lines = [
            f"<b>{html.escape(str(experiment.get('title') or experiment['name']))}</b>",
            f"{len(frame)} of {len(self.plan())} trials are stored, {failed} of them failed",
            f"in <code>{html.escape(str(self.path))}</code>",
        ]
        return f"<div><p>{'<br>'.join(lines)}</p>{_means(frame, experiment['metrics'])}</div>"

    @contextlib.contextmanager
    def writing(self) -> Iterator[Writer]:
        """Lock the directory and yield a writer; what is to be changed is read only after that.

        Raises
        ------
        StoreError
            If the directory cannot be made, or another process is writing to it.
        """
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(f"Cannot write to '{self.path}': {error.strerror}.") from error
        try:
            lock = FileLock(self.path / ".lock").acquire(blocking=False)
        except Timeout:
            raise StoreError(
                f"Another run is writing to '{self.path}'; "
                "wait for it or choose another directory of results."
            ) from None
        except OSError as error:
            raise StoreError(f"Cannot lock '{self.path}': {error.strerror}.") from error
        with lock:
            atomic.remove_abandoned(self.path)
            writer = Writer(self)
            try:
                yield writer
            finally:
                writer.close()


@dataclass(frozen=True)
class Progress:
    """How many records a plan has, how many of them are stored, and how many of these failed."""

    planned: int
    stored: int
    failed: int


def _progress(table: RecordTable, plan: list[str]) -> Progress:
    last = {key: row for row, key in enumerate(table.keys)}
    rows = {last[key] for key in plan if key in last}
    failed = sum(len(rows.intersection(group.rows)) for group in table.groups if group.status != "ok")
    return Progress(len(plan), len(rows), failed)


def _means(frame: pd.DataFrame, metrics: list[str]) -> str:
    """Return a table of mean scores at the last point of each data set, as HTML."""
    shown = [name for name in metrics if name in frame]
    if not shown:
        return ""
    last = frame[frame["point"] == frame.groupby("dataset")["point"].transform("max")]
    last = last[last["tier"] == last.groupby("dataset")["tier"].transform("max")]
    rows = last.assign(
        parameters=last["grid"].map(lambda grid: ", ".join(f"{k}={v}" for k, v in grid.items()))
    )
    by = {"dataset": "data set", "label": "algorithm", "point": "links", "parameters": "parameters"}
    table = rows[[*by, *shown]].rename(columns=by).groupby(list(by.values()), sort=False)[shown].mean()
    return str(table.reset_index().to_html(index=False, border=0, max_rows=20, float_format="%.3f"))


def is_run_name(name: str) -> bool:
    """Tell whether a run may be called so; such a name stays inside the directory of results."""
    return re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}", name) is not None


def run_folders(out: Path) -> list[RunFolder]:
    """Return the runs stored in a directory of results, by name."""
    return [RunFolder(path) for path in run_paths(out)]


def find_run(name: str, out: Path) -> RunFolder | None:
    """Return the run called `name` in a directory of results, or in the directory `name`, if there is one."""
    found = (RunFolder(path) for path in (out / name, Path(name)))
    return next((folder for folder in found if folder.exists()), None)


class Writer:
    """Appends records; each is on disk when `append` returns."""

    def __init__(self, folder: RunFolder) -> None:
        self.folder = folder
        self._file: IO[bytes] | None = None

    def put_json(self, name: str, value: Any) -> None:
        """Write one of the small files in an atomic step."""
        indent = None if name == "plan.json" else 1  # many keys, which only programs read
        text = json.dumps(value, indent=indent, ensure_ascii=False)
        self._replace(self.folder.path / name, encodable(text + "\n"))

    def put_progress(self, table: RecordTable, plan: list[str]) -> None:
        """Write how much of a plan is done, for who does not want to read the records."""
        done = asdict(_progress(table, plan))
        self.put_json("progress.json", {"bytes": self.folder.n_bytes(), **done})

    def put_index(self, table: RecordTable) -> None:
        """Write the index of all stored records, which a table has in their order, if many are not in it."""
        if index.is_worth_writing(table):
            with self._explained():
                index.write(self.folder.index, self.folder.trials, table)

    def put_records(self, records: Iterable[Record]) -> None:
        """Replace the record file, in an atomic step."""
        for made_of_it in (self.folder.path / "progress.json", self.folder.index):
            made_of_it.unlink(missing_ok=True)
        self._replace(self.folder.trials, "".join(map(to_line, records)).encode())

    def append(self, records: Iterable[Record]) -> None:
        """Append records in one write and force them to disk."""
        left = memoryview("".join(map(to_line, records)).encode())
        with self._explained():
            if self._file is None:
                self._file = self._open()
            start = self._file.seek(0, os.SEEK_END)
            try:
                while left:  # a disk that gets full, or a limit, takes only a part at first
                    left = left[self._file.write(left) :]
                os.fsync(self._file.fileno())
            except OSError:
                with contextlib.suppress(OSError):
                    self._file.truncate(start)
                raise

    def close(self) -> None:
        """Close the record file."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _open(self) -> IO[bytes]:
        """Open the record file behind its last whole line."""
        file = self.folder.trials.open("a+b", buffering=0)
        size = file.seek(0, os.SEEK_END)
        tail = min(size, 1 << 16)
        while size:
            file.seek(size - tail)
            last = file.read(tail).rfind(b"\n")
            if last >= 0 or tail == size:
                file.truncate(size - tail + last + 1)
                break
            tail = min(size, tail * 16)
        return file

    def _replace(self, path: Path, content: bytes) -> None:
        self.close()
        with self._explained():
            atomic.replace(path, content)

    @contextlib.contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EDQUOT):
                raise StoreError(
                    f"No space left for '{self.folder.path}'; free some and start the same command again: "
                    "finished trials are kept."
                ) from error
            raise StoreError(f"Cannot write to '{self.folder.path}': {error.strerror}.") from error
