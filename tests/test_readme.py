"""The README says what is true: its table is the registry's, its commands and keys exist."""

import re
from pathlib import Path

import yaml

from cscluster import bundle
from cscluster.algorithms import registry
from cscluster.experiment.load import parse
from cscluster.experiment.plan import make_plan

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


def test_the_table_of_algorithms_is_the_registry():
    table = re.search(r"(?s)<!-- algorithms -->\n(.*?)<!-- end -->", README)[1]
    names = re.findall(r"^\| (\w+) \|", table, re.MULTILINE)
    assert names[1:] == [algorithm.name for algorithm in registry.BUILT_IN], "run: make readme"
    for algorithm in registry.BUILT_IN:
        assert f"| {algorithm.name} | {algorithm.title} | {algorithm.family} |" in table, "run: make readme"


def test_the_experiments_in_the_readme_are_valid(tmp_path, monkeypatch):
    (tmp_path / "flowers.csv").write_text(
        "id,width,length,species\n" + "".join(f"f{i},{i},{i},{i % 2}\n" for i in range(9))
    )
    (tmp_path / "links.csv").write_text("a,b,link\nf0,f1,cannot\n")
    (tmp_path / "mine.py").write_text(re.search(r"(?s)```python\n(# mine.py.*?)```", README)[1])
    monkeypatch.chdir(tmp_path)
    texts = re.findall(r"(?s)```yaml\n(.*?)```", README)
    assert len(texts) >= 3
    for text in texts:
        make_plan(parse(text, source="README.md", folder=tmp_path))


def test_commands_named_in_the_readme_exist():
    from typer.main import get_command

    from cscluster.cli.app import app

    known = get_command(app).commands
    used = set(re.findall(r"[`/]cscluster ([a-z]+)", README))
    assert {"run", "report", "show", "validate", "list"} <= used
    assert used <= set(known)


def test_every_promise_names_a_test_that_exists():
    promises = re.search(r"(?s)## What it promises\n(.*?)\n## ", README)[1]
    rows = re.findall(r"^\| (?!promise|---)(.*) \| (.*) \|$", promises, re.MULTILINE)
    assert len(rows) >= 10
    for promise, tests in rows:
        names = re.findall(r"`(tests/[\w/]+\.py)`", tests)
        assert names, promise
        assert all((Path(__file__).parents[1] / name).is_file() for name in names), promise


def test_the_main_experiment_is_the_one_explained():
    content = yaml.safe_load((bundle.folder("configs") / "mnist0689.yaml").read_text(encoding="utf-8"))
    explained = yaml.safe_load(re.search(r"(?s)```yaml\n(name: mnist0689.*?)```", README)[1])
    assert explained == content
