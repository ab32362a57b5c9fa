"""What of a recording can be chosen by typing: objects, marks, problems, lines, and times."""

from collections.abc import Callable, Iterable
from functools import partial

from ...errors import CommandError
from ...playback.commands import Command, SeekFrame, SeekTime
from ..reader.frame_snapshot import FrameSnapshot
from ..reader.history.recording_history import RecordingHistory
from ..toolkit.time_text import parse_seek, time_text
from .fuzzy_search import SearchItem
from .problem_list import problems

Go = Callable[[int, int], object]
"""Goes to a frame and selects an object; 0 for none."""
_MOST = 2000
"""How many of the newest marks, problems and lines are listed, each."""


def objects(snapshot: FrameSnapshot | None, select: Callable[[int], object]) -> list[SearchItem]:
    """The objects of a frame, those that have a state first."""
    if snapshot is None:
        return []
    made = []
    for id, seen in snapshot.objects.items():
        state = snapshot.state_of(id)
        kind = f"{seen.packet.type} {id}"
        made.append((
            not state, seen.name,
            SearchItem("object", seen.name, f"select {seen.name}", partial(select, id),
                   f"{kind}  ·  {state}" if state else kind),
        ))  # fmt: skip
    return [choice for _, _, choice in sorted(made, key=lambda one: one[:2])]


def snapshots(history: RecordingHistory, name_of: Callable[[int], str], go: Go) -> list[SearchItem]:
    """The problems, the marks, and the lines of the log, each a frame to go to."""
    found = [
        SearchItem("problem", _line(one.text), f"go to frame {one.frame}",
               partial(go, one.frame, one.object), _note(one.time, one.object, name_of))
        for one in problems(history)[-_MOST:]
    ]  # fmt: skip
    found += [
        SearchItem("mark", _line(mark.name), f"go to frame {mark.frame}",
               partial(go, mark.frame, mark.object),
               _note(mark.time, mark.object, name_of, mark.note))
        for mark in history.marks[-_MOST:]
        if mark.kind not in ("check", "loss")
    ]  # fmt: skip
    found += [
        SearchItem("log", _line(row.line.text), f"go to frame {row.frame}",
               partial(go, row.frame, row.line.object),
               _note(row.time, row.line.object, name_of))
        for row in history.lines[-_MOST:]
        if row.line.level != "error"
    ]  # fmt: skip
    return found


def typed_times(
    text: str, now: float, send: Callable[[Command], object], marks: Iterable[str] = ()
) -> list[SearchItem]:
    """What was typed, if it is an instant: `#480`, `12.5`, `1:02.5`, `+0.5`.

    Args:
        now: Seconds that `+` and `-` count from.
        marks: The names of marks, one of which may look like a time; that is found as a mark.
    """
    if not text.strip() or text.strip() in marks:
        return []
    try:
        command = parse_seek(text, now)
    except CommandError:
        return []
    if isinstance(command, SeekFrame):
        title = f"Frame {command.frame}"
    elif isinstance(command, SeekTime):
        title = time_text(command.time)
    else:
        return []
    return [
        SearchItem("time", title, f"go to {title[0].lower()}{title[1:]}", lambda: send(command))
    ]


def _line(text: str) -> str:
    return " ".join(text.split())


def _note(time: float, object: int, name_of: Callable[[int], str], note: str = "") -> str:
    parts = [_line(note), name_of(object) if object else "", time_text(time)]
    return "  ·  ".join(part for part in parts if part)
