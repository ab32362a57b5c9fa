"""Formats times for the user and parses typed ones, in the format that the user chose."""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from enum import Enum
from typing import Any, NamedTuple

from ...errors import CommandError
from ...playback.commands import Command, SeekFrame, SeekMark, SeekTime
from ...recorder.text.duration_text import clock_text

_CLOCK = re.compile(r"(?:(\d+):)?(?:(\d+):)?(\d+(?:\.\d*)?|\.\d+)\s*s?")
_TIMECODE = re.compile(r"(\d+):(\d\d):(\d\d):(\d\d+)")
_TIME_OF_DAY = re.compile(r"(\d\d?):(\d\d):(\d\d(?:\.\d*)?)")
_SHOWN_DIGITS, _ROUNDED_DOWN = 3, 0.000499
"""Decimals of a second that are shown, and how much later a frame may be than they say."""
RULER_STEPS = (
    1 / 60, 2 / 60, 5 / 60, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600,
)  # fmt: skip
"""Seconds between the numbers of a ruler."""


class TimeUnit(Enum):
    """The formats of times."""

    CLOCK = "clock"
    """`mm:ss.mmm`"""
    SECONDS = "seconds"
    FRAME = "frame"
    """The number of the frame that is shown at that time."""
    TIMECODE = "timecode"
    """`hh:mm:ss:ff`, as in film editing."""
    WALL = "wall"
    """The time of day; only for recordings that say when they began."""


SHORT_NAMES = {
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
    """The time format, and what it needs to know about the recording."""

    format: TimeUnit = TimeUnit.CLOCK
    frame_at: Callable[[float], float] | None = None
    """The frame that is shown at a time."""
    rate: float = 60.0
    """Frames a second."""
    start: float | None = None
    """Seconds since 1970 at the recording's time 0; None if it does not say."""


class _Current:
    style = TimeStyle()


def use_style(style: TimeStyle) -> None:
    """Use this style from now on, in the whole program."""
    _Current.style = style


def style() -> TimeStyle:
    """The style in use."""
    return _Current.style


def available_formats(start: float | None) -> list[TimeUnit]:
    """The formats that a recording allows, by its start (see `TimeStyle.start`)."""
    return [format for format in TimeUnit if format is not TimeUnit.WALL or start is not None]


def time_text(seconds: float, digits: int = 3) -> str:
    """An instant in the style in use: `mm:ss.mmm` unless another one was chosen.

    Args:
        digits: Decimals of the second, in styles that have some.
    """
    style = _Current.style
    match style.format:
        case TimeUnit.SECONDS:
            return f"{seconds:.{digits}f} s".replace("-", "−")
        case TimeUnit.FRAME if style.frame_at is not None:
            return f"#{round(style.frame_at(seconds))}"
        case TimeUnit.TIMECODE:
            return _timecode(seconds, style.rate)
        case TimeUnit.WALL if style.start is not None:
            return _time_of_day(style.start + seconds, digits)
        case _:
            return clock_text(seconds, digits)


def _timecode(seconds: float, rate: float) -> str:
    sign = "−" if seconds < 0 else ""
    rate_or_one = max(1, round(rate))
    # A rounding error below a frame's time must not give the frame before.
    frames = int(abs(seconds) * rate_or_one + 1e-6)
    second, frame = divmod(frames, rate_or_one)
    minute, second = divmod(second, 60)
    hour, minute = divmod(minute, 60)
    digits = len(str(rate_or_one - 1))
    return f"{sign}{hour:02d}:{minute:02d}:{second:02d}:{frame:0{max(2, digits)}d}"


def _time_of_day(instant: float, digits: int) -> str:
    # Rounded first: 59.9996 must not become 59.999 or :60.
    local = datetime.fromtimestamp(round(instant, digits), UTC).astimezone()
    fraction = f".{local.microsecond:06d}"[: digits + 1] if digits else ""
    return local.strftime("%H:%M:%S") + fraction


def ruler_step(seconds_per_pixel: float, min_pixels: float = 96.0) -> float:
    """The seconds between two numbers of a ruler that are at least `min_pixels` apart."""
    seconds = seconds_per_pixel * min_pixels
    return next(
        (step for step in RULER_STEPS if step >= seconds), 3600 * max(1, round(seconds / 3600))
    )


def start_of(about: Any) -> float | None:
    """When a recording began, seconds since 1970; None if its game did not say.

    Args:
        about: What the game says about itself. `about["began"]` is that number, or a date and time
            in ISO 8601.
    """
    value = about.get("began") if hasattr(about, "get") else None
    if isinstance(value, int | float) and not isinstance(value, bool):
        # datetime ends with the year 9999.
        return float(value) if 0 <= value < 253_000_000_000 else None
    try:
        return datetime.fromisoformat(value).timestamp() if isinstance(value, str) else None
    except (ValueError, OverflowError):
        return None


def parse_seek(text: str, now: float = 0.0) -> Command:
    """The command for a typed destination.

    It is `12.5`, `1:02.5`, `+0.5`, `-2`, `#frame`, the name of a mark, or a time in the style in
    use.

    Args:
        now: Seconds that `+` and `-` count from.

    Raises:
        CommandError: the text is empty, or what follows `#` is no number.
    """
    typed = text.strip().replace("−", "-")
    if not typed:
        raise CommandError("say where to go: seconds, mm:ss, #frame, +0.5, or a mark's name")
    if typed.startswith("#"):
        digits = typed[1:].replace(" ", "").replace(",", "")
        if not digits.isdecimal():
            raise CommandError(f"{typed!r}: behind # comes the number of a frame")
        return SeekFrame(int(digits))
    style = _Current.style
    timecode = _TIMECODE.fullmatch(typed)
    if timecode is not None:
        hours, minutes, second, frames = map(int, timecode.groups())
        # A little more, because the frame's own time may have been rounded up.
        fraction = frames / max(1, round(style.rate)) + 1e-4
        return SeekTime(hours * 3600 + minutes * 60 + second + fraction)
    time_of_day = _TIME_OF_DAY.fullmatch(typed)
    if time_of_day is not None and style.format is TimeUnit.WALL and style.start is not None:
        return SeekTime(_nearest_time_of_day(time_of_day, style.start, now))
    sign = {"+": 1.0, "-": -1.0}.get(typed[0])
    clock = _CLOCK.fullmatch(typed[1:].strip() if sign else typed)
    if clock is None:
        return SeekMark(typed)
    parts = [part for part in clock.groups() if part is not None]
    seconds = 0.0
    for part in parts:
        seconds = seconds * 60 + float(part)
    if sign:
        return SeekTime(now + sign * seconds)
    # Times are shown to the millisecond: one that was rounded down means the frame it is of.
    rounded = len(typed.rstrip("s ").partition(".")[2]) == _SHOWN_DIGITS
    return SeekTime(seconds + _ROUNDED_DOWN if rounded else seconds)


def _nearest_time_of_day(time_of_day: "re.Match[str]", start: float, now: float) -> float:
    """The recording's time at a time of day, on the day on which that is nearest to `now`."""
    midnight = datetime.fromtimestamp(start + now).replace(
        hour=0, minute=0, second=0, microsecond=0
    )
    seconds = int(time_of_day[1]) * 3600 + int(time_of_day[2]) * 60 + float(time_of_day[3])
    same_day = midnight.timestamp() + seconds - start
    return min((same_day + day * 86400 for day in (-1, 0, 1)), key=lambda time: abs(time - now))
