"""What the terminal says of a failed check, and of a loop that ignores playback."""

import logging
import re
import shlex
import sys
import time
from contextlib import ExitStack

import pytest

from playhead.bus.client.client import Client
from playhead.playback.commands import Enter, Leave, Play, SeekFrame, Step
from playhead.playback.recording_url import RecordingLink
from playhead.recorder.checks.check_policy import UNATTENDED, UNKEPT, CheckPolicy
from playhead.recorder.clip_triggers import ClipPolicy

from ...support.process import PLAYHEAD, WITH_SUPPORT, Process, run_process


@pytest.fixture
def logged(caplog):
    """The messages on the logger `playhead` so far."""
    caplog.set_level(logging.WARNING, "playhead")
    return lambda: [record.getMessage() for record in caplog.records]


def fail(game, object=2):
    game.session.check(False, "no", focus=object)
    game.run(1)


def link_in(message: str) -> RecordingLink:
    """Where the command in a message leads, split as a shell does it."""
    found = re.search(r"^  open it     (playhead view .*)$", message, re.MULTILINE)
    _, _, target = shlex.split(found[1])
    return RecordingLink.of(target)


def test_its_story_is_logged_with_the_command_that_opens_its_ring(play, logged, tmp_path):
    path = tmp_path / "my runs" / "it's #1.ring"
    path.parent.mkdir()
    game = play(path=path)
    game.run(3)
    game.session.trace.state(2, "mind", "calm", "angry", won="hit")
    fail(game)
    (message,) = logged()
    for part in ("CHECK FAILED at 0.0625 s, frame 4: no", "ball (id 2)", "because hit"):
        assert part in message
    assert "  The game is paused there; leave() of the session lets it run on." in message
    assert link_in(message) == RecordingLink(str(path), frame=4, focus=2)
    assert len(message.splitlines()) < 15


def test_on_the_bus_without_tools_the_command_names_the_endpoint(play, logged):
    game = play(bus="tcp://127.0.0.1:*")
    fail(game)
    endpoint = game.session.bus.endpoint
    assert link_in(logged()[0]) == RecordingLink(endpoint, frame=1, focus=2)
    way_on = (
        f"`playhead ctl {endpoint} leave`, or End in `playhead view {endpoint}`, lets it run on"
    )
    assert f"  The game is paused there; {way_on}." in logged()[0]
    words = shlex.split(re.search("`playhead (ctl .*?)`", logged()[0])[1])
    with Process(PLAYHEAD, *words) as person:
        assert game.session.wait(60.0)
        assert game.session.live
        assert person.end().returncode == 0


def test_with_a_tool_connected_it_is_logged_who_holds_the_playhead(play, logged):
    game = play(bus="tcp://127.0.0.1:*")
    endpoint = game.session.bus.endpoint
    with Client(endpoint, name="viewer"):
        fail(game)
    (message,) = logged()
    assert "CHECK FAILED at 0.015625 s, frame 1: no" in message
    assert message.splitlines()[-1] == (
        "  The game is paused there; viewer#1 holds the playhead: End in the viewer, or"
        f" `playhead ctl {endpoint} leave`, lets it run on."
    )


def test_of_many_tools_a_few_are_named(play, logged):
    game = play(bus="tcp://127.0.0.1:*")
    with ExitStack() as connected:
        for number in range(5):
            connected.enter_context(Client(game.session.bus.endpoint, name=f"tool{number}"))
        fail(game)
    assert "tool0#1, tool1#2, tool2#3 and 2 more hold the playhead" in logged()[0]


def test_a_listener_hears_of_it_and_nothing_is_logged(play, logged):
    other = play()
    other.session.on_failed_check(lambda violation: None)
    fail(other)
    quiet = play(on_check=CheckPolicy(notify=False))
    fail(quiet)
    assert logged() == []


def test_a_clip_of_it_is_named_when_it_is_saved(play, logged, tmp_path):
    game = play(clips=ClipPolicy(folder=tmp_path / "clips", on_check=True))
    game.run(3)
    fail(game)
    (clip,) = game.session.clips.begun
    game.session.close()  # clips are finished with that
    first, second = logged()
    assert "A clip of it is being saved" in first
    assert link_in(second) == RecordingLink(str(clip.saved.path.absolute()), frame=4, focus=2)


def test_where_nothing_can_be_opened_the_line_that_saves_it_is_logged(play, logged, tmp_path):
    game = play()
    fail(game)
    call = re.search(r"^  save it     (save\(.*?\)) of the session;", logged()[0], re.MULTILINE)[1]
    exec(f"session.{call}", {"session": game.session})
    assert (tmp_path / "failed.mcap").exists()


def test_a_failure_that_stops_the_game_is_logged_each_time(play, logged):
    game = play()
    for _ in range(3):
        fail(game)
        game.session.leave()
        game.run(2)
    assert len(logged()) == 3


def test_failures_that_stop_nothing_are_logged_once_for_each_place_and_not_without_end(
    play, logged
):
    game = play(on_check=UNATTENDED)
    for _ in range(3):
        fail(game)
        game.run(2)
    assert len(logged()) == 1
    for number in range(100):
        code = compile("\n" * number + "check(False, 'no')", "rules.py", "exec")
        exec(code, {"check": game.session.check})
    game.run(1)
    assert len(logged()) == 20
    assert "not logged any more" in logged()[-1]
    assert len(game.session.failed_checks) == 103


def test_an_object_that_is_unknown_and_a_frame_that_is_gone_cost_no_story(play, logged):
    game = play("64 KiB")
    fail(game, object=4711)
    game.session.leave()
    game.run(1)
    assert "id 4711" in logged()[0]


PLAIN = """
from playhead.session import Session
from tests.support.fake_world import FakeWorld

game = FakeWorld()
with Session(game, "1 MiB", strict=False) as session:
    for step in range(500):
        game.seconds += 1 / 60
        session.check(step != 61, "the game goes on")
        session.update(1 / 60)
    print(session.status.frames)
"""


def test_a_plain_script_says_on_stderr_that_a_check_failed_and_that_it_steps_a_paused_game(
    tmp_path,
):
    script = tmp_path / "game.py"
    script.write_text(PLAIN, encoding="utf-8")
    done = run_process(sys.executable, script, env=WITH_SUPPORT)
    assert (done.returncode, done.stdout) == (0, "62\n")
    assert done.stderr.count("CHECK FAILED at 1.033333 s, frame 62: the game goes on") == 1
    assert done.stderr.count("the loop steps the world while the session is in playback") == 1


def ignoring(game, updates):
    """A loop that never asks whether the game is live."""
    game.court.paused = False
    for _ in range(updates):
        game.court.step()
        game.session.update(game.DT)


def test_a_loop_that_ignores_playback_is_reported_once(play, logged):
    game = play()
    for _ in range(3):
        ignoring(game, 5)
        game.session.apply(Enter(), now=True)
        ignoring(game, 20)
        game.session.leave()
    (message,) = logged()
    assert "session.frame(dt)" in message


def test_a_loop_that_ignores_a_playhead_that_plays_is_reported_too(play, logged):
    game = play()
    ignoring(game, 30)
    game.session.apply(SeekFrame(1), now=True)
    game.session.apply(Play(1.0))
    ignoring(game, 10)
    assert len(logged()) == 1


def test_loops_that_scrub_properly_hear_nothing(play, logged):
    game = play()
    session = game.session
    for _ in range(50):  # it asks each time
        if session.live:
            game.court.step()
        session.update(game.DT)
        if session.live and game.court.steps % 5 == 0:
            session.apply(Enter(), now=True)
        elif not session.live:
            session.apply(Step(-1))
            session.press("J")
            if game.court.steps % 2:
                session.send(Leave())
    if not session.live:
        session.leave()
    session.apply(Enter(), now=True)
    for number in range(20):  # it knows from the world's own `pause`
        if not game.court.paused:
            game.court.step()
        session.apply(SeekFrame(1 + number % 3))
        session.update(0.02)
    assert logged() == []


def test_a_world_whose_time_is_a_wall_clock_is_no_sign_of_a_step(play, logged):
    game = play()
    began = time.perf_counter()
    game.court.time = lambda: time.perf_counter() - began
    game.run(3)
    game.session.apply(Enter(), now=True)
    now = time.perf_counter()
    for _ in range(20):
        while time.perf_counter() < now + 0.004:
            pass
        now, before = time.perf_counter(), now
        game.session.update(now - before)
    assert logged() == []


def test_a_clock_that_playback_puts_back_is_no_sign_of_a_step(play, logged):
    game = play()
    game.court.time = lambda: game.court.things[1].position[0]
    game.run(30)
    game.session.apply(SeekFrame(1), now=True)
    game.session.apply(Play(1.0))
    for number in range(20):
        game.session.update(game.DT)
        game.session.press("Right" if number % 2 else "L")
    assert logged() == []


def test_a_recording_that_will_be_gone_is_not_offered(play, logged, tmp_path):
    game = play(path=tmp_path / "run.ring", on_check=UNKEPT)
    fail(game)
    (message,) = logged()
    assert "CHECK FAILED" in message
    assert "open it" not in message
    assert "save it" not in message
