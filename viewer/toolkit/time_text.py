"""Formats times for people and parses typed ones, in the format they chose."""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from enum import Enum
from functools import lru_cache
from typing import Any, NamedTuple

from ...errors import CommandError
from ...playback.commands import Command, SeekFrame, SeekMark, SeekTime

_CLOCK = re.compile(r"(?:(\d+):)?(?:(\d+):)?(\d+(?:\.\d*)?|\.\d+)\s*s?")
_CODE = re.compile(r"(\d+):(\d\d):(\d\d):(\d\d+)")
_WALL = re.compile(r"(\d\d?):(\d\d):(\d\d(?:\.\d*)?)")
STEPS = (1 / 60, 2 / 60, 5 / 60, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600)
"""What the ruler counts in, seconds."""


class TimeUnit(Enum):
    """The formats of times."""

    CLOCK = "clock"
    """`mm:ss.mmm`"""
    SECONDS = "seconds"
    FRAME = "frame"
    """By the number of the frame that is shown then."""
    TIMECODE = "timecode"
    """`hh:mm:ss:ff`, as in a cutting room."""
    WALL = "wall"
    """The time of day; only of a recording that knows when it began."""


SIGNS = {
    TimeUnit.CLOCK: "m:s",
    TimeUnit.SECONDS: "sec",
    TimeUnit.FRAME: "frame",
    TimeUnit.TIMECODE: "m:s:f",
    TimeUnit.WALL: "day",
}
HELP = {
    TimeUnit.CLOCK: "minutes and seconds", TimeUnit.SECONDS: "seconds", TimeUnit.FRAME: "frames",
    TimeUnit.TIMECODE: "timecode", TimeUnit.WALL: "time of day",
}  # fmt: skip


class TimeStyle(NamedTuple):
    """The time format, and what it needs of the recording."""

    format: TimeUnit = TimeUnit.CLOCK
    frame_at: Callable[[float], float] | None = None
    """The frame that is shown at a time, as far as is known."""
    rate: float = 60.0
    """Frames a second."""
    began: float | None = None
    """Seconds since 1970 at the recording's time 0; None if it does not know."""


class _Told:
    style = TimeStyle()


def use(style: TimeStyle) -> None:
    """Use this format from now on: a person's choice, for the whole program."""
    _Told.style = style


def style() -> TimeStyle:
    """The format in use."""
    return _Told.style


def formats(began: float | None) -> list[TimeUnit]:
    """The formats that a recording allows."""
    return [one for one in TimeUnit if one is not TimeUnit.WALL or began is not None]


def time_text(seconds: float, digits: int = 3) -> str:
    """An instant in the present style: `mm:ss.mmm` unless another one was chosen.

    Args:
        digits: Behind the second's point, where the style has one.
    """
    style = _Told.style
    match style.format:
        case TimeUnit.SECONDS:
            return f"{seconds:.{digits}f} s".replace("-", "−")
        case TimeUnit.FRAME if style.frame_at is not None:
            return f"#{round(style.frame_at(seconds))}"
        case TimeUnit.TIMECODE:
            return _coded(seconds, style.rate)
        case TimeUnit.WALL if style.began is not None:
            return _of_day(style.began + seconds, digits)
        case _:
            return clock_text(seconds, digits)


@lru_cache(maxsize=4096)
def clock_text(seconds: float, digits: int = 3) -> str:
    """`mm:ss.mmm`, whatever the style; hours appear when there are some."""
    sign = "−" if seconds < 0 else ""
    units = round(abs(seconds) * 10**digits)
    whole, fraction = divmod(units, 10**digits)
    minutes, second = divmod(whole, 60)
    hours, minute = divmod(minutes, 60)
    clock = f"{hours}:{minute:02d}" if hours else f"{minute:02d}"
    return f"{sign}{clock}:{second:02d}" + (f".{fraction:0{digits}d}" if digits else "")


def _coded(seconds: float, rate: float) -> str:
    sign = "−" if seconds < 0 else ""
    whole_rate = max(1, round(rate))
    # The least bit below a frame's time is that frame still.
    frames = int(abs(seconds) * whole_rate + 1e-6)
    second, frame = divmod(frames, whole_rate)
    minute, second = divmod(second, 60)
    hour, minute = divmod(minute, 60)
    wide = len(str(whole_rate - 1))
    return f"{sign}{hour:02d}:{minute:02d}:{second:02d}:{frame:0{max(2, wide)}d}"


def _of_day(instant: float, digits: int) -> str:
    # Rounded first: 59.9996 must not become 59.999 or :60.
    snapshot = datetime.fromtimestamp(round(instant, digits), UTC).astimezone()
    fraction = f".{snapshot.microsecond:06d}"[: digits + 1] if digits else ""
    return snapshot.strftime("%H:%M:%S") + fraction


def span_text(seconds: float) -> str:
    """How long something lasts: `0.25 s`, `12.3 s`, `3:20`."""
    if seconds < 60:
        return f"{seconds:.2f} s" if seconds < 10 else f"{seconds:.1f} s"
    return clock_text(seconds, 0)


def step_for(seconds_per_pixel: float, wanted: float = 96.0) -> float:
    """The step of the ruler that leaves at least `wanted` pixels between two numbers."""
    need = seconds_per_pixel * wanted
    return next((step for step in STEPS if step >= need), 3600 * max(1, round(need / 3600)))


def began_of(about: Any) -> float | None:
    """When a recording began, seconds since 1970, by what its game said of itself.

    `about["began"]` is that number, or a date and time in ISO 8601; anything else is nothing.
    """
    given = about.get("began") if hasattr(about, "get") else None
    if isinstance(given, int | float) and not isinstance(given, bool):
        # Later years than 9999 have no date.
        return float(given) if 0 <= given < 253_000_000_000 else None
    try:
        return datetime.fromisoformat(given).timestamp() if isinstance(given, str) else None
    except (ValueError, OverflowError):
        return None


def seek_of(text: str, now: float = 0.0) -> Command:
    """Where somebody wants to go: `12.5`, `1:02.5`, `+0.5`, `-2`, `#frame`, or the name of a mark.

    What the present style tells can be typed, too.

    Args:
        now: Seconds that `+` and `-` count from.

    Raises:
        CommandError: there is nothing, or what follows `#` is no number.
    """
    typed = text.strip().replace("−", "-")
    if not typed:
        raise CommandError("say where to go: seconds, mm:ss, #frame, +0.5, or a mark's name")
    if typed.startswith("#"):
        digits = typed[1:].replace(" ", "").replace(",", "")
        if not digits.isdecimal():
            raise CommandError(f"{typed!r}: behind # comes the number of a frame")
        return SeekFrame(int(digits))
    style = _Told.style
    code = _CODE.fullmatch(typed)
    if code is not None:
        hours, minutes, second, frames = map(int, code.groups())
        # A little behind the frame's own time, which may be rounded up.
        late = frames / max(1, round(style.rate)) + 1e-4
        return SeekTime(hours * 3600 + minutes * 60 + second + late)
    wall = _WALL.fullmatch(typed)
    if wall is not None and style.format is TimeUnit.WALL and style.began is not None:
        return SeekTime(_on_its_day(wall, style.began, now))
    sign = {"+": 1.0, "-": -1.0}.get(typed[0])
    found = _CLOCK.fullmatch(typed[1:].strip() if sign else typed)
    if found is None:
        return SeekMark(typed)
    parts = [part for part in found.groups() if part is not None]
    seconds = 0.0
    for part in parts:
        seconds = seconds * 60 + float(part)
    return SeekTime(now + sign * seconds if sign else seconds)


def _on_its_day(wall: "re.Match[str]", began: float, now: float) -> float:
    """Seconds of the recording at a time of day: of the days that it can be, the nearest."""
    midnight = datetime.fromtimestamp(began + now).replace(
        hour=0, minute=0, second=0, microsecond=0
    )
    seconds = int(wall[1]) * 3600 + int(wall[2]) * 60 + float(wall[3])
    there = midnight.timestamp() + seconds - began
    return min((there + day * 86400 for day in (-1, 0, 1)), key=lambda one: abs(one - now))
