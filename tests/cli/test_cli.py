"""The command line as its user meets it: output, exit codes, and what is left on disk."""

import json
import re
from pathlib import Path

import pytest

from cscluster.algorithms import registry

TOYS = Path(__file__).parents[1] / "toys.py"
SMALL = """\
name: small
datasets: [iris]
constraints: {kind: random_pairs, counts: [10, 20]}
algorithms: [kmeans, pckmeans]
trials: 2
"""


@pytest.fixture
def small(tmp_path):
    (tmp_path / "small.yaml").write_text(SMALL)
    return tmp_path


def lines(folder):
    return [json.loads(line) for line in (folder / "trials.jsonl").read_text().splitlines()]


def test_run_shows_tables_and_a_second_run_recomputes_nothing(cscluster, small):
    first = cscluster("run", "small.yaml")
    assert first.returncode == 0, first.stderr
    assert "ACC (one-to-one) on iris" in first.stdout
    assert "preprocessing: none" in " ".join(first.stdout.split())
    assert "report: results/small/report.md" in first.stdout
    assert max(map(len, first.stdout.splitlines())) <= 80
    before = (small / "results/small/trials.jsonl").read_bytes()
    second = cscluster("run", "small.yaml")
    assert "nothing to compute" in second.stdout
    assert (small / "results/small/trials.jsonl").read_bytes() == before
    assert len(lines(small / "results/small")) == 8
    smaller = cscluster("run", "small.yaml", "--set", "trials=1")
    assert "not part of this plan: 4 " in smaller.stdout
    assert "one trial" in (small / "results/small/report.md").read_text(encoding="utf-8")
    cscluster("run", "small.yaml")
    assert "- iris: k-means" in (small / "results/small/report.md").read_text(encoding="utf-8")
    reported = cscluster("report", "small", "--metric", "rand")
    assert "Rand index on iris" in reported.stdout
    listed = cscluster("runs")
    assert "8/8" in listed.stdout
    shown = cscluster("show", "small")
    assert "8 of 8 trials stored" in shown.stdout
    assert "numpy" in shown.stdout


def test_dry_run_writes_nothing(cscluster, small):
    done = cscluster("run", "small.yaml", "--dry-run", "--set", "trials=5")
    assert "20 trials planned" in done.stdout
    assert not (small / "results").exists()


def test_failures_exit_with_1_and_can_be_retried(cscluster, small):
    (small / "bad.yaml").write_text(
        SMALL.replace("small", "bad").replace("pckmeans]", f"'{TOYS}:Broken']").replace("[10, 20]", "[10]")
    )
    first = cscluster("run", "bad.yaml", "-j", "1")
    assert first.returncode == 1
    assert re.search(r"\b2 trials.*Broken.*iris.*error: RuntimeError: out of luck", first.stdout)
    assert "N/A (0/2)" in first.stdout
    again = cscluster("run", "bad.yaml", "-j", "1")
    assert "nothing to compute" in again.stdout
    assert again.returncode == 1
    retried = cscluster("run", "bad.yaml", "-j", "1", "--retry", "failed", "--allow-failures")
    assert "2 stored, 2 to run" in retried.stdout
    assert retried.returncode == 0
    assert len(lines(small / "results/bad")) == 6  # of two lines with the same key the later counts
    assert "4/4" in cscluster("runs").stdout


def test_fresh_forgets(cscluster, small):
    cscluster("run", "small.yaml", "-j", "1")
    done = cscluster("run", "small.yaml", "-j", "1", "--fresh", "--set", "trials=1")
    assert "0 stored, 4 to run" in done.stdout
    assert len(lines(small / "results/small")) == 4


def test_an_interrupted_fresh_run_is_resumed_without_forgetting(cscluster, small, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("cscluster.cli.run.run_job", interrupt)
    done = cscluster("run", "small.yaml", "--fresh", "-j", "1")
    assert done.returncode == 130
    assert ": cscluster run small.yaml -j 1" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["run", "smal.yaml"], r"experiment file 'smal\.yaml'"),
        (["run", "small.yaml", "--set", "algorithms=[kmeen]"], "'kmeen'.*'kmeans'"),
        (["run", "small.yaml", "--set", "constraints.counts=[99999]"], "99999 constraints.*150 samples.*11175 pairs"),
        (["run", "small.yaml", "--set", "n_clusters=200"], "200 clusters.*'iris'.*150 samples"),
        (["run", "small.yaml", "--retry", "all"], "'all'.*'failed'"),
        (["run", "small.yaml", "--backend", "cloud"], "backend 'cloud'"),
        (["run", "small.yaml", "--set", "datasets=[inf.csv]"], " inf .*column 'b', row 1"),
        (["run", "small.yaml", "--set", "datasets=[{base: one.csv, target: c}]"], "target.*one value 'x'"),
        (["run", "small.yaml", "--set", "constraints={kind: file, path: clash.csv}"], "'0'.*'2'.*cannot-linked"),
        (["run", "small.yaml", "--results", "taken"], "'taken/small'.*no results"),
        (["run", "small.yaml", "--results", "small.yaml"], r"'small\.yaml/small': Not a directory"),
        (["report", "nothing"], "run 'nothing'"),
        (["validate", "broken.yaml"], r"broken\.yaml:1:8: YAML: "),
        (["show", "pckmean"], "'pckmean'.*'pckmeans'"),
        (["list", "algoritms"], "'algoritms'.*'algorithms'"),
        (["data", "info", "irsi"], "'irsi'.*'iris'"),
    ],
)  # fmt: skip
def test_bad_input_is_one_sentence_exit_code_2_and_nothing_written(cscluster, small, arguments, says):
    (small / "inf.csv").write_text("a,b\n1,2\n3,inf\n")
    (small / "one.csv").write_text("a,c\n1,x\n3,x\n")
    (small / "clash.csv").write_text("a,b,link\n0,1,must\n1,2,must\n0,2,cannot\n")
    (small / "broken.yaml").write_text("name: x: y\n")
    (small / "taken/small").mkdir(parents=True)
    (small / "taken/small/thesis.tex").write_text("precious")
    before = {path: path.stat().st_mtime_ns for path in small.rglob("*")}
    done = cscluster(*arguments)
    assert done.returncode == 2
    assert re.search(says, done.stderr)
    assert "Traceback" not in done.stderr
    assert {path: path.stat().st_mtime_ns for path in small.rglob("*")} == before


def test_a_directory_of_another_experiment_is_refused(cscluster, small):
    cscluster("run", "small.yaml", "-j", "1", "--set", "trials=1")
    (small / "twin.yaml").write_text(SMALL)
    done = cscluster("run", "twin.yaml")
    assert done.returncode == 2
    assert re.search(r"another experiment.*small\.yaml", done.stderr)


def test_stale_results_are_explained(cscluster, small):
    cscluster("run", "small.yaml", "-j", "1", "--set", "trials=1")
    done = cscluster("run", "small.yaml", "--set", "trials=1", "--set", "seed=7", "--dry-run")
    assert re.search(r"stale: 4\b.*seed.*\b0\b.*\b7\b", done.stdout)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["list"], "pckmeans"),
        (["list", "datasets"], "pendigit389"),
        (["list", "metrics"], "balanced_rand"),
        (["list", "configs"], "mnist0689"),
        (["runs"], "no runs in 'results' yet"),
        (["show", "iris"], "openml   name iris, id 61"),
        (["show", "kmeans"], "number of starts"),
        (["show", "pmmc"], "published values (preset: published):"),
        (["show", "pmmc_printed"], "algorithm pmmc: PMMC\n"),
        (["show", "mnist"], "MNIST digits"),
        (["show", "nmi"], "geometric mean"),
        (["show", "mnist0689"], "random_pairs"),
        (["data", "info", "letterIJL"], "I (76), J (75), L (76)"),
        (["validate", "mnist0689"], "valid"),
        (["--version"], "cscluster "),
    ],
)
def test_looking_around(cscluster, arguments, says):
    done = cscluster(*arguments)
    assert done.returncode == 0, done.stderr
    assert says in done.stdout


def test_each_algorithm_is_one_line(cscluster):
    lines = cscluster("list").stdout.splitlines()
    assert [line.split()[0] for line in lines[1:-2]] == list(registry.algorithms())
    assert max(map(len, lines)) <= 80


def test_the_commands_are_explained_in_whole_sentences(cscluster):
    for words in ([], ["new"], ["data"]):
        assert "..." not in cscluster(*words, "--help").stdout.partition("Commands:")[2]


@pytest.mark.parametrize(
    "command", ["run", "sweep", "merge", "report", "reproduce", "compare", "runs", "show"]
)
def test_the_directory_of_results_has_one_name(cscluster, command):
    assert "--results" in cscluster(command, "--help").stdout


def test_an_interrupted_run_with_a_grid_says_what_is_missing(cscluster, small):
    grid = "{name: kmeans, label: tuned, params: {n_init: [1, 2]}, select: oracle:acc}"
    (small / "small.yaml").write_text(SMALL.replace("pckmeans]", f"{grid}]"))
    assert "incomplete" not in cscluster("run", "small.yaml", "-j", "1").stdout
    store = small / "results/small/trials.jsonl"
    store.write_text("".join(store.read_text().splitlines(keepends=True)[:-1]))
    told = " ".join(cscluster("report", "small").stdout.split())
    assert re.search(r"\b1 planned trial\b.*tuned on iris 1 of 8", told)
    (missing,) = json.loads(cscluster("report", "small", "-f", "json").stdout)["runs"][0]["missing"]
    assert missing == {"dataset": "iris", "label": "tuned", "count": 1, "planned": 8}
    assert "incomplete" not in cscluster("run", "small.yaml", "-j", "1").stdout


def test_what_is_outside_of_a_plan_and_what_is_stale_are_told_apart(cscluster, small):
    (small / "small.yaml").write_text(SMALL.replace("kmeans, pckmeans", "kmeans"))
    cscluster("run", "small.yaml", "-j", "1")
    done = cscluster(
        "run", "small.yaml", "--set", "trials=1", "--set", "metrics=[acc@unconstrained]", "--dry-run"
    )
    assert "not part of this plan: 2 " in done.stdout
    assert re.search(r"stale: 2\b.*metric was added", done.stdout)
    done = cscluster("run", "small.yaml", "--set", "trials=1", "--set", "seed=7", "--dry-run")
    assert "not part of this plan: 2 " in done.stdout
    assert re.search(r"stale: 2\b.*seed.*\b0\b.*\b7\b", done.stdout)


def test_a_label_can_be_changed_without_running_anything(cscluster, small):
    (small / "small.yaml").write_text(SMALL.replace("kmeans, pckmeans", "kmeans"))
    cscluster("run", "small.yaml", "-j", "1")
    before = (small / "results/small/trials.jsonl").read_bytes()
    (small / "small.yaml").write_text(SMALL.replace("kmeans, pckmeans", "{name: kmeans, label: Lloyd}"))
    done = cscluster("run", "small.yaml", "-j", "1")
    assert "nothing to compute" in done.stdout
    assert "Lloyd" in done.stdout.partition("nothing to compute")[2]
    assert "Lloyd" in (small / "results/small/report.md").read_text(encoding="utf-8")
    assert (small / "results/small/trials.jsonl").read_bytes() == before


@pytest.mark.parametrize(
    "words",
    [
        ["show"], ["report"], ["merge"], ["compare", "x"], ["run"], ["check"], ["new", "algorithm"],
        ["run", "small.yaml", "--results"], ["validate"], ["sweep", "small.yaml", "-g"],
    ],
    ids=" ".join,
)  # fmt: skip
def test_a_name_that_no_file_can_have_is_one_sentence(cscluster, small, words):
    done = cscluster(*words, "a" * 300)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("cscluster: ")
    assert not (small / "results").exists()


def test_the_first_ten_of_many_problems_are_listed(cscluster, small):
    (small / "small.yaml").write_text(SMALL.replace("pckmeans]", f"{', '.join(['kmeen'] * 300)}]"))
    told = cscluster("validate", "small.yaml").stderr.splitlines()
    assert len(told) == 11
    assert told[-1] == "... and 290 more problems"
