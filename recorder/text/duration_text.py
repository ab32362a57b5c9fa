"""Formats lengths of time for people: the same in the terminal and in the viewer."""

from functools import lru_cache


def duration_text(seconds: float) -> str:
    """A duration: `0.25 s`, `12.3 s`, `3:20`."""
    if seconds < 60:
        return f"{seconds:.2f} s" if seconds < 10 else f"{seconds:.1f} s"
    return clock_text(seconds, 0)


@lru_cache(maxsize=4096)
def clock_text(seconds: float, digits: int = 3) -> str:
    """`mm:ss.mmm`, or `h:mm:ss.mmm` from an hour on."""
    sign = "−" if seconds < 0 else ""
    units = round(abs(seconds) * 10**digits)
    whole_seconds, fraction = divmod(units, 10**digits)
    minutes, second = divmod(whole_seconds, 60)
    hours, minute = divmod(minutes, 60)
    clock = f"{hours}:{minute:02d}" if hours else f"{minute:02d}"
    return f"{sign}{clock}:{second:02d}" + (f".{fraction:0{digits}d}" if digits else "")
