"""`record`: a session without an adapter, from the first frame to the clip at its end."""

import logging
import math
import os
import re
import sys
import threading
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import playhead as ph
from playhead.errors import PlayheadError, RecordingError
from playhead.playback.commands import Enter, Leave, SeekFrame
from playhead.recorder.clips.clip_source import ClipSource
from playhead.recorder.reading.ring_source import RingSource
from playhead.recording_session import record

from .support.process import Process, run_process

DT = 1 / 64


class Guard:
    def __init__(self, x: float = 0.0) -> None:
        self.x, self.y, self.hp = x, 0.0, 100

    def step(self) -> None:
        self.x += 0.5
        self.hp -= 1


@pytest.fixture
def log_messages(caplog):
    """The lines on the logger of recordings so far."""
    caplog.set_level(logging.INFO, "playhead.recording")
    return lambda: [
        line.getMessage() for line in caplog.records if line.name == "playhead.recording"
    ]


def run(rec: Any, guard: Guard, frames: int) -> None:
    for _ in range(frames):
        with rec.frame():
            guard.step()


def read(path: Path) -> list[int]:
    """The guard's `hp` in all frames of a clip."""
    with ClipSource.open(path) as source:
        span = source.span
        return [
            int(source.decoded(frame)[0][1]["hp"]) for frame in range(span.oldest, span.newest + 1)
        ]


def read_ring(path: str) -> tuple[int, int]:
    """The newest frame of a ring, and the guard's `hp` in it."""
    source = RingSource.open(path)
    with closing(source.ring):
        newest = source.span.newest
        return newest, int(source.decoded(newest)[0][1]["hp"])


# --- the end ------------------------------------------------------------------------------------


def test_at_the_end_the_clip_is_there_and_it_is_reported_how_to_open_it(tmp_path, log_messages):
    guard = Guard()
    with record(guard, "run.mcap", dt=DT) as rec:
        assert isinstance(rec, ph.Session)
        run(rec, guard, 10)
    assert read(tmp_path / "run.mcap") == list(range(99, 89, -1))
    [text] = log_messages()
    assert text.splitlines() == [
        "run.mcap: 10 frames, 0.14 s",
        "  open it        playhead view run.mcap",
    ]


def test_an_older_clip_keeps_a_name(tmp_path, log_messages):
    for hp in (100, 50):
        guard = Guard()
        guard.hp = hp
        with record(guard, "run.mcap", dt=DT) as rec:
            run(rec, guard, 1)
    assert read(tmp_path / "run.mcap") == [49]
    assert read(tmp_path / "run.1.mcap") == [99]
    assert "the clip that was there is run.1.mcap now" in log_messages()[1]


def test_failed_checks_are_counted_with_the_command_that_opens_at_the_first(tmp_path, log_messages):
    guard = Guard()
    with record([guard], "my run.mcap", dt=DT) as rec:
        for _ in range(20):
            with rec.frame():
                guard.step()
                rec.check(guard.hp > 95, "alive enough", focus=guard)
                rec.check(guard.x < 8, "at its post", focus=guard)
        assert rec.live, "nobody could end a pause, so there is none"
    lines = log_messages()[-1].splitlines()
    assert lines[1] == "  2 checks failed, the first: alive enough"
    link = f"playhead://{tmp_path}/my%20run.mcap#frame=5&focus=1"
    assert lines[2] == f"  open it there  playhead view '{link}'"
    assert lines[3] == "  open it        playhead view 'my run.mcap'"


def test_a_failed_check_that_is_not_recorded_any_more_is_named_without_a_link_to_nowhere(
    log_messages,
):
    guard = Guard()
    with record(guard, "run.mcap", dt=DT, memory="64 KiB") as rec:
        for step in range(2000):
            with rec.frame():
                guard.step()
                rec.check(step != 10, "fails once", focus=guard)
    lines = log_messages()[-1].splitlines()
    assert lines[1:] == [
        "  1 check failed, at frame 11, which is no longer held: give it more memory, as in"
        " memory='256 MiB'; the first: fails once",
        "  open it        playhead view run.mcap",
    ]


def test_a_free_port_of_the_bus_is_reported_once(log_messages):
    with record(Guard(), dt=DT, bus="tcp://127.0.0.1:*") as rec:
        rec.update()
        assert log_messages() == [
            f"on the bus at {rec.bus.endpoint}: playhead view {rec.bus.endpoint}"
        ]


@pytest.mark.parametrize("dt", ["1/60", True, 0, -1.0, math.nan, [1]])
def test_a_step_that_is_none_is_named_as_it_was_given(dt):
    with pytest.raises(RecordingError, match=re.escape(f"dt={dt!r}: give the seconds of a step")):
        record(Guard(), dt=dt)


@pytest.mark.parametrize(
    ("condition", "message", "words"),
    [("alive", True, "is a text"), (lambda: False, "alive", "is a function, which is not called")],
)
def test_a_condition_that_always_holds_is_a_mistake(condition, message, words, caplog):
    guard = Guard()
    with (
        record(guard, dt=DT, strict=True) as rec,
        rec.frame(),
        pytest.raises(RecordingError, match=words),
    ):
        rec.check(condition, message)
    with record(guard, dt=DT, strict=False) as rec:
        with rec.frame():
            assert rec.check(condition, message)
        assert rec.failed_checks == []
    assert words in caplog.text


@pytest.mark.parametrize(
    ("path", "words"),
    [
        (".", "this is a folder"),
        ("x.txt", "the name of a clip ends in .mcap: name it x.mcap"),
        ("x", "x.mcap"),
    ],
)
def test_a_moment_is_saved_as_a_clip_or_refused(path, words):
    with record(Guard(), dt=DT) as rec:
        rec.update()
        with pytest.raises(RecordingError, match=words):
            rec.save(path)


def test_what_did_not_fit_into_the_memory_is_reported(log_messages):
    guard = Guard()
    with record(guard, "run.mcap", dt=DT, memory="64 KiB") as rec:
        run(rec, guard, 2000)
        held = rec.status.frames_held
        assert held < 2000
    assert f"{held} frames" in log_messages()[0]
    assert f"the newest of 2000: the first {2000 - held} did not fit" in log_messages()[0]
    assert len(read(Path("run.mcap"))) == held


@pytest.mark.parametrize("error", [ValueError("broken"), KeyboardInterrupt(), SystemExit(3)])
def test_what_ends_the_program_leaves_a_clip_and_goes_on(error, log_messages):
    guard = Guard()
    with pytest.raises(type(error)), record(guard, "run.mcap", dt=DT) as rec:
        run(rec, guard, 3)
        with rec.frame():
            guard.step()
            raise error
    assert read(Path("run.mcap")) == [99, 98, 97, 96]


def test_what_was_stated_behind_the_last_frame_is_saved_too():
    guard = Guard()
    with record(guard, "run.mcap", dt=DT) as rec:
        run(rec, guard, 2)
        rec.mark("the end")
    with ClipSource.open(Path("run.mcap")) as source:
        assert [(mark.name, mark.frame) for mark in source.marks()] == [("the end", 3)]


def test_closed_within_a_step_it_saves_what_there_is_of_that_step(tmp_path: Path):
    guard, path = Guard(), tmp_path / "run.mcap"
    rec = record([guard], path, dt=0.5)
    with rec.frame():
        guard.hp = 1
    with rec.frame():
        guard.hp = 2
        rec.mark("the end")
        rec.close()
    with ph.open(path) as saved:
        assert [mark.name for mark in saved.marks] == ["the end"]
        assert [frame.time for frame in saved.frames] == [0.5, 1.0]
        assert saved.objects()[0].fields["hp"] == 2


def test_a_session_that_ends_in_the_past_leaves_it_first():
    guard = Guard()
    with record(guard, "run.mcap", dt=DT) as rec:
        run(rec, guard, 5)
        rec.apply(Enter(), now=True)
        rec.apply(SeekFrame(2))
        assert guard.hp == 98
    assert guard.hp == 95
    assert read(Path("run.mcap")) == [99, 98, 97, 96, 95]


def test_nothing_recorded_leaves_no_file(log_messages):
    with record([], "run.mcap", dt=DT):
        pass
    assert not os.path.exists("run.mcap")
    assert log_messages() == ["run.mcap: nothing was recorded, so nothing was saved"]


def test_a_save_at_the_end_that_is_interrupted_is_reported(log_messages, monkeypatch):
    def interrupted(*args, **named):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), record({"x": 0.0}, "run.mcap", dt=DT) as rec:
        with rec.frame():
            pass
        monkeypatch.setattr(rec.clips, "save", interrupted)
    assert not os.path.exists("run.mcap")
    assert "run.mcap: not saved: that was interrupted" in log_messages()


@pytest.mark.parametrize(
    ("entered", "message"),
    [
        (0, "frame() was called 3 times and never entered"),
        (1, "called 4 times and 3 never entered"),
    ],
)
def test_a_frame_that_is_called_without_with_is_reported_at_the_end(log_messages, entered, message):
    guard = Guard()
    with record(guard, "run.mcap", dt=DT) as rec:
        run(rec, guard, entered)
        for _ in range(3):
            rec.frame()
    assert message in log_messages()[0]
    assert "write `with rec.frame():`" in log_messages()[0]


def test_without_a_path_nothing_is_saved_but_by_save(log_messages):
    guard = Guard()
    with record(guard, dt=DT) as rec:
        run(rec, guard, 3)
        rec.save("moment.mcap")
    assert os.listdir() == ["moment.mcap"]
    assert log_messages() == []


def test_a_clip_that_can_not_be_saved_is_an_error_and_the_session_is_closed():
    guard = Guard()
    rec = record(guard, "folder/run.mcap", dt=DT) if os.path.isdir("folder") else None
    os.mkdir("folder")
    rec = record(guard, "folder/run.mcap", dt=DT)
    run(rec, guard, 2)
    os.rmdir("folder")
    with pytest.raises(PlayheadError, match="folder"):
        rec.close()
    assert rec.closed
    rec.close()


def test_an_error_of_the_program_is_worth_more_than_one_of_saving():
    guard = Guard()
    os.mkdir("folder")
    with (
        pytest.raises(ValueError, match="mine") as raised,
        record(guard, "folder/run.mcap", dt=DT) as rec,
    ):
        run(rec, guard, 2)
        os.rmdir("folder")
        raise ValueError("mine")
    assert "could not save the recording" in raised.value.__notes__[0]


def test_a_ring_holds_the_recording_itself(log_messages):
    guard = Guard()
    with record(guard, "run.ring", dt=DT, memory="1 MiB") as rec:
        run(rec, guard, 4)
        assert read_ring("run.ring") == (4, 96)
    assert read_ring("run.ring") == (4, 96)
    assert "playhead view run.ring" in log_messages()[0]


# --- the loop -----------------------------------------------------------------------------------


def test_steps_have_the_length_that_was_given_once_or_one_of_their_own():
    guard = Guard()
    with record(guard, dt=DT, strict=True) as rec:
        run(rec, guard, 2)
        with rec.frame(dt=0.5):
            guard.step()
        rec.update()
        rec.update(0.25)
        with rec.frame(time=9.0):
            guard.step()
        times = [rec.source.stamp(frame).time for frame in range(1, 7)]
    assert times == [DT, 2 * DT, 2 * DT + 0.5, 3 * DT + 0.5, 3 * DT + 0.75, 9.0]


@pytest.mark.parametrize(
    ("dt", "later", "message"),
    [
        (60, None, "dt is 60.0 seconds, .*: dt is in seconds; did you mean 1/60, or 60 mill"),
        (DT, 16, "dt is 16.0 seconds, .* or 16 milliseconds, which is 0.016"),
        (1, None, None),
    ],
)
def test_a_step_of_more_than_a_second_is_recorded_and_reported_once(
    log_messages, dt, later, message
):
    with record(Guard(), dt=dt) as rec:
        for _ in range(3):
            rec.update(later)
        assert rec.source.stamp(3).delta == (later or dt)
    assert len(log_messages()) == (0 if message is None else 1)
    assert message is None or re.match(message, log_messages()[0])


def test_a_frame_waits_while_somebody_looks_at_the_past():
    guard = Guard()
    with record(guard, dt=DT, strict=True) as rec:
        run(rec, guard, 3)
        rec.apply(Enter(), now=True)
        rec.apply(SeekFrame(1))
        assert guard.hp == 99
        thread = threading.Thread(target=rec.send, args=(Leave(),))
        thread.start()
        with rec.frame():
            assert guard.hp == 97, "the block begins when all is as it was"
            guard.step()
        thread.join()
        assert rec.source.span.newest == 4


def test_with_a_bus_a_failed_check_stops_the_program_until_a_tool_lets_it_run_on():
    guard = Guard()
    with record([guard], dt=DT, strict=True, bus="tcp://127.0.0.1:*") as rec:
        endpoint = rec.bus.endpoint

        def tool() -> None:
            with ph.Client(endpoint) as client:
                client.leave()

        with rec.frame():
            guard.step()
            rec.check(False, "no", focus=guard)
        assert not rec.live
        thread = threading.Thread(target=tool)
        thread.start()
        run(rec, guard, 2)
        thread.join()
        assert rec.source.span.newest == 3


def test_a_loop_without_blocks_scrubs_by_real_time():
    guard = Guard()
    now = [100.0]
    with record(guard, dt=DT, strict=True) as rec:
        rec._clock = lambda: now[0]
        for _ in range(64):
            if rec.live:
                guard.step()
            rec.update()
        rec.apply(Enter(), now=True)
        rec.apply(SeekFrame(1))
        rec.apply(ph.commands.Play(1.0))
        rec.update()
        now[0] += 10 * DT
        rec.update()
        assert rec.playhead.state.frame == 11
        rec.leave()


def test_objects_stand_for_ids_everywhere():
    guard, boss = Guard(), Guard(9.0)
    with record([guard, boss], dt=DT, strict=True) as rec:
        with rec.frame():
            rec.watch("far", 1.0, boss)
            rec.name(boss, "the boss")
            rec.trace.state(boss, "ai", "calm", "angry", won="hit")
            rec.mark("here", object=boss)
            rec.check(False, "no", focus=boss)
        assert rec.source.watches(1) == {(2, "far"): 1.0}
        assert [mark.object for mark in rec.source.marks()] == [2, 2]
        assert rec.failed_checks[0].object == 2


STATEMENTS = {
    "a check": lambda rec, thing: rec.check(False, "no", focus=thing),
    "a trace": lambda rec, thing: rec.trace.state(thing, "ai", "calm", "angry", won="hit"),
    "a mark": lambda rec, thing: rec.mark("here", object=thing),
}


@pytest.mark.parametrize("say", STATEMENTS.values(), ids=STATEMENTS)
def test_what_is_stated_of_an_object_that_is_not_recorded_is_kept_and_reported_once(say, caplog):
    guard, others = Guard(), [Guard(), Guard()]
    with record(guard, dt=DT, strict=False) as rec:
        for _ in range(3):
            with rec.frame():
                for other in others:
                    say(rec, other)
        assert rec.status.calls_refused == {"unrecorded Guard": 2}
        marked = {mark.object for mark in rec.source.marks()}
        assert marked | {agent for agent, _ in rec.source.traces(1)} == {2, 3}
    [line] = [line for line in caplog.messages if "rec.add" in line]
    assert f"{others[0]!r} is not recorded" in line


@pytest.mark.parametrize("say", STATEMENTS.values(), ids=STATEMENTS)
def test_strict_raises_what_is_stated_of_an_object_that_is_not_recorded(say):
    other = Guard()
    rec = record([Guard()], dt=DT, strict=True)
    with rec, pytest.raises(RecordingError, match="is not recorded"), rec.frame():
        say(rec, other)


def test_an_object_that_comes_in_this_step_or_goes_in_it_is_recorded(caplog):
    guard, guards = Guard(), [Guard()]
    with record(lambda: guards, dt=DT, strict=True) as rec:
        with rec.frame():
            rec.check(False, "it comes", focus=guard)
            guards.append(guard)
        with rec.frame():
            guards.remove(guard)
            rec.check(False, "it goes", focus=guard)
        with rec.frame():
            rec.id_of(Guard())  # a question says nothing
        assert rec.status.calls_refused == {}


def test_two_recordings_at_once_do_not_know_each_other():
    guard, boss = Guard(), Guard()
    with record(guard, "a.mcap", dt=DT) as first:
        run(first, guard, 2)
        with record([boss], "b.mcap", dt=2 * DT) as second, first.frame(), second.frame():
            guard.step()
            boss.step()
        run(first, guard, 1)
    assert len(read(Path("a.mcap"))) == 4
    assert read(Path("b.mcap")) == [99]


def test_the_outcome_is_the_same_with_and_without_recording():
    def play(rec: Any) -> str:
        guards = [Guard(float(n)) for n in range(9)]
        if rec is not None:
            rec.add(lambda: guards)
        for n in range(60):
            for guard in guards:
                guard.step()
            if n % 7 == 3:
                guards.pop(0)
                guards.append(Guard(n / 3))
            if rec is not None:
                rec.update()
                if n % 10 == 5:
                    rec.apply(Enter(), now=True)
                    rec.apply(SeekFrame(1 + n // 2))
                    rec.leave()
        return repr([vars(guard) for guard in guards])

    with record(dt=DT, strict=True) as rec:
        assert play(rec) == play(None)


# --- what makes no sense ------------------------------------------------------------------------


def test_a_step_is_asked_for():
    expected = r"^record\(\) needs dt, the length of a step in seconds: ph\.record\(…, dt=1/60\)$"
    with pytest.raises(TypeError, match=expected):
        record([Guard()])  # type: ignore[call-arg]


@pytest.mark.parametrize("dt", [0, -1 / 60, math.nan, math.inf, "1/60", None, True, [1]])
def test_a_step_is_a_finite_time_above_zero(dt):
    with pytest.raises(RecordingError, match=r"dt=.*such as dt=1/60"):
        record([Guard()], dt=dt)
    with record([Guard()], dt=DT) as rec:
        if dt is not None:
            with pytest.raises(RecordingError, match="dt="):
                rec.frame(dt=dt)


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("run.txt", "name it run.mcap"),
        ("run", "name it run.mcap"),
        ("nowhere/run.mcap", "there is no folder"),
        ("nowhere/run.ring", "there is no folder"),
        ("full.mcap", "this is a folder"),
        ("text.mcap", "is no clip"),
        (7, "is no path"),
    ],
)
def test_a_path_that_can_be_none_is_refused_at_the_start(path, message):
    os.mkdir("full.mcap")
    Path("text.mcap").write_text("mine")
    with pytest.raises(RecordingError, match=message):
        record([Guard()], path, dt=DT)
    assert Path("text.mcap").read_text() == "mine"


@pytest.mark.parametrize("thing", [7, "guard", Guard, math, (n for n in [1])])
def test_what_is_no_object_is_refused_at_the_start(thing):
    with pytest.raises(RecordingError, match="give "):
        record(thing, dt=DT)
    with record(dt=DT) as rec, pytest.raises(RecordingError, match="give "):
        rec.add(thing)


def test_a_closed_recording_says_so():
    guard = Guard()
    rec = record(guard, dt=DT)
    rec.close()
    rec.close()
    for call in (rec.frame, rec.update, lambda: rec.add(guard), lambda: rec.wrap(None)):
        with pytest.raises(RecordingError, match="closed"):
            call()


@pytest.mark.parametrize("frames", [0, 2])
def test_a_check_outside_any_frame_that_none_follows_is_reported(log_messages, frames):
    guard = Guard()
    with record(guard, dt=DT) as rec:
        rec.check(False, "soon enough")
        run(rec, guard, frames)
        rec.check(False, "nobody is here")
    expected = rf"the check '{'nobody is here' if frames else 'soon enough'}' failed \(.*\.py:\d+\)"
    assert re.match(
        rf"{expected} while no frame was open, .* frame {frames + 1}, ", log_messages()[0]
    )
    assert len(log_messages()) == 1


def test_a_check_that_fails_behind_the_end_is_given_with_its_place(caplog):
    rec = record(Guard(), dt=DT, strict=False)
    run(rec, Guard(), 1)
    rec.close()
    assert rec.check(True, "all is well")
    assert caplog.messages == []
    assert not rec.check(False, "somebody won")
    [line] = caplog.messages
    assert re.fullmatch(
        r"check: 'somebody won' failed at \S+test_recording_session\.py:\d+, and is not recorded:"
        r" this recording is closed, and takes nothing any more: .*",
        line,
    )
    assert rec.status.calls_refused == {"check": 1}


def test_agents_and_names_are_for_trees():
    guard = Guard()
    with record(dt=DT) as rec, pytest.raises(RecordingError, match="trees and machines"):
        rec.add(guard, name="boss")


def test_switched_off_it_takes_all_calls_and_leaves_nothing(monkeypatch):
    monkeypatch.setenv("PLAYHEAD", "off")
    guard, env = Guard(), object()
    with record(guard, "nowhere/run.mcap", dt=DT) as rec:
        run(rec, guard, 3)
        rec.update()
        rec.add(Guard())
        assert rec.wrap(env) is env
        assert rec.check(False, "no", focus=guard) is False
        rec.watch("far", 1.0, guard)
    assert os.listdir() == []


# --- whole programs -----------------------------------------------------------------------------

PROGRAM = """
import sys, time
import playhead as ph

class Guard:
    def __init__(self):
        self.x, self.hp = 0.0, 100

guard = Guard()
{begin}
for n in range({frames}):
    with rec.frame():
        guard.x += 0.5
        guard.hp -= 1
        rec.check(guard.hp > 60, "alive enough", focus=guard)
{end}
"""
PLAIN = 'rec = ph.record([guard], "run.mcap", dt=1 / 60)'
RUNS_ON = """
print("recorded", flush=True)
sys.stdin.readline()
"""


def start(begin: str = PLAIN, end: str = "", frames: int = 50) -> Process:
    Path("program.py").write_text(PROGRAM.format(begin=begin, end=end, frames=frames))
    return Process(sys.executable, "program.py", talks=True, env={"PLAYHEAD": None})


def verified(path: str) -> str:
    done = run_process(sys.executable, "-m", "playhead", "clip", "verify", path)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_program_that_never_closes_leaves_its_clip_and_says_how_to_open_it():
    with start() as program:
        code, out, result = program.end()
    assert code == 0
    assert out == ""
    assert "CHECK FAILED" in result, "a program without logging hears of it all the same"
    assert "  1 check failed, the first: alive enough" in result
    assert result.rstrip().endswith("playhead view run.mcap")
    verified("run.mcap")
    assert read(Path("run.mcap")) == list(range(99, 49, -1))


@pytest.mark.slow
def test_a_program_with_logging_of_its_own_decides_what_is_shown():
    begin = f"import logging; logging.basicConfig(level=logging.CRITICAL)\n{PLAIN}"
    with start(begin) as program:
        code, out, result = program.end()
    assert (code, out, result) == (0, "", "")
    verified("run.mcap")


def test_ctrl_c_leaves_the_clip():
    with start(end=RUNS_ON) as program:
        assert program.line() == "recorded"
        result = program.interrupt().stderr
    assert "KeyboardInterrupt" in result
    verified("run.mcap")
    assert len(read(Path("run.mcap"))) == 50


def test_a_killed_program_leaves_its_ring():
    begin = 'rec = ph.record([guard], "run.ring", dt=1 / 60, memory="1 MiB")'
    with start(begin, RUNS_ON) as program:
        assert program.line() == "recorded"
        program.kill()
    assert read_ring("run.ring") == (50, 50)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")
def test_a_forked_child_leaves_the_clip_to_its_parent():
    end = """
import os
child = os.fork()
if child:
    os.waitpid(child, 0)
    with rec.frame():
        guard.hp = 7
else:
    with rec.frame():
        guard.hp = 1
"""
    with start(end=end, frames=5) as program:
        program.end()
    assert sorted(os.listdir()) == ["program.py", "run.mcap"]
    assert read(Path("run.mcap")) == [99, 98, 97, 96, 95, 7]
