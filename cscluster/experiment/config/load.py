"""Reading an experiment file; every problem is reported at once, with its line and column."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ValidationError

from cscluster import bundle
from cscluster.errors import ConfigError, did_you_mean
from cscluster.experiment.config.schema import Experiment

Place = tuple[str | int, ...]
_MAX_NODES = 100_000


@dataclass
class _Document:
    """Plain data, and where each piece of it stands."""

    source: str
    data: Any
    places: dict[Place, str]

    def where(self, place: Place) -> str:
        """Return ``file:line:column`` of a place, or of the nearest place around it."""
        for length in range(len(place), 0, -1):
            if place[:length] in self.places:
                return self.places[place[:length]]
        return self.source


def find_config(name: str) -> Path:
    """Return the file of an experiment given by path or by the name of a bundled one.

    Raises
    ------
    ConfigError
        If there is none.
    """
    path = Path(name)
    if path.is_file():
        return path
    bundled = name.removeprefix("configs/").removesuffix(".yaml")
    if bundled in bundle.config_names():
        return bundle.folder("configs") / f"{bundled}.yaml"
    if path.is_dir():
        raise ConfigError(f"'{name}' is a folder, not an experiment file.")
    hint = did_you_mean(bundled, bundle.config_names()) or "; see: cscluster list configs"
    raise ConfigError(f"There is no experiment file '{name}'{hint}")


def load(name: str, settings: list[str] | None = None, sweep: list[str] | None = None) -> Experiment:
    """Read and check an experiment.

    Parameters
    ----------
    name : str
        Path of a YAML file, or name of a bundled experiment.
    settings : list of str, optional
        Changes as ``a.b=value``; list items are addressed by number or by their name.
    sweep : list of str, optional
        Additions to the block `sweep`, as ``algorithm.parameter=values`` or ``select=rule``.

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
    document = _read_yaml(text, source)
    for setting in settings or ():
        _set(document, setting)
    for grid in sweep or ():
        _vary(document, grid)
    try:
        return Experiment.model_validate(document.data, context={"folder": folder})
    except ValidationError as error:
        raise ConfigError("\n".join(_explain(document, error))) from None


def _read_yaml(text: str, source: str) -> _Document:
    """Parse YAML, keeping the place of each key and item."""
    document = _Document(source, None, {})
    try:
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(text)
        root = loader.get_single_node()
        if root is None:
            raise ConfigError(
                f"{source}: the file is empty; it needs at least name, datasets, constraints, algorithms."
            )
        document.data = _plain(loader, root, (), document, [0], ())
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"{source}:{mark.line + 1}:{mark.column + 1}" if mark else source
        raise ConfigError(f"{where}: YAML syntax: {error.problem or error.context}") from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        reason = str(error).splitlines()[0] if str(error) else "it is nested too deeply"
        raise ConfigError(f"{source}: not a YAML file: {reason}") from None
    if not isinstance(document.data, dict):
        raise ConfigError(f"{source}:1:1: the file must hold keys such as 'name:' and 'datasets:'.")
    return document


def _plain(
    loader: Any, node: Any, place: Place, document: _Document, count: list[int], above: tuple[int, ...]
) -> Any:
    """Turn a YAML node into plain data and note where its parts stand."""
    count[0] += 1
    if count[0] > _MAX_NODES or id(node) in above:
        raise ConfigError(f"{_at(document, node)}: too large: its anchors expand without end.")
    above = (*above, id(node))
    if not node.tag.startswith("tag:yaml.org,2002:") or "python" in node.tag:
        raise ConfigError(f"{_at(document, node)}: the tag '{node.tag}' is not allowed; write plain values.")
    if isinstance(node, yaml.MappingNode):
        result: dict[Any, Any] = {}
        for key_node, value_node in node.value:
            key = _plain(loader, key_node, place, document, count, above)
            if not isinstance(key, (str, int)):
                raise ConfigError(f"{_at(document, key_node)}: a key must be a word.")
            if key in result:
                raise ConfigError(f"{_at(document, key_node)}: the key '{key}' stands here twice.")
            document.places[(*place, key)] = _at(document, key_node)
            result[key] = _plain(loader, value_node, (*place, key), document, count, above)
        return result
    if isinstance(node, yaml.SequenceNode):
        items = []
        for number, item in enumerate(node.value):
            document.places[(*place, number)] = _at(document, item)
            items.append(_plain(loader, item, (*place, number), document, count, above))
        return items
    try:
        value = loader.construct_object(node)
    except (LookupError, ValueError):
        kind = node.tag.rpartition(":")[2]
        raise ConfigError(f"{_at(document, node)}: '{node.value}' is not a valid {kind}.") from None
    if isinstance(value, str) and re.search("[\ud800-\udfff]", value):
        raise ConfigError(f"{_at(document, node)}: a text holds half a character (a lone surrogate).")
    if isinstance(value, str) and re.fullmatch(r"[+-]?\d+(\.\d*)?[eE][+-]?\d+", value) and not node.style:
        return float(value)
    if isinstance(value, (int, float)) and ":" in node.value:
        return node.value  # a range such as 10:50:10, which YAML takes for a number to the base 60
    return value


def _at(document: _Document, node: Any) -> str:
    return f"{document.source}:{node.start_mark.line + 1}:{node.start_mark.column + 1}"


def _set(document: _Document, setting: str) -> None:
    """Carry out one ``a.b=value``."""
    path, equals, text = setting.partition("=")
    where = f"--set {setting}"
    if not equals or not path:
        raise ConfigError(f"{where}: write it as KEY=VALUE, for example --set trials=5.")
    value = _read_value(text, where)
    target: Any = document.data
    place: Place = ()
    keys = path.split(".")
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


def _vary(document: _Document, grid: str) -> None:
    """Carry out one ``algorithm.parameter=values`` or ``select=rule`` of a sweep."""
    key, equals, text = grid.partition("=")
    where = f"--select {text}" if key == "select" else f"--grid {grid}"
    if not equals:
        raise ConfigError(f"{where}: write it as ALGORITHM.PARAMETER=VALUES, for example pmmc.lam=0.1,1,10.")
    block = document.data.setdefault("sweep", {})
    if isinstance(block, dict):
        block[key] = text
        document.places[("sweep", key)] = where


def _read_value(text: str, where: str) -> Any:
    try:
        loader = yaml.SafeLoader(text)
        node = loader.get_single_node()
        return None if node is None else _plain(loader, node, (), _Document(where, None, {}), [0], ())
    except (yaml.YAMLError, ValueError) as error:
        raise ConfigError(f"{where}: the value is not YAML: {str(error).splitlines()[0]}") from None


def _step(target: Any, key: str, where: str) -> str | int:
    """Return the index that one part of a ``--set`` path means."""
    if isinstance(target, dict):
        return key
    if isinstance(target, list):
        if key.isdigit() and int(key) < len(target):
            return int(key)
        names = [item.get("label", item.get("name")) if isinstance(item, dict) else item for item in target]
        by_name = [item.get("name") if isinstance(item, dict) else item for item in target]
        for candidates in (names, by_name):
            if key in candidates:
                return candidates.index(key)
        hint = did_you_mean(key, [str(name) for name in by_name])
        raise ConfigError(f"{where}: there is no item '{key}'{hint}")
    raise ConfigError(f"{where}: '{key}' has no place to stand: what is there is a single value.")


def _explain(document: _Document, error: ValidationError) -> list[str]:
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
    return sorted(set(lines), key=_order)


def _order(line: str) -> tuple[int, int, str]:
    match = re.search(r":(\d+):(\d+): ", line)
    return (int(match[1]), int(match[2]), line) if match else (0, 0, line)


def _file_place(loc: tuple[str | int, ...], data: Any) -> Place:
    """Drop from pydantic's location the parts that do not stand in the file, such as union tags."""
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
        known = _known_keys(item["loc"][:-1])
        hint = did_you_mean(str(place[-1]), known) or (f"; known: {', '.join(known)}" if known else "")
        return f"unknown key '{place[-1]}'{hint}"
    if kind == "missing":
        return f"the key '{place[-1]}' is missing"
    if kind in ("union_tag_invalid", "union_tag_not_found"):
        kinds = context.get("expected_tags", "").replace("'", "")
        got = context.get("tag")
        from cscluster.constraints.schedules import KINDS

        hint = did_you_mean(str(got), KINDS) if got else ""
        return f"'{key}.kind' must be one of {kinds or ', '.join(KINDS)}" + (
            f", got '{got}'{hint}" if got else ""
        )
    if kind in ("name", "dataset"):
        text = str(context["text"])
        return text[0].lower() + text[1:]
    if kind == "path_type":
        return f"'{key}' must be the path of a file"
    message = item["msg"].removeprefix("Value error, ").removeprefix("Input should be ")
    if kind == "value_error":
        return f"'{key}': {message}"
    shown = "" if isinstance(item["input"], (dict, list)) else f", got {item['input']!r}"
    return f"'{key}' must be {message}{shown}"


def _known_keys(loc: tuple[str | int, ...]) -> list[str]:
    """Return the legal keys of the model at a location."""
    from cscluster.constraints import schedules
    from cscluster.experiment.config import schema

    models: dict[str, type[BaseModel]] = {
        "algorithms": schema.AlgorithmEntry,
        "clusterer": schema.ClustererEntry,
        "datasets": schema.DatasetEntry,
        "random_pairs": schedules.RandomPairs,
        "balanced_pairs": schedules.BalancedPairs,
        "tiers": schedules.Tiers,
        "folds": schedules.Folds,
        "active": schedules.Active,
        "file": schedules.File,
    }
    names = [part for part in loc if isinstance(part, str)]
    model = models.get(names[-1]) if names else Experiment
    return list(model.model_fields) if model else []
