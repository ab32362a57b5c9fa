"""Parses instants and ranges of a recording as people type them: seconds, `#FRAME`, or a mark."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ...errors import CommandError
from ...playback.recording_url import is_link
from ...recorder.text.name_hint import name_hint
from ...recording import open_file
from ...recording.recording import Recording


@contextmanager
def opened(text: str) -> Iterator[Recording]:
    """The recording of a clip, of a ring, or of the running game at an address.

    Raises:
        CommandError: there is none.
        BusError: no service answers there.
    """
    if "://" in text and not is_link(text):
        from ...bus.client.client import connect

        with connect(text) as client:
            yield client.recording
    else:
        with open_file.open(text) as run:
            yield run


def instant_of(run: Recording, text: str | None) -> dict[str, Any]:
    """The arguments `frame` or `at` of an instant; none for the end.

    Raises:
        CommandError: it is none.
    """
    return {} if text is None else _placed(run, text, "frame", "at")


def bounds_of(run: Recording, text: str) -> dict[str, Any]:
    """The arguments `first` or `start`, and `last` or `end`, of `A..B`; either may be left out.

    Raises:
        CommandError: it is no such range.
    """
    begin, dots, end = text.partition("..")
    if not dots:
        raise CommandError(f"{text!r}: write a range as A..B, such as 10..12.5 or '#600..#900'")
    found: dict[str, float] = {}
    if begin:
        found |= _placed(run, begin, "first", "start")
    if end:
        found |= _placed(run, end, "last", "end")
    return found


def _placed(run: Recording, text: str, frame: str, time: str) -> dict[str, float]:
    if re.fullmatch(r"#\d+", text):
        return {frame: int(text[1:])}
    try:
        return {time: float(text)}
    except ValueError:
        pass
    names = [mark.name for mark in run.marks]
    for mark in run.marks:
        if mark.name == text:
            return {frame: mark.frame}
    raise CommandError(
        f"{text!r} is no time in seconds, no '#FRAME' and no mark: {name_hint(text, names)}"
    )
