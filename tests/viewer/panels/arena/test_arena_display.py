"""The arena in a real window on a screen: the mode, the menu and a right click."""

from pathlib import Path

import pytest

from playhead.bus.client.client import Client
from playhead.bus.running_viewer import instance_info
from playhead.recorder.clips.clip_source import ClipSource
from playhead.viewer.toolkit import palette

from ....support.waits import LIMIT, until
from ...display import needs_display

pytestmark = [pytest.mark.slow, needs_display]

GAME = """
from itertools import count

from playhead.games.arena.fps.match.hall_game import AimGame


def hall(seed=None):
    return AimGame(seed=seed, agents=1, mode="test")


def asking(seed=None):
    return AimGame(seed=seed, agents=1, mode=None, start_limit=600.0)


def hasty(seed=None):
    # The clock goes on by a second each time it is read.
    return AimGame(seed=seed, agents=1, mode=None, clock=count().__next__)
"""
BLUE, RED, WHITE, MENU = (
    int(name[1:], 16) for name in (palette.ACCENT, palette.FAILED, palette.SELECTED, palette.HEADER)
)
WORLD = (slice(60, 430), slice(200, 900))
"""Rows and columns of the screen that are certainly in the world panel."""
PANEL = (slice(80, 400), slice(1000, 1280))
"""Those in which the menu opens."""


def test_the_menu_a_ghost_and_a_right_click_place_a_block_and_then_an_enemy(display, shown):
    Path("testhall.py").write_text(GAME)
    game = shown("run", "testhall:hall", "--bus", "tcp://127.0.0.1:*")
    with Client(game.endpoint(), timeout=LIMIT) as client:
        window = display.window("arena:doomlike|playhead")
        until(
            lambda: any(at.settled and at.frame > 20 for at in instance_info(patience=LIMIT)),
            describe=instance_info,
        )

        def arena_state():
            return client.published("arena").body

        def colored(color, where=WORLD):
            return int((display.pixels()[where] == color).sum())

        def choose(*keys):
            """Open the menu and press keys in it."""
            closed = colored(MENU, PANEL)
            display.xdotool("key", "F7")
            until(
                lambda: colored(MENU, PANEL) > closed + 2000, describe=lambda: colored(MENU, PANEL)
            )
            display.xdotool("key", *keys)
            until(
                lambda: colored(MENU, PANEL) < closed + 1000, describe=lambda: colored(MENU, PANEL)
            )

        display.xdotool("windowfocus", "--sync", window)
        near = until(lambda: colored(WHITE))
        # From afar the selected agent is small.
        display.xdotool("key", "shift+f")
        until(lambda: colored(WHITE) < near / 3, describe=lambda: (colored(WHITE), near))
        blue, red = colored(BLUE), colored(RED)
        # Attack block, difficulty 1, in turn.
        choose("Down", "Down", "Down", "Right", "Right", "Return")
        display.xdotool("mousemove", 720, 300)
        until(lambda: colored(BLUE) > blue + 30, describe=lambda: (colored(BLUE), blue))
        assert arena_state()["blocks"] == 0, "a preview changes nothing"
        display.xdotool("click", 3)
        until(lambda: arena_state()["blocks"] == 1, describe=arena_state)
        assert arena_state()["target"] in ("attack", "stay"), "which is won at some time"
        until(lambda: colored(RED) > red + 30, describe=lambda: (colored(RED), red))
        display.xdotool("click", 3)
        display.xdotool("key", "Escape")
        until(lambda: colored(RED) < red + 30, describe=lambda: (colored(RED), red))
        assert arena_state()["blocks"] == 1
        # Once the block's enemies are defeated there is nobody but who is placed now.
        until(lambda: arena_state()["target"] == "stay", describe=arena_state)
        before = arena_state()["enemies"]
        choose("Down", "Return")
        display.xdotool("mousemove", 640, 380)
        until(lambda: colored(BLUE) > blue + 5, describe=lambda: (colored(BLUE), blue))
        display.xdotool("click", 1)
        until(lambda: arena_state()["enemies"] == before + 1, describe=arena_state)
        display.xdotool("key", "Escape")
        choose("Up", "Return")
        until(
            lambda: arena_state()["blocks"] == 0 and arena_state()["enemies"] == 0,
            describe=arena_state,
        )
        assert arena_state()["target"] == "stay"
    code, _, err = game.leave()
    assert (code, err) == (0, "")


def test_choosing_the_mode_on_the_start_screen_begins_the_game(shown):
    Path("testhall.py").write_text(GAME)
    game = shown("run", "testhall:asking", "--bus", "tcp://127.0.0.1:*")
    with Client(game.endpoint(), timeout=LIMIT) as client:
        window = game.display.window("arena:doomlike|playhead")
        until(
            lambda: any(at.settled and at.frame > 5 for at in instance_info(patience=LIMIT)),
            describe=instance_info,
        )

        def arena_state():
            return client.published("arena").body

        def menus():
            return int((game.display.pixels()[PANEL] == MENU).sum())

        assert arena_state()["choices"][1] == "train-goto"
        game.display.xdotool("windowfocus", "--sync", window)
        closed = menus()
        game.display.xdotool("key", "F7")
        until(lambda: menus() > closed + 2000, describe=menus)
        game.display.xdotool("key", "Down", "Down", "Return")
        until(
            lambda: arena_state()["mode"] == "train-goto" and arena_state()["target"] == "goto",
            describe=arena_state,
        )
        assert arena_state()["blocks"] == 1
    code, _, err = game.leave()
    assert (code, err) == (0, "")


def test_if_no_mode_is_chosen_in_time_the_game_ends_and_its_recording_is_saved(shown):
    Path("testhall.py").write_text(GAME)
    game = shown("run", "testhall:hasty", "--clip", "start.mcap")
    code, out, err = game.end()
    assert (code, out) == (2, "")
    assert "no mode was chosen within 45 s of the start" in err
    assert "what led to it is in start.mcap" in err
    assert "Traceback" not in err
    with ClipSource.open("start.mcap") as clip:
        assert clip.span.newest >= 1
