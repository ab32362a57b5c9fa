"""The transport bar: what is open, where the playhead stands, and buttons to move it."""

from ..errors import CommandError
from ..playback.command import RATES, Play, SeekFrame, Step
from ..playback.controls import KEYS as TIME_KEYS
from ..playback.shown import Mode
from .clock import Clock
from .keys import time_command
from .models import palette
from .models.deck import Link
from .models.times import seek_of, told, told_span
from .painting import Panel
from .qt import (
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QMenu,
    QPainter,
    QPointF,
    QPolygonF,
    QRectF,
    QSize,
    QSizePolicy,
    Qt,
    QToolButton,
    QWidget,
)
from .theme import color, font, pen

_MODES = {
    Mode.LIVE: ("LIVE", palette.OK),
    Mode.PAUSED: ("PAUSED", palette.RUNNING),
    Mode.PLAYING: ("PLAYING", palette.ACCENT),
}


class Glyph(QToolButton):
    """A button with a drawn sign, so that no font needs to have it."""

    def __init__(self, sign: str, tip: str) -> None:
        super().__init__()
        self.sign = sign
        self.setToolTip(tip)
        self.setAccessibleName(tip)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setFixedSize(QSize(32, 28))

    def paintEvent(self, event: object) -> None:  # noqa: N802
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.isChecked() or self.underMouse():
            painter.setPen(pen("#2f5a94") if self.isChecked() else Qt.PenStyle.NoPen)
            painter.setBrush(color("#1d3556" if self.isChecked() else palette.RAISED))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
        name = palette.TEXT if self.isEnabled() else palette.FAINT
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color(name))
        middle = QRectF(self.rect()).center()
        x, y = middle.x(), middle.y()
        if self.sign == "pause":
            painter.drawRect(QRectF(x - 5, y - 6, 3.5, 12))
            painter.drawRect(QRectF(x + 1.5, y - 6, 3.5, 12))
        elif self.sign == "loop":
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(pen(name, 1.8))
            painter.drawArc(QRectF(x - 6, y - 6, 12, 12), 40 * 16, 290 * 16)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(color(name))
            _triangle(painter, x + 5.5, y - 4.5, 3.4, 1)
        else:
            way = -1 if self.sign in ("oldest", "back") else 1
            _triangle(painter, x, y, 6, way)
            if self.sign in ("back", "on"):
                painter.drawRect(QRectF(x + way * 7 - 1, y - 6, 2, 12))
            elif self.sign in ("oldest", "newest"):
                _triangle(painter, x - way * 5, y, 6, way)
                painter.drawRect(QRectF(x + way * 7 - 1, y - 6, 2, 12))
        painter.end()


def _triangle(painter: QPainter, x: float, y: float, size: float, way: int) -> None:
    points = [
        (x + way * size, y),
        (x - way * size * 0.8, y - size),
        (x - way * size * 0.8, y + size),
    ]
    painter.drawPolygon(QPolygonF([QPointF(*point) for point in points]))


class ModePill(Panel):
    """LIVE, PAUSED or PLAYING: at every moment one sees whether the game runs.

    WAITING and LOST where nobody knows.
    """

    def __init__(self, clock: Clock) -> None:
        super().__init__("Mode")
        self.clock = clock
        self.setFixedSize(QSize(104, 24))
        self.setMinimumSize(104, 24)
        clock.stood.connect(self.update)
        clock.moved.connect(self.update)

    @property
    def _lost(self) -> bool:
        return self.clock.standing.link is Link.LOST

    @property
    def text(self) -> str:
        """What it says."""
        if self._lost:
            return "LOST"
        if self.clock.moment is None:
            return "WAITING"
        text = _MODES[self.clock.shown.mode][0]
        rate = self.clock.shown.rate
        if self.clock.shown.mode is Mode.PLAYING and rate != 1.0:
            text += f" {rate:g}×"
        return text.replace("-", "−")

    def paint(self, painter: QPainter) -> None:
        painter.fillRect(self.rect(), color(palette.PANEL))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        nothing = self.clock.moment is None or self._lost
        name = palette.DIM if nothing else _MODES[self.clock.shown.mode][1]
        if self._lost:
            name = palette.WARNING
        box = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        painter.setPen(pen(name))
        painter.setBrush(color(palette.mixed(name, 0.82, palette.PANEL)))
        painter.drawRoundedRect(box, 11, 11)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color(name))
        dot = QPointF(box.left() + 14, box.center().y())
        if self.clock.shown.mode is Mode.PAUSED and not nothing:
            painter.drawRect(QRectF(dot.x() - 4, dot.y() - 4, 3, 8))
            painter.drawRect(QRectF(dot.x() + 1, dot.y() - 4, 3, 8))
        elif self.clock.shown.mode is Mode.PLAYING and not nothing:
            _triangle(painter, dot.x(), dot.y(), 4.5, 1 if self.clock.shown.rate > 0 else -1)
        else:
            painter.drawEllipse(dot, 4, 4)
        painter.setPen(pen(palette.lighter(name)))
        painter.setFont(font(11, bold=True))
        painter.drawText(box.adjusted(26, 0, -6, 0), Qt.AlignmentFlag.AlignVCenter, self.text)


class Transport(QWidget):
    """The bar across the top."""

    def __init__(self, clock: Clock) -> None:
        super().__init__()
        self.clock = clock
        self.setObjectName("transport")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setFixedHeight(46)
        self.title = QLabel()
        self.mode = ModePill(clock)
        self.oldest = Glyph("oldest", "To the oldest frame (Home)")
        self.back = Glyph("back", "One frame back (←)")
        self.play = Glyph("play", "Play or pause (Space)")
        self.on = Glyph("on", "One frame on (→)")
        self.newest = Glyph("newest", "To the newest frame (End)")
        self.time = QLineEdit()
        self.time.setFixedWidth(124)
        self.time.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.time.setFont(font(15, bold=True, mono=True))
        self.time.setStyleSheet("font-size: 15px; font-weight: 600; padding: 2px 6px;")
        self.time.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.time.setToolTip("Type a time, #frame, +0.5, −2 or a mark's name (Ctrl+G)")
        self.frame = QLabel()
        self.frame.setFont(font(12, mono=True))
        self.frame.setMinimumWidth(96)
        self.speed = QToolButton()
        self.speed.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.speed.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.speed.setToolTip("Speed (, and .)")
        self.speed.setMinimumWidth(44)
        self.loop = Glyph("loop", "Loop on or off (Ctrl+L); shift-drag on the timeline makes one")
        self.loop.setCheckable(True)
        self.live = QToolButton()
        self.live.setText("Go live")
        self.live.setCheckable(True)
        self.live.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.live.setToolTip("Follow the newest frame, and let the game run on (End, End)")
        self.link = QLabel()
        self.link.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._lay_out()
        self._connect()
        self._stood()

    def _lay_out(self) -> None:
        brand = QLabel("▌playhead")
        brand.setStyleSheet(f"color: {palette.PLAYHEAD}; font-weight: 700; font-size: 13px;")
        inside = QHBoxLayout(self)
        inside.setContentsMargins(12, 0, 14, 0)
        inside.setSpacing(4)
        inside.addWidget(brand)
        inside.addSpacing(10)
        # Where there is no room these two are cut; the others are what one works with.
        for label in (self.title, self.link):
            label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        inside.addWidget(self.title, 1)
        inside.addWidget(self.mode)
        inside.addSpacing(8)
        for one in (self.oldest, self.back, self.play, self.on, self.newest):
            inside.addWidget(one)
        inside.addSpacing(8)
        for widget in (self.time, self.frame, self.speed, self.loop, self.live):
            inside.addWidget(widget)
        inside.addWidget(self.link, 1)

    def _connect(self) -> None:
        for button, key in (
            (self.oldest, "Home"), (self.play, "Space"), (self.newest, "End"),
            (self.loop, "Ctrl+L"),
        ):  # fmt: skip
            button.clicked.connect(lambda _, key=key: self.press(key))
        self.back.clicked.connect(lambda: self.clock.send(Step(-1)))
        self.on.clicked.connect(lambda: self.clock.send(Step(1)))
        self.live.clicked.connect(self.clock.go_live)
        self.time.returnPressed.connect(self._typed)
        self.time.editingFinished.connect(self._moved)
        menu = QMenu(self)
        for rate in RATES:
            action = menu.addAction(f"{rate:g}×")
            assert action is not None
            action.triggered.connect(lambda _, rate=rate: self.clock.send(Play(rate)))
        self.speed.setMenu(menu)
        self.clock.moved.connect(self._moved)
        self.clock.stood.connect(self._stood)

    def press(self, key: str) -> None:
        """Do what a key does."""
        assert key in TIME_KEYS
        command = time_command(key, self.clock.shown)
        if command is not None:
            self.clock.send(command)

    def _typed(self) -> None:
        try:
            command = seek_of(self.time.text(), self.clock.cursor or 0.0)
        except CommandError as error:
            self.clock.said.emit(str(error))
        else:
            if isinstance(command, SeekFrame):
                self.clock.jump(command.frame)
            else:
                self.clock.send(command)
        self.time.clearFocus()

    def _moved(self) -> None:
        cursor, moment = self.clock.cursor, self.clock.moment
        if not self.time.hasFocus():
            self.time.setText("--:--.---" if cursor is None else told(cursor))
        self.frame.setText("" if moment is None else f"  frame {moment.frame}")

    def _stood(self) -> None:
        shown, standing = self.clock.shown, self.clock.standing
        self.play.sign = "pause" if shown.mode is not Mode.PAUSED else "play"
        self.play.update()
        self.speed.setText(f"{abs(shown.rate):g}×")
        self.loop.setChecked(shown.loop is not None)
        follows = standing.link in (Link.GROWING, Link.CONNECTED, Link.LOST)
        self.live.setVisible(follows)
        self.live.setChecked(shown.mode is Mode.LIVE)
        self.live.setText("Following live" if shown.mode is Mode.LIVE else "Go live")
        about = [f"<b>{standing.title}</b>" if standing.title else ""]
        about.append(standing.game)
        if shown.span is not None:
            frames = shown.span.newest - shown.span.oldest + 1
            about += [told_span(shown.span.seconds), f"{frames:,} frames"]
            if shown.span.seconds > 0 and frames > 1:
                about.append(f"{(frames - 1) / shown.span.seconds:.0f} Hz")
        told_about = " &nbsp;·&nbsp; ".join(part for part in about if part)
        self.title.setText(f"<span style='color: {palette.DIM}'>{told_about}</span>")
        self._tell_link()
        self._moved()

    def _tell_link(self) -> None:
        standing = self.clock.standing
        match standing.link:
            case Link.CONNECTED:
                tools = "1 tool" if standing.tools == 1 else f"{standing.tools} tools"
                text, name = f"● connected · {tools}", palette.OK
            case Link.LOST:
                text, name = "● connection lost, looking for it", palette.WARNING
            case Link.NOTHING:
                text, name = "○ waiting", palette.WARNING
            case Link.GROWING:
                text, name = "● ring file", palette.OK
            case Link.FILE:
                text, name = "recording", palette.DIM
        if standing.link is Link.LOST and not standing.since:
            text = "● can't be read"
        self.link.setText(text)
        self.link.setStyleSheet(f"color: {name}; font-weight: 600;")
        self.link.setToolTip(standing.trouble)
