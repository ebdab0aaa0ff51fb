"""Files that are replaced in one step: a reader finds the old content or the new, never a part."""

from __future__ import annotations

import contextlib
import glob
import os
from collections.abc import Iterable
from pathlib import Path

import psutil

from cscluster.errors import StoreError
from cscluster.words import encodable


def replace(path: Path, content: bytes | Iterable[bytes]) -> None:
    """Make `content`, or its parts, the content of a file, or of what it links to; it is on disk afterwards.

    After an OSError the file is as it was.  Only a process that is killed leaves the new content
    behind, in ``.NAME.PID.part`` beside the file; see `remove_abandoned`.  What is no file, such as a
    pipe or a device, is written into.
    """
    parts = [content] if isinstance(content, bytes) else content
    if path.exists() and not path.is_file():
        with path.open("wb") as stream:
            stream.writelines(parts)
        return
    target = path.resolve()
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with part.open("wb") as file:
            file.writelines(parts)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, target)
    finally:
        with contextlib.suppress(OSError):
            part.unlink()


def remove_abandoned(folder: Path, name: str | None = None) -> None:
    """Remove what processes that were killed have left behind in a directory, of one file or of all."""
    for part in folder.glob(f".{'*' if name is None else glob.escape(name)}.*.part"):
        pid = part.name.split(".")[-2]
        with contextlib.suppress(OSError):
            if pid.isdecimal() and not psutil.pid_exists(int(pid)):
                part.unlink()


def put(path: Path, content: str | bytes | Iterable[str]) -> None:
    """Write a file of a user in one step, with the directories above it; parts are asked for one by one.

    Raises
    ------
    StoreError
        If it cannot be written; what was there before stays.
    """
    try:
        if path.is_dir():
            raise StoreError(f"Cannot write '{path}': it is a directory. Name a file in it.")
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            replace(path, content)
        else:
            replace(path, map(encodable, [content] if isinstance(content, str) else content))
    except OSError as error:
        raise StoreError(f"Cannot write '{path}': {error.strerror or error}.") from error
