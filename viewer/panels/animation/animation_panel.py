"""The animation panel shows the recorded animation tree at this frame and the blends near it."""

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np

from ...reader.frame_snapshot import Key
from ...reader.history.animation_history import Blend, Blends
from ...state.viewer_store import ViewerStore
from ...toolkit import palette
from ...toolkit.batched_painting import RectBuffer
from ...toolkit.menu_entries import MenuEntry
from ...toolkit.qt import QMouseEvent, QPainter, QPointF, QPolygonF, QRectF, Qt
from ...toolkit.source_location_text import source_location
from ...toolkit.text_painting import elided
from ...toolkit.theme import color, font, pen
from ...toolkit.time_text import time_text
from ...widgets.lists.interactive_list import TextList, paint_card
from ...widgets.time_strip import RULER, TimeStrip
from .animation_model import (
    POP,
    AnimationClipRow,
    Stack,
    clips_at,
    colors_of,
    pop_beside,
    stack_of,
    unchanged_text,
    words,
)

STRIP = 78
"""Pixels of the contributions around the playhead, at most."""
_INDENT = 14
_BAR, _DIAL = 74, 14
_MIDDLE = Qt.AlignmentFlag.AlignVCenter
_RIGHT = _MIDDLE | Qt.AlignmentFlag.AlignRight


class AnimationPanel(TextList):
    """Each clip with its contribution, rate and normalized time, and why it was selected; what
    changed abruptly is marked as a pop. A click on the strip below goes to that time."""

    empty_hint = "session.trace.animation(agent, tree, [AnimationClip(name, contribution, …), …])"

    def __init__(self, store: ViewerStore) -> None:
        super().__init__("Animation", store)
        self._keys: list[Key] = []
        self._chosen = ""
        self._rows: list[AnimationClipRow] = []
        self._blend: Blend | None = None
        self._stack: Stack | None = None
        self._colors: Mapping[str, str] = {}
        self._time_strip = TimeStrip(store)
        self._rects = RectBuffer()

    @property
    def rows(self) -> list[AnimationClipRow]:
        """The clips that are listed."""
        self.rebuild_if_stale()
        return self._rows

    @property
    def stack(self) -> Stack | None:
        """The contributions around the playhead."""
        self.rebuild_if_stale()
        return self._stack

    @property
    def key(self) -> Key | None:
        """The tree that is shown."""
        chosen = (key for key in self._keys if key[1] == self._chosen)
        return next(chosen, self._keys[0] if self._keys else None)

    def choose(self, tree: str) -> None:
        """Show another tree of the object."""
        self._chosen = tree
        self.rebuild()

    def build_rows(self) -> bool:
        store, history = self.store, self.store.history
        snapshot = store.snapshot
        self._keys = sorted(key for key in history.blends if key[0] == store.selected)
        self._rows, self._blend, self._stack = [], None, None
        self.empty_text = "Select an object to see its animation"
        if snapshot is None or not store.selected:
            return True
        key = self.key
        if key is None:
            self.empty_text = (
                "No animation is recorded for this object" if store.knows_all else "Being read …"
            )
        elif store.selected not in snapshot.objects:
            self.empty_text = f"{snapshot.name_of(store.selected)} does not exist in this frame"
        else:
            self._take(history.blends[key])
        return True

    def _take(self, blends: Blends) -> None:
        times = self.store.history.times
        if not times.has(self.store.frame):
            self.empty_text = "This frame is being read"
            return
        self._blend = blends.at(self.store.frame)
        self._rows = clips_at(blends, times, self.store.frame)
        ends = [one.time for one in self.store.history.ends.get(self.store.selected, ())]
        self._stack = stack_of(blends, times, *self._time_strip.range, ends)
        names = [clip.name for clip in self._rows if not clip.inner]
        self._colors = colors_of([*names, *self._stack.names])
        if not self._rows:
            known = self.store.knows()
            self.empty_text = (
                "Its animation has not been recorded up to this frame" if known else "Being read …"
            )

    # --- the list -------------------------------------------------------------------------------

    def heights(self) -> Sequence[int]:
        self.rebuild_if_stale()
        if not self._rows:
            return []
        # The last one is as high as the strip, so that nothing stays hidden behind that.
        return [26, *(self._height(clip) for clip in self._rows), self._strip_height]

    def _height(self, clip: AnimationClipRow) -> int:
        return 22 if clip.inner or not clip.criteria or self.width() > 560 else 37

    def _clip(self, row: int) -> AnimationClipRow | None:
        return self._rows[row - 1] if 0 < row <= len(self._rows) else None

    def accepts_cursor(self, row: int) -> bool:
        return self._clip(row) is not None

    @property
    def _strip_height(self) -> int:
        """The height of the strip with the text above and below it."""
        return int(min(STRIP, max(40, self.height() * 0.24)) + RULER + 22)

    @property
    def _strip(self) -> QRectF:
        high = self._strip_height - RULER - 22
        return QRectF(12, self.height() - high - RULER - 4, self.width() - 24, high)

    def row_at(self, y: float) -> int:
        return super().row_at(y) if not self._rows or y < self._strip.top() - 18 else -1

    def refresh(self) -> None:
        self.update()  # the strip over the rows has the playhead in it

    def paint_over(self, painter: QPainter) -> None:
        if self._stack is not None and self._rows:
            self._paint_strip(painter, self._stack, self._strip)

    def paint_row(self, painter: QPainter, row: int, box: QRectF) -> None:
        clip = self._clip(row)
        if clip is not None:
            self._paint_clip(painter, clip, box, row == self.hover)
        elif row == 0:
            self._paint_headline(painter, box)

    def _paint_headline(self, painter: QPainter, box: QRectF) -> None:
        painter.setFont(font(12))
        painter.setPen(pen(palette.DIM))
        title = elided(painter, self._title(), box.width() * 0.5)
        painter.drawText(box.adjusted(12, 0, 0, 0), _MIDDLE, title)
        used = painter.fontMetrics().horizontalAdvance(title) + 24
        popped = sum(clip.pops for clip in self._rows)
        painter.setFont(font(11, bold=bool(popped)))
        painter.setPen(pen(palette.FAILED if popped else palette.FAINT))
        note = elided(painter, self._note(), box.width() - used - 12)
        painter.drawText(box.adjusted(used, 0, -12, 0), _RIGHT, note)

    def _title(self) -> str:
        snapshot, key = self.store.snapshot, self.key
        if snapshot is None or key is None:
            return ""
        at = self._keys.index(key) + 1
        more = f" · {at} of {len(self._keys)} trees, click" if len(self._keys) > 1 else ""
        return f"{snapshot.name_of(self.store.selected)} · {key[1]}{more}"

    def _note(self) -> str:
        popped = [clip.name for clip in self._rows if clip.pops]
        if popped:
            return f"▲ {', '.join(popped)} popped"
        snapshot = self.store.snapshot
        if snapshot is None or self._blend is None:
            return ""
        return (
            unchanged_text(self._blend, self.store.history.times, snapshot.time)
            or "recorded in this frame"
        )

    def _paint_clip(
        self, painter: QPainter, clip: AnimationClipRow, box: QRectF, hovered: bool
    ) -> None:
        if clip.pops:
            painter.fillRect(box, color(palette.FAILED, 34))
            painter.fillRect(QRectF(0, box.top(), 3, box.height()), color(palette.FAILED))
        elif hovered:
            painter.fillRect(box, color(palette.HOVER))
        left = 14.0 + clip.depth * _INDENT
        line = QRectF(box.left(), box.top(), box.width(), 22)
        self._paint_branches(painter, clip, box)
        counts = clip.contribution > 0.0
        hue = self._colors.get(clip.name, palette.IDLE)
        if not clip.inner:
            painter.fillRect(QRectF(left, line.center().y() - 5, 4, 10), color(hue))
            left += 10
        painter.setFont(font(12, bold=counts and not clip.inner))
        painter.setPen(pen(palette.TEXT if counts else palette.FAINT))
        numbers = min(206.0, box.width() * 0.62)
        room = box.width() - left - numbers - 14
        wide = self.width() > 560
        if clip.inner or wide:
            room = min(room, 150.0) if clip.criteria else room
        name = elided(painter, clip.name, max(room, 40.0))
        painter.drawText(line.adjusted(left, 0, 0, 0), _MIDDLE, name)
        used = left + painter.fontMetrics().horizontalAdvance(name) + 12
        if clip.criteria:
            painter.setFont(font(11))
            painter.setPen(pen(palette.DIM if counts else palette.FAINT))
            if clip.inner or wide:
                end = 12.0 if clip.inner else numbers + 16
                beside = line.adjusted(used, 0, -end, 0)
            else:
                beside = QRectF(left, line.bottom() - 3, box.width() - left - 12, 15)
            painter.drawText(beside, _MIDDLE, elided(painter, clip.criteria, beside.width()))
        if not clip.inner:
            at = QRectF(box.right() - numbers - 10, line.top(), numbers, line.height())
            self._paint_numbers(painter, clip, at, hue)

    def _paint_branches(self, painter: QPainter, clip: AnimationClipRow, box: QRectF) -> None:
        painter.setPen(pen(palette.EDGE))
        middle = box.top() + 11
        for level in range(1, clip.depth + 1):
            x = 17.0 + (level - 1) * _INDENT
            own = level == clip.depth
            if own or not clip.last[level]:
                bottom = middle if own and clip.last[level] else box.bottom()
                painter.drawLine(QPointF(x, box.top()), QPointF(x, bottom))
            if own:
                painter.drawLine(QPointF(x, middle), QPointF(x + _INDENT - 6, middle))

    def _paint_numbers(
        self, painter: QPainter, clip: AnimationClipRow, box: QRectF, hue: str
    ) -> None:
        """Contribution as a bar, rate, and normalized time as a dial."""
        counts = clip.contribution > 0.0
        dim = palette.TEXT if counts else palette.FAINT
        bar = QRectF(box.left(), box.top() + 5, min(_BAR, box.width() * 0.36), box.height() - 10)
        painter.fillRect(bar, color(palette.BAR))
        share = min(max(clip.contribution, 0.0), 1.0)
        filled = QRectF(bar.left(), bar.top(), bar.width() * share, bar.height())
        painter.fillRect(filled, color(palette.behind_text(palette.FAILED if clip.pops else hue)))
        painter.setFont(font(11, mono=True))
        painter.setPen(pen(palette.SELECTED if counts else palette.FAINT))
        painter.drawText(bar.adjusted(0, 0, -4, 0), _RIGHT, f"{clip.contribution:.2f}")
        painter.setPen(pen(dim))
        rate = QRectF(bar.right() + 4, box.top(), 50, box.height())
        painter.drawText(rate, _RIGHT, f"×{clip.rate:.2f}")
        dial = QRectF(rate.right() + 10, box.center().y() - _DIAL / 2, _DIAL, _DIAL)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(pen(palette.OUTLINE))
        painter.drawEllipse(dial)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color(hue if counts else palette.OUTLINE))
        # Qt counts sixteenths of degrees against the clock, from three o'clock.
        painter.drawPie(dial, 90 * 16, -round(min(max(clip.time, 0.0), 1.0) * 360 * 16))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
        painter.setPen(pen(dim))
        after = QRectF(dial.right() + 4, box.top(), box.right() - dial.right() - 4, box.height())
        painter.drawText(after, _MIDDLE, f"{clip.time:.2f}")

    def _paint_strip(self, painter: QPainter, stack: Stack, box: QRectF) -> None:
        strip_rect = QRectF(0, box.top() - 18, self.width(), self.height() - box.top() + 18)
        painter.fillRect(strip_rect, color(palette.PANEL))
        painter.setPen(pen(palette.EDGE))
        painter.drawLine(strip_rect.topLeft(), strip_rect.topRight())
        painter.setFont(font(10))
        painter.setPen(pen(palette.FAINT))
        top = QRectF(box.left(), box.top() - 17, box.width(), 16)
        painter.drawText(top, _MIDDLE, "Contributions")
        count = len(stack.pops)
        if count:
            painter.setPen(pen(palette.FAILED))
            painter.drawText(top, _RIGHT, f"▲ {count} pop{'s' if count > 1 else ''}")
        painter.fillRect(box, color(palette.FIGURE))
        self._paint_shares(painter, stack, box)
        edges = stack.edges
        self._time_strip.paint_gaps(painter, box)
        if len(stack.shares):
            self._time_strip.paint_missing(painter, box, float(edges[0]), float(edges[-1]))
        self._paint_pops(painter, stack, box)
        self._time_strip.paint_ruler(painter, box)
        self._time_strip.paint_cursor(painter, box)
        if box.contains(self.mouse) and self.underMouse():
            self._time_strip.paint_hover(painter, box, self.mouse.x())
            paint_card(painter, QRectF(self.rect()), self.mouse, self._strip_card(stack, box))

    def _paint_shares(self, painter: QPainter, stack: Stack, box: QRectF) -> None:
        """One rectangle for each clip in each recorded step: steps are what was recorded."""
        if not len(stack.shares):
            return
        # Edges on whole pixels: without gaps, and without the seams that smoothing would leave.
        start, end = self._time_strip.range
        positions = (np.clip(stack.edges, start, end) - start) / (end - start)
        x = np.round(box.left() + positions * box.width())
        upper = np.cumsum(stack.shares, axis=1) / stack.most
        lower = upper - stack.shares / stack.most
        painter.setPen(Qt.PenStyle.NoPen)
        for which, name in enumerate(stack.names):
            rows = np.flatnonzero((stack.shares[:, which] > 0.0) & (x[1:] > x[:-1]))
            if not len(rows):
                continue
            top = box.bottom() - upper[rows, which] * box.height()
            bottom = box.bottom() - lower[rows, which] * box.height()
            rects = np.stack([x[rows], top, x[rows + 1] - x[rows], bottom - top], axis=1)
            painter.setBrush(color(palette.mixed(self._colors[name], 0.12, palette.PANEL)))
            self._rects.draw(painter, rects)
        painter.setBrush(Qt.BrushStyle.NoBrush)

    def _paint_pops(self, painter: QPainter, stack: Stack, box: QRectF) -> None:
        for pop in stack.pops:
            x = self._time_strip.x_of(pop.time, box)
            painter.setPen(pen(palette.FAILED))
            painter.drawLine(QPointF(x, box.top()), QPointF(x, box.bottom()))
            painter.setBrush(color(palette.FAILED))
            painter.drawPolygon(QPolygonF([
                QPointF(x - 4, box.top() - 1), QPointF(x + 4, box.top() - 1),
                QPointF(x, box.top() + 5),
            ]))  # fmt: skip
        painter.setBrush(Qt.BrushStyle.NoBrush)

    def _strip_card(self, stack: Stack, box: QRectF) -> Sequence[str]:
        time = self._time_strip.time_at(self.mouse.x(), box)
        shares = [f"{name} {share:.2f}" for name, share in stack.at(time).items()]
        near = [
            f"{pop.name} popped: {pop.before:.2f} → {pop.after:.2f} in one frame"
            for pop in stack.pops if abs(self._time_strip.x_of(pop.time, box) - self.mouse.x()) <= 5
        ]  # fmt: skip
        return [time_text(time), *(shares or ["nothing recorded"]), *near]

    # --- what one does with it ------------------------------------------------------------------

    def text(self) -> str:
        self.rebuild_if_stale()
        if not self._rows:
            return self.empty_text
        lines = [f"{self._title()} · {self._note()}", *map(words, self._rows)]
        lines += [
            f"pop at {time_text(pop.time)}: {pop.name} {pop.before:.2f} → {pop.after:.2f}"
            for pop in (self._stack.pops if self._stack is not None else ())
        ]
        return "\n".join(lines)

    def card(self, row: int, at: QPointF) -> Sequence[str]:
        clip = self._clip(row)
        if clip is None:
            return [self._title(), self._note()] if row == 0 else ()
        lines = [clip.name]
        if clip.criteria:
            lines.append(clip.criteria if clip.gone else f"criteria: {clip.criteria}")
        lines.append(
            f"contribution {clip.contribution:.3f}"
            + (f" ({clip.change:+.3f} since the frame before)" if clip.change else "")
        )
        if not clip.inner:
            lines.append(f"rate {clip.rate:.3f}, normalized time {clip.time:.3f}")
        if clip.pops:
            lines.append(f"pop: more than {POP:g} in one frame is no blend")
        return lines

    def clicked(self, row: int, at: QPointF, *, twice: bool) -> None:
        if row == 0 and self.key is not None and len(self._keys) > 1:
            names = [name for _, name in self._keys]
            self.choose(names[(names.index(self.key[1]) + 1) % len(names)])

    def next_pop(self, direction: int) -> None:
        """Go to the next pop of the object's tree, or to the one before."""
        key, history = self.key, self.store.history
        found = None
        if key is not None:
            found = pop_beside(history.blends[key], history.times, self.store.frame, direction)
        if found is None:
            self.store.message.emit(f"No more pops in that direction{self.store.so_far}")
        else:
            self.store.jump(found)

    def activated(self, row: int) -> None:
        self._open_source()

    def _open_source(self) -> None:
        if self._blend is not None and self._blend.file:
            self.store.source_requested.emit(self._blend.file, self._blend.line)

    def menu_entries(self, row: int) -> Sequence[MenuEntry]:
        if not self._rows:
            return ()
        actions: list[MenuEntry] = [
            ("Previous pop", lambda: self.next_pop(-1)), ("Next pop", lambda: self.next_pop(1)),
        ]  # fmt: skip
        if self._blend is not None and self._blend.file:
            name = f"Open {source_location(self._blend.file, self._blend.line)}"
            actions.append((name, self._open_source))
        others = [name for _, name in self._keys if self.key is not None and name != self.key[1]]
        actions += [(f"Show {name}", partial(self.choose, name)) for name in others]
        return actions

    # --- the mouse ------------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent | None) -> None:  # noqa: N802
        assert event is not None
        left = event.button() == Qt.MouseButton.LeftButton
        if left and self._rows and self._strip.contains(event.position()):
            self._time_strip.press(event.position().x(), self._strip)
        else:
            super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent | None) -> None:  # noqa: N802
        assert event is not None
        if not self._time_strip.drag(event.position().x(), self._strip):
            super().mouseMoveEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent | None) -> None:  # noqa: N802
        assert event is not None
        if self._time_strip.release():
            self.rebuild()
        else:
            super().mouseReleaseEvent(event)
