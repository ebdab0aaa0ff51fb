"""Experiment files: all problems at once, each with its place and what would be right."""

import pytest
import yaml

from cscluster import bundle
from cscluster.algorithms import registry
from cscluster.errors import ConfigError
from cscluster.experiment.config.load import find_config, load, parse
from tests.lines import assert_match

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
    assert_match(
        found,
        r"^x\.yaml:1:1: 'name': .*letter or digit",
        r"^x\.yaml:2:12: .*data set 'irs'.*'iris'",
        r"^x\.yaml:2:31: .*key 'clases'.*'classes'",
        r"^x\.yaml:3:1: .*key 'constraint'.*'constraints'",
        r"^x\.yaml:4:48: 'constraints\.counts\.1'.*\b0\b.*-1",
        r"^x\.yaml:4:53: .*key 'nois'.*'noise'",
        r"^x\.yaml:6:5: .*algorithm 'kmean'.*'kmeans'",
        r"^x\.yaml:7:29: 'n_init'.*'kmeans'.*>= 1.*\b0\b",
        r"^x\.yaml:7:40: 'kmeans'.*parameter 'foo'",
        r"^x\.yaml:7:48: 'tol'.*'kmeans'.*>= 0.*-1",
        r"^x\.yaml:7:63: 'algorithms\.1\.select': .*metric 'acd'.*'acc'",
        r"^x\.yaml:8:30: 'kmeans' is a clusterer",
        r"^x\.yaml:9:1: 'trials'.*integer.*'3'",
        r"^x\.yaml:10:16: .*metric 'nmj'.*'nmi'",
        r"^x\.yaml:10:21: 'acc@foo'.*all, unconstrained, heldout, unseen",
        r"^x\.yaml:11:14: .*step 'centre'.*'center'",
        r"^x\.yaml:11:22: .*step 'pca': n:",
        r"^x\.yaml:12:1: 'memory_limit': .*500MB.*'3 XB'",
    )


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", r"x\.yaml:1:1: .*keys: name, datasets"),
        ("a: [", r"x\.yaml:1:5: YAML: "),
        ("a: b: c", r"x\.yaml:1:5: YAML: "),
        ("- 1", r"x\.yaml:1:1: .*keys: name, datasets"),
        ("a: &x [*x]", "anchors expand without end"),
        ("name: x\nname: y", r"x\.yaml:2:1: YAML: duplicate.*'name'"),
        ("? [1, 2]\n: 3", r"x\.yaml:.* key.*string"),
        ("a: !!python/object/apply:os.system ['true']", r"x\.yaml:1:4: YAML: .*tag"),
        ("a: \x00", r"x\.yaml: not YAML"),
        ("a: !!bool 3", r"x\.yaml:1:4: YAML: .*tag"),
        ("a: " + "[" * 100_000, "nested too deeply"),
        ("a: " + "{a: " * 3000, "nested too deeply"),
        (GOOD + "trials: 0x" + "F" * 5000, "'trials'.*integer.*'0xF"),
        (GOOD + "trials: !!timestamp foo", "YAML: .*tag"),
        (GOOD + "trials: " + "1:" * 20_000 + "1", "'trials'.*integer.*'1:1:"),
        (GOOD.replace("[iris]", f"[{'a' * 5000}]"), "data set 'aaa"),
        (GOOD.replace("[kmeans,", f"[{'a' * 5000},"), "algorithm 'aaa"),
        (GOOD.replace("[kmeans,", "[{name: kmeans, params: {n_init: []}},"), r"x\.yaml:4:38: .*'n_init'.*empty"),
        (GOOD + "trials: " + "9" * 5000, "'trials'.*integer.*inf"),
        (GOOD.replace("random_pairs", "randompairs"), "'randompairs'.*'random_pairs'"),
        (GOOD.replace("kind: random_pairs, ", ""), r"'constraints\.kind'.*random_pairs, balanced_pairs, "),
        (GOOD.replace("random_pairs", "zzz"), "kind 'zzz'.*random_pairs, balanced_pairs"),
        (GOOD.replace("datasets: [iris]\n", ""), "key 'datasets'.*missing"),
        (GOOD.replace("[kmeans,", "[kmeans, kmeans,"), "second algorithm.*'k-means'"),
        (GOOD.replace("[iris]", "[iris, iris]"), "second data set.*'iris'"),
        (GOOD.replace("[kmeans,", "[{name: kmeans, params: {n_init: [3, 1, 3]}},"), r":4:53: .*second 3\b.*'n_init'"),
        (GOOD.replace("counts: [10, 20]", "counts: [10, 20, 10]"), r":3:1: .*second 10\b.*numbers of constraints"),
        (GOOD + "metrics: [acc, nmi, acc]", "second 'acc'"),
        (GOOD + "metrics: [f1score]", "metric 'f1score'.*'cscluster list metrics'"),
        (GOOD + "select: heldout", "'select'.*'algorithms'"),
        (GOOD + "base: iris", "'base'.*'datasets'"),
        (GOOD + f"memory_limit: {'9' * 400}G", "'memory_limit'.*500MB.*'9+"),
        (GOOD.replace("[10, 20]", "[20, many]"), r"'constraints\.counts\.1'.*integer.*'many'"),
        (GOOD.replace("[kmeans,", "['no_such_file.py:Thing',"), r"no file 'no_such_file\.py'"),
        (GOOD.replace("n_init: 2", "n_init: [2, 3]"), "grid.*metric learner"),
        (GOOD + "algorithms_: 3", "'algorithms_'.*'algorithms'"),
        (GOOD.replace("[kmeans,", "[{name: kmeans, params: {random_state: 3}},"), "'random_state'.*seed"),
        (GOOD.replace("[kmeans,", "['no_such_module:Thing',"), "import 'no_such_module'"),
        (GOOD.replace("{kind: random_pairs, counts: [10, 20]}", "{kind: file, path: no.csv}"), r"constraint file.*no\.csv"),
        (GOOD.replace("counts: [10, 20]", "counts: [10], tiers: 3"), "key 'tiers'"),
        (GOOD.replace("kind: random_pairs, counts: [10, 20]", "kind: tiers, per_tier: [10], tiers: 0"), r"'constraints\.tiers'.*\b1\b.*\b0\b"),
        ("name: x\ndatasets:\n\t- iris\n", r"x\.yaml:3:1: YAML: .*'\\t'"),
        (GOOD.replace("[iris]", "iris"), r"x\.yaml:2:1: 'datasets'.*list.*datasets: \[iris\]"),
        (GOOD.replace("{kind: random_pairs, counts: [10, 20]}", "random_pairs"), r"constraints: \{kind: random_pairs, counts: \[20, 50, 100\]\}"),
        (GOOD.replace("{kind: random_pairs, counts: [10, 20]}", "random"), "kind 'random'.*'random_pairs'"),
        (GOOD.replace("[kmeans,", "[{name: kmeans, select: oracle},"), "'oracle'.*metric.*oracle:ari"),
        (GOOD.replace("[iris]", "[{base: iris, generator: xor}]"), "'base'.*'generator'"),
        (GOOD.replace("[iris]", "[{generator: xor, seed: -5}]"), r"seed.*\b0\b.*-5"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_in_one_line(text, says):
    found = problems(text)
    assert_match(found, says)


def test_a_key_called_like_the_kind_of_schedule_is_not_taken_for_it():
    found = problems(
        GOOD.replace("kind: random_pairs, counts: [10, 20]", "kind: tiers, counts: [10], tiers: 5")
    )
    assert_match(found, "key 'per_tier'.*missing", "key 'counts'.*noise, weight, kind, per_tier, tiers")


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
    assert_match(problems(GOOD, settings=["trials=x"]), "^setting trials=x: 'trials'.*integer.*'x'")
    assert_match(problems(GOOD, settings=["trails=3"]), "^setting trails=3: .*'trails'.*'trials'")
    assert_match(problems(GOOD, settings=["trials"]), "KEY=VALUE")
    assert_match(problems(GOOD, settings=["algorithms.kmaens.label=x"]), "'kmaens'.*'kmeans'")
    assert_match(problems(GOOD, settings=["name.x.y=1"]), "key 'x'.*scalar")


@pytest.mark.parametrize(
    ("setting", "says"),
    [
        ("title=" + "[" * 100_000, "nested too deeply"),
        ("datasets.²=iris", "item '²'"),
        (f"datasets.{'9' * 5000}=iris", "item '999"),
        ("trials=!!timestamp foo", "YAML: .*tag"),
        ("trials=0x" + "f" * 5000, "'trials'.*integer.*'0xf"),
    ],
)
def test_hostile_settings_are_refused_in_one_line(setting, says):
    found = problems(GOOD, settings=[setting])
    assert_match(found, says)


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
    with pytest.raises(ConfigError, match=r"file 'mnist0698'.*'mnist0689'"):
        find_config("mnist0698")
    for name in ("a" * 5000, "a/" * 3000, "a\0b"):
        with pytest.raises(ConfigError, match="no experiment file"):
            find_config(name)
    with pytest.raises(ConfigError, match="no experiment file"):
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
    with pytest.warns(FutureWarning, match="'pmmc_printed'.*'pmmc'.*'preset: published'"):
        (old,) = entries("[pmmc_printed]")
    (new,) = entries("[{name: pmmc, preset: published}]")
    assert old == new


@pytest.mark.parametrize(
    ("entry", "says"),
    [
        (
            "{name: pmmc, params: {fallback: false}}",
            "parameter 'fallback'.*guard: true",
        ),
        ("{name: pckmeans, params: {joint: false}}", "parameter 'joint'"),
        ("{name: auto, guard: true}", "'auto'.*guard"),
        ("{name: kmeans, guard: true}", "'kmeans'.*no constraints"),
        ("{name: pmmc, preset: printed}", "'printed'"),
    ],
)
def test_what_is_gone_or_cannot_be_guarded(entry, says):
    with pytest.raises(ConfigError, match=says):
        entries(f"[{entry}]")
