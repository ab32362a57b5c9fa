"""Demos replayed in a window on a real X server: what a person sees of a failure."""

import shutil
from itertools import groupby
from pathlib import Path

import numpy as np
import pytest

from playhead.bus.client.client import Client
from playhead.viewer.toolkit import palette

from ...agents.replay.corridor import record_demo
from ...support.waits import LIMIT, until
from ..display import Display, needs_display

HALLS = Path(__file__).parents[2] / "agents" / "replay" / "corridor.py"
WALLED = """
import halls

def game(seed=None):
    return halls.Corridor(seed=seed, wall=5.0)
"""

pytestmark = [pytest.mark.slow, needs_display]


@pytest.fixture
def demos(tmp_path):
    """A demo that ends well, and one that comes to where a wall stands."""
    shutil.copy(HALLS, tmp_path / "halls.py")
    (tmp_path / "walled.py").write_text(WALLED)
    record_demo(tmp_path / "well.csv", 0.0, 1.5)
    record_demo(tmp_path / "walled.csv", 4.5, 5.9)
    return ["well.csv", "walled.csv"]


def bar(display: Display, hue: str) -> tuple[int, int] | None:
    """Where the lowest bar of a colour ends on the screen's right side: its left and bottom."""
    seen = display.pixels()
    rows, columns = np.nonzero(seen == int(hue.removeprefix("#"), 16))
    right = columns > seen.shape[1] * 2 // 3
    long = [
        (row, min(column for _, column in found))
        for row, group in groupby(zip(rows[right].tolist(), columns[right].tolist(), strict=True),
                                  key=lambda pair: pair[0])
        if len(found := list(group)) > 60
    ]  # fmt: skip
    return None if not long else (long[-1][1], long[-1][0])


def rests(client: Client) -> bool:
    """Whether no demo is being played any more."""
    client.dispatch(0.02)
    result = client.published("replay")
    return result is not None and not result.body["running"]


def test_a_failing_replay_is_at_its_failure_and_its_panel_leads_back_there(shown, demos):
    one = shown("replay", "walled:game", *demos, "--bus", "tcp://127.0.0.1:*")
    display = one.display
    with Client(one.endpoint(), timeout=LIMIT) as client:
        window = display.window()
        display.xdotool("windowsize", window, "1280", "800")
        until(lambda: client.snapshot().time.mode == "paused")
        (failed,) = [mark for mark in client.marks() if mark.kind == "check"]
        assert failed.name.startswith("the replay of walled.csv failed at row")
        assert client.snapshot().time.frame == failed.frame
        until(lambda: f"frame {failed.frame} " in display.title(window))
        # The panel has come by itself: one demo well, the other not, and why, to be clicked.
        until(lambda: bar(display, palette.OK))
        left, bottom = until(lambda: bar(display, palette.FAILED))
        display.xdotool("key", "Home")
        until(lambda: "frame 1 " in display.title(window))
        display.xdotool("mousemove", "--window", window, left + 40, bottom + 39, "click", "1")
        until(lambda: f"frame {failed.frame} " in display.title(window))
        display.xdotool("key", "End")
        until(lambda: rests(client))
    code, out, err = one.leave()
    assert (code, "Traceback" in err) == (1, False)
    assert "0 of 1 runs finished" in out
