"""What the timeline's menu offers, wherever the mouse is."""

from typing import TYPE_CHECKING

from ....playback.commands import LoopOff
from ...backends.annotation_store import BY_HAND, ChangeMark
from ...toolkit.qt import QPointF
from ...widgets.text_list import Action
from .lane_data import FALSE, TRUE
from .overview_strip import GUTTER

if TYPE_CHECKING:
    from .timeline_panel import TimelinePanel


def menu_items(dock: "TimelinePanel", place: QPointF) -> list[Action]:
    """What the menu offers at a place."""
    row, event, clock = dock.row_at(place.y()), dock.event_at(place), dock.clock
    offered: list[Action] = []
    if event is not None:
        offered.append(("Go there", lambda: clock.jump(event.frame, event.object)))
        if event.file:
            file, line = event.file, event.line
            offered.append(("Open the source", lambda: clock.source_wanted.emit(file, line)))
        if (mark := event.mark) is not None and mark.kind == BY_HAND:
            offered += [
                ("Rename this mark …", lambda: dock.desk.renaming.emit(mark)),
                ("Remove this mark", lambda: dock.desk.keep(ChangeMark(mark))),
            ]
    if row is not None and row.spans is not None and place.x() >= GUTTER:
        at = row.spans.at(dock.time_at(place.x()))
        if at is not None:
            start, end = float(row.spans.starts[at]), float(row.spans.ends[at])
            offered.append(("Zoom to it and loop it", lambda: dock.zoom_to(start, end)))
            name = row.spans.names[at]
            if name and name not in (TRUE, FALSE):
                offered.append(dock.desk.colors_for(name))
    if row is not None and row.field is not None:
        field = row.field
        offered.append(("Remove this lane", lambda: dock.desk.lane(field)))
    if row is not None and row.object:
        object, name = row.object, dock.name_of(row.object)
        pinned = object in dock.desk.picks.objects
        offered.append((f"Select {name}", lambda: clock.select(object)))
        offered.append(
            (f"{'Unpin' if pinned else 'Pin'} {name}'s lanes", lambda: dock.desk.pin(object))
        )
    if clock.shown.loop is not None:
        offered.append(("Clear the loop", lambda: clock.send(LoopOff())))
    offered.append(("Show all time", dock.scale.fit))
    return offered
