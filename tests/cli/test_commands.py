"""Each command reads one options object, and hands it to a function."""

from importlib import import_module
from pathlib import Path
from typing import get_type_hints

import pytest

from cscluster.cli import report
from cscluster.cli.commands import COMMANDS
from cscluster.cli.options import ReportOptions


@pytest.mark.parametrize(
    ("options", "target"), [command[2:] for command in COMMANDS], ids=[command[3] for command in COMMANDS]
)
def test_the_function_of_a_command_takes_its_options(options, target):
    module, _, function = target.partition(":")
    types = get_type_hints(getattr(import_module(module), function))
    assert next(iter(types.values())) is options


def test_what_is_not_given_has_the_default_of_the_options(cscluster, monkeypatch):
    read = []
    monkeypatch.setattr(report, "report", read.append)
    assert cscluster("report", "a", "b").returncode == 0
    assert (
        cscluster("report", "a", "--where", "x=1", "--where", "y=2", "--out", "t.md", "--open").returncode
        == 0
    )
    assert read == [
        ReportOptions(runs=["a", "b"]),
        ReportOptions(runs=["a"], where=["x=1", "y=2"], out=Path("t.md"), open_page=True),
    ]
    assert read[0].figure_format == ["png"]
    assert read[0].where == []
