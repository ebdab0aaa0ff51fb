import html
import re

import pytest
import yaml

from cscluster.report.aggregate import collect
from cscluster.report.html import page, significance

from .runs import DATASETS, entry, five, hostile, store, trial


def body(text):
    """Return what a reader without scripts sees, as markup."""
    return re.sub(r"<(script|style).*?</\1>", "", text, flags=re.DOTALL)


def words(text):
    return " ".join(html.unescape(re.sub(r"<[^>]*>", "", body(text))).split())


def page_of(*folders):
    return page([collect(folder) for folder in folders], list(folders))


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    return five(tmp_path_factory.mktemp("runs") / "five", trials=4, points=(20, 40))


@pytest.fixture(scope="module")
def small_page(small):
    return page_of(small)


def test_identical_input_gives_identical_bytes(small, small_page):
    assert page_of(small) == small_page


def test_the_configuration_is_yaml_that_says_the_same(tmp_path):
    folder = store(
        tmp_path, [{**entry("a"), "params": {"gamma": None}}], [trial("a", 0.5)], title="Yes: <no>"
    )
    text = html.unescape(re.search(r"<code>(name: .*?)</code>", page_of(folder), re.DOTALL)[1])
    read = yaml.safe_load(text)
    assert read["title"] == "Yes: <no>"
    assert read["algorithms"] == [{"name": "a", "label": "A", "select": "none", "params": {"gamma": None}}]


def test_environments_that_trials_used_are_shown(tmp_path):
    folder = store(
        tmp_path,
        [entry("a")],
        [trial("a", 0.5, environment="e1"), trial("a", 0.6, trial=1, environment="e1")],
        environments={"e1": {"python": "3.13.1", "packages": {"numpy": "2.1"}}, "e2": {"python": "2.7"}},
    )
    shown = words(page_of(folder))
    assert "Environment e1: 2 trials" in shown
    assert "numpy 2.1" in shown
    assert "2.7" not in shown


def test_warnings_are_counted(tmp_path):
    records = [trial("a", 0.5, trial=t, warnings=["did not <converge>"]) for t in (0, 1)]
    shown = words(page_of(store(tmp_path, [entry("a")], records)))
    assert "did not <converge>2" in shown  # the message, and in the next cell how often
    assert "2 warnings" in shown


def test_texts_of_files_cannot_become_markup(tmp_path):
    text = page_of(hostile(tmp_path / "run"))
    text.encode("utf-8")
    assert "window.harmed" in words(text)
    assert not re.search(r"<script>[^<]*harmed", text)
    assert "<img" not in body(text)
    assert not re.search(r"<[^>]*\son\w+=", re.sub(r'"[^"]*"', '""', body(text)))


def test_one_data_set_and_one_point_need_fewer_charts(tmp_path):
    records = [trial(name, 0.1 * t, trial=t) for name in "ab" for t in (0, 1)]
    text = page_of(store(tmp_path, [entry("a"), entry("b")], records))
    assert re.findall(r'data-chart="(\w+)"', text) == ["boxes"]
    assert "Ranks need at least 5 data sets" in text


def test_tiers_have_their_charts(tmp_path):
    records = [
        trial("a", 0.1 * tier, trial=t, tier=tier, grid={"lam": lam})
        for lam in (1, 2)
        for tier in (1, 2)
        for t in (0, 1)
    ]
    text = page_of(store(tmp_path, [entry("a")], records, kind="tiers"))
    assert re.findall(r'data-chart="(\w+)"', text) == ["curves", "boxes"]
    assert "10, tier 2</option>" in text


def test_a_run_without_results(tmp_path):
    shown = words(page_of(store(tmp_path, [entry("a")], [])))
    assert "No trial of this run is stored yet." in shown
    assert "No trial failed." in shown
    assert "0 of 0" in shown


def test_a_run_of_which_all_trials_failed(tmp_path):
    records = [trial(name, None, trial=t, point=point) for name in "ab" for t in (0, 1) for point in (10, 20)]
    shown = words(page_of(store(tmp_path, [entry("a"), entry("b")], records)))
    assert "N/A (0/2)" in shown
    assert "8 failed trials" in shown
    assert "Too few trials" in shown


@pytest.mark.parametrize(("limit", "is_shown"), [(18, True), (17, False)])
def test_too_many_pairs_are_left_out(tmp_path, monkeypatch, limit, is_shown):
    # Three pairs, two metrics, three data sets.
    records = [
        trial(name, 0.1 * k + 0.01 * t, trial=t, point=point, dataset=data)
        for k, name in enumerate("abc")
        for data in DATASETS
        for point in (10, 20)
        for t in (0, 1)
    ]
    folder = store(tmp_path, [entry(name) for name in "abc"], records, metrics=["acc", "error"])
    monkeypatch.setattr(significance, "PAIRS_LIMIT", limit)
    text = page_of(folder)
    assert text.count("rank-biserial</bdi>") == (6 if is_shown else 0)
    assert ("too many pairs" in text) == (not is_shown)


def test_several_runs_have_tabs(tmp_path, small):
    other = store(tmp_path / "other", [entry("a")], [trial("a", 0.5)], title="Other")
    text = page_of(small, other)
    assert "<title>2 runs · cscluster</title>" in text
    assert re.findall(r'aria-controls="(\w+)"', text) == ["run0", "run1"]
    assert len(re.findall(r"<article", text)) == 2
