"""The base of the widgets that paint themselves: each shows its own errors, the rest goes on."""

import traceback
from collections.abc import Callable, Iterable
from functools import wraps
from types import TracebackType
from typing import Any

from ..toolkit import palette
from ..toolkit.menu_entries import ColorChoice, MenuAction, swatch
from ..toolkit.qt import (
    QApplication,
    QContextMenuEvent,
    QKeyEvent,
    QMenu,
    QPainter,
    QPaintEvent,
    QRect,
    QResizeEvent,
    Qt,
    QTimer,
    QWidget,
)
from ..toolkit.theme import color
from .error_overlay import ErrorOverlay

_REST = 400
"""Milliseconds without a new picture after which its text is updated, for screen readers."""
_MOST_DESCRIBED = 2000
_PAINTING = "painting"


def _guarded(handle: Callable[[Any, Any], None]) -> Callable[[Any, Any], None]:
    """An event handler whose errors stay in its panel: one that left it would abort the process."""

    @wraps(handle)
    def guarded(panel: "PaintedPanel", event: Any) -> None:
        try:
            handle(panel, event)
        except Exception:
            panel.fail(traceback.format_exc(), handle.__name__)
        else:
            panel.recover(handle.__name__)

    return guarded


class PaintedPanel(QWidget):
    """A widget that paints itself. If that fails it shows the error; the others are not affected.

    Errors of its `…Event` methods are shown as well. Ctrl+Shift+C copies what it shows as text.
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
        """How often the panel was painted."""
        self.exposed = QRect()
        """The part that is being painted: the rest is unchanged, and need not be drawn."""
        self._failed_in = ""
        """The name of the handler that raised it."""
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

    def menu_of(self, entries: Iterable[MenuAction | ColorChoice]) -> QMenu:
        """A menu of these entries; its last one copies what is shown."""
        menu = QMenu(self)
        for one in (*entries, ("Copy as text", self.copy)):
            if isinstance(one, ColorChoice):
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

    # --- errors ---------------------------------------------------------------------------------

    def fail(self, trace: str, where: str = "") -> None:
        """Show an error at the foot of the panel, for those that painting did not raise."""
        self.error_text, self._failed_in = trace, where
        self._show_error()

    def recover(self, where: str) -> None:
        """A handler worked; if it is the one that failed before, its error is over."""
        if self._failed_in == where and self.error_text:
            self.error_text = self._failed_in = ""
            # Widgets may not come and go while another one is painted.
            QTimer.singleShot(0, self._show_error)

    def _show_error(self) -> None:
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
            QTimer.singleShot(0, self._show_error)
        else:
            self.recover(_PAINTING)
        finally:
            painter.end()
        self.painted += 1
        self._rest.start()


def panel_of(trace: TracebackType | None) -> PaintedPanel | None:
    """The innermost panel among the frames of a traceback; None if the error is from elsewhere."""
    found = None
    while trace is not None:
        owner = trace.tb_frame.f_locals.get("self")
        found = owner if isinstance(owner, PaintedPanel) else found
        trace = trace.tb_next
    return found
