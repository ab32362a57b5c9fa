"""A game that runs: what was evicted is gone, and said to be; the rest is answered."""

import pytest

from playhead.bus.client.client import Client, connect
from playhead.errors import BusError, CommandError, EvictedError

from .guards import FRAMES


def test_connecting_takes_a_port_or_an_address(played):
    endpoint = played.session.bus.endpoint
    port = int(endpoint.rpartition(":")[2])
    for address in (port, str(port), f"localhost:{port}", f"127.0.0.1:{port}", endpoint):
        with connect(address, name="tests") as client:
            assert isinstance(client, Client)
            assert len(client.recording.frames) == FRAMES
            assert client.recording is client.recording


@pytest.mark.parametrize("address", [None, True, 5.5, "what?", "file:///x", 70000, -1])
def test_what_is_no_address_is_refused(address):
    with pytest.raises(CommandError, match="address|port"):
        connect(address)


def test_an_address_where_nobody_answers_raises():
    with pytest.raises(BusError, match="no playhead answers there"):
        connect("127.0.0.1:9", timeout=0.05)


def test_closing_the_recording_leaves_the_client_connected(play_game):
    one = play_game(10)
    with connect(one.session.bus.endpoint) as client:
        run = client.recording
        run.close()
        with pytest.raises(CommandError, match="was closed"):
            run.objects()
        assert client.connected
        assert len(client.recording.objects()) == 7


@pytest.mark.parametrize("form", ["ring", "live"])
def test_what_was_evicted_is_gone_and_the_message_says_what_is_recorded(form, play_game):
    one = play_game(30, memory="256 KiB")
    run = one.recording(form)
    early, check_like = run.frames, run.objects(3)
    assert len(early) == 30
    one.go_on(1500)
    span = run.span
    assert span.oldest > 100
    for ask in (lambda: run.objects(3), lambda: run.objects(at=0.1), lambda: early[2],
                lambda: run.state(1, "ai", frame=3), lambda: run.history(1, "hp", first=3),
                lambda: run.logs(start=0.0), lambda: run.tree(2, frame=20)):  # fmt: skip
        with pytest.raises(EvictedError, match=f"it holds the frames {span.oldest} to 1530, "):
            ask()
    assert check_like[0].fields["hp"] == 99.7, "what was copied stays"
    assert len(run.frames) == len(run.history(1, "hp").times)


@pytest.mark.parametrize("form", ["clip", "ring", "live"])
def test_a_state_outlives_the_transition_that_led_to_it(form, play_game):
    one = play_game(20, memory="256 KiB")
    one.session.trace.state(77, "rest", "awake", "asleep", won="tired", values={"hours": 3})
    one.session.name(77, "sleeper")
    one.go_on(1500)
    run = one.recording(form)
    assert run.span.oldest > 100
    assert run.state("sleeper", at=run.span.start) == "asleep"
    (last,) = run.transitions("sleeper")
    assert (last.time, last.target, last.values) == (None, "asleep", {"hours": 3})
    assert last.frame == 21
    assert run.transitions("sleeper", start=run.span.start) == []
    assert run.table("transitions")["time"].dtype == float


def test_a_paused_game_answers_and_a_lost_one_says_so(play_game):
    one = play_game(FRAMES)
    client = connect(one.session.bus.endpoint, timeout=0.5)
    run = client.recording
    one.session.enter()
    assert run.state("guard 1", "ai", frame=12) == "Flee"
    one.close()
    try:
        with pytest.raises(BusError):
            run.history(1, "hp")
        assert "can't be read" in repr(run)
    finally:
        client.close()
