"""The inspector panel: every field of the selected object, with its curve around the playhead."""

from collections.abc import Hashable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from ....playback.playback_state import Mode
from ....recording.decisions.decision_location import FieldLocation
from ...reader.history.curve_gaps import broken, lengths
from ...reader.history.history_record_types import UNREAD
from ...reader.history.lane_data import Floats
from ...state.hook_controller import HookController
from ...state.motion_around_playhead import PositionAt
from ...state.pinned_fields import ObjectField
from ...state.shared_pins_and_histories import PanelContext
from ...state.viewer_store import ViewerStore
from ...toolkit.menu_entries import MenuEntry
from ...toolkit.qt import QApplication, QKeyEvent, QMouseEvent, QPainter, QPointF, QRectF, Qt
from ...toolkit.time_text import time_text
from ...widgets.field_drag import start_drag
from ...widgets.lists.interactive_list import TextList
from ...widgets.value_editor import ValueEditor, value_typed
from .field_row_painter import ARROWS, SECONDS, STAR, FieldPainter
from .inspector_rows import FieldRow, field_rows, whole_value


class _Near(NamedTuple):
    """What surrounds an instant, for all curves."""

    around: Mapping[int, PositionAt]
    now: float
    frames: Floats
    times: Floats
    spots: list[PositionAt]


class InspectorPanel(TextList):
    """◂ ▸ at a row lead to where its value changed before and changes next; ★ keeps it on top. A
    double click edits a value of the paused game; Ctrl+Z and Ctrl+Y take that back and forth."""

    empty_text = "Select an object to see its fields"

    def __init__(self, store: ViewerStore) -> None:
        super().__init__("Inspector", store)
        self.context = PanelContext.of(store)
        self._rows: list[FieldRow] = []
        self._last: tuple[int, list[FieldRow]] = (0, [])
        """The selected object and its rows where it was seen last."""
        self._gone = False
        """Whether it does not exist in this frame: then values are from where it did."""
        self._folded: set[str] = set()
        self._pressed: tuple[QPointF, ObjectField] | None = None
        """Where a field was pressed that may be dragged away."""
        self._near: _Near | None = None
        self._painter = FieldPainter()
        self.hooks = HookController.of(store)
        self._editor = ValueEditor(self)
        self.hooks.changed.connect(self.rebuild)
        self.context.pins_changed.connect(self.rebuild)
        self.context.history_read.connect(self._read)

    @property
    def rows(self) -> list[FieldRow]:
        """What is listed."""
        self.rebuild_if_stale()
        return self._rows

    @property
    def type(self) -> str:
        """The selected object's; empty if it is not there."""
        snapshot, selected = self.store.snapshot, self.store.selected
        if snapshot is None or selected not in snapshot.objects:
            return ""
        return snapshot.objects.type_of(selected)

    # --- what is listed -------------------------------------------------------------------------

    def build_rows(self) -> bool:
        store, snapshot, selected = self.store, self.store.snapshot, self.store.selected
        every: list[FieldRow] = []
        if snapshot is not None and selected:
            stars = self.context.pins.stars.get(self.type, ())
            every = field_rows(snapshot, selected, store.previous, stars)
        self._gone = bool(selected) and snapshot is not None and selected not in snapshot.objects
        if self._gone:
            if self._last[0] == selected:
                every = [row._replace(changed=False) for row in self._last[1]]
            every = [self._whereabouts(), *every]
        elif selected:
            self._last = (selected, every)
        self._rows, group = [], ""
        for row in map(self._with_edit, every):
            group = row.title if row.heading else group
            if row.heading or group not in self._folded:
                self._rows.append(row)
        return True

    def _with_edit(self, row: FieldRow) -> FieldRow:
        """A row with what its field was edited to in the paused game."""
        if not self.hooks.edits or not row.field or self.store.playback.mode is Mode.LIVE:
            return row
        edit = self.hooks.edited(self.store.selected, row.field)
        if edit is None:
            return row
        return row._replace(value=f"{row.value} ✎ {edit.after}", changed=True, curve="")

    def _edit(self, row: int) -> None:
        """Have a field's value typed; it is set in the paused game."""
        field, box = self._rows[row], self.box_of(row)
        half = QRectF(box.center().x(), box.top(), box.width() / 2, box.height())
        edit = partial(self.hooks.edit, self.store.selected, field.field)
        self._editor.begin(
            half, field.title, self._whole(field), lambda text: edit(value_typed(text))
        )

    def keyPressEvent(self, event: QKeyEvent | None) -> None:  # noqa: N802
        assert event is not None
        if not self.hooks.takes_key(event):
            super().keyPressEvent(event)

    def _read(self) -> None:
        if self._gone:
            self.rebuild()

    def _whereabouts(self) -> FieldRow:
        """Where the object is, as it is not here."""
        store = self.store
        assert store.snapshot is not None
        name = store.snapshot.name_of(store.selected)
        field_history = self.context.field_history(store.selected)
        known = field_history.has("position")
        there = (
            np.flatnonzero(np.isfinite(field_history.parts("position")[:, 0]))
            if known
            else np.empty(0, np.int64)
        )
        if field_history.progress < 1.0:
            # Where it was last, or will be next, is known when everything was looked at.
            looking = f"looking for it … {field_history.progress:.0%}"
            return FieldRow(f"{name} is not in this frame · {looking}")
        if not len(there):
            return FieldRow(f"{name} is not in this frame")
        later = there[field_history.frames[there] > store.frame]
        frame = int(field_history.frames[later[0] if len(later) else there[-1]])
        time = float(field_history.times[later[0] if len(later) else there[-1]])
        what = "is there from" if len(later) else "was there until"
        return FieldRow(f"{name} {what} {time_text(time)} — jump", frame=frame)

    def heights(self) -> Sequence[int]:
        return [24 if row.heading else 22 for row in self._rows]

    # --- painting -------------------------------------------------------------------------------

    def cache_key(self, row: int) -> Hashable:
        field = self._rows[row]
        if field.heading:
            return field.title, field.title in self._folded
        # Curves move with each instant, whatever the values do.
        return None if field.curve or row == self.hover else (field, self._gone)

    def paint_row(self, painter: QPainter, row: int, box: QRectF) -> None:
        field = self._rows[row]
        if field.heading:
            self._painter.heading(painter, field, box, folded=field.title in self._folded)
            return
        hovered = row == self.hover
        self._painter.row(
            painter, field, box, gone=self._gone, hovered=hovered,
            arrows=hovered and self._changes(field), now=self.store.cursor or 0.0,
            curve=lambda: self.curve_of(field), unread=lambda: self.unread(field),
        )  # fmt: skip

    def curve_of(self, row: FieldRow) -> tuple[Floats, Floats]:
        """Times (seconds) and values of a row's curve around the playhead."""
        store = self.store
        now = store.cursor or 0.0
        if row.watch:
            if (store.selected, row.curve) not in store.history.series:
                return np.empty(0), np.empty(0)
            times, values = store.history.samples((store.selected, row.curve))
            inside = slice(*np.searchsorted(times, (now - SECONDS, now + SECONDS)).tolist())
            return times[inside], values[inside]
        _, _, frames, times, spots = self._spots_near(now)
        numbers = [spot.numbers.get(row.curve) for spot in spots]
        if None in numbers:
            there = np.array([one is not None for one in numbers])
            frames, times = frames[there], times[there]
        values = np.array([one for one in numbers if one is not None], np.float64)
        return broken(frames, times, lengths(values[:, None]) if row.parts > 1 else values)

    def _spots_near(self, now: float) -> _Near:
        around, near = self.store.surroundings, self._near
        if near is None or near.around is not around or near.now != now:
            spots = sorted(
                (frame, spot) for frame, spot in around.items() if abs(spot.time - now) <= SECONDS
            )
            near = self._near = _Near(
                around, now,
                np.array([frame for frame, _ in spots], np.float64),
                np.array([spot.time for _, spot in spots], np.float64),
                [spot for _, spot in spots],
            )  # fmt: skip
        return near

    def unread(self, row: FieldRow) -> list[tuple[float, float]]:
        """What of a row's curve is not read yet: from … to, seconds."""
        store, span = self.store, self.store.history.span
        if span is None or store.snapshot is None:
            return []
        now = store.cursor or 0.0
        if row.watch:
            found = store.history.missing(now - SECONDS, now + SECONDS, span)
            return [(one.start, one.end) for one in found if one.why == UNREAD]
        first, last = store.surroundings_span
        if store.playback.mode is Mode.LIVE:
            # A game that runs is looked at in some of its frames only, since it is followed.
            first = min((spot.time for spot in store.surroundings.values()), default=now)
        sides = (
            (max(now - SECONDS, span.start), min(first, now)),
            (max(last, now), min(now + SECONDS, span.end)),
        )
        return [(start, end) for start, end in sides if end - start > store.history.lag]

    # --- what can be done -----------------------------------------------------------------------

    def _changes(self, field: FieldRow) -> bool:
        """Whether one can go to where a row's value changes."""
        return bool(field.field or field.watch)

    def find_change(self, field: FieldRow, direction: int) -> None:
        """Go to the next change of a row's value, or to the one before."""
        store = self.store
        if not field.watch:
            store.find_change(field.field, direction)
            return
        series = store.history.series.get((store.selected, field.curve))
        values = np.empty(0) if series is None else series.values
        frames = np.empty(0) if series is None else series.frames
        differs = frames[np.flatnonzero(values[1:] != values[:-1]) + 1] if len(values) else frames
        ahead = differs[differs > store.frame] if direction > 0 else differs[differs < store.frame]
        if len(ahead):
            store.jump(int(ahead[0] if direction > 0 else ahead[-1]))
        else:
            store.message.emit(
                f"{field.title} does not change any more in that direction{store.so_far}"
            )

    def clicked(self, row: int, at: QPointF, *, twice: bool) -> None:
        field = self._rows[row]
        if field.heading:
            self._folded ^= {field.title}
            self.rebuild()
        elif field.frame:
            self.store.jump(field.frame)
        elif field.value and at.x() < STAR:
            self.star(field)
        elif twice and field.field and at.x() < self.width() - ARROWS - 6:
            self._edit(row)
        elif self._changes(field) and at.x() > self.width() - ARROWS - 6:
            right_one = at.x() > self.width() - ARROWS / 2 - 6
            self.find_change(field, 1 if right_one else -1)

    def mousePressEvent(self, event: QMouseEvent | None) -> None:  # noqa: N802
        assert event is not None
        row = self.row_at(event.position().y())
        self._pressed = None
        if event.button() == Qt.MouseButton.LeftButton and row >= 0 and self._rows[row].curve:
            self._pressed = event.position(), self._name_of(self._rows[row])
        super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent | None) -> None:  # noqa: N802
        assert event is not None
        super().mouseMoveEvent(event)
        if self._pressed is None or not event.buttons() & Qt.MouseButton.LeftButton:
            return
        start, field = self._pressed
        if (event.position() - start).manhattanLength() >= QApplication.startDragDistance():
            self._pressed = None
            start_drag(self, field)

    def _name_of(self, row: FieldRow) -> ObjectField:
        return ObjectField(self.store.selected, row.curve or row.field, row.watch)

    def activated(self, row: int) -> None:
        field = self._rows[row]
        if field.heading or field.frame:
            self.clicked(row, QPointF(), twice=False)
        elif self._changes(field):
            self.find_change(field, 1)

    def star(self, field: FieldRow) -> None:
        """Keep a field on top for all objects of this type, or no more."""
        if self.type:
            self.context.star(self.type, field.key)

    def menu_entries(self, row: int) -> Sequence[MenuEntry]:
        if not 0 <= row < len(self._rows) or not self._rows[row].value:
            return ()
        field = self._rows[row]
        name = self._name_of(field)
        pins, context = self.context.pins, self.context
        offered: list[MenuEntry] = []
        if self.type:
            words = "Unpin" if field.starred else f"Pin on top, for every {self.type}"
            offered.append((words, lambda: self.star(field)))
        if field.curve:
            words = "Stop plotting" if name in pins.plots else "Plot"
            offered.append((words, lambda: context.plot(name)))
        if field.curve or field.field in self.context.field_history(self.store.selected).notes:
            words = "Remove its lane" if name in pins.lanes else "Add as lane"
            offered.append((words, lambda: context.lane(name)))
        if self._changes(field):
            offered.append(("Previous change", lambda: self.find_change(field, -1)))
            offered.append(("Next change", lambda: self.find_change(field, 1)))
        offered.append(("Copy value", lambda: _copy(self._whole(field))))
        if field.field:
            offered.append(("Edit in the paused game", partial(self._edit, row)))
            offered += self.hooks.menu(self.store.selected, FieldLocation(field.field))
        return offered

    # --- in words -------------------------------------------------------------------------------

    def _whole(self, field: FieldRow) -> str:
        snapshot = self.store.snapshot
        if snapshot is None or self._gone:
            return field.value
        return whole_value(snapshot, self.store.selected, field)

    def card(self, row: int, at: QPointF) -> Sequence[str]:
        field = self._rows[row]
        if field.heading:
            return ()
        if not field.value:
            return (field.title,)
        if field.value and at.x() < STAR:
            return ("Keep on top" if not field.starred else "Stop keeping on top",)
        lines = [f"{field.title}   {field.unit}".rstrip(), *self._whole(field).split("\n")]
        if field.curve:
            lines.append("drag it into the plots")
        if field.changed:
            lines.append("has changed since the frame before")
        if self._changes(field) and at.x() > self.width() - ARROWS - 6:
            lines.append("◂ ▸ to where it changed before, and changes next")
        return lines

    def text(self) -> str:
        self.rebuild_if_stale()
        lines = [self.empty_text] if not self._rows else []
        for row in self._rows:
            if row.heading:
                lines += ["", row.title]
            else:
                lines.append(f"  {row.title}   {row.value} {row.unit}".rstrip())
        return "\n".join(lines).strip("\n")


def _copy(text: str) -> None:
    clipboard = QApplication.clipboard()
    if clipboard is not None:
        clipboard.setText(text)
