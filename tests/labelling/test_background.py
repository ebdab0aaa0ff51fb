"""Work that goes on while a person thinks."""

import threading

import pytest

from cscluster.labelling.background import Background


def test_only_the_latest_of_what_waits_is_done():
    done, begun, go = [], threading.Event(), threading.Event()

    def work(piece):
        begun.set()
        go.wait(30)
        done.append(piece)

    background = Background(work)
    assert background.is_idle
    background.put(1)
    begun.wait(30)
    for piece in (2, 3, 4):
        background.put(piece)
    assert not background.is_idle
    go.set()
    background.wait()
    assert done == [1, 4]
    background.close()


def test_what_is_raised_is_kept_until_the_next_success():
    def work(piece):
        if piece < 0:
            raise ValueError("too small")

    background = Background(work)
    background.put(-1)
    background.wait()
    with pytest.raises(ValueError, match="too small"):
        raise background.error
    background.put(1)
    background.wait()
    assert background.error is None
    background.close()
