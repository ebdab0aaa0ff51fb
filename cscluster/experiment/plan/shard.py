"""A share of a plan, for job arrays: ``2/8`` is the second of eight."""

from __future__ import annotations

import re
from dataclasses import dataclass

from cscluster.errors import ConfigError


@dataclass(frozen=True)
class Shard:
    """Number `number` of `count` shards, counted from 1."""

    number: int
    count: int

    @classmethod
    def parse(cls, text: str) -> Shard:
        """Read ``i/n``.

        Raises
        ------
        ConfigError
            If it is not written so, or i does not lie between 1 and n.
        """
        match = re.fullmatch(r"(\d{1,6})/(\d{1,6})", text)
        if match is None or not 1 <= int(match[1]) <= int(match[2]):
            raise ConfigError(f"A shard is its number and how many there are, such as 2/8, got '{text}'.")
        return cls(int(match[1]), int(match[2]))

    def __str__(self) -> str:
        return f"{self.number}/{self.count}"

    @property
    def suffix(self) -> str:
        """What the name of the shard's result directory ends with."""
        return f".shard-{self.number}-of-{self.count}"
