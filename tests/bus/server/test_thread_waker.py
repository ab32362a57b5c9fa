"""A thread that waits on file handles is woken by others, once for however many calls."""

import os
import socket

import pytest
import zmq

from playhead.bus.server.thread_waker import ThreadWaker


def is_readable(waker: ThreadWaker) -> bool:
    poller = zmq.Poller()
    poller.register(waker.fileno(), zmq.POLLIN)
    return bool(poller.poll(0))


@pytest.fixture
def waker():
    waker = ThreadWaker()
    yield waker
    waker.close()


def test_however_often_it_is_rung_one_look_quiets_it(waker):
    assert not is_readable(waker)
    for _ in range(3):
        waker.ring()
    assert is_readable(waker)
    waker.clear()
    assert not is_readable(waker)
    waker.ring()
    assert is_readable(waker)


def test_a_signal_that_is_still_on_its_way_is_not_waited_for(waker):
    waker.ring()
    with socket.socket(fileno=os.dup(waker.fileno())) as other:
        assert other.recv(1)
    waker.clear()
    waker.ring()
    assert is_readable(waker)


def test_after_the_end_nobody_is_woken():
    waker = ThreadWaker()
    waker.close()
    waker.ring()
    assert waker.fileno() == -1
