"""Reading an experiment file; every problem is reported at once, with its line and column."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from cscluster import bundle, documents
from cscluster.documents import Document, Place
from cscluster.errors import ConfigError, did_you_mean, ended
from cscluster.experiment.config import grid, schedules, schema
from cscluster.experiment.config.schema import Experiment
from cscluster.words import integer

_SHOWN = 100
_OWNERS: dict[str, type[BaseModel]] = {"algorithms": schema.AlgorithmEntry, "datasets": schema.DatasetEntry}


def find_config(name: str) -> Path:
    """Return the file of an experiment given by path or by the name of a bundled one.

    Raises
    ------
    ConfigError
        If there is none.
    """
    if os.path.isfile(name):  # which takes any string for a path
        return Path(name)
    bundled = name.removeprefix("configs/").removesuffix(".yaml")
    if bundled in bundle.config_names():
        return bundle.folder("configs") / f"{bundled}.yaml"
    raise ConfigError(f"There is no experiment file '{name}'{did_you_mean(bundled, bundle.config_names())}")


def load(name: str, settings: list[str] | None = None, sweep: list[str] | None = None) -> Experiment:
    """Read and check an experiment.

    Parameters
    ----------
    name : str
        Path of a YAML file, or name of a bundled experiment.
    settings : list of str, optional
        Changes as ``a.b=value``; list items are addressed by number or by their name.
    sweep : list of str, optional
        Grids that make it a sweep, as ``algorithm.parameter=values``, or ``select=rule``.

    Raises
    ------
    ConfigError
        With one line for each problem.
    """
    path = find_config(name)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeError) as error:
        raise ConfigError(f"Cannot read '{path}': {error}") from error
    return parse(text, source=str(path), folder=path.parent, settings=settings, sweep=sweep)


def parse(
    text: str,
    *,
    source: str,
    folder: Path | None = None,
    settings: list[str] | None = None,
    sweep: list[str] | None = None,
) -> Experiment:
    """Check the text of an experiment file; see `load`."""
    document = documents.read(text, source)
    if not isinstance(document.data, dict):
        raise ConfigError(f"{source}:1:1: the file must hold keys: name, datasets, constraints, algorithms.")
    for setting in settings or ():
        path, where, value = _assignment("setting", setting, "KEY=VALUE, for example trials=5")
        _put(document, path.split("."), documents.read(value, where).data, where)
    varied = None if sweep is None else _vary(document, sweep)
    try:
        experiment = Experiment.model_validate(document.data, context={"directory": folder})
    except ValidationError as error:
        raise ConfigError("\n".join(_explain(document, error))) from None
    return experiment if varied is None else experiment.swept(varied)


def _assignment(kind: str, text: str, form: str) -> tuple[str, str, str]:
    """Return what is before the equals sign, how errors name the text, and the value."""
    key, equals, value = text.partition("=")
    where = f"{kind} {text if len(text) <= _SHOWN else text[:_SHOWN] + ' ...'}"
    if not equals or not key:
        raise ConfigError(f"{where}: write it as {form}.")
    return key, where, value


def _put(document: Document, keys: Sequence[str], value: Any, where: str) -> Place:
    """Set a value at a place that is written as keys and items; return the place."""
    target: Any = document.data
    place: Place = ()
    for depth, key in enumerate(keys):
        step: Any = _step(target, key, where)
        place = (*place, step)
        if depth == len(keys) - 1:
            target[step] = value
        else:
            if isinstance(target, dict) and step not in target:
                target[step] = {}
            if isinstance(target[step], str) and isinstance(target, list):
                target[step] = {"name": target[step]}
            target = target[step]
    document.places = {p: w for p, w in document.places.items() if p[: len(place)] != place}
    document.places[place] = where
    return place


def _vary(document: Document, grids: Sequence[str]) -> list[int]:
    """Make grids lists in the parameters of algorithms; return the numbers of these."""
    entries = document.data.get("algorithms")
    names, labels = _names(entries if isinstance(entries, list) and entries else ["ALGORITHM"])
    choice, varied = ("none", document.source), set()
    for text in grids:
        key, where, written = _assignment("sweep", text, "ALGORITHM.PARAMETER=VALUES, as in pmmc.lam=0.1,1")
        if key == "select":
            choice = (written, where)
            continue
        name, _, parameter = key.rpartition(".")
        if not name:
            raise ConfigError(f"{where}: '{key}' needs its algorithm: write {labels[0]}.{key}={written}")
        if (labels if name in labels else names).count(name) > 1:
            raise ConfigError(f"{where}: '{name}' means several algorithms. Give each a label.")
        try:
            values = grid.values(written, where)
        except ValueError as error:
            raise ConfigError(f"{where}: '{key}': {error}.") from None
        varied.add(_put(document, ["algorithms", name, "params", parameter], values, where)[1])
    if not varied:
        raise ConfigError(f"{document.source}: nothing varies. Name a grid, ALGORITHM.PARAMETER=VALUES.")
    for number in varied:
        _put(document, ["algorithms", str(number), "select"], *choice)
    return sorted(map(int, varied))


def _step(target: Any, key: str, where: str) -> str | int:
    """Return the key or the index that one part of a setting's path means."""
    if isinstance(target, dict):
        return key
    if isinstance(target, list):
        index = integer(key)
        if index is not None and index < len(target):
            return index
        names, labels = _names(target)
        for candidates in (labels, names):
            if key in candidates:
                return candidates.index(key)
        hint = did_you_mean(key, dict.fromkeys(map(str, names + labels)))
        raise ConfigError(f"{where}: there is no item '{key}'{hint}")
    raise ConfigError(f"{where}: cannot set the key '{key}' inside a scalar.")


def _names(items: list[Any]) -> tuple[list[Any], list[Any]]:
    """Return the names of items, and their labels, or names where they have none."""
    names = [item.get("name") if isinstance(item, dict) else item for item in items]
    labels = [item.get("label") if isinstance(item, dict) else None for item in items]
    return names, [label or name for label, name in zip(labels, names, strict=True)]


def _explain(document: Document, error: ValidationError) -> list[str]:
    """Return one line for each problem of a validation error."""
    lines = []
    for item in error.errors():
        place = _file_place(item["loc"], document.data)
        if item["type"] == "problems":
            lines += [
                f"{document.where((*place, *inner))}: {text}" for inner, text in item["ctx"]["problems"]
            ]
            continue
        lines.append(f"{document.where(place)}: {_sentence(item, place)}")
    return sorted(set(map(ended, lines)), key=_order)


def _order(line: str) -> tuple[int, int, str]:
    match = re.search(r":(\d+):(\d+): ", line)
    return (int(match[1]), int(match[2]), line) if match else (0, 0, line)


def _file_place(loc: tuple[str | int, ...], data: Any) -> Place:
    """Drop from pydantic's location the parts that are not in the file, such as union tags."""
    if loc[:1] == ("constraints",):
        loc = (*loc[:1], *loc[2:])  # the kind of the schedule, even where a key is called like it
    place: list[str | int] = []
    for number, part in enumerate(loc):
        inside = part in data if isinstance(data, dict) else isinstance(data, list) and isinstance(part, int)
        if inside:
            place.append(part)
            data = data[part]
        elif number == len(loc) - 1 and isinstance(data, dict):
            place.append(part)
    return tuple(place)


def _sentence(item: Any, place: Place) -> str:
    """Say in words what is wrong and what would be right."""
    key = ".".join(map(str, place))
    context = item.get("ctx", {})
    kind = item["type"]
    if kind == "extra_forbidden":
        for owner, model in _OWNERS.items():
            if len(place) == 1 and key in model.model_fields:
                return f"'{key}' belongs to an entry of '{owner}'"
        known = _known_keys(item["loc"][:-1])
        return f"unknown key '{place[-1]}'{did_you_mean(str(place[-1]), known)}"
    if kind == "missing":
        return f"the key '{place[-1]}' is missing"
    if kind in ("union_tag_invalid", "union_tag_not_found"):
        if "tag" not in context:
            return f"'{key}.kind' must be one of {', '.join(schedules.MODELS)}"
        return _whole_schedule(str(context["tag"]))
    if kind == "list_type" and isinstance(item["input"], str):
        return f"'{key}' must be a list: write {key}: [{item['input']}]"
    if place == ("constraints",) and isinstance(item["input"], str):
        return _whole_schedule(item["input"])
    if kind == "path_type":
        return f"'{key}' must be the path of a file"
    message = (
        item["msg"].removeprefix("Value error, ").removeprefix("Input should be ").partition(", unable")[0]
    )
    if kind == "value_error":
        return f"'{key}': {message}"
    shown = "" if isinstance(item["input"], (dict, list)) else f", got {item['input']!r}"
    return f"'{key}' must be {message}{shown}"


def _whole_schedule(kind: str) -> str:
    """Say how a schedule is written of which only the kind is there, if there is such a kind."""
    if kind not in schedules.MODELS:
        return f"there is no kind '{kind}' of constraints{did_you_mean(kind, schedules.MODELS)}"
    return f"'constraints' needs more than a kind: write constraints: {schedules.MODELS[kind].example()}"


def _known_keys(loc: tuple[str | int, ...]) -> list[str]:
    """Return the legal keys of the model at a location."""
    models: dict[str, type[BaseModel]]
    models = {**_OWNERS, "clusterer": schema.ClustererEntry, **schedules.MODELS}
    names = [part for part in loc if isinstance(part, str)]
    model = models.get(names[-1]) if names else Experiment
    return list(model.model_fields) if model else []
