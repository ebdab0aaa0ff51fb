import base64
import hashlib
import json
import re
from importlib import resources

import pytest

from cscluster.report.html.document import document, embedded_json
from cscluster.report.html.markup import tag

FILES = resources.files("cscluster.report.html")


@pytest.fixture(scope="module")
def page():
    return document("A <title>", tag("p", "body $title"), {"name": "</script>"}, ["charts.js"])


def test_only_the_scripts_of_the_page_may_run(page):
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)[1].replace(
        "&#x27;", "'"
    )
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe" not in policy.partition("style-src")[0]
    scripts = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    assert len(scripts) == 4
    for script in scripts:
        assert base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() in policy


def test_nothing_is_fetched(page):
    shell = re.sub(r"<script>.*?</script>", "", page, flags=re.DOTALL)
    assert not re.search(r"(src|href|url|@import)\s*[=(]?\s*[\"']?\s*(https?:)?//", shell)
    assert re.findall(r'<link[^>]*href="([^"]*)"', shell) == ["data:,"]


def test_the_title_and_the_body_stand_as_they_are(page):
    assert "<title>A &lt;title&gt; · cscluster</title>" in page
    assert "<p>body $title</p>" in page


@pytest.mark.parametrize("value", ["</script>", "<!--", "]]>", "&amp;", "\u2028", "é", '"', "\\"])
def test_data_cannot_end_its_element(value):
    packed = embedded_json({"value": [value]})
    assert not set(packed) & set("<>&")
    assert json.loads(packed) == {"value": [value]}


def test_non_finite_numbers_become_null():
    packed = embedded_json([float("nan"), float("inf"), 0.123456789, 3, None, True])
    assert json.loads(packed) == [None, None, 0.123457, 3, None, True]


def test_letters_without_a_code_do_not_hinder_writing():
    page = document("\ud800", tag("p", "\udfff"), {"x": "\ud800"}).encode("utf-8")
    for part in ("<title>? · cscluster</title>".encode(), b"<p>?</p>", b'{"x":"?"}'):
        assert part in page


def test_the_chart_library_comes_with_its_licence_and_cannot_end_its_element():
    library = FILES / "vendor" / "echarts"
    code = (library / "echarts.min.js").read_text(encoding="utf-8")
    assert "</script" not in code.lower()
    assert "Apache License" in (library / "LICENSE").read_text(encoding="utf-8")
    assert "Apache ECharts" in (library / "NOTICE").read_text(encoding="utf-8")
    assert "Mike Bostock" in (library / "licenses" / "LICENSE-d3").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "path", [p for p in (FILES / "assets").iterdir() if p.name.endswith(".js")], ids=lambda p: p.name
)
def test_scripts_set_texts_never_html(path):
    code = path.read_text(encoding="utf-8")
    for forbidden in (
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "eval(",
        "fetch(",
        "XMLHttp",
    ):
        assert forbidden not in code


def test_only_a_page_with_charts_holds_the_library_that_draws_them():
    library = (FILES / "vendor" / "echarts" / "echarts.min.js").read_text(encoding="utf-8")
    sample = library[len(library) // 2 :][:1000]
    assert sample not in document("Words", tag("p", "no chart"))
    assert sample in document("Points", tag("p", "a chart"), {}, ["scatter.js"])
