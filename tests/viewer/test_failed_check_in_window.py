"""A check fails in a game: a person sees it in the viewer, finds out why, and lets it run on."""

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from playhead.bus.client.client import Client
from playhead.bus.messages.message import PlayheadTime
from playhead.bus.running_viewer import InstanceInfo, instance_info, send_link
from playhead.playback.commands import SeekFrame
from playhead.playback.recording_url import RecordingLink
from playhead.recorder.clips.clip_source import ClipSource
from playhead.recorder.packets.mark import Mark
from playhead.viewer.toolkit import palette

from ..support.waits import LIMIT, until
from .display import Display, ViewerWindow, needs_display

pytestmark = [pytest.mark.slow, needs_display]

GAME = """
from playhead.games.arena.yard_game import ArenaGame


def yard(seed=None):
    return ArenaGame(seed=seed, flaw=True)
"""
SEED = 22
"""With it the guard that has the flaw fails its check early."""
SECONDS = 22
"""Of game time, with enough left after the failure to see that the game runs on."""
PLAYHEAD, SELECTED = (int(name[1:], 16) for name in (palette.PLAYHEAD, palette.CHOSEN))
STRIDE = 10
"""Frames that Shift and an arrow step by."""


class Person:
    """Looks at a viewer's window and uses its keys and the mouse."""

    def __init__(self, display: Display, viewer: ViewerWindow, client: Client) -> None:
        self.display, self.viewer, self.client = display, viewer, client
        self.window = display.window(client.endpoint)

    def key(self, *keys: str) -> None:
        self.display.xdotool("key", *keys)

    def at(self, holds: Callable[[InstanceInfo], object]) -> InstanceInfo:
        """Where the window is, as soon as something holds of it."""

        def there() -> InstanceInfo | None:
            assert self.viewer.poll() is None, self.viewer.end()
            mine = [at for at in instance_info(patience=LIMIT) if at.process == self.viewer.pid]
            return next((at for at in mine if holds(at)), None)

        found: InstanceInfo = until(
            there, describe=lambda: (instance_info(), self.client.snapshot().time)
        )
        return found

    def stands_at(self, frame: int) -> None:
        """The window, its title and the game come to stand at a frame."""
        self.at(lambda at: at.frame == frame)
        until(lambda: f" frame {frame} — " in self.title, describe=lambda: self.title)
        self.time(lambda time: time.frame == frame and time.mode == "paused")

    def time(self, holds: Callable[[PlayheadTime], object]) -> PlayheadTime:
        """Where the game says that everybody stands, as soon as something holds of it."""

        def there() -> PlayheadTime | None:
            time = self.client.snapshot().time
            return time if holds(time) else None

        found: PlayheadTime = until(there, describe=lambda: self.client.snapshot().time)
        return found

    @property
    def title(self) -> str:
        return self.display.title(self.window)

    @property
    def playhead(self) -> int:
        """Where the playhead's line goes down through the timeline, in pixels from the left; 0 if
        there is none."""
        pixels = self.display.pixels()
        drawn = (pixels[pixels.shape[0] // 2 :] == PLAYHEAD).sum(axis=0)
        return int(drawn.argmax()) if drawn.max() > 80 else 0

    @property
    def selected_row(self) -> int:
        """The middle of the selected row in the list at the left, in pixels from the top; 0 if none
        is."""
        across = self.display.pixels().shape[1] // 10
        rows = np.flatnonzero((self.display.pixels()[:, :across] == SELECTED).mean(axis=1) > 0.4)
        one_row = 15 < len(rows) < 25 and rows[-1] - rows[0] < 25
        return int(rows.mean()) if one_row else 0


def test_from_the_failed_check_back_to_the_running_game(display, shown, tmp_path):
    Path("flawed.py").write_text(GAME)
    game = shown(
        "run", "flawed:yard", "--seed", SEED, "--seconds", SECONDS, "--headless",
        "--bus", "tcp://127.0.0.1:*", "--clip", "kept.mcap",
    )  # fmt: skip
    with Client(game.endpoint(), timeout=LIMIT) as client:
        # Nothing fails before there is a window to see it in, however slow it is to come.
        client.enter()
        viewer = shown("view", client.endpoint, "--size", "1200x760")
        person = Person(display, viewer, client)
        begun = person.at(lambda at: at.settled).frame
        client.leave()
        person.at(lambda at: at.frame > begun + STRIDE)
        assert client.snapshot().time.mode == "live"
        until(lambda: "frame" not in person.title, describe=lambda: person.title)
        failed, culprit = sees_the_failure(person)
        steps_back(person, failed)
        other = selects_another(person, culprit)
        plays_a_loop(person)
        follows_links(person, shown, failed, culprit, other)
        marks(person, failed)
        mark = runs_on(person)
        assert (mark.name, mark.note) == ("wrong way", "it looks aside")
        assert (mark.frame, mark.object) == (failed - 7, culprit)
        display.close_window(person.window)
        code, out, err = viewer.end()
        assert (code, out) == (0, "")
        assert "Traceback" not in err
        assert instance_info() == []
    code, out, err = game.end()
    assert (code, err) == (0, "")
    assert f"object {culprit}, frame {failed}" in out
    with ClipSource.open(tmp_path / "kept.mcap") as clip:
        assert clip.span.newest == SECONDS * 60
        assert mark in clip.marks()


def sees_the_failure(person: Person) -> tuple[int, int]:
    """The window moves to a check's frame and its object; returns both."""
    time = person.time(lambda time: time.mode == "paused")
    (check,) = [mark for mark in person.client.marks() if mark.kind == "check"]
    assert check.object
    assert check.frame == time.frame
    person.at(lambda at: (at.frame, at.focus) == (check.frame, check.object))
    person.stands_at(check.frame)
    until(lambda: person.playhead and person.selected_row)
    return check.frame, check.object


def steps_back(person: Person, failed: int) -> None:
    """By frames, and by ten of them: the playhead on the timeline goes with it."""
    before = person.playhead
    person.key("Left", "Left")
    person.stands_at(failed - 2)
    person.key(*["shift+Left"] * 6)
    person.stands_at(failed - 2 - 6 * STRIDE)
    until(lambda: 0 < person.playhead < before - 10, describe=lambda: (before, person.playhead))


def selects_another(person: Person, culprit: int) -> int:
    """By a click on the row above in the list, and by the key for the next one; returns the last
    one."""
    row = person.selected_row
    person.display.xdotool("mousemove", 60, row - 20, "click", 1)
    person.at(lambda at: at.focus not in (0, culprit))
    until(lambda: abs(person.selected_row - (row - 20)) <= 1, describe=lambda: person.selected_row)
    clicked = person.at(lambda at: True).focus
    person.key("Tab")
    return person.at(lambda at: at.focus not in (0, clicked)).focus


def plays_a_loop(person: Person) -> None:
    """Round and round between two instants, until it is ended."""
    start = person.time(lambda time: True)
    person.key("i", "shift+Right", "shift+Right")
    person.stands_at(start.frame + 2 * STRIDE)
    person.key("o")
    end = person.client.snapshot().time
    loop = person.time(lambda time: time.loop == pytest.approx((start.time, end.time))).loop
    person.key("space")
    seen: list[int] = []

    def goes_round(time: PlayheadTime) -> bool:
        seen.append(time.frame)
        assert start.frame <= time.frame <= end.frame
        turns = sum(later < before for before, later in pairwise(seen))
        return time.mode == "playing" and time.loop == loop and turns >= 2

    person.time(goes_round)
    person.key("space")
    person.time(lambda time: time.mode == "paused")
    # The first one puts the message about the failed check away.
    person.key("Escape", "Escape")
    person.time(lambda time: time.loop is None)


def follows_links(
    person: Person, shown: Callable[..., ViewerWindow], failed: int, culprit: int, other: int
) -> None:
    """One that another program hands over, one that a command does, and one that was copied."""
    here = person.client.endpoint
    process = person.viewer.pid
    assert send_link(RecordingLink.to(here, SeekFrame(30), focus=other), patience=LIMIT) == process
    person.stands_at(30)
    person.at(lambda at: at.focus == other)
    link = RecordingLink.to(here, SeekFrame(failed - 7), focus=culprit)
    code, out, err = shown("view", link, "--reuse").end()
    assert (code, err) == (0, ""), err
    assert out == f"shown in the viewer that runs already (process {process})\n"
    person.stands_at(failed - 7)
    person.at(lambda at: at.focus == culprit)
    person.key("ctrl+c", "Home")
    person.stands_at(1)
    person.key("Tab")
    person.at(lambda at: at.focus != culprit)
    person.key("ctrl+v")
    person.stands_at(failed - 7)
    person.at(lambda at: at.focus == culprit)


def marks(person: Person, failed: int) -> None:
    """With a name and a note: what is typed moves nothing. The mark can be gone to at once; the
    game records it as soon as it runs."""
    person.key("m")
    person.display.xdotool("type", "wrong way: it looks aside")
    person.key("Return", "Left")
    person.stands_at(failed - 8)
    person.key("bracketright")
    person.stands_at(failed - 7)


def runs_on(person: Person) -> Mark:
    """To the newest frame, and from there the game is live again; returns what was marked."""
    newest = person.client.snapshot().time
    person.key("End")
    stopped_at = person.time(lambda time: time.frame > newest.frame).frame
    person.stands_at(stopped_at)
    person.key("End")
    person.time(lambda time: time.mode == "live" and time.frame > stopped_at + STRIDE)
    person.at(lambda at: at.frame > stopped_at + STRIDE)
    until(lambda: "frame" not in person.title, describe=lambda: person.title)
    mark: Mark
    (mark,) = until(lambda: [one for one in person.client.marks() if one.kind == "mark"])
    return mark
