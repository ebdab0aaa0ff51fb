"""What docs/architecture.md says one writes to add something is all that one has to write."""

import re
from pathlib import Path

import numpy as np
import pytest

from cscluster.data import formats
from cscluster.experiment.config import schedules
from cscluster.metrics import catalogue
from cscluster.metrics.scores import score, scores

PAGE = (Path(__file__).parents[2] / "docs" / "architecture.md").read_text(encoding="utf-8")


def example(heading):
    """Return the first block of code below a heading."""
    return re.search(rf"### {heading}\n.*?```python\n(.*?)```", PAGE, re.DOTALL).group(1)


def test_a_metric(monkeypatch):
    metric = eval(example("A metric"), vars(catalogue))
    monkeypatch.setitem(catalogue.METRICS, metric.name, metric)
    assert score("purity_loss", [0, 0, 1, 1], [0, 0, 0, 1]) == pytest.approx(0.25)
    assert scores([0, 1], [0, 1])["purity_loss"] == 0
    assert catalogue.lower_is_better("purity_loss@unseen")


def test_a_schedule():
    room = dict(vars(schedules))
    exec(example("A schedule of constraints"), room)
    schedule = room["Chain"](counts=[3, 5])
    assert schedule.example() == "{kind: chain, counts: [20, 50, 100]}"
    y = np.array([0, 0, 1, 1, 2, 2])
    three, five = (schedule.episode(point, y, 0, "toy", 0).tiers[0] for point in schedule.points)
    assert (len(three), len(five)) == (3, 5)
    assert (three | five) == five


def test_a_format():
    known = eval(example("A file format"), vars(formats))
    assert known.endings == (".feather",)
