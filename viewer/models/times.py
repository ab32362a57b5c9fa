"""Times as people read and type them."""

import re

from ...errors import CommandError
from ...playback.command import Command, SeekFrame, SeekMark, SeekTime

_CLOCK = re.compile(r"(?:(\d+):)?(?:(\d+):)?(\d+(?:\.\d*)?|\.\d+)")
STEPS = (1 / 60, 2 / 60, 5 / 60, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600)
"""What the ruler counts in, seconds."""


def told(seconds: float, digits: int = 3) -> str:
    """`mm:ss.mmm`; hours appear when there are some."""
    sign = "−" if seconds < 0 else ""
    units = round(abs(seconds) * 10**digits)
    whole, fraction = divmod(units, 10**digits)
    minutes, second = divmod(whole, 60)
    hours, minute = divmod(minutes, 60)
    clock = f"{hours}:{minute:02d}" if hours else f"{minute:02d}"
    return f"{sign}{clock}:{second:02d}" + (f".{fraction:0{digits}d}" if digits else "")


def told_span(seconds: float) -> str:
    """How long something lasts: `0.25 s`, `12.3 s`, `3:20`."""
    if seconds < 60:
        return f"{seconds:.2f} s" if seconds < 10 else f"{seconds:.1f} s"
    return told(seconds, 0)


def step_for(seconds_per_pixel: float, wanted: float = 96.0) -> float:
    """The step of the ruler that leaves at least `wanted` pixels between two numbers."""
    need = seconds_per_pixel * wanted
    return next((step for step in STEPS if step >= need), 3600 * max(1, round(need / 3600)))


def seek_of(text: str, now: float = 0.0) -> Command:
    """Where somebody wants to go: `12.5`, `1:02.5`, `+0.5`, `-2`, `#frame`, or the name of a mark.

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
    sign = {"+": 1.0, "-": -1.0}.get(typed[0])
    found = _CLOCK.fullmatch(typed[1:].strip() if sign else typed)
    if found is None:
        return SeekMark(typed)
    parts = [part for part in found.groups() if part is not None]
    seconds = 0.0
    for part in parts:
        seconds = seconds * 60 + float(part)
    return SeekTime(now + sign * seconds if sign else seconds)
