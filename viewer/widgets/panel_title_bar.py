"""The title bar of a panel, and the frame around the one that the keyboard is in."""

from ..toolkit import palette
from ..toolkit.qt import (
    QDockWidget,
    QEvent,
    QHBoxLayout,
    QLabel,
    QObject,
    QPainter,
    QPaintEvent,
    QRectF,
    QSize,
    Qt,
    QToolButton,
    QWidget,
)
from ..toolkit.theme import color, pen


class _Sign(QToolButton):
    """A small drawn button."""

    def __init__(self, sign: str, tip: str) -> None:
        super().__init__()
        self._sign = sign
        self.setToolTip(tip)
        self.setAccessibleName(tip)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setFixedSize(QSize(20, 20))

    def paintEvent(self, event: QPaintEvent | None) -> None:  # noqa: N802
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(pen(palette.TEXT if self.underMouse() else palette.FAINT, 1.3))
        middle = QRectF(self.rect()).center()
        x, y = middle.x(), middle.y()
        if self._sign == "close":
            painter.drawLine(int(x - 3), int(y - 3), int(x + 4), int(y + 4))
            painter.drawLine(int(x - 3), int(y + 4), int(x + 4), int(y - 3))
        else:
            painter.drawRect(QRectF(x - 4.5, y - 2.5, 7, 7))
            painter.drawLine(int(x - 1), int(y - 5), int(x + 5), int(y - 5))
            painter.drawLine(int(x + 5), int(y - 5), int(x + 5), int(y + 1))
        painter.end()


class TitleBar(QWidget):
    """A panel's name, and buttons that let it float and close it. It is dragged by it."""

    def __init__(self, panel: QDockWidget) -> None:
        super().__init__(panel)
        self.setObjectName("title")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._bare = False
        self.name = QLabel(panel.windowTitle())
        self.floats = _Sign("float", "Let this panel float, or put it back")
        self.closes = _Sign("close", "Close this panel")
        self.floats.clicked.connect(lambda: panel.setFloating(not panel.isFloating()))
        self.closes.clicked.connect(panel.close)
        inside = QHBoxLayout(self)
        inside.setContentsMargins(10, 3, 4, 3)
        inside.setSpacing(0)
        inside.addWidget(self.name, 1)
        inside.addWidget(self.floats)
        inside.addWidget(self.closes)

    def be_bare(self, bare: bool) -> None:
        """Show nothing, where a tab says the name."""
        if bare == self._bare:
            return
        self._bare = bare
        for part in (self.name, self.floats, self.closes):
            part.setVisible(not bare)
        layout = self.layout()
        assert layout is not None
        layout.setContentsMargins(*((0, 0, 0, 0) if bare else (10, 3, 4, 3)))
        self.setMaximumHeight(0 if bare else 16_777_215)
        self.updateGeometry()

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(0, 0) if self._bare else super().sizeHint()

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        # A long name must not keep a panel wide.
        return QSize(0, 0) if self._bare else QSize(60, super().sizeHint().height())


class FocusFrame(QWidget):
    """A thin frame over a widget, through which the mouse goes."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._around: QWidget | None = None
        self.hide()

    def follow(self, widget: QWidget | None) -> None:
        """Be around this one from now on; None for nobody."""
        if self._around is not None and widget is not self._around:
            self._around.removeEventFilter(self)
        if widget is not None and widget is not self._around:
            widget.installEventFilter(self)
        self._around = widget
        self._place()

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:  # noqa: N802
        kinds = (QEvent.Type.Resize, QEvent.Type.Move, QEvent.Type.Show, QEvent.Type.Hide)
        if event is not None and event.type() in kinds:
            self._place()
        return False

    def _place(self) -> None:
        around, parent = self._around, self.parentWidget()
        # One that floats has a frame of its own.
        if around is None or parent is None or not around.isVisible() or around.isWindow():
            self.hide()
            return
        self.setGeometry(around.geometry())
        self.show()
        self.raise_()

    def paintEvent(self, event: QPaintEvent | None) -> None:  # noqa: N802
        painter = QPainter(self)
        painter.setPen(pen(palette.ACCENT))
        painter.setBrush(color(palette.ACCENT, 0))
        painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
        painter.end()
