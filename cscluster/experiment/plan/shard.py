"""A share of a plan, for job arrays: ``2/8`` is the second of eight."""

from __future__ import annotations

import re

from cscluster.errors import ConfigError


def parse_shard(text: str) -> tuple[int, int]:
    """Return the number of a shard, counted from 1, and how many there are, from ``i/n``.

    Raises
    ------
    ConfigError
        If it is not written so, or i does not lie between 1 and n.
    """
    match = re.fullmatch(r"(\d{1,6})/(\d{1,6})", text)
    if match is None or not 1 <= int(match[1]) <= int(match[2]):
        raise ConfigError(f"A shard is its number and how many there are, such as 2/8, got '{text}'.")
    return int(match[1]), int(match[2])
