"""README and documentation say what is true: their commands, keys, links and outputs exist."""

import contextlib
import importlib
import io
import os
import re
import shlex
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import yaml
from typer.main import get_command

import cscluster
from cscluster import __version__, bundle
from cscluster.algorithms import registry
from cscluster.cli.app import main
from cscluster.cli.commands import app
from cscluster.experiment.config.load import parse
from cscluster.experiment.plan.trials import make_plan
from cscluster.papers import reference, tracks
from cscluster.tables.example import example_files

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
    assert README.count("\n") <= 120


def rows_of(text):
    """Return the cells of the lines of Markdown tables."""
    return [
        [cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line[:1] == "|"
    ]


def test_advice_is_that_of_the_benchmark():
    page = (ROOT / "results/reference/BENCHMARK.md").read_text(encoding="utf-8")
    advice = rows_of(README.partition("## Which method\n")[2].partition("\n## ")[0])[2:]
    assert len(advice) >= 5
    found = {
        row[0]: row[1:3] for row in rows_of(page.partition("## Recommendations")[2].partition("\n## ")[0])
    }
    for situation, constraints, best, ari, of_kmeans in advice:
        assert found[f"{situation}, {constraints}"] == [best, f"{ari} ({of_kmeans})"]


def test_readme_benchmark_and_help_give_the_same_advice():
    page = (ROOT / "results/reference/BENCHMARK.md").read_text(encoding="utf-8")
    of_page, of_readme = (
        dict(re.findall(r"(?m)^- \*\*(.*?):\*\* (.*)$", text.partition(start)[0 if start == "\n![" else 2]))
        for text, start in ((page, "\n!["), (README, "## Which method\n"))
    )
    of_help = " ".join(get_command(app).commands["cluster"].help.split()).partition("by the benchmark? ")[2]
    assert len(of_readme) >= 5
    for heading, said in of_readme.items():
        use = re.match(
            r"(?:from .*? on, )?use (.*?)\.  |no method is clearly better than k-means\.  (.+?) has",
            of_page[heading],
        )
        names = (use[1] or use[2]).split(" or ")
        assert ("no method is clearly better than k-means" in said) == (use[1] is None)
        helped = of_help.partition(f"{heading}: ")[2].partition(". ")[0]
        assert [name for name in names if name not in said or name not in helped] == []


def test_the_advice_of_the_benchmark_has_its_numbers():
    page = (ROOT / "results/reference/BENCHMARK.md").read_text(encoding="utf-8")
    scores = reference.read(ROOT / "results/reference/benchmark.csv").query("metric == 'ari'")
    means = scores.groupby(["item", "point", "label"])["mean"].mean()
    names = {track.situation: name for name, track in tracks.tracks().items()}
    rows = rows_of(page.partition("## Recommendations")[2].partition("\n## ")[0])[2:]
    assert {row[0].rpartition(", ")[0] for row in rows} == set(names)
    for where, best, numbers, tied in rows:
        situation, _, point = where.rpartition(", ")
        here = means[names[situation], int(point.split()[0])]
        said = {best: numbers.split(" ")[0], "k-means": numbers.partition("(")[2].rstrip(")")}
        said |= dict(re.findall(r"fastest within 0.02: (.+) \((\S+)\)", tied))
        assert {name: float(ari) for name, ari in said.items()} == pytest.approx(
            {name: here[name] for name in said}, abs=6e-4
        )
    lines = page.partition("## Recommendations")[0]
    evidence = re.findall(r"With ([^,]+), (.+?) has ARI (\S+) \(k-means ([\d.]+)", lines)
    assert len(evidence) >= 8
    assert {(point, best, f"{ari} ({of_kmeans})") for point, best, ari, of_kmeans in evidence} <= {
        (row[0].rpartition(", ")[2], *row[1:3]) for row in rows
    }


def write_python(folder):
    """Write the files of Python that the pages show."""
    for name, text in re.findall(r"(?s)```python\n# (\w+\.py)\n(.*?)```", ALL):
        (folder / name).write_text(text)


def test_the_experiments_that_are_shown_are_valid(tmp_path, monkeypatch):
    for name, text in example_files().items():
        (tmp_path / name).write_text(text)
    write_python(tmp_path)
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


def anchors(text):
    """Return the anchors of the headings of a page."""
    headings = re.findall(r"(?m)^#+ (.*)$", re.sub(r"(?s)```.*?```", "", text))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def dead_links(pages):
    """Return the links of pages, by path, that lead to no file and no heading."""
    dead = []
    for page, text in pages.items():
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            place, _, anchor = target.partition("#")
            path = (ROOT / page).parent.joinpath(place).resolve() if place else ROOT / page
            known = path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else ""
            if target.startswith(("http", "doi:")):
                continue
            if (known not in pages and not path.is_file() and not path.is_dir()) or (
                anchor and known in pages and anchor not in anchors(pages[known])
            ):
                dead.append(f"{page}: {target}")
    return dead


def test_no_link_inside_the_documentation_is_dead(generated):
    others = ("CHANGELOG.md", "results/README.md", "results/reference/REPRODUCTION.md")
    more = {name: (ROOT / name).read_text(encoding="utf-8") for name in others}
    more["docs/generated/speed.png"] = ""  # docs/conf.py draws it
    assert dead_links({**PAGES, **generated, **more}) == []
    wrong = {"docs/a.md": "# A b\n[x](#a-b) [y](#c) [z](nowhere.md) [i](../README.md)"}
    assert dead_links(wrong) == ["docs/a.md: #c", "docs/a.md: nowhere.md"]


def test_every_page_is_in_the_contents(generated):
    pages = {name for name in {**PAGES, **generated} if name.startswith("docs/")} - {"docs/index.md"}
    listed = {
        (Path(page).parent / line).as_posix().replace("reference/../", "") + ".md"
        for page, text in {**PAGES, **generated}.items()
        for block in re.findall(r"(?s)```\{toctree\}\n(.*?)```", text)
        for line in block.split()
        if not line.startswith(":")
    }
    assert pages - listed == set()


@pytest.fixture(scope="module")
def generated(tmp_path_factory):
    """Write the generated pages; return their texts by the paths that they have in the documentation."""
    folder = tmp_path_factory.mktemp("docs")
    (folder / "measurements.md").write_text(PAGES["docs/measurements.md"], encoding="utf-8")
    (folder / "examples").symlink_to(ROOT / "docs" / "examples")
    sys.path.insert(0, str(ROOT / "docs"))
    try:
        generate = importlib.import_module("generate")
        generate.write(folder)
        generate.write_examples(folder)
    finally:
        sys.path.remove(str(ROOT / "docs"))
    return {
        f"docs/{path.relative_to(folder).as_posix()}": path.read_text(encoding="utf-8")
        for path in sorted((folder / "generated").rglob("*.md"))
    }


def test_each_algorithm_has_a_page_with_a_picture(generated):
    pages = {each.name: generated[f"docs/generated/algorithms/{each.name}.md"] for each in registry.BUILT_IN}
    assert [name for name, page in pages.items() if f"figures/{name}.png" not in page] == []
    for algorithm in registry.BUILT_IN:
        assert all(f"`{name}`" in pages[algorithm.name] for name in algorithm.parameters())
    pmmc = generated["docs/generated/algorithms/pmmc.md"]
    assert "| parameter | why the default differs | default | published |" in pmmc
    assert "## Cost" in pmmc
    assert "Starts (`init`)" in pmmc  # from the page of measurements
    assert "Assignment rules" not in generated["docs/generated/algorithms/pckmeans.md"]  # those of MPCKMeans


def test_every_public_name_is_documented(generated):
    headings = set(re.findall(r"(?m)^### (\w+)", generated["docs/generated/api.md"]))
    assert set(cscluster.__all__) - {"__version__"} <= headings


@pytest.mark.parametrize("script", sorted((ROOT / "docs/examples").glob("*.py")), ids=lambda path: path.stem)
def test_examples_are_short(script):
    assert script.read_text(encoding="utf-8").count("\n") <= 50


def test_every_key_is_explained(generated):
    for name in ("experiment_keys", "schedules", "metrics", "formats"):
        rows = re.findall(r"(?m)^\| `.*\|$", generated[f"docs/generated/{name}.md"])
        assert [row for row in rows if row.split(" | ")[1].strip() == ""] == []
    assert "| integer | `10` |" in generated["docs/generated/experiment_keys.md"]


def test_every_command_has_a_section(generated):
    headings = re.findall(r"(?m)^## cscluster ([a-z]+)", generated["docs/generated/commands.md"])
    assert set(headings) == set(get_command(app).commands)


def test_the_python_in_the_readme_runs():
    block = re.search(r"(?s)```python\n(from sklearn.*?)```", README)[1]
    before, _, after = block.partition("results = run(")
    names = {}
    exec(before, names)
    assert len(names["constraints"].violated(names["labels"])) == 0
    assert len(names["steps"].predict(names["data"].X)) == 150
    assert "to_frame()" in after


def masked(text):
    """Return a text with N for each number, the lines without what follows them."""
    return [re.sub(r"[\d.]*\d", "N", line).rstrip() for line in text.strip().splitlines()]


def answer(line, monkeypatch, capsys):
    """Return what a command prints; it must not fail."""
    monkeypatch.setattr("sys.argv", shlex.split(line, comments=True))
    code = 0
    try:
        main()
    except SystemExit as end:
        code = end.code
    answered = capsys.readouterr()
    assert code in (0, None), (line, answered.err)
    return answered.out


def lines_of(page):
    """Return the command lines of a tutorial, in order."""
    blocks = re.findall(r"(?s)```sh\n(.*?)```", PAGES[f"docs/tutorials/{page}.md"])
    return [line for block in blocks for line in block.splitlines() if line.startswith("cscluster")]


@pytest.fixture
def desk(tmp_path, monkeypatch):
    """Go to a directory with what the tutorials work on."""
    monkeypatch.chdir(tmp_path)
    for name, text in example_files().items():
        (tmp_path / name).write_text(text)
    for text in re.findall(r"(?s)```yaml\n(.*?)```", ALL):
        (tmp_path / f"{yaml.safe_load(text)['name']}.yaml").write_text(text)
    write_python(tmp_path)
    return tmp_path


FEW = "--set trials=1 -j 1 --set constraints.counts=[5]"


def test_the_tutorial_that_compares_methods(desk, monkeypatch, capsys):
    few = f"{FEW} --set 'algorithms=[kmeans, pckmeans]'"
    for line in lines_of("compare"):
        line = line.partition("#")[0]
        printed = answer(f"{line} {few}" if " run " in line else line, monkeypatch, capsys)
    assert "raw" in printed  # the last line compares two runs
    assert "<html" in (desk / "mydata.html").read_text(encoding="utf-8")


def test_the_experiment_on_a_table_of_your_own_runs_as_written(desk, monkeypatch, capsys):
    printed = answer("cscluster run flowers.yaml --set trials=2 -j 1", monkeypatch, capsys)
    assert "PCK-Means" in printed
    assert "N/A" not in printed


def test_the_tutorial_on_an_algorithm_of_your_own(desk, monkeypatch, capsys):
    first, report, benchmark = lines_of("own_algorithm")
    few = (
        f"{FEW} --set datasets=[iris] --set 'algorithms=[kmeans, {{name: \"mine.py:Grouped\", label: Mine}}]'"
    )
    assert "\nMine " in answer(f"{first} {few}", monkeypatch, capsys)
    answer(report, monkeypatch, capsys)
    assert "Mine" in (desk / "mine.html").read_text(encoding="utf-8")
    assert "60 trials" in answer(f"{benchmark} --dry-run", monkeypatch, capsys)  # 3 methods, 20 trials


def test_the_tutorial_from_a_method_to_its_reviewers(desk, monkeypatch, capsys):
    """One class in one file: the table, the rows in the benchmark and the pack by three commands."""
    run, table, benchmark, pack, later, show = (line.partition("#")[0] for line in lines_of("review"))
    assert "Mine" in answer(f"{run} -j 1 --set trials=2 --set datasets=[iris,wine]", monkeypatch, capsys)
    answer(table, monkeypatch, capsys)
    assert r"\begin{tabular}" in (desk / "ari.tex").read_text()
    (desk / "results" / "reference").mkdir()
    (desk / "results" / "reference" / "trials").symlink_to(ROOT / "results" / "reference" / "trials")
    quick = benchmark.replace("benchmark", "benchmark links", 1)
    assert "Grouped" in answer(f"{quick} --profile quick --repetitions 1 -j 1", monkeypatch, capsys)
    answer(pack, monkeypatch, capsys)
    with zipfile.ZipFile(desk / "paper.zip") as file:
        members = {name.removeprefix("paper/") for name in file.namelist()}
    shown = re.findall(r"(?m)^\| (`[^|]*) \|", PAGES["docs/tutorials/review.md"])
    assert members == {name for cell in shown for name in re.findall(r"`(.*?)`", cell)} - {"data/"}
    assert "homogeneity score" in answer(later, monkeypatch, capsys)
    assert "score.py:worst_class#" in answer(show, monkeypatch, capsys)


def test_the_tutorial_from_yaml_to_a_figure(desk, monkeypatch, capsys):
    few = f"{FEW} --set datasets=[iris] --set algorithms=[kmeans] --set constraints.counts=[5,9]"
    run, figures, slides, sweep = lines_of("experiment")
    answer(f"{run.partition('#')[0]} {few}", monkeypatch, capsys)
    for line in (figures, slides):
        answer(line, monkeypatch, capsys)
    assert (desk / "figures" / "curves_acc.png").is_file()
    assert "confidence" not in (desk / "figures" / "curves_acc.caption.tex").read_text()  # one trial
    assert (desk / "slides" / "curves_nmi.png").is_file()
    assert "80 trials" in answer(f"{sweep} --dry-run", monkeypatch, capsys)


def test_the_tutorial_on_a_cluster_of_machines(desk, monkeypatch, capsys):
    _, merge, dask = lines_of("machines")
    script = re.search(r"(?s)```sh\n(#!/bin/bash.*?)```", PAGES["docs/tutorials/machines.md"])[1]
    few = ["--set", "trials=2", "--set", "datasets=[iris]", "--set", "algorithms=[kmeans]"]
    for number in ("1", "2"):
        job = {"SLURM_ARRAY_TASK_ID": number, "SLURM_ARRAY_TASK_COUNT": "2", "SLURM_CPUS_PER_TASK": "1"}
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        asked = ["bash", "-c", script, "shards.sh", *few, "--set", "constraints.counts=[5]"]
        subprocess.run(asked, check=True, capture_output=True, env={**os.environ, **job, "PATH": path})
    shards = " ".join(sorted(map(str, Path("results").glob("mnist0689.shard-*"))))
    answer(merge.partition("#")[0].replace("results/mnist0689.shard-*-of-8", shards), monkeypatch, capsys)
    assert len((desk / "results" / "mnist0689" / "trials.jsonl").read_text().splitlines()) == 2
    assert unknown_words(dask) == []


def test_the_tutorial_on_labelling(desk, monkeypatch, capsys):
    page = PAGES["docs/tutorials/labelling.md"]
    (desk / "shown").mkdir()
    monkeypatch.chdir(desk / "shown")
    answer("cscluster new example", monkeypatch, capsys)
    monkeypatch.setattr("sys.stdin", io.StringIO("n\nn\nn\nq\n"))
    printed = answer("cscluster label flowers.csv -k 3 --terminal", monkeypatch, capsys)
    for shown in re.findall(
        r"(?m)^(constraints: .*|same group\?.*:|3 answers.*|  cscluster cluster.*)", page
    ):
        assert masked(shown)[0] in "\n".join(masked(printed))
    Path("rule.py").write_text(re.search(r"(?s)```python\n(import json.*?)```", page)[1])
    (line,) = lines_of("labelling")
    few = line.replace("python rule", f"{sys.executable} rule").replace("--questions 40", "--questions 3")
    assert "6 answers in flowers-links.csv" in answer(few, monkeypatch, capsys)


def test_a_minute_with_a_table_shows_what_one_sees(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
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
