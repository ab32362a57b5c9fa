"""The entries of the timeline's menu, for each position of the mouse."""

from ....playback.commands import LoopOff
from ...backends.annotation_store import BY_HAND, ChangeMark
from ...reader.history.lane_data import FALSE, TRUE
from ...state.decision_question_menu import DecisionController
from ...toolkit.menu_entries import MenuEntry
from ...toolkit.qt import QPointF
from .overview_and_ruler_painter import GUTTER
from .timeline_panel_protocol import TimelineInterface
from .timeline_rows import TimelineRow


def menu_items(panel: TimelineInterface, point: QPointF) -> list[MenuEntry]:
    """What the menu offers at a point."""
    row, event, store = panel.row_at(point.y()), panel.event_at(point), panel.store
    offered: list[MenuEntry] = []
    if event is not None:
        offered.append(("Go there", lambda: store.jump(event.frame, event.object)))
        if event.file:
            file, line = event.file, event.line
            offered.append(("Open the source", lambda: store.source_requested.emit(file, line)))
        if (mark := event.mark) is not None and mark.kind == BY_HAND:
            offered += [
                ("Rename this mark …", lambda: panel.context.renaming.emit(mark)),
                ("Remove this mark", lambda: panel.context.annotate(ChangeMark(mark))),
            ]
    if row is not None and row.spans is not None and point.x() >= GUTTER:
        at = row.spans.at(panel.time_at(point.x()))
        if at is not None:
            start, end = float(row.spans.starts[at]), float(row.spans.ends[at])
            offered.append(("Zoom to it and loop it", lambda: panel.zoom_to(start, end)))
            name = row.spans.names[at]
            if name and name not in (TRUE, FALSE):
                offered.append(panel.context.colors_for(name))
    if row is not None and row.field is not None:
        field = row.field
        offered.append(("Remove this lane", lambda: panel.context.lane(field)))
    if row is not None and row.machine:
        offered += _questions(panel, row, point)
    if row is not None and row.object:
        object, name = row.object, panel.name_of(row.object)
        pinned = object in panel.context.pins.objects
        offered.append((f"Select {name}", lambda: store.select(object)))
        offered.append(
            (f"{'Unpin' if pinned else 'Pin'} {name}'s lanes", lambda: panel.context.pin(object))
        )
    if store.playback.loop is not None:
        offered.append(("Clear the loop", lambda: store.send(LoopOff())))
    offered.append(("Show all time", panel.scale.fit))
    return offered


def _questions(panel: TimelineInterface, row: TimelineRow, point: QPointF) -> list[MenuEntry]:
    """The questions about a state machine, or another decider, at a point of its lane."""
    store, key = panel.store, (row.object, row.machine)
    questions = DecisionController.of(store)
    spans = row.spans
    at = None if spans is None else spans.at(panel.time_at(point.x()))
    here = spans.names[at] if spans is not None and at is not None else ""
    states = dict.fromkeys(
        name
        for change in store.history.changes.get(key, ())
        for name in (change.trace.source, change.trace.target)
    ) | dict.fromkeys(one.choice for one in store.history.choices.get(key, ()))
    others = [name for name in states if name and name != here]
    return [
        *questions.why_not(*key, others),
        questions.why_not_typed(*key),
        questions.again(*key, store.frame),
    ]
