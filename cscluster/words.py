"""Small pieces of text: numbers as people write them, and pieces of sentences that messages share."""

from __future__ import annotations


def plural(count: int, noun: str) -> str:
    """Return a number with its noun: ``1 row``, ``2 rows``, ``1,000 rows``."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def integer(text: str) -> int | None:
    """Return the integer that up to 18 digits from 0 to 9 write; None for any other text."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 18 else None
