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
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from cscluster.errors import ParameterError, did_you_mean, ended


class ParameterRule(ABC):
    """One kind of legal value; `words` name it."""

    words = ""

    @abstractmethod
    def allows(self, value: Any) -> bool:
        """Tell whether `value` is legal."""

    def __str__(self) -> str:
        return self.words


@dataclass(frozen=True)
class Integer(ParameterRule):
    """Integers from `low` to `high`, both included."""

    low: float = -math.inf
    high: float = math.inf

    def allows(self, value: Any) -> bool:
        """Tell whether `value` is an integer in the range."""
        is_integer = isinstance(value, numbers.Integral) and not isinstance(value, bool)
        return is_integer and self.low <= int(value) <= self.high

    def __str__(self) -> str:
        if -math.inf < self.low and self.high < math.inf:
            return f"an integer from {self.low} to {self.high}"
        bounds = f" >= {self.low}" if self.low > -math.inf else f" <= {self.high}"
        return "an integer" + bounds.removesuffix(" <= inf")


@dataclass(frozen=True)
class Real(ParameterRule):
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
        outside = (self.open_low and number == self.low) or (self.open_high and number == self.high)
        return math.isfinite(number) and self.low <= number <= self.high and not outside

    def __str__(self) -> str:
        parts = []
        if self.low > -math.inf:
            parts.append(f"{'>' if self.open_low else '>='} {self.low:g}")
        if self.high < math.inf:
            parts.append(f"{'<' if self.open_high else '<='} {self.high:g}")
        return " ".join(["a number", " and ".join(parts)]).strip()


class Choice(ParameterRule):
    """One of a few words."""

    def __init__(self, *choices: str) -> None:
        self.choices, self.words = choices, " | ".join(f"'{choice}'" for choice in choices)

    def allows(self, value: Any) -> bool:
        """Tell whether `value` is one of the words."""
        return isinstance(value, str) and value in self.choices


class Boolean(ParameterRule):
    """True or false."""

    words = "true | false"

    def allows(self, value: Any) -> bool:
        """Tell whether `value` is true or false."""
        return isinstance(value, bool)


class Null(ParameterRule):
    """No value."""

    words = "null"

    def allows(self, value: Any) -> bool:
        """Tell whether `value` is None."""
        return value is None


class Array(ParameterRule):
    """Numbers in an array, for use from Python; `words` say which."""

    def __init__(self, words: str = "an array") -> None:
        self.words = words

    def allows(self, value: Any) -> bool:
        """Tell whether `value` looks like an array or a list."""
        return hasattr(value, "__array__") or isinstance(value, (list, tuple))


class Seed(ParameterRule):
    """A seed, or a generator of random numbers."""

    words = "int, RandomState, Generator or None"

    def allows(self, value: Any) -> bool:
        """Tell whether `value` is a seed or a generator of NumPy."""
        if value is None or Integer(0, 2**32 - 1).allows(value):
            return True
        return type(value).__name__ in ("RandomState", "Generator")


class Estimator(ParameterRule):
    """Another estimator, which this one is built around, and a method that it needs beside `fit`."""

    def __init__(self, method: str = "fit") -> None:
        other = "" if method == "fit" else f" and {method}()"
        self.method, self.words = method, f"an estimator with fit(X, constraints=...){other}"

    def allows(self, value: Any) -> bool:
        """Tell whether `value` is an object that has the method, and whose `fit` takes constraints."""
        if isinstance(value, type) or not (hasattr(value, "fit") and hasattr(value, self.method)):
            return False
        taken = inspect.signature(value.fit).parameters
        return "constraints" in taken or any(each.kind is each.VAR_KEYWORD for each in taken.values())


UNCHANGED: Any = dataclasses.MISSING
"""In the place of a published value: that of the default."""


class Parameter:
    """What a parameter means, which values are legal, and what the method's own publication takes.

    `published` is `UNCHANGED` where the default is the published value or the publication leaves it open.
    `why` says why the default is another one.
    """

    def __init__(
        self, meaning: str, *rules: ParameterRule, published: Any = UNCHANGED, why: str = ""
    ) -> None:
        self.meaning, self.rules, self.published, self.why = meaning, rules, published, why

    @property
    def legal(self) -> str:
        """The legal values in words."""
        return " or ".join(map(str, self.rules))

    def allows(self, value: Any) -> bool:
        """Tell whether some rule allows `value`."""
        return any(rule.allows(value) for rule in self.rules)


REQUIRED: Any = dataclasses.MISSING
"""In the place of a default: the parameter must be given."""


def parameter(
    default: Any, meaning: str = "", *rules: ParameterRule, published: Any = UNCHANGED, why: str = ""
) -> Any:
    """Declare a parameter in the body of an estimator's class.

    A subclass that wants another default repeats the name with a plain value, ``sigma: float = 0.5``, or,
    for another published value too, with ``parameter(0.5, published=1.0)``.

    Parameters
    ----------
    default : object
        Its default, or `REQUIRED`.
    meaning : str
        What it does, in words; that of the base class where it is empty.
    *rules : ParameterRule
        Its legal values: whatever one of them allows; those of the base class where there are none.
    published : object
        The value in the method's own publication, where it is not the default.
    why : str
        Why the default is another one.
    """
    declared = Parameter(meaning, *rules, published=published, why=why)
    return dataclasses.field(default=default, metadata={"parameter": declared})


def declare(cls: type[Any]) -> None:
    """Give a class what follows from its declared parameters: constructor, table and documentation.

    The constructor takes keywords only and does nothing but assign.  A class with a constructor of its own,
    or that inherits such a one, is left as it is.
    """
    constructor = next(base for base in cls.__mro__ if "__init__" in vars(base))
    if constructor is not object and "__dataclass_fields__" not in vars(constructor):
        return
    text = cls.__doc__
    dataclasses.dataclass(cls, repr=False, eq=False, match_args=False, kw_only=True)
    inherited: dict[str, Parameter] = {}
    for base in reversed(cls.__mro__[1:]):
        inherited |= vars(base).get("parameters", {})
    table = {}
    for field in dataclasses.fields(cls):
        table[field.name] = _declared(cls, field, inherited.get(field.name))
        if field.name in vars(cls):
            delattr(cls, field.name)  # the default is the constructor's; an instance always has its own value
    cls.parameters = table
    cls.__doc__ = text and _with_section(inspect.cleandoc(text), _section(cls))


def _declared(cls: type[Any], field: Any, inherited: Parameter | None) -> Parameter:
    """Return the declaration of a field, completed by that of a base class."""
    declared: Parameter | None = field.metadata.get("parameter", inherited)
    if declared is None or not (declared.rules or inherited):
        raise TypeError(f"'{field.name}' of {cls.__name__} must be declared by parameter(...).")
    if declared.rules or inherited is None:
        return declared
    return Parameter(inherited.meaning, *inherited.rules, published=declared.published, why=declared.why)


def published_values(table: Mapping[str, Parameter]) -> dict[str, Any]:
    """Return the published value of each parameter whose default is another one."""
    return {name: each.published for name, each in table.items() if each.published is not UNCHANGED}


def _section(cls: type[Any]) -> str:
    """Return the section "Parameters" of a class's documentation."""
    lines = ["Parameters", "----------"]
    for field in dataclasses.fields(cls):
        declared: Parameter = cls.parameters[field.name]
        default = "" if field.default is REQUIRED else f", default {field.default!r}"
        if declared.published is not UNCHANGED:
            default += f", published {declared.published!r}"
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
            raise ParameterError(ended(message))
