"""YAML as plain data, each piece with its line and column; no text harms who reads it.

Only strings, numbers, booleans, null, lists and mappings are made: no tag runs anything, no anchor
expands without end, no depth exhausts the stack, and no number is too long to be printed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import yaml

from cscluster.errors import ConfigError

Place = tuple[str | int, ...]

MAX_DEPTH = 50
_MAX_NODES = 100_000
_MAX_DIGITS = 100
_TAG = "tag:yaml.org,2002:"
_COLLECTIONS = {"map": yaml.MappingNode, "seq": yaml.SequenceNode}
_AS_WRITTEN = ("str", "timestamp", "value")
_COMPUTED = ("int", "float", "bool", "null")
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


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
        _check_depth(text, source)
        loader = _LOADER(text)
        root = loader.get_single_node()
        if root is not None:
            document.data = _Reader(loader, document).plain(root, (), ())
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = _at(source, mark) if mark else source
        line = text.split("\n")[mark.line] if mark and mark.line < text.count("\n") + 1 else ""
        if mark and "\t" in line[: mark.column + 1]:
            raise ConfigError(f"{where}: a tab; YAML is indented with spaces.") from None
        raise ConfigError(f"{where}: YAML syntax: {error.problem or error.context}") from None
    except (yaml.YAMLError, ValueError) as error:
        raise ConfigError(f"{source}: not YAML: {str(error).partition(chr(10))[0]}") from None
    return document


def _check_depth(text: str, source: str) -> None:
    """Refuse lists and mappings inside one another beyond `MAX_DEPTH`: composing them recurses."""
    depth = 0
    for event in yaml.parse(text, Loader=_LOADER):
        depth += isinstance(event, yaml.CollectionStartEvent)
        depth -= isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_DEPTH:
            raise ConfigError(f"{_at(source, event.start_mark)}: nested deeper than {MAX_DEPTH} levels.")


def _at(source: str, mark: Any) -> str:
    """Return the place of a mark, counted from one as editors do."""
    return f"{source}:{mark.line + 1}:{mark.column + 1}"


class _Reader:
    """Turns nodes into plain data and notes their places."""

    def __init__(self, loader: Any, document: Document) -> None:
        self._loader, self._document, self._count = loader, document, 0

    def plain(self, node: Any, place: Place, above: tuple[int, ...]) -> Any:
        self._count += 1
        if self._count > _MAX_NODES or id(node) in above:
            raise ConfigError(f"{self._at(node)}: too large: its anchors expand without end.")
        above = (*above, id(node))
        kind = node.tag.removeprefix(_TAG)
        if isinstance(node, _COLLECTIONS.get(kind, ())):
            return self._collection(node, place, above)
        if not isinstance(node, yaml.ScalarNode) or kind not in (*_AS_WRITTEN, *_COMPUTED):
            raise ConfigError(f"{self._at(node)}: the tag '{node.tag}' is not allowed; write plain values.")
        if re.search("[\ud800-\udfff]", node.value):
            raise ConfigError(f"{self._at(node)}: a string holds half a character (a lone surrogate).")
        return self._scalar(node, kind)

    def _collection(self, node: Any, place: Place, above: tuple[int, ...]) -> Any:
        if isinstance(node, yaml.SequenceNode):
            items = []
            for number, item in enumerate(node.value):
                self._document.places[(*place, number)] = self._at(item)
                items.append(self.plain(item, (*place, number), above))
            return items
        result: dict[str | int, Any] = {}
        for key_node, value_node in node.value:
            key = self.plain(key_node, place, above)
            if not isinstance(key, (str, int)):
                raise ConfigError(f"{self._at(key_node)}: a key must be a string.")
            if key in result:
                raise ConfigError(f"{self._at(key_node)}: duplicate key '{key}'.")
            self._document.places[(*place, key)] = self._at(key_node)
            result[key] = self.plain(value_node, (*place, key), above)
        return result

    def _scalar(self, node: Any, kind: str) -> Any:
        """Return a scalar; a range such as 10:50:10, to YAML a number to the base 60, is a string."""
        text = node.value
        if kind in ("int", "float") and ":" in text:
            return text
        if kind in _AS_WRITTEN:
            is_number = not node.style and re.fullmatch(r"[+-]?\d+(\.\d*)?[eE][+-]?\d+", text)
            return float(text) if is_number else text
        try:
            value = self._loader.construct_object(node)
        except (LookupError, ValueError):
            raise ConfigError(f"{self._at(node)}: '{text}' is not a valid {kind}.") from None
        if kind == "int" and abs(value) >= 10**_MAX_DIGITS:
            raise ConfigError(f"{self._at(node)}: an integer has more than {_MAX_DIGITS} digits.")
        return value

    def _at(self, node: Any) -> str:
        return _at(self._document.source, node.start_mark)
