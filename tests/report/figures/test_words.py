import pytest
from matplotlib import font_manager

from cscluster.report.colours import COLOURS
from cscluster.report.figures import curves
from cscluster.report.figures.style import DASHES, MARKERS, look
from cscluster.report.figures.words import metric_name, number_text, plain, wrapped

from .runs import legend_texts, run


def test_names_are_drawn_as_they_are_written(tmp_path):
    names = (r"$\frac{1}{", "a_b^2 $x$", "kernel-β", "50 % * <b>")
    assert legend_texts(curves(run(tmp_path, names), "acc")) == list(names)


def test_letters_that_the_font_lacks_are_written_by_their_code():
    assert plain("漢") == "[U+6F22]"
    assert plain("a\U0010fffdb") == "a[U+10FFFD]b"
    assert plain("one\n two\tthree ") == "one two three"
    assert plain("\x1b") == "[U+001B]"


def test_long_names_keep_both_ends_and_stay_apart():
    one, other = "a" * 200 + "1", "a" * 200 + "2"
    assert plain(one) != plain(other)
    assert len(plain(one)) <= 88
    assert max(map(len, wrapped(one, 44).split("\n"))) == 44


def test_metrics_go_by_their_titles():
    assert metric_name("acc@unseen") == "ACC (majority, unseen samples)"
    assert metric_name("\x1b_own") == "[U+001B] own"


@pytest.mark.parametrize(
    ("value", "text"), [(0, "0"), (-0.5, "-0.5"), (1e-3, "0.001"), (1e-4, "10⁻⁴"), (123456, "1.2·10⁵")]
)
def test_numbers(value, text):
    assert number_text(value) == text
    font = font_manager.get_font(font_manager.findfont("DejaVu Sans"))
    assert {ord(letter) for letter in text} <= set(font.get_charmap())


def test_looks_repeat_only_after_many():
    looks = [tuple(map(str, look(number).values())) for number in range(84)]
    assert len(set(looks)) == 84
    assert len({look(number)["marker"] for number in range(12)}) == len(MARKERS) == 12
    for number in range(83):
        one, other = look(number), look(number + 1)
        assert all(one[part] != other[part] for part in one)
    assert len(DASHES) == 5
    for number in range(len(MARKERS) - len(COLOURS)):  # the same colour again: all else differs
        first, again = look(number), look(number + len(COLOURS))
        assert first["color"] == again["color"]
        assert first["marker"] != again["marker"]
        assert first["linestyle"] != again["linestyle"]
