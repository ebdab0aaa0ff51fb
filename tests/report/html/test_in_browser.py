"""The pages in a real browser: what a reader does, and that nothing goes wrong meanwhile."""

import json

import numpy as np
import pytest
from selenium.webdriver.support.ui import WebDriverWait

from cscluster.constraints import Constraints
from cscluster.report.aggregate import collect
from cscluster.report.colours import CLUSTERS, COLOURS
from cscluster.report.html import scatter_page
from tests.lines import assert_match

from .runs import DATASETS, HOSTILE, entry, five, hostile, store, trial, written

CURVES = "#run0 [data-chart=curves] .chart"
BOXES = "#run0 [data-chart=boxes] .chart"


class Reader:
    """Someone with a browser and a page."""

    def __init__(self, browser):
        self.browser = browser

    def open(self, path):
        for kind in ("browser", "performance"):
            self.browser.get_log(kind)
        self.browser.get(path.as_uri())

    def run(self, script, *arguments):
        return self.browser.execute_script(script, *arguments)

    def texts(self, selector):
        """Return the texts of all elements that are shown."""
        script = "return [...document.querySelectorAll(arguments[0])].filter(e => e.offsetParent).map(e => e.innerText)"
        return self.run(script, selector)

    def click(self, selector, number=0):
        element = self.find(selector)[number]
        self.run("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", element)
        element.click()

    def find(self, selector):
        return [e for e in self.browser.find_elements("css selector", selector) if e.is_displayed()]

    def choose(self, name, text):
        (option,) = [
            e
            for e in self.browser.find_elements("css selector", f"#run0 [name={name}] option")
            if e.text == text
        ]
        option.click()

    def press(self, *keys):
        from selenium.webdriver import ActionChains

        ActionChains(self.browser).send_keys(*keys).perform()

    def column(self, number):
        """Return a column of the table that is shown."""
        return self.texts(f"#run0-results ~ .box tbody tr > :nth-child({number})")

    def curves(self):
        """Return what the chart of curves shows: the values of each line by name."""
        lines = self.run(
            """return echarts.getInstanceByDom(document.querySelector(arguments[0])).getOption().series
               .filter(s => s.type === "line").map(s => [s.name, s.data.map(d => d.value[1])])""",
            CURVES,
        )
        return dict(lines)

    def width(self, pixels):
        self.browser.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": pixels, "height": 800, "deviceScaleFactor": 1, "mobile": pixels < 500},
        )

    def fits(self, pixels):
        """Wait until nothing sticks out of a screen of this width: charts follow it a moment later."""
        wide = "return document.documentElement.scrollWidth"
        return WebDriverWait(self.browser, 10).until(lambda _: self.run(wide) <= pixels)

    def media(self, media="", scheme="light"):
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": media, "features": features})

    def complaints(self):
        return [entry["message"] for entry in self.browser.get_log("browser")]

    def requests(self):
        events = [json.loads(entry["message"])["message"] for entry in self.browser.get_log("performance")]
        return [e["params"]["request"]["url"] for e in events if e["method"] == "Network.requestWillBeSent"]


@pytest.fixture
def reader(browser):
    """A reader at a wide screen who saw no page before; no page may complain."""
    reader = Reader(browser)
    reader.width(1280)
    reader.media()
    yield reader
    reader.run("localStorage.clear()")
    assert reader.complaints() == []


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return five(tmp_path_factory.mktemp("runs") / "five")


@pytest.fixture(scope="module")
def report(folder):
    return written(folder.path / "report.html", folder)


@pytest.fixture(scope="module")
def means(folder):
    cells = collect(folder).cells
    return cells.set_index(["metric", "dataset", "label", "point"])["mean"].sort_index()


def test_a_report_is_one_file_that_asks_for_nothing(reader, report):
    assert report.stat().st_size < 6_000_000
    reader.open(report)
    assert reader.texts("h1") == ["Five on three"]
    reader.run("document.querySelectorAll('select option:last-child').forEach(o => o.selected = true)")
    reader.click("#theme")
    assert [url for url in reader.requests() if not url.startswith("data:")] == [report.as_uri()]


def test_curves_show_the_means(reader, report, means):
    reader.open(report)
    curves = reader.curves()
    assert list(curves) == ["KMEANS", "RCA", "PMMC *", "SLOW", "BROKEN"]
    assert curves["RCA"] == pytest.approx(means["acc", "iris", "RCA"].to_list(), abs=1e-5)
    assert curves["BROKEN"] == []


def test_metric_and_data_set_are_switched(reader, report, means):
    reader.open(report)
    reader.choose("metric", "error")
    reader.choose("dataset", "wine")
    assert reader.curves()["SLOW"] == pytest.approx(means["error", "wine", "SLOW"].to_list(), abs=1e-5)
    assert reader.texts("#run0-results ~ .box caption") == ["error on wine by number of constraints"]
    assert_match(
        reader.texts("#run0 [data-chart=curves] figcaption span"), r"^error on wine, mean\. Band: 95 %"
    )
    (outcome,) = reader.texts(".outcome")
    assert "lowest error" in outcome


def test_the_chosen_view_stands_in_the_address(reader, report, means):
    reader.open(report)
    assert reader.run("return location.hash") == ""
    reader.choose("metric", "error")
    reader.choose("dataset", "wine")
    reader.choose("column", "40")
    reader.click(".key button", 1)
    address = reader.run("return location.href")
    reader.browser.get("about:blank")
    reader.browser.get(address)
    chosen = (
        "return [...document.querySelectorAll('#run0 .controls select')].map(e => e.selectedOptions[0].text)"
    )
    assert reader.run(chosen) == ["error", "wine", "40"]
    curves = reader.curves()
    assert list(curves) == ["KMEANS", "PMMC *", "SLOW", "BROKEN"]
    assert curves["SLOW"] == pytest.approx(means["error", "wine", "SLOW"].to_list(), abs=1e-5)
    reader.run("location.hash = 'run=7&metric=nothing'")
    reader.run("location.hash = 'run0-configuration'")
    assert reader.run(chosen) == ["error", "wine", "40"]


def test_box_plots_follow_the_chosen_point_and_pairs_the_metric(reader, report):
    script = "return echarts.getInstanceByDom(document.querySelector(arguments[0])).getOption().series[0].data.map(d => d.value)"
    pairs = "#run0-statistics ~ div[data-dataset]"
    reader.open(report)
    last, shown = reader.run(script, BOXES), reader.texts(f"{pairs} td")
    reader.choose("column", "20")
    assert reader.run(script, BOXES) != last
    assert [len(box) for box in reader.run(script, BOXES)] == [0, 5, 5, 5, 5]
    assert reader.texts(f"{pairs} td") == shown
    reader.choose("metric", "error")
    assert reader.texts(f"{pairs} td") != shown
    assert len(reader.texts(f"{pairs} tbody tr")) == 6


def test_an_algorithm_is_hidden_and_shown_by_the_key(reader, report):
    reader.open(report)
    key = "#run0 .key button"
    reader.click(key, 1)
    assert "RCA" not in reader.curves()
    assert reader.find(key)[1].get_attribute("aria-pressed") == "false"
    script = "return echarts.getInstanceByDom(document.querySelector(arguments[0])).getOption().yAxis[0].data"
    assert reader.run(script, BOXES) == ["BROKEN", "SLOW", "PMMC *", "KMEANS"]
    reader.click(key, 1)
    assert "RCA" in reader.curves()
    reader.click(key, 6)
    assert reader.curves() == {}
    reader.click(key, 5)
    assert len(reader.curves()) == 5


def test_the_pointer_shows_values(reader, report, means):
    from selenium.webdriver import ActionChains

    reader.open(report)
    (chart,) = reader.find(CURVES)
    ActionChains(reader.browser).move_to_element(chart).perform()
    text = reader.run("return document.querySelector(arguments[0] + ' .tip').innerText", CURVES)
    assert text.startswith("number of constraints = 60")
    assert f"{means['acc', 'iris', 'RCA', 60]:.3f} ± " in text
    assert "PMMC * [lam=1]" in text
    assert "(17/20)" in text


def test_a_table_is_sorted_by_its_headings(reader, report):
    from selenium.webdriver import Keys

    reader.open(report)
    assert reader.column(1) == ["KMEANS", "RCA", "PMMC *", "SLOW", "BROKEN"]
    heads = "#run0-results ~ .box thead button"
    reader.click(heads, 5)
    assert reader.column(1) == ["SLOW", "PMMC *", "RCA", "KMEANS", "BROKEN"]
    assert reader.column(6)[-1] == "N/A (0/20)"
    reader.press(Keys.ENTER)
    assert reader.column(1) == ["KMEANS", "RCA", "PMMC *", "SLOW", "BROKEN"]
    head = reader.find("#run0-results ~ .box thead th")[5]
    assert head.get_attribute("aria-sort") == "ascending"
    reader.click(heads, 0)
    assert reader.column(1) == sorted(reader.column(1))
    assert head.get_attribute("aria-sort") is None


def test_tables_are_filtered(reader, report):
    reader.open(report)
    (field,) = reader.find("#run0-results ~ label .filter")
    field.send_keys("mmc")
    assert reader.column(1) == ["PMMC *"]
    assert reader.texts("#run0-results ~ label output") == ["1 of 5"]
    reader.choose("dataset", "wine")
    assert reader.column(1) == ["PMMC *"]
    field.send_keys("\ue00c")
    assert len(reader.column(1)) == 5
    (pairs,) = reader.find("#run0-statistics ~ label .filter")
    pairs.send_keys("slow kmeans")
    assert len(reader.texts("#run0-statistics ~ div[data-dataset] tbody tr")) == 1
    (failures,) = reader.find("#run0-failures ~ label .filter")
    failures.send_keys("glass broken")
    assert len(reader.texts("#run0-failures ~ .box tbody tr")) == 1


def test_dark_and_light(reader, report):
    ground = "return getComputedStyle(document.body).backgroundColor"
    ink = "return echarts.getInstanceByDom(document.querySelector(arguments[0])).getOption().textStyle.color"
    reader.open(report)
    light = reader.run(ground), reader.run(ink, CURVES)
    reader.click("#theme")
    dark = reader.run(ground), reader.run(ink, CURVES)
    assert light[0] != dark[0]
    assert light[1] != dark[1]
    reader.media(scheme="dark")
    reader.run("localStorage.clear()")
    reader.open(report)
    assert (reader.run(ground), reader.run(ink, CURVES)) == dark
    reader.click("#theme")
    assert (reader.run(ground), reader.run(ink, CURVES)) == light


def test_the_keyboard_reaches_everything_in_order(reader, report):
    from selenium.webdriver import Keys

    reader.open(report)
    seen = []
    for _ in range(12):
        reader.press(Keys.TAB)
        seen.append(reader.run("const e = document.activeElement; return e.name || e.innerText.trim()"))
        assert reader.run("return getComputedStyle(document.activeElement).outlineStyle") != "none"
    assert seen[:3] == ["Skip to the content", "Dark", "Results"]
    assert seen[8:] == ["metric", "dataset", "column", "bands"]


def test_a_phone_needs_no_sideways_scrolling(reader, report, tmp_path):
    reader.width(360)
    other = written(tmp_path / "hostile.html", hostile(tmp_path / "run"))
    for path in (report, other):
        reader.open(path)
        assert reader.fits(360)
        assert reader.run("return document.querySelector('.chart').clientWidth") > 250


def test_a_table_that_scrolls_says_so_until_its_end(reader, report):
    reader.width(360)
    reader.open(report)
    (box,) = reader.find("#run0-results ~ .box")
    wider = "return arguments[0].classList.contains('wider')"
    WebDriverWait(reader.browser, 10).until(lambda _: reader.run(wider, box))
    reader.run("arguments[0].scrollLeft = 9999", box)
    WebDriverWait(reader.browser, 10).until(lambda _: not reader.run(wider, box))
    reader.width(1600)
    reader.open(report)
    (box,) = reader.find("#run0-results ~ .box")
    assert not reader.run(wider, box)


def test_paper_shows_all_tables_and_no_controls(reader, report):
    reader.open(report)
    reader.media(media="print")
    assert len(reader.find("#run0-results ~ .box")) == 2 * len(DATASETS)
    assert not reader.find(".controls")


def test_names_are_shown_as_they_are_and_run_nothing(reader, tmp_path):
    reader.open(written(tmp_path / "page.html", hostile(tmp_path / "run")))
    assert reader.run("return window.harmed") is None
    assert reader.texts("h1") == [HOSTILE[1]]
    assert reader.column(1) == HOSTILE
    assert reader.texts("#run0 .key bdi") == HOSTILE
    assert list(reader.curves()) == HOSTILE


def test_a_script_that_is_not_the_pages_own_cannot_run(reader, report):
    reader.open(report)
    reader.run(
        "const s = document.createElement('script'); s.textContent = 'window.harmed = 1'; document.body.append(s)"
    )
    assert reader.run("return window.harmed") is None
    (complaint,) = reader.complaints()
    assert "Content Security Policy" in complaint


def test_several_runs_have_tabs(reader, tmp_path):
    from selenium.webdriver import Keys

    grid = [
        trial("a", 0.1 * tier + 0.01 * lam + 0.01 * t, tier=tier, trial=t, grid={"lam": lam, "s": s})
        for lam in (1, 10)
        for s in ("x", "y")
        for tier in (1, 2)
        for t in (0, 1)
    ]
    runs = [
        store(tmp_path / "none", [entry("a")], [], title="Nothing yet"),
        store(
            tmp_path / "failed",
            [entry("a")],
            [trial("a", None), trial("a", None, trial=1)],
            title="All failed",
        ),
        store(tmp_path / "grid", [entry("a")], grid, kind="tiers", title="A grid over tiers"),
    ]
    reader.open(written(tmp_path / "page.html", *runs))
    assert reader.texts("h1") == ["Nothing yet"]
    reader.click("[role=tab]", 1)
    assert reader.texts("h1") == ["All failed"]
    reader.press(Keys.ARROW_RIGHT)
    assert reader.texts("h1") == ["A grid over tiers"]
    assert [e.get_attribute("aria-selected") for e in reader.find("[role=tab]")] == ["false", "false", "true"]
    caption = reader.texts("[data-chart=curves] figcaption span")
    assert_match(caption, r"^ACC \(majority\) on iris, mean\. Band: 95 %")


def test_a_map(reader, tmp_path):
    path = tmp_path / "map.html"
    square = [(0, 0), (0, 1), (1, 0), (1, 1)]
    constraints = Constraints([(0, 1)], [(0, 3)], n_samples=4)
    page = scatter_page(square, HOSTILE[:2] * 2, constraints, title="A map", ids=HOSTILE[:4])
    path.write_text(page, encoding="utf-8")
    series = (
        "return echarts.getInstanceByDom(document.querySelector('.chart')).getOption().series.map(s => s.id)"
    )
    reader.open(path)
    assert reader.run(series) == ["cluster0", "cluster1", "must", "cannot"]
    reader.click(".key button", 0)
    reader.click(".key button", 2)
    assert reader.run(series) == ["cluster1", "cannot"]
    assert reader.texts("tbody tr :nth-child(3)") == ["must"]


def test_colours_are_those_of_the_figures(reader, tmp_path):
    path = tmp_path / "map.html"
    path.write_text(
        scatter_page(np.eye(6, 2), range(6), Constraints.empty(6), title="A map"), encoding="utf-8"
    )
    reader.open(path)
    reader.media(scheme="light")
    asked = "return [0, 1, 2, 3, 4, 5, 6].map(i => colour(`series-${i}`))"
    series = [tuple(int(c[i : i + 2], 16) for i in (1, 3, 5)) for c in COLOURS]
    assert reader.run(asked) == ["rgb({}, {}, {})".format(*rgb) for rgb in series]
    drawn = reader.run(
        """return echarts.getInstanceByDom(document.querySelector('.chart')).getOption().series
           .filter(s => s.type === "scatter").map(s => s.itemStyle.color)"""
    )
    clusters = [series[CLUSTERS[i % len(CLUSTERS)]] for i in range(6)]
    assert drawn == ["rgb({}, {}, {})".format(*rgb) for rgb in clusters]
    reader.width(360)
    assert reader.fits(360)
    assert reader.run("return window.harmed") is None
