"""Clips are saved by a thread while frames are recorded, whatever becomes of their files."""

import os
import resource
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from playhead.errors import CapacityError, PlayheadError, RecordingError
from playhead.recorder.clips.clip_file_reader import ClipFrames
from playhead.recorder.clips.clip_writer import ClipAttachment, ClipWriter
from playhead.recorder.clips.verify_clip import verify
from playhead.recorder.saving.clip_copy_plan import ClipCopyPlan
from playhead.recorder.saving.clip_job import ClipJob
from playhead.recorder.saving.clip_worker import MOST_AT_ONCE, ClipWorker

from ...support.process import run_process
from ...support.waits import LIMIT
from .tapes import DT, Tape, assert_equal


def around(tape: Tape, pre: int, post: int) -> ClipCopyPlan:
    """So many frames in front of the next one, and behind it."""
    return ClipCopyPlan(max(tape.held[-1] - pre + 1, 1), at=tape.held[-1] + 1, post=post * DT)


def left_alone(clip: ClipJob) -> bool:
    """Whether it ends although nobody waits for it."""
    ended = threading.Event()
    clip.on_done(lambda _: ended.set())
    return ended.wait(LIMIT)


def run(tape: Tape, clipper: ClipWorker, frames: int, size: int = 900) -> None:
    for _ in range(frames):
        tape.frame(size)
        clipper.recorded()


def test_overlapping_triggers_while_recording_evicts_are_equal_to_a_twin_that_forgot_nothing(
    tape, clipper
):
    saver = clipper()
    run(tape, saver, 100)
    clips = []
    for number in range(6):
        clips.append((tape.held, saver.begin(f"t{number}", around(tape, 30 + number, 60))))
        run(tape, saver, 25 + number)
    run(tape, saver, 80)
    for held, clip in clips:
        assert clip.wait(LIMIT)
        assert clip.error is None
        assert (clip.lost, clip.progress) == (0, 1.0)
        assert verify(clip.path).ok
        with ClipFrames(clip.path) as frames:
            found = assert_equal(frames, tape)
        number = int(clip.name[1:])
        assert found == list(range(max(held[-1] - 29 - number, held[0]), held[-1] + 62))
    assert saver.clips == tuple(clip for _, clip in clips)


def test_recording_from_another_thread_at_full_speed_loses_nothing(tape, clipper):
    """The thread that writes and the one that records really run at the same time."""
    saver, ended = clipper(), threading.Event()
    run(tape, saver, 100)
    begun: list[ClipJob] = []

    def play() -> None:
        for number in range(1500):
            if number % 200 == 0:
                begun.append(saver.begin(f"t{number}", around(tape, 40, 100)))
            run(tape, saver, 1, 300 + number % 700)
        ended.set()

    player = threading.Thread(target=play)
    player.start()
    assert ended.wait(LIMIT)
    player.join()
    saver.set_suspended(True)
    for clip in begun:
        assert clip.wait(LIMIT)
        assert (clip.error, clip.lost) == (None, 0)
        with ClipFrames(clip.path) as frames:
            assert_equal(frames, tape)


def test_a_buffer_that_is_too_small_for_a_slow_disk_makes_gaps_that_are_reported(
    tape, clipper, monkeypatch
):
    saver = clipper(buffer=8000)
    gate, written = threading.Semaphore(0), threading.Semaphore(0)
    add = ClipWriter.add

    def slow(writer: ClipWriter, image: bytes) -> None:
        assert gate.acquire(timeout=LIMIT)
        add(writer, image)
        written.release()

    monkeypatch.setattr(ClipWriter, "add", slow)
    run(tape, saver, 50)
    clip = saver.begin("slow", around(tape, 10, 400))
    for _ in range(80):  # the disk takes one frame of five
        run(tape, saver, 5)
        gate.release()
        assert written.acquire(timeout=LIMIT)
    for _ in range(1000):
        gate.release()
    saver.set_suspended(True)
    assert clip.wait(LIMIT)
    assert clip.error is None
    assert clip.lost > 100
    assert verify(clip.path).ok
    with ClipFrames(clip.path) as frames:
        found = assert_equal(frames, tape)
        result = sum(gap.last - gap.first + 1 for gap in frames.gaps)
        assert {gap.reason for gap in frames.gaps} == {"evicted before it was copied"}
    assert found[0] == 41
    # What is missing between is in the gaps; the rest is behind the last frame that was copied.
    assert result <= clip.lost
    assert len(found) + result == found[-1] - 40


def test_the_thread_lives_only_as_long_as_there_is_something_to_do(tape, clipper):
    saver = clipper()
    tape.record(20)
    assert saver.begin("a", ClipCopyPlan(1, 20)).wait(LIMIT)
    for thread in threading.enumerate():
        if thread.name == "playhead clips":
            thread.join(LIMIT)
            assert not thread.is_alive()
    assert saver.begin("b", ClipCopyPlan(1, 20)).wait(LIMIT)


class Rests(threading.Event):
    """An event that writes down how long it was waited for."""

    def __init__(self) -> None:
        super().__init__()
        self.taken: list[float | None] = []

    def wait(self, timeout: float | None = None) -> bool:
        self.taken.append(timeout)
        return super().wait(timeout)


def test_while_the_game_runs_the_thread_rests_after_each_bit_of_work(tape, clipper):
    saver = clipper()
    saver._hurry = rests = Rests()
    tape.record(240)
    clip = saver.begin("rests", ClipCopyPlan(1, 240))
    assert left_alone(clip)
    saver.close()
    assert len(rests.taken) >= 2
    assert all(rest is not None and rest > 0 for rest in rests.taken)


def test_close_finishes_clips_without_what_is_not_recorded_yet(tape, clipper):
    saver = clipper()
    run(tape, saver, 50)
    clip = saver.begin("end", around(tape, 10, 1000))
    run(tape, saver, 5)
    saver.close()
    assert clip.done()
    with ClipFrames(clip.path) as frames:
        assert assert_equal(frames, tape) == list(range(41, 56))
    with pytest.raises(RecordingError, match="the recording is closed"):
        saver.begin("late", ClipCopyPlan(1, 2))


def test_what_is_not_written_when_close_has_waited_long_enough_is_given_up(
    tape, clipper, monkeypatch, tmp_path
):
    saver, gate = clipper(), threading.Event()
    add = ClipWriter.add

    def stuck(writer: ClipWriter, image: bytes) -> None:
        assert gate.wait(LIMIT)
        add(writer, image)

    monkeypatch.setattr(ClipWriter, "add", stuck)
    tape.record(20)
    clip = saver.begin("stuck", ClipCopyPlan(1, 20))
    threading.Timer(0.3, gate.set).start()
    saver.close(within=0.05)
    assert clip.done()
    assert "it was not written within 0.05 s" in str(clip.error)
    assert not list(tmp_path.rglob("*.mcap"))


def test_waiting_on_the_games_own_thread_ends_the_post_roll(tape, clipper):
    saver = clipper()
    run(tape, saver, 50)
    clip = saver.begin("wait", around(tape, 10, 1000))
    run(tape, saver, 3)
    assert clip.wait(LIMIT)
    with ClipFrames(clip.path) as frames:
        assert frames.newest == (53, 53 * DT)


def test_waiting_on_another_thread_lets_the_game_record_on(tape, clipper):
    saver = clipper()
    run(tape, saver, 50)
    clip, waited = saver.begin("wait", around(tape, 10, 20)), threading.Event()

    def wait() -> None:
        assert clip.wait(LIMIT)
        waited.set()

    waiter = threading.Thread(target=wait)
    waiter.start()
    run(tape, saver, 30)
    assert waited.wait(LIMIT)
    waiter.join()
    with ClipFrames(clip.path) as frames:
        assert frames.newest == (71, 71 * DT)


def test_standing_still_ends_post_rolls_and_clips_begun_then_have_none(tape, clipper):
    saver = clipper()
    run(tape, saver, 50)
    clip = saver.begin("before", around(tape, 10, 1000))
    saver.set_suspended(True)
    later = saver.begin("in playback", ClipCopyPlan(20, at=30, post=5 * DT))
    ends = saver.begin("at the end", ClipCopyPlan(45, at=49, post=5 * DT))
    for one, last in ((clip, 50), (later, 35), (ends, 50)):
        assert left_alone(one)
        with ClipFrames(one.path) as frames:
            assert frames.newest == (last, last * DT)


def test_what_begins_in_front_of_all_that_is_recorded_begins_with_the_oldest(tape, clipper):
    tape.record(300)
    clip = clipper().begin("early", ClipCopyPlan(1, 300))
    assert clip.wait(LIMIT)
    assert clip.lost == 0
    with ClipFrames(clip.path) as frames:
        assert frames.oldest[0] == tape.held[0] > 1


def test_a_clip_says_what_it_is_and_takes_its_files_along(tape, clipper, tmp_path):
    tape.record(20)
    clip = clipper().begin(
        "tell", ClipCopyPlan(1, 20), tmp_path / "own.mcap", about={"seed": "7"},
        attachments=[ClipAttachment("level.json", b"{}", "application/json")],
    )  # fmt: skip
    assert clip.wait(LIMIT)
    with ClipFrames(tmp_path / "own.mcap") as frames:
        assert frames.metadata["about"]["seed"] == "7"
        assert frames.metadata["about"]["python"].startswith("3.")
        assert frames.attachment("level.json") == b"{}"
        assert sys.argv[0] in frames.metadata["playhead"]["command"]


def test_progress_is_reported_and_a_callback_that_raises_costs_nothing(tape, clipper):
    received: list[float] = []

    def tell(clip: ClipJob) -> None:
        received.append(clip.progress)
        if len(received) == 2:
            raise ZeroDivisionError("in the callback")

    tape.record(60)
    saver = clipper()
    clip = saver.begin("tell", ClipCopyPlan(1, 60), progress=tell)
    assert clip.wait(LIMIT)
    saver.close()
    assert 0.0 <= received[0] <= 1.0
    assert received == sorted(received)
    assert clip.error is None


def test_whoever_asks_is_told_when_it_is_done_also_afterwards(tape, clipper):
    saver, heard = clipper(), []
    saver.on_done = lambda clip: heard.append(("saver", clip.name))
    tape.record(20)
    clip = saver.begin("tell", ClipCopyPlan(1, 20))
    clip.on_done(lambda clip: heard.append(("early", clip.name)))
    saver.close()
    clip.on_done(lambda clip: heard.append(("late", clip.name)))
    assert sorted(heard) == [("early", "tell"), ("late", "tell"), ("saver", "tell")]


# --- files ------------------------------------------------------------------------------------


def test_only_so_many_clips_stay_in_the_folder(tape, clipper):
    tape.record(20)
    saver = clipper(keep_last=3)
    for number in range(6):
        assert saver.begin(f"n{number}", ClipCopyPlan(1, 20)).wait(LIMIT)
    assert [path.name.partition("Z-")[2] for path in saver.folder.clips] == [
        "n3.mcap", "n4.mcap", "n5.mcap",
    ]  # fmt: skip


def test_two_triggers_of_one_name_in_one_instant_are_two_files(tape, clipper, monkeypatch):
    monkeypatch.setattr("playhead.recorder.saving.clip_worker.time.time", lambda: 1.0)
    tape.record(20)
    saver = clipper()
    clips = [saver.begin("same", ClipCopyPlan(1, 20)) for _ in range(3)]
    saver.close()
    names = {clip.path.name for clip in clips}
    assert names == {f"1970-01-01T00-00-01.000Z-same{n}.mcap" for n in ("", ".2", ".3")}


def test_a_name_that_another_process_takes_meanwhile_is_not_replaced(tape, clipper, monkeypatch):
    monkeypatch.setattr("playhead.recorder.saving.clip_worker.time.time", lambda: 1.0)
    saver = clipper()
    run(tape, saver, 20)
    begun = threading.Event()
    clip = saver.begin("same", around(tape, 5, 50), progress=lambda clip: begun.set())
    run(tape, saver, 1)
    assert begun.wait(LIMIT)
    other = clip.path
    other.write_text("another's")
    assert clip.wait(LIMIT)
    assert (clip.error, clip.path.name) == (None, "1970-01-01T00-00-01.000Z-same.2.mcap")
    assert other.read_text() == "another's"


def failing(saver: ClipWorker, tape: Tape, path: Any = None) -> PlayheadError:
    """A clip that fails, while the game goes on."""
    clip = saver.begin("fails", around(tape, 5, 10), path)
    run(tape, saver, 30)
    assert clip.wait(LIMIT)
    assert clip.saved is None
    assert clip.error is not None
    return clip.error


def test_a_file_that_is_there_stays_and_the_error_names_it(tape, clipper, tmp_path):
    (tmp_path / "x.mcap").write_text("precious")
    tape.record(20)
    error = failing(clipper(), tape, tmp_path / "x.mcap")
    assert "x.mcap: this is there already" in str(error)
    assert (tmp_path / "x.mcap").read_text() == "precious"


def test_a_folder_that_is_missing_is_reported(tape, clipper, tmp_path):
    tape.record(20)
    error = failing(clipper(), tape, tmp_path / "none" / "x.mcap")
    assert "none/x.mcap: there is no folder" in str(error)


def test_a_folder_of_clips_that_is_a_file_is_reported(tape, clipper, tmp_path):
    (tmp_path / "clips").touch()
    tape.record(20)
    assert "no folder for clips can be made here" in str(failing(clipper(), tape))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_is_read_only_is_reported(tape, clipper, tmp_path):
    (tmp_path / "clips").mkdir(mode=0o500)
    tape.record(20)
    assert "Permission denied" in str(failing(clipper(), tape))


def test_when_the_disk_is_full_the_clip_fails_and_the_next_one_works(
    tape, clipper, tmp_path, monkeypatch
):
    tape.record(20)
    saver = clipper()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, hard))
    try:
        error = failing(saver, tape)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert "the clip can't be written: File too large: make room" in str(error)
    assert not list((tmp_path / "clips").iterdir())
    clip = saver.begin("works", around(tape, 5, 0))
    assert clip.wait(LIMIT)
    assert verify(clip.path).ok


ON_A_FULL_DISK = """
import os, sys
from pathlib import Path
from playhead.native.ring import FrameRing
from playhead.recorder.saving.clip_worker import ClipWorker
from playhead.recorder.saving.clip_copy_plan import ClipCopyPlan
from playhead.recorder.clip_triggers import ClipPolicy

folder = Path(sys.argv[1])
ring = FrameRing("1 MiB")
saver = ClipWorker(ring, ClipPolicy(folder))

def frame():
    ring.begin()
    ring.record(1, 40, True, (0, 0, 0), (0, 0, 0), os.urandom(4000))
    ring.commit(float(ring.newest[0] + 1 if ring.newest else 1), 1.0)
    saver.recorded()

for _ in range(100):
    frame()
clip = saver.begin("full", ClipCopyPlan(1, 100))
for _ in range(500):
    frame()
assert clip.wait(60)
print(type(clip.error).__name__, clip.error)
assert not list(folder.iterdir()), list(folder.iterdir())
saver.close()
"""


@pytest.mark.skipif(sys.platform != "linux", reason="mounts a small disk of its own")
def test_on_a_disk_that_is_really_full_nothing_is_left(tmp_path: Path):
    script = f"mount -t tmpfs -o size=64k none {tmp_path} && exec {sys.executable} -c '{{}}' "
    made = script.format(ON_A_FULL_DISK.replace("'", '"'))
    command = ["unshare", "--mount", "--map-root-user", "sh", "-c", f"{made} {tmp_path}"]
    try:
        probe = run_process(
            "unshare", "--mount", "--map-root-user", "mount", "-t", "tmpfs", "none", tmp_path
        )
    except FileNotFoundError:
        pytest.skip("there is no unshare here")
    if probe.returncode:
        pytest.skip(f"no disk can be mounted here: {probe.stderr}")
    done = run_process(*command, limit=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("RecordingError ")
    assert "No space left on device: make room" in done.stdout


def test_more_clips_at_once_than_may_be_are_refused(tape, clipper):
    saver = clipper()
    run(tape, saver, 20)
    for number in range(MOST_AT_ONCE):
        saver.begin(f"n{number}", around(tape, 5, 1000))
    with pytest.raises(CapacityError, match="8 are being saved already"):
        saver.begin("one more", around(tape, 5, 1000))
    saver.close()
    assert len(saver.folder.clips) == MOST_AT_ONCE


def test_a_recording_without_a_frame_can_not_be_saved(tape, clipper):
    saver = clipper()
    clip = saver.begin("nothing", ClipCopyPlan(1, at=1, post=10.0))
    saver.close()
    assert "there is no frame to be saved" in str(clip.error)


def test_whatever_goes_wrong_in_the_thread_ends_its_clip_and_no_other(tape, clipper, monkeypatch):
    set_latched = ClipWriter.set_latched

    def broken(writer: ClipWriter, *rest: Any) -> None:
        if "first" in writer.path.name:
            raise ZeroDivisionError("a mistake of ours")
        set_latched(writer, *rest)

    monkeypatch.setattr(ClipWriter, "set_latched", broken)
    tape.record(20)
    saver = clipper()
    first, second = (saver.begin(name, ClipCopyPlan(1, 20)) for name in ("first", "second"))
    assert first.wait(LIMIT)
    assert second.wait(LIMIT)
    assert "the clip failed: ZeroDivisionError('a mistake of ours')" in str(first.error)
    assert second.error is None


def test_if_copying_itself_is_broken_nobody_waits_for_ever(tape, clipper, monkeypatch):
    saver = clipper()
    tape.record(20)

    def broken(most: int) -> bool:
        raise MemoryError("none left")

    monkeypatch.setattr(saver._copier, "copy", broken)
    clip = saver.begin("broken", ClipCopyPlan(1, 20))
    assert clip.wait(LIMIT)
    assert "none left" in str(clip.error)


def test_a_file_that_can_not_travel_in_the_clip_fails_it_and_nothing_is_left(
    tape, clipper, tmp_path
):
    tape.record(20)
    clip = clipper().begin(
        "tell", ClipCopyPlan(1, 20), tmp_path / "own.mcap", attachments=[ClipAttachment("", b"")]
    )
    assert clip.wait(LIMIT)
    assert "attachment '': give it a name" in str(clip.error)
    assert list(tmp_path.iterdir()) == []


def test_in_a_forked_child_clips_of_the_parent_have_failed_and_none_can_be_begun(
    tape, clipper, monkeypatch
):
    tape.record(20)
    saver = clipper()
    # Its thread stays with the parent.
    monkeypatch.setattr(threading.Thread, "start", lambda thread: None)
    clip = saver.begin("parents", ClipCopyPlan(1, 20))
    saver.forked()
    assert clip.done()
    assert str(clip.error).startswith("clip 'parents': this process was forked from the one")
    assert not saver.is_saving("parents")
    assert not saver.busy
    with pytest.raises(RecordingError, match=r"clip 'own': .* save\(\) still writes what is held"):
        saver.begin("own", ClipCopyPlan(1, 20))
