"""YAML as plain data, each piece with its line and column."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import yaml

from cscluster.errors import ConfigError

Place = tuple[str | int, ...]

MAX_DEPTH = 50
_MAX_NODES = 100_000
_MAX_DIGITS = 100
_TAG = "tag:yaml.org,2002:"
_INTEGER = r"[-+]?(0|[1-9][0-9_]*|0x[0-9a-fA-F_]+|0b[01_]+)"
_FLOAT = (
    r"[-+]?([0-9][0-9_]*(\.[0-9_]*)?([eE][-+]?[0-9]+)?|\.[0-9]+([eE][-+]?[0-9]+)?|\.(inf|Inf|INF))"
    r"|\.(nan|NaN|NAN)"
)


_LONG_NUMBER = re.compile(
    rf"[-+]?(0x[0-9a-fA-F_]{{{_MAX_DIGITS}}}|0b[01_]{{{_MAX_DIGITS}}}|[0-9_.]{{{_MAX_DIGITS}}})."
)


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """Reads 1e-3 as a number, and dates and ranges such as 10:50:10 as strings."""


_Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in pairs if tag in (f"{_TAG}bool", f"{_TAG}null")]
    for first, pairs in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
for _kind, _pattern in (("int", _INTEGER), ("float", _FLOAT)):
    _Loader.add_implicit_resolver(f"{_TAG}{_kind}", re.compile(f"^({_pattern})$"), list("-+.0123456789"))


@dataclass
class Document:
    """Plain data, and the line and column of each piece of it."""

    source: str
    data: Any = None
    places: dict[Place, str] = field(default_factory=dict)

    def where(self, place: Place) -> str:
        """Return ``file:line:column`` of a place, or of the nearest place around it."""
        for length in range(len(place), 0, -1):
            if place[:length] in self.places:
                return self.places[place[:length]]
        return self.source


def read(text: str, source: str) -> Document:
    """Return the content of a YAML text; that of an empty one is None.

    Raises
    ------
    ConfigError
        If it is not YAML, or holds more than plain data; the place is named.
    """
    document = Document(source)
    try:
        _check_events(text, source)
        loader = _Loader(text)
        root = loader.get_single_node()
        if root is not None:
            for place, node in _nodes(root, (), source):
                document.places[place] = _at(source, node)
                if len(document.places) > _MAX_NODES:
                    raise RecursionError
            document.data = loader.construct_document(root)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"{source}:{mark.line + 1}:{mark.column + 1}" if mark else source
        lines = text.split("\n")
        if mark and mark.line < len(lines) and "\t" in lines[mark.line][: mark.column + 1]:
            raise ConfigError(f"{where}: a tab; YAML is indented with spaces.") from None
        raise ConfigError(f"{where}: YAML syntax: {error.problem or error.context}") from None
    except RecursionError:
        raise ConfigError(f"{source}: too large: its anchors expand without end.") from None
    except (yaml.YAMLError, ValueError) as error:
        raise ConfigError(f"{source}: not YAML: {str(error).partition(chr(10))[0]}") from None
    return document


def _check_events(text: str, source: str) -> None:
    """Refuse tags, and what is nested beyond `MAX_DEPTH`: the compiled reader would crash."""
    depth = 0
    for event in yaml.parse(text, Loader=_Loader):
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_DEPTH:
            raise ConfigError(f"{_at(source, event)}: nested deeper than {MAX_DEPTH} levels.")
        tag = getattr(event, "tag", None)
        if tag:
            raise ConfigError(f"{_at(source, event)}: the tag '{tag}' is not allowed; write plain values.")
        if isinstance(event, yaml.ScalarEvent) and _LONG_NUMBER.match(event.value):
            raise ConfigError(f"{_at(source, event)}: a number has more than {_MAX_DIGITS} digits.")


def _nodes(node: Any, place: Place, source: str) -> Iterator[tuple[Place, Any]]:
    """Yield the place of each item and key below a node, with the node that stands there."""
    if isinstance(node, yaml.SequenceNode):
        for number, item in enumerate(node.value):
            yield (*place, number), item
            yield from _nodes(item, (*place, number), source)
    elif isinstance(node, yaml.MappingNode):
        keys = set()
        for key_node, value_node in node.value:
            key = key_node.value
            if not isinstance(key_node, yaml.ScalarNode):
                raise ConfigError(f"{_at(source, key_node)}: a key must be a string.")
            if key in keys:
                raise ConfigError(f"{_at(source, key_node)}: duplicate key '{key}'.")
            keys.add(key)
            yield (*place, key), key_node
            yield from _nodes(value_node, (*place, key), source)


def _at(source: str, piece: Any) -> str:
    """Return where a node or an event begins, counted from one as editors do."""
    return f"{source}:{piece.start_mark.line + 1}:{piece.start_mark.column + 1}"
