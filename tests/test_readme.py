"""README and documentation say what is true: their commands, keys, links and outputs exist."""

import contextlib
import re
import shlex
from pathlib import Path

import pytest
import yaml
from typer.main import get_command

from cscluster import __version__, bundle
from cscluster.algorithms import registry
from cscluster.cli.app import main
from cscluster.cli.commands import app
from cscluster.experiment.config.load import parse
from cscluster.experiment.plan.trials import make_plan

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = {
    path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
    for path in (
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
        *sorted((ROOT / "docs").glob("*.md")),
        *sorted((ROOT / "docs/tutorials").glob("*.md")),
        *sorted((ROOT / "docs/reference").glob("*.md")),
    )
}
ALL = "\n".join(PAGES.values())
LINES = [
    line.partition("#")[0].strip()
    for block in re.findall(r"(?s)```(?:sh|text)\n(.*?)```", ALL)
    for line in block.splitlines()
    if line.startswith(("cscluster ", ".venv/bin/cscluster "))
]
SPANS = re.findall(r"`(?:\.venv/bin/)?(cscluster [a-z-][^`]*)`", ALL)


def test_the_readme_is_short():
    assert README.count("\n") <= 150


def test_the_experiments_that_are_shown_are_valid(tmp_path, monkeypatch):
    (tmp_path / "flowers.csv").write_text(
        "id,width,length,species\n" + "".join(f"f{i},{i},{i},{i % 2}\n" for i in range(40))
    )
    (tmp_path / "links.csv").write_text("a,b,link\nf0,f1,cannot\n")
    (tmp_path / "mine.py").write_text(re.search(r"(?s)```python\n(# mine.py.*?)```", ALL)[1])
    monkeypatch.chdir(tmp_path)
    texts = re.findall(r"(?s)```yaml\n(.*?)```", ALL)
    assert len(texts) >= 3
    for text in texts:
        make_plan(parse(text, source="README.md", folder=tmp_path))


def test_commands_that_are_named_exist():
    known = get_command(app).commands
    used = set(re.findall(r"(?m)(?:[`/]|^)cscluster ([a-z]+)", ALL))
    assert {"run", "report", "show", "validate", "list", "cluster", "check", "new"} <= used
    assert used <= set(known)


def unknown_words(line):
    """Return what the command line would not understand: a command or an option."""
    words = shlex.split(line)[1:]
    command = get_command(app)
    options = {name for parameter in command.params for name in parameter.opts}
    while words and hasattr(command, "commands") and not words[0].startswith("-"):
        if words[0] not in command.commands:
            return [words[0]]
        command = command.commands[words.pop(0)]
        options = {
            name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)
        }
    used = [word.partition("=")[0] for word in words if re.match(r"--?[a-z]", word)]
    return [word for word in used if word not in {*options, "--help", "-h"}]


@pytest.mark.parametrize("line", [*LINES, *SPANS])
def test_every_command_line_uses_what_exists(line):
    assert unknown_words(line) == []


def test_a_wrong_command_line_would_be_found():
    assert len(LINES) >= 10
    assert len(SPANS) >= 10
    assert unknown_words("cscluster rum mnist0689") == ["rum"]
    assert unknown_words("cscluster run mnist0689 --job 3 -j 2") == ["--job"]
    assert unknown_words("cscluster new algorithm mine --directories .") == ["--directories"]


def test_every_parameter_of_a_grid_exists():
    help_of_grid = next(p.help for p in get_command(app).commands["sweep"].params if "--grid" in p.opts)
    grids = re.findall(r"\b([a-z_]+)\.([A-Za-z_]+)[=:]", ALL + help_of_grid)
    known = {algorithm.name: algorithm for algorithm in registry.BUILT_IN}
    named = [(name, parameter) for name, parameter in grids if name in known]
    assert len(named) >= 4
    assert [f"{name}.{p}" for name, p in named if p not in known[name].defaults()] == []


def test_links_lead_to_files():
    missing = [
        f"{page}: {target}"
        for page, text in PAGES.items()
        for target in re.findall(r"\]\(([^)#]+)[^)]*\)", text)
        if not target.startswith("http") and "generated/" not in target
        if not (ROOT / page).parent.joinpath(target).exists()
    ]
    assert missing == []


def test_the_python_in_the_readme_runs():
    block = re.search(r"(?s)```python\n(from sklearn.*?)```", README)[1]
    before, _, after = block.partition("results = run(")
    names = {}
    exec(before, names)
    assert len(names["links"].violated(names["labels"])) == 0
    assert len(names["steps"].predict(names["data"].X)) == 150
    assert "to_frame()" in after


def masked(text):
    """Return a text with N for each number, the lines without what follows them."""
    return [re.sub(r"[\d.]*\d", "N", line).rstrip() for line in text.strip().splitlines()]


def test_a_minute_with_a_table_shows_what_one_sees(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    section = PAGES["docs/tutorials/table.md"]
    shown = re.findall(r"(?s)```sh\n(cscluster [^\n]*)\n```\n\n```text\n(.*?)```", section)
    assert [line.split()[1] for line, _ in shown] == ["new", "cluster", "predict"]
    for line, output in shown:
        monkeypatch.setattr("sys.argv", shlex.split(line))
        with contextlib.suppress(SystemExit):
            main()
        assert masked(capsys.readouterr().out) == masked(output)


def test_the_citation_is_well_formed():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert {"cff-version", "message", "title", "authors", "version", "license"} <= set(citation)
    assert citation["version"] == __version__
    cited = {(work["authors"][0]["family-names"].lower(), work["year"]) for work in citation["references"]}
    assert cited == {(name[:-4], int(name[-4:])) for name in registry.PAPERS}
    for work in citation["references"]:
        assert all(set(author) == {"family-names", "given-names"} for author in work["authors"])


def test_every_promise_names_a_test_that_exists():
    promises = PAGES["docs/reference/promises.md"]
    rows = re.findall(r"^\| (?!promise|---)(.*) \| (.*) \|$", promises, re.MULTILINE)
    assert len(rows) >= 10
    for promise, tests in rows:
        names = re.findall(r"`(tests/[\w/]+\.py)`", tests)
        assert names, promise
        assert all((Path(__file__).parents[1] / name).is_file() for name in names), promise


def test_the_main_experiment_is_the_one_explained():
    content = yaml.safe_load((bundle.folder("configs") / "mnist0689.yaml").read_text(encoding="utf-8"))
    explained = yaml.safe_load(re.search(r"(?s)```yaml\n(name: mnist0689.*?)```", ALL)[1])
    assert explained == content


def test_the_share_of_claims_is_the_one_of_the_reproduction():
    page = (ROOT / "results" / "reference" / "REPRODUCTION.md").read_text(encoding="utf-8")
    share = re.search(r"\*\*(reproduced \d+ of \d+ claims .*?)\*\*", page)[1]
    assert share in " ".join(README.split())
