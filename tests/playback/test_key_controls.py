"""What each key means in each state."""

from typing import Any

import pytest

from playhead.playback.commands import (
    RATES,
    Advance,
    Command,
    Enter,
    Leave,
    Loop,
    LoopOff,
    Pause,
    Play,
    SeekFrame,
    Step,
)
from playhead.playback.key_controls import KEYS, command_for
from playhead.playback.playback_state import Mode, PlaybackState
from playhead.recorder.packets.recorded_frame import FrameRange

SPAN = FrameRange(oldest=10, newest=50, start=1.0, end=5.0)
PAUSED = PlaybackState(Mode.PAUSED, frame=30, time=3.0, span=SPAN)
AT_NEWEST = PlaybackState(Mode.PAUSED, frame=50, time=5.0, span=SPAN)
BEYOND = PlaybackState(Mode.PAUSED, frame=51, time=5.1, span=SPAN)
"""A frame that was heard of before the span told of it."""
AT_OLDEST = PlaybackState(Mode.PAUSED, frame=10, time=1.0, span=SPAN)
EMPTY = PlaybackState(Mode.PAUSED)
LOOPED = PlaybackState(Mode.PAUSED, frame=30, time=3.0, span=SPAN, loop=(2.0, 4.0))


def playing(rate: float) -> PlaybackState:
    return PlaybackState(Mode.PLAYING, frame=30, time=3.0, rate=rate, span=SPAN)


TABLE: list[tuple[str, PlaybackState, Command | None]] = [
    ("Space", PAUSED, Play(1.0, restart=True)),
    ("Space", playing(-4.0), Pause()),
    ("Left", PAUSED, Step(-1)),
    ("Right", PAUSED, Step(1)),
    ("Shift+Left", PAUSED, Step(-10)),
    ("Shift+Right", PAUSED, Step(10)),
    ("J", PAUSED, Play(-1.0)),
    ("J", playing(1.0), Play(-1.0)),
    ("J", playing(-1.0), Play(-2.0)),
    ("K", playing(8.0), Pause()),
    ("K", PAUSED, Pause()),
    ("L", PAUSED, Play(1.0)),
    ("L", playing(-2.0), Play(1.0)),
    ("L", playing(0.25), Play(0.5)),
    ("L", playing(3.0), Play(4.0)),
    ("L", playing(20.0), Play(20.0)),
    ("l", PAUSED, Play(1.0)),
    ("Home", PAUSED, SeekFrame(10)),
    ("Home", EMPTY, None),
    ("End", PAUSED, SeekFrame(50)),
    ("End", BEYOND, Leave()),
    ("End", AT_NEWEST, Leave()),
    ("End", EMPTY, Leave()),
    ("A", AT_NEWEST, Advance(1)),
    ("A", BEYOND, Advance(1)),
    ("A", EMPTY, Advance(1)),
    ("A", PAUSED, None),
    ("A", playing(1.0), None),
    (",", playing(1.0), Play(0.5)),
    (",", playing(-2.0), Play(-1.0)),
    (",", playing(0.25), Play(0.25)),
    (",", PAUSED, None),
    (".", playing(1.0), Play(2.0)),
    (".", playing(-4.0), Play(-8.0)),
    (".", playing(8.0), Play(8.0)),
    (".", PAUSED, None),
    ("0", playing(8.0), Play(1.0)),
    ("0", playing(-0.25), Play(-1.0)),
    ("0", PAUSED, None),
    ("I", PAUSED, Loop(3.0, 5.0)),
    ("I", LOOPED, Loop(3.0, 4.0)),
    ("I", AT_NEWEST, None),
    ("I", EMPTY, None),
    ("O", PAUSED, Loop(1.0, 3.0)),
    ("O", LOOPED, Loop(2.0, 3.0)),
    ("O", AT_OLDEST, None),
    ("O", EMPTY, None),
    ("Ctrl+L", PAUSED, Loop(1.0, 5.0)),
    ("Ctrl+L", LOOPED, LoopOff()),
    ("Ctrl+L", EMPTY, None),
    ("Escape", LOOPED, LoopOff()),
    ("Escape", PAUSED, None),
    ("X", PAUSED, None),
    ("", PAUSED, None),
]


@pytest.mark.parametrize(("key", "shown", "command"), TABLE)
def test_a_key_gives_its_command(key: str, shown: PlaybackState, command: Command | None) -> None:
    assert command_for(key, shown) == command


def test_the_table_above_names_every_key() -> None:
    assert {key for key, _, command in TABLE if command} - {"l"} == set(KEYS)


def test_every_key_has_a_line_of_help() -> None:
    assert all(key.help for key in KEYS.values())


@pytest.mark.parametrize("key", KEYS)
def test_while_live_every_key_is_the_games(key: str) -> None:
    assert command_for(key, PlaybackState(Mode.LIVE, span=SPAN)) is None


def test_a_loop_point_past_the_other_one_moves_that_to_the_end() -> None:
    before = PlaybackState(Mode.PAUSED, frame=12, time=1.2, span=SPAN, loop=(2.0, 4.0))
    behind = PlaybackState(Mode.PAUSED, frame=48, time=4.8, span=SPAN, loop=(2.0, 4.0))
    assert command_for("I", behind) == Loop(4.8, 5.0)
    assert command_for("O", before) == Loop(1.0, 1.2)


@pytest.mark.parametrize(("key", "direction"), [("L", 1), ("J", -1)])
def test_pressing_again_doubles_up_to_eight_times(fakes: Any, key: str, direction: int) -> None:
    playhead, _, _ = fakes.playhead(fakes.film([10] * 9))
    playhead.apply(SeekFrame(5))
    rates = []
    for _ in range(5):
        command = command_for(key, playhead.state)
        assert command is not None
        rates.append(playhead.apply(command).rate * direction)
    assert rates == [1.0, 2.0, 4.0, 8.0, 8.0]


def test_space_at_the_newest_plays_from_the_oldest(fakes: Any) -> None:
    playhead, _, _ = fakes.playhead(fakes.film([10] * 9))
    playhead.apply(Enter())
    command = command_for("Space", playhead.state)
    assert command is not None
    shown = playhead.apply(command)
    assert (shown.mode, shown.frame) == (Mode.PLAYING, 1)
    playhead.apply(Leave())


def test_the_speed_keys_walk_over_all_speeds() -> None:
    speeds = [RATES[-1]]
    while isinstance(command := command_for(",", playing(speeds[-1])), Play):
        if command.rate == speeds[-1]:
            break
        speeds.append(command.rate)
    assert speeds == list(reversed(RATES))
