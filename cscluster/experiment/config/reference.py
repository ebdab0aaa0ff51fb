"""Every key of an experiment file, from the models that check it: as a list and as a JSON schema."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic_core import PydanticUndefined

from cscluster.experiment.config.schedules import MODELS
from cscluster.experiment.config.schema import AlgorithmEntry, ClustererEntry, DatasetEntry, Experiment


@dataclass(frozen=True)
class Key:
    """A key of an experiment file.

    Attributes
    ----------
    path : str
        Where it stands, such as ``algorithms[].label`` or ``constraints.counts``.
    type, default, meaning : str
        What it holds, what it is where it is not written, and what it is for.
    """

    path: str
    type: str
    default: str
    meaning: str


def keys() -> list[Key]:
    """Return all keys, those of the file first."""
    found = _of(Experiment, "")
    found += _of(DatasetEntry, "datasets[].")
    found += _of(AlgorithmEntry, "algorithms[].")
    found += _of(ClustererEntry, "algorithms[].clusterer.")
    return found + [key for kind in MODELS for key in schedule_keys(kind)]


def schedule_keys(kind: str) -> list[Key]:
    """Return the keys of a schedule, its kind left out."""
    model = MODELS[kind]
    return [key for key in _of(model, f"constraints({kind}).") if not key.path.endswith(").kind")]


def _of(model: type[BaseModel], prefix: str) -> list[Key]:
    found = []
    for name, field in model.model_fields.items():
        default = field.get_default(call_default_factory=True)
        shown = "required" if default is PydanticUndefined else json.dumps(default, default=str)
        found.append(Key(prefix + name, _words(field.annotation), shown, field.description or ""))
    return found


_WORDS = {str: "string", int: "integer", float: "number", bool: "true or false", Path: "file"}


def _words(annotation: Any) -> str:
    """Return a type as people say it."""
    kind, parts = get_origin(annotation), get_args(annotation)
    if kind is Annotated:
        return _words(parts[0])
    if kind is list:
        words = _words(parts[0])
        return f"list of ({words})" if " or " in words else f"list of {words}"
    if kind is dict:
        return "mapping"
    if kind is Literal:
        return " or ".join(map(str, parts))
    if kind in (Union, UnionType):
        return " or ".join(dict.fromkeys(_words(part) for part in parts if part is not NoneType))
    return _WORDS.get(annotation, "mapping")


def json_schema() -> dict[str, Any]:
    """Return the JSON schema of an experiment file, by which editors complete and check it."""
    schema = Experiment.model_json_schema()
    for name in ("AlgorithmEntry", "ClustererEntry", "DatasetEntry"):
        whole = schema["$defs"].pop(name)
        schema["$defs"][name] = {"anyOf": [{"type": "string"}, whole]}  # a name alone will do
    schema["properties"]["memory_limit"]["anyOf"].append({"type": "string"})
    entry = schema["$defs"]["AlgorithmEntry"]["anyOf"][1]
    entry["properties"]["memory_limit"]["anyOf"].append({"type": "string"})
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}
