"""The history of speed: what benchmarks append can be drawn."""

import runpy
from pathlib import Path

from tests.benchmarks.conftest import record  # noqa: F401

DOCS = Path(__file__).parents[2] / "docs"


def test_what_a_benchmark_appends_is_drawn(tmp_path, monkeypatch, record):  # noqa: F811
    history = tmp_path / "speed.csv"
    history.write_text((DOCS / "speed.csv").read_text())
    monkeypatch.setenv("SPEED_HISTORY", str(history))
    record("CPCMMC over PMMC", 1.25, 1.5)
    record("something, new", 3.0, 4)
    assert history.read_text().splitlines()[-2].split(",", 3)[3] == "CPCMMC over PMMC,1.25,1.5"
    runpy.run_path(str(DOCS / "speed.py"))["draw"](tmp_path)
    assert (tmp_path / "generated" / "speed.png").read_bytes().startswith(b"\x89PNG")
