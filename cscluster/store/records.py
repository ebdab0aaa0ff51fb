"""The record of a trial: one line of ``trials.jsonl``."""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
import zlib
from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, Literal, NotRequired

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError, with_config
from typing_extensions import TypedDict

from cscluster.words import encodable

Status = Literal["ok", "error", "timeout", "crashed"]
_Finite = Annotated[float, Field(allow_inf_nan=False)]
_Integer = Annotated[int, Field(ge=-(2**63), lt=2**63)]


@with_config(ConfigDict(extra="allow"))
class Record(TypedDict):
    """What is known about one trial at one tier; the field names are public.

    Trials of one `repetition` see the same constraints.  `seconds` are wall-clock time, by part;
    `cpu_seconds` are those of offline step, fit and update.  `labels`: those of the trial, if they are kept
    (`store.labels`).
    """

    key: str
    status: Status
    dataset: str
    algorithm: str
    label: str
    params: dict[str, Any]
    schedule: str
    point: _Integer
    tier: _Integer
    trial: _Integer
    repetition: _Integer
    metrics: dict[str, _Finite | None]
    seconds: dict[str, _Finite]
    cpu_seconds: _Finite | None
    iterations: _Integer | None
    converged: bool | None
    warnings: list[str]
    error: dict[str, str] | None
    environment: str
    cell: str
    grid: dict[str, Any]
    labels: NotRequired[str]


@cache
def _adapter() -> TypeAdapter[Record]:
    return TypeAdapter(Record)


def check(record: Any) -> Record:
    """Return the record if every field is there and has its type.

    Raises
    ------
    ValueError
        If not; the message names the first field that is wrong.
    """
    try:
        _adapter().validate_python(record, strict=True)
    except ValidationError as error:
        raise ValueError(f"it is not a record of a trial: {first_problem(error)}") from None
    return record


def first_problem(error: ValidationError) -> str:
    """Return the first field that is wrong, and why."""
    first = error.errors(include_url=False, include_input=False)[0]
    return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"


def make_key(cell: str, point: int, trial: int, tier: int) -> str:
    """Return the key of a record: a hash of what its trial means."""
    return _hexadecimal(f'["{cell}",{point},{trial},{tier}]')  # as `short_hash` of the list, in less time


def short_hash(value: Any) -> str:
    """Return a hash of a value that JSON can hold, in twenty hexadecimal digits."""
    return _hexadecimal(json.dumps(value, sort_keys=True, separators=(",", ":"), default=repr))


def _hexadecimal(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:20]


def storable(value: Any) -> Any:
    """Return a value as JSON can hold it; what it cannot hold becomes a string, the same in every run.

    Examples
    --------
    >>> storable({"width": float("inf"), "steps": (1, b"x")})
    {'width': 'inf', 'steps': [1, "b'x'"]}
    """
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return value if value.isascii() else encodable(value).decode()
    if isinstance(value, int) and value.bit_length() < 64:
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else repr(value)
    if isinstance(value, Mapping):
        return {str(key): storable(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [storable(inner) for inner in value]
    if isinstance(value, int):
        return hex(value)
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    name = getattr(value, "__qualname__", None)
    return f"{value.__module__}.{name}" if name else re.sub(r" at 0x[0-9a-fA-F]+", "", repr(value))


def to_line(content: Mapping[str, Any]) -> str:
    """Return a record, or a definition, as a line of JSON that ends with a checksum of what stands before."""
    body = json.dumps(content, separators=(",", ":"), allow_nan=False, ensure_ascii=False)
    return f'{body[:-1]},"check":"{zlib.crc32(body.encode()):08x}"}}\n'


def key_of(line: bytes) -> str:
    """Return the key of the record on a line: its first field."""
    return line.split(b'"', 4)[3].decode()


def has_failed(line: bytes) -> bool:
    """Tell whether the record on a line is that of a failed trial; its status is the second field."""
    return line.split(b'"', 8)[7] != b"ok"


def body_of(line: bytes) -> bytes:
    """Return the JSON of a line without its checksum.

    Raises
    ------
    ValueError
        If the line is not whole or was altered after it was written.
    """
    body, found, checksum = line.rstrip(b"\n").rpartition(b',"check":"')
    body += b"}"
    if not found or checksum != b'%08x"}' % zlib.crc32(body):
        raise ValueError("its checksum does not fit its content")
    return body


def from_line(line: bytes) -> Record:
    """Read a record back.

    Raises
    ------
    ValueError
        If the line is not a whole record or was altered after it was written.
    """
    try:
        return _adapter().validate_json(body_of(line), strict=True)
    except ValidationError as error:
        raise ValueError(f"it is not a record of a trial: {first_problem(error)}") from None
