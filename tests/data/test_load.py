import hashlib

import numpy as np
import pytest

from cscluster import bundle, load_dataset
from cscluster.data import index, prepared
from cscluster.data.features import Features
from cscluster.data.load import read_table
from cscluster.data.recipe import Recipe
from cscluster.data.table import Columns
from cscluster.errors import DataError

CSV = "a,b,kind\n1,2,x\n3,4,y\n5,6,y\n"


def test_loads_by_name_by_path_and_by_recipe(tmp_path):
    (tmp_path / "mine.csv").write_text(CSV)
    assert load_dataset("iris").name == "iris"
    assert load_dataset("optdigits_3_8").name == "optdigits_3_8"
    mine = load_dataset(str(tmp_path / "mine.csv"), target="kind")
    assert (mine.name, mine.X.shape, mine.classes) == ("mine", (3, 2), ["x", "y"])
    part = load_dataset(Recipe(base=str(tmp_path / "mine.csv"), target="kind", size=2), name="two")
    assert (part.name, part.n_samples) == ("two", 2)
    assert load_dataset("iris", name="flowers").name == "flowers"


def test_paths_may_be_path_objects_and_begin_in_the_home_folder(tmp_path, monkeypatch):
    (tmp_path / "mine.csv").write_text(CSV)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert load_dataset(tmp_path / "mine.csv", target="kind").n_samples == 3
    assert load_dataset("~/mine.csv", target="kind").n_samples == 3


def test_external_sets_come_from_the_users_folder(tmp_path, monkeypatch):
    with pytest.raises(DataError, match=r"'usps'.*usps.npz.*CSCLUSTER_DATA"):
        load_dataset("usps")
    monkeypatch.setenv("CSCLUSTER_DATA", str(tmp_path))
    np.savez(tmp_path / "usps.npz", X=np.eye(256), y=np.arange(256) % 10)
    data = load_dataset("usps")
    assert data.n_samples == 256
    assert data.image == (16, 16)
    # Files named by their path are still found.
    (tmp_path / "mine.csv").write_text(CSV)
    assert load_dataset(str(tmp_path / "mine.csv"), target="kind").n_samples == 3
    assert load_dataset("mine", target="kind").n_samples == 3


def test_says_how_to_get_what_is_missing():
    with pytest.raises(DataError, match=r"'cscluster data fetch usps'.*openml:41082"):
        load_dataset("usps")
    with pytest.raises(DataError, match=r"data set 'irsi'.*'iris'"):
        load_dataset("irsi")
    with pytest.raises(DataError, match=r"data file 'lost\.csv'"):
        load_dataset("lost.csv")


def test_unknown_endings_are_told(tmp_path):
    (tmp_path / "mine.xls").write_text("")
    with pytest.raises(DataError, match=r"'\.xls'.*\.npz"):
        load_dataset(str(tmp_path / "mine.xls"))


def test_a_damaged_bundle_is_told(tmp_path, monkeypatch):
    with np.load(bundle.folder("datasets") / "iris.npz") as archive:
        arrays = dict(archive)
    arrays["X"] = arrays["X"] + 1
    np.savez(tmp_path / "iris.npz", **arrays)
    monkeypatch.setattr(index, "find_file", lambda name: tmp_path / "iris.npz")
    with pytest.raises(DataError, match=r"'iris'.*checksum"):
        load_dataset("iris")


def test_a_selection_of_one_class_is_refused():
    with pytest.raises(DataError, match=r"target.*'setosa'"):
        load_dataset(Recipe(base="iris", classes=["setosa"]), name="one")


MESSY = """customer;since;spent;city;name;always;kind
007;2024-01-01;1,5;Rome;Anna;1;x
008;2024-01-03;;Oslo;Bert;1;y
009;2024-01-02;4,5;Rome;Carl;1;y
010;2024-01-02;2,5;;Dora;1;x
011;2024-01-02;1,5;Oslo;Emil;1;x
012;2024-01-02;3,5;Rome;Fay;1;y
"""


@pytest.fixture
def messy(tmp_path):
    (tmp_path / "messy.csv").write_text(MESSY)
    return str(tmp_path / "messy.csv")


def test_a_table_of_strings_dates_and_gaps_is_loaded_as_it_is_clustered(messy):
    data = load_dataset(messy, target="kind", id_column="customer")
    assert data.ids == ["007", "008", "009", "010", "011", "012"]
    assert data.features == ["since", "spent", "city=", "city=Oslo", "city=Rome"]
    days = 19723 + np.array([0, 2, 1, 1, 1, 1])
    assert data.X[:, :2].tolist() == np.column_stack([days, [1.5, 2.5, 4.5, 2.5, 1.5, 3.5]]).tolist()
    assert data.X[:, 2:].tolist() == [[0, 0, 1], [0, 1, 0], [0, 0, 1], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
    _, X = Features.fit(read_table(messy, Columns("customer", "kind")), [])
    assert np.array_equal(data.X, X)
    notes = "\n".join(data.notes)
    for said in (
        "decimal commas",
        "dates, taken as days",
        "1 empty cell filled",
        "name (text",
        "always (alw",
    ):
        assert said in notes


def test_steps_of_an_experiment_leave_categories_as_cluster_leaves_them(messy, tmp_path, monkeypatch):
    monkeypatch.setattr(prepared, "_root", lambda: tmp_path / "cache")
    recipe = Recipe(base=messy, target="kind", id="customer")
    data = prepared.load(prepared.make_ref("m", recipe, ["standardize"], load_dataset(recipe)))
    _, X = Features.fit(read_table(messy, Columns("customer", "kind")), ["standardize"])
    assert np.array_equal(data.X, X)
    assert data.y.tolist() == [0, 1, 1, 0, 0, 1]
    parts = Recipe(base=messy, target="kind", size=3, unseen="rest", drop_constant=True)
    some = prepared.load(prepared.make_ref("m", parts, [{"pca": {"n": 1}}], load_dataset(parts)))
    assert some.X.shape[1] == some.X_unseen.shape[1] == 1 + some.n_indicators
    assert set(np.unique(some.X[:, 1:])) <= {0, 1}


def test_only_some_columns(messy):
    recipe = Recipe(base=messy, target="kind", features=["spent", "since", "city"], ignore=["city"])
    assert load_dataset(recipe, name="m").features == ["spent", "since"]
    assert recipe.identity() == {
        "target": "kind",
        "features": ["spent", "since", "city"],
        "ignore": ["city"],
    }
    wine = load_dataset(Recipe(base="wine", ignore=["alcohol"]), name="w")
    assert wine.features == load_dataset("wine").features[1:]
    with pytest.raises(DataError, match=r"column 'alcool'.*'alcohol'"):
        load_dataset("wine", features=["alcool"])


def test_a_table_of_categories_alone(tmp_path):
    (tmp_path / "beds.csv").write_text("bed,side,kind\n" + "red,left,x\nblue,right,y\n" * 2)
    recipe = Recipe(base=str(tmp_path / "beds.csv"), target="kind")
    source = load_dataset(recipe, name="beds")
    assert source.X.tolist() == [[0, 1, 1, 0], [1, 0, 0, 1]] * 2
    data = prepared._prepare(prepared.make_ref("beds", recipe, ["standardize"], source))
    assert np.array_equal(data.X, source.X)


def test_a_table_of_numbers_without_gaps_keeps_all_its_columns(tmp_path):
    text = "id,one,a,kind\n0,1,5,x\n1,1,3,y\n2,1,4,y\n"
    (tmp_path / "plain.csv").write_text(text)
    data = load_dataset(tmp_path / "plain.csv", target="kind")
    assert data.X.tolist() == [[0, 1, 5], [1, 1, 3], [2, 1, 4]]
    assert (data.features, data.ids, data.notes) == (["id", "one", "a"], [], [])
    assert data.checksum == hashlib.sha256(text.encode()).hexdigest()
