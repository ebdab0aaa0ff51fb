"""What each command prints; ``UPDATE_GOLDEN=1 pytest`` writes the files again.

The commands are run one after another in one directory.  Two are not among them: `label` waits for answers
(`test_label.py`), and `data fetch` needs a network.
"""

import contextlib
import io
import os
import re
import sys
from pathlib import Path

import pytest

from cscluster.cli.app import main

GOLDEN = Path(__file__).parent / "golden"
SOURCES = Path(__file__).parents[2]
EXPERIMENT = """
name: golden
title: Iris by k-means and PCK-Means
datasets: [iris]
constraints: {kind: random_pairs, counts: [20, 50]}
algorithms: [kmeans, pckmeans]
trials: 3
metrics: [nmi]
"""
COMMANDS = {
    "new_example": "new example",
    "data_info": "data info flowers.csv",
    "cluster": "cluster flowers.csv --links links.csv -k 3 -a pckmeans --model flowers.zip",
    "predict": "predict flowers.zip new.csv",
    "new_algorithm": "new algorithm mine",
    "new_experiment": "new experiment own",
    "check": "check kmeans",
    "validate": "validate golden.yaml",
    "run": "run golden.yaml -j 1",
    "run_again": "run golden.yaml -j 1",
    "sweep": "sweep golden.yaml -j 1 --grid pckmeans.w=1,2",
    "run_shard": "run golden.yaml -j 1 --results shards --shard 1/2",
    "merge": "merge shards/golden.shard-1-of-2 --results shards",
    "report": "report golden",
    "compare": "compare golden golden-sweep",
    "runs": "runs",
    "pack": "pack golden",
    "list": "list metrics",
    "show": "show kmeans",
    "data_clear": "data clear",
    "reproduce": "reproduce zhang2009/fig5 --dry-run",
    "benchmark": "benchmark exact --dry-run",
}
VARYING = {
    r"(?m)^trials: .*\n": "",  # one every few seconds
    r"\b\d+(\.\d+)? (ms|s|min|h|d|B|kB|MB)\b": "AMOUNT",
    r"\d+ files?\b": "FILES",
    r" {2,}": "  ",  # the room between columns is that of the version of rich
    r"(?m) +$": "",
}


@pytest.fixture(scope="module")
def printed(tmp_path_factory):
    """Return what each command prints, without what differs from machine to machine."""
    directory = tmp_path_factory.mktemp("golden")
    (directory / "golden.yaml").write_text(EXPERIMENT)
    texts = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(directory)
        patch.setenv("TERM", "dumb")
        for name, command in COMMANDS.items():
            patch.setattr(sys, "argv", ["cscluster", *command.split()])
            stream, code = io.StringIO(), 0
            with contextlib.redirect_stdout(stream), contextlib.redirect_stderr(stream):
                try:
                    main()
                except SystemExit as stop:
                    code = stop.code or 0
            text = stream.getvalue().replace(str(directory), "HERE").replace(str(SOURCES), "SOURCES")
            for pattern, word in VARYING.items():
                text = re.sub(pattern, word, text)
            texts[name] = f"$ cscluster {command}\n{text}exit code {code}\n"
    return texts


@pytest.mark.parametrize("name", COMMANDS)
def test_what_a_command_prints(printed, name):
    file = GOLDEN / f"{name}.txt"
    if os.environ.get("UPDATE_GOLDEN"):
        file.write_text(printed[name], encoding="utf-8")
    assert printed[name] == file.read_text(encoding="utf-8")
