"""What a notebook's help shows: everything public says what it does and what it takes."""

import inspect

import pytest

from cscluster.constraints import files, links
from cscluster.data import load
from cscluster.experiment.engine import run
from cscluster.metrics import scores as metrics


def public(module):
    """Yield name and object of the functions, classes and methods that a module defines for others."""
    for name, thing in vars(module).items():
        if name.startswith("_") or getattr(thing, "__module__", None) != module.__name__:
            continue
        if inspect.isclass(thing):
            yield f"{module.__name__}.{name}", thing
            for member in vars(thing):
                method = getattr(thing, member, None)
                if not member.startswith("_") and (inspect.isfunction(method) or inspect.ismethod(method)):
                    yield f"{module.__name__}.{name}.{member}", method
        elif inspect.isfunction(thing):
            yield f"{module.__name__}.{name}", thing


PUBLIC = dict(pair for module in (links, files, metrics, load, run) for pair in public(module))


@pytest.mark.parametrize("thing", PUBLIC.values(), ids=PUBLIC)
def test_what_is_public_is_documented(thing):
    text = inspect.getdoc(thing) or ""
    assert text.splitlines()[0].endswith("."), "the first line is a sentence"
    taken = [name for name in inspect.signature(thing).parameters if name != "self"]
    heading = "Attributes" if hasattr(thing, "__dataclass_fields__") else "Parameters"
    if taken:
        assert f"{heading}\n----------\n" in text
        section = text.partition(f"{heading}\n----------\n")[2].partition("\n---")[0]
        missing = [name for name in taken if name not in section.replace(",", " ").split()]
        assert not missing, f"not described: {missing}"


def test_the_list_holds_what_people_use():
    assert {"links.Constraints", "links.Constraints.violated", "files.read_constraints"} <= {
        name.removeprefix("cscluster.constraints.") for name in PUBLIC
    }
    assert {
        "cscluster.metrics.scores.score",
        "cscluster.data.load.load_dataset",
        "cscluster.experiment.engine.run.run",
    } <= set(PUBLIC)
