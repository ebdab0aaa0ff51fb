"""What every kind keeps to, however many algorithms and data sets there are and however long their names."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from matplotlib.figure import Figure

from cscluster import Constraints
from cscluster.report import figures
from cscluster.report.figures.layout import grid_columns, is_geometric, log_axis, number_axis
from cscluster.report.figures.style import using

from .runs import check_layout, run

TWELVE = tuple(f"Method number {i} + k-means" for i in range(12))
THIRTEEN = tuple(f"data_set_{i}" for i in range(13))
MANY = {"labels": TWELVE, "datasets": THIRTEEN, "points": (20, 60, 100), "trials": 5}
ODD = (
    "Pairwise constrained maximum margin clustering with a k-means start and more",
    r"a $\frac{1}{$ b_1^2 $",
    "数据 \N{PARTY POPPER}\n\ttwo lines",
    "x" * 200,
)
CASES = {
    "usual": {"labels": ("K-means", "PMMC", "DCA"), "datasets": ("iris", "wine", "sonar")},
    "many": MANY,
    "odd names": {"labels": ODD, "datasets": ODD},
    "one": {"labels": ("A",), "trials": 1},
    "failures": {
        "labels": ("A", "B", "C"),
        "datasets": ("iris", "wine", "sonar", "glass"),
        "fails": lambda label, dataset, number: label == "B" or dataset == "iris" or number == 0,
    },
}


def map_of(results):
    rng = np.random.default_rng(0)
    return figures.links_map(
        rng.normal(size=(60, 2)), np.arange(60) % 10, Constraints([(0, 1)], n_samples=60)
    )


KINDS = {
    "curves": ({}, lambda r: figures.curves(r, "acc")),
    "curves of seconds": ({}, lambda r: figures.curves(r, "seconds")),
    "tiers": ({"points": (10,), "tiers": 3, "kind": "tiers"}, lambda r: figures.curves(r, "acc")),
    "boxes": ({"points": (10,)}, lambda r: figures.boxes(r, "acc")),
    "scaling": ({"points": (10,)}, lambda r: figures.scaling(sized(r))),
    "sensitivity": (
        {"points": (10,), "grid": {"lam": (0.01, 0.1, 1)}},
        lambda r: figures.sensitivity(r, "acc", ("lam",)),
    ),
    "heat map": (
        {"points": (10,), "grid": {"lam": (1, 2, 3), "C": (0.1, 1)}, "trials": 1},
        lambda r: figures.sensitivity(r, "acc", ("C", "lam")),
    ),
}


def sized(results):
    sizes = {name: 100 * 2**i for i, name in enumerate(results.datasets)}
    return replace(results, families={"all": sizes})


PAIRS = [
    *(("usual", kind) for kind in KINDS),
    *(("failures", kind) for kind in KINDS if kind not in ("tiers", "curves of seconds")),
    *(("many", kind) for kind in ("curves", "boxes")),
    *(("odd names", kind) for kind in ("curves", "boxes", "scaling", "heat map")),
    *(("one", kind) for kind in ("curves", "boxes")),
]


@pytest.mark.parametrize(("case", "kind"), PAIRS)
def test_nothing_overlaps_or_sticks_out(tmp_path, kind, case):
    shape, make = KINDS[kind]
    results = run(tmp_path, **{**CASES[case], **shape})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("default", DeprecationWarning)
        figure = make(results)
    assert isinstance(figure, Figure)
    check_layout(figure)
    width, height = figure.get_size_inches()
    assert width in (3.5, 7.0)
    assert height < 9.0 or case == "odd names"  # a page


@pytest.mark.parametrize("kind", ["curves", "boxes", "heat map"])
def test_slides_keep_to_it_too(tmp_path, kind):
    shape, make = KINDS[kind]
    results = run(tmp_path, **{**CASES["usual"], **shape})
    with using("slides"):
        figure = make(results)
    check_layout(figure)
    assert figure.get_size_inches()[0] == 6.0


def test_legends_leave_room_for_the_lines(tmp_path):
    results = run(tmp_path, **{**MANY, "datasets": ("iris",)})
    figure = figures.curves(results, "acc")
    assert figure.legends[0].get_window_extent().height < 0.35 * figure.bbox.height


@pytest.mark.parametrize("case", ["usual", "many", "odd names"])
def test_names_of_a_rank_diagram_do_not_overlap(tmp_path, case):
    shape = {**CASES[case], "points": (10,)}
    if len(shape["datasets"]) < 5:
        shape["datasets"] = tuple("abcde")
    figure = figures.critical_difference(run(tmp_path, **shape), "acc")
    (axes,) = figure.axes
    boxes = [text.get_window_extent() for text in axes.texts]
    for box in boxes:
        assert figure.bbox.padded(1.5).x0 <= box.x0 <= box.x1 <= figure.bbox.padded(1.5).x1
        assert figure.bbox.y0 <= box.y0 <= box.y1 <= figure.bbox.y1
    assert not any(a.padded(-1).overlaps(b.padded(-1)) for i, a in enumerate(boxes) for b in boxes[:i])


def test_maps_and_galleries_keep_to_it_too():
    check_layout(map_of(None))
    pixels = np.random.default_rng(0).uniform(size=(40, 64))
    check_layout(figures.gallery(pixels, np.arange(40) % 4, (8, 8)))


@pytest.mark.parametrize(
    ("count", "most", "columns"),
    [(1, 5, 1), (2, 5, 2), (4, 5, 4), (6, 5, 3), (8, 5, 4), (13, 5, 5), (13, 4, 4), (7, 2, 2)],
)
def test_columns_leave_few_places_empty(count, most, columns):
    assert grid_columns(count, most) == columns


@pytest.mark.parametrize(
    ("values", "geometric"),
    [
        ([1, 3, 10, 30], True),
        ([1, 2, 4, 8], True),
        ([1, 100], True),
        ([1, 2], False),
        ([5], False),
        ([-1, 1, 3], False),
    ],
)
def test_geometric(values, geometric):
    assert is_geometric(values) is geometric


@pytest.mark.parametrize("values", [(0.019, 0.1), (4, 45), (3, 16), (0.9, 40), (0.2, 60), (0.001, 200)])
def test_a_logarithmic_axis_has_two_labels_or_more(values):
    axes = Figure().subplots()
    axes.set_ylim(*values)
    log_axis(axes, "y", values)
    inside = [tick for tick in axes.get_yticks() if values[0] <= tick <= values[1]]
    assert 2 <= len(inside) <= 7


def test_a_small_range_needs_no_logarithmic_axis():
    axes = Figure().subplots()
    log_axis(axes, "y", (3, 7))
    assert axes.get_yscale() == "linear"


def test_ticks_are_at_the_values_where_there_is_room_for_all():
    axes = Figure().subplots()
    number_axis(axes, [0, 10, 20, 40])
    assert axes.get_xticks().tolist() == [0, 10, 20, 40]
    axes = Figure().subplots()
    number_axis(axes, [0.01, 0.1, 1, 10])
    assert axes.get_xscale() == "log"
    assert [t.get_text() for t in axes.get_xticklabels()] == ["0.01", "0.1", "1", "10"]
    axes = Figure().subplots()
    axes.set_xlim(0, 500)
    number_axis(axes, [0, 10, 11, 12, 500])
    assert 10 not in axes.get_xticks()
