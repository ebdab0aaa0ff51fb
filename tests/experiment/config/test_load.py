"""Experiment files: all problems at once, each with its place and what would be right."""

import pytest
import yaml

from cscluster import bundle
from cscluster.algorithms import registry
from cscluster.errors import ConfigError
from cscluster.experiment.config.load import find_config, load, parse

GOOD = """\
name: small
datasets: [iris]
constraints: {kind: random_pairs, counts: [10, 20]}
algorithms: [kmeans, {name: rca, label: R, clusterer: {name: kmeans, params: {n_init: 2}}}]
"""


def problems(text, **more):
    with pytest.raises(ConfigError) as caught:
        parse(text, source="x.yaml", **more)
    return str(caught.value).splitlines()


def test_a_good_file_and_its_defaults():
    experiment = parse(GOOD, source="x.yaml")
    assert experiment.constraints.points == [10, 20]
    assert [entry.title for entry in experiment.algorithms] == ["k-means", "R"]
    assert (experiment.trials, experiment.seed, experiment.metrics) == (
        10,
        0,
        ["acc_hungarian", "nmi", "rand", "seconds"],
    )


def test_every_problem_is_reported_at_once_with_its_place():
    found = problems(
        "name: ../evil\n"
        "datasets: [irs, {base: mnist, clases: ['1']}]\n"
        "constraint: {}\n"
        "constraints: {kind: random_pairs, counts: [20, -1], nois: 3}\n"
        "algorithms:\n"
        "  - kmean\n"
        "  - {name: kmeans, params: {n_init: 0, foo: 3, tol: [1, -1]}, select: oracle:acd}\n"
        "  - {name: kmeans, label: b, clusterer: kmeans}\n"
        "trials: '3'\n"
        "metrics: [acc, nmj, acc@foo]\n"
        "preprocess: [centre, {pca: {n: 0}}]\n"
        "memory_limit: 3 XB\n"
    )
    starts = [
        "x.yaml:1:1: 'name': must start with a letter or digit",
        "x.yaml:2:12: there is no data set 'irs'. Did you mean 'iris'?",
        "x.yaml:2:31: unknown key 'clases'. Did you mean 'classes'?",
        "x.yaml:3:1: unknown key 'constraint'. Did you mean 'constraints'?",
        "x.yaml:4:48: 'constraints.counts.1' must be greater than or equal to 0, got -1",
        "x.yaml:4:53: unknown key 'nois'. Did you mean 'noise'?",
        "x.yaml:6:5: there is no algorithm 'kmean'. Did you mean 'kmeans'?",
        "x.yaml:7:29: 'n_init' of 'kmeans' must be an integer >= 1, got 0",
        "x.yaml:7:40: 'kmeans' has no parameter 'foo'",
        "x.yaml:7:48: 'tol' of 'kmeans' must be a number >= 0, got -1",
        "x.yaml:7:63: 'algorithms.1.select': there is no metric 'acd'. Did you mean 'acc'?",
        "x.yaml:8:30: 'kmeans' is a clusterer itself",
        "x.yaml:9:1: 'trials' must be a valid integer, got '3'",
        "x.yaml:10:16: there is no metric 'nmj'. Did you mean 'nmi'?",
        "x.yaml:10:21: 'acc@foo': the scope must be one of all, unconstrained, heldout, unseen",
        "x.yaml:11:14: There is no preprocessing step 'centre'. Did you mean 'center'?",
        "x.yaml:11:22: Preprocessing step 'pca': n:",
        "x.yaml:12:1: 'memory_limit': must be a size such as 500MB or 2GB, got '3 XB'",
    ]
    assert len(found) == len(starts), "\n".join(found)
    for line, start in zip(found, starts, strict=True):
        assert line.startswith(start)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "x.yaml:1:1: the file must hold keys: name, datasets"),
        ("a: [", "x.yaml:1:5: YAML: "),
        ("a: b: c", "x.yaml:1:5: YAML: "),
        ("- 1", "x.yaml:1:1: the file must hold keys"),
        ("a: &x [*x]", "anchors expand without end"),
        ("name: x\nname: y", "x.yaml:2:1: YAML: duplicate key 'name'"),
        ("? [1, 2]\n: 3", "a key must be a string"),
        ("a: !!python/object/apply:os.system ['true']", "x.yaml:1:4: YAML: a tag"),
        ("a: \x00", "x.yaml: not YAML"),
        ("a: !!bool 3", "x.yaml:1:4: YAML: a tag is not allowed"),
        ("a: " + "[" * 100_000, "nested too deeply"),
        ("a: " + "{a: " * 3000, "nested too deeply"),
        (GOOD + "trials: 0x" + "F" * 5000, "'trials' must be a valid integer"),
        (GOOD + "trials: !!timestamp foo", "is not allowed. Write plain values"),
        (GOOD + "trials: " + "1:" * 20_000 + "1", "'trials' must be a valid integer"),
        (GOOD.replace("[iris]", f"[{'a' * 5000}]"), "there is no data set 'aaa"),
        (GOOD.replace("[kmeans,", f"[{'a' * 5000},"), "there is no algorithm 'aaa"),
        (GOOD.replace("[kmeans,", "[{name: kmeans, params: {n_init: []}},"), "x.yaml:4:38: the list of values of 'n_init' is empty"),
        (GOOD + "trials: " + "9" * 5000, "'trials' must be a valid integer, got inf"),
        (GOOD.replace("random_pairs", "randompairs"), "Did you mean 'random_pairs'?"),
        (GOOD.replace("kind: random_pairs, ", ""), "'constraints.kind' must be one of random_pairs, balanced_pairs, "),
        (GOOD.replace("random_pairs", "zzz"), "there is no kind 'zzz' of constraints. There are random_pairs, balanced_pairs"),
        (GOOD.replace("datasets: [iris]\n", ""), "the key 'datasets' is missing"),
        (GOOD.replace("[kmeans,", "[kmeans, kmeans,"), "a second algorithm called 'k-means'"),
        (GOOD.replace("[iris]", "[iris, iris]"), "a second data set called 'iris'"),
        (GOOD.replace("[kmeans,", "[{name: kmeans, params: {n_init: [3, 1, 3]}},"), ":4:53: a second 3 among the values of 'n_init'"),
        (GOOD.replace("counts: [10, 20]", "counts: [10, 20, 10]"), ":3:1: a second 10 among the numbers of constraints"),
        (GOOD + "metrics: [acc, nmi, acc]", "a second 'acc'"),
        (GOOD + "metrics: [f1score]", "there is no metric 'f1score'. 'cscluster list metrics' names all"),
        (GOOD + "select: heldout", "'select' belongs to an entry of 'algorithms'"),
        (GOOD + "base: iris", "'base' belongs to an entry of 'datasets'"),
        (GOOD + f"memory_limit: {'9' * 400}G", "must be a size such as 500MB or 2GB"),
        (GOOD.replace("[10, 20]", "[20, many]"), "'constraints.counts.1' must be a valid integer, got 'many'"),
        (GOOD.replace("[kmeans,", "['no_such_file.py:Thing',"), "there is no file 'no_such_file.py'"),
        (GOOD.replace("n_init: 2", "n_init: [2, 3]"), "a grid is possible only in the metric learner's own"),
        (GOOD + "algorithms_: 3", "Did you mean 'algorithms'?"),
        (GOOD.replace("[kmeans,", "[{name: kmeans, params: {random_state: 3}},"), "set by the experiment's seed"),
        (GOOD.replace("[kmeans,", "['no_such_module:Thing',"), "cannot import 'no_such_module'"),
        (GOOD.replace("{kind: random_pairs, counts: [10, 20]}", "{kind: file, path: no.csv}"), "there is no constraint file"),
        (GOOD.replace("counts: [10, 20]", "counts: [10], tiers: 3"), "unknown key 'tiers'"),
        (GOOD.replace("kind: random_pairs, counts: [10, 20]", "kind: tiers, per_tier: [10], tiers: 0"), "'constraints.tiers' must be greater than or equal to 1, got 0"),
        ("name: x\ndatasets:\n\t- iris\n", "x.yaml:3:1: YAML: found character '\\t'"),
        (GOOD.replace("[iris]", "iris"), "x.yaml:2:1: 'datasets' must be a list: write datasets: [iris]"),
        (GOOD.replace("{kind: random_pairs, counts: [10, 20]}", "random_pairs"), "write constraints: {kind: random_pairs, counts: [20, 50, 100]}"),
        (GOOD.replace("{kind: random_pairs, counts: [10, 20]}", "random"), "there is no kind 'random' of constraints. Did you mean 'random_pairs'?"),
        (GOOD.replace("[kmeans,", "[{name: kmeans, select: oracle},"), "'oracle' needs the metric to choose by: write oracle:ari"),
        (GOOD.replace("[iris]", "[{base: iris, generator: xor}]"), "needs either 'base' or 'generator'"),
        (GOOD.replace("[iris]", "[{generator: xor, seed: -5}]"), "must be greater than or equal to 0, got -5"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_in_one_line(text, says):
    found = problems(text)
    assert len(found) == 1
    assert says in found[0]


def test_a_key_called_like_the_kind_of_schedule_is_not_taken_for_it():
    found = problems(
        GOOD.replace("kind: random_pairs, counts: [10, 20]", "kind: tiers, counts: [10], tiers: 5")
    )
    assert [line.partition(": ")[2] for line in found] == [
        "the key 'per_tier' is missing.",
        "unknown key 'counts'. There are noise, weight, kind, per_tier, tiers.",
    ]


def test_anchors_cannot_explode():
    layers = "".join(f"l{i}: &l{i} [{', '.join([f'*l{i - 1}'] * 9)}]\n" for i in range(1, 12))
    assert "anchors expand without end" in problems("l0: &l0 [x]\n" + layers)[0]


def test_settings_change_keys_and_name_themselves_in_errors():
    settings = [
        "trials=3",
        "constraints.counts=[5]",
        "algorithms.kmeans.params.n_init=[1, 2]",
        "algorithms.R.label=S",
    ]
    experiment = parse(GOOD, source="x.yaml", settings=settings)
    assert experiment.trials == 3
    assert experiment.constraints.points == [5]
    assert experiment.algorithms[0].params == {"n_init": [1, 2]}
    assert experiment.algorithms[1].title == "S"
    assert problems(GOOD, settings=["trials=x"]) == [
        "setting trials=x: 'trials' must be a valid integer, got 'x'."
    ]
    assert problems(GOOD, settings=["trails=3"]) == [
        "setting trails=3: unknown key 'trails'. Did you mean 'trials'?"
    ]
    assert "write it as KEY=VALUE" in problems(GOOD, settings=["trials"])[0]
    assert (
        "there is no item 'kmaens'. Did you mean 'kmeans'?"
        in problems(GOOD, settings=["algorithms.kmaens.label=x"])[0]
    )
    assert "cannot set the key 'x' inside a scalar" in problems(GOOD, settings=["name.x.y=1"])[0]


@pytest.mark.parametrize(
    ("setting", "says"),
    [
        ("title=" + "[" * 100_000, "nested too deeply"),
        ("datasets.²=iris", "there is no item '²'"),
        (f"datasets.{'9' * 5000}=iris", "there is no item '999"),
        ("trials=!!timestamp foo", "is not allowed. Write plain values"),
        ("trials=0x" + "f" * 5000, "must be a valid integer"),
    ],
)
def test_hostile_settings_are_refused_in_one_line(setting, says):
    found = problems(GOOD, settings=[setting])
    assert len(found) == 1
    assert says in found[0]


def test_dates_are_strings():
    assert parse(GOOD + "title: 2001-02-03", source="x.yaml").title == "2001-02-03"


def test_numbers_in_scientific_notation_are_numbers():
    text = GOOD.replace("[kmeans,", "[{name: kmeans, params: {tol: 1e-3}},")
    assert parse(text, source="x.yaml").algorithms[0].params == {"tol": 1e-3}


def test_paths_are_seen_from_the_file(tmp_path):
    (tmp_path / "links.csv").write_text("a,b,link\n0,1,must\n")
    (tmp_path / "mine.csv").write_text("p,q,class\n1,2,a\n2,3,b\n")
    (tmp_path / "x.yaml").write_text(
        GOOD.replace("{kind: random_pairs, counts: [10, 20]}", "{kind: file, path: links.csv}").replace(
            "[iris]", "[{base: mine.csv, target: class}]"
        )
    )
    experiment = load(str(tmp_path / "x.yaml"))
    assert experiment.constraints.path == tmp_path / "links.csv"
    assert experiment.datasets[0].base == str(tmp_path / "mine.csv")


def test_finding_configs(tmp_path):
    assert find_config("mnist0689") == bundle.folder("configs") / "mnist0689.yaml"
    with pytest.raises(ConfigError, match=r"no experiment file 'mnist0698'. Did you mean 'mnist0689'\?"):
        find_config("mnist0698")
    for name in ("a" * 5000, "a/" * 3000, "a\0b"):
        with pytest.raises(ConfigError, match="There is no experiment file"):
            find_config(name)
    with pytest.raises(ConfigError, match="There is no experiment file"):
        find_config(str(tmp_path))


@pytest.mark.parametrize("name", bundle.config_names())
def test_every_bundled_experiment_is_valid(name):
    experiment = load(name)
    content = yaml.safe_load((bundle.folder("configs") / f"{name}.yaml").read_text(encoding="utf-8"))
    assert content["title"] == experiment.title


def entries(algorithms):
    """Return the algorithms of an experiment."""
    text = f"name: t\ndatasets: [iris]\nconstraints: {{kind: random_pairs, counts: [10]}}\nalgorithms: {algorithms}\n"
    return parse(text, source="x.yaml").algorithms


def test_published_values_and_guards_have_titles_of_their_own():
    found = entries(
        "[pmmc, {name: pmmc, preset: published}, {name: pmmc, guard: true}, "
        "{name: rca, preset: published, guard: true, clusterer: pckmeans}]"
    )
    assert [entry.title for entry in found] == [
        "PMMC",
        "PMMC (published)",
        "PMMC (guarded)",
        "RCA + PCK-Means (published, guarded)",
    ]
    assert found[1].given == registry.find("pmmc").published()
    (other,) = entries("[{name: pmmc, preset: published, params: {lam: 3.0}}]")
    assert other.given == {**registry.find("pmmc").published(), "lam": 3.0}


def test_names_of_version_0_2_stand_for_published_values():
    with pytest.warns(FutureWarning, match="'pmmc_printed' is now 'pmmc' with 'preset: published'"):
        (old,) = entries("[pmmc_printed]")
    (new,) = entries("[{name: pmmc, preset: published}]")
    assert old == new


@pytest.mark.parametrize(
    ("entry", "says"),
    [
        (
            "{name: pmmc, params: {fallback: false}}",
            "has no parameter 'fallback'. Leave it out, or use a guard",
        ),
        ("{name: pckmeans, params: {joint: false}}", "has no parameter 'joint'. Leave it out"),
        ("{name: auto, guard: true}", "'auto' needs no guard"),
        ("{name: kmeans, guard: true}", "'kmeans' uses no constraints"),
        ("{name: pmmc, preset: printed}", "'published'"),
    ],
)
def test_what_is_gone_or_cannot_be_guarded(entry, says):
    with pytest.raises(ConfigError) as caught:
        entries(f"[{entry}]")
    assert says in str(caught.value)
