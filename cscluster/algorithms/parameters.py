"""Legal values of an estimator's parameters, stated once and read by everyone.

The table in each class drives validation in `fit` and in `cscluster validate`, the output of
`cscluster show`, and the contract tests.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from cscluster.errors import ParameterError, did_you_mean


class Rule(Protocol):
    """One kind of legal value."""

    def allows(self, value: Any) -> bool:
        """Tell whether `value` is legal."""

    def __str__(self) -> str: ...


@dataclass(frozen=True)
class Integer:
    """Whole numbers from `low` to `high`, both included."""

    low: int | None = None
    high: int | None = None

    def allows(self, value: Any) -> bool:
        """Tell whether `value` is a whole number in the range."""
        if isinstance(value, bool) or not isinstance(value, numbers.Integral):
            return False
        number = int(value)
        return (self.low is None or number >= self.low) and (self.high is None or number <= self.high)

    def __str__(self) -> str:
        if self.low is not None and self.high is not None:
            return f"a whole number from {self.low} to {self.high}"
        bounds = ((">=", self.low), ("<=", self.high))
        return "a whole number" + "".join(f" {sign} {end}" for sign, end in bounds if end is not None)


@dataclass(frozen=True)
class Real:
    """Finite numbers above `low` and up to `high`; `open_low`, `open_high` exclude the ends."""

    low: float = -math.inf
    high: float = math.inf
    open_low: bool = False
    open_high: bool = False

    def allows(self, value: Any) -> bool:
        """Tell whether `value` is a finite number in the range."""
        if isinstance(value, bool) or not isinstance(value, numbers.Real):
            return False
        try:
            number = float(value)
        except OverflowError:
            return False
        if not math.isfinite(number):
            return False
        above = number > self.low if self.open_low else number >= self.low
        below = number < self.high if self.open_high else number <= self.high
        return above and below

    def __str__(self) -> str:
        parts = []
        if self.low > -math.inf:
            parts.append(f"{'>' if self.open_low else '>='} {self.low:g}")
        if self.high < math.inf:
            parts.append(f"{'<' if self.open_high else '<='} {self.high:g}")
        return " ".join(["a number", " and ".join(parts)]).strip()


@dataclass(frozen=True, init=False)
class Choice:
    """One of a few words."""

    words: tuple[str, ...]

    def __init__(self, *words: str) -> None:
        object.__setattr__(self, "words", words)

    def allows(self, value: Any) -> bool:
        """Tell whether `value` is one of the words."""
        return isinstance(value, str) and value in self.words

    def __str__(self) -> str:
        return " | ".join(f"'{word}'" for word in self.words)


@dataclass(frozen=True)
class Boolean:
    """True or false."""

    def allows(self, value: Any) -> bool:
        """Tell whether `value` is true or false."""
        return isinstance(value, bool)

    def __str__(self) -> str:
        return "true | false"


@dataclass(frozen=True)
class Null:
    """No value."""

    def allows(self, value: Any) -> bool:
        """Tell whether `value` is None."""
        return value is None

    def __str__(self) -> str:
        return "null"


@dataclass(frozen=True)
class Array:
    """Numbers in an array, for use from Python; `meaning` says which."""

    meaning: str = "an array"

    def allows(self, value: Any) -> bool:
        """Tell whether `value` looks like an array or a list."""
        return hasattr(value, "__array__") or isinstance(value, (list, tuple))

    def __str__(self) -> str:
        return self.meaning


@dataclass(frozen=True)
class Estimator:
    """Another estimator, which this one is built around."""

    method: str = "fit"

    def allows(self, value: Any) -> bool:
        """Tell whether `value` has the method that is needed."""
        return hasattr(value, self.method)

    def __str__(self) -> str:
        return f"an estimator with {self.method}()"


@dataclass(frozen=True, init=False)
class Parameter:
    """What a parameter means and which values are legal."""

    meaning: str
    rules: tuple[Rule, ...]

    def __init__(self, meaning: str, *rules: Rule) -> None:
        object.__setattr__(self, "meaning", meaning)
        object.__setattr__(self, "rules", rules)

    @property
    def legal(self) -> str:
        """The legal values in words."""
        return " or ".join(map(str, self.rules))

    def allows(self, value: Any) -> bool:
        """Tell whether some rule allows `value`."""
        return any(rule.allows(value) for rule in self.rules)


RANDOM_STATE = Parameter("seed of the random choices", Integer(0, 2**32 - 1), Null())
N_CLUSTERS = Parameter("number of clusters", Integer(1))


def problem(owner: str, table: Mapping[str, Parameter], name: str, value: Any) -> str | None:
    """Return what is wrong with one parameter value, or None if it is legal."""
    if name not in table:
        known = ", ".join(sorted(table))
        return f"{owner} has no parameter '{name}'{did_you_mean(name, table) or f' (it has {known})'}"
    if not table[name].allows(value):
        return f"'{name}' of {owner} must be {table[name].legal}, got {value!r}"
    return None


def check(owner: str, table: Mapping[str, Parameter], values: Mapping[str, Any]) -> None:
    """Raise a ParameterError for the first illegal value."""
    for name, value in values.items():
        message = problem(owner, table, name, value)
        if message:
            raise ParameterError(message + ".")
