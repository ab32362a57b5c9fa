"""Games in a window on a real X server, played from outside as a person would."""

import contextlib
import os
import signal
from pathlib import Path

import pytest

from playhead.agents.demo_reader import read_demo
from playhead.bus.client.client import Client
from playhead.playback.pads.pad import Button
from playhead.recorder.clips.clip_source import ClipSource

from ...support.waits import LIMIT, until
from ..display import needs_display

ANYWHERE = ("--bus", "tcp://127.0.0.1:*")

pytestmark = needs_display


def player(client: Client) -> tuple[tuple[float, float, float], int]:
    """Where the player is in the frame that is shown, and which buttons are down."""
    rows = client.objects(client.snapshot().time.frame)
    (row,) = [row for row in rows if row.type == "player"]
    return row.position, int(row.values["pad_held"])


@pytest.mark.slow
def test_a_person_plays_pauses_scrubs_and_plays_on_in_one_window(shown, tmp_path):
    one = shown("run", "arena:yard", "--seed", "3", *ANYWHERE, "--demo", "walk.csv")
    with Client(one.endpoint(), timeout=LIMIT) as client:
        window = one.display.window()
        until(lambda: client.snapshot().time.frame > 10)
        start, _ = player(client)
        one.display.xdotool("keydown", "w", "keydown", "Shift_L")
        until(lambda: player(client)[1] == Button.RB)
        until(lambda: player(client)[0][1] > start[1] + 1.0)
        one.display.xdotool("key", "F9")
        until(lambda: client.snapshot().time.mode == "paused")
        stopped_at = client.snapshot().time.frame
        assert [mark.frame for mark in client.marks() if mark.name == "paused by hand"] == [
            stopped_at
        ]
        # As soon as the window says so the keys are the scrub's.
        until(lambda: f"frame {stopped_at} " in one.display.title(window))
        one.display.xdotool("keyup", "w", "keyup", "Shift_L", "key", "Left")
        until(lambda: client.snapshot().time.frame == stopped_at - 1)
        until(lambda: f"frame {stopped_at - 1} " in one.display.title(window))
        one.display.xdotool("key", "End")
        until(lambda: f"frame {stopped_at} " in one.display.title(window))
        one.display.xdotool("key", "End")
        until(lambda: client.snapshot().time.mode == "live")
        until(lambda: client.snapshot().time.frame > stopped_at + 10)
        # Keys that were held when it was paused are up in the game's eyes.
        assert player(client)[1] == 0
        there, _ = player(client)
        until(lambda: client.snapshot().time.frame > stopped_at + 60)
        assert player(client)[0] == pytest.approx(there, abs=0.5)
    code, out, err = one.leave()
    assert (code, out.splitlines()[0][:11]) == (0, "arena:yard:")
    assert err.splitlines()[-1].startswith("demo walk.csv: ")
    rows = read_demo(tmp_path / "walk.csv").rows
    assert sum(row.button_r for row in rows) == 1
    assert max(row.player_y for row in rows) > rows[0].player_y + 1.0


@pytest.mark.slow
def test_ctrl_c_ends_the_game_and_its_window(shown, tmp_path):
    one = shown("run", "arena:yard", *ANYWHERE, "--clip", "yard.mcap")
    with Client(one.endpoint(), timeout=LIMIT) as client:
        until(lambda: client.snapshot().time.frame > 20)
    (window,) = one.children()
    one.send_signal(signal.SIGINT)
    code, out, _ = one.end()
    assert code == 0
    assert "clip      yard.mcap" in out
    assert not Path(f"/proc/{window}").exists()
    with ClipSource.open(tmp_path / "yard.mcap") as clip:
        assert clip.span.newest > 20


@pytest.mark.slow
def test_a_window_that_dies_ends_the_game_which_keeps_what_it_recorded(shown, tmp_path):
    one = shown("run", "arena:yard", *ANYWHERE, "--clip", "yard.mcap")
    with Client(one.endpoint(), timeout=LIMIT) as client:
        until(lambda: client.snapshot().time.frame > 20)
    (window,) = one.children()
    os.kill(window, signal.SIGKILL)
    code, _, err = one.end()
    assert code == 2
    assert "the window broke, with exit code -9" in err
    with ClipSource.open(tmp_path / "yard.mcap") as clip:
        assert clip.span.newest > 20


@pytest.mark.slow
def test_a_game_that_dies_leaves_a_window_that_shows_its_ring(shown):
    one = shown("run", "arena:yard", *ANYWHERE, "--ring", "yard.ring")
    with Client(one.endpoint(), timeout=LIMIT) as client:
        until(lambda: client.snapshot().time.frame > 20)
    (window,) = one.children()
    one.send_signal(signal.SIGKILL)
    one.wait()
    try:
        until(lambda: "yard.ring" in one.display.title(one.display.window()))
        one.display.close_window(one.display.window())
        until(lambda: not _runs(window))
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(window, signal.SIGKILL)


def _runs(pid: int) -> bool:
    """Whether an orphan is there and no zombie that nobody waits for."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


BREAKING = """
from playhead.games.arena.yard_game import ArenaGame


class Breaking(ArenaGame):
    steps = 0

    def step(self):
        super().step()
        self.steps += 1
        if self.steps == 30:
            raise ZeroDivisionError("in the game")
"""


@pytest.mark.slow
def test_a_game_that_raises_stands_still_to_be_looked_into(shown, tmp_path):
    (tmp_path / "broken.py").write_text(BREAKING)
    one = shown("run", "broken:Breaking", *ANYWHERE)
    with Client(one.endpoint(), timeout=LIMIT) as client:
        until(lambda: client.snapshot().time.mode == "paused")
        (mark,) = [mark for mark in client.marks() if mark.kind == "check"]
        assert "step 30 raised ZeroDivisionError('in the game')" in mark.name
        assert mark.file.endswith("broken.py")
        client.leave()
        until(lambda: client.snapshot().time.mode == "paused")
    code, _, err = one.leave()
    assert code == 2
    assert err.splitlines()[-1].endswith("step 30 raised ZeroDivisionError('in the game')")
    assert "Traceback" not in err


@pytest.mark.slow
def test_the_demo_opens_the_viewer_at_the_culprit_and_ends_with_its_window(shown, tmp_path):
    one = shown("demo", "--out", "out")
    frame = one.find(r"^The viewer opens at frame (\d+)")[1]
    until(lambda: f"frame {frame} " in one.display.title(one.display.window()))
    code, out, err = one.leave()
    assert (code, err) == (0, "")
    assert out.count("equal") == 2
    assert (tmp_path / "out" / "demo.mcap").is_file()
