"""Results on disk: one line for each finished trial."""

from __future__ import annotations

import os
from pathlib import Path

DEFINITION = "run.json"


def run_paths(results: Path) -> list[Path]:
    """Return the directories of the runs stored in a directory of results, by name."""
    found = results.glob(f"*/{DEFINITION}") if os.path.isdir(results) else []
    return sorted(path.parent for path in found)
