"""Results with a shape of one's choice, as stored records give them, and what every figure must keep to."""

import itertools

import numpy as np

from cscluster.report.aggregate import collect
from tests.report.stored import entry, store, trial


def run(
    path,
    labels=("A", "B"),
    datasets=("iris",),
    points=(10, 20, 30),
    tiers=1,
    trials=3,
    repeats=1,
    grid=None,
    select="none",
    kind="random_pairs",
    metrics=("acc",),
    fails=lambda label, dataset, number: False,
    seconds=lambda label, dataset: 1.0,
    value=None,
):
    """Return the results of a run.

    `grid` maps parameters to values, `fails` tells which trials fail, `value` gives the score by label,
    data set, point and point of the grid; at random by default.
    """
    rng = np.random.default_rng(0)
    points_of_grid = [
        dict(zip(grid or {}, values, strict=True)) for values in itertools.product(*(grid or {}).values())
    ]
    records = []
    for dataset, label, point, at, number, tier in itertools.product(
        datasets, labels, points, points_of_grid, range(trials * repeats), range(1, tiers + 1)
    ):
        score = rng.uniform(0.4, 0.9) if value is None else value(label, dataset, point, at)
        failed = fails(label, dataset, number)
        record = trial(
            f"a{labels.index(label)}",
            None if failed else score,
            label=label,
            dataset=dataset,
            point=point,
            tier=tier,
            trial=number,
            grid=at,
        )
        if not failed:
            record["cpu_seconds"] = seconds(label, dataset)
            record["seconds"] = {"fit": record["cpu_seconds"]}
        records.append(record)
    entries = [entry(f"a{i}", label=label, select=select) for i, label in enumerate(labels)]
    return collect(store(path, entries, records, trials=trials, repeats=repeats, kind=kind, metrics=metrics))


def legend_texts(figure):
    return [text.get_text() for legend in figure.legends for text in legend.get_texts()]


def caption(figure):
    return figure.get_label().replace("\u00a0", " ")


def drawn_lines(axes):
    """Return the lines of a panel; markers alone are none."""
    return [line for line in axes.get_lines() if line.get_linestyle() != "None"]


def check_layout(figure):
    """Nothing sticks out of the figure, legends stand clear of the panels, and panels of each other."""
    with_room = figure.bbox.padded(1.5)
    boxes = [axes.get_tightbbox() for axes in figure.axes]
    legends = [legend.get_window_extent() for legend in figure.legends]
    for box in [*boxes, *legends]:
        assert with_room.x0 <= box.x0 <= box.x1 <= with_room.x1
        assert with_room.y0 <= box.y0 <= box.y1 <= with_room.y1
    for box, legend in itertools.product(boxes, legends):
        assert not box.padded(-1).overlaps(legend)
    for one, other in itertools.combinations(boxes, 2):
        assert not one.padded(-1.5).overlaps(other.padded(-1.5))
    for axes in figure.axes:
        for ticks in (axes.get_xticklabels(), axes.get_yticklabels()):
            shown = [label.get_window_extent() for label in ticks if label.get_text() and label.get_visible()]
            inside = [box for box in shown if axes.bbox.padded(40).contains(*box.get_points().mean(axis=0))]
            assert not any(a.padded(-1).overlaps(b.padded(-1)) for a, b in itertools.combinations(inside, 2))
