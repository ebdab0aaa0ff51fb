import pytest

from cscluster.report.figures import sensitivity
from cscluster.report.figures.draw import drawings
from cscluster.report.figures.sensitivity import drawable

from .runs import caption, drawn_lines, legend_texts, run

LAM = (0.01, 0.1, 1, 10, 100)


def score(label, dataset, point, at):
    return 0.5 + 0.1 * (at.get("lam") == 1) + 0.01 * (at.get("C") == 10) + point / 1000


def test_a_line_over_one_parameter_on_a_logarithmic_axis(tmp_path):
    results = run(tmp_path, ("A", "B"), ("iris", "wine"), points=(60,), grid={"lam": LAM}, value=score)
    figure = sensitivity(results, "acc", ("lam",))
    assert figure.get_supxlabel() == "lam"
    assert legend_texts(figure) == ["A", "B"]
    assert caption(figure).endswith("number of constraints: 60")
    for axes in figure.axes:
        assert axes.get_xscale() == "log"
        for line in drawn_lines(axes):
            assert line.get_xdata().tolist() == list(LAM)
            assert line.get_ydata() == pytest.approx([0.56, 0.56, 0.66, 0.56, 0.56])


def test_even_steps_are_on_a_linear_axis(tmp_path):
    figure = sensitivity(run(tmp_path, ("A",), points=(60,), grid={"m": (50, 100, 150)}), "acc", ("m",))
    assert figure.axes[0].get_xscale() == "linear"


def test_of_several_numbers_of_constraints_the_last(tmp_path):
    results = run(tmp_path, ("A", "B"), points=(20, 40), grid={"lam": LAM}, value=score)
    figure = sensitivity(results, "acc", ("lam",))
    assert caption(figure).endswith("number of constraints: 40")
    assert [line.get_ydata()[0] for line in drawn_lines(figure.axes[0])] == pytest.approx([0.54, 0.54])


def test_words_have_no_order_that_a_line_could_show(tmp_path):
    results = run(tmp_path, ("A",), points=(60,), grid={"kernel": ("rbf", None)})
    assert drawable(results) == {}
    assert [name for name, _ in drawings(results)] == ["boxes_acc"]
    both = run(tmp_path / "b", ("A",), points=(60,), grid={"kernel": ("rbf", None), "lam": (10, 1)})
    figure = sensitivity(both, "acc", ("kernel", "lam"))
    assert figure.get_supxlabel() == "lam"
    assert legend_texts(figure) == ["A, kernel = 'rbf'", "A, kernel = null"]


def test_of_two_parameters_the_second_has_a_line_for_each_value(tmp_path):
    results = run(tmp_path, ("A",), points=(60,), grid={"lam": LAM, "C": (1, 10)}, value=score)
    figure = sensitivity(results, "acc", ("C", "lam"))
    (axes,) = figure.axes
    assert legend_texts(figure) == ["A, C = 1", "A, C = 10"]
    first, second = (line.get_ydata() for line in drawn_lines(axes))
    assert first == pytest.approx([0.56, 0.56, 0.66, 0.56, 0.56])
    assert second == pytest.approx(first + 0.01)


def test_without_a_grid_there_is_nothing_to_draw(tmp_path):
    assert drawable(run(tmp_path)) == {}
    assert drawable(run(tmp_path / "b", ("A",), grid={"lam": LAM}, select="oracle:acc")) == {}
