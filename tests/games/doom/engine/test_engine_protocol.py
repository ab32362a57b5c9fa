"""Whole messages over a socket."""

import socket
import struct
import time

import pytest

from playhead.errors import DamagedError
from playhead.games.doom.engine.engine_protocol import Channel, Failed, StartEngine, StepEngine
from playhead.games.doom.scenario import SCENARIOS


@pytest.fixture
def pair():
    one, other = socket.socketpair()
    yield Channel(one), other
    one.close()
    other.close()


def soon():
    return time.monotonic() + 5


def test_a_request_and_its_answer_arrive_completely(pair):
    here, stream = pair
    there = Channel(stream)
    request = StartEngine(SCENARIOS["deathmatch"], 7, 3)
    here.send(request)
    here.send(StepEngine([0.0, 1.5]))
    assert [there.request(), there.request()] == [request, StepEngine([0.0, 1.5])]
    there.send(Failed("no such map"))
    assert here.answer(soon()) == Failed("no such map")


def test_silence_is_a_time_out_even_in_mid_message(pair):
    here, stream = pair
    with pytest.raises(TimeoutError):
        here.answer(time.monotonic())
    stream.send(struct.pack("<I", 10) + b"half")
    with pytest.raises(TimeoutError):
        here.answer(time.monotonic() + 0.02)


def test_the_end_of_the_other_side_is_distinguished_from_silence(pair):
    here, stream = pair
    stream.send(b"\x05")
    stream.close()
    with pytest.raises(EOFError):
        here.answer(soon())
    assert here.request() is None
    assert here.drain(5)


@pytest.mark.parametrize(
    "sent",
    [struct.pack("<I", 2**31), struct.pack("<I", 3) + b"\xc1\xc1\xc1", struct.pack("<I", 0)],
)
def test_what_is_no_answer_is_refused(pair, sent):
    here, stream = pair
    stream.send(sent)
    with pytest.raises(DamagedError, match=r"\d"):
        here.answer(soon())


def test_draining_gives_up_on_a_side_that_stays(pair):
    here, stream = pair
    stream.send(b"something left over")
    assert not here.drain(0.02)
