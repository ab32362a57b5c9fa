"""A session on the bus as the game sees it: what the bus asks of it, and never does to it."""

import queue
import sys
import textwrap
import threading
import time

import pytest

from playhead.bus.client.client import Client
from playhead.bus.server.bus_settings import BusSettings
from playhead.errors import CapacityError, CommandError, GameError, HandlerError
from playhead.playback.commands import Enter, Leave, SeekFrame, Step
from playhead.playback.pending_command import PendingCommand
from playhead.recorder.checks.check_policy import UNATTENDED
from playhead.recorder.checks.failed_check_tracker import FailedCheck

from ...support.process import run_process, run_python
from ...support.waits import LIMIT

ANY = "tcp://127.0.0.1:*"


def in_a_thread(call, *args):
    thread = threading.Thread(target=call, args=args, daemon=True)
    thread.start()
    return thread


def obeying(game, call, *args):
    """What a tool's call gives, while the game's loop goes on here."""
    outcome = queue.Queue()

    def ask():
        try:
            outcome.put(call(*args))
        except Exception as error:
            outcome.put(error)

    thread = in_a_thread(ask)
    end = time.monotonic() + LIMIT
    pause = threading.Event()
    while outcome.empty() and time.monotonic() < end:
        game.session.obey()
        pause.wait(0.002)
    thread.join(LIMIT)
    return outcome.get_nowait()


@pytest.mark.parametrize("bus", [ANY, "127.0.0.1:*", BusSettings(ANY)])
def test_a_session_is_put_on_the_bus_by_an_address_or_settings(play, bus):
    game = play(bus=bus)
    game.run(3)
    with Client(game.session.bus.endpoint) as client:
        assert client.snapshot().span.newest == 3


def test_without_a_bus_nothing_of_it_is_imported():
    done = run_process(sys.executable, "-c", textwrap.dedent("""
            import sys
            import playhead.session
            assert "zmq" not in sys.modules and "playhead.bus.server.service" not in sys.modules
        """))  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_a_session_whose_address_is_taken_is_refused_and_leaves_nothing(play, tmp_path):
    first = play(bus=ANY)
    file = tmp_path / "game.ring"
    with pytest.raises(CapacityError, match="in use"):
        play(bus=first.session.bus.endpoint, path=file)
    again = play(path=file)  # the file is not locked by the one that failed
    again.run(1)


def test_closing_in_playback_leaves_it_first(play):
    game = play(bus=ANY)
    game.run(3)
    game.session.apply(SeekFrame(1), now=True)
    game.session.close()
    assert game.court.calls[-1] == ("resume",)
    game.session.close()


def test_a_game_that_waits_is_woken_by_a_tool_at_once_and_takes_no_processor_before(play):
    game = play(bus=ANY)
    game.run(20)
    game.session.apply(Enter(), now=True)
    with Client(game.session.bus.endpoint) as client:
        moves = queue.Queue()

        def person():
            for frame in range(1, 11):
                began = time.monotonic()
                client.seek(frame=frame)
                moves.put(time.monotonic() - began)
            client.leave()

        used, began = time.thread_time(), time.monotonic()
        assert game.session.wait(0.4) is False
        assert time.monotonic() - began > 0.35
        assert time.thread_time() - used < 0.05, "it does not sleep"
        thread = in_a_thread(person)
        while not game.session.live:
            assert game.session.wait(LIMIT)
        thread.join(LIMIT)
    waited = sorted(moves.queue)
    assert len(waited) == 10
    assert waited[5] < LIMIT / 10


def test_it_says_when_an_order_waits_for_loops_that_sleep_elsewhere(play):
    game = play(bus=ANY)
    game.run(3)
    rung = threading.Event()
    game.session.on_order = rung.set
    with Client(game.session.bus.endpoint) as client:
        asked = in_a_thread(client.enter)
        assert rung.wait(LIMIT)
        game.session.obey()
        asked.join(LIMIT)
    assert not game.session.live


def test_an_order_that_was_given_up_is_not_carried_out(play):
    game = play()
    game.run(3)
    received = []
    valid, gone = (
        PendingCommand(Step(-1), "a", received.append),
        PendingCommand(Enter(), "b", received.append),
    )
    game.session.take(gone)
    game.session.take(valid)
    assert gone.give_up()
    game.session.obey()
    assert [shown.frame for shown in received] == [2]


def test_an_order_can_be_given_up_while_it_waits_for_the_frames_end(play):
    game = play()
    game.run(3)
    received = []
    pending = PendingCommand(Enter(), "a", received.append)

    def middle():
        game.session.watch("n", 1.0)
        game.session.take(pending)
        game.session.obey()

    game.court.during = middle
    game.court.step()
    assert pending.is_open
    assert pending.give_up()
    game.court.during = lambda: None
    game.session.update(game.DT)
    assert game.session.live
    assert received == []


def test_an_order_that_makes_no_sense_is_refused_where_it_is_handed_over(play):
    game = play()
    with pytest.raises(CommandError):
        game.session.take(PendingCommand(Step(0)))
    game.session.obey()


def test_an_order_whose_carrying_out_fails_is_answered_and_the_game_hears_of_it(play):
    game = play()
    game.run(3)
    received = []
    game.court.pause = lambda: 1 / 0
    game.session.take(PendingCommand(Enter(), "a", received.append))
    with pytest.raises(ZeroDivisionError):
        game.session.obey()
    [error] = received
    assert isinstance(error, GameError)
    assert "ZeroDivisionError" in str(error)
    del game.court.pause


def test_what_the_world_could_not_show_is_reported_all_the_same(play):
    broken = [True]

    class Broken:
        def play(self, obj, packet):
            if broken:
                raise RuntimeError("can't")

    game = play(bus=ANY)
    game.run(3)
    game.session.restorer._players = {"ball": Broken()}
    with Client(game.session.bus.endpoint) as client:
        asked = queue.Queue()
        thread = in_a_thread(lambda: asked.put(_error_of(lambda: client.seek(frame=2))))
        end = time.monotonic() + LIMIT
        while time.monotonic() < end:
            try:
                game.session.obey()
            except HandlerError:
                break
        thread.join(LIMIT)
        assert asked.get_nowait() is not None
        assert client.snapshot().time.frame == 2
        assert client.snapshot().time.mode == "paused"
    broken.clear()


def _error_of(call, *args):
    try:
        call(*args)
    except Exception as error:
        return error
    return None


def test_a_check_that_makes_no_sense_from_outside_ends_no_game(play):
    game = play()
    game.run(3)
    received = []
    violation = FailedCheck("x", "", 0, "\udc80", 0)
    game.session.take(PendingCommand(violation, "a", received.append))
    game.session.obey()
    if game.session.live:
        game.run(1)
    assert len(received) == 1


def test_an_unattended_run_marks_and_tells_and_goes_on(play):
    game = play(bus=ANY, on_check=UNATTENDED)
    game.run(10)
    with Client(game.session.bus.endpoint) as client:
        heard = []
        client.on("failed_check", heard.append)
        client.dispatch(0.3)
        obeying(game, lambda: client.check(False, "too fast", focus=2, time=4 * game.DT))
        game.run(2)
        end = time.monotonic() + LIMIT
        while not heard and time.monotonic() < end:
            client.dispatch(0.1)
        [event] = heard
        assert event.event.failed_check.frame == 4
        assert [(mark.name, mark.frame) for mark in client.marks()] == [("too fast", 4)]
    assert game.session.live
    assert game.court.camera is None


def test_several_checks_from_outside_are_all_reported_and_the_first_one_is_shown(play):
    game = play(bus=ANY)
    game.run(10)
    listened = []
    game.session.on_failed_check(lambda violation: listened.append(violation.message))
    for message, frame in (("a", 7), ("b", 3)):
        when = game.session.source.stamp(frame).time
        game.session.report_failed_check(FailedCheck(message, "", 1, "", 0, frame, when))
    game.run(1)
    assert listened == ["a", "b"]
    assert game.session.playhead.frame == 7
    assert [violation.frame for violation in game.session.failed_checks] == [7, 3]


def test_tools_do_not_change_what_happens_in_the_game(play):
    alone, watched = play(), play(bus=ANY)
    alone.run(60)
    with Client(watched.session.bus.endpoint) as client:
        client.on_time(lambda time: None)
        client.on("trace", lambda event: None)
        watched.run(20)
        for _ in range(5):
            obeying(watched, lambda: client.seek(frame=7))
            obeying(watched, client.step, -2)
            client.objects(3)
            obeying(watched, client.leave)
            watched.run(8)
    alone.court.calls = watched.court.calls = []
    assert watched.court.state() == alone.court.state()


@pytest.mark.parametrize("ends", ["", "session.enter()", "raise SystemExit(0)", "1 / 0"])
def test_a_program_that_ends_without_closing_its_session_does_end(ends):
    script = textwrap.dedent("""
        from playhead.session import Session
        from tests.support.fake_world import FakeWorld

        session = Session(FakeWorld(), "1 MiB", bus="tcp://127.0.0.1:*")
        session.update(0.1)
    """)
    done = run_python(script + ends, env={"PYTHONWARNINGS": "ignore"})
    assert done.returncode == (1 if ends == "1 / 0" else 0), done.stderr


def test_a_session_left_and_entered_by_hand_and_by_tools_stays_in_step(play):
    game = play(bus=ANY)
    game.run(5)
    with Client(game.session.bus.endpoint) as client:
        for _ in range(10):
            game.session.apply(Enter(), now=True)
            assert client.snapshot().time.mode == "paused"
            assert obeying(game, client.leave).mode.value == "live"
            assert game.session.live
            obeying(game, client.enter)
            game.session.apply(Leave())
            assert client.snapshot().time.mode == "live"
            game.run(1)
