"""Painting: numpy straight into Qt's arrays of lines and boxes, and panels that survive errors."""

import traceback
from collections.abc import Callable, Iterable
from functools import wraps
from types import TracebackType
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..widgets.error_overlay import ErrorOverlay
from . import palette
from .qt import (
    QApplication,
    QContextMenuEvent,
    QIcon,
    QKeyEvent,
    QLineF,
    QMenu,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QPointF,
    QPolygonF,
    QRect,
    QRectF,
    QResizeEvent,
    Qt,
    QTimer,
    QWidget,
    sip,
)
from .theme import color, font, pen

Array = npt.NDArray[np.float64]

_SMALLEST = 16
_FAR = -30_000.0
"""A pixel far to the left and above."""
_REST = 400
"""Milliseconds without a new picture after which its text is updated, for screen readers."""
_MOST_DESCRIBED = 2000
_PAINTING = "painting"
_BREAKS = {ord(one): " " for one in "\n\r\t\v\f\x1c\x1d\x1e\x85\u2028\u2029"}


class _Buffer:
    """Qt arrays of four doubles an element, whose memory numpy writes into.

    They are kept, and always drawn whole: sip never gives the memory of an array back, nor that of
    a slice of one, so that making some for each picture would let the process grow for ever.
    """

    def __init__(self, kind: Any, nowhere: tuple[float, float, float, float]) -> None:
        self._kind = kind
        self._nowhere = nowhere
        """An element that nobody sees."""
        self._arrays: list[tuple[Any, Array, list[int]]] = []
        """By size: the array, its memory, and how many of its elements were used last."""

    def filled(self, rows: Array) -> Any:
        """An array of these rows; what is left of it is far outside of every picture."""
        count, place = len(rows), 0
        while _SMALLEST << place < count:
            place += 1
        while place >= len(self._arrays):
            self._arrays.append(self._made(_SMALLEST << len(self._arrays)))
        array, memory, used = self._arrays[place]
        memory[:count] = rows
        memory[count : used[0]] = self._nowhere
        used[0] = count
        return array

    def _made(self, size: int) -> tuple[Any, Array, list[int]]:
        # PyQt's stubs know neither the arguments nor the contents of sip's arrays.
        made: Any = sip.array
        array: Any = made(self._kind, size)
        memory: Any = sip.voidptr(array, size * 32)
        rows = np.frombuffer(memory, np.float64).reshape(size, 4)
        rows[:] = self._nowhere
        return array, rows, [0]


class LineBuffer(_Buffer):
    """Draws many lines at once; rows are x1, y1, x2, y2 in pixels."""

    def __init__(self) -> None:
        super().__init__(QLineF, (_FAR, _FAR, _FAR, _FAR))

    def draw(self, painter: QPainter, rows: Array, which: QPen) -> None:
        """Lines of one pen."""
        if len(rows):
            painter.setPen(which)
            painter.drawLines(self.filled(rows))


class RectBuffer(_Buffer):
    """Draws many rectangles at once; rows are x, y, width, height in pixels."""

    def __init__(self) -> None:
        super().__init__(QRectF, (_FAR, _FAR, 0.0, 0.0))

    def draw(self, painter: QPainter, rows: Array) -> None:
        """Rectangles with the painter's pen and brush."""
        if len(rows):
            painter.drawRects(self.filled(rows))


def _guarded(handle: Callable[[Any, Any], None]) -> Callable[[Any, Any], None]:
    """An event's handler whose mistakes stay in its panel: leaving it would abort the process."""

    @wraps(handle)
    def guarded(panel: "Panel", event: Any) -> None:
        try:
            handle(panel, event)
        except Exception:
            panel.fail(traceback.format_exc(), handle.__name__)
        else:
            panel.recover(handle.__name__)

    return guarded


Offer = tuple[str, Callable[[], object]]
"""What a menu offers: its words, and what it does."""


class Colors(NamedTuple):
    """An offer to give a state another colour."""

    name: str
    chosen: str
    """The one that somebody gave it; empty for its usual one."""
    choose: Callable[[str], object]


class Panel(QWidget):
    """A widget that paints itself, and shows the error if that fails: the others live on.

    What its `…Event` methods raise is shown as well. Ctrl+Shift+C copies what it shows as text.
    """

    def __init_subclass__(cls, **rest: Any) -> None:
        super().__init_subclass__(**rest)
        for name, handle in vars(cls).copy().items():
            if name.endswith("Event") and callable(handle):
                setattr(cls, name, _guarded(handle))

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setMinimumSize(120, 60)
        self.error_text = ""
        """The traceback of what failed last; empty as soon as it works again."""
        self.painted = 0
        """How often it was painted."""
        self.exposed = QRect()
        """What of it is painted just now: the rest is unchanged, and need not be drawn."""
        self._failed_in = ""
        """The handler that raised it."""
        self._box: ErrorOverlay | None = None
        self._described = ""
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(_REST)
        self._rest.timeout.connect(self._describe)

    def paint(self, painter: QPainter) -> None:
        """Draw everything."""
        raise NotImplementedError

    # --- as text --------------------------------------------------------------------------------

    def text(self) -> str:
        """What is shown, as plain text."""
        return self.accessibleName()

    def copy(self) -> None:
        """Put the panel's text on the clipboard."""
        clipboard = QApplication.clipboard()
        if clipboard is not None:
            clipboard.setText(self.text())

    def menu_of(self, offered: Iterable["Offer | Colors"]) -> QMenu:
        """A menu of words and what they do; at its end one copies what is shown."""
        menu = QMenu(self)
        for one in (*offered, ("Copy as text", self.copy)):
            if isinstance(one, Colors):
                below = menu.addMenu(f"Colour of {one.name}")
                assert below is not None
                for words, hue in (*palette.HUES.items(), ("As usual", "")):
                    shown = hue or palette.usual_color(one.name)
                    icon = swatch(shown, self.devicePixelRatioF(), hue == one.chosen)
                    made = below.addAction(icon, words)
                    assert made is not None
                    made.setCheckable(True)
                    made.setChecked(hue == one.chosen)
                    made.triggered.connect(lambda _, one=one, hue=hue: one.choose(hue))
            else:
                words, act = one
                made = menu.addAction(words)
                assert made is not None
                made.triggered.connect(lambda _, act=act: act())
        return menu

    def contextMenuEvent(self, event: QContextMenuEvent | None) -> None:  # noqa: N802
        assert event is not None
        self.menu_of(()).exec(event.globalPos())

    def keyPressEvent(self, event: QKeyEvent | None) -> None:  # noqa: N802
        assert event is not None
        held = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
        if event.key() == Qt.Key.Key_C and event.modifiers() == held:
            self.copy()
        else:
            super().keyPressEvent(event)

    def _describe(self) -> None:
        """Update the text for screen readers, once the picture no longer changes."""
        try:
            text = self.text()
        except Exception:
            self.fail(traceback.format_exc())
            return
        if self._described != text[:_MOST_DESCRIBED]:
            self._described = text[:_MOST_DESCRIBED]
            self.setAccessibleDescription(self._described)

    # --- mistakes -------------------------------------------------------------------------------

    def fail(self, trace: str, where: str = "") -> None:
        """Say a mistake here, below what is drawn; for those that don't come out of painting."""
        self.error_text, self._failed_in = trace, where
        self._show_trouble()

    def recover(self, where: str) -> None:
        """Something works; if it is what failed before, the mistake is over."""
        if self._failed_in == where and self.error_text:
            self.error_text = self._failed_in = ""
            # Widgets may not come and go while another one is painted.
            QTimer.singleShot(0, self._show_trouble)

    def _show_trouble(self) -> None:
        """Show or hide the error box over the panel, as needed now."""
        if not self.error_text:
            if self._box is not None:
                self._box.hide()
            return
        if self._box is None:
            self._box = ErrorOverlay(self)
            self._box.dismiss.clicked.connect(lambda: self.recover(self._failed_in))
        self._box.tell(self.error_text, covers=self._failed_in == _PAINTING)

    def resizeEvent(self, event: QResizeEvent | None) -> None:  # noqa: N802
        super().resizeEvent(event)
        if self._box is not None:
            self._box.place()

    def paintEvent(self, event: QPaintEvent | None) -> None:  # noqa: N802 — Qt's name
        painter = QPainter(self)
        if event is not None:
            self.exposed = event.rect()
        try:
            self.paint(painter)
        except Exception:
            self.error_text, self._failed_in = traceback.format_exc(), _PAINTING
            painter.resetTransform()
            painter.setClipping(False)
            painter.fillRect(self.rect(), color(palette.MISTAKE))
            QTimer.singleShot(0, self._show_trouble)
        else:
            self.recover(_PAINTING)
        finally:
            painter.end()
        self.painted += 1
        self._rest.start()


def blamed(trace: TracebackType | None) -> Panel | None:
    """The panel whose method raised something: for what is caught where nobody knows it."""
    found = None
    while trace is not None:
        owner = trace.tb_frame.f_locals.get("self")
        found = owner if isinstance(owner, Panel) else found
        trace = trace.tb_next
    return found


def swatch(name: str, ratio: float, chosen: bool = False) -> QIcon:
    """A colour in a menu; the one that holds has a tick, which a box beside it would hide."""
    side = 14
    picture = QPixmap(round(side * ratio), round(side * ratio))
    picture.setDevicePixelRatio(ratio)
    picture.fill(color(name))
    if chosen:
        painter = QPainter(picture)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(pen(palette.SELECTED, 2.0))
        painter.drawPolyline(QPolygonF([QPointF(3, 7), QPointF(6, 10.5), QPointF(11, 3.5)]))
        painter.end()
    return QIcon(picture)


def say_empty(painter: QPainter, box: QRectF, title: str, call: str = "") -> None:
    """Say that there is nothing, and the one call that fills it."""
    middle = box.center().y()
    painter.setFont(font(12))
    painter.setPen(pen(palette.DIM))
    flags = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop | Qt.TextFlag.TextWordWrap
    painter.drawText(QRectF(box.left() + 12, middle - 26, box.width() - 24, 36), flags, title)
    if call:
        painter.setFont(font(11, mono=True))
        painter.setPen(pen(palette.FAINT))
        painter.drawText(QRectF(box.left() + 12, middle + 10, box.width() - 24, 48), flags, call)


def elided(painter: QPainter, text: str, width: float) -> str:
    """A text that fits into one line, with … where it was cut."""
    metrics = painter.fontMetrics()
    return metrics.elidedText(one_line(text), Qt.TextElideMode.ElideRight, max(0, int(width)))


def one_line(text: str) -> str:
    """A text for a row: names come from games, and line breaks in them would leave the row."""
    return text.translate(_BREAKS) if not text.isprintable() else text
