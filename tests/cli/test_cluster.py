"""``cscluster cluster`` and ``cscluster predict`` from end to end."""

import csv
import io
import re
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from cscluster import Constraints, load_dataset
from cscluster.cli import cluster_view as view
from cscluster.cli.cluster import Method, parse_method
from cscluster.cli.console import Console
from cscluster.cli.options import ClusterOptions
from cscluster.errors import CsclusterError
from cscluster.selection.count import Count
from cscluster.tables import large

HEAD = ["id", "name", "bed", "sepal_length", "sepal_width", "petal_length", "petal_width", "species"]


@pytest.fixture
def garden(tmp_path):
    """Write flowers with names, a text column and empty cells, links by id, and new flowers."""
    iris, rng = load_dataset("iris"), np.random.default_rng(7)
    rows = []
    for number, i in enumerate(rng.permutation(150), start=100):
        cells = [f"{v:.1f}" if rng.random() > 0.02 else "" for v in iris.X[i]]
        bed = rng.choice(["north", "south", "west"])
        rows.append([f"0{number}", f"plant no. {number}", bed, *cells, iris.classes[iris.y[i]]])
    write(tmp_path / "flowers.csv", [HEAD, *rows[:120]])
    write(tmp_path / "new.csv", [HEAD[::-1], *(row[::-1] for row in rows[120:])])
    pairs = {tuple(sorted(rng.choice(120, 2, replace=False).tolist())) for _ in range(60)}
    linked = [
        [rows[a][0], rows[b][0], "must" if rows[a][-1] == rows[b][-1] else "cannot"] for a, b in sorted(pairs)
    ]
    write(tmp_path / "links.csv", [["a", "b", "link"], *linked])
    return tmp_path


@pytest.fixture
def call(cscluster):
    """Return a function that runs one line."""
    return lambda line: cscluster(*line.split())


def write(path, rows):
    with path.open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


def read(text):
    return list(csv.reader(io.StringIO(text)))


def test_from_a_table_to_clusters_and_a_model_for_new_rows(call, garden):
    done = call(
        "cluster flowers.csv -c links.csv -k 3 --target species -o labels.csv --model model.zip "
        "--map map.html --map map.png --violated violated.csv --describe about.html"
    )
    assert done.returncode == 0, done.stderr
    assert max(map(len, done.stdout.splitlines())) <= 80
    for line in (
        "flowers.csv: 120 rows, column 'id' names them",
        "left out: name (text with 120 different values)",
        "features: 4 columns of numbers, standardised",
        "text column 'bed': a 0/1 column for each of its 3 values (north, south, west)",
        "held-out constraint accuracy",
        "k-means",
        "constraints satisfied:",
        "silhouette:",
        "against the known classes: ARI 0.",
        "map: map.html",
        "clusters: about.html",
        "typical rows",
        "what sets the clusters apart",
        "petal_length",
    ):
        assert line in done.stdout
    labels = read((garden / "labels.csv").read_text())
    flowers = read((garden / "flowers.csv").read_text())
    assert labels[0][:2] == ["id", "cluster"]  # and a confidence, if the chosen method has one
    assert [row[0] for row in labels] == [row[0] for row in flowers]
    assert (garden / "map.png").read_bytes().startswith(b"\x89PNG")
    assert "flowers.csv" in (garden / "map.html").read_text()
    for page in ("map.html", "about.html"):
        assert "What is in the clusters" in (garden / page).read_text()
    assert (garden / "violated.csv").read_text().startswith("a,b,link\n")
    assert not list(garden.glob(".*"))

    again = call("predict model.zip flowers.csv -o -")
    assert again.returncode == 0, again.stderr
    assert [row[0] for row in read(again.stdout)] == [row[0] for row in labels]
    new = call("predict model.zip new.csv -o new_labels.csv")
    assert "new.csv: 30 rows" in new.stdout
    assert len(read((garden / "new_labels.csv").read_text())) == 31


def test_the_same_command_gives_the_same_files(call, garden):
    for name in ("one", "two"):
        call(f"cluster flowers.csv -c links.csv -k 3 -a pckmeans -o {name}.csv --model {name}.zip")
    for ending in ("csv", "zip"):
        assert (garden / f"one.{ending}").read_bytes() == (garden / f"two.{ending}").read_bytes()


def test_a_method_with_probabilities_writes_a_confidence(call, garden):
    done = call("cluster flowers.csv -c links.csv -k 3 -a pmmc --target species -o labels.csv --model m.zip")
    head, *rows = read((garden / "labels.csv").read_text())
    assert head == ["id", "cluster", "confidence"]
    assert all(0 <= float(row[2]) <= 1 for row in rows)
    assert "on the border of two clusters" in done.stdout
    new = read(call("predict m.zip new.csv -o -").stdout)
    assert new[0] == head
    assert all(1 / 3 <= float(row[2]) <= 1 for row in new[1:])


def test_labels_alone_go_to_standard_output(call, garden):
    done = call("cluster flowers.csv -k 3 -a kmeans --target species --out -")
    rows = read(done.stdout)
    assert rows[0] == ["id", "cluster"]
    assert len(rows) == 121
    assert {row[1] for row in rows[1:]} == {"0", "1", "2"}
    assert "no constraints were given" in done.stderr
    assert "labels are not written" not in done.stderr


def test_without_a_file_the_last_line_says_how_to_get_the_labels(call, garden):
    done = call("cluster flowers.csv -k 3 -a kmeans --target species")
    assert "--out labels.csv" in done.stdout.splitlines()[-1]


def test_the_table_with_its_clusters(call, garden):
    call("cluster flowers.csv -k 3 -a kmeans --target species --out all.csv --with-table --model m.zip")
    flowers, written = (read((garden / name).read_text()) for name in ("flowers.csv", "all.csv"))
    assert [row[:-1] for row in written] == flowers
    assert {row[-1] for row in written[1:]} == {"0", "1", "2"}
    assert call("predict m.zip flowers.csv --out again.csv --with-table").returncode == 0
    assert (garden / "again.csv").read_text() == (garden / "all.csv").read_text()


def test_a_data_set_by_name(call, tmp_path):
    (tmp_path / "links.csv").write_text("a,b,link,weight\n0,1,must,2\n0,50,cannot,\n")
    done = call("cluster iris -c links.csv -k 3")
    assert "iris: 150 rows, counted from 0" in done.stdout
    assert re.search(r"chosen: k-means.*\b10 constraints.*\b2\b", " ".join(done.stdout.split()))
    assert "constraints satisfied: 2 of 2 (100%)" in done.stdout
    assert re.search(r"links\.csv: 1 must-link, 1 cannot-link.*weights.*\b1\b.*\b2\b", done.stdout)


def test_violated_constraints_are_named_ten_at_most(call, garden):
    pairs = [[str(i), str(i + 60), "must"] for i in range(30)]
    write(garden / "wrong.csv", [["a", "b", "link"], *pairs])
    done = call("cluster iris -c wrong.csv -k 3 -a kmeans --broken broken.csv")  # the option of version 0.2
    assert "... and 20 more" in done.stdout
    assert "constraints violated:\n  0  60  must" in done.stdout
    assert len(read((garden / "broken.csv").read_text())) == 31
    assert done.stderr.count("--broken is now --violated") == 1
    assert "--broken" not in call("cluster iris -c wrong.csv -k 3 -a kmeans --violated broken.csv").stderr


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ("cluster flowers.cvs", r"'flowers\.cvs'.*'flowers\.csv'"),
        ("cluster flower.csv", r"'flower\.csv'.*'flowers\.csv'"),
        ("cluster missing.csv", r"data file 'missing\.csv'"),
        ("cluster irsi", "'irsi'.*'iris'"),
        ("cluster flowers.csv -c nothing.csv", r"constraint file 'nothing\.csv': No such file"),
        ("cluster flowers.csv -c clash.csv", "'0100'.*'0102'.*cannot-linked.*line 4.*must-links"),
        ("cluster flowers.csv -c strange.csv", r"strange\.csv:2: .*sample '0999'"),
        ("cluster flowers.csv -c heads.csv", r"heads\.csv:1: .*'a,b,link'.*'a,b,link,weight'.*'from,to,type'"),
        ("cluster flowers.csv -c numbers.csv", r"numbers\.csv:2: .*sample '3'.*'0100'"),
        ("cluster flowers.csv -k 0", r"clusters.*\b2\b.*'auto'.*\b0\b"),
        ("cluster flowers.csv -k 200 -a kmeans", "200 clusters.*120 rows"),
        ("cluster flowers.csv -a kmeens", "'kmeens'.*'kmeans'"),
        ("cluster flowers.csv --guard", "guard.*name of an algorithm"),
        ("cluster flowers.csv --clusterer kmeans", "guard.*name of an algorithm"),
        ("cluster flowers.csv -c hard.csv -a pmmc", "PMMC.*hard constraints.*pccc.*cop_kmeans"),
        ("cluster flowers.csv -c hard.csv -a rca -k 3 --guard", r"RCA \+ k-means.*hard constraints"),
        ("cluster flowers.csv -a pmmc -p fallback=false", "PMMC.*parameter 'fallback'"),
        ("cluster flowers.csv -a pckmeans -p w=-1", "'w'.*PCK-Means.*-1"),
        ("cluster flowers.csv --target kind", "column 'kind'"),
        ("cluster flowers.csv --ignore petal_wdith", "'petal_wdith'.*'petal_width'"),
        ("cluster flowers.csv --features name", r"no columns.*name \(text.*120\b"),
        ("cluster flowers.csv --preprocess whiten", "step 'whiten'"),
        ("cluster flowers.csv --out flowers.csv", r"--out.*'flowers\.csv'.*input"),
        ("cluster flowers.csv --out no/labels.csv", "--out.*no directory 'no'"),
        ("cluster flowers.csv --map map.doc", r"map\.doc.*\.html, \.png, \.pdf, \.svg"),
        ("cluster flowers.csv -a scsc --model m.zip", "SCSC.*predict"),
        ("cluster flowers.csv -a kmeans --preprocess tfidf --model m.zip", "step 'tfidf'"),
        ("predict no.zip flowers.csv", r"model file 'no\.zip': No such file"),
        ("predict links.csv flowers.csv", r"'links\.csv'.*not a model file"),
    ],
)  # fmt: skip
def test_bad_input_is_one_sentence_exit_code_2_and_nothing_written(call, garden, arguments, says):
    (garden / "clash.csv").write_text("a,b,link\n0100,0101,must\n0101,0102,must\n0100,0102,cannot\n")
    (garden / "hard.csv").write_text("a,b,link,weight\n0100,0101,must,hard\n")
    (garden / "heads.csv").write_text("from,to,type\n0100,0101,must\n")
    (garden / "numbers.csv").write_text("a,b,link\n3,7,must\n")
    (garden / "strange.csv").write_text("a,b,link\n0100,0999,must\n")
    before = {path: path.stat().st_mtime_ns for path in garden.rglob("*")}
    done = call(arguments)
    assert done.returncode == 2
    assert re.search(says, done.stderr.replace("\n", " "))
    assert "Traceback" not in done.stderr
    assert {path: path.stat().st_mtime_ns for path in garden.rglob("*")} == before


def test_options_are_read():
    assert parse_method(ClusterOptions(data="")) == Method()
    params = ["lam=10", "kernel=gaussian", "n_components=null"]
    wanted = parse_method(ClusterOptions(data="", algorithm="pmmc", param=params, clusters="4", guard=True))
    assert wanted == Method("pmmc", {"lam": 10, "kernel": "gaussian", "n_components": None}, 4, guard=True)
    joined = ClusterOptions(data="", algorithm="rca", clusters="3", clusterer="pckmeans")
    assert parse_method(joined).clusterer == "pckmeans"


@pytest.mark.parametrize(
    ("given", "says"),
    [
        (("kmeens", [], "3"), "'kmeens'.*'kmeans'"),
        (("auto", ["w=1"], "3"), "name of an algorithm"),
        (("pckmeans", ["w"], "3"), "NAME=VALUE"),
        (("pckmeans", ["v=1"], "3"), "parameter 'v'"),
        (("pckmeans", ["w=heavy"], "3"), "'w'.*PCK-Means.*'heavy'"),
        (("pckmeans", ["n_clusters=3"], "3"), "'n_clusters'.*number of clusters"),
        (("pckmeans", ["random_state=3"], "3"), "'random_state'.*seed"),
        (("pckmeans", ["w=" + "[" * 100_000], "3"), "--param w.*nested"),
        (("pckmeans", ["w=!!timestamp foo"], "3"), "--param w:1:1: .*tag"),
        (("pckmeans", ["w=0x" + "f" * 5000], "3"), "'w'.*PCK-Means.*'0xff"),
        (("auto", [], "9" * 5000), "clusters.*'auto'.*9{40}"),
        (("auto", [], "1"), r"clusters.*\b2\b.*'auto'.*\b1\b"),
        (("auto", [], "many"), "clusters.*'auto'.*many"),
        (("auto", [], "²"), "clusters.*'auto'.*²"),
    ],
)
def test_wrong_options_are_one_sentence(given, says):
    algorithm, param, clusters = given
    with pytest.raises(CsclusterError, match=says):
        parse_method(ClusterOptions(data="", algorithm=algorithm, param=param, clusters=clusters))


def test_new_rows_with_other_columns(call, garden):
    call("cluster flowers.csv -k 3 -a kmeans --target species --ignore name --model m.zip")
    flowers = read((garden / "flowers.csv").read_text())
    write(garden / "short.csv", [row[:4] for row in flowers])
    done = call("predict m.zip short.csv")
    assert (done.returncode, "no column 'sepal_width'" in done.stderr) == (2, True)
    write(garden / "east.csv", [flowers[0], *([r[0], r[1], "east", *r[3:]] for r in flowers[1:4])])
    east = call("predict m.zip east.csv -o -")
    assert re.search(r"column 'bed': 3 rows.*'east'", east.stderr.replace("\n", " "))
    assert len(read(east.stdout)) == 4


def test_sparse_data(call, tmp_path):
    rng = np.random.default_rng(0)
    lines = []
    for i in range(60):
        words = sorted(rng.choice(40, 6, replace=False) + 1 + 40 * (i % 2))
        lines.append(f"{i % 2} " + " ".join(f"{w}:1" for w in words))
    (tmp_path / "words.svm").write_text("\n".join(lines) + "\n")
    done = call("cluster words.svm -k 2 --out labels.csv --model m.zip")
    assert done.returncode == 0, done.stderr
    assert "each row divided by its length" in done.stdout
    assert "ARI 1.000" in done.stdout
    assert call("predict m.zip words.svm -o -").stdout == (tmp_path / "labels.csv").read_text()


def test_partial_labels_are_enough(call, garden):
    head, *rows = read((garden / "flowers.csv").read_text())
    known = [row if number % 4 == 0 else [*row[:-1], ""] for number, row in enumerate(rows)]
    write(garden / "some.csv", [head, *known])
    done = call("cluster some.csv --labels species -k 3 -a mpckmeans --out labels.csv")
    assert done.returncode == 0, done.stderr
    assert re.search(r"column 'species': 30\b.*\b3 classes", done.stdout)
    found = dict(read((garden / "labels.csv").read_text())[1:])
    groups = {}
    for row in known:
        groups.setdefault(row[-1], []).append(found[row[0]])
    likely = {name: max(set(labels), key=labels.count) for name, labels in groups.items() if name}
    assert len(set(likely.values())) == 3


def test_contradictions_are_listed_and_can_be_kept_or_dropped(call, garden):
    rows = ["0100,0101,must", "0101,0102,must", "0100,0102,cannot", "0100,0110,cannot"]
    (garden / "clash.csv").write_text("\n".join(["a,b,link", *rows, ""]))
    done = call("cluster flowers.csv --links clash.csv -k 3 -a pckmeans")
    assert done.returncode == 2
    assert "'0100' - '0101' (line 2) - '0102' (line 3)" in done.stderr
    assert "--contradictions keep" in done.stderr
    dropped = call("cluster flowers.csv --links clash.csv -k 3 -a pckmeans --contradictions drop")
    assert "2 must-links, 1 cannot-link\n" in dropped.stdout
    kept = call("cluster flowers.csv --links clash.csv -k 3 -a pckmeans --contradictions keep")
    assert "2 must-links, 2 cannot-links\n1 cannot-link contradicted" in kept.stdout


def test_the_last_number_of_clusters_tried_is_told(capsys):
    chosen = Count(10, {9: 0.5, 10: 0.7}, "silhouette", "it is largest there")
    view.show_count(Console(), chosen)
    assert "that is the last number tried" in capsys.readouterr().out
    view.show_count(Console(), Count(9, {9: 0.7, 10: 0.5}, "silhouette", "it is largest there"))
    assert "last number" not in capsys.readouterr().out


def headline(done):
    """Return the line above the sizes of the clusters."""
    lines = done.stdout.splitlines()
    return next(before for before, line in pairwise(lines) if line.startswith("cluster  rows"))


def test_the_method_that_is_named_is_the_one_that_was_fitted(call, garden):
    for options in ("", "-a pmmc --guard", "-a rca --clusterer pckmeans --guard"):
        done = call(
            f"cluster flowers.csv -c links.csv -k 3 {options} --target species --model m.zip --map m.html"
        )
        assert done.returncode == 0, done.stderr
        name = headline(done)
        chosen = re.search(r"chosen: (.*?), because", " ".join(done.stdout.split()))[1]
        assert chosen == name
        assert f"flowers.csv: {name}, 3 clusters" in (garden / "m.html").read_text()
        assert f"m.zip: {name}, 3 clusters" in call("predict m.zip new.csv").stdout
    plain = call("cluster flowers.csv -c links.csv -k 3 -a pmmc --target species")
    assert headline(plain) == "PMMC"
    assert "chosen" not in plain.stdout


def test_few_constraints_with_a_guard_are_no_reason_for_the_method(call, garden):
    (garden / "two.csv").write_text("a,b,link\n0100,0101,must\n0100,0102,cannot\n")
    assert headline(call("cluster flowers.csv -c two.csv -k 3 -a pmmc --guard")) == "k-means"
    assert headline(call("cluster flowers.csv -c two.csv -k 3 -a pmmc")) == "PMMC"


def test_hard_constraints_are_satisfied(call, garden):
    lines = (garden / "links.csv").read_text().splitlines()
    hard = [f"{lines[0]},weight", *(f"{line},hard" for line in lines[1:])]
    (garden / "hard.csv").write_text("\n".join([*hard, ""]))
    done = call("cluster flowers.csv -c hard.csv -k 3 --target species")
    assert "PCCC" in headline(done)
    assert "(100%)" in done.stdout
    assert "constraints violated" not in done.stdout


def test_hard_constraints_are_counted_apart_from_weights():
    links = Constraints(
        [(0, 1), (1, 2)], [(0, 3)], n_samples=4, must_weights=[np.inf, 2.0], cannot_weights=[0.5]
    )
    (line,) = view.links_lines(links, Path("l.csv"))
    assert re.fullmatch(r"l\.csv: 2 must-links, 1 cannot-link, 1\b.* hard, .*\b0\.5\b.*\b2", line)
    assert view.links_lines(links.hardened(), Path("l.csv"))[0].endswith("1 cannot-link, all hard")


def test_a_large_file_is_labelled_though_it_is_never_read_whole(call, tmp_path, monkeypatch):
    pytest.importorskip("pyarrow")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(large, "LARGE", 100)
    monkeypatch.setattr(large, "SAMPLE", 40)
    monkeypatch.setattr(large, "_BLOCK", 64)
    y = np.arange(300) % 3
    X = 9 * y[:, None] + np.random.default_rng(0).normal(size=(300, 2))
    pd.DataFrame(X, columns=["length", "width"]).to_parquet("big.parquet")
    Path("links.csv").write_text("a,b,link\n0,3,must\n298,299,cannot\n")
    done = call("cluster big.parquet -c links.csv -k 3 -a pckmeans -o labels.csv --model model.zip")
    assert done.returncode == 0, done.stderr
    assert "300 rows, counted from 0. Learned from 4" in done.stdout
    assert "all rows:" in done.stdout
    labels = read(Path("labels.csv").read_text())
    assert labels[0] == ["row", "cluster"]
    assert [row[0] for row in labels[1:]] == [str(row) for row in range(300)]
    found = np.array([int(row[1]) for row in labels[1:]])
    assert all(len(set(found[y == k])) == 1 for k in range(3))
    assert call("cluster big.parquet -k 3 -a pckmeans -o -").stdout.count("\n") == 301
    refused = call("cluster big.parquet -k 3 -a pckmeans -o labels.csv --with-table")
    assert refused.returncode == 2
    assert "--with-table" in refused.stderr
    refused = call("cluster big.parquet -k 3 -a ccskl -o labels.csv")
    assert refused.returncode == 2
    assert re.search("CCSKL.*predict", refused.stderr)


def test_clusters_from_distances_alone_with_noise_in_every_file(call, garden):
    flowers = load_dataset("iris").X[:120]
    distances = np.linalg.norm(flowers[:, None] - flowers, axis=2)
    distances[119, :119] = distances[:119, 119] = 99.0
    np.save(garden / "distances.npy", distances)
    done = call(
        "cluster flowers.csv -c links.csv --algorithm hdbscan --distances distances.npy -o labels.csv "
        "--map map.html --map map.png --violated violated.csv --describe about.html"
    )
    assert done.returncode == 0, done.stderr
    assert "distances.npy: " in done.stdout
    assert "features:" not in done.stdout
    labels = [row[1] for row in read((garden / "labels.csv").read_text())[1:]]
    assert labels[119] == "-1"
    assert f"noise: {labels.count('-1')} row" in done.stdout
    assert ">noise<" in (garden / "about.html").read_text()
    assert '"noise"' in (garden / "map.html").read_text()
    assert (garden / "map.png").stat().st_size > 1000


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ("-k 3 --distances new.csv", r"'new\.csv'.*another order"),
        ("-k 3 --distances missing.npy", r"distances.*'missing\.npy'"),
        ("--distances distances.npy", "number of clusters.*'hdbscan'"),
        (
            "-k 3 -a pmmc --distances distances.npy",
            "'pmmc'.*columns.*kernel_kmeans, csp, agglomerative",
        ),
        ("-k 3 --preprocess pca=2 --distances distances.npy", "--preprocess.*columns"),
        ("-k 3 -a hdbscan", "HDBSCAN.*-k"),
        ("-a hdbscan --guard", "'hdbscan'.*k-means"),
        ("-a hdbscan --model model.zip", "HDBSCAN.*predict"),
    ],
)
def test_what_does_not_go_with_distances_or_noise(call, garden, options, sentence):
    done = call(f"cluster flowers.csv {options}")
    assert done.returncode == 2
    assert re.search(sentence, " ".join(done.stderr.split()))
    assert "Traceback" not in done.stderr
