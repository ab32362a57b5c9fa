"""A session saves clips: when it is asked, when something triggers one, and the game goes on."""

import inspect
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from playhead.errors import CommandError, EvictedError, RecordingError
from playhead.playback.commands import Enter, SeekFrame
from playhead.recorder.checks.check_policy import UNATTENDED
from playhead.recorder.clip_triggers import ClipPolicy, SlowFrames
from playhead.recorder.clips.clip_source import ClipSource
from playhead.recorder.clips.clip_writer import ClipAttachment
from playhead.recorder.clips.verify_clip import verify
from playhead.recorder.saving.clip_job import ClipJob
from playhead.recorder.saving.clip_worker import ClipWorker

from ..support.process import WITH_SUPPORT, run_process
from ..support.waits import LIMIT

DT = 1 / 64


def span(path: Any) -> tuple[int, int]:
    assert verify(path).ok
    with ClipSource.open(path) as source:
        assert source.span is not None
        return source.span[:2]


def saved(clip: ClipJob) -> tuple[int, int]:
    assert clip.wait(LIMIT)
    assert clip.error is None
    return span(clip.path)


# --- save -------------------------------------------------------------------------------------


def test_what_is_recorded_is_saved_and_reads_as_it_was_recorded(play, tmp_path):
    game = play(about={"game": "court", "seed": 7})
    game.run(20)
    received: list[tuple[int, int]] = []
    done = game.session.save(tmp_path / "x.mcap", progress=lambda *at: received.append(at))
    assert (done.path, done.frames, received[-1]) == (tmp_path / "x.mcap", 20, (20, 20))
    source = game.session.source
    with ClipSource.open(done.path) as clip:
        assert clip.span == source.span
        for frame in range(1, 21):
            assert clip.packets(frame) == source.packets(frame)
            assert clip.facts(frame) == source.facts(frame)
        about = clip.clip.metadata["about"]
    assert about["game"] == "court"
    assert about["seed"] == "7"
    assert about["python"].startswith("3.")


def test_a_stretch_is_saved_with_what_travels_along(play, tmp_path):
    game = play()
    game.run(20)
    game.session.attach("level.json", b"{}", "application/json")
    game.session.attach("shot.png", lambda: b"pixels", "image/png")
    game.session.save(
        tmp_path / "x.mcap", 5, 9, about={"why": "a test"}, attachments=[ClipAttachment("n", b"1")]
    )
    assert span(tmp_path / "x.mcap") == (5, 9)
    with ClipSource.open(tmp_path / "x.mcap") as clip:
        assert clip.clip.metadata["about"]["why"] == "a test"
        files = {name: clip.clip.attachment(name) for name in clip.clip.attachments}
    assert files == {"level.json": b"{}", "shot.png": b"pixels", "n": b"1"}


def test_saving_says_what_can_not_be(play, tmp_path):
    game = play()
    with pytest.raises(RecordingError, match=r"x\.mcap: there is no frame to be saved"):
        game.session.save(tmp_path / "x.mcap")
    game.run(5)
    with pytest.raises(EvictedError, match="frames 3 to 9 can't be saved: 1 to 5 are held"):
        game.session.save(tmp_path / "x.mcap", 3, 9)
    (tmp_path / "notes.mcap").write_text("mine")
    with pytest.raises(RecordingError, match=r"notes\.mcap: this is there already and is no clip"):
        game.session.save(tmp_path / "notes.mcap")
    assert (tmp_path / "notes.mcap").read_text() == "mine"


def test_the_clip_that_was_there_is_kept_under_a_number_and_the_newest_has_the_name(play, tmp_path):
    game = play()
    game.run(9)
    path = tmp_path / "run.mcap"
    assert game.session.save(path, 1, 1).older is None
    assert game.session.save(path, 2, 2).older == tmp_path / "run.1.mcap"
    assert game.session.save(path, 3, 3) == (
        path, 1, path.stat().st_size, (), tmp_path / "run.2.mcap",
    )  # fmt: skip
    game.session.save(path, 4, 4, overwrite=True)
    names = ("run.1.mcap", "run.2.mcap", "run.mcap")
    assert [span(tmp_path / name) for name in names] == [(1, 1), (2, 2), (4, 4)]
    assert sorted(one.name for one in tmp_path.iterdir()) == sorted(names)


def test_a_trigger_with_a_path_keeps_the_clip_that_was_there_too(play, tmp_path):
    game = play()
    game.run(9)
    first = game.session.trigger("a", post=0.0, path=tmp_path / "x.mcap")
    game.run(2)
    saved(first)
    again = game.session.trigger("b", pre=0.0, post=0.0, path=tmp_path / "x.mcap")
    game.run(2)
    assert saved(again) != span(tmp_path / "x.1.mcap")
    assert again.path == tmp_path / "x.mcap"


def test_saving_and_triggering_take_named_arguments_that_can_be_looked_up(play, tmp_path):
    game = play()
    game.run(2)
    for method in (game.session.save, game.session.trigger):
        kinds = {one.kind for one in inspect.signature(method).parameters.values()}
        assert inspect.Parameter.VAR_KEYWORD not in kinds
    with pytest.raises(TypeError, match="overwrit"):
        game.session.save(tmp_path / "x.mcap", overwrit=True)


def test_saving_works_in_playback_and_in_mid_step(play, tmp_path):
    game = play()
    game.run(5)
    game.session.apply(Enter(), now=True)
    game.session.save(tmp_path / "paused.mcap")
    game.session.leave()
    game.court.during = lambda: game.session.save(tmp_path / "during.mcap", overwrite=True)
    game.run(1)
    assert span(tmp_path / "paused.mcap") == span(tmp_path / "during.mcap") == (1, 5)


# --- trigger ----------------------------------------------------------------------------------


def test_a_trigger_saves_what_was_before_and_what_comes_next(play):
    game = play()
    game.run(100)
    clip = game.session.trigger("stuck at a door", pre=20 * DT, post=10 * DT, note="why", object=2)
    assert not clip.done()
    game.run(30)
    assert saved(clip) == (80, 111)
    assert clip.path.parent == Path("clips")
    assert clip.path.name.endswith("Z-stuck-at-a-door.mcap")
    with ClipSource.open(clip.path) as source:
        (mark,) = source.marks()
        about = source.clip.metadata["about"]
    assert (mark.name, mark.kind, mark.frame, mark.note, mark.object) == (
        "stuck at a door", "trigger", 101, "why", 2,
    )  # fmt: skip
    assert Path(mark.file) == Path(__file__)
    assert about["trigger"] == "stuck at a door"
    assert about["trigger_frame"] == "101"
    assert about["trigger_note"] == "why"
    assert game.session.clips.begun == (clip,)


def test_a_trigger_in_mid_step_is_about_the_frame_of_that_step(play):
    game = play()
    game.run(10)
    clips: list[ClipJob] = []
    game.court.during = lambda: clips or clips.append(game.session.trigger("now", 0, 0))
    game.run(3)
    assert saved(clips[0]) == (10, 11)


def test_before_the_first_frame_a_trigger_begins_with_it(play):
    game = play()
    clip = game.session.trigger("early", 5, 2 * DT)
    game.run(5)
    assert saved(clip) == (1, 3)


def test_in_playback_a_trigger_is_about_the_frame_that_is_shown(play):
    game = play()
    game.run(100)
    game.session.apply(SeekFrame(50), now=True)
    clip = game.session.trigger("there", pre=10 * DT, post=5 * DT)
    assert saved(clip) == (40, 55)
    assert game.session.status.calls_refused == {}
    game.session.apply(SeekFrame(98))
    assert saved(game.session.trigger("end", pre=10 * DT, post=5 * DT)) == (88, 100)
    assert saved(game.session.trigger("all", pre=float("inf"), post=float("inf"))) == (1, 100)


def test_entering_playback_ends_a_post_roll_so_that_the_clip_is_there(play):
    game = play()
    game.run(50)
    clip = game.session.trigger("soon", 1.0, 1000.0)
    game.run(3)
    ended = threading.Event()
    clip.on_done(lambda _: ended.set())
    game.session.apply(Enter(), now=True)
    assert ended.wait(LIMIT)  # nobody has to wait for it
    assert saved(clip) == (1, 53)
    game.session.leave()
    game.run(3)


def test_closing_finishes_what_was_begun(play):
    game = play()
    game.run(50)
    clip = game.session.trigger("soon", 1.0, 1000.0)
    game.run(3)
    game.session.close()
    assert clip.done()
    assert span(clip.path) == (1, 53)


UNCLOSED = """
from playhead.errors import RecordingError
from playhead.recorder.clip_triggers import ClipPolicy
from playhead.session import Session
from tests.support.fake_world import FakeWorld

game = FakeWorld()
session = Session(game, "1 MiB", clips=ClipPolicy(on_check=True))
for step in range(100):
    with session.frame(1 / 60):
        game.seconds += 1 / 60
        session.check(step != 61, "the game goes on")
        if step == 30:
            session.trigger("long", post=1000.0)
"""


def test_a_program_that_ends_without_closing_its_session_leaves_the_clips_that_it_began(tmp_path):
    script = tmp_path / "game.py"
    script.write_text(UNCLOSED, encoding="utf-8")
    done = run_process(sys.executable, script, cwd=tmp_path, env=WITH_SUPPORT)
    assert "RecordingError: the game is paused in playback" in done.stderr
    paths = sorted((tmp_path / "clips").glob("*.mcap"))
    assert [span(path) for path in paths] == [(1, 62), (1, 62)]
    assert done.stderr.count("open it     playhead view") == 1


def test_a_clip_that_is_saved_leaves_nothing_to_be_done_at_the_programs_end(play, monkeypatch):
    to_do = []

    def note(act):  # also what other modules leave to the end, such as weakref
        if isinstance(act.__self__, ClipWorker):
            to_do.append(act)

    monkeypatch.setattr("atexit.register", note)
    monkeypatch.setattr("atexit.unregister", to_do.remove)
    game = play()
    game.run(5)
    ended = threading.Event()
    game.session.trigger("soon", 1.0, 0.0).on_done(lambda clip: ended.set())
    assert len(to_do) == 1
    game.run(3)
    assert ended.wait(LIMIT)
    game.session.close()
    assert not to_do


def test_a_trigger_works_from_any_thread(play):
    game = play()
    game.run(20)
    clips: list[ClipJob] = []
    thread = threading.Thread(target=lambda: clips.append(game.session.trigger("t", 1.0, DT)))
    thread.start()
    thread.join()
    game.run(5)
    first, last = saved(clips[0])
    assert (first, last) == (1, 22)


def test_a_trigger_is_bit_for_bit_right_while_the_ring_evicts(play):
    game, twin = play("128 KiB"), play("8 MiB")
    clips = []
    for number in range(400):
        if number % 60 == 30:
            clips.append(game.session.trigger(f"n{number}", pre=20 * DT, post=20 * DT))
            twin.session.mark(f"n{number}")
        game.run(1)
        twin.run(1)
    assert game.session.source.span.oldest > 100
    game.session.close()
    for clip in clips:
        assert (clip.error, clip.lost) == (None, 0)
        with ClipSource.open(clip.path) as source:
            assert source.span is not None
            for frame in range(source.span.oldest, source.span.newest + 1):
                assert source.packets(frame) == twin.session.source.packets(frame)


def test_a_pre_roll_reaches_into_the_older_tier(play):
    game, twin, pause = play("512 KiB", older=0.6), play("16 MiB"), threading.Event()
    ring, begins, held = game.session.recorder.ring, 0, 0
    for _ in range(400):  # until the tier, which another thread fills, has forgotten some, too
        game.run(20)
        twin.run(20)
        begins, held = game.session.source.span.oldest, ring.raw.oldest[0]
        if 1 < begins < held - 100:
            break
        pause.wait(0.002)
    assert 1 < begins < held - 100
    clip = game.session.trigger("far back", pre=float("inf"), post=50 * DT)
    twin.session.mark("far back")
    game.run(60)
    twin.run(60)
    first, last = saved(clip)
    assert begins <= first < held
    assert last == twin.newest - 9
    with ClipSource.open(clip.path) as source:
        assert clip.lost >= sum(gap.last - gap.first + 1 for gap in source.clip.gaps)
        for frame in range(first, last + 1):
            if source.clip.holds(frame):
                assert source.packets(frame) == twin.session.source.packets(frame)


@pytest.mark.parametrize(("field", "value"), [("pre", -1), ("post", float("nan")), ("pre", "2")])
def test_a_number_that_makes_no_sense_costs_the_call_or_is_raised_when_strict(play, field, value):
    game = play()
    game.run(3)
    with pytest.raises(CommandError, match=f"{field} .*give seconds, 0 or more"):
        game.session.trigger("x", **{field: value})
    lax = play(strict=False)
    lax.run(3)
    clip = lax.session.trigger("x", **{field: value})
    assert clip.done()
    assert isinstance(clip.error, CommandError)
    assert lax.session.status.calls_refused["trigger"] == 1


def test_a_clip_that_fails_is_counted_and_the_game_goes_on(play, tmp_path):
    (tmp_path / "clips").touch()
    game = play()
    game.run(5)
    clip = game.session.trigger("x", 1, 0)
    game.run(5)
    assert clip.wait(LIMIT)
    game.session.close()
    assert "no folder for clips" in str(clip.error)
    assert game.session.recorder.faults.calls["clip"] == 1


def test_a_file_that_can_not_be_had_is_left_out_and_counted(play):
    game = play()
    game.run(5)

    def broken() -> bytes:
        raise ZeroDivisionError("no screenshot")

    game.session.attach("shot.png", broken)
    game.session.attach("level", b"1")
    game.session.attach("level", b"2")
    clip = game.session.trigger("x", 1, 0)
    game.run(1)
    saved(clip)
    with ClipSource.open(clip.path) as source:
        assert source.clip.attachment("level") == b"2"
        assert list(source.clip.attachments) == ["level"]
    assert game.session.status.calls_refused["attach"] == 1


# --- what triggers ----------------------------------------------------------------------------


def test_one_key_is_a_trigger_live_and_in_playback(play):
    game = play()
    game.run(50)
    assert game.session.press("F9")
    assert not game.session.press("Left")
    game.session.enter()
    assert game.session.press("F9")
    first, second = game.session.clips.begun
    assert saved(first)[1] == saved(second)[1] == 50
    other = play(clips=ClipPolicy(key=""))
    other.run(1)
    assert not other.session.press("F9")
    assert not other.session.press("")


def test_a_failed_check_is_a_trigger_if_the_policy_says_so(play):
    game = play(clips=ClipPolicy(on_check=True, pre=10 * DT, post=5 * DT), on_check=UNATTENDED)
    for number in range(60):
        game.court.step()
        game.session.check(number != 30, "balls roll", focus=2)
        game.session.update(DT)
    (clip,) = game.session.clips.begun
    assert clip.name == "balls roll"
    assert saved(clip) == (21, 36)
    with ClipSource.open(clip.path) as source:
        assert [(mark.kind, mark.frame) for mark in source.marks()] == [("check", 31)]
    quiet = play(on_check=UNATTENDED)
    quiet.run(1)
    quiet.session.check(False, "balls roll")
    quiet.run(1)
    assert quiet.session.clips.begun == ()


def test_a_failed_check_that_pauses_leaves_its_clip_at_once(play):
    game = play(clips=ClipPolicy(on_check=True))
    game.run(30)
    game.session.check(False, "balls roll", focus=2)
    game.court.step()
    game.session.update(DT)
    assert not game.session.live
    (clip,) = game.session.clips.begun
    assert saved(clip) == (1, 31)


def test_a_check_that_fails_again_begins_no_second_clip_while_the_first_is_on_its_way(play):
    game = play(clips=ClipPolicy(on_check=True, pre=1, post=20 * DT), on_check=UNATTENDED)
    for number in range(100):
        game.court.step()
        game.session.check(number % 3 > 0 or number > 15, "balls roll")
        game.session.update(DT)
    assert len(game.session.clips.begun) == 1
    assert len(game.session.failed_checks) == 6


def test_what_leads_to_an_exception_is_saved_before_it_goes_on(play):
    game = play(clips=ClipPolicy(pre=10 * DT))
    game.run(50)
    with pytest.raises(ZeroDivisionError) as raised, game.session.guard("loop"):
        game.run(3)
        raise ZeroDivisionError("in the game")
    (clip,) = game.session.clips.begun
    assert clip.done()
    assert span(clip.path) == (43, 53)
    assert raised.value.__notes__ == [f"playhead saved what led to it: {clip.path}"]
    with ClipSource.open(clip.path) as source:
        result = source.clip.attachment("traceback.txt").decode()
        assert source.clip.metadata["about"]["exception"] == "ZeroDivisionError: in the game"
    assert "in test_what_leads_to_an_exception" in result
    game.run(3)


def test_an_exception_whose_clip_fails_is_still_the_exception(play, tmp_path):
    (tmp_path / "clips").touch()
    game = play()
    game.run(3)
    with pytest.raises(ZeroDivisionError) as raised, game.session.guard():
        raise ZeroDivisionError
    assert "could not save what led to it" in raised.value.__notes__[0]
    empty = play()
    with pytest.raises(ZeroDivisionError) as raised, empty.session.guard():
        raise ZeroDivisionError
    assert "there is no frame to be saved" in raised.value.__notes__[0]


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, GeneratorExit])
def test_a_program_that_is_ended_is_no_exception_of_the_games(play, error):
    game = play()
    game.run(3)
    with pytest.raises(error), game.session.guard():
        raise error
    assert game.session.clips.begun == ()


def test_an_exception_is_no_trigger_if_the_policy_says_so(play):
    game = play(clips=ClipPolicy(on_exception=False))
    game.run(3)
    with pytest.raises(ZeroDivisionError), game.session.guard():
        raise ZeroDivisionError
    assert game.session.clips.begun == ()


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_steps_are_slow_by_the_time_between_them_but_not_behind_a_rest():
    clock = Clock()
    slow = SlowFrames(0.1, clock)
    received = []
    for step in (5.0, 0.05, 0.1, 0.2, 0.01):
        clock.now += step
        received.append(slow.step())
    slow.reset()
    clock.now += 9.0
    received.append(slow.step())
    assert received == [None, None, None, pytest.approx(0.2), None, None]
    assert SlowFrames(None, clock).step() is None


def test_a_slow_frame_is_a_trigger_with_a_mark(play, monkeypatch):
    clock = Clock()
    game = play(clips=ClipPolicy(slow_frame=0.1, pre=5 * DT, post=3 * DT))
    monkeypatch.setattr(game.session.clips._slow, "_clock", clock)
    for number in range(40):
        clock.now += 0.25 if number == 20 else 0.01
        game.run(1)
    game.session.apply(Enter(), now=True)
    clock.now += 10.0
    game.session.leave()
    game.run(2)
    (clip,) = game.session.clips.begun
    assert saved(clip) == (16, 24)
    with ClipSource.open(clip.path) as source:
        (mark,) = source.marks()
    assert (mark.name, mark.kind, mark.note) == ("slow frame", "trigger", "250.0 ms")


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"pre": -1.0}, "pre -1.0: give seconds"),
        ({"post": float("nan")}, "post nan: give seconds"),
        ({"keep_last": 0}, "keep_last 0: keep one clip at least"),
        ({"slow_frame": 0}, "slow_frame 0: give seconds"),
        ({"buffer": "lots"}, "'lots' is no size"),
        ({"buffer": 10}, "buffer 10: give it 4096 bytes"),
        ({"most_bytes": "-1"}, "'-1' is no size"),
    ],
)
def test_settings_that_make_no_sense_are_refused(setting, message):
    with pytest.raises(ValueError, match=message):
        ClipPolicy(**setting)
