"""The base class of widgets that paint themselves and show their own errors."""

import traceback
from collections.abc import Callable, Iterable
from functools import wraps
from types import TracebackType
from typing import Any

from ..toolkit import palette
from ..toolkit.clipboard import copy_text
from ..toolkit.menu_entries import ColorChoice, MenuEntry, Submenu, color_swatch
from ..toolkit.qt import (
    QContextMenuEvent,
    QKeyEvent,
    QMenu,
    QPainter,
    QPaintEvent,
    QRect,
    QResizeEvent,
    Qt,
    QTimer,
)
from ..toolkit.theme import color, text_scale
from .error_overlay import ErrorOverlay
from .scaled_widget import ScaledWidget

_DESCRIBE_AFTER = 400
"""Milliseconds without a repaint after which the text for screen readers is updated."""
LONGEST_DESCRIPTION = 2000
_PAINTING = "painting"


def _guarded(handle: Callable[[Any, Any], None]) -> Callable[[Any, Any], None]:
    """An event handler that shows its errors in the panel.

    An exception that leaves an event handler makes PyQt abort the process.
    """

    @wraps(handle)
    def guarded(panel: "PaintedPanel", event: Any) -> None:
        try:
            handle(panel, event)
        except Exception:
            panel.fail(traceback.format_exc(), handle.__name__)
        else:
            panel.recover(handle.__name__)

    return guarded


class PaintedPanel(ScaledWidget):
    """A widget that paints itself. If painting fails, it shows the error; other panels go on.

    Errors in its `…Event` methods are shown as well. Ctrl+Shift+C copies its content as text.
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
        """The traceback of the last error; empty as soon as the handler that failed works again."""
        self.paint_count = 0
        """How often the panel was painted."""
        self.exposed = QRect()
        """The part that is being painted: the rest is unchanged and need not be drawn."""
        self._failed_in = ""
        """The name of the handler that raised the error."""
        self._error_overlay: ErrorOverlay | None = None
        self._description = ""
        self._describe_timer = QTimer(self)
        self._describe_timer.setSingleShot(True)
        self._describe_timer.setInterval(_DESCRIBE_AFTER)
        self._describe_timer.timeout.connect(self._update_description)

    def paint(self, painter: QPainter) -> None:
        """Draw everything."""
        raise NotImplementedError

    # --- as text --------------------------------------------------------------------------------

    def text(self) -> str:
        """What is shown, as plain text."""
        return self.accessibleName()

    def description(self) -> str:
        """What is shown, for screen readers: the beginning of `text` is enough."""
        return self.text()

    def copy(self) -> None:
        """Put the panel's text on the clipboard."""
        copy_text(self.text())

    def menu_of(self, entries: Iterable[MenuEntry]) -> QMenu:
        """A menu of these entries, followed by "Copy as text"."""
        menu = QMenu(self)
        for entry in (*entries, ("Copy as text", self.copy)):
            if isinstance(entry, ColorChoice):
                submenu = menu.addMenu(f"Colour of {entry.name}")
                assert submenu is not None
                for label, hue in (*palette.HUES.items(), ("As usual", "")):
                    icon = color_swatch(
                        hue or palette.usual_color(entry.name),
                        self.devicePixelRatioF(),
                        is_chosen=hue == entry.chosen,
                    )
                    action = submenu.addAction(icon, label)
                    assert action is not None
                    action.setCheckable(True)
                    action.setChecked(hue == entry.chosen)
                    action.triggered.connect(lambda _, choice=entry, hue=hue: choice.choose(hue))
            elif isinstance(entry, Submenu):
                submenu = menu.addMenu(entry.name)
                assert submenu is not None
                for label, run in entry.actions:
                    _add_action(submenu, label, run)
            else:
                _add_action(menu, *entry)
        return menu

    def contextMenuEvent(self, event: QContextMenuEvent | None) -> None:  # noqa: N802
        assert event is not None
        self.menu_of(()).exec(event.globalPos())

    def keyPressEvent(self, event: QKeyEvent | None) -> None:  # noqa: N802
        assert event is not None
        ctrl_shift = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
        if event.key() == Qt.Key.Key_C and event.modifiers() == ctrl_shift:
            self.copy()
        else:
            super().keyPressEvent(event)

    def _update_description(self) -> None:
        """Update the text for screen readers, once the image no longer changes."""
        try:
            description = self.description()[:LONGEST_DESCRIPTION]
        except Exception:
            self.fail(traceback.format_exc())
            return
        if self._description != description:
            self._description = description
            self.setAccessibleDescription(description)

    # --- errors ---------------------------------------------------------------------------------

    def fail(self, trace: str, where: str = "") -> None:
        """Show an error that was not raised by painting, at the foot of the panel."""
        self.error_text, self._failed_in = trace, where
        self._show_error()

    def recover(self, where: str) -> None:
        """A handler worked: if it is the one that failed before, hide its error."""
        if self._failed_in == where and self.error_text:
            self.error_text = self._failed_in = ""
            # Widgets must not be shown or hidden while another one is painted.
            QTimer.singleShot(0, self._show_error)

    def _show_error(self) -> None:
        """Show the error overlay if there is an error, else hide it."""
        if not self.error_text:
            if self._error_overlay is not None:
                self._error_overlay.hide()
            return
        if self._error_overlay is None:
            self._error_overlay = ErrorOverlay(self)
            self._error_overlay.dismiss.clicked.connect(lambda: self.recover(self._failed_in))
        self._error_overlay.show_error(self.error_text, covers_panel=self._failed_in == _PAINTING)

    def resizeEvent(self, event: QResizeEvent | None) -> None:  # noqa: N802
        super().resizeEvent(event)
        if self._error_overlay is not None:
            self._error_overlay.fit_panel()

    def paintEvent(self, event: QPaintEvent | None) -> None:  # noqa: N802 — Qt's name
        painter = QPainter(self)
        if event is not None:
            self.exposed = self.own(event.rect())
        painter.scale(text_scale(), text_scale())
        try:
            self.paint(painter)
        except Exception:
            self.error_text, self._failed_in = traceback.format_exc(), _PAINTING
            painter.resetTransform()
            painter.setClipping(False)
            painter.fillRect(painter.viewport(), color(palette.MISTAKE))
            QTimer.singleShot(0, self._show_error)
        else:
            self.recover(_PAINTING)
        finally:
            painter.end()
        self.paint_count += 1
        self._describe_timer.start()


def failing_panel(trace: TracebackType | None) -> PaintedPanel | None:
    """The innermost panel among the frames of a traceback; None if the error is from elsewhere."""
    panel = None
    while trace is not None:
        owner = trace.tb_frame.f_locals.get("self")
        panel = owner if isinstance(owner, PaintedPanel) else panel
        trace = trace.tb_next
    return panel


def _add_action(menu: QMenu, label: str, run: Callable[[], object]) -> None:
    action = menu.addAction(label)
    assert action is not None
    action.triggered.connect(lambda _: run())
