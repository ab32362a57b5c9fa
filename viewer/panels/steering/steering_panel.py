"""The steering panel: the selected object's velocity, the desired one, and oscillation."""

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ....playback.playback_state import Mode
from ...reader.history.curve_gaps import joined
from ...reader.history.history_record_types import UNREAD
from ...reader.velocity_fields import AVOIDANCE, DESIRED, VELOCITY
from ...state.viewer_store import ViewerStore
from ...toolkit import palette
from ...toolkit.batched_painting import LineBuffer
from ...toolkit.menu_entries import MenuEntry
from ...toolkit.qt import QMouseEvent, QPainter, QPointF, QPolygonF, QRectF, Qt
from ...toolkit.text_painting import elided
from ...toolkit.theme import color, font, pen
from ...toolkit.time_text import time_text
from ...widgets.lists.interactive_list import TextList, paint_card
from ...widgets.time_strip import RULER, SECONDS, TimeStrip
from .motion_analysis import (
    OSCILLATES,
    SLIDING,
    MotionHistory,
    Neighbour,
    Verdict,
    meeting,
    motion_history_of,
    nearest,
    verdict,
)

Array = npt.NDArray[np.float64]

_HUES = {
    VELOCITY: palette.SERIES[0], DESIRED: palette.SERIES[5], AVOIDANCE: palette.AVOIDANCE,
}  # fmt: skip
_MIDDLE = Qt.AlignmentFlag.AlignVCenter
_RIGHT = _MIDDLE | Qt.AlignmentFlag.AlignRight
_LINE = 19
CALL = (
    'notes={"velocity": Field("m/s", "velocity"), "desired_velocity":'
    ' Field("m/s", "desired_velocity")} in the handler · or'
    ' session.watch("desired_velocity.x", vx, id), ….y'
)
"""Where the desired velocity comes from."""


class SteeringPanel(TextList):
    """Both velocities from above, what they come to, and their curves around the playhead. A click
    on a curve goes to that time."""

    empty_hint = CALL

    def __init__(self, store: ViewerStore) -> None:
        super().__init__("Steering", store)
        self._motion: MotionHistory | None = None
        self._near: Neighbour | None = None
        self._time_strip = TimeStrip(store)
        self._lines = LineBuffer()
        self._facts: list[tuple[str, str, str]] = []
        """Name, value and colour of each line beside the dial."""

    @property
    def motion(self) -> MotionHistory | None:
        """The movement around the playhead."""
        self.rebuild_if_stale()
        return self._motion

    @property
    def facts(self) -> list[tuple[str, str, str]]:
        """The lines beside the dial: name, value, colour."""
        self.rebuild_if_stale()
        return self._facts

    def build_rows(self) -> bool:
        store = self.store
        snapshot = store.snapshot
        self._motion, self._near, self._facts = None, None, []
        self.empty_text = "Select an object to see how it steers"
        if snapshot is None or not store.selected:
            return True
        if store.selected not in snapshot.objects:
            self.empty_text = f"{snapshot.name_of(store.selected)} does not exist in this frame"
            return True
        motion = motion_history_of(
            store.surroundings, store.history, store.selected, snapshot, SECONDS
        )
        at = motion.index_at(snapshot.time)
        if at < 0 or not np.isfinite(motion.speed).any():
            is_read = store.surroundings_span == (-math.inf, math.inf) or len(motion.times) > 1
            self.empty_text = (
                "Nothing is known of how this object moves" if is_read else "Being read …"
            )
            return True
        self._motion = motion
        self._near = nearest(snapshot, store.selected, motion.velocity[at])
        self._facts = self._rows_at(motion, at)
        return True

    def _rows_at(self, motion: MotionHistory, at: int) -> list[tuple[str, str, str]]:
        unit = motion.unit
        speed = float(motion.speed[at])
        guess = " (from positions)" if motion.is_derived else ""
        facts = [("velocity", _with(speed, unit) + guess, _HUES[VELOCITY])]
        if motion.has_desired:
            facts.append(("desired", _with(float(motion.desired_speed[at]), unit), _HUES[DESIRED]))
            off = math.degrees(float(motion.heading_error[at]))
            words = f"{off:+.0f}°" if math.isfinite(off) else "—"
            facts.append(("off by", words, palette.TEXT))
        else:
            facts.append(("desired", "not recorded", palette.FAINT))
        avoid = float(np.sqrt((motion.avoidance[at] ** 2).sum()))
        if math.isfinite(avoid):
            facts.append(("avoidance", _with(avoid, unit), _HUES[AVOIDANCE]))
        found = self._verdict(motion, float(motion.times[at]))
        hue = palette.FAILED if found.oscillates else palette.TEXT
        turns = f"{float(motion.turns[at]):.1f} turns/s"
        facts.append(("turning", UNREAD if found.text == UNREAD else turns, hue))
        snapshot = self.store.snapshot
        if self._near is not None and snapshot is not None:
            facts.append(("nearest", meeting(self._near, snapshot.conventions.unit), palette.TEXT))
        return facts

    def _verdict(self, motion: MotionHistory, time: float) -> Verdict:
        # Turns are counted over the time before. A game that runs is not read backwards for them.
        is_live = self.store.playback.mode is Mode.LIVE
        if self.store.surroundings_span[0] > time - SLIDING and not is_live:
            return Verdict(UNREAD, oscillates=False)
        return verdict(motion, time)

    # --- where things are -----------------------------------------------------------------------

    def heights(self) -> Sequence[int]:
        self.rebuild_if_stale()
        if self._motion is None:
            return []
        return [26, max(self._dial_size, _LINE * len(self._facts)) + 10, self._curves]

    @property
    def _dial_size(self) -> int:
        return int(min(132, max(84, self.width() * 0.3)))

    @property
    def _curves(self) -> int:
        """How high both curves are together, with what is written around them."""
        used = 26 + max(self._dial_size, _LINE * len(self._facts)) + 10
        return max(150, self.height() - used)

    def _strips(self) -> tuple[QRectF, QRectF]:
        """The boxes of the two curves: speed, and heading difference or turns."""
        top = self.box_of(2).top()
        room = self._curves - RULER - 44
        high = room * 0.55
        left, width = 12.0, self.width() - 24.0
        speed = QRectF(left, top + 18, width, high)
        return speed, QRectF(left, speed.bottom() + 22, width, room - high)

    def accepts_cursor(self, row: int) -> bool:
        return False

    # --- painting -------------------------------------------------------------------------------

    def paint_row(self, painter: QPainter, row: int, box: QRectF) -> None:
        motion = self._motion
        if motion is None:
            return
        if row == 0:
            self._paint_headline(painter, box, motion)
        elif row == 1:
            size = self._dial_size
            self._paint_dial(painter, QRectF(12, box.top() + 3, size, size), motion)
            left = size + 26.0
            self._paint_facts(painter, QRectF(left, box.top(), box.width() - left - 8, 0))
        else:
            self._paint_curves(painter, motion)

    def _paint_headline(self, painter: QPainter, box: QRectF, motion: MotionHistory) -> None:
        snapshot = self.store.snapshot
        assert snapshot is not None
        found = self._verdict(motion, snapshot.time)
        painter.setFont(font(12))
        painter.setPen(pen(palette.DIM))
        name = elided(painter, snapshot.name_of(self.store.selected), box.width() * 0.4)
        painter.drawText(box.adjusted(12, 0, 0, 0), _MIDDLE, name)
        used = painter.fontMetrics().horizontalAdvance(name) + 24
        painter.setFont(font(11, bold=found.oscillates))
        painter.setPen(pen(palette.FAILED if found.oscillates else palette.FAINT))
        text = ("▲ " if found.oscillates else "") + found.text
        room = box.width() - used - 12
        painter.drawText(box.adjusted(used, 0, -12, 0), _RIGHT, elided(painter, text, room))

    def _paint_facts(self, painter: QPainter, box: QRectF) -> None:
        names = 92.0 if box.width() > 190 else 62.0
        for index, (name, value, hue) in enumerate(self._facts):
            line = QRectF(box.left(), box.top() + 4 + index * _LINE, box.width(), _LINE)
            painter.setFont(font(11))
            painter.setPen(pen(palette.DIM))
            painter.drawText(line, _MIDDLE, elided(painter, name, names - 4))
            painter.setFont(font(12))
            painter.setPen(pen(hue))
            room = line.width() - names
            painter.drawText(line.adjusted(names, 0, 0, 0), _MIDDLE, elided(painter, value, room))

    def _paint_dial(self, painter: QPainter, box: QRectF, motion: MotionHistory) -> None:
        """Paint the dial from above: x to the right; the ring is the greatest speed nearby."""
        snapshot = self.store.snapshot
        assert snapshot is not None
        at = motion.index_at(snapshot.time)
        centre, radius = box.center(), box.width() / 2 - 3
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(pen(palette.EDGE))
        painter.setBrush(color(palette.FIGURE))
        painter.drawEllipse(centre, radius, radius)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawEllipse(centre, radius / 2, radius / 2)
        painter.drawLine(centre - QPointF(radius, 0), centre + QPointF(radius, 0))
        painter.drawLine(centre - QPointF(0, radius), centre + QPointF(0, radius))
        if self._near is not None:
            self._paint_bearing(painter, centre, radius, self._near)
        scale = radius / (self._greatest(motion) or 1.0)
        for kind, rows in (
            (AVOIDANCE, motion.avoidance), (VELOCITY, motion.velocity), (DESIRED, motion.desired),
        ):  # fmt: skip
            x, y = rows[at, :2].tolist()
            if math.isfinite(x) and math.isfinite(y):
                tip = centre + QPointF(x * scale, -y * scale)
                _vector(painter, centre, tip, _HUES[kind], dashed=kind == DESIRED)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
        painter.setFont(font(9, mono=True))
        painter.setPen(pen(palette.FAINT))
        painter.drawText(box, Qt.AlignmentFlag.AlignBottom | Qt.AlignmentFlag.AlignRight,
                         f"{self._greatest(motion):.1f}")  # fmt: skip

    def _greatest(self, motion: MotionHistory) -> float:
        rows = [motion.speed, motion.desired_speed]
        return max((float(np.nanmax(row)) for row in rows if np.isfinite(row).any()), default=0.0)

    def _paint_bearing(
        self, painter: QPainter, centre: QPointF, radius: float, near: Neighbour
    ) -> None:
        """On the rim, the way to the nearest object."""
        way = QPointF(math.cos(near.bearing), -math.sin(near.bearing))
        painter.setPen(pen(palette.WARNING, 1.5))
        painter.drawEllipse(centre + way * radius, 3.0, 3.0)

    def _paint_curves(self, painter: QPainter, motion: MotionHistory) -> None:
        speed, turning = self._strips()
        self._paint_strip(painter, motion, speed, f"Speed · {motion.unit}".rstrip(" ·"), [
            (motion.desired_speed, _HUES[DESIRED], True), (motion.speed, _HUES[VELOCITY], False),
        ], 0.0, self._greatest(motion) * 1.05 or 1.0)  # fmt: skip
        if motion.has_desired:
            self._paint_strip(painter, motion, turning, "Heading off the desired one · ±180°", [
                (np.degrees(motion.heading_error), palette.ACCENT, False),
            ], -180.0, 180.0)  # fmt: skip
        else:
            most = max(2 * OSCILLATES, float(motion.turns.max()))
            self._paint_strip(painter, motion, turning, f"Turns/s · {OSCILLATES:g} oscillates", [
                (motion.turns, palette.ACCENT, False),
            ], 0.0, most)  # fmt: skip
        self._time_strip.paint_ruler(painter, turning)
        for box in (speed, turning):
            self._time_strip.paint_cursor(painter, box)
        if self.underMouse():
            self._paint_hover(painter, motion, speed, turning)

    def _paint_strip(
        self, painter: QPainter, motion: MotionHistory, box: QRectF, title: str,
        curves: list[tuple[Array, str, bool]], low: float, high: float,
    ) -> None:  # fmt: skip
        painter.setFont(font(10))
        painter.setPen(pen(palette.FAINT))
        above = QRectF(box.left(), box.top() - 16, box.width(), 15)
        painter.drawText(above, _MIDDLE, elided(painter, title, box.width()))
        painter.fillRect(box, color(palette.FIGURE))
        self._paint_oscillation(painter, motion, box)
        painter.save()
        painter.setClipRect(box)
        if low < 0.0:
            painter.setPen(pen(palette.EDGE))
            middle = box.bottom() + low / (high - low) * box.height()
            painter.drawLine(QPointF(box.left(), middle), QPointF(box.right(), middle))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        x = (
            box.left()
            + (motion.times - self._time_strip.middle + SECONDS) / (2 * SECONDS) * box.width()
        )
        for values, hue, dashed in curves:
            y = box.bottom() - 1 - (values - low) / (high - low) * (box.height() - 2)
            ends = np.stack([x[:-1], y[:-1], x[1:], y[1:]], axis=1)
            known = np.isfinite(ends.sum(axis=1)) & joined(motion.frames)
            if low < 0.0:  # from −180° to 180° there is no way through the middle
                known &= np.abs(np.diff(values)) < 180.0
            if dashed:
                known[np.arange(len(known)) // 3 % 2 == 1] = False
            past = motion.times[1:] <= (self.store.cursor or 0.0) + 1e-9
            self._lines.draw(painter, ends[known & past], pen(hue, 1.4))
            future = pen(palette.mixed(hue, 0.5, palette.FIGURE), 1.4)
            self._lines.draw(painter, ends[known & ~past], future)
        painter.restore()
        if len(motion.times):
            start, end = float(motion.times[0]), float(motion.times[-1])
            self._time_strip.paint_missing(painter, box, start, end)

    def _paint_oscillation(self, painter: QPainter, motion: MotionHistory, box: QRectF) -> None:
        """Tint where it oscillates."""
        bad = motion.turns >= OSCILLATES
        if not bad.any():
            return
        edges = np.flatnonzero(np.diff(np.concatenate([[False], bad, [False]])))
        for first, behind in edges.reshape(-1, 2).tolist():
            left = max(box.left(), self._time_strip.x_of(float(motion.times[first]), box))
            last = min(behind, len(bad) - 1)
            right = min(box.right(), self._time_strip.x_of(float(motion.times[last]), box))
            if right > left:
                painter.fillRect(
                    QRectF(left, box.top(), right - left, box.height()), color(palette.FAILED, 40)
                )

    def _paint_hover(
        self, painter: QPainter, motion: MotionHistory, speed: QRectF, turning: QRectF
    ) -> None:
        box = self._strip_at(self.mouse)
        if box is None:
            return
        for strip in (speed, turning):
            self._time_strip.paint_hover(painter, strip, self.mouse.x())
        lines = self._card(motion, self._time_strip.time_at(self.mouse.x(), box))
        paint_card(painter, QRectF(self.rect()), self.mouse, lines)

    def _card(self, motion: MotionHistory, time: float) -> Sequence[str]:
        at = motion.index_at(time)
        if at < 0 or time > float(motion.times[-1]) + 1.0:
            return [time_text(time), "nothing is known there"]
        lines = [time_text(time), f"speed {_with(float(motion.speed[at]), motion.unit)}"]
        if motion.has_desired:
            lines.append(f"desired {_with(float(motion.desired_speed[at]), motion.unit)}")
            off = math.degrees(float(motion.heading_error[at]))
            if math.isfinite(off):
                lines.append(f"heading off by {off:+.0f}°")
        lines.append(f"{float(motion.turns[at]):.1f} turns/s in the {SLIDING:g} s before")
        return lines

    # --- what one does with it ------------------------------------------------------------------

    def text(self) -> str:
        self.rebuild_if_stale()
        snapshot = self.store.snapshot
        if self._motion is None or snapshot is None:
            return self.empty_text
        lines = [
            f"{snapshot.name_of(self.store.selected)} at {time_text(snapshot.time)}",
            self._verdict(self._motion, snapshot.time).text,
        ]
        return "\n".join([*lines, *(f"{name}: {value}" for name, value, _ in self._facts)])

    def card(self, row: int, at: QPointF) -> Sequence[str]:
        if self._motion is None or row != 1:
            return ()
        if at.x() > self._dial_size + 20:
            index = int((at.y() - 4) // _LINE)
            if not 0 <= index < len(self._facts):
                return ()
            name, value, _ = self._facts[index]
            return [f"{name}: {value}", *_MEANT.get(name, ())]
        return [
            "Velocities from above, x to the right",
            "solid: as it moves · dashed: as it wants to",
            "the ring is the greatest speed around the playhead",
            *(["the small circle shows the way to the nearest object"] if self._near else []),
        ]

    def menu_entries(self, row: int) -> Sequence[MenuEntry]:
        near = self._near
        if near is None:
            return ()
        return [(f"Select {near.label}", lambda: self.store.select(near.object))]

    # --- the mouse ------------------------------------------------------------------------------

    def _strip_at(self, at: QPointF) -> QRectF | None:
        if self._motion is None:
            return None
        return next((box for box in self._strips() if box.contains(at)), None)

    def mousePressEvent(self, event: QMouseEvent | None) -> None:  # noqa: N802
        assert event is not None
        box = self._strip_at(event.position())
        if box is not None and event.button() == Qt.MouseButton.LeftButton:
            self._time_strip.press(event.position().x(), box)
        else:
            super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent | None) -> None:  # noqa: N802
        assert event is not None
        if self._motion is None or not self._time_strip.drag(
            event.position().x(), self._strips()[0]
        ):
            super().mouseMoveEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent | None) -> None:  # noqa: N802
        assert event is not None
        if self._time_strip.release():
            self.rebuild()
        else:
            super().mouseReleaseEvent(event)


_MEANT = {
    "turning": (
        f"how often it turned to and fro in the {SLIDING:g} s before",
        f"from {OSCILLATES:g} turns a second on it oscillates",
    ),
    "nearest": ("its distance now; how close they come, and when, if both go on as they do",),
    "desired": ("the velocity that it wants", CALL),
    "off by": ("from the desired heading to that of its velocity, left positive",),
}


def _with(value: float, unit: str) -> str:
    return f"{value:.2f} {unit}".rstrip() if math.isfinite(value) else "—"


def _vector(painter: QPainter, start: QPointF, end: QPointF, hue: str, *, dashed: bool) -> None:
    """An arrow; a point where it has no length."""
    painter.setPen(pen(hue, 1.6 if dashed else 3.0, dashed=dashed))
    by = end - start
    length = math.hypot(by.x(), by.y())
    if length < 3.0:
        painter.drawEllipse(start, 2.0, 2.0)
        return
    painter.drawLine(start, end)
    x, y = by.x() / length, by.y() / length
    back, side = end - QPointF(x * 7, y * 7), QPointF(-y * 3.5, x * 3.5)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(color(hue))
    painter.drawPolygon(QPolygonF([end, back + side, back - side]))
    painter.setBrush(Qt.BrushStyle.NoBrush)
