"""Labels as a short string: integers of the smallest type that holds them, compressed, in base 64."""

from __future__ import annotations

import base64
import binascii
import zlib

import numpy as np
from numpy.typing import NDArray

from cscluster.errors import StoreError

_TYPES = ("|u1", "|i1", "<u2", "<i2", "<i4", "<i8")


def pack(labels: NDArray[np.int64]) -> str:
    """Return labels as a string.

    Examples
    --------
    >>> unpack(pack(np.array([0, 1, -1])), 3)
    array([ 0,  1, -1])
    """
    low, high = (int(labels.min()), int(labels.max())) if len(labels) else (0, 0)
    fits = (name for name in _TYPES if np.iinfo(name).min <= low and high <= np.iinfo(name).max)
    kind = next(fits)
    return f"{kind}:{base64.b64encode(zlib.compress(labels.astype(kind).tobytes(), 9)).decode()}"


def unpack(text: str, n_samples: int) -> NDArray[np.int64]:
    """Return the labels that a string holds.

    Raises
    ------
    StoreError
        If they are not those of `n_samples` samples.
    """
    kind, _, content = text.partition(":")
    try:
        most = n_samples * np.dtype(kind if kind in _TYPES else "").itemsize
        raw = zlib.decompressobj().decompress(base64.b64decode(content), most + 1)
        labels = np.frombuffer(raw, kind).astype(np.int64)
    except (TypeError, ValueError, binascii.Error, zlib.error) as error:
        raise StoreError(f"Stored labels cannot be read: {error}.") from None
    if len(labels) != n_samples:
        raise StoreError(f"There are {len(labels)} stored labels of {n_samples} samples.")
    return labels
