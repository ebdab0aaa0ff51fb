"""The result directory of a run.

::

    results/NAME/
      run.json      what the run is: experiment, cells, plan, environments; with a checksum
      trials.jsonl  one line for each finished trial, each with a checksum; a run appends to it

Of two lines with the same key the later counts.  A torn last line is left out.
"""

from __future__ import annotations

import contextlib
import errno
import html
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from cscluster import atomic
from cscluster.errors import StoreError
from cscluster.store import DEFINITION
from cscluster.store.definition import CellEntry, Definition
from cscluster.store.records import Record, from_line
from cscluster.words import html_table

if TYPE_CHECKING:
    import pandas as pd

RUN_NAME_RULE = "must start with a letter or digit and hold only letters, digits, '_', '-' and '.'"
_INTERNAL = ("key", "cell", "params", "message", "warnings", "environment", "recorded")
"""Columns that `RunDirectory.to_frame` leaves out."""


class RunDirectory:
    """Reads a run's directory.  `writing` opens it for the one process that writes."""

    def __init__(self, path: Path) -> None:
        self.path = Path(path)

    @property
    def trials(self) -> Path:
        """The file of records."""
        return self.path / "trials.jsonl"

    def exists(self) -> bool:
        """Tell whether a run was ever started here."""
        return os.path.isfile(self.path / DEFINITION)

    def check_free(self) -> None:
        """Refuse a directory that holds something other than a run.

        Raises
        ------
        StoreError
            If it does.
        """
        if self.exists():
            return
        # What another run has begun to write, and its lock, have names with a dot.
        if os.path.isdir(self.path) and any(not path.name.startswith(".") for path in self.path.iterdir()):
            raise StoreError(
                f"'{self.path}' holds files but no results of cscluster. "
                "Choose another name or another directory of results."
            )

    def _require_files(self) -> None:
        """Refuse links, pipes and devices: they lead out of a directory that somebody else has made."""
        for path in self.path.rglob("*"):
            if path.is_symlink() or not (path.is_file() or path.is_dir()):
                raise StoreError(f"'{path}' is not a regular file. Remove it from the result directory.")

    @cached_property
    def definition(self) -> Definition:
        """What the run is; read once.

        Raises
        ------
        StoreError
            If the directory holds no run, or its definition is damaged.
        """
        file = self.path / DEFINITION
        self._require_files()
        try:
            return Definition.read(file.read_bytes())
        except FileNotFoundError:
            raise StoreError(f"'{self.path}' is not a result directory: it has no {DEFINITION}.") from None
        except (OSError, ValueError, RecursionError) as error:
            raise StoreError(f"Cannot read '{file}': {error}.") from None

    def reload(self) -> None:
        """Forget the definition, which another process may have replaced."""
        self.__dict__.pop("definition", None)

    def records(self, start: int = 0) -> Iterator[Record]:
        """Yield the stored records from a byte of the file on.  A torn last line is left out.

        Raises
        ------
        StoreError
            If a line was damaged or edited.  The message names it.
        """
        number = 0
        try:
            with self.trials.open("rb") as file:
                file.seek(start)
                for line in file:
                    number += 1  # the sentence below names it
                    if line.endswith(b"\n"):
                        yield from_line(line)
        except FileNotFoundError:
            return
        except OSError as error:
            raise StoreError(f"Cannot read '{self.trials}': {error.strerror}.") from error
        except (ValueError, RecursionError) as error:
            raise StoreError(
                f"{self.trials}:{number}: this line cannot be trusted: {error}. "
                "Delete the line to have its trial run again."
            ) from None

    def n_bytes(self) -> int:
        """Return the size of the file of records."""
        return self.trials.stat().st_size if self.trials.exists() else 0

    def stored(self, cells: Mapping[str, CellEntry] | None = None) -> pd.DataFrame:
        """Return all stored records as a data frame (`trials_frame`), named by `cells` or by its own."""
        from cscluster.store import archive
        from cscluster.store.frame import trials_frame, with_names

        if cells is None:
            cells = self.definition.cells if self.exists() else {}
        file = self.path / archive.NAME
        return with_names(archive.read(file) if file.is_file() else trials_frame(self.records()), cells)

    def planned(self, stored: pd.DataFrame | None = None) -> pd.DataFrame:
        """Return the records of the present plan, in its order (`stored`: those read already)."""
        from cscluster.store.frame import planned_rows

        return planned_rows(self.stored() if stored is None else stored, self.definition.plan.keys())

    def to_frame(self) -> pd.DataFrame:
        """Return the records of the present plan as a table, one row for each trial and tier.

        Each parameter has a column, called ``params.NAME``.  It is empty for algorithms without it.
        """
        import pandas as pd

        frame = self.planned().rename(columns=lambda name: name.removeprefix("m:"))
        names = [name for name in frame if name not in _INTERNAL]
        params = pd.DataFrame([json.loads(each) for each in frame["params"]], index=frame.index)
        grid = frame["grid"].map(json.loads)
        return pd.concat([frame[names].assign(grid=grid), params.add_prefix("params.")], axis=1)

    def __repr__(self) -> str:
        return f"RunDirectory({str(self.path)!r})"

    def _repr_html_(self) -> str:
        """Return the run for notebooks: how much of it is stored."""
        if not self.exists():
            return f"<p>{html.escape(repr(self))}: no run was started here</p>"
        experiment, planned = self.definition.experiment, self.planned()
        failed = (planned["status"] != "ok").sum()
        stored = f"{len(planned)} of {len(self.definition.plan.keys())}, {failed} failed"
        return html_table(experiment.title or experiment.name, {"trials stored": stored, "in": self.path})

    @contextlib.contextmanager
    def writing(self) -> Iterator[Writer]:
        """Lock the directory and yield a writer.  What is to be changed is read only after that.

        Raises
        ------
        StoreError
            If the directory cannot be made, or another process is writing to it.
        """
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            lock = FileLock(self.path / ".lock").acquire(blocking=False)
        except Timeout:
            raise StoreError(
                f"Another run is writing to '{self.path}'. "
                "Wait for it or choose another directory of results."
            ) from None
        except OSError as error:
            raise StoreError(f"Cannot write to '{self.path}': {error.strerror}.") from error
        try:
            with lock:
                self._require_files()
                atomic.remove_abandoned(self.path)
                self.reload()
                yield Writer(self)
        finally:
            if not self.exists():  # nothing was begun here
                with contextlib.suppress(OSError):
                    (self.path / ".lock").unlink(missing_ok=True)
                    self.path.rmdir()


def is_run_name(name: str) -> bool:
    """Tell whether a run may be called so; such a name stays inside the directory of results."""
    return re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,99}", name) is not None


def find_run(name: str, out: Path) -> RunDirectory | None:
    """Return the run called `name` in a directory of results, or in the directory `name`, if there is one."""
    candidates = (RunDirectory(path) for path in (out / name, Path(name)))
    return next((directory for directory in candidates if directory.exists()), None)


class Writer:
    """Appends records; each is on disk when `append` returns."""

    def __init__(self, directory: RunDirectory) -> None:
        self.directory = directory
        with (
            self._write_errors(),
            contextlib.suppress(FileNotFoundError),
            directory.trials.open("r+b") as file,
        ):
            file.truncate(file.read().rfind(b"\n") + 1)  # a torn last line

    def put_definition(self, definition: Definition) -> None:
        """Replace what the run is, in one step."""
        with self._write_errors():
            atomic.replace(self.directory.path / DEFINITION, definition.line().encode())
        self.directory.definition = definition

    def put_lines(self, lines: Iterable[bytes]) -> None:
        """Replace the file of records, in one step."""
        with self._write_errors():
            atomic.replace(self.directory.trials, lines)

    def append(self, lines: Iterable[bytes]) -> None:
        """Append the lines of records and force them to disk; all of them or none."""
        left = memoryview(b"".join(lines))
        with self._write_errors(), self.directory.trials.open("ab", buffering=0) as file:
            start = file.tell()
            try:
                while left:  # a disk that gets full, or a limit, takes only a part at first
                    left = left[file.write(left) :]
                os.fsync(file.fileno())
            except OSError:
                with contextlib.suppress(OSError):
                    file.truncate(start)
                raise

    @contextlib.contextmanager
    def _write_errors(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EDQUOT):
                raise StoreError(
                    f"No space left for '{self.directory.path}'. Free some and start the same command again: "
                    "finished trials are kept."
                ) from error
            raise StoreError(f"Cannot write to '{self.directory.path}': {error.strerror}.") from error
