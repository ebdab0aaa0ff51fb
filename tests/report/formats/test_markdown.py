from cscluster.report.aggregate import collect
from cscluster.report.document import compose
from cscluster.report.formats import markdown
from tests.report.stored import entry, oracle, store, three_by_three, trial


def page(folder):
    return markdown.text([compose(collect(folder))])


def test_tables(tmp_path):
    lines = page(oracle(tmp_path)).splitlines()
    assert lines[0] == "# A title"
    assert "## ACC (majority) on iris by number of links" in lines
    start = lines.index("| algorithm | 10 |")
    assert lines[start + 1] == "|---|---:|"
    assert lines[start + 2] == r"| =A\|&lt;b>\* \* | **0.200 ± 0.000** |"
    assert all(line.replace(r"\|", "").count("|") == 3 for line in lines[start : start + 3])
    assert r"\* oracle: the parameters were picked with the true labels, as in the papers  " in lines


def test_outcome_of_the_tests(tmp_path):
    lines = page(three_by_three(tmp_path)).splitlines()
    assert "- wine: `A < B < C`" in lines
    assert any(
        line.startswith("C has the highest ACC (majority) in 6 of 6 cases; by paired t-tests")
        for line in lines
    )


def test_names_from_files_are_text(tmp_path):
    label = "a`b[c](d)\n<script>"
    records = [
        trial(name, 0.5 + 0.1 * t, trial=t, label=label if name == "a" else "")
        for name in "ab"
        for t in (0, 1)
    ]
    text = page(store(tmp_path, [entry("a", label=label), entry("b")], records, title="# x\n# y <b>"))
    assert text.startswith("# # x # y &lt;b>\n")
    assert r"| a\`b\[c](d) &lt;script> |" in text
    assert "<script>" not in text.replace("`a'b[c](d) <script> ~ B`", "")


def test_several_runs_stand_below_each_other(tmp_path):
    document = compose(collect(oracle(tmp_path)))
    assert markdown.text([document, document]).count("# A title\n") == 2
