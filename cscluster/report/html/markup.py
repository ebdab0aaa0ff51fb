"""HTML from Python values: every text is escaped unless it is markup already."""

from __future__ import annotations

import html
from collections.abc import Iterable

_VOID = {"input", "meta", "br", "link", "img"}


class Markup(str):
    """A text that is HTML already."""

    __slots__ = ()


def escape(value: object) -> Markup:
    """Return a value as HTML; markup stays as it is."""
    return value if isinstance(value, Markup) else Markup(html.escape(str(value), quote=True))


def join(parts: Iterable[object]) -> Markup:
    """Return parts one after another."""
    return Markup("".join(escape(part) for part in parts))


def tag(name: str, /, *children: object, **attributes: object) -> Markup:
    """Return an element.

    Parameters
    ----------
    name : str
        Of the element.
    *children : object
        Its content: texts, which are escaped, and markup.
    **attributes : object
        ``class_`` is ``class`` and ``aria_label`` is ``aria-label``.  True gives an attribute without a
        value; None and False give none.

    Examples
    --------
    >>> tag("p", "a < b ", tag("b", "c"), class_="note")
    '<p class="note">a &lt; b <b>c</b></p>'
    """
    words = [name]
    for key, value in attributes.items():
        if value is None or value is False:
            continue
        attribute = key.rstrip("_").replace("_", "-")
        words.append(attribute if value is True else f'{attribute}="{escape(str(value))}"')
    start = f"<{' '.join(words)}>"
    return Markup(start if name in _VOID else f"{start}{join(children)}</{name}>")


def facts(rows: Iterable[tuple[str, object, bool]]) -> Markup:
    """Return names with their values; the third of a row tells whether that is bad."""
    items = [
        tag("div", tag("dt", name), tag("dd", value), class_="bad" if bad else None)
        for name, value, bad in rows
    ]
    return tag("dl", *items, class_="facts")


def text(value: object) -> Markup:
    """Return a text that came from a file, so that its direction of writing does not spread."""
    return tag("bdi", value)
