"""`advance`: the game runs for so many steps at its newest frame, and stands again."""

import threading

import pytest

import playhead as ph
from playhead.bus.client.client import Client
from playhead.errors import BusError, CommandError
from playhead.playback.commands import Advance, Enter, SeekFrame
from playhead.playback.playback_state import Mode
from playhead.recorder.checks.check_policy import UNATTENDED

from ...support.waits import LIMIT, until

ANY = "tcp://127.0.0.1:*"


def in_a_thread(call):
    thread = threading.Thread(target=call)
    thread.start()
    return thread


def loop(game, iterations):
    """The loop of a game that goes on while the world is paused."""
    for _ in range(iterations):
        if game.session.live:
            game.court.step()
        game.session.update(game.DT)


def test_the_game_runs_for_so_many_steps_and_pauses_at_its_newest_frame(play):
    game = play()
    game.run(5)
    game.session.apply(Enter(), now=True)
    began = game.session.advance(3)
    assert (began.mode, began.pending) == (Mode.LIVE, (Advance(3),))
    loop(game, 2)
    assert game.session.state.pending == (Advance(1),)
    loop(game, 10)
    state = game.session.state
    assert (state.mode, state.frame, state.pending) == (Mode.PAUSED, 8, ())
    assert (game.newest, game.court.steps, game.court.paused) == (8, 8, True)


def test_the_run_that_continues_equals_one_that_was_never_paused(play):
    game, alone = play(), play()
    game.run(5)
    for steps in (1, 4, 2):
        game.session.apply(Enter(), now=True)
        game.session.seek(frame=2)
        game.session.seek(frame=game.newest)
        game.session.advance(steps)
        loop(game, steps + 3)
        game.session.leave()
    game.run(3)
    alone.run(15)
    assert game.court.state() == alone.court.state()
    assert game.newest == alone.newest == 15


@pytest.mark.parametrize(
    ("prepare", "why"),
    [
        (lambda session: session.leave(), "the game runs"),
        (lambda session: session.seek(frame=3), "is at frame 3.*its newest only: seek.frame=5"),
        (lambda session: (session.seek(frame=1), session.play()), "being played; pause"),
        (lambda session: session.advance(2), "advances already, 2 steps are left"),
    ],
)
def test_anywhere_else_it_is_refused_and_nothing_changes(play, prepare, why):
    game = play()
    game.run(5)
    game.session.apply(Enter(), now=True)
    prepare(game.session)
    before = game.session.state
    with pytest.raises(CommandError, match=f"advance: .*{why}"):
        game.session.advance()
    assert game.session.state == before
    assert game.newest == 5


def test_before_the_first_frame_it_runs_too(play):
    game = play()
    game.session.apply(Enter(), now=True)
    game.session.advance(2)
    loop(game, 4)
    assert (game.session.state.mode, game.session.state.frame) == (Mode.PAUSED, 2)


@pytest.mark.parametrize("on_check", [None, UNATTENDED])
def test_a_check_that_fails_ends_it_there(play, on_check):
    game = play(on_check=on_check)
    game.court.during = lambda: game.session.check(game.court.steps != 7, "no")
    game.run(5)
    game.session.apply(Enter(), now=True)
    game.session.advance(10)
    loop(game, 20)
    assert (game.session.state.mode, game.session.state.frame) == (Mode.PAUSED, 7)
    assert (game.newest, game.session.state.pending) == (7, ())
    game.session.advance(1)  # and on from there
    loop(game, 3)
    assert game.session.state.frame == 8


@pytest.mark.parametrize(
    ("act", "mode", "frame"),
    [
        (lambda session: session.leave(), Mode.LIVE, None),
        (lambda session: session.pause(), Mode.PAUSED, 8),
        (lambda session: session.seek(frame=2), Mode.PAUSED, 2),
        (lambda session: session.loop(None), Mode.PAUSED, 15),  # moves no time
    ],
)
def test_what_is_asked_for_meanwhile_ends_it_after_its_step(play, act, mode, frame):
    game = play()
    game.run(5)
    game.session.apply(Enter(), now=True)
    game.session.advance(10)
    loop(game, 2)
    act(game.session)
    if mode is Mode.PAUSED:
        loop(game, 20)
    assert (game.session.state.mode, game.session.state.frame) == (mode, frame)
    assert not game.session.playhead.is_advancing


def test_a_game_in_blocks_goes_on_for_so_many_of_them(play):
    game = play()
    steps = threading.Semaphore(0)

    def run():
        while not closing.is_set():
            with game.session.frame(game.DT):
                if closing.is_set():
                    return
                game.court.step()
                steps.release()

    closing = threading.Event()
    thread = in_a_thread(run)
    try:
        assert steps.acquire(timeout=LIMIT)
        until(lambda: game.session.enter().mode is Mode.PAUSED)
        stood = game.newest
        assert game.session.advance(3).pending[-1] == Advance(3)
        until(lambda: game.session.state.frame == stood + 3)
        assert game.session.state.mode is Mode.PAUSED
        assert game.newest == stood + 3
    finally:
        closing.set()
        game.session.leave()
        thread.join(LIMIT)


def test_a_recording_of_plain_objects_lets_its_blocks_through():
    class Thing:
        x = 0

    thing = Thing()
    thing.x = 0
    with ph.record(lambda: [thing], dt=1.0) as rec:
        for step in range(1, 6):
            with rec.frame():
                thing.x = step
        rec.apply(Enter(), now=True)
        rec.advance(2)
        for step in (6, 7):
            with rec.frame():
                thing.x = step
        assert (rec.state.mode, rec.state.frame) == (Mode.PAUSED, 7)
        rec.leave()


def test_what_raises_in_a_step_ends_the_program_and_that_step_is_recorded(play):
    game = play()
    game.run(5)
    game.session.apply(Enter(), now=True)
    game.session.advance(10)
    with pytest.raises(KeyboardInterrupt), game.session.frame(game.DT):
        game.court.step()
        raise KeyboardInterrupt
    assert game.newest == 6
    game.session.close()
    assert not game.court.paused
    with pytest.raises(CommandError, match="closed"):
        game.session.advance()


# --- over the bus -----------------------------------------------------------------------------


def test_a_tool_is_answered_when_the_game_is_paused_again(play):
    game = play(bus=ANY)
    game.run(5)
    game.session.apply(Enter(), now=True)
    with Client(game.session.bus.endpoint) as client:
        answers = []
        thread = in_a_thread(lambda: answers.append(client.advance(3)))
        until(lambda: (loop(game, 1), answers)[1])
        thread.join(LIMIT)
    assert (answers[0].mode, answers[0].frame, answers[0].clamped) == (Mode.PAUSED, 8, False)
    assert answers[0].pending == ()


@pytest.mark.parametrize(
    ("act", "mode"),
    [(lambda session: session.leave(), Mode.LIVE), (lambda session: session.pause(), Mode.PAUSED)],
)
def test_a_tool_is_told_that_somebody_ended_it_before_its_last_step(play, act, mode):
    game = play(bus=ANY)
    game.run(5)
    game.session.apply(Enter(), now=True)
    with Client(game.session.bus.endpoint) as client:
        answers = []
        thread = in_a_thread(lambda: answers.append(client.advance(1000)))
        until(lambda: (loop(game, 1), game.newest)[1] >= 7)
        act(game.session)
        until(lambda: (loop(game, 1), answers)[1])
        thread.join(LIMIT)
    assert (answers[0].mode, answers[0].clamped) == (mode, True)


def test_a_tool_is_told_that_the_game_ended_while_it_advanced(play):
    game = play(bus=ANY)
    game.run(5)
    game.session.apply(Enter(), now=True)
    with Client(game.session.bus.endpoint) as client:
        errors = []

        def ask():
            try:
                client.advance(1000)
            except BusError as error:
                errors.append(str(error))

        thread = in_a_thread(ask)
        until(lambda: (loop(game, 1), game.newest)[1] >= 7)
        game.session.close()
        thread.join(LIMIT)
    assert "ended while this was being carried out" in errors[0] or "lost" in errors[0]


def test_a_tool_that_is_gone_leaves_a_game_that_stands_in_the_end(play):
    game = play(bus=ANY)
    game.run(5)
    game.session.apply(Enter(), now=True)
    client = Client(game.session.bus.endpoint)
    client._transport.send(Advance(4))  # and does not wait, as one that is interrupted
    client.close()
    until(lambda: (loop(game, 1), game.newest)[1] == 9)
    loop(game, 5)
    assert (game.session.state.mode, game.session.state.frame) == (Mode.PAUSED, 9)


def test_two_tools_do_not_advance_it_at_once(play):
    game = play(bus=ANY)
    game.run(5)
    game.session.apply(Enter(), now=True)
    endpoint = game.session.bus.endpoint
    with Client(endpoint) as one, Client(endpoint) as two:
        answers, refused = [], []

        def refuse():
            with pytest.raises(CommandError, match="advances already") as raised:
                two.advance(1)
            refused.append(str(raised.value))

        first = in_a_thread(lambda: answers.append(one.advance(400)))
        until(lambda: (loop(game, 1), game.newest)[1] >= 7)
        second = in_a_thread(refuse)
        until(lambda: (loop(game, 1), refused)[1])
        until(lambda: (loop(game, 5), answers)[1])
        first.join(LIMIT)
        second.join(LIMIT)
    assert answers[0].frame == 405
    assert not answers[0].clamped


def test_a_seek_of_another_tool_waits_for_the_step_and_ends_it(play):
    game = play(bus=ANY)
    game.run(5)
    game.session.apply(Enter(), now=True)
    endpoint = game.session.bus.endpoint
    with Client(endpoint) as one, Client(endpoint) as two:
        answers = []
        first = in_a_thread(lambda: answers.append(one.advance(10_000)))
        until(lambda: (loop(game, 1), game.newest)[1] >= 7)
        second = in_a_thread(lambda: answers.append(two.apply(SeekFrame(2))))
        until(lambda: (loop(game, 1), len(answers))[1] == 2)
        first.join(LIMIT)
        second.join(LIMIT)
    assert {answer.frame for answer in answers} == {2}
    assert [answer.clamped for answer in answers].count(True) == 1
