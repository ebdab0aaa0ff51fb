import itertools
import pickle

import numpy as np
import pytest
from pydantic import TypeAdapter, ValidationError

from cscluster.errors import ConstraintError
from cscluster.experiment.config import schedules
from cscluster.experiment.config.schedules import (
    Active,
    BalancedPairs,
    File,
    Folds,
    Fraction,
    Labelled,
    RandomPairs,
    Schedule,
    Tiers,
)

SEED = 7
Y = np.repeat(np.arange(3), [20, 15, 5])


def pairs_of(links):
    """All pairs with the kind of their link."""
    return {(i, j, "must") for i, j in links.must_links.tolist()} | {
        (i, j, "cannot") for i, j in links.cannot_links.tolist()
    }


def ends(links):
    return {(i, j) for i, j, _ in pairs_of(links)}


def union(episode):
    total = episode.tiers[0]
    for tier in episode.tiers[1:]:
        total = total | tier
    return total


def drawn(schedule, point, y=Y, seed=SEED, dataset="toy", trial=0):
    return union(schedule.episode(point, y, seed, dataset, trial))


DRAWN = [
    RandomPairs(counts=[4]),
    BalancedPairs(counts=[4]),
    Tiers(per_tier=[4], tiers=3),
    Folds(counts=[4], folds=4),
]
by_kind = pytest.mark.parametrize("schedule", DRAWN, ids=lambda schedule: schedule.kind)


@by_kind
@pytest.mark.parametrize("noise", [0.0, 0.3])
def test_same_seed_same_links(schedule, noise):
    schedule = schedule.model_copy(update={"noise": noise})
    assert drawn(schedule, 4) == drawn(schedule, 4)
    for other in ({"seed": 8}, {"dataset": "other"}, {"trial": 1}):
        assert drawn(schedule, 4) != drawn(schedule, 4, **other)


@by_kind
@pytest.mark.parametrize("noise", [0.0, 0.1, 0.25, 0.5])
def test_larger_counts_extend_smaller_ones(schedule, noise):
    schedule = schedule.model_copy(update={"noise": noise})
    smaller = set()
    for point in (0, 1, 2, 5, 11, 20):
        larger = pairs_of(drawn(schedule, point))
        assert smaller <= larger
        smaller = larger


@by_kind
def test_links_tell_the_truth(schedule):
    links = drawn(schedule, 15)
    assert len(links.violated(Y)) == 0
    assert links.n_samples == len(Y)


@pytest.mark.parametrize("noise", [0.05, 0.1, 0.25, 0.5, 0.9])
@pytest.mark.parametrize("point", [1, 7, 40])
@by_kind
def test_the_share_of_noise_is_flipped(schedule, point, noise):
    noisy = schedule.model_copy(update={"noise": noise})
    links = drawn(noisy, point)
    assert ends(links) == ends(drawn(schedule, point))
    # Balanced links are flipped kind by kind, so each kind rounds down.
    slack = 2 if noisy.kind == "balanced_pairs" else 1
    assert noise * len(links) - slack < len(links.violated(Y)) <= noise * len(links)


def test_flips_count_exactly_whatever_the_rounding_of_floats():
    assert schedules.flips(100, 0.29).sum() == 29
    assert schedules.flips(0, 0.5).tolist() == []


@pytest.mark.parametrize("noise", [0.1, 0.25, 0.5])
def test_noise_keeps_balanced_links_balanced(noise):
    links = drawn(BalancedPairs(counts=[20], noise=noise), 20)
    wrong = links.violated(Y)
    assert len(links.must_links) == len(links.cannot_links) == 20
    assert len(wrong.must_links) == len(wrong.cannot_links) == round(noise * 20)


def test_random_pairs_has_the_asked_number():
    assert [len(drawn(RandomPairs(counts=[1]), count)) for count in (0, 1, 100, 780)] == [0, 1, 100, 780]
    with pytest.raises(ConstraintError, match=r"781 constraints.*40 samples.*780 pairs"):
        drawn(RandomPairs(counts=[781]), 781)


def test_balanced_pairs_has_the_asked_number_of_each_kind():
    for count in (0, 1, 30, 305):
        links = drawn(BalancedPairs(counts=[count]), count)
        assert len(links.must_links) == len(links.cannot_links) == count
    with pytest.raises(ConstraintError, match=r"305 pairs.*475"):
        drawn(BalancedPairs(counts=[306]), 306)


def test_tiers_are_new_links_of_equal_number():
    schedule = Tiers(per_tier=[6], tiers=5)
    episode = schedule.episode(6, Y, SEED, "toy", 0)
    assert [len(tier) for tier in episode.tiers] == [6] * 5
    assert len(union(episode)) == 30
    assert union(episode) == drawn(RandomPairs(counts=[30]), 30)
    assert schedule.n_tiers == 5
    assert [len(tier) for tier in schedule.episode(0, Y, SEED, "toy", 0).tiers] == [0] * 5
    with pytest.raises(ConstraintError, match="785 constraints"):
        Tiers(per_tier=[157]).episode(157, Y, SEED, "toy", 0)


def test_an_episode_of_fewer_tiers_is_the_beginning_of_a_longer_one():
    long = Tiers(per_tier=[6], tiers=5, noise=0.2).episode(6, Y, SEED, "toy", 0)
    short = Tiers(per_tier=[6], tiers=2, noise=0.2).episode(6, Y, SEED, "toy", 0)
    assert list(short.tiers) == list(long.tiers[:2])


def test_folds_never_touch_the_heldout_fold():
    schedule = Folds(counts=[50], folds=4)
    for trial in range(8):
        episode = schedule.episode(50, Y, SEED, "toy", trial)
        assert len(episode.heldout) == 10
        assert len(episode.tiers[0]) == 50
        assert not set(episode.tiers[0].touched) & set(episode.heldout.tolist())


def test_each_sample_is_held_out_once_in_each_split():
    schedule = Folds(counts=[1], folds=4)
    heldout = [schedule.episode(1, Y, SEED, "toy", trial).heldout.tolist() for trial in range(8)]
    for split in (heldout[:4], heldout[4:]):
        assert sorted(itertools.chain(*split)) == list(range(40))
    assert heldout[0] != heldout[4]


def test_folds_need_enough_samples():
    with pytest.raises(ConstraintError, match=r"400 constraints.*20 samples.*190 pairs"):
        Folds(counts=[400], folds=2).episode(400, Y, SEED, "toy", 0)
    with pytest.raises(ConstraintError, match=r"\b5 folds.*\b4\b"):
        Folds(counts=[1], folds=5).episode(1, Y[:4], SEED, "toy", 0)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "links.csv"
    path.write_text("a,b,link,weight\n0,1,must,2\n0,25,cannot,3\n1,30,cannot,4\n2,3,must,5\n\n")
    return File(path=path)


def test_file_gives_the_same_links_in_each_trial(file):
    assert file.points == [4]
    assert not file.needs_labels
    links = drawn(file, 4)
    assert links.must_links.tolist() == [[0, 1], [2, 3]]
    assert links.cannot_weights.tolist() == [3, 4]
    assert drawn(file, 4, seed=1, trial=5) == links


def test_noise_turns_links_of_a_file_with_their_weights(file):
    truth = pairs_of(drawn(file, 4))
    links = drawn(file.model_copy(update={"noise": 0.5}), 4)
    assert ends(links) == ends(drawn(file, 4))
    assert len(pairs_of(links) - truth) == 2
    both = [*zip(links.must_links.tolist(), links.must_weights, strict=True)]
    both += [*zip(links.cannot_links.tolist(), links.cannot_weights, strict=True)]
    assert {tuple(pair): weight for pair, weight in both} == {(0, 1): 2, (0, 25): 3, (1, 30): 4, (2, 3): 5}


def test_identity_of_a_file_is_its_content_not_its_place(file, tmp_path):
    before = file.identity()
    copied = tmp_path / "copy.csv"
    copied.write_bytes(file.path.read_bytes())
    assert File(path=copied).identity() == before
    file.path.write_text(file.path.read_text().replace("0,1,must", "0,2,must"))
    assert file.identity() == before  # of what was read when the experiment was planned
    assert File(path=file.path).identity() != before


def test_links_of_a_file_travel_with_the_schedule(file):
    links = drawn(file, 4)
    elsewhere = pickle.loads(pickle.dumps(file))
    file.path.unlink()
    assert drawn(elsewhere, 4) == links


def test_links_of_a_file_by_name(tmp_path):
    (tmp_path / "links.csv").write_text("a,b,link\ns3,s1,must\ns0,s2,cannot\n")
    ids = [f"s{number}" for number in range(4)]
    (links,) = File(path=tmp_path / "links.csv").episode(2, Y[:4], SEED, "toy", 0, ids).tiers
    assert (links.must_links.tolist(), links.cannot_links.tolist()) == ([[1, 3]], [[0, 2]])


def test_a_missing_file_is_told(tmp_path):
    lost = File(path=tmp_path / "lost.csv")
    for ask in (lambda: lost.points, lost.identity, lambda: drawn(lost, 1)):
        with pytest.raises(ConstraintError, match=r"constraint file '.*lost\.csv'"):
            ask()


def test_identity_holds_what_decides_the_links():
    assert RandomPairs(counts=[1, 2]).identity() == RandomPairs(counts=[3]).identity()
    assert RandomPairs(counts=[1]).identity() != RandomPairs(counts=[1], noise=0.1).identity()
    assert RandomPairs(counts=[1]).identity() != BalancedPairs(counts=[1]).identity()
    assert Folds(counts=[1], folds=2).identity() != Folds(counts=[1], folds=3).identity()


@pytest.mark.parametrize(
    "wrong",
    [
        {"kind": "random_pairs"},
        {"kind": "random_pairs", "counts": []},
        {"kind": "random_pairs", "counts": [-1]},
        {"kind": "random_pairs", "counts": [1], "noise": 1.0},
        {"kind": "random_pairs", "counts": [1], "folds": 3},
        {"kind": "folds", "counts": [1], "folds": 1},
        {"kind": "tiers", "per_tier": [1], "tiers": 0},
        {"kind": "other", "counts": [1]},
    ],
)
def test_illegal_schedules_are_refused(wrong):
    with pytest.raises(ValidationError):
        TypeAdapter(Schedule).validate_python(wrong)


def test_kinds_are_listed():
    union_of = Schedule.__origin__.__args__
    assert tuple(schedules.MODELS.values()) == union_of
    assert all(kind in model.example() and model.AXIS for kind, model in schedules.MODELS.items())


def test_a_fraction_draws_the_pairs_of_a_share_of_the_samples():
    y = np.arange(106) % 2
    schedule = Fraction(shares=[5, 20], weight="hard")
    assert schedule.points == [5, 20]
    few, many = (schedule.episode(p, y, 0, "x", 0).tiers[0] for p in schedule.points)
    assert len(few) == 6 * 5 // 2  # ceil(5.3) = 6
    assert len(many) == 22 * 21 // 2
    assert (few | many) == many
    assert len(few.hard) == len(few)


@pytest.mark.parametrize("points", [{"shares": [10, 30]}, {"per_class": [1, 4]}])
def test_labelled_samples_are_linked_and_more_extend_less(points):
    y = np.repeat([0, 1, 2], [30, 20, 10])
    schedule = Labelled(**points)
    few, many = (schedule.episode(p, y, 0, "x", 0).tiers[0] for p in schedule.points)
    assert set(few.touched) <= set(many.touched)
    assert len(many.violated(y)) == 0
    assert len(many.must_links) == len(many.touched) - 3
    assert len(many.component_cannot_links) == 3
    if "per_class" in points:
        assert np.bincount(y[many.touched]).tolist() == [4, 4, 4]
    else:
        assert len(many.touched) == 18


def test_labelled_noise_is_the_share_of_wrong_classes():
    y = np.repeat([0, 1], 50)
    links = Labelled(shares=[100], noise=0.1).episode(100, y, 0, "x", 0).tiers[0]
    groups = np.bincount(links.components)
    assert len(groups) == 2
    wrong = min((links.components != y).sum(), (links.components != 1 - y).sum())
    assert wrong == 10


def test_labelled_needs_one_measure():
    with pytest.raises(ValueError, match=r"'shares'.*'per_class'"):
        Labelled()


def test_weight_is_that_of_every_link():
    y = np.arange(20) % 2
    plain, heavy = (RandomPairs(counts=[9], weight=w).episode(9, y, 0, "x", 0).tiers[0] for w in (None, 2.5))
    assert heavy == plain.weighted(2.5)
    assert RandomPairs(counts=[9]).identity() == {"kind": "random_pairs"}
    assert RandomPairs(counts=[9], weight="hard").identity()["weight"] == "hard"


def test_a_list_of_a_key_stands_for_several_schedules():
    several = RandomPairs(counts=[20], noise=[0.0, 0.25], weight=[0.5, "hard"])
    variants = several.variants()
    assert [values for values, _ in variants] == [
        {"noise": 0.0, "weight": 0.5},
        {"noise": 0.0, "weight": "hard"},
        {"noise": 0.25, "weight": 0.5},
        {"noise": 0.25, "weight": "hard"},
    ]
    alone = RandomPairs(counts=[20], noise=0.25, weight="hard")
    assert variants[-1][1].identity() == alone.identity()
    assert drawn(variants[-1][1], 20) == drawn(alone, 20)
    assert alone.variants() == [({}, alone)]
    strategies = Active(counts=[5], strategy=["min_max", "npu"])
    assert [schedule.chosen_strategy for _, schedule in strategies.variants()] == ["min_max", "npu"]
