"""What a session serves to tools, seen from the game: when it is done, and what it may cost."""

import threading

import pytest

from playhead.bus.server.rpc_registry import RpcCall
from playhead.errors import CommandError, GameError, HandlerError
from playhead.playback.commands import Enter
from playhead.playback.pending_command import PendingCommand

from ...support.waits import LIMIT


def asked(game, name, body=None):
    """Hand an instruction over; it, and the list of its outcomes."""
    instruction, result = RpcCall(name, body), []
    game.session.take(PendingCommand(instruction, "a", result.append))
    return instruction, result


def test_it_is_done_at_the_end_of_a_step_and_not_in_the_midst_of_it(play):
    game = play()
    game.run(2)
    seen = []

    def look(body):
        seen.append((body, game.newest, game.session.recorder.ring.raw.is_open))
        return body

    game.session.serve("look", look)
    game.court.during = lambda: asked(game, "look", "hello") and game.session.watch("n", 1.0)
    game.court.step()
    assert seen == []
    game.session.update(game.DT)
    assert seen == [("hello", 3, False)]


def test_in_playback_it_is_done_by_update_and_by_wait(play):
    game = play()
    game.run(3)
    game.session.serve("mode", lambda body: game.session.playhead.mode.value)
    game.session.apply(Enter(), now=True)
    for carry_out in (lambda: game.session.update(0.1), lambda: game.session.wait(LIMIT)):
        instruction, result = asked(game, "mode")
        carry_out()
        assert instruction.result == "paused"
        assert len(result) == 1


def test_what_a_handler_does_to_the_session_is_done(play):
    game = play()
    game.run(3)
    game.session.serve("enter", lambda body: game.session.apply(Enter(), now=True).frame)
    instruction, _ = asked(game, "enter")
    game.run(1)
    assert instruction.result == 4
    assert not game.session.live


def test_one_that_was_given_up_is_never_done(play):
    game = play()
    game.run(1)
    done = []
    game.session.serve("a", done.append)
    pending = PendingCommand(RpcCall("a", 1))
    game.session.take(pending)
    assert pending.give_up()
    asked(game, "a", 2)
    game.session.obey()
    assert done == [2]


@pytest.mark.parametrize("strict", [True, False])
def test_an_error_of_the_game_is_reported_and_counted_and_raises_nowhere(play, strict):
    game = play(strict=strict)
    game.run(1)
    game.session.serve("a", lambda body: 1 / 0)
    game.session.serve("b", lambda body: game.session.serve("c", 3))
    outcomes = [asked(game, name)[1] for name in ("a", "b", "nobody")]
    game.run(1)
    [[zero], [refused], [unknown]] = outcomes
    assert isinstance(zero, GameError)
    assert "ZeroDivisionError" in str(zero)
    assert isinstance(refused, HandlerError)
    assert isinstance(unknown, CommandError)
    assert game.session.recorder.faults.calls == {"call 'a'": 1}
    assert game.session.status.calls_refused == {"call 'a'": 1}
    game.run(1)


def test_who_ends_the_program_from_within_a_handler_ends_it(play):
    game = play()
    game.run(1)

    def end(body):
        raise SystemExit(3)

    game.session.serve("end", end)
    asked(game, "end")
    with pytest.raises(SystemExit):
        game.session.obey()


def test_a_command_that_ends_the_program_is_answered_all_the_same(play):
    game = play()
    game.run(1)

    received = []

    def end(shown):
        if not received:
            raise SystemExit(3)

    game.session.on_moved(end)
    game.session.take(PendingCommand(Enter(), "a", received.append))
    with pytest.raises(SystemExit):
        game.session.obey()
    assert [type(outcome) for outcome in received] == [GameError]


def test_any_thread_may_publish(play):
    game = play(bus="tcp://127.0.0.1:*")
    game.run(1)
    threads = [
        threading.Thread(target=lambda name=name: game.session.publish(name, {"n": name}))
        for name in "abc"
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LIMIT)
    from playhead.bus.client.client import Client

    with Client(game.session.bus.endpoint) as client:
        assert [client.published(name).body for name in "abc"] == [{"n": name} for name in "abc"]


def test_serving_and_publishing_change_nothing_in_the_game_or_its_recording(play):
    alone, watched = play(), play(bus="tcp://127.0.0.1:*")
    watched.session.serve("a", lambda body: {"got": body})
    for _ in range(30):
        alone.run(1)
        watched.run(1)
        watched.session.publish("seen", [watched.newest])
        asked(watched, "a", 1)
    assert watched.court.state() == alone.court.state()
    images = [
        [one.session.recorder.ring.image(frame) for frame in (1, 15, 30)]
        for one in (alone, watched)
    ]
    assert images[0] == images[1]


def test_publishing_after_the_end_does_nothing(play):
    game = play(bus="tcp://127.0.0.1:*")
    game.run(1)
    game.session.close()
    game.session.publish("a", 1)
