"""The records of a run as one compressed CSV file, for results that travel with the sources.

A run directory with ``trials.csv.xz`` in the place of ``trials.jsonl`` can be read and reported, but not
resumed.  Keys are left out, since they follow from the rest.  Scores have six digits, seconds three.
"""

from __future__ import annotations

import io
import lzma
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from cscluster.errors import StoreError
from cscluster.store.frame import COSTS
from cscluster.store.records import make_key

NAME = "trials.csv.xz"
_COLUMNS = ["cell", "point", "tier", "trial", "repetition", "status", "environment", "converged", "message"]


def to_bytes(frame: pd.DataFrame, metrics: Sequence[str]) -> bytes:
    """Return trials, with some of their metrics, as the content of an archive."""
    scores = [name for name in dict.fromkeys(f"m:{name}" for name in (*metrics, *COSTS)) if name in frame]
    seconds = {name: frame[name].map("{:.3g}".format).astype(float) for name in scores if "seconds" in name}
    rows = frame[[*_COLUMNS, *scores]].assign(**seconds).sort_values(["cell", "point", "trial", "tier"])
    text = rows.to_csv(index=False, lineterminator="\n", float_format="%.6g")
    return lzma.compress(text.encode(), preset=9)


def read(file: Path) -> pd.DataFrame:
    """Return the rows of an archive, as `trials_frame` has them before they are named.

    Raises
    ------
    StoreError
        If the file is damaged.
    """
    try:
        text = lzma.decompress(file.read_bytes())
        frame = pd.read_csv(
            io.BytesIO(text), dtype={"cell": str, "environment": str, "message": str, "converged": object}
        )
        places = (frame[name].tolist() for name in ("cell", "point", "trial", "tier"))
        keys = [make_key(*place) for place in zip(*places, strict=True)]
    except (OSError, lzma.LZMAError, ValueError, KeyError) as error:
        raise StoreError(f"Cannot read '{file}': {error}.") from None
    names = tuple(name.removeprefix("m:") for name in frame if name.startswith("m:"))
    return frame.assign(
        key=keys,
        message=frame["message"].fillna(""),
        warnings=[[] for _ in keys],
        recorded=pd.Series([names] * len(keys), index=frame.index, dtype=object),
    )
