"""One step as a block: what asks for playback inside takes effect at its end."""

import contextlib
import sys
import threading

import pytest

from playhead.errors import RecordingError
from playhead.playback.commands import Enter, Leave, Play, SeekFrame, Step
from playhead.playback.playback_state import Mode
from playhead.recorder.checks.check_policy import UNATTENDED

from ..support.process import WITH_SUPPORT, run_process
from ..support.waits import LIMIT


def framed(game, frames=1):
    for _ in range(frames):
        with game.session.frame(game.DT):
            game.court.step()


def later(*calls):
    """Make calls one after another, in a thread; it is to be joined."""
    thread = threading.Thread(target=lambda: [call() for call in calls], daemon=True)
    thread.start()
    return thread


def test_a_block_is_a_frame(play):
    game = play()
    framed(game, 5)
    assert game.newest == 5
    assert game.session.source.stamp(5).time == 5 * game.DT


@pytest.mark.parametrize(
    "ask",
    [
        lambda game: game.session.enter(),
        lambda game: game.session.apply(Enter(), now=True),
        lambda game: game.session.apply(SeekFrame(9)),
        lambda game: game.session.apply(SeekFrame(9), now=True),
        lambda game: later(lambda: game.session.send(Enter())).join(LIMIT),
        lambda game: game.session.check(False, "no") and None,
        lambda game: (game.session.send(Enter()), game.session.obey())[1],
    ],
)
def test_whoever_asks_for_playback_inside_gets_it_at_the_end_with_that_frame(play, ask):
    game, answers = play(), []
    framed(game, 4)

    def ask_in_mid_step():  # nothing was recorded into this step yet
        answers.extend((ask(game), game.session.live))

    game.court.during = ask_in_mid_step
    framed(game)
    assert answers[1] is True
    assert not answers[0] or (answers[0].mode is Mode.LIVE and len(answers[0].pending) == 1)
    assert not game.session.live
    assert game.session.playhead.frame == game.newest == 5
    recorded = {packet.id: packet.position for packet in game.session.source.objects(5)}
    assert recorded == {id: ball.position for id, ball in game.court.things.items()}


def test_what_follows_ends_what_was_entered_before_it_in_the_same_step(play):
    game = play()

    def ask():
        assert game.session.enter().pending == (Enter(),)
        assert game.session.leave().pending == (Enter(), Leave())

    game.court.during = ask
    framed(game, 3)
    assert game.session.live
    asked = [call[0] for call in game.court.calls]
    assert [name for name in asked if name in ("pause", "resume")] == ["pause", "resume"] * 3


def test_a_block_waits_while_somebody_scrubs_and_goes_on_when_they_leave(play):
    game = play()
    framed(game, 5)
    game.session.apply(Enter(), now=True)
    seen = []
    game.session.playhead.on_moved(lambda shown: seen.append(shown.frame))
    send = game.session.send
    thread = later(*(lambda c=c: send(c) for c in (Step(-2), Play(8.0), SeekFrame(1), Leave())))
    with game.session.frame(game.DT):
        thread.join(LIMIT)
        assert game.session.live
        game.court.step()
    assert game.newest == 6
    assert seen[0] == 3
    assert seen[-1] is None


def test_while_it_waits_a_playhead_that_plays_moves_by_real_time(play):
    game = play()
    framed(game, 8)
    session, arrived = game.session, threading.Event()
    session.apply(SeekFrame(1), now=True)
    session.apply(Play(100.0))
    session.playhead.on_moved(lambda shown: shown.frame == 8 and arrived.set())
    thread = later(lambda: arrived.wait(LIMIT), lambda: session.send(Leave()))
    framed(game)
    thread.join(LIMIT)
    assert arrived.is_set()
    assert game.newest == 9


ALONE = """
import threading
from playhead.errors import RecordingError
from playhead.playback.commands import Leave, Step
from playhead.session import Session
from tests.support.fake_world import FakeWorld

with Session(FakeWorld(), "1 MiB") as session:
    with session.frame(0.1):
        session.enter()
    helper = threading.Thread(target=session.send, args=(Step(-1),))
    helper.start()  # it ends while the block waits
    for thread in (helper, None):
        try:
            with session.frame(0.1):
                print("ran in playback")
        except RecordingError as error:
            print(error)
    session.send(Leave())
    with session.frame(0.1):
        print("ran live")
"""


def test_where_nobody_could_end_playback_a_block_says_so_instead_of_waiting_for_ever(tmp_path):
    script = tmp_path / "game.py"
    script.write_text(ALONE, encoding="utf-8")
    done = run_process(sys.executable, script, env=WITH_SUPPORT)
    first, second, third = done.stdout.splitlines()
    assert first == second
    assert "call leave() before the next frame" in first
    assert third == "ran live"


def test_what_was_sent_before_is_obeyed_before_a_block_gives_up(play):
    game = play()
    framed(game, 3)
    game.session.apply(Enter(), now=True)
    game.session.send(Leave())
    framed(game)
    assert game.newest == 4


@pytest.mark.parametrize("error", [ValueError("broke"), KeyboardInterrupt(), SystemExit(1)])
def test_a_block_that_raises_leaves_no_frame_half_done(play, error):
    game = play()
    framed(game, 2)

    def break_off():
        game.session.log("half a step")
        game.session.enter()
        raise error

    game.court.during = break_off
    with pytest.raises(type(error)):
        framed(game)
    session = game.session
    assert not session.recorder.ring.raw.is_open
    assert [line.text for line in session.source.logs(3)] == ["half a step"]
    assert session.playhead.frame == 3
    session.leave()
    game.court.during = lambda: None
    framed(game)
    assert (game.newest, session.source.logs(4)) == (4, [])


def test_a_step_that_raised_and_can_not_be_recorded_raises_its_own_error(play):
    game = play()
    error = ValueError("broke")
    with pytest.raises(ValueError, match="broke") as raised, game.session.frame(float("nan")):
        raise error
    assert "could not record" in raised.value.__notes__[0]
    framed(game)
    assert game.newest == 1


def test_a_block_in_a_block_is_refused_and_the_outer_one_is_recorded(play):
    game = play()
    with pytest.raises(RecordingError, match="within frame"), game.session.frame(game.DT):
        framed(game)
    assert game.newest == 1
    framed(game)
    assert game.newest == 2


def test_update_in_a_block_is_refused(play):
    game = play()
    with pytest.raises(RecordingError, match=r"update\(\) within frame"):  # noqa: SIM117
        with game.session.frame(game.DT):
            game.session.update(game.DT)
    assert game.newest == 1


def test_a_session_that_is_closed_in_a_block_is_closed(play):
    game = play()
    with game.session.frame(game.DT):
        game.session.close()
    assert game.session.live


def test_a_frame_that_could_not_be_recorded_is_waited_for(play):
    game = play(strict=False)
    game.run(2)
    game.session.enter()
    game.court.step()
    game.session.update(float("nan"))  # nothing was recorded, and no frame is open
    assert game.session.live
    assert game.session.apply(Enter(), now=True).pending == (Enter(), Enter())
    game.run(1)
    assert game.session.playhead.frame == game.newest == 3


def test_what_a_tool_has_the_game_do_is_in_a_frame_before_playback_begins(play):
    from playhead.bus.server.rpc_registry import RpcCall
    from playhead.playback.pending_command import PendingCommand

    game = play()
    game.run(2)

    def heal(body):
        game.court.things[1].state = "healed"

    game.session.serve("heal", heal)
    for command in (RpcCall("heal", None), Enter()):
        game.session.take(PendingCommand(command))
    game.session.obey()
    assert game.session.live
    game.session.update(0.0)
    assert not game.session.live
    game.session.leave()
    assert game.court.things[1].state == "healed"


def test_a_step_that_was_begun_is_waited_for_also_by_obey(play):
    game = play()
    game.run(2)
    game.session.begin_step()
    game.court.things[1].state = "changed"
    game.session.send(Enter())
    game.session.obey()
    assert game.session.live
    game.run(1)
    assert not game.session.live
    game.session.leave()
    assert game.court.things[1].state != "rolling" or game.newest == 3


def test_an_unattended_run_in_blocks_goes_on(play):
    game = play(on_check=UNATTENDED)
    game.court.during = lambda: game.session.check(game.court.steps < 3, "no")
    with contextlib.closing(game.session):
        framed(game, 6)
        assert game.newest == 6
