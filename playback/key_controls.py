"""The keys of playback: from a key's name to a command. They replace the game's own controls.

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


def command_for(key: str, state: PlaybackState) -> Command | None:
    """The command that a key gives in this state; None if none: the key is not the controller's.

    While live every key is the game's. Names are `Space`, `Left`, `Home`, `Shift+Left`, `J`, `,`.
    """
    if state.mode is Mode.LIVE:
        return None
    entry = KEYS.get(key.upper() if len(key) == 1 else key)
    return entry.command(state) if entry else None


def _play_or_pause(state: PlaybackState) -> Command:
    return Pause() if state.mode is Mode.PLAYING else Play(1.0, restart=True)


def _shuttle(state: PlaybackState, direction: int) -> Command:
    """Play that way at normal speed; when it does already, at the next speed up."""
    if state.mode is not Mode.PLAYING or state.rate * direction < 0:
        return Play(1.0 * direction)
    return Play(_faster(abs(state.rate)) * direction)


def _faster(speed: float) -> float:
    return next((rate for rate in RATES if rate > speed), max(speed, RATES[-1]))


def _slower(speed: float) -> float:
    return next((rate for rate in reversed(RATES) if rate < speed), min(speed, RATES[0]))


def _at_speed(state: PlaybackState, speed: Callable[[float], float]) -> Command | None:
    if state.mode is not Mode.PLAYING:
        return None
    return Play(speed(abs(state.rate)) * (1 if state.rate > 0 else -1))


def _to_oldest(state: PlaybackState) -> Command | None:
    return SeekFrame(state.span.oldest) if state.span else None


def _to_newest(state: PlaybackState) -> Command:
    span = state.span
    # In another process a frame may be known before the span that includes it.
    if span is None or (state.frame is not None and state.frame >= span.newest):
        return Leave()
    return SeekFrame(span.newest)


def _advance(state: PlaybackState) -> Command | None:
    if state.mode is not Mode.PAUSED:
        return None
    is_newest = state.span is None or (state.frame or 0) >= state.span.newest
    return Advance(1) if is_newest else None


def _loop_in(state: PlaybackState) -> Command | None:
    if state.time is None or state.span is None:
        return None
    end = state.loop[1] if state.loop else state.span.end
    return _loop(state.time, end if state.time < end else state.span.end)


def _loop_out(state: PlaybackState) -> Command | None:
    if state.time is None or state.span is None:
        return None
    start = state.loop[0] if state.loop else state.span.start
    return _loop(start if start < state.time else state.span.start, state.time)


def _loop_switch(state: PlaybackState) -> Command | None:
    if state.loop:
        return LoopOff()
    return _loop(state.span.start, state.span.end) if state.span else None


def _loop(start: float, end: float) -> Command | None:
    return Loop(start, end) if start < end else None


KEYS: Mapping[str, Key] = {
    "Space": Key("play or pause; at the newest frame: from the oldest", _play_or_pause),
    "Left": Key("one frame back", lambda state: Step(-1)),
    "Right": Key("one frame on", lambda state: Step(1)),
    "Shift+Left": Key(f"{STRIDE} frames back", lambda state: Step(-STRIDE)),
    "Shift+Right": Key(f"{STRIDE} frames on", lambda state: Step(STRIDE)),
    "J": Key("play in reverse; again: twice as fast", lambda state: _shuttle(state, -1)),
    "K": Key("stop", lambda state: Pause()),
    "L": Key("play; again: twice as fast", lambda state: _shuttle(state, 1)),
    "Home": Key("to the oldest frame", _to_oldest),
    "End": Key("to the newest frame; again: live", _to_newest),
    "A": Key("run the game for one step, at its newest frame", _advance),
    ",": Key("half the speed", lambda state: _at_speed(state, _slower)),
    ".": Key("twice the speed", lambda state: _at_speed(state, _faster)),
    "0": Key("normal speed", lambda state: _at_speed(state, lambda speed: 1.0)),
    "I": Key("loop from here", _loop_in),
    "O": Key("loop to here", _loop_out),
    "Ctrl+L": Key("loop over everything, or no loop", _loop_switch),
    "Escape": Key("no loop", lambda state: LoopOff() if state.loop else None),
}
"""All of them; a key has one meaning."""
