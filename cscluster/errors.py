"""Every error that cscluster raises on purpose.

Each carries one sentence for the person at the keyboard: what is wrong, where, and what would be
right.  The command line prints that sentence and exits with code 2; anything else is a bug.
"""

from __future__ import annotations

import difflib
import os
import re
import sys
import traceback
import warnings
from collections.abc import Collection, Iterable, Sequence

from cscluster.words import printable

_LONGEST = 1000
_NAMED, _PAIRS = 15, 6


class CsclusterError(Exception):
    """Base class of all errors a user can cause.

    Its text is fit for a terminal, whatever a damaged file brought into it: without control
    characters, empty lines or lines without end.
    """

    def __str__(self) -> str:
        return _legible(super().__str__())


class ConfigError(CsclusterError):
    """An experiment file is wrong; the message lists every problem found."""


class DataError(CsclusterError, ValueError):
    """A data set cannot be read or cannot be clustered."""


class ConstraintError(CsclusterError, ValueError):
    """Constraints that cannot be used: out of range, contradictory or too many."""


class ContradictionError(ConstraintError):
    """Must-links put together what cannot-links keep apart."""


class ParameterError(CsclusterError, ValueError):
    """A parameter of an estimator lies outside its legal values."""


class InfeasibleError(CsclusterError):
    """Hard constraints that the algorithm found no partition for.

    Parameters
    ----------
    text : str
        What is wrong.
    pairs : sequence of tuple of int
        The links at fault, which the sentence then ends with.
    """

    def __init__(self, text: str, pairs: Sequence[Sequence[int]] = ()) -> None:
        super().__init__(text, pairs)

    def __str__(self) -> str:
        return self.named(())

    def named(self, ids: Sequence[str]) -> str:
        """Return the sentence with the names of the samples in place of their indices, if they have any."""
        text, pairs = self.args
        if not len(pairs):
            return _legible(text)
        links = ", ".join("-".join(str(ids[i] if ids else i) for i in pair) for pair in pairs[:_PAIRS])
        more = f" and {len(pairs) - _PAIRS} more" if len(pairs) > _PAIRS else ""
        return _legible(f"{text} {links}{more}.")


class SolverError(CsclusterError):
    """An optimisation that did not end in the time it was given."""


class StoreError(CsclusterError):
    """A result directory is damaged, locked, full or belongs to another experiment."""


class WorkerError(CsclusterError):
    """The processes that run trials cannot be started."""


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn of what the user's own line brings about, however many calls of the package lie between."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and _is_inside(frame.f_globals.get("__name__", "")):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


def _is_inside(module: str) -> bool:
    return module.partition(".")[0] in ("cscluster", "sklearn", "joblib")


def message(error: BaseException) -> str:
    """Return what an exception says, even if asking for that fails too."""
    try:
        return str(error)
    except BaseException as second:
        return f"its message cannot be read: {type(second).__name__}"


def raised_at(error: BaseException) -> str:
    """Return file and line of a user's own code that raised an error; else of the innermost code.

    Errors that are raised on purpose have no place: their sentence says enough.
    """
    if isinstance(error, CsclusterError):
        return ""
    frames = traceback.extract_tb(error.__traceback__)
    if not frames:
        return ""
    frame = ([frame for frame in frames if not _is_library(frame.filename)] or frames)[-1]
    return f"{frame.filename}:{frame.lineno}, in {frame.name}"


def _is_library(file: str) -> bool:
    ours, standard = os.path.dirname(__file__), os.path.dirname(os.__file__)
    return "site-packages" in file or file.startswith((f"{ours}{os.sep}", f"{standard}{os.sep}", "<"))


def traceback_of(error: BaseException) -> str:
    """Return the lines of code that led to an error, the innermost last."""
    return "".join(traceback.format_tb(error.__traceback__))


def reason(error: BaseException) -> str:
    """Return the first line of another library's message, without the insides that some show."""
    line = str(error).strip().partition("\n")[0]
    return re.sub(r"[:,]? ?<[^<>]* at 0x[0-9a-f]+>", "", line) or type(error).__name__


def _legible(text: str) -> str:
    return "\n".join(_shortened(line) for line in printable(text).split("\n") if line.strip())


def _shortened(line: str) -> str:
    half = _LONGEST // 2
    return line if len(line) <= _LONGEST else f"{line[:half]} ... {line[-half:]}"


def require_known(what: str, name: str, known: Collection[str]) -> None:
    """Raise a ConfigError for a name that is not among the known ones; it names the closest."""
    if name not in known:
        raise ConfigError(f"There is no {what} '{name}'{did_you_mean(name, known)}")


def ended(sentence: str) -> str:
    """Return a sentence with a full stop, unless it has its end or ends with what can be pasted."""
    return sentence if sentence.endswith((".", "?", "]", "}")) else f"{sentence}."


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return how a sentence about an unknown name ends: the closest known name, or a few that there are.

    Examples
    --------
    >>> did_you_mean("nmj", ["acc", "nmi"])
    ". Did you mean 'nmi'?"
    >>> did_you_mean("zzz", ["acc", "nmi"])
    '. There are acc, nmi.'
    """
    names = list(known)
    spelled = {candidate.lower(): candidate for candidate in names}
    if close := difflib.get_close_matches(name.lower(), spelled, n=1):
        return f". Did you mean '{spelled[close[0]]}'?"
    if not names or len(names) > _NAMED:
        return "."
    return f". There {'is' if len(names) == 1 else 'are'} {', '.join(names)}."
