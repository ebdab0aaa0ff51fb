"""What every registered algorithm must do, whatever it is."""

import inspect
import sys

import pytest
from numba.core.dispatcher import Dispatcher

from cscluster.algorithms.contract import CHECKS, BrokenError, ExemptError, Subject
from cscluster.algorithms.registry import BUILT_IN
from cscluster.data.preprocessing import STEPS

ALL = pytest.mark.parametrize("algorithm", BUILT_IN, ids=lambda algorithm: algorithm.name)


_BALANCE = "splits are nearly even by definition, so a third of the samples is no cluster"
EXCEPTIONS = {
    ("iter_svm", "finds_clear_groups"): _BALANCE,
    ("iter_svr", "finds_clear_groups"): _BALANCE,
    ("iter_lssvm", "finds_clear_groups"): _BALANCE,
}


@ALL
def test_table_and_constructor_agree(algorithm):
    signature = inspect.signature(algorithm.load())
    table = algorithm.parameters()
    assert list(table) == list(signature.parameters) or set(table) == set(signature.parameters)
    for name, default in algorithm.defaults().items():
        assert default is inspect.Parameter.empty or table[name].allows(default), name
        assert table[name].meaning


@ALL
def test_documentation(algorithm):
    text = inspect.getdoc(algorithm.load())
    for section in ("Parameters\n---", "References\n---"):
        assert section in text
    for name in inspect.signature(algorithm.load()).parameters:
        assert name in text, name
    assert all(step in STEPS for step in algorithm.preprocess)


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.name)
@ALL
def test_promise(algorithm, check):
    reason = EXCEPTIONS.get((algorithm.name, check.name))
    try:
        check.run(Subject(algorithm))
    except ExemptError as exempt:
        pytest.skip(str(exempt))
    except BrokenError:
        if reason is None:
            raise
    else:
        assert reason is None, "the exception is no longer needed"


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


def test_names_are_unique_and_public():
    import cscluster

    names = [algorithm.name for algorithm in BUILT_IN]
    assert len(set(names)) == len(names)
    for algorithm in BUILT_IN:
        assert getattr(cscluster, algorithm.target.partition(":")[2]) is algorithm.load()
