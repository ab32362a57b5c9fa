"""What is plotted: the curves of the picked fields, else of the selected object."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from .course import Course
from .history import History
from .lanes import Floats, finite_ends
from .picks import Field

_MOST = 24
"""Curves of an object that are plotted if none are picked."""
_AXES = ("x", "y", "z", "w")


class Graph(NamedTuple):
    """One field over time."""

    field: Field
    title: str
    unit: str
    times: Floats
    """Seconds, rising."""
    parts: Floats
    """(n, parts): a vector has several."""
    ends: tuple[float, float] | None
    """The least and the greatest value of all; None if there is none."""

    @property
    def names(self) -> tuple[str, ...]:
        """What the parts are called; nothing to be said of a single one."""
        count = self.parts.shape[1]
        return ("",) if count == 1 else _AXES[:count]

    def at(self, time: float) -> Floats | None:
        """The values that hold at a time; None before the first."""
        place = int(np.searchsorted(self.times, time + 1e-9, side="right")) - 1
        return self.parts[place] if place >= 0 else None


def graphs(
    history: History, selected: int, picked: tuple[Field, ...],
    course_of: Callable[[int], Course], name_of: Callable[[int], str],
) -> list[Graph]:  # fmt: skip
    """The curves from top to bottom.

    Args:
        picked: What a person wants to see; if nothing, what the selected object has.
        course_of: What has been read of an object so far.
    """
    if picked:
        made = []
        for field in picked:
            title = f"{name_of(field.object)} · {field.name}"
            graph = _graph(history, field, title, course_of)
            if graph is not None:
                made.append(graph)
        return made
    if not selected:
        return []
    course = course_of(selected)
    fields = [Field(selected, name, True) for owner, name in history.series if owner == selected]
    fields += [Field(selected, name) for name, note in course.notes.items() if note.is_number]
    found = (_graph(history, field, field.name, course_of) for field in fields[:_MOST])
    return [graph for graph in found if graph is not None]


def _graph(
    history: History, field: Field, title: str, course_of: Callable[[int], Course]
) -> Graph | None:
    if field.watch:
        series = history.series.get((field.object, field.name))
        if series is None or not len(series):
            return None
        times = np.interp(series.frames, history.times.frames, history.times.values)
        values = series.values[:, None]
        return Graph(field, title, "", times, values, finite_ends(values))
    course = course_of(field.object)
    note = course.notes.get(field.name)
    if note is None or not note.is_number:
        return None
    parts = course.parts(field.name)
    return Graph(field, title, note.unit, course.times, parts, finite_ends(parts))
