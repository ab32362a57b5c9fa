"""The title bar of a panel, and the frame around the panel that has the keyboard focus."""

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


class _TitleButton(QToolButton):
    """A small button with a drawn icon, "close" or "float"."""

    def __init__(self, icon: str, tip: str) -> None:
        super().__init__()
        self._icon = icon
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
        if self._icon == "close":
            painter.drawLine(int(x - 3), int(y - 3), int(x + 4), int(y + 4))
            painter.drawLine(int(x - 3), int(y + 4), int(x + 4), int(y - 3))
        else:
            painter.drawRect(QRectF(x - 4.5, y - 2.5, 7, 7))
            painter.drawLine(int(x - 1), int(y - 5), int(x + 5), int(y - 5))
            painter.drawLine(int(x + 5), int(y - 5), int(x + 5), int(y + 1))
        painter.end()


class TitleBar(QWidget):
    """A panel's name, with buttons that let the panel float and close it. Dragging it moves it."""

    def __init__(self, panel: QDockWidget) -> None:
        super().__init__(panel)
        self.setObjectName("title")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._is_collapsed = False
        self.name = QLabel(panel.windowTitle())
        self.float_button = _TitleButton("float", "Let this panel float, or put it back")
        self.close_button = _TitleButton("close", "Close this panel")
        self.float_button.clicked.connect(lambda: panel.setFloating(not panel.isFloating()))
        self.close_button.clicked.connect(panel.close)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(10, 3, 4, 3)
        layout.setSpacing(0)
        layout.addWidget(self.name, 1)
        layout.addWidget(self.float_button)
        layout.addWidget(self.close_button)

    def set_collapsed(self, is_collapsed: bool) -> None:
        """Hide the bar's content where a tab already shows the panel's name."""
        if is_collapsed == self._is_collapsed:
            return
        self._is_collapsed = is_collapsed
        for part in (self.name, self.float_button, self.close_button):
            part.setVisible(not is_collapsed)
        layout = self.layout()
        assert layout is not None
        layout.setContentsMargins(*((0, 0, 0, 0) if is_collapsed else (10, 3, 4, 3)))
        self.setMaximumHeight(0 if is_collapsed else 16_777_215)  # Qt's own maximum
        self.updateGeometry()

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(0, 0) if self._is_collapsed else super().sizeHint()

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        # A panel can be narrower than its name.
        return QSize(0, 0) if self._is_collapsed else QSize(60, super().sizeHint().height())


class FocusFrame(QWidget):
    """A thin frame over a widget; the mouse goes through it."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._around: QWidget | None = None
        self.hide()

    def follow(self, widget: QWidget | None) -> None:
        """Frame this widget from now on; None for none."""
        if self._around is not None and widget is not self._around:
            self._around.removeEventFilter(self)
        if widget is not None and widget is not self._around:
            widget.installEventFilter(self)
        self._around = widget
        self._move_and_resize()

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:  # noqa: N802
        kinds = (QEvent.Type.Resize, QEvent.Type.Move, QEvent.Type.Show, QEvent.Type.Hide)
        if event is not None and event.type() in kinds:
            self._move_and_resize()
        return False

    def _move_and_resize(self) -> None:
        around, parent = self._around, self.parentWidget()
        # A floating panel has a window frame of its own.
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
