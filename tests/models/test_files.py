import contextlib
import io
import json
import pickle
import re
import warnings
import zipfile
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.cluster import DBSCAN

from cscluster import Constraints
from cscluster.algorithms.build import build
from cscluster.algorithms.registry import BUILT_IN, find
from cscluster.constraints.sampling import random_pairs
from cscluster.data.dataset import Dataset
from cscluster.data.features import Features
from cscluster.errors import CsclusterError, DataError, ParameterError
from cscluster.models import codec
from cscluster.models import files as model
from cscluster.models.files import StoredModel

INDUCTIVE = [a for a in BUILT_IN if "inductive" in a.tags and a.family != "selection"]


def samples(seed, n=60):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3
    return rng.normal(size=(n, 4)) + 4 * np.eye(4)[y], y


def make(name, params=None, as_sparse=False):
    """Return a fitted model and a table of fresh rows."""
    (X, y), (fresh, _) = samples(0), samples(1, 50)
    if as_sparse:
        X, fresh = (csr_array(np.where(np.abs(Z) < 1, 0, Z)) for Z in (X, fresh))
    links = Constraints.from_labels(random_pairs(60, 40, np.random.default_rng(0)), y)
    features, Z = Features.fit(Dataset("toy", X), [] if as_sparse else ["standardize"])
    with warnings.catch_warnings(action="ignore"):
        estimator = build(name, params or {}, 3, 0).fit(Z, constraints=links)
    return StoredModel(3, None, features, estimator), Dataset("new", fresh)


def stored(made, tmp_path):
    path = tmp_path / "model.zip"
    path.write_bytes(model.to_bytes(made))
    return model.load_model(path)


@pytest.mark.parametrize("algorithm", INDUCTIVE, ids=lambda algorithm: algorithm.name)
def test_a_stored_model_predicts_as_before(algorithm, tmp_path):
    made, new = make(algorithm.name)
    before = made.predict(new)
    assert len(np.unique(before)) > 1
    again = stored(made, tmp_path)
    assert again.algorithm.startswith(algorithm.title)
    assert np.array_equal(again.predict(new), before)
    assert model.to_bytes(again) == model.to_bytes(made)


@pytest.mark.parametrize("name", [a.name for a in INDUCTIVE if "sparse" in a.tags])
def test_models_of_sparse_data(name, tmp_path):
    made, new = make(name, as_sparse=True)
    assert np.array_equal(stored(made, tmp_path).predict(new), made.predict(new))


@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("pmmc", {"kernel": "gaussian"}),
        ("mpckmeans", {"matrix": "full", "metric": "multiple"}),
        ("iter_svr", {"n_landmarks": 20}),
        ("kernel_kmeans", {"kernel": "linear"}),
        ("kmeans", {"init": "random"}),
    ],
)
def test_models_with_other_parameters(name, params, tmp_path):
    made, new = make(name, params)
    assert np.array_equal(stored(made, tmp_path).predict(new), made.predict(new))


@pytest.mark.parametrize(
    "step", ["center", "standardize", "scale01", "l2", {"pca": {"n": 2}}, {"kernel_pca": {"sigma": 9.0}}]
)
def test_preprocessing_is_part_of_the_model(step, tmp_path):
    (X, _), (fresh, _) = samples(0), samples(1)
    features, Z = Features.fit(Dataset("toy", X), [step])
    made = StoredModel(3, "id", features, build("kmeans", {}, 3, 0).fit(Z))
    again = stored(made, tmp_path)
    assert again.id_column == "id"
    assert np.array_equal(
        again.features.transform(Dataset("new", fresh)), features.transform(Dataset("new", fresh))
    )
    assert np.array_equal(again.predict(Dataset("new", fresh)), made.predict(Dataset("new", fresh)))


@pytest.mark.parametrize("name", ["scsc", "normalized_cut", "ccskl"])
def test_an_algorithm_without_a_model_is_refused(name):
    with pytest.raises(ParameterError, match=r"predict.*kmeans, pckmeans"):
        model.require_inductive(find(name))


def test_other_code_is_refused():
    with pytest.raises(ParameterError, match=r"this package.*sklearn\.cluster:KMeans"):
        model.require_inductive(find("sklearn.cluster:KMeans"))
    with pytest.raises(TypeError, match=r"builtin_function_or_method.*stored"):
        codec.dump(print, {})
    made, _ = make("kmeans")
    with pytest.raises(ParameterError, match=r"this package.*DBSCAN"):
        model.to_bytes(replace(made, estimator=DBSCAN()))


CONTENT = model.to_bytes(make("rca")[0])


def described():
    with zipfile.ZipFile(io.BytesIO(CONTENT)) as archive:
        return json.loads(archive.read("model.json"))


def with_count(count):
    """Return the description with another number of clusters everywhere."""
    return json.loads(json.dumps(described()).replace('"n_clusters": 3', f'"n_clusters": {count}'))


def packed(content, compression=zipfile.ZIP_STORED, **members):
    """Return the model file with another description, and other members beside or instead."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(CONTENT)) as old, zipfile.ZipFile(out, "w", compression) as new:
        new.writestr("model.json", content if isinstance(content, (str, bytes)) else json.dumps(content))
        for name in old.namelist():
            if name != "model.json":
                new.writestr(name, members.pop(name.removesuffix(".npy"), None) or old.read(name))
    return out.getvalue()


def npy(array, **options):
    out = io.BytesIO()
    np.save(out, array, **options)
    return out.getvalue()


def refused(content, tmp_path):
    path = tmp_path / "bad.zip"
    path.write_bytes(content)
    with pytest.raises(DataError) as caught:
        model.load_model(path).predict(make_new())
    assert "\n" not in str(caught.value)
    return str(caught.value)


def make_new():
    return Dataset("new", samples(1, 50)[0])


class Evil:
    def __reduce__(self):
        return (exec, ("raise SystemExit('the file has run code')",))


@pytest.mark.parametrize(
    "bad",
    [
        b"",
        b"not a zip",
        CONTENT[:200],
        CONTENT[:-30],
        pickle.dumps(Evil()),
        packed("no json"),
        packed("[" * 100_000),
        packed("[]"),
        packed("9" * 5000),
        packed({"format": 2}),
        packed(described() | {"estimator": {"object": "os:system", "state": {}}}),
        packed(described() | {"estimator": {"object": "subprocess.Popen", "state": {"args": "ls"}}}),
        packed(described() | {"estimator": {"object": "RCA", "state": {"__class__": "x"}}}),
        packed(described() | {"estimator": {"object": "kmeans", "state": {}}}),
        packed(described() | {"estimator": {"object": "auto", "state": {}}}),
        packed(described() | {"estimator": {"object": "StandardScaler", "state": {}}}),
        packed(described() | {"estimator": {"object": "MetricClusterer", "state": {"n_clusters": 3}}}),
        packed(described() | {"estimator": {"object": "kmeans", "state": {"predict": 3}}}),
        packed(described() | {"estimator": {"array": "array99"}}),
        packed(described() | {"estimator": 5}),
        packed(described() | {"estimator": {"centres": {"array": "array0"}}}),
        packed(described() | {"estimator": {"csr": [1, 2, 3], "shape": [2, 2]}}),
        *(packed(described() | {"n_clusters": count}) for count in (-5, 0, 2, True, 10**6, 10**12, 10**30)),
        *(packed(with_count(count)) for count in (-5, 0, 10**6, 10**12)),
        packed(described() | {"features": None}),
        packed(described() | {"features": {"object": "Features", "state": {"names": [3]}}}),
        packed(described(), compression=zipfile.ZIP_DEFLATED),
        packed(described(), array0=npy(np.array([Evil()], dtype=object), allow_pickle=True)),
        packed(described(), array0=npy(np.zeros(3))[:-8]),
        packed(described(), array0=npy(np.zeros(3)).replace(b"(3,)", b"(9,)")),
        packed(described(), array0=npy(np.array(["text"]))),
        packed(described(), array3=npy(np.zeros((3, 99)))),
    ],
)  # fmt: skip
def test_a_bad_file_is_one_sentence(bad, tmp_path):
    assert "bad.zip" in (said := refused(bad, tmp_path)) or "cannot be applied" in said


@pytest.mark.parametrize("target", ["trap:Own", "trap.py:Own"])
def test_a_file_cannot_have_code_imported(target, tmp_path, monkeypatch):
    (tmp_path / "trap.py").write_text("open('sprung', 'w')\nclass Own: pass\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    refused(packed(described() | {"estimator": {"object": target, "state": {}}}), tmp_path)
    assert not (tmp_path / "sprung").exists()


def test_a_bomb_does_not_grow(tmp_path):
    bomb = packed(described(), compression=zipfile.ZIP_DEFLATED, array0=npy(np.zeros(10**6)))
    assert len(bomb) < 10**5
    assert "larger than the file" in refused(bomb, tmp_path)


@pytest.mark.parametrize(("number", "version"), [(1, "0.2.0"), (3, "9.9")])
def test_a_file_of_another_version_says_so(number, version, tmp_path):
    said = refused(packed(described() | {"format": number, "cscluster": version}), tmp_path)
    assert re.search(rf"another version.*\({version}\).*'cscluster cluster --model'", said)


@given(st.integers(0, len(CONTENT) - 1), st.integers(1, 255))
def test_a_changed_byte_is_an_error_or_changes_nothing_but_values(tmp_path_factory, place, change):
    content = bytearray(CONTENT)
    content[place] ^= change
    path = tmp_path_factory.mktemp("fuzz") / "model.zip"
    path.write_bytes(content)
    try:
        labels = model.load_model(path).predict(make_new())
    except CsclusterError:
        return
    assert labels.shape == (50,)


def _mutations(value):
    """Yield copies of a description in which one part is replaced by something else."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield {k: v for k, v in value.items() if k != key}
            yield from ({**value, key: changed} for changed in _mutations(item))
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from ([*value[:number], changed, *value[number + 1 :]] for changed in _mutations(item))
    else:
        yield from ({}, [], "text", -1, None, {"array": "array0"})


def test_any_part_of_the_description_may_be_wrong(tmp_path):
    path = tmp_path / "model.zip"
    count = 0
    with warnings.catch_warnings(action="ignore"):
        for number, changed in enumerate(_mutations(described())):
            if number % 3:
                continue
            count += 1
            path.write_bytes(packed(changed))
            with contextlib.suppress(CsclusterError):
                assert model.load_model(path).predict(make_new()).shape == (50,)
    assert count > 100


def test_an_estimator_alone_is_no_outcome(tmp_path):
    with pytest.raises(ParameterError, match=r"cscluster\.cluster.*StoredModel"):
        model.save_model(make("kmeans")[0], tmp_path / "model.zip")
