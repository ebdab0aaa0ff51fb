import importlib.metadata
import inspect
import pickle
import sys

import pytest

import cscluster
from cscluster.algorithms import registry
from cscluster.algorithms.base import Clusterer, MetricLearner
from cscluster.algorithms.parameters import published_values
from cscluster.cli.listing import listing
from cscluster.cli.options import ListOptions
from cscluster.data.preprocessing import STEPS
from cscluster.errors import ParameterError

TAGS = {
    "constraints",
    "inductive",
    "sequential",
    "kernel",
    "sparse",
    "binary",
    "compiled",
    "noise",
    "distances",
}
FAMILIES = {
    "partition",
    "margin",
    "metric",
    "spectral",
    "hierarchy",
    "density",
    "mixture",
    "ensemble",
    "selection",
}
OURS = ("landmark_ensemble", "auto")
"""Not published."""
each = pytest.mark.parametrize("algorithm", registry.BUILT_IN, ids=lambda algorithm: algorithm.name)


def test_names_and_titles_are_unique():
    for field in ("name", "title"):
        values = [getattr(algorithm, field) for algorithm in registry.BUILT_IN]
        assert len(set(values)) == len(values)


@each
def test_entry_is_consistent_with_its_class(algorithm):
    loaded = algorithm.load()
    assert issubclass(loaded, MetricLearner if algorithm.is_metric else Clusterer)
    home = "cscluster" if algorithm.family == "selection" else "cscluster.algorithms"
    assert loaded.__module__.startswith(f"{home}.{algorithm.family}.")
    assert algorithm.family in FAMILIES
    assert set(algorithm.tags) <= TAGS
    assert bool(algorithm.paper) == (algorithm.name not in OURS)
    assert set(algorithm.preprocess) <= set(STEPS)
    assert ("sparse" in algorithm.tags) == loaded.accepts_sparse
    metric = loaded.parameters.get("metric")
    assert ("distances" in algorithm.tags) == (metric is not None and metric.allows("precomputed"))
    assert ("noise" in algorithm.tags) == ("n_clusters" not in loaded.parameters and not algorithm.is_metric)
    if not algorithm.is_metric:
        assert ("inductive" in algorithm.tags) == hasattr(loaded, "predict")
        assert ("sequential" in algorithm.tags) == hasattr(loaded, "partial_fit")


@each
def test_published_values_are_legal_and_differ_from_the_defaults(algorithm):
    table, defaults = algorithm.parameters(), algorithm.defaults()
    published = published_values(table)
    assert set(published) <= set(defaults)
    for name, value in published.items():
        assert table[name].allows(value), name
        assert value != inspect.signature(algorithm.load()).parameters[name].default, name
        assert table[name].why, f"{name}: why is the default another one?"
    built = algorithm.load().published(**algorithm.params)
    assert {
        name: getattr(built, name) for name in published | algorithm.params
    } == published | algorithm.params


def test_one_name_per_method():
    assert 35 <= len(registry.BUILT_IN) <= 45
    assert not [name for name in registry.algorithms() if name.endswith("_printed")]


def test_names_of_printed_forms_stand_for_published_ones():
    with pytest.warns(FutureWarning, match="'pmmc_printed'.*'pmmc'.*'preset: published'"):
        published = registry.find("pmmc_printed")
    default = registry.find("pmmc")
    assert (published.name, published.title) == ("pmmc", "PMMC (published)")
    assert published.load() is default.load()
    assert published.defaults() == default.defaults() | default.published() != default.defaults()
    with pytest.raises(ParameterError, match="algorithm 'nothing_printed'"):
        registry.find("nothing_printed")


@each
def test_parameter_table_is_complete_and_allows_the_defaults(algorithm):
    signature = inspect.signature(algorithm.load())
    assert set(algorithm.parameters()) == set(signature.parameters)
    assert set(algorithm.params) <= set(signature.parameters)
    for name, value in algorithm.defaults().items():
        assert algorithm.parameters()[name].allows(value), name
        assert algorithm.parameters()[name].meaning


@each
def test_every_estimator_is_a_public_name(algorithm):
    name = algorithm.target.rpartition(":")[2]
    assert getattr(cscluster, name) is algorithm.load()
    assert name in dir(cscluster)


def test_public_names():
    assert set(cscluster.__all__) <= set(dir(cscluster))
    for name in cscluster.__all__:
        assert getattr(cscluster, name) is not None
    with pytest.raises(AttributeError, match=r"'cscluster'.*'KMean'"):
        cscluster.KMean  # noqa: B018


def test_find():
    assert registry.find("kmeans").load() is cscluster.KMeans
    with pytest.raises(ParameterError, match=r"algorithm 'kmean'.*'kmeans'"):
        registry.find("kmean")


OWN = """
from cscluster.algorithms.base import Clusterer

class Mine(Clusterer):
    def __init__(self, n_clusters=2):
        self.n_clusters = n_clusters

    def fit(self, X, y=None, constraints=None):
        return self
"""


@pytest.fixture
def own(tmp_path, monkeypatch):
    """A folder with the user's own module, which is the working folder."""
    (tmp_path / "own_module.py").write_text(OWN)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    return tmp_path


def test_the_users_own_class_by_module_and_by_file(own):
    for name in ("own_module:Mine", "own_module.py:Mine", f"{own}/own_module.py:Mine"):
        algorithm = registry.find(name)
        assert (algorithm.name, algorithm.title, algorithm.family) == (name, "Mine", "own")
        assert algorithm.defaults() == {"n_clusters": 2}
        model = algorithm.load()(n_clusters=3)
        assert pickle.loads(pickle.dumps(model)).n_clusters == 3


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("own_module:Mime", "'own_module'.*'Mime'.*'Mine'"),
        ("lost_module:Mine", "'lost_module'.*'lost_module:Mine': No module"),
        ("lost.py:Mine", "no file 'lost.py'"),
        ("broken.py:Mine", "'broken.py'.*'broken.py:Mine'.*invalid syntax"),
        ("raising.py:Mine", "'raising.py'.*ZeroDivisionError: division by zero"),
        ("raising:Mine", "'raising'.*'raising:Mine'.*ZeroDivisionError"),
        (":Mine", "import ''.*':Mine'"),
        (".relative:Mine", r"'\.relative'.*'\.relative:Mine'"),
        ("own_module:", "'own_module'.*class ''"),
        ("own_module:OWN", "'own_module'.*'OWN'"),
        ("math:pi", "'pi'.*'math'"),
        ("builtins:int", "'builtins:int'.*'fit'"),
        ("exits.py:Mine", r"'exits\.py'.*SystemExit: 0"),
        ("mute.py:Mine", r"'mute\.py'.*MuteError"),
    ],
)
def test_says_what_is_wrong_with_the_users_own_class(own, name, message):
    (own / "broken.py").write_text("class Mine(:\n")
    (own / "raising.py").write_text("1 / 0\n")
    (own / "exits.py").write_text("import sys\nsys.exit(0)\n")
    (own / "mute.py").write_text(
        "class MuteError(Exception):\n    def __str__(self):\n        raise ValueError\n\nraise MuteError\n"
    )
    with pytest.raises(ParameterError, match=message):
        registry.find(name)


def test_the_current_directory_shadows_no_module_and_leaves_no_trace(own):
    (own / "colorsys.py").write_text(OWN)
    path = list(sys.path)
    with pytest.raises(ParameterError, match=r"'colorsys'.*'Mine'"):
        registry.find("colorsys:Mine")
    registry.find("own_module:Mine")
    assert sys.path == path


def test_an_edited_file_is_loaded_again_and_has_another_source(own):
    first = registry.find("own_module.py:Mine")
    before, source = first.defaults(), first.source()
    (own / "own_module.py").write_text(OWN.replace("n_clusters=2", "n_clusters=5"))
    assert (before, first.defaults()) == ({"n_clusters": 2}, {"n_clusters": 5})
    assert source[0][0] == first.source()[0][0] == "own_module.py"
    assert source != first.source()
    assert registry.find("kmeans").source() == ()


def test_plug_ins_join_by_their_entry_point(own, monkeypatch):
    point = importlib.metadata.EntryPoint("mine", "own_module:Mine", "cscluster.algorithms")
    taken = importlib.metadata.EntryPoint("kmeans", "own_module:Mine", "cscluster.algorithms")
    monkeypatch.setattr(registry, "entry_points", lambda group: [point, taken])
    registry.algorithms.cache_clear()
    try:
        assert registry.find("mine").load().__name__ == "Mine"
        assert registry.find("kmeans").load() is cscluster.KMeans
    finally:
        registry.algorithms.cache_clear()


def test_plug_ins_are_listed_apart(own, monkeypatch, capsys):
    point = importlib.metadata.EntryPoint("mine", "own_module:Mine", "cscluster.algorithms")
    monkeypatch.setattr(registry, "entry_points", lambda group: [point])
    registry.algorithms.cache_clear()
    try:
        listing(ListOptions())
    finally:
        registry.algorithms.cache_clear()
    built_in, plug_ins = capsys.readouterr().out.split("plug-ins:")
    assert "mine" not in built_in
    assert "own_module:Mine" in plug_ins
