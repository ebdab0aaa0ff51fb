"""A tiny paper, reproduced from its files to its page."""

import re
import shutil

import numpy as np
import pytest

from cscluster import bundle
from cscluster.papers import claims, printed

CONFIG = """\
name: tiny2020_fig1
paper: tiny2020
datasets: [iris]
constraints: {kind: random_pairs, counts: [10, 40]}
algorithms: [{name: kmeans, params: {n_init: 1}}, pckmeans]
trials: 1
metrics: [acc, seconds]
"""
CLAIMS = """\
title: Tiny (2020)
right: k-means is not bad.
wrong: PCK-Means is not perfect.
pictures: {Fig. 3: [mnist0689], Fig. 4: [synthetic_moons, synthetic_xor]}
items:
  fig1: {shows: Fig. 1, quick: ["constraints.counts=[20, 40]"], figures: {Fig. 1: curves_acc}}
  fig2_external: {shows: Fig. 2}
claims:
  - {id: a, where: Fig. 1, quote: k-means is not bad, because: not below 0.3, items: [fig1],
     rule: {kind: limit, metric: acc, label: k-means, at_least: 0.3}}
  - {id: b, where: Fig. 1, quote: PCK-Means is perfect, because: at least 1, items: [fig1, fig2_external],
     rule: {kind: limit, metric: acc, label: PCK-Means, at_least: 1.0}}
  - {id: c, where: Fig. 2, quote: it works on objects, because: not below 0.3, items: [fig2_external],
     rule: {kind: limit, metric: acc, label: PCK-Means, at_least: 0.3}}
  - {id: d, where: Table 1, quote: printed, because: within 0.5, items: [fig1],
     rule: {kind: numbers, table: "1", metric: acc, tolerance: 0.5}}
"""
SUMMARY = "4 claims: 2 hold, 1 do not hold, 1 not run"


@pytest.fixture
def reproduce(cscluster, tmp_path, monkeypatch):
    """Return a function that runs the command where the tiny paper is the only one."""
    paper = tmp_path / "configs" / "papers" / "tiny2020"
    paper.mkdir(parents=True)
    (paper / "fig1.yaml").write_text(CONFIG)
    external = CONFIG.replace("fig1", "fig2_external").replace("[iris]", "[coil20, coil3]")
    (paper / "fig2_external.yaml").write_text(external)
    (paper / "claims.yaml").write_text(CLAIMS)
    (paper / "printed.csv").write_text("table,dataset,label,metric,value,std\n1,iris,k-means,acc,0.9,\n")
    where = bundle.folder
    monkeypatch.setattr(bundle, "folder", lambda name: tmp_path / name if name == "configs" else where(name))
    claims.load.cache_clear()
    printed.read.cache_clear()
    yield lambda *words: cscluster("reproduce", *words)
    claims.load.cache_clear()
    printed.read.cache_clear()


def test_from_the_files_to_the_page(reproduce, tmp_path):
    first = reproduce("-j", "2", "--write")
    assert first.returncode == 0, first.stderr
    assert "[1/2] tiny2020/fig1: 4 trials, 4 to run" in first.stdout
    assert re.search(r"\[2/2\] tiny2020/fig2_external: .*coil20, coil3", first.stdout)
    assert SUMMARY in first.stdout
    reference = tmp_path / "results" / "reference"
    page = (reference / "REPRODUCTION.md").read_text()
    assert f"**{SUMMARY}.**" in page
    assert "| [Tiny (2020)](reproduction/tiny2020.md) | 2 | 1 | 0 | 0 | 1 |" in page
    assert "- **Tiny (2020).**  k-means is not bad.  PCK-Means is not perfect." in page
    assert "cscluster reproduce --profile full --write" in page
    assert "numpy " in page
    own = (reference / "reproduction" / "tiny2020.md").read_text()
    assert re.search(r"not run: c, Fig\. 2, “it works on objects”.*coil20, coil3", own)
    assert re.search(r"\| `fig2_external` \| Fig\. 2 \| not run.*coil20, coil3 \|", own)
    picture = "![iris: ACC (majority), one trial each.](../figures/tiny2020_fig1_curves_acc.png)"
    assert f"### Fig. 1\n\nClaims: a (holds), b (does not hold).\n\n{picture}" in own
    assert (reference / "figures" / "tiny2020_fig1_curves_acc.png").stat().st_size > 1000
    assert "### Fig. 3\n\n![mnist0689: samples of each class" in own
    assert "(../figures/tiny2020_mnist0689.png)" in own
    assert "samples, colour and marker by class." in own
    assert "| data set | k-means |\n|---|---:|\n| iris | 0." in own

    (reference / "figures" / "tiny2020_old.png").touch()
    (reference / "figures" / "other2020_fig1.png").touch()
    again = reproduce("--write", "--check")
    assert again.returncode == 0
    assert {path.name for path in (reference / "figures").iterdir()} == {
        "other2020_fig1.png",
        "tiny2020_fig1_curves_acc.png",
        "tiny2020_mnist0689.png",
        "tiny2020_synthetic_moons_synthetic_xor.png",
    }
    assert "4 trials, 0 to run" in again.stdout
    assert "all scores agree with the reference" in again.stdout
    assert (reference / "REPRODUCTION.md").read_text() == page
    assert (reference / "reproduction" / "tiny2020.md").read_text() == own

    table = reference / "tiny2020.csv"
    table.write_text(table.read_text().replace("PCK-Means", "PCK"))
    drifted = reproduce("--stored", "--check")
    assert drifted.returncode == 1
    said = " ".join(drifted.stdout.split())  # lines end where the terminal does
    assert re.search(r"tiny2020/fig1: acc of PCK on iris \(10\b.*\b1\)", said)


@pytest.mark.parametrize(("datasets", "n_there"), [("soybean_small", 0), ("wine, soybean_small, iris", 8)])
def test_packed_trials_draw_the_same_page_where_data_are_gone(
    reproduce, tmp_path, monkeypatch, datasets, n_there
):
    paper = tmp_path / "configs" / "papers" / "tiny2020"
    config = paper / "fig2_external.yaml"
    config.write_text(config.read_text().replace("coil20, coil3", datasets))
    rng = np.random.default_rng(0)
    np.savez(tmp_path / "soybean_small.npz", X=rng.normal(size=(47, 35)), y=np.arange(47) % 4)
    monkeypatch.setenv("CSCLUSTER_DATA", str(tmp_path))
    first = reproduce("-j", "2", "--write")
    n_trials = 4 + n_there
    assert f"fig2_external: {n_trials} trials, {n_trials} to run" in first.stdout
    reference = tmp_path / "results" / "reference"
    texts = {path: path.read_bytes() for path in reference.rglob("*.*") if path.suffix in (".md", ".csv")}
    assert len(texts) >= 3

    monkeypatch.delenv("CSCLUSTER_DATA")
    shutil.rmtree(tmp_path / "results" / "papers")
    stored = f"{4 + n_trials} trials planned, {4 + n_trials} stored, CPU hours left: 0.00"
    assert stored in reproduce("--dry-run").stdout
    again = reproduce("--write", "--retry", "failed")
    said = " ".join(again.stdout.split())  # lines end where the terminal does
    assert "[1/2] tiny2020/fig1: 4 trials, 0 to run" in said
    there = f"{n_there} trials, 0 to run, " if n_there else ""
    assert re.search(rf"\[2/2\] tiny2020/fig2_external: {there}.*soybean_small", said)
    assert {path: path.read_bytes() for path in texts} == texts
    assert stored in reproduce("--dry-run").stdout


def test_a_dry_run_says_what_is_left_and_writes_nothing(reproduce, tmp_path):
    before = reproduce("--dry-run")
    assert before.returncode == 0, before.stderr
    assert "4 trials planned, 0 stored" in before.stdout
    assert "coil20, coil3" in before.stdout
    assert not (tmp_path / "results").exists()
    reproduce("-j", "2", "--write")
    after = reproduce("--dry-run")
    assert "4 trials planned, 4 stored" in after.stdout
    shutil.rmtree(tmp_path / "results" / "papers")
    assert "4 trials planned, 4 stored" in reproduce("--dry-run").stdout, "packed trials count as stored"
    assert not (tmp_path / "results" / "papers").exists()


def test_what_a_file_no_longer_asks_for_is_left_out(reproduce, tmp_path):
    reproduce("tiny2020/fig1", "-j", "2")
    file = tmp_path / "configs" / "papers" / "tiny2020" / "fig1.yaml"
    file.write_text(CONFIG.replace("[10, 40]", "[40]"))
    assert "2 trials, 0 to run" in reproduce("tiny2020/fig1").stdout
    reproduce("--stored", "--write")
    page = (tmp_path / "results" / "reference" / "reproduction" / "tiny2020.md").read_text()
    assert "| `fig1` | Fig. 1 | 2 of 2 trials |" in page


def test_the_page_is_about_all_papers_whichever_was_run(reproduce, tmp_path):
    papers = tmp_path / "configs" / "papers"
    shutil.copytree(papers / "tiny2020", papers / "other2021")
    reproduce("tiny2020/fig1", "-j", "2")
    assert reproduce("other2021/fig1", "-j", "2", "--write").returncode == 0
    pages = tmp_path / "results" / "reference" / "reproduction"
    for paper in ("tiny2020", "other2021"):
        assert "| `fig1` | Fig. 1 | 4 of 4 trials |" in (pages / f"{paper}.md").read_text()


def test_the_quick_profile_has_results_and_references_of_its_own(reproduce, tmp_path):
    found = reproduce("--profile", "quick", "-j", "2", "--write")
    assert found.returncode == 0, found.stderr
    assert "[1/1] tiny2020/fig1: 4 trials, 4 to run" in found.stdout
    assert "it works on objects" not in found.stdout
    assert "the full profile decides" in found.stdout
    assert [path.name for path in (tmp_path / "results" / "reference").iterdir()] == ["quick_tiny2020.csv"]
    quick = tmp_path / "results" / "papers-quick"
    assert (quick / "tiny2020" / "fig1" / "trials.jsonl").is_file()
    assert (quick / "figures" / "tiny2020_fig1_curves_acc.png").stat().st_size > 1000
    assert reproduce("--profile", "quick", "--stored", "--check").returncode == 0


def test_nothing_is_run_with_stored(reproduce, tmp_path):
    found = reproduce("tiny2020/fig1", "--stored")
    assert found.returncode == 0
    assert "3 claims: 3 not run" in found.stdout
    assert not (tmp_path / "results").exists()


def test_an_item_without_a_claim_says_where_its_use_is_shown(reproduce, tmp_path):
    paper = tmp_path / "configs" / "papers" / "tiny2020"
    (paper / "starts.yaml").write_text(CONFIG.replace("fig1", "starts"))
    text = CLAIMS.replace("claims:\n", "  starts: {shows: starts}\nclaims:\n")
    (paper / "claims.yaml").write_text(text)
    found = reproduce("tiny2020/starts", "--stored")
    assert "`cscluster reproduce tiny2020 --stored --write`" in found.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["tiny2021"], "paper 'tiny2021'"),
        (["tiny2020/fig3"], "'tiny2020'.*item 'fig3'"),
        (["tiny2020/fig2_external", "--profile", "quick"], "quick.*fig1"),
        (["--profile", "slow"], "profile 'slow'.*full, quick"),
        (["--stored", "--check"], "no reference"),
    ],
)
def test_mistakes_are_one_sentence(reproduce, arguments, message):
    found = reproduce(*arguments)
    assert found.returncode == 2
    assert re.search(message, found.stderr)
    assert len(found.stderr.splitlines()) == 1
