import json
from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from cscluster import load_dataset
from cscluster.data import prepared, preprocessing
from cscluster.data.openml import cache_directory
from cscluster.data.recipe import Recipe
from cscluster.errors import DataError

LETTERS = Recipe(base="letter", classes=["I", "J", "L"], fraction=0.1, unseen="rest")


@pytest.fixture(autouse=True)
def _fresh_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    prepared.load.cache_clear()


def ref_of(recipe=LETTERS, steps=("standardize",), name="letters"):
    return prepared.make_ref(name, recipe, list(steps), load_dataset(recipe, name=name))


def is_mapped(array):
    while isinstance(array, np.ndarray):
        if isinstance(array, np.memmap):
            return True
        array = array.base
    return False


def test_arrays_are_equal_memory_mapped_and_read_only():
    expected = preprocessing.apply(["standardize"], load_dataset(LETTERS))
    data = prepared.load(ref_of())
    for name in ("X", "y", "X_unseen", "y_unseen"):
        array = getattr(data, name)
        assert np.array_equal(array, getattr(expected, name))
        assert is_mapped(array)
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    assert (data.name, data.classes, data.features) == ("letters", expected.classes, expected.features)
    assert data.checksum == expected.checksum


def test_sparse_arrays_are_equal_memory_mapped_and_read_only(tmp_path):
    S = sparse.random_array((30, 40), density=0.1, format="csr", rng=np.random.default_rng(0))
    parts = {"X_data": S.data, "X_indices": S.indices, "X_indptr": S.indptr, "X_shape": S.shape}
    np.savez(tmp_path / "text.npz", y=np.arange(30) % 2, **parts)
    recipe = Recipe(base=str(tmp_path / "text.npz"), size=20, unseen="rest")
    expected = load_dataset(recipe)
    data = prepared.load(ref_of(recipe, steps=()))
    for name in ("X", "X_unseen"):
        found = getattr(data, name)
        assert isinstance(found, sparse.csr_array)
        assert np.array_equal(found.toarray(), getattr(expected, name).toarray())
        assert is_mapped(found.data)
        with pytest.raises(ValueError, match="read-only"):
            found.data[0] = 1


def test_all_else_that_is_known_is_kept(tmp_path):
    (tmp_path / "mine.csv").write_text("who,a,b\np,1,2\nq,3,4\n")
    mine = prepared.load(ref_of(Recipe(base=str(tmp_path / "mine.csv"), id="who"), steps=(), name="mine"))
    assert (mine.ids, mine.features, mine.y) == (["p", "q"], ["a", "b"], None)
    digits = Recipe(base="optdigits_test", size=20)
    assert prepared.load(ref_of(digits, steps=())).image == (8, 8)


def cached(ref):
    return cache_directory() / "prepared" / f"{ref.key}.joblib"


def test_is_prepared_once_and_found_by_other_processes(monkeypatch):
    ref = ref_of()
    prepared.load(ref)
    assert list((cache_directory() / "prepared").iterdir()) == [cached(ref)]
    prepared.load.cache_clear()
    monkeypatch.setattr(prepared, "load_dataset", lambda *a, **k: pytest.fail("loaded again"))
    assert prepared.load(ref).X.shape == (227, 16)
    assert prepared.load(replace(ref, name="other")).name == "other"


def test_key_is_of_the_meaning():
    ref = ref_of()
    assert ref.key == ref_of(name="other").key
    assert ref.key == ref_of(steps=[{"standardize": {}}]).key
    assert ref.key == ref_of(steps=[{"standardize": None}]).key
    others = [
        ref_of(steps=()),
        ref_of(LETTERS.model_copy(update={"seed": 1})),
        ref_of(LETTERS.model_copy(update={"classes": ["I", "J"]})),
        replace(ref, checksum="another"),
    ]
    assert len({ref.key, *(other.key for other in others)}) == 5


def test_a_selection_from_a_selection_is_another_data_set():
    whole = ref_of(Recipe(base="letter", classes=["I", "J"]))
    part = ref_of(Recipe(base="letterIJL", classes=["I", "J"]))
    assert prepared.load(whole).n_samples > 1000
    assert prepared.load(part).n_samples < 200


def test_a_changed_source_is_told(tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text("a,b\n1,2\n3,4\n")
    ref = ref_of(Recipe(base=str(path)), steps=(), name="mine")
    path.write_text("a,b\n1,2\n3,5\n")
    with pytest.raises(DataError, match=r"'mine'.*changed"):
        prepared.load(ref)


def damage(path, how):
    content = path.read_bytes()
    changed = {
        "emptied": b"",
        "cut": content[:-1000],
    }
    if how == "removed":
        path.unlink()
    else:
        path.write_bytes(changed[how])


@pytest.mark.parametrize("how", ["emptied", "cut", "removed"])
def test_a_damaged_cache_is_made_again(how):
    ref = ref_of()
    sound = prepared.load(ref)
    X, y = np.array(sound.X), np.array(sound.y)
    damage(cached(ref), how)
    prepared.load.cache_clear()
    again = prepared.load(ref)
    assert np.array_equal(again.X, X)
    assert np.array_equal(again.y, y)
    assert again.classes == sound.classes


def test_the_cache_can_be_cleared():
    assert prepared.clear() == (0, 0)
    prepared.load(ref_of())
    size = cached(ref_of()).stat().st_size
    assert prepared.clear() == (1, size)
    assert prepared.load(ref_of()).X.shape == (227, 16)


def test_nothing_is_left_behind_where_keeping_fails(monkeypatch):
    def full(*args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(prepared.joblib, "dump", full)
    with pytest.warns(UserWarning, match="No space left on device"):
        assert prepared.load(ref_of()).X.shape == (227, 16)
    assert list((cache_directory() / "prepared").iterdir()) == []


def test_a_cache_that_cannot_be_written_is_told(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    with pytest.warns(UserWarning, match="Not a directory"):
        assert prepared.load(ref_of()).X.shape == (227, 16)


def test_steps_are_stored_as_text():
    ref = ref_of(steps=["center", {"pca": {"n": 2}}])
    assert [json.loads(step) for step in ref.preprocess] == [["center", {}], ["pca", {"n": 2}]]
