import re
import subprocess
import sys

import pytest

from cscluster import run as run_experiment
from cscluster.errors import ConfigError
from cscluster.report.aggregate import collect
from cscluster.report.figures import draw
from cscluster.report.figures.draw import drawings

from .runs import run

FIVE = {"labels": ("A", "B", "C"), "datasets": ("iris", "wine", "sonar", "glass", "soybean")}
GRID = {"lam": (0.1, 1, 10)}
ONE = {"points": (10,)}


@pytest.mark.parametrize(
    ("shape", "kinds"),
    [
        ({}, ["curves_acc"]),
        ({"metrics": ("acc", "seconds")}, ["curves_acc", "curves_seconds"]),
        ({"metrics": ("acc", "never_recorded")}, ["curves_acc"]),
        (ONE, ["boxes_acc"]),
        ({**ONE, "trials": 1}, []),
        ({**ONE, "tiers": 2, "kind": "tiers"}, ["tiers_acc"]),
        (FIVE, ["curves_acc", "critical_difference_acc"]),
        ({**FIVE, "labels": ("A", "B")}, ["curves_acc"]),
        ({**FIVE, "datasets": ("iris", "wine", "sonar", "glass")}, ["curves_acc"]),
        ({**ONE, "labels": ("A",), "grid": GRID}, ["boxes_acc", "sensitivity_lam_acc"]),
        ({**ONE, "labels": ("A",), "grid": GRID, "select": "oracle:acc"}, ["boxes_acc"]),
        ({"labels": tuple("ABCDE"), "grid": GRID}, ["sensitivity_lam_acc"]),
        ({**ONE, "labels": ("A",), "grid": {**GRID, "C": (1, 2)}}, ["boxes_acc", "sensitivity_C_lam_acc"]),
        ({**ONE, "labels": ("A",), "grid": {**GRID, "C": (1, 2), "d": (1, 2)}}, ["boxes_acc"]),
        ({"fails": lambda label, dataset, number: True}, []),
        ({"labels": ()}, []),
    ],
)
def test_the_kinds_that_fit(tmp_path, shape, kinds):
    assert [name for name, _ in drawings(run(tmp_path, **shape))] == kinds


def test_figures_of_a_real_run(tmp_path):
    config = tmp_path / "sizes.yaml"
    config.write_text(
        "name: sizes\n"
        "datasets:\n"
        "  - {generator: rings, size: 60, name: small}\n"
        "  - {generator: rings, size: 90, name: middle}\n"
        "  - {generator: rings, size: 120, name: large}\n"
        "constraints: {kind: random_pairs, counts: [5, 10]}\n"
        "algorithms: [kmeans, pckmeans, {name: kmeans, label: one start, params: {n_init: 1}}]\n"
        "trials: 2\n"
        "metrics: [acc]\n"
    )
    folder = run_experiment(str(config), out=tmp_path, jobs=1)
    results = collect(folder)
    assert results.families == {"rings": {"small": 60, "middle": 90, "large": 120}}
    files = draw(results, tmp_path / "figures", ("pdf", "svg"))
    # Samples of one source are no three data sets: there are no ranks.
    assert [path.name for path in files] == ["curves_acc.pdf", "curves_acc.svg", "scaling.pdf", "scaling.svg"]
    assert all(path.stat().st_size > 1000 for path in files)
    caption = (tmp_path / "figures" / "curves_acc.caption.tex").read_text()
    assert caption.startswith("ACC (majority), mean of 2 trials")


def test_captions_are_written_for_latex(tmp_path):
    results = run(tmp_path / "run", ("A",), grid={"lam": (1, 2)}, select="oracle:acc")
    draw(results, tmp_path / "figures")
    caption = (tmp_path / "figures" / "curves_acc.caption.tex").read_text()
    assert re.search(r"Band: 95 \\% .*\. \*: parameters", caption)


def test_an_unknown_style(tmp_path):
    with pytest.raises(ConfigError, match=r"'poster'.*paper, page, slides"):
        draw(run(tmp_path), tmp_path / "figures", style="poster")


def test_names_of_files_are_safe(tmp_path):
    results = run(tmp_path, ("A",), points=(10,), grid={"../a b": (1, 2)})
    assert [name for name, _ in drawings(results)] == ["boxes_acc", "sensitivity_.._a_b_acc"]


def test_an_unknown_format_is_found_before_anything_is_drawn(tmp_path):
    with pytest.raises(ConfigError, match="figure format 'jpg'"):
        draw(run(tmp_path), tmp_path / "figures", ("png", "jpg"))
    assert not (tmp_path / "figures").exists()


def test_matplotlib_is_loaded_by_the_figures_alone_and_without_pyplot():
    code = """
import sys
import cscluster.report.compose, cscluster.cli.report
print("matplotlib" in sys.modules)
import cscluster.report.figures
print("matplotlib.pyplot" in sys.modules)
"""
    assert subprocess.check_output([sys.executable, "-c", code], text=True).split() == ["False", "False"]
