"""The parameters of an estimator, each declared once and read by everyone.

A class declares a parameter as a field of its body:

    shrinkage: float = parameter(0.2, "weight of the prior", Real(0))

The constructor, validation in `fit` and in `cscluster validate`, the output of `cscluster show`, the section
"Parameters" of the class's documentation and the contract tests follow from that line.
"""

from __future__ import annotations

import dataclasses
import inspect
import math
import numbers
import re
import textwrap
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
    """Integers from `low` to `high`, both included."""

    low: int | None = None
    high: int | None = None

    def allows(self, value: Any) -> bool:
        """Tell whether `value` is an integer in the range."""
        if isinstance(value, bool) or not isinstance(value, numbers.Integral):
            return False
        number = int(value)
        return (self.low is None or number >= self.low) and (self.high is None or number <= self.high)

    def __str__(self) -> str:
        if self.low is not None and self.high is not None:
            return f"an integer from {self.low} to {self.high}"
        bounds = ((">=", self.low), ("<=", self.high))
        return "an integer" + "".join(f" {sign} {end}" for sign, end in bounds if end is not None)


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


class Choice:
    """One of a few words."""

    def __init__(self, *words: str) -> None:
        self.words = words

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


class Parameter:
    """What a parameter means and which values are legal."""

    def __init__(self, meaning: str, *rules: Rule) -> None:
        self.meaning, self.rules = meaning, rules

    @property
    def legal(self) -> str:
        """The legal values in words."""
        return " or ".join(map(str, self.rules))

    def allows(self, value: Any) -> bool:
        """Tell whether some rule allows `value`."""
        return any(rule.allows(value) for rule in self.rules)


REQUIRED: Any = dataclasses.MISSING
"""In the place of a default: the parameter must be given."""


def parameter(default: Any, meaning: str, *rules: Rule) -> Any:
    """Declare a parameter in the body of an estimator's class.

    A subclass that wants another default repeats the name with a plain value: ``sigma: float = 0.5``.

    Parameters
    ----------
    default : object
        Its default, or `REQUIRED`.
    meaning : str
        What it does, in words.
    *rules : Rule
        Its legal values: whatever one of them allows.
    """
    return dataclasses.field(default=default, metadata={"parameter": Parameter(meaning, *rules)})


def declare(cls: type[Any]) -> None:
    """Give a class what follows from its declared parameters: constructor, table and documentation.

    The constructor takes keywords only and does nothing but assign.  A class with a constructor of its own,
    or that inherits such a one, is left as it is.
    """
    constructor = next(base for base in cls.__mro__ if "__init__" in vars(base))
    if constructor is not object and "__dataclass_fields__" not in vars(constructor):
        return
    text = cls.__doc__
    for name in vars(cls).get("__annotations__", {}):
        if name.endswith("_"):
            raise TypeError(f"'{name}' of {cls.__name__} is set by fit: annotate it there, not in the class.")
    dataclasses.dataclass(cls, repr=False, eq=False, match_args=False, kw_only=True)
    inherited: dict[str, Parameter] = {}
    for base in reversed(cls.__mro__[1:]):
        inherited |= vars(base).get("parameters", {})
    table = {}
    for field in dataclasses.fields(cls):
        declared = field.metadata.get("parameter", inherited.get(field.name))
        if declared is None:
            raise TypeError(f"'{field.name}' of {cls.__name__} must be declared by parameter(...).")
        table[field.name] = declared
        if field.name in vars(cls):
            delattr(cls, field.name)  # the default is the constructor's; an instance always has its own value
    cls.parameters = table
    cls.__doc__ = text and _with_section(inspect.cleandoc(text), _section(cls))


def _section(cls: type[Any]) -> str:
    """Return the section "Parameters" of a class's documentation."""
    lines = ["Parameters", "----------"]
    for field in dataclasses.fields(cls):
        declared: Parameter = cls.parameters[field.name]
        default = "" if field.default is REQUIRED else f", default {field.default!r}"
        lines.append(f"{field.name} : {declared.legal}{default}")
        lines += textwrap.wrap(
            declared.meaning, 100, initial_indent=" " * 4, subsequent_indent=" " * 4, break_on_hyphens=False
        )
    return "\n".join(lines)


def _with_section(text: str, section: str) -> str:
    """Put a section before the first one of a documentation text."""
    heading = re.search(r"^.+\n---+$", text, re.MULTILINE)
    start = heading.start() if heading else len(text) + 1
    return f"{text[:start].rstrip()}\n\n{section}\n\n{text[start:]}".rstrip()


def problem(owner: str, table: Mapping[str, Parameter], name: str, value: Any) -> str | None:
    """Return what is wrong with one parameter value, or None if it is legal."""
    if name not in table:
        return f"{owner} has no parameter '{name}'{did_you_mean(name, sorted(table))}"
    if not table[name].allows(value):
        return f"'{name}' of {owner} must be {table[name].legal}, got {value!r}"
    return None


def check(owner: str, table: Mapping[str, Parameter], values: Mapping[str, Any]) -> None:
    """Raise a ParameterError for the first illegal value."""
    for name, value in values.items():
        message = problem(owner, table, name, value)
        if message:
            raise ParameterError(message if message.endswith("?") else f"{message}.")
