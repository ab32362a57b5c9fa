"""The mouse over the timeline: what each button, drag and turn of the wheel does there."""

import math

import numpy as np

from ....playback.commands import Loop
from ...reader.history.lane_data import Floats
from ...toolkit.qt import QMouseEvent, QPointF, Qt, QWheelEvent
from .overview_and_ruler_painter import GUTTER, OVERVIEW, TOP
from .timeline_panel_protocol import TimelineInterface

SNAP = 4.0
"""Pixels within which the mouse snaps to marks, lines of the log and loop ends, unless Alt is
held; and by which it may tremble in a click."""


class TimelineMouse:
    """One gesture at a time: `gesture` is its name, or empty.

    `scrub` and `jump` (in the overview) move the playhead, `loop` makes a range or moves one of its
    ends, `pan` moves what is shown.
    """

    def __init__(self, panel: TimelineInterface) -> None:
        self._panel = panel
        self.gesture = ""
        self.here: QPointF | None = None
        """Where the mouse is; None if it is elsewhere."""
        self._from = QPointF()
        self._anchor = 0.0
        """A loop's end that stays where it is, or what was shown first when a pan began; seconds"""
        self._scroll = 0
        self._loose = False
        """Whether Alt is held: nothing snaps."""
        self._moved = False
        self._targets: tuple[object, Floats] = (None, np.empty(0))

    # --- what it does ---------------------------------------------------------------------------

    def press(self, event: QMouseEvent) -> None:
        panel, point = self._panel, event.position()
        self.here, self._from, self._moved = point, point, False
        self._loose = bool(event.modifiers() & Qt.KeyboardModifier.AltModifier)
        if event.button() != Qt.MouseButton.LeftButton:
            self.gesture, self._anchor, self._scroll = "pan", panel.scale.start, panel.scrolled
        elif point.x() < GUTTER or panel.is_heading(point.y()):
            panel.click_name(point.y())
        elif event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self.gesture, self._anchor = "loop", self.time(point.x(), point.y())
        elif (other := self.loop_edge(point)) is not None:
            self.gesture, self._anchor = "loop", other
        else:
            self.gesture = "jump" if point.y() < OVERVIEW else "scrub"
            self._scrub(point)

    def move(self, event: QMouseEvent) -> None:
        self.here = event.position()
        self._loose = bool(event.modifiers() & Qt.KeyboardModifier.AltModifier)
        away = self.here - self._from
        self._moved = self._moved or abs(away.x()) + abs(away.y()) > SNAP
        if self.gesture in ("scrub", "jump"):
            self._scrub(self.here)
        elif self.gesture == "pan" and self._moved:
            panel = self._panel
            panel.scale.pan(
                self._anchor - panel.scale.start - away.x() / panel.room * panel.scale.seconds
            )
            panel.scroll_to(self._scroll - int(away.y()))

    def release(self, event: QMouseEvent) -> bool:
        """Let go; True if that was a click of the right button, which wants the menu."""
        self.here = event.position()
        gesture, self.gesture = self.gesture, ""
        if gesture == "loop":
            start, end = self._loop()
            if end - start > 1e-6:
                self._panel.store.send(Loop(start, end))
        elif gesture in ("scrub", "jump"):
            self._panel.store.let_go()
        is_right = event.button() == Qt.MouseButton.RightButton
        return gesture == "pan" and is_right and not self._moved

    def twice(self, event: QMouseEvent) -> None:
        """A double click: on a span, show it and play it round and round; on a point, go there."""
        panel, point = self._panel, event.position()
        row = panel.row_at(point.y())
        if row is None or row.group or point.x() < GUTTER:
            return
        if event.button() != Qt.MouseButton.LeftButton:
            return
        if row.spans is not None:
            at = row.spans.at(panel.time_at(point.x()))
            if at is not None:
                start, end = float(row.spans.starts[at]), float(row.spans.ends[at])
                panel.zoom_to(start, end)
        elif (event_there := panel.event_at(point)) is not None:
            panel.store.jump(event_there.frame, event_there.object)

    def wheel(self, event: QWheelEvent) -> None:
        """Zoom at the mouse; with Shift pan, over the names or with Alt scroll."""
        panel = self._panel
        # With Alt some systems turn the wheel sideways.
        turned = event.angleDelta().y() or event.angleDelta().x()
        keys = event.modifiers()
        if keys & Qt.KeyboardModifier.ShiftModifier:
            panel.scale.pan(-turned * 0.0012 * panel.scale.seconds)
        elif keys & Qt.KeyboardModifier.AltModifier or event.position().x() < GUTTER:
            panel.scroll_to(panel.scrolled - turned // 3)
        else:
            panel.scale.zoom(math.exp(-turned / 600), panel.time_at(event.position().x()))

    def leave(self) -> None:
        self.here = None

    # --- what it is about -----------------------------------------------------------------------

    @property
    def loop(self) -> tuple[float, float] | None:
        """The range that is being made; else the one that there is."""
        return self._loop() if self.gesture == "loop" else self._panel.store.playback.loop

    def _loop(self) -> tuple[float, float]:
        here = self.here if self.here is not None else self._from
        scale = self._panel.scale
        start, end = sorted((self._anchor, self.time(here.x(), here.y())))
        return max(start, scale.first), min(end, scale.last)

    def loop_edge(self, point: QPointF) -> float | None:
        """The other end of the loop, if the mouse is on one of its ends on the ruler."""
        loop = self._panel.store.playback.loop
        if loop is None or not OVERVIEW <= point.y() < TOP:
            return None
        ends = ((loop[0], loop[1]), (loop[1], loop[0]))
        near = min(ends, key=lambda one: abs(self._panel.x_of(one[0]) - point.x()))
        return near[1] if abs(self._panel.x_of(near[0]) - point.x()) <= SNAP else None

    def time(self, x: float, y: float) -> float:
        """The time that the mouse means there: of what is close to it, else its own."""
        panel = self._panel
        if y < OVERVIEW and self.gesture in ("jump", ""):
            scale = panel.scale
            return scale.first + (x - GUTTER) / panel.room * (scale.last - scale.first)
        time = panel.time_at(x)
        if self._loose:
            return time
        targets = self._snaps()
        at = int(np.searchsorted(targets, time))
        near = min(targets[max(0, at - 1) : at + 1].tolist(), key=lambda one: abs(one - time),
                   default=time)  # fmt: skip
        return near if abs(panel.x_of(near) - x) <= SNAP else time

    def _snaps(self) -> Floats:
        """Where it snaps to, rising."""
        store = self._panel.store
        loop = store.playback.loop or ()
        history = store.history
        made_of = (
            id(history), history.spoken, history.game_events.changes, loop, self.gesture == "loop"
        )  # fmt: skip
        if self._targets[0] != made_of:
            times = [mark.time for mark in history.marks]
            times += [line.time for line in history.lines]
            # An end that is moved does not stick to where it was.
            times += [] if self.gesture == "loop" else loop
            targets = np.concatenate([np.array(times, np.float64), history.game_events.all.times])
            self._targets = (made_of, np.unique(targets))
        return self._targets[1]

    def _scrub(self, point: QPointF) -> None:
        panel = self._panel
        panel.store.grab(self.time(point.x(), point.y()))
        if self.gesture == "jump":
            panel.scale.page_to(panel.store.cursor or 0.0)
