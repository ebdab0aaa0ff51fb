from cscluster.report.figures import tiers

from .runs import drawn_lines, legend_texts, run


def test_lines_over_tiers(tmp_path):
    figure = tiers(run(tmp_path, ("A", "B"), ("iris", "wine"), points=(100,), tiers=5, kind="tiers"), "acc")
    assert figure.get_supxlabel() == "tier of 100 constraints"
    assert legend_texts(figure) == ["A", "B"]
    for axes in figure.axes:
        assert [label.get_text() for label in axes.get_xticklabels()] == ["t1", "t2", "t3", "t4", "t5"]
        assert [line.get_xdata().tolist() for line in drawn_lines(axes)] == [[1, 2, 3, 4, 5]] * 2


def test_a_panel_for_each_size_of_a_tier(tmp_path):
    figure = tiers(run(tmp_path, points=(50, 100), tiers=2, kind="tiers"), "acc")
    assert [axes.get_title() for axes in figure.axes] == [
        "iris, 50 constraints each",
        "iris, 100 constraints each",
    ]
