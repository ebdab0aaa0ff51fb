import re
import shutil
import subprocess

import pytest

from cscluster.report.aggregate import collect
from cscluster.report.compose import compose
from cscluster.report.formats import latex
from tests.report.stored import entry, oracle, store, three_by_three, trial, wide

NASTY = '[*] 100% of $x_1^2$ & {#1} \\def\\x{} ~ <a> "q" Kernel-β × Žižka 漢 | 50_000 ’–\t\''


def nasty(path):
    records = [trial(n, 0.5 + 0.1 * t, trial=t, label=NASTY + n, dataset=NASTY) for n in "ab" for t in (0, 1)]
    return store(path, [entry(n, label=NASTY + n) for n in "ab"], records, title=NASTY)


def page(folder):
    tables = latex.text([compose(collect(folder))])
    packages = "\\usepackage[T1]{fontenc}\n\\usepackage{booktabs,graphicx,textcomp}\n"
    return f"\\documentclass{{article}}\n{packages}\\begin{{document}}\n{tables}\\end{{document}}\n"


def test_tables_alone_have_labels_and_go_into_any_document(tmp_path):
    text = latex.text([compose(collect(three_by_three(tmp_path)))])
    labels = re.findall(r"\\label\{(tab:[a-z0-9-]+)\}", text)
    assert len(labels) == len(set(labels)) == text.count(r"\begin{table}") > 0
    assert r"\documentclass" not in text
    assert r"\section" not in text


def test_a_caption_has_the_legend_and_a_label_of_ones_own(tmp_path):
    results = collect(three_by_three(tmp_path))
    text = latex.text([compose(results, "dataset", caption="50 % better", reference="B")], "tab:acc")
    (caption,) = re.findall(r"\\caption\{(.*)\}\\label\{tab:acc\}", text)
    assert re.match(
        r"50 \\% better\. .*\\ensuremath\{\\pm\} .*\b8 trials\. Bold: .*\b0\.05\)\. \+ and -: .*\bB\b",
        caption,
    )
    assert text.count("mean rank & 3.00 & 2.00 & 1.00") == 1
    several = latex.text([compose(results)], "tab:acc")
    assert re.findall(r"\\label\{(.*)\}", several) == ["tab:acc-1", "tab:acc-2", "tab:acc-3"]


def test_wide_tables_are_divided(tmp_path):
    text = page(wide(tmp_path))
    assert re.search(r"\\caption\{ACC \(majority\) on iris .*\(continued\)\. Mean", text)
    assert text.count("Pairwise constrained maximum margin &") == 2


@pytest.mark.parametrize(
    ("given", "printed"),
    [
        ("a_b", r"a\_b"),
        ("50% & #1", r"50\% \& \#1"),
        ("{$x^2$}", r"\{\$x\textasciicircum{}2\$\}"),
        (r"\input", r"\textbackslash{}input"),
        ("A < B ~ C", r"A $<$ B $\sim$ C"),
        ("Kernel-β", r"Kernel-$\beta$"),
        ("Žižka", "Žižka"),
        ("漢", "[U+6F22]"),
        ("two\n\nlines", "two lines"),
    ],
)
def test_signs_are_printed_as_they_are(given, printed):
    assert latex.escape(given) == printed


@pytest.mark.parametrize("name", ["[5cm] method", "*", "漢"])
def test_a_row_may_begin_with_a_bracket_or_a_star(tmp_path, name):
    records = [trial("a", 0.5, label=name, dataset="a] b", trial=t) for t in (0, 1)]
    records += [trial("b", 0.6, dataset="a] b", trial=t) for t in (0, 1)]
    text = page(store(tmp_path, [entry("a", label=name), entry("b")], records))
    (row,) = [line for line in text.splitlines() if line.startswith("{}")]
    assert row.startswith(f"{{}}{latex.escape(name)} & ")


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="there is no pdflatex here")
@pytest.mark.parametrize("make", [nasty, wide, three_by_three, oracle])
def test_it_compiles(tmp_path, make):
    (tmp_path / "report.tex").write_text(page(make(tmp_path / "run")), encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "report.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=120, check=False)
    log = done.stdout.decode("utf-8", "replace")
    assert done.returncode == 0, log[-2000:]
    assert "Missing character" not in log
    assert (tmp_path / "report.pdf").stat().st_size > 10_000
