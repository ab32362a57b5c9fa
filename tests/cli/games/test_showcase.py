"""`playhead demo`: the story it tells, and that the story is true of the recording it leaves."""

import re
import subprocess
from pathlib import Path

import pytest

from playhead import viewer_process
from playhead.cli.games.showcase import save_picture
from playhead.recorder.checks.failed_check_tracker import FailedCheck
from playhead.recorder.clips.clip_source import ClipSource
from playhead.recorder.clips.verify_clip import verify
from playhead.recorder.packets.packet_types import Kind
from playhead.recorder.reading.ring_source import RingSource

from ...support.process import LENIENT, PLAYHEAD, run_process


def demo(*args: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return run_process(PLAYHEAD, "demo", "--headless", *args, limit=100, env=LENIENT, cwd=folder)


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """The story of one run, and the folder it was run in."""
    folder = tmp_path_factory.mktemp("demo")
    done = demo(folder=folder)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout, folder / "out"


@pytest.mark.slow
def test_the_story_names_the_check_its_object_and_where_it_stands(told):
    story, _ = told
    assert "an attacking guard faces its target" in story
    assert "expression  guard.astray < ASTRAY" in story
    assert re.search(r"object      \S.* \(id \d+\)", story)
    assert re.search(r"from        guard_yard\.py:\d+", story)


@pytest.mark.slow
def test_the_story_shows_the_wrong_decision_first_with_its_stale_belief(told):
    story, _ = told
    decisions = story[story.index("Its last decisions") :].splitlines()
    assert re.search(r"Chase → Attack  because in_reach", decisions[1])
    assert re.search(r"last seen, \d\.\d s old", decisions[3])
    assert any("rejected" in line for line in decisions)


@pytest.mark.slow
def test_the_story_scrubs_from_the_failure_over_the_mistake_to_the_frame_before(told):
    story, _ = told
    table = story[story.index("Scrubbing back") : story.index("200 random seeks")]
    found = re.findall(r"^ +(\d+) +[\d.]+s  (\w+) .* belief is ([\d.]+) s old", table, re.M)
    frames, states = [int(frame) for frame, _, _ in found], [state for _, state, _ in found]
    failed = int(re.search(r"CHECK FAILED at [\d.]+ s, frame (\d+)", story)[1])
    mistake = int(re.search(r"frame +(\d+)  +Chase → Attack", story)[1])
    assert (frames[0], frames[2], frames[3]) == (failed, mistake, mistake - 1)
    assert states[:4] == ["Attack", "Attack", "Attack", "Chase"]
    ages = [float(age) for _, _, age in found]
    assert ages == sorted(ages, reverse=True)


@pytest.mark.slow
def test_the_resumed_game_is_shown_to_equal_one_that_was_never_paused(told):
    story, _ = told
    before = re.search(r"state hash before +(\w{32})", story)
    scrubbed = re.search(r"while scrubbed +(\w{32})", story)
    after = re.search(r"after resuming +(\w{32})  equal", story)
    assert before[1] == after[1] != scrubbed[1]
    assert "against a game never recorded or paused: equal" in story


@pytest.mark.slow
def test_the_story_is_written_beside_the_recording(told):
    story, out = told
    assert (out / "demo.txt").read_text(encoding="utf-8") == story
    left = {file.name for file in out.iterdir()} - {"demo.png"}
    assert left == {"demo.mcap", "demo.ring", "demo.txt"}
    assert (out / "demo.ring").stat().st_size == 32 << 20


@pytest.mark.slow
def test_the_clip_that_is_left_holds_what_the_ring_does(told):
    story, out = told
    assert "the clip of it out/demo.mcap" in story
    assert verify(out / "demo.mcap").ok
    with ClipSource.open(out / "demo.mcap") as clip:
        ring = RingSource.open(out / "demo.ring")
        assert clip.span == ring.span
        assert clip.marks() == ring.marks()
        assert clip.packets(clip.span.newest) == ring.packets(clip.span.newest)


@pytest.mark.slow
def test_a_picture_of_the_viewer_at_the_culprit_is_left(told):
    qt = pytest.importorskip("PyQt6.QtGui", exc_type=ImportError)
    story, out = told
    assert story.endswith("What the viewer shows of it is in out/demo.png.\n")
    image = qt.QImage(str(out / "demo.png"))
    assert (image.width(), image.height()) == (1920, 1080)
    colors = {image.pixel(x, y) for x in range(0, 1920, 16) for y in range(0, 1080, 16)}
    assert len(colors) > 30


VIOLATION = FailedCheck("it holds", "a < b", 8, "game.py", 3, 12)


def test_without_the_viewer_it_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setattr(viewer_process.importlib.util, "find_spec", lambda name: None)
    result = save_picture(tmp_path / "x.mcap", tmp_path / "x.png", VIOLATION)
    assert result.startswith("No picture of the viewer: PyQt6 is not installed (")
    assert " -m pip install " in result
    assert "viewer]" in result


def test_a_picture_that_can_not_be_drawn_is_reported_in_a_line(tmp_path):
    pytest.importorskip("PyQt6.QtGui", exc_type=ImportError)
    (tmp_path / "x.mcap").write_bytes(b"no clip")
    result = save_picture(tmp_path / "x.mcap", tmp_path / "x.png", VIOLATION)
    assert result.startswith("No picture of the viewer: ")
    assert "x.mcap" in result
    assert "\n" not in result


@pytest.mark.slow
def test_the_ring_that_is_left_holds_what_the_story_tells(told):
    story, out = told
    failed = re.search(r"CHECK FAILED at ([\d.]+) s, frame (\d+): (.*)", story)
    culprit = int(re.search(r"object +.* \(id (\d+)\)", story)[1])
    source = RingSource.open(out / "demo.ring")
    (mark,) = [mark for mark in source.marks() if mark.kind == "check"]
    assert (mark.frame, mark.object, mark.name) == (int(failed[2]), culprit, failed[3])
    assert f"{mark.time:.3f}" == failed[1]
    assert f"{source.latched(mark.frame, culprit, Kind.NAME, '')} (id {culprit})" in story
    newest, *_ = source.transitions(mark.frame, culprit, "guard")
    assert re.search(rf"frame +{newest.frame}  +Chase → Attack", story)
    states = {
        frame: next(
            bytes(values["state"]).decode()
            for packet, values in source.decoded(frame)
            if packet.id == culprit
        )
        for frame in (newest.frame - 1, newest.frame, mark.frame)
    }
    assert list(states.values()) == ["Chase", "Attack", "Attack"]
    assert source.latched(mark.frame, 0, Kind.WORLD, "")["about"]["flaw"] is True


@pytest.mark.slow
def test_the_same_seed_tells_the_same_story_into_another_folder(told, tmp_path):
    def deeds(story):
        return story[: story.index("Memory:")]

    again = demo("--seed", "7", "--out", "there/it/is", folder=tmp_path)
    assert again.returncode == 0, again.stderr
    assert deeds(again.stdout) == deeds(told[0])
    assert (tmp_path / "there" / "it" / "is" / "demo.ring").exists()


@pytest.mark.slow
def test_a_seed_without_a_story_says_so(tmp_path):
    done = demo("--seed", "1", folder=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "playhead: seed 1: no check failed in 60 s of game time; try another seed\n"
    )


def test_a_folder_that_can_not_be_made_is_named(tmp_path, run_here):
    (tmp_path / "file").touch()
    done = run_here("demo", "--headless", "--out", "file/out")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("playhead: file/out: ")
    done = run_here("demo", "--headless", "--out", "file")
    assert done.code == 2
    assert "file" in done.err
