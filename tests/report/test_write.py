import csv
import io
import os

import pytest

from cscluster.errors import StoreError
from cscluster.report import write
from cscluster.report.aggregate import collect
from cscluster.report.compose import compose
from cscluster.report.formats import markdown
from cscluster.report.page import Fold, Page, Picture
from tests.report import stored


@pytest.fixture
def wide(tmp_path):
    return collect(stored.wide(tmp_path / "run"))


def test_report_and_summary_are_written_beside_the_records(wide, tmp_path):
    assert write.into_directory(wide, tmp_path) == tmp_path / "report.md"
    assert (tmp_path / "report.md").read_text(encoding="utf-8") == markdown.text([compose(wide)])
    rows = list(csv.DictReader(io.StringIO((tmp_path / "summary.csv").read_text(encoding="utf-8"))))
    assert len(rows) == len(wide.cells) == 15
    assert not list(tmp_path.glob(".*.part"))


def test_a_full_disk_is_told(wide, tmp_path, monkeypatch):
    def full(*args):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(StoreError, match=r"summary\.csv': No space left"):
        write.into_directory(wide, tmp_path)
    assert not list(tmp_path.glob(".*.part"))


def test_a_run_without_results(tmp_path):
    results = collect(stored.store(tmp_path, [stored.entry("a")], []))
    written = write.into_directory(results, tmp_path)
    assert written.read_text(encoding="utf-8").startswith("# A title")


def test_pictures_are_written_where_the_page_looks_for_them(tmp_path):
    shown, folded = (Picture(f"figures/{name}.png", name.encode(), f"picture {name}") for name in "ab")
    write.page(tmp_path / "page.md", Page("Pictures", [shown, Fold("more", [folded])]))
    assert [(tmp_path / f"figures/{name}.png").read_bytes() for name in "ab"] == [b"a", b"b"]
    assert "![picture b](figures/b.png)" in (tmp_path / "page.md").read_text(encoding="utf-8")
