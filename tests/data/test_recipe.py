import numpy as np
import pytest
from pydantic import ValidationError
from scipy import sparse

from cscluster import load_dataset
from cscluster.data.dataset import Dataset
from cscluster.data.load import outline
from cscluster.data.recipe import Recipe, apply
from cscluster.errors import DataError


def toy(n=40, kind=np.asarray, **more):
    """Samples that can be told apart: the first column is the row number."""
    y = np.arange(n) % 4
    X = np.column_stack([np.arange(n), np.ones(n), y]).astype(float)
    classes = ["a", "b", "c", "d"]
    return Dataset("toy", kind(X), y, classes, features=["row", "one", "class"], checksum="s", **more)


def rows(X):
    X = X.toarray() if sparse.issparse(X) else X
    return X[:, 0].astype(int).tolist()


@pytest.mark.parametrize(
    ("name", "n", "n_unseen", "n_classes"),
    [
        ("pendigit389", 318, 2847, 3),
        ("letterIJL", 227, 2036, 3),
        ("mnist0689", 800, 800, 4),
        ("optdigits_odd_even", 1797, 3823, 2),
        ("optdigits_3_8", 357, None, 2),
        ("optdigits_3_9", 771, None, 2),
        ("satellite_12", 2236, None, 2),
        ("letter_ab", 1555, None, 2),
        ("ringnorm", 7400, None, 2),
        ("ionosphere33", 351, None, 2),
        ("image", 2310, None, 2),
    ],
)
def test_the_papers_selections_have_the_papers_sizes(name, n, n_unseen, n_classes):
    data = load_dataset(name)
    assert (data.n_samples, data.n_classes) == (n, n_classes)
    assert np.unique(data.y).tolist() == list(range(n_classes))
    if n_unseen is None:
        assert data.X_unseen is data.y_unseen is None
    else:
        assert data.X_unseen.shape == (n_unseen, data.n_features)
        assert np.unique(data.y_unseen).tolist() == list(range(n_classes))


def test_mnist0689_has_equal_classes_and_values_up_to_one():
    data = load_dataset("mnist0689")
    assert np.bincount(data.y).tolist() == np.bincount(data.y_unseen).tolist() == [200] * 4
    assert data.classes == ["0", "6", "8", "9"]
    assert (data.X.min(), data.X.max()) == (data.X_unseen.min(), data.X_unseen.max()) == (0.0, 1.0)
    assert data.image == (28, 28)
    seen = {row.tobytes() for row in data.X}
    assert not any(row.tobytes() in seen for row in data.X_unseen)


def test_ionosphere33_leaves_out_the_constant_column():
    assert load_dataset("ionosphere").n_features == 34
    assert load_dataset("ionosphere33").n_features == 33


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize(
    "recipe",
    [
        {"fraction": 0.3, "unseen": "rest"},
        {"per_class": 3, "unseen": "rest"},
        {"per_class": 3, "unseen": 2},
        {"size": 11, "unseen": "rest"},
        {"classes": ["b", "d"], "per_class": 4, "unseen": 3},
    ],
)
def test_sample_and_unseen_points_are_disjoint(kind, recipe):
    source = toy(kind=kind)
    data = apply(Recipe(base="toy", **recipe), source, "part")
    seen, unseen = rows(data.X), rows(data.X_unseen)
    assert not set(seen) & set(unseen)
    assert len(set(seen)) == len(seen)
    assert len(set(unseen)) == len(unseen)
    if recipe["unseen"] == "rest":
        assert sorted(seen + unseen) == list(range(40))
    # Samples keep their class, and are sorted as in the source.
    for X, y in ((data.X, data.y), (data.X_unseen, data.y_unseen)):
        assert rows(X) == sorted(rows(X))
        assert [data.classes[c] for c in y] == [source.classes[i % 4] for i in rows(X)]


def test_the_sample_depends_on_the_seed_alone():
    first, again, other = (
        rows(apply(Recipe(base="toy", per_class=3, seed=seed), toy(), "part").X) for seed in (0, 0, 1)
    )
    assert first == again != other


def test_fraction_takes_the_rounded_share_of_each_class():
    data = apply(Recipe(base="toy", fraction=0.25), toy(n=39), "part")
    # Classes of 10, 10, 10 and 9: 2.5 and 2.25, rounded to nearest with halves up.
    assert np.bincount(data.y).tolist() == [3, 3, 3, 2]


def test_groups_join_classes():
    data = apply(Recipe(base="toy", groups={"vowel": ["a"], "other": ["c", "b"]}), toy(), "part")
    assert data.classes == ["vowel", "other"]
    assert [i % 4 for i in rows(data.X)] == [0, 1, 2] * 10
    assert data.y.tolist() == [0, 1, 1] * 10


def test_classes_are_numbered_as_asked():
    data = apply(Recipe(base="toy", classes=["d", "a"]), toy(), "part")
    assert data.classes == ["d", "a"]
    assert data.y.tolist() == [1, 0] * 10


def test_parts():
    is_test = np.arange(40) >= 30
    recipe = Recipe(base="toy", part="test", classes=["a", "b"], unseen="other_part")
    data = apply(recipe, toy(is_test=is_test), "part")
    assert rows(data.X) == [i for i in range(30, 40) if i % 4 < 2]
    assert rows(data.X_unseen) == [i for i in range(30) if i % 4 < 2]
    assert data.y_unseen.tolist() == [i % 4 for i in range(30) if i % 4 < 2]
    train = apply(Recipe(base="toy", part="train"), toy(is_test=is_test), "part")
    assert rows(train.X) == list(range(30))


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_columns_are_chosen_by_the_samples_and_dropped_from_unseen_points_too(kind):
    recipe = Recipe(base="toy", per_class=3, unseen="rest", drop_constant=True)
    data = apply(recipe, toy(kind=kind), "part")
    assert data.features == ["row", "class"]
    assert data.X.shape == (12, 2)
    assert data.X_unseen.shape == (28, 2)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_top_features_are_those_whose_presence_tells_the_class(kind):
    rng = np.random.default_rng(0)
    y = np.arange(60) % 2
    words = rng.integers(0, 5, (60, 6)).astype(float)
    words[:, 0] = 1 + y  # tells the class by its count, not by its presence
    words[:, 1], words[:, 4] = y * rng.integers(1, 9, 60), (1 - y) * rng.integers(1, 9, 60)
    data = Dataset("text", kind(words), y, ["p", "q"])
    found = apply(Recipe(base="text", top_features=2), data, "top")
    chosen = found.X.toarray() if sparse.issparse(found.X) else found.X
    assert np.array_equal(chosen, words[:, [1, 4]])


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_divide(kind):
    data = apply(Recipe(base="toy", divide=2, per_class=3, unseen=1), toy(kind=kind), "part")
    assert data.X.max() <= 20
    assert data.X_unseen[:, [1]].max() == 0.5


def test_a_selection_from_a_selection_relabels_its_unseen_points():
    first = apply(Recipe(base="toy", classes=["a", "b", "c"], per_class=4, unseen=2), toy(), "first")
    second = apply(Recipe(base="first", classes=["c", "a"]), first, "second")
    for X, y in ((second.X, second.y), (second.X_unseen, second.y_unseen)):
        assert [second.classes[c] for c in y] == ["abcd"[i % 4] for i in rows(X)]
        assert set(y.tolist()) == {0, 1}


@pytest.mark.parametrize(
    ("recipe", "message"),
    [
        ({"classes": ["a", "x"]}, "'part'.*class 'x'"),
        ({"per_class": 11}, r"\b11 samples.*class.*\b10\b"),
        ({"size": 41}, r"\b41 samples.*\b40\b"),
        ({"per_class": 8, "unseen": 3}, r"\b3 unseen.*class.*\b2\b"),
        ({"part": "test"}, "'toy'.*train and test"),
    ],
)
def test_says_what_cannot_be_selected(recipe, message):
    with pytest.raises(DataError, match=message):
        apply(Recipe(base="toy", **recipe), toy(), "part")


@pytest.mark.parametrize(
    "recipe", [{"classes": ["a"]}, {"per_class": 2}, {"fraction": 0.5}, {"top_features": 2}]
)
def test_classes_are_needed_to_select_by_them(recipe):
    bare = Dataset("toy", np.arange(8.0).reshape(4, 2))
    with pytest.raises(DataError, match=r"'part'.*no target"):
        apply(Recipe(base="toy", **recipe), bare, "part")
    assert apply(Recipe(base="toy", size=2), bare, "part").n_samples == 2


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"base": "iris", "generator": "blobs"},
        {"base": "iris", "fraction": 0.1, "per_class": 3},
        {"base": "iris", "fraction": 0.0},
        {"base": "iris", "fraction": 1.5},
        {"base": "iris", "per_class": 0},
        {"base": "iris", "per_class": 5, "unseen": -1},
        {"base": "iris", "unseen": "rest"},
        {"base": "iris", "unseen": 5},
        {"base": "iris", "size": 50, "unseen": 5},
        {"base": "iris", "unseen": "other_part"},
        {"generator": "blobs", "size": 50, "unseen": "rest"},
        {"base": "iris", "divide": 0},
        {"base": "iris", "color": "red"},
        {"generator": "unheard"},
    ],
)
def test_illegal_recipes_are_refused(wrong):
    with pytest.raises(ValidationError):
        Recipe(**wrong)


def test_identity_is_what_is_selected_not_from_where():
    assert Recipe(base="a", per_class=3).identity() == Recipe(base="b", per_class=3).identity()
    assert Recipe(base="a", per_class=3).identity() != Recipe(base="a", per_class=4).identity()


def test_identity_of_a_selection_from_a_named_selection_holds_both():
    small = Recipe(base="pendigit389", classes=["3", "8"])
    assert small.identity() != Recipe(base="pendigits", classes=["3", "8"]).identity()
    assert small.identity() != Recipe(base="letterIJL", classes=["3", "8"]).identity()


def test_samples_of_one_source_differ_in_their_size_only():
    assert (
        Recipe(base="mnist", size=100).source == Recipe(base="mnist", fraction=0.1, seed=3).source == "mnist"
    )
    assert Recipe(generator="rings", size=100).source == "rings"
    digits = Recipe(base="mnist", size=100, classes=["3", "8"])
    assert digits.source == "mnist, classes=['3', '8']"


def test_a_plan_needs_no_enlarged_pictures():
    recipe = Recipe(base="optdigits", enlarge=20_000)
    planned, made = outline(recipe, "digits"), load_dataset(recipe)
    assert planned.X.shape == made.X.shape
    assert planned.X.strides[0] == 0  # one picture, seen 20 000 times
    assert np.array_equal(planned.y, made.y)
    assert (planned.checksum, planned.classes) == (made.checksum, made.classes)


def test_enlarged_pictures_are_those_of_the_base_moved():
    base = load_dataset("optdigits")
    data = load_dataset(Recipe(base="optdigits", enlarge=20_000))
    assert data.X.shape == (20_000, 64)
    assert data.X.dtype == base.X.dtype
    assert (data.y == base.y[np.arange(20_000) % base.n_samples]).all()
    original = base.X.reshape(-1, 8, 8)[np.arange(20_000) % base.n_samples]
    moves = np.zeros(20_000, dtype=int)
    for down in range(-2, 3):
        for right in range(-2, 3):
            wide = np.pad(original, [(0, 0), (2, 2), (2, 2)])
            there = wide[:, 2 + down : 10 + down, 2 + right : 10 + right].reshape(20_000, -1)
            moves += (there == data.X).all(axis=1)
    assert moves.min() >= 1
    assert (base.X[np.arange(20_000) % base.n_samples] == data.X).all(axis=1).mean() < 0.1


@pytest.mark.parametrize("base", ["iris", "landscape"])
def test_only_images_are_enlarged(base):
    with pytest.raises(DataError, match="grey images"):
        load_dataset(Recipe(base=base, enlarge=50_000))


def test_the_first_rows_alone():
    data = apply(Recipe(base="toy", first=5), toy(), "few")
    assert rows(data.X) == [0, 1, 2, 3, 4]
    assert Recipe(base="toy", first=5).source == Recipe(base="toy").source
