"""Compilation happens before the clock starts, once in a process, and leaves no trace."""

from cscluster import load_dataset
from cscluster.experiment.engine import compilation


class Model:
    fits = 0

    def fit(self, X, constraints):
        Model.fits += 1
        assert not X.flags.writeable
        assert len(constraints.must_links)
        assert len(constraints.cannot_links)
        raise RuntimeError("shows again in the trial")


def test_compiled_algorithms_are_fitted_once(monkeypatch):
    monkeypatch.setattr(compilation, "_compiled", set())
    monkeypatch.setattr(Model, "fits", 0)
    data = load_dataset("iris")
    for _ in range(3):
        compilation.compile_algorithm("pckmeans", Model, data)
    assert Model.fits == 1
    compilation.compile_algorithm("kmeans", Model, data)
    assert Model.fits == 1
