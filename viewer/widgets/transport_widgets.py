"""Widgets of the transport bar: buttons with drawn icons, and pills that show the state."""

from ...playback.playback_state import Mode
from ..backends.playback_backend import LinkState
from ..input.game_input_interface import GameInput
from ..state.viewer_store import ViewerStore
from ..toolkit import palette
from ..toolkit.images.pixmap_cache import PixmapCache
from ..toolkit.qt import (
    QFontMetricsF,
    QPainter,
    QPaintEvent,
    QPointF,
    QPolygonF,
    QRectF,
    QSize,
    QSizePolicy,
    Qt,
    QToolButton,
    QWidget,
)
from ..toolkit.text_painting import elided
from ..toolkit.theme import color, font, pen, text_scale
from .painted_panel import PaintedPanel

BETWEEN = "  ·  "
"""Separates the parts of a title; in a narrow window the last parts are left out."""
_MODES = {
    Mode.LIVE: ("LIVE", palette.OK),
    Mode.PAUSED: ("PAUSED", palette.RUNNING),
    Mode.PLAYING: ("PLAYING", palette.ACCENT),
}


class TransportButton(QToolButton):
    """A button whose icon is drawn: fonts that have all of these signs are rare."""

    def __init__(self, icon: str, tip: str) -> None:
        super().__init__()
        self.icon_name = icon
        self.setToolTip(tip)
        self.setAccessibleName(tip)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.rescale()

    def rescale(self) -> None:
        """The text size has changed."""
        self.setFixedSize(QSize(32, 28) * text_scale())

    def show_icon(self, icon: str) -> None:
        """Show another icon."""
        if icon != self.icon_name:
            self.icon_name = icon
            self.update()

    def paintEvent(self, event: QPaintEvent | None) -> None:  # noqa: N802
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.isChecked() or self.underMouse():
            painter.setPen(pen(palette.CHOSEN_OUTLINE) if self.isChecked() else Qt.PenStyle.NoPen)
            painter.setBrush(color(palette.CHOSEN if self.isChecked() else palette.RAISED))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
        name = palette.TEXT if self.isEnabled() else palette.FAINT
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color(name))
        middle = QRectF(self.rect()).center()
        painter.translate(middle)
        painter.scale(text_scale(), text_scale())
        self._paint_icon(painter, 0.0, 0.0, name)
        painter.end()

    def _paint_icon(self, painter: QPainter, x: float, y: float, name: str) -> None:
        match self.icon_name:
            case "pause":
                painter.drawRect(QRectF(x - 5, y - 6, 3.5, 12))
                painter.drawRect(QRectF(x + 1.5, y - 6, 3.5, 12))
            case "loop":
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.setPen(pen(name, 1.8))
                painter.drawArc(QRectF(x - 6, y - 6, 12, 12), 40 * 16, 290 * 16)
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(color(name))
                paint_triangle(painter, x + 5.5, y - 4.5, 3.4, 1)
            case "layout":
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.setPen(pen(palette.DIM, 1.3))
                painter.drawRoundedRect(QRectF(x - 8, y - 6.5, 16, 13), 2, 2)
                painter.drawLine(QPointF(x - 3, y - 6.5), QPointF(x - 3, y + 6.5))
                painter.drawLine(QPointF(x - 3, y + 1.5), QPointF(x + 8, y + 1.5))
            case "search":
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.setPen(pen(palette.DIM, 1.6))
                painter.drawEllipse(QPointF(x - 1.5, y - 1.5), 5, 5)
                painter.drawLine(QPointF(x + 2.5, y + 2.5), QPointF(x + 6.5, y + 6.5))
            case _:
                direction = -1 if self.icon_name in ("oldest", "back") else 1
                paint_triangle(painter, x, y, 6, direction)
                if self.icon_name in ("back", "forward"):
                    painter.drawRect(QRectF(x + direction * 7 - 1, y - 6, 2, 12))
                elif self.icon_name in ("oldest", "newest"):
                    paint_triangle(painter, x - direction * 5, y, 6, direction)
                    painter.drawRect(QRectF(x + direction * 7 - 1, y - 6, 2, 12))


def paint_triangle(painter: QPainter, x: float, y: float, size: float, direction: int) -> None:
    """A filled triangle that points right, or left if `direction` is below zero."""
    points = [
        (x + direction * size, y),
        (x - direction * size * 0.8, y - size),
        (x - direction * size * 0.8, y + size),
    ]
    painter.drawPolygon(QPolygonF([QPointF(*point) for point in points]))


def _paint_pill(painter: QPainter, box: QRectF, name: str, text: str) -> None:
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    inside = box.adjusted(1, 1, -1, -1)
    painter.setPen(pen(name))
    painter.setBrush(color(palette.mixed(name, 0.82, palette.PANEL)))
    painter.drawRoundedRect(inside, 11, 11)
    painter.setPen(pen(palette.lighter(name)))
    painter.setFont(font(11, bold=True))
    painter.drawText(inside.adjusted(26, 0, -6, 0), Qt.AlignmentFlag.AlignVCenter, text)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(color(name))


class RecordingTitle(QWidget):
    """The recording's name and details, shortened with … where there is no room."""

    def __init__(self) -> None:
        super().__init__()
        self._name, self._details = "", ""
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def show_recording(self, name: str, details: str) -> None:
        """Show these; the tooltip has the whole text."""
        if (name, details) != (self._name, self._details):
            self._name, self._details = name, details
            self.setToolTip(self.text)
            self.setAccessibleName(self.text)
            self.update()

    @property
    def text(self) -> str:
        """The name and all details."""
        return f"{self._name}  {self._details}".strip()

    def paintEvent(self, event: QPaintEvent | None) -> None:  # noqa: N802
        painter = QPainter(self)
        middle, left = Qt.AlignmentFlag.AlignVCenter, 0.0
        for text, name, face in (
            (self._name, palette.TEXT, font(12, bold=True)), (self._details, palette.DIM, font(12))
        ):  # fmt: skip
            painter.setFont(face)
            painter.setPen(pen(name))
            fitting = _fitting_parts(painter, text, self.width() - left)
            painter.drawText(QRectF(self.rect()).adjusted(left, 0, 0, 0), middle, fitting)
            left += painter.fontMetrics().horizontalAdvance(fitting) + 10.0
            if left > self.width() - 30:
                break
        painter.end()


def _fitting_parts(painter: QPainter, text: str, room: float) -> str:
    """As many parts of a text as there is room for; the first one is shortened if need be."""
    parts = text.split(BETWEEN)
    while len(parts) > 1 and painter.fontMetrics().horizontalAdvance(BETWEEN.join(parts)) > room:
        del parts[-1]
    return elided(painter, BETWEEN.join(parts), room)


class ModePill(PaintedPanel):
    """Shows whether the game runs: LIVE, PAUSED or PLAYING.

    WAITING before the first frame, LOST without a connection, NO CLIP for an unreadable file.
    """

    def __init__(self, store: ViewerStore) -> None:
        super().__init__("Mode")
        self.store = store
        self.setFixedSize(QSize(104, 24))
        self.setMinimumSize(104, 24)
        self._pixmaps = PixmapCache(palette.PANEL, capacity=16)
        store.status_changed.connect(self._update)
        store.moved.connect(self._update)

    def _update(self) -> None:
        # Screen readers can't read what is painted, but they read the name.
        self.setAccessibleName(f"Mode: {self.text()}")
        self.update()

    @property
    def _is_lost(self) -> bool:
        return self.store.backend_state.link in (LinkState.LOST, LinkState.UNREADABLE)

    def text(self) -> str:
        """The word in the pill."""
        if self.store.backend_state.link is LinkState.UNREADABLE:
            return "NO CLIP"
        if self._is_lost:
            return "LOST"
        if self.store.snapshot is None:
            return "WAITING"
        text = _MODES[self.store.playback.mode][0]
        rate = self.store.playback.rate
        if self.store.playback.mode is Mode.PLAYING and rate != 1.0:
            text += f" {rate:g}×"
        return text.replace("-", "−")

    @property
    def color(self) -> str:
        """The colour of the pill."""
        if self._is_lost:
            return palette.WARNING
        return palette.DIM if self.store.snapshot is None else _MODES[self.store.playback.mode][1]

    def paint(self, painter: QPainter) -> None:
        playback = self.store.playback
        key = self.text(), self.color, self.store.snapshot is None, playback.mode, playback.rate > 0
        ratio = self.devicePixelRatioF()
        self._pixmaps.draw(painter, QRectF(self.rect()), ratio, key, self._paint)

    def _paint(self, painter: QPainter, box: QRectF) -> None:
        _paint_pill(painter, box, self.color, self.text())
        playback = self.store.playback
        is_known = self.store.snapshot is not None and not self._is_lost
        dot = QPointF(15, self.height() / 2)
        if is_known and playback.mode is Mode.PAUSED:
            painter.drawRect(QRectF(dot.x() - 4, dot.y() - 4, 3, 8))
            painter.drawRect(QRectF(dot.x() + 1, dot.y() - 4, 3, 8))
        elif is_known and playback.mode is Mode.PLAYING:
            paint_triangle(painter, dot.x(), dot.y(), 4.5, 1 if playback.rate > 0 else -1)
        else:
            painter.drawEllipse(dot, 4, 4)


class InputOwnerPill(PaintedPanel):
    """Shows what the keys control: the game that is played in this window, or time.

    It is hidden in windows in which no game is played.
    """

    def __init__(self, store: ViewerStore) -> None:
        super().__init__("Keys")
        self.store = store
        self.player: GameInput | None = None
        self.setMinimumSize(60, 24)
        self.setFixedHeight(24)
        self.hide()
        store.status_changed.connect(self._update)
        store.moved.connect(self._update)

    def attach(self, player: GameInput | None) -> None:
        """Show the owner of this input from now on; None: no game is played here."""
        self.player = player
        self.setVisible(player is not None)
        self._update()

    @property
    def game_has_keys(self) -> bool:
        """Whether keys go to the game first."""
        return self.player is not None and self.store.playback.mode is Mode.LIVE

    def text(self) -> str:
        """The text in the pill."""
        if self.player is None:
            return ""
        return self.player.owner_text

    def _update(self) -> None:
        self.setAccessibleName(self.text() or "Keys")
        metrics = QFontMetricsF(font(11, bold=True))
        self.setFixedWidth(int(metrics.horizontalAdvance(self.text())) + 42)
        if self.game_has_keys:
            self.setToolTip("The game has the keys; grabbing the timeline pauses it")
        else:
            self.setToolTip("The keys move time; End, End lets the game run on")
        self.update()

    def paint(self, painter: QPainter) -> None:
        painter.fillRect(self.rect(), color(palette.PANEL))
        name = palette.OK if self.game_has_keys else palette.ACCENT
        _paint_pill(painter, QRectF(self.rect()), name, self.text())
        middle = self.height() / 2
        painter.drawRoundedRect(QRectF(9, middle - 4, 12, 8), 2, 2)
