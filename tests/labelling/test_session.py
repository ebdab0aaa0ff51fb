"""Answers are saved after each one, can be taken back, and go on where they were left."""

import re
import subprocess
import sys
from dataclasses import replace

import pytest

from cscluster.constraints.files import read_constraints
from cscluster.errors import ConstraintError, ParameterError, StoreError
from cscluster.labelling.clusters import AnswerClusterer
from cscluster.labelling.session import AnswerError, Session
from cscluster.tables import method
from tests.lines import assert_match


@pytest.fixture
def path(tmp_path):
    return tmp_path / "links.csv"


@pytest.fixture
def talk(beads, heaps, path):
    with Session(heaps, path) as opened:
        yield opened


def answer(talk):
    a, b = talk.question
    talk.answer(a, b, bool(talk.table.y[a] == talk.table.y[b]))


def test_nothing_is_written_before_the_first_answer(talk, path):
    assert not path.exists()
    assert talk.answers == []
    assert not talk.can_undo


def test_the_file_holds_every_answer_by_name(talk, path, beads):
    for count in range(1, 8):
        answer(talk)
        assert len(path.read_text().splitlines()) == count + 1
        assert read_constraints(path, 60, beads.ids) == talk.links
    assert path.read_text().startswith("a,b,link\nb")
    assert sorted(entry.name for entry in path.parent.iterdir()) == [f".{path.name}.lock", path.name]


def test_groups_are_found_and_links_are_kept(talk, beads):
    for _ in range(12):
        answer(talk)
    assert len(talk.groups) == 3
    assert talk.problem == ""
    talk.finish()
    assert len(talk.links.violated(talk.clusters.labels)) == 0
    assert talk.predicted[1] == 12


def test_what_was_answered_is_never_asked_again(talk):
    for _ in range(30):
        a, b = talk.question
        links = talk.links
        assert links.components[a] != links.components[b]
        assert sorted(links.components[[a, b]].tolist()) not in links.component_cannot_links.tolist()
        answer(talk)


def test_undo_takes_back_answers_and_skips_in_order(talk, path):
    answer(talk)
    talk.finish()
    first, question, labels = path.read_text(), talk.question, talk.clusters.labels.tolist()
    answer(talk)
    talk.skip(talk.question[0])
    talk.undo()
    talk.undo()
    assert path.read_text() == first
    assert talk.question == question
    talk.finish()
    assert talk.clusters.labels.tolist() == labels
    talk.undo()
    assert path.read_text() == "a,b,link\n"
    talk.undo()
    assert talk.answers == []


def test_a_skipped_item_is_not_asked_about_again(talk):
    left_out = []
    while talk.question is not None and len(left_out) < 5:
        left_out.append(talk.question[0])
        talk.skip(talk.question[0])
    assert len(set(left_out)) == 5


def test_going_on_from_the_file(talk, path, beads, heaps):
    for _ in range(9):
        answer(talk)
    talk.close()
    with Session(heaps, path) as again:
        assert again.answers == talk.answers
        assert again.question == talk.question
        again.undo()
    assert len(path.read_text().splitlines()) == 9


def test_weights_in_the_file_stay(path, beads, heaps):
    path.write_text("a,b,link,weight\nb3,b1,must,2.5\n\nb0,b50,cannot,\n")
    with Session(heaps, path) as talk:
        assert [(link.a, link.b, link.weight) for link in talk.answers] == [(3, 1, 2.5), (0, 50, 1.0)]
        answer(talk)
    assert path.read_text().startswith("a,b,link,weight\nb3,b1,must,2.5\nb0,b50,cannot,1.0\n")


def test_the_end(talk, beads):
    while talk.question is not None:
        answer(talk)
    assert talk.links.n_components == 3
    assert len(talk.links.closure().violated(beads.y)) == 0


def test_contradictions_are_named_and_not_saved(talk, path):
    talk.answer(0, 1, True)
    talk.answer(1, 30, False)
    before = path.read_text()
    chain = "'b0'.*'b30'.*apart.*'b0' and 'b1', 'b1' not 'b30'"
    with pytest.raises(AnswerError, match=chain) as caught:
        talk.answer(0, 30, True)
    assert caught.value.chain == talk.answers
    talk.skip(0)
    with pytest.raises(AnswerError, match=r"'b0'.*'b1'.*together.*'b0' and 'b1'"):
        talk.answer(0, 1, False)
    assert path.read_text() == before
    assert len(talk.answers) == 2


def test_an_answer_that_follows_from_others_is_not_saved_again(talk, path):
    for a, b, together in ((0, 1, True), (1, 2, True), (1, 30, False)):
        talk.answer(a, b, together)
    before = path.read_text()
    for a, b, together in ((1, 0, True), (0, 2, True), (30, 2, False)):
        talk.answer(a, b, together)
    assert path.read_text() == before
    assert len(talk.answers) == 3


def test_more_groups_than_clusters_are_named_and_can_be_taken_back(talk):
    for a, b in ((0, 20), (0, 40), (20, 40), (1, 0), (1, 20)):
        talk.answer(a, b, False)
        assert talk.problem == ""
    talk.answer(1, 40, False)
    assert re.search(r"\b4 items.*different groups \(b0, b20, b40, b1\)", talk.problem)
    assert talk.problem.endswith("or start again with 4.")
    talk.undo()
    assert talk.problem == ""


def test_a_second_session_is_told(talk, path, beads, heaps, tmp_path):
    answer(talk)
    with pytest.raises(StoreError, match=r"Another session.*links\.csv'"):
        Session(heaps, path)
    (tmp_path / "same.csv").symlink_to(path)
    with pytest.raises(StoreError, match=r"Another session.*\.csv'"):
        Session(heaps, tmp_path / "same.csv")
    answer(talk)
    assert len(path.read_text().splitlines()) == 3
    talk.close()
    Session(heaps, path).close()


def test_the_lock_ends_with_the_process(path, beads, heaps):
    # However it ends: the system releases what a killed process held.
    code = f"import sys; from filelock import FileLock; lock = FileLock({str(path.with_name('.links.csv.lock'))!r}); lock.acquire(); print('held', flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout.readline() == b"held\n"
        with pytest.raises(StoreError, match=r"Another session.*\.csv'"):
            Session(heaps, path)
        other.kill()
        other.wait()
    Session(heaps, path).close()


def test_ids_that_differ_only_in_a_line_break_are_not_mistaken(path, heaps, beads):
    ids = ["a b", "a\nb", "a\rb", "a\u2028b", "a\x85b", "a\x0cb", "a\x0bb", "a\x1cb", *beads.ids[8:]]
    table = replace(beads, ids=ids)
    with Session(AnswerClusterer(table, beads.X, 3, "pckmeans"), path) as talk:
        for row in range(1, 8):
            talk.answer(0, row, True)
        answers = talk.answers
    assert [(link.a, link.b) for link in answers] == [(0, row) for row in range(1, 8)]
    with Session(AnswerClusterer(table, beads.X, 3, "pckmeans"), path) as again:
        assert again.answers == answers


def test_a_file_that_another_program_changed_is_left_alone(talk, path):
    answer(talk)
    path.write_text("a,b,link\nb5,b6,must\n")
    with pytest.raises(StoreError, match=r"links\.csv'.*another program"):
        answer(talk)
    assert path.read_text() == "a,b,link\nb5,b6,must\n"
    assert len(talk.answers) == 1


def test_a_contradictory_file_is_refused(path, beads, heaps):
    path.write_text("a,b,link\nb0,b1,must\nb1,b0,cannot\n")
    with pytest.raises(ConstraintError, match=r"'b0'.*'b1'.*cannot-linked.*line 3.*line 2"):
        Session(heaps, path)


def test_answers_can_be_changed_and_deleted(talk, path, beads):
    for a, b, together in ((0, 1, True), (1, 2, False), (1, 30, False)):
        talk.answer(a, b, together)
    talk.change(1, 2, True)
    assert read_constraints(path, 60, beads.ids) == talk.links
    assert talk.links.must_links.tolist() == [[0, 1], [1, 2]]
    talk.delete(0, 1)
    assert [(link.a, link.b, link.together) for link in talk.answers] == [(1, 2, True), (1, 30, False)]
    talk.undo()
    talk.undo()
    assert [link.together for link in talk.answers] == [True, False, False]
    talk.undo()
    assert len(talk.answers) == 2


def test_a_change_that_the_others_contradict_is_refused_with_the_chain(talk, path):
    for a, b, together in ((0, 1, True), (5, 6, True), (1, 2, True), (0, 30, False), (2, 31, False)):
        talk.answer(a, b, together)
    talk.answer(30, 31, True)
    before = path.read_text()
    with pytest.raises(AnswerError, match=r"'b0'.*'b30'.*apart") as caught:
        talk.change(30, 0, True)
    assert [tuple(link[:2]) for link in caught.value.chain] == [(0, 1), (1, 2), (2, 31), (30, 31)]
    assert path.read_text() == before


def test_clusters_of_all_answers_come_in_the_background(talk, beads):
    for _ in range(8):
        answer(talk)
    talk.finish()
    assert talk.is_up_to_date
    expected = method.fit(method.Method("pckmeans"), 3, beads.X, talk.links, 0).labels
    assert talk.clusters.labels.tolist() == expected.tolist()


def test_contradicted_answers_are_asked_again(talk):
    for a, b, together in ((0, 1, True), (1, 2, True), (5, 6, True)):
        talk.answer(a, b, together)
    with pytest.raises(AnswerError):
        talk.answer(0, 2, False)
    assert talk.question == (0, 1)
    talk.answer(0, 1, True)
    assert talk.question == (1, 2)
    talk.answer(1, 2, False)
    assert talk.doubtful == []
    assert [link.together for link in talk.answers] == [True, False, True]
    talk.answer(0, 2, False)  # no contradiction any more, but it follows
    assert len(talk.answers) == 3


def test_skipping_ends_the_asking_again_and_confirmed_answers_stay(talk):
    talk.answer(0, 1, True)
    for end in (lambda: talk.skip(0), lambda: talk.answer(0, 1, True)):
        with pytest.raises(AnswerError):
            talk.answer(0, 1, False)
        assert talk.question == (0, 1)
        end()
        assert talk.doubtful == []
        assert set(talk.question) != {0, 1}
    assert [tuple(link[:3]) for link in talk.answers] == [(0, 1, True)]


def test_with_more_groups_than_clusters_answers_against_the_clusters_are_asked_again(talk):
    for a, b in ((0, 20), (0, 40), (20, 40), (1, 0), (1, 20)):
        talk.answer(a, b, False)
    talk.finish()
    talk.answer(1, 40, False)
    assert talk.has_too_many_groups
    labels = talk.clusters.labels
    assert all(labels[a] == labels[b] for a, b in talk.doubtful)
    while talk.doubtful:
        a, b = talk.question
        talk.answer(a, b, talk.table.y[a] == talk.table.y[b])
    assert not talk.has_too_many_groups


def test_what_is_missing_is_said_until_one_can_stop(path, beads):
    with Session(AnswerClusterer(beads, beads.X, 3), path) as talk:
        assert_match(talk.missing[:2], "^0 of 3 groups", r"\b10 more answers\b.*methods")
        for _ in range(24):
            answer(talk)
        talk.finish()
        assert talk.missing == ["no method exceeds k-means yet"]  # the beads are clear to k-means
        assert talk.advice == "Go on: no method exceeds k-means yet."


def test_one_can_stop_when_all_groups_are_found_and_answers_are_predicted(talk):
    for _ in range(17):
        answer(talk)
    assert_match(talk.missing, r"^17\b.*\b17 answers predicted, 18 of 20\b")
    answer(talk)
    assert talk.missing == []
    assert re.match(r"All 3 groups.*\b18\b.*\b20 answers", talk.advice)


def test_what_a_killed_session_left_behind_is_removed(path, heaps):
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    left, others = path.with_name(f".{path.name}.{ended.pid}.part"), path.with_name(f".x.{ended.pid}.part")
    for part in (left, others):
        part.write_text("a,b,link\n")
    Session(heaps, path).close()
    assert not left.exists()
    assert others.exists()


def test_an_answer_that_cannot_be_saved_is_remembered_as_such(talk, path):
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (5, before[1]))  # as if the disk had room for five bytes
    try:
        with pytest.raises(StoreError, match=r"write.*links\.csv'"):
            talk.answer(0, 1, True)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert talk.unsaved is not None
    assert talk.answers == []
    assert not path.exists()
    talk.answer(0, 1, True)
    assert talk.unsaved is None


def test_answers_that_are_gone_are_neither_changed_nor_deleted(talk):
    talk.answer(0, 1, True)
    talk.answer(0, 30, False)
    talk.delete(1, 0)
    for stale in (lambda: talk.delete(0, 1), lambda: talk.change(0, 1, False)):
        with pytest.raises(ConstraintError, match=r"no answer.*'b0'.*'b1'"):
            stale()
    assert [tuple(link[:3]) for link in talk.answers] == [(0, 30, False)]


def test_a_method_that_cannot_go_on_is_heard_and_costs_no_answer(talk, path, monkeypatch):
    def refuse(*_):
        raise ParameterError("This cannot be clustered.")

    monkeypatch.setattr(method, "fit", refuse)
    talk.answer(0, 1, True)
    with pytest.raises(ParameterError, match="cannot be clustered"):
        talk.finish()
    assert talk.problem == "This cannot be clustered."
    assert len(path.read_text().splitlines()) == 2
