"""YAML as plain data, each piece with its line and column."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, NoReturn

import yaml

from cscluster.errors import ConfigError

Place = tuple[str | int, ...]

_MOST_PIECES = 100_000
_TAG = "tag:yaml.org,2002:"
_INTEGER = r"[-+]?(0|[1-9][0-9_]{0,99}|0x[0-9a-fA-F_]{1,99}|0b[01_]{1,99})"
_FLOAT = (
    r"[-+]?([0-9][0-9_]*(\.[0-9_]*)?([eE][-+]?[0-9]+)?|\.[0-9]+([eE][-+]?[0-9]+)?|\.(inf|Inf|INF))"
    r"|\.(nan|NaN|NAN)"
)


class _Loader(yaml.SafeLoader):
    """Reads 1e-3 as a number, and dates and ranges such as 10:50:10 as strings; refuses tags."""

    def fetch_tag(self) -> NoReturn:
        raise yaml.MarkedYAMLError(
            problem="a tag is not allowed. Write plain values", problem_mark=self.get_mark()
        )


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

    def at(self, mark: Any) -> str:
        """Return a mark as ``file:line:column``, counted from one as editors do."""
        return f"{self.source}:{mark.line + 1}:{mark.column + 1}"


def read(text: str, source: str) -> Document:
    """Return the content of a YAML text; that of an empty one is None.

    Raises
    ------
    ConfigError
        If it is not YAML, or holds more than plain data; the place is named.
    """
    document = Document(source)
    try:
        loader = _Loader(text)
        root = loader.get_single_node()
        if root is not None:
            _note(document, root, ())
            document.data = loader.construct_document(root)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise ConfigError(f"{document.at(mark)}: YAML: {error.problem or error.context}.") from None
    except RecursionError:
        raise ConfigError(f"{source}: nested too deeply, or its anchors expand without end.") from None
    except (yaml.YAMLError, ValueError) as error:
        raise ConfigError(f"{source}: not YAML: {str(error).partition(chr(10))[0]}.") from None
    return document


def _note(document: Document, node: Any, place: Place) -> None:
    """Note where the pieces below a node stand; a mapping has each key once."""
    for step, key, value in _pieces(node):
        document.places[(*place, step)] = document.at(key.start_mark)
        if len(document.places) > _MOST_PIECES:
            raise RecursionError
        _note(document, value, (*place, step))


def _pieces(node: Any) -> list[tuple[str | int, Any, Any]]:
    """Return the pieces of a node: key or index, the node that marks its place, and its value."""
    if isinstance(node, yaml.SequenceNode):
        return [(number, item, item) for number, item in enumerate(node.value)]
    if not isinstance(node, yaml.MappingNode):
        return []
    seen = set()
    for key, _ in node.value:
        if not isinstance(key, yaml.ScalarNode) or key.value in seen:
            problem = f"duplicate key '{key.value}'" if key.id == "scalar" else "a key must be a string"
            raise yaml.MarkedYAMLError(problem=problem, problem_mark=key.start_mark)
        seen.add(key.value)
    return [(key.value, key, value) for key, value in node.value]
