"""Files that are replaced in one step: a reader finds the old content or the new, never a part."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path


def replace(path: Path, content: bytes) -> None:
    """Make `content` the content of a file, or of what it links to; it is on disk afterwards.

    After an OSError the file is as it was.  Only a process that is killed leaves the new content
    behind, in ``.NAME.PID.part`` beside the file.
    """
    target = path.resolve()
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with part.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, target)
    finally:
        with contextlib.suppress(OSError):
            part.unlink()
