"""The controller that overrides the game's own in playback: from a key's name to a command.

Keys that need more than the playhead's state (marks, problems, a selected lane) are not here: who
knows those sends `SeekFrame` or `SeekMark`.
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from .commands import (
    RATES,
    Advance,
    Command,
    Leave,
    Loop,
    LoopOff,
    Pause,
    Play,
    SeekFrame,
    Step,
)
from .playback_state import Mode, PlaybackState

STRIDE = 10
"""Frames that an arrow moves by with Shift held."""


class Key(NamedTuple):
    """What one key does, for people and for the playhead."""

    help: str
    command: Callable[[PlaybackState], Command | None]


def command_for(key: str, shown: PlaybackState) -> Command | None:
    """The command that a key gives in this state; None if none: the key is not the controller's.

    While live every key is the game's. Names are `Space`, `Left`, `Home`, `Shift+Left`, `J`, `,`.
    """
    if shown.mode is Mode.LIVE:
        return None
    entry = KEYS.get(key.upper() if len(key) == 1 else key)
    return entry.command(shown) if entry else None


def _play_or_pause(shown: PlaybackState) -> Command:
    return Pause() if shown.mode is Mode.PLAYING else Play(1.0, restart=True)


def _shuttle(shown: PlaybackState, direction: int) -> Command:
    """Play that way at normal speed; when it does already, at the next speed up."""
    if shown.mode is not Mode.PLAYING or shown.rate * direction < 0:
        return Play(1.0 * direction)
    return Play(_faster(abs(shown.rate)) * direction)


def _faster(speed: float) -> float:
    return next((rate for rate in RATES if rate > speed), max(speed, RATES[-1]))


def _slower(speed: float) -> float:
    return next((rate for rate in reversed(RATES) if rate < speed), min(speed, RATES[0]))


def _at_speed(shown: PlaybackState, speed: Callable[[float], float]) -> Command | None:
    if shown.mode is not Mode.PLAYING:
        return None
    return Play(speed(abs(shown.rate)) * (1 if shown.rate > 0 else -1))


def _to_oldest(shown: PlaybackState) -> Command | None:
    return SeekFrame(shown.span.oldest) if shown.span else None


def _to_newest(shown: PlaybackState) -> Command:
    span = shown.span
    # Whoever looks from another process may hear of a frame before its span tells of it.
    if span is None or (shown.frame is not None and shown.frame >= span.newest):
        return Leave()
    return SeekFrame(span.newest)


def _advance(shown: PlaybackState) -> Command | None:
    if shown.mode is not Mode.PAUSED:
        return None
    is_newest = shown.span is None or (shown.frame or 0) >= shown.span.newest
    return Advance(1) if is_newest else None


def _loop_in(shown: PlaybackState) -> Command | None:
    if shown.time is None or shown.span is None:
        return None
    end = shown.loop[1] if shown.loop else shown.span.end
    return _loop(shown.time, end if shown.time < end else shown.span.end)


def _loop_out(shown: PlaybackState) -> Command | None:
    if shown.time is None or shown.span is None:
        return None
    start = shown.loop[0] if shown.loop else shown.span.start
    return _loop(start if start < shown.time else shown.span.start, shown.time)


def _loop_switch(shown: PlaybackState) -> Command | None:
    if shown.loop:
        return LoopOff()
    return _loop(shown.span.start, shown.span.end) if shown.span else None


def _loop(start: float, end: float) -> Command | None:
    return Loop(start, end) if start < end else None


KEYS: Mapping[str, Key] = {
    "Space": Key("play or pause; at the newest frame: from the oldest", _play_or_pause),
    "Left": Key("one frame back", lambda shown: Step(-1)),
    "Right": Key("one frame on", lambda shown: Step(1)),
    "Shift+Left": Key(f"{STRIDE} frames back", lambda shown: Step(-STRIDE)),
    "Shift+Right": Key(f"{STRIDE} frames on", lambda shown: Step(STRIDE)),
    "J": Key("play in reverse; again: twice as fast", lambda shown: _shuttle(shown, -1)),
    "K": Key("stop", lambda shown: Pause()),
    "L": Key("play; again: twice as fast", lambda shown: _shuttle(shown, 1)),
    "Home": Key("to the oldest frame", _to_oldest),
    "End": Key("to the newest frame; again: live", _to_newest),
    "A": Key("run the game for one step, at its newest frame", _advance),
    ",": Key("half the speed", lambda shown: _at_speed(shown, _slower)),
    ".": Key("twice the speed", lambda shown: _at_speed(shown, _faster)),
    "0": Key("normal speed", lambda shown: _at_speed(shown, lambda speed: 1.0)),
    "I": Key("loop from here", _loop_in),
    "O": Key("loop to here", _loop_out),
    "Ctrl+L": Key("loop over everything, or no loop", _loop_switch),
    "Escape": Key("no loop", lambda shown: LoopOff() if shown.loop else None),
}
"""All of them; a key has one meaning."""
