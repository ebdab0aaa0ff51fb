"""Every error that cscluster raises on purpose.

Each carries one sentence for the person at the keyboard: what is wrong, where, and what would be
right.  The command line prints that sentence and exits with code 2; anything else is a bug.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class CsclusterError(Exception):
    """Base class of all errors a user can cause."""


class ConfigError(CsclusterError):
    """An experiment file is wrong; the message lists every problem found."""


class DataError(CsclusterError, ValueError):
    """A data set cannot be read or cannot be clustered."""


class ConstraintError(CsclusterError, ValueError):
    """Links that cannot be used: out of range, contradictory or too many."""


class ParameterError(CsclusterError, ValueError):
    """A parameter of an estimator lies outside its legal values."""


class InfeasibleError(CsclusterError):
    """Hard constraints that the algorithm found no partition for."""


class StoreError(CsclusterError):
    """A result folder is damaged, locked, full or belongs to another experiment."""


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return ``"; did you mean 'x'?"`` for the closest known name, or an empty string."""
    spelled = {candidate.lower(): candidate for candidate in known}
    close = difflib.get_close_matches(name.lower(), spelled, n=1, cutoff=0.6)
    return f"; did you mean '{spelled[close[0]]}'?" if close else ""
