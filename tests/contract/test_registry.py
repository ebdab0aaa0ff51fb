"""What every registered algorithm must do, whatever it is."""

import inspect
import sys
from dataclasses import replace

import pytest
from numba.core.dispatcher import Dispatcher

from cscluster.algorithms.registry import BUILT_IN
from cscluster.selection import auto
from cscluster.testing.contract import examine
from tests.contract.forms import FEWER, forms

ALL = pytest.mark.parametrize("algorithm", BUILT_IN, ids=lambda algorithm: algorithm.name)


_BALANCE = "splits are nearly even by definition, so a third of the samples is no cluster"
_WEAK = "partitions see one feature in twenty, here a single one, and constraints only weigh them"
_SCALES = "its shrinkage (not 0, as published) needs standardised features, its default preprocessing"
EXCEPTIONS = {  # the promises that are not kept, and why
    ("trace_ratio", "finds_clear_groups"): _SCALES,
    ("xiang", "finds_clear_groups"): _SCALES,
    ("iter_svm", "finds_clear_groups"): _BALANCE,
    ("iter_svr", "finds_clear_groups"): _BALANCE,
    ("iter_lssvm", "finds_clear_groups"): _BALANCE,
    ("scsc", "finds_clear_groups"): _WEAK,
    ("scsc", "takes_every_pair"): _WEAK,
    ("scsc", "does_not_depend_on_order"): _WEAK,
}


@ALL
def test_documentation(algorithm):
    text = inspect.getdoc(algorithm.load())
    for section in ("Parameters\n---", "References\n---"):
        assert section in text


@pytest.mark.parametrize("algorithm", forms())
def test_every_promise_is_kept(algorithm, monkeypatch):
    if algorithm.name == "auto":  # a choice between few, since each keeps its promises by itself
        monkeypatch.setattr(auto, "CANDIDATES", (auto.Candidate("rca", "pckmeans"),))
    expected = {check for name, check in EXCEPTIONS if name == algorithm.name}
    if algorithm.name in FEWER:
        algorithm = replace(algorithm, params={**algorithm.params, **FEWER[algorithm.name]})
    broken = {f.check.name: f.reason for f in examine(algorithm) if f.outcome == "failed"}
    assert set(broken) == expected, broken


def modules_behind(module, seen):
    """Return a module of the package and all modules of the package that it imports."""
    if module.__name__ not in seen:
        seen[module.__name__] = module
        for value in vars(module).values():
            name = getattr(value, "__module__", None) or getattr(value, "__name__", "")
            if isinstance(name, str) and name.startswith("cscluster.") and name in sys.modules:
                modules_behind(sys.modules[name], seen)
    return seen.values()


@ALL
def test_compiled_algorithms_say_so(algorithm):
    modules = modules_behind(sys.modules[algorithm.load().__module__], {})
    compiled = any(isinstance(value, Dispatcher) for module in modules for value in vars(module).values())
    assert compiled == ("compiled" in algorithm.tags)
