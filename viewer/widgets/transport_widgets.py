"""Widgets of the transport bar: drawn buttons, and pills that show the state."""

from ...playback.playback_state import Mode
from ..backends.playback_backend import LinkState
from ..input.game_input_interface import GameInput
from ..state.viewer_store import ViewerStore
from ..toolkit import palette
from ..toolkit.numpy_painting import elided
from ..toolkit.pixmap_cache import PixmapCache
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
from ..toolkit.theme import color, font, pen
from .painted_panel import PaintedPanel

BETWEEN = "  ·  "
"""Separates the parts of a title; without room the last part goes first."""
_MODES = {
    Mode.LIVE: ("LIVE", palette.OK),
    Mode.PAUSED: ("PAUSED", palette.RUNNING),
    Mode.PLAYING: ("PLAYING", palette.ACCENT),
}


class TransportButton(QToolButton):
    """A button with a drawn sign, so that no font needs to have it."""

    def __init__(self, sign: str, tip: str) -> None:
        super().__init__()
        self.sign = sign
        self.setToolTip(tip)
        self.setAccessibleName(tip)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setFixedSize(QSize(32, 28))

    def show_sign(self, sign: str) -> None:
        """Another sign, if it is another one."""
        if sign != self.sign:
            self.sign = sign
            self.update()

    def paintEvent(self, event: QPaintEvent | None) -> None:  # noqa: N802
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.isChecked() or self.underMouse():
            painter.setPen(pen("#2f5a94") if self.isChecked() else Qt.PenStyle.NoPen)
            painter.setBrush(color(palette.CHOSEN if self.isChecked() else palette.RAISED))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
        name = palette.TEXT if self.isEnabled() else palette.FAINT
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color(name))
        middle = QRectF(self.rect()).center()
        self._paint_sign(painter, middle.x(), middle.y(), name)
        painter.end()

    def _paint_sign(self, painter: QPainter, x: float, y: float, name: str) -> None:
        match self.sign:
            case "pause":
                painter.drawRect(QRectF(x - 5, y - 6, 3.5, 12))
                painter.drawRect(QRectF(x + 1.5, y - 6, 3.5, 12))
            case "loop":
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.setPen(pen(name, 1.8))
                painter.drawArc(QRectF(x - 6, y - 6, 12, 12), 40 * 16, 290 * 16)
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(color(name))
                triangle(painter, x + 5.5, y - 4.5, 3.4, 1)
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
                way = -1 if self.sign in ("oldest", "back") else 1
                triangle(painter, x, y, 6, way)
                if self.sign in ("back", "on"):
                    painter.drawRect(QRectF(x + way * 7 - 1, y - 6, 2, 12))
                elif self.sign in ("oldest", "newest"):
                    triangle(painter, x - way * 5, y, 6, way)
                    painter.drawRect(QRectF(x + way * 7 - 1, y - 6, 2, 12))


def triangle(painter: QPainter, x: float, y: float, size: float, way: int) -> None:
    """A filled one that points right, or left if `way` is below zero."""
    points = [
        (x + way * size, y),
        (x - way * size * 0.8, y - size),
        (x - way * size * 0.8, y + size),
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
    """A name and what else is known of it, cut with … where there is no room."""

    def __init__(self) -> None:
        super().__init__()
        self._name, self._rest = "", ""
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def tell(self, name: str, rest: str) -> None:
        """Show these, and all of it on hover."""
        if (name, rest) != (self._name, self._rest):
            self._name, self._rest = name, rest
            self.setToolTip(f"{name}  {rest}".strip())
            self.setAccessibleName(self.toolTip())
            self.update()

    @property
    def text(self) -> str:
        """All of it."""
        return f"{self._name}  {self._rest}".strip()

    def paintEvent(self, event: QPaintEvent | None) -> None:  # noqa: N802
        painter = QPainter(self)
        middle, left = Qt.AlignmentFlag.AlignVCenter, 0.0
        for text, name, face in (
            (self._name, palette.TEXT, font(12, bold=True)), (self._rest, palette.DIM, font(12))
        ):  # fmt: skip
            painter.setFont(face)
            painter.setPen(pen(name))
            shown = _whole(painter, text, self.width() - left)
            painter.drawText(QRectF(self.rect()).adjusted(left, 0, 0, 0), middle, shown)
            left += painter.fontMetrics().horizontalAdvance(shown) + 10.0
            if left > self.width() - 30:
                break
        painter.end()


def _whole(painter: QPainter, text: str, room: float) -> str:
    """As many of the parts of a text as there is room for; the first one is cut if need be."""
    parts = text.split(BETWEEN)
    while len(parts) > 1 and painter.fontMetrics().horizontalAdvance(BETWEEN.join(parts)) > room:
        del parts[-1]
    return elided(painter, BETWEEN.join(parts), room)


class ModePill(PaintedPanel):
    """LIVE, PAUSED or PLAYING: one always sees whether the game runs.

    WAITING, LOST and NO CLIP where nobody knows.
    """

    def __init__(self, store: ViewerStore) -> None:
        super().__init__("Mode")
        self.store = store
        self.setFixedSize(QSize(104, 24))
        self.setMinimumSize(104, 24)
        self._pixmaps = PixmapCache(palette.PANEL, most=16)
        store.status_changed.connect(self._renew)
        store.moved.connect(self._renew)

    def _renew(self) -> None:
        # What is painted can't be read aloud: the name says it.
        self.setAccessibleName(f"Mode: {self.text()}")
        self.update()

    @property
    def _lost(self) -> bool:
        return self.store.backend_state.link in (LinkState.LOST, LinkState.UNREADABLE)

    def text(self) -> str:
        """What it says."""
        if self.store.backend_state.link is LinkState.UNREADABLE:
            return "NO CLIP"
        if self._lost:
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
        """The colour of what it says."""
        if self._lost:
            return palette.WARNING
        return palette.DIM if self.store.snapshot is None else _MODES[self.store.playback.mode][1]

    def paint(self, painter: QPainter) -> None:
        shown = self.store.playback
        look = self.text(), self.color, self.store.snapshot is None, shown.mode, shown.rate > 0
        ratio = self.devicePixelRatioF()
        self._pixmaps.draw(painter, QRectF(self.rect()), ratio, look, self._paint)

    def _paint(self, painter: QPainter, box: QRectF) -> None:
        _paint_pill(painter, box, self.color, self.text())
        shown = self.store.playback
        known = self.store.snapshot is not None and not self._lost
        dot = QPointF(15, self.height() / 2)
        if known and shown.mode is Mode.PAUSED:
            painter.drawRect(QRectF(dot.x() - 4, dot.y() - 4, 3, 8))
            painter.drawRect(QRectF(dot.x() + 1, dot.y() - 4, 3, 8))
        elif known and shown.mode is Mode.PLAYING:
            triangle(painter, dot.x(), dot.y(), 4.5, 1 if shown.rate > 0 else -1)
        else:
            painter.drawEllipse(dot, 4, 4)


class InputOwnerPill(PaintedPanel):
    """Who has the keys: the game that is played here, or the scrub. Hidden while nobody plays."""

    def __init__(self, store: ViewerStore) -> None:
        super().__init__("Keys")
        self.store = store
        self.player: GameInput | None = None
        self.setMinimumSize(60, 24)
        self.setFixedHeight(24)
        self.hide()
        store.status_changed.connect(self.renew)
        store.moved.connect(self.renew)

    def attach(self, player: GameInput | None) -> None:
        """Somebody plays here from now on, or nobody."""
        self.player = player
        self.setVisible(player is not None)
        self.renew()

    @property
    def is_the_game_s(self) -> bool:
        """Whether keys go to the game first."""
        return self.player is not None and self.store.playback.mode is Mode.LIVE

    def text(self) -> str:
        """What it says."""
        if self.player is None:
            return ""
        return self.player.owner_text

    def renew(self) -> None:
        """Say how it is now."""
        self.setAccessibleName(self.text() or "Keys")
        metrics = QFontMetricsF(font(11, bold=True))
        self.setFixedWidth(int(metrics.horizontalAdvance(self.text())) + 42)
        if self.is_the_game_s:
            self.setToolTip("The game has the keys; grabbing the timeline pauses it")
        else:
            self.setToolTip("The keys move time; End, End lets the game run on")
        self.update()

    def paint(self, painter: QPainter) -> None:
        painter.fillRect(self.rect(), color(palette.PANEL))
        name = palette.OK if self.is_the_game_s else palette.ACCENT
        _paint_pill(painter, QRectF(self.rect()), name, self.text())
        middle = self.height() / 2
        painter.drawRoundedRect(QRectF(9, middle - 4, 12, 8), 2, 2)
