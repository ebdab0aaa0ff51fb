"""How loops are compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import njit


def compiled(**options: Any) -> Any:
    """Return the decorator of a function that numba compiles and keeps on disk; it has numba's options.

    It is compiled for calls from Python and from other such functions only: what C would need to call it
    takes a tenth of the time of compilation.  Where no directory can be written, it is compiled each time.
    """

    def decorate(function: Callable[..., Any]) -> Any:
        try:
            return njit(cache=True, no_cfunc_wrapper=True, **options)(function)
        except RuntimeError:  # numba finds no place for its files
            return njit(no_cfunc_wrapper=True, **options)(function)

    return decorate


def compiled_part(**options: Any) -> Any:
    """Return the decorator of a function that only other compiled functions may call.

    What Python would need to call it is not compiled either; tests call its ``py_func``.
    """
    return compiled(no_cpython_wrapper=True, **options)
