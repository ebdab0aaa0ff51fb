"""Whether every link inside the built site leads to a file and, behind a #, to a place in it.

python docs/check_links.py docs/_build/html
"""

from __future__ import annotations

import sys
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class _Page(HTMLParser):
    """The links of a page, and the places that links may lead to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: set[str] = set()
        self.places: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("href", "src") and value:
                self.links.add(value)
            elif name in ("id", "name") and value:
                self.places.add(value)


@cache
def _page(path: Path) -> _Page:
    return _Page(path.read_text(encoding="utf-8"))


def dead_links(site: Path) -> list[str]:
    """Return ``page: link`` for each link of the pages below `site` that leads nowhere.

    What the theme keeps in ``_static`` are no pages.
    """
    dead = []
    for page in sorted(path for path in site.rglob("*.html") if "_static" not in path.parts):
        for link in sorted(_page(page).links):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            path = page.parent / unquote(parts.path) if parts.path else page
            target = path / "index.html" if path.is_dir() else path
            fragment = unquote(parts.fragment)
            if not target.is_file() or (
                fragment and target.suffix == ".html" and fragment not in _page(target).places
            ):
                dead.append(f"{page.relative_to(site)}: {link}")
    return dead


if __name__ == "__main__":
    found = dead_links(Path(sys.argv[1]))
    print(*found, sep="\n", end="\n" if found else "")
    sys.exit(1 if found else 0)
