"""Manages the docks around the world view: which panels are open, where, and the layouts.

No other file uses Qt's dock widgets.
"""

import json
from collections.abc import Iterable, Mapping

import msgspec

from ..state.panel_layouts import PRESETS, PanelLayout
from ..toolkit.qt import (
    QByteArray,
    QDockWidget,
    QLineEdit,
    QMainWindow,
    QObject,
    Qt,
    QTabBar,
    QTabWidget,
    QTimer,
    QWidget,
    pyqtSignal,
)
from ..widgets.painted_panel import PaintedPanel
from ..widgets.panel_tabs import PanelTabs
from ..widgets.panel_title_bar import FocusFrame, TitleBar

_AREAS = Qt.DockWidgetArea
_VERSION = 1
"""The version of what `saveState` writes: counts up when old layouts no longer fit the docks."""


class _State(msgspec.Struct):
    """The arrangement of all panels, as it is saved."""

    qt: str
    """What Qt says of it."""
    shares: dict[str, tuple[float, float]] = {}
    """What each panel in sight has of the window's width and height."""


class DockManager(QObject):
    """Owns the docks of a window.

    Args:
        window: Whose docks they are.
        panels: What is docked, by the name that people read.
    """

    changed = pyqtSignal()
    """A panel was opened, closed or moved, or another one has the focus."""

    def __init__(self, window: QMainWindow, panels: Mapping[str, QWidget]) -> None:
        super().__init__(window)
        self._window = window
        self._docks: dict[str, QDockWidget] = {}
        self._layout = PRESETS["AI"]
        self._shares: dict[str, tuple[float, float]] = {}
        """Shares of the window's width and height, in the layout that was restored."""
        self.current = ""
        """The panel that the keyboard is in; empty for the world."""
        window.setDockNestingEnabled(True)
        window.setTabPosition(_AREAS.AllDockWidgetAreas, QTabWidget.TabPosition.North)
        window.setCorner(Qt.Corner.BottomRightCorner, _AREAS.RightDockWidgetArea)
        window.setCorner(Qt.Corner.BottomLeftCorner, _AREAS.BottomDockWidgetArea)
        for name, panel in panels.items():
            self._docks[name] = self._dock(name, panel)
        self._frame = FocusFrame(window)
        self._tabs = PanelTabs(self)
        self._dressing = QTimer(self)
        self._dressing.setSingleShot(True)
        self._dressing.timeout.connect(self._dress)

    def _dock(self, name: str, panel: QWidget) -> QDockWidget:
        dock = QDockWidget(name, self._window)
        dock.setObjectName(name)
        dock.setAccessibleName(name)
        feature = QDockWidget.DockWidgetFeature
        dock.setFeatures(
            feature.DockWidgetMovable | feature.DockWidgetFloatable | feature.DockWidgetClosable
        )
        dock.setWidget(panel)
        dock.setTitleBarWidget(TitleBar(dock))
        dock.hide()
        for signal in (dock.topLevelChanged, dock.dockLocationChanged, dock.visibilityChanged):
            signal.connect(self._moved)
        return dock

    def close(self) -> None:
        """Take all docks away."""
        self._dressing.stop()
        self._frame.hide()
        self._frame.deleteLater()
        for dock in self._docks.values():
            for signal in (dock.topLevelChanged, dock.dockLocationChanged, dock.visibilityChanged):
                signal.disconnect(self._moved)
            self._window.removeDockWidget(dock)
            # It lives a moment longer, and must not be taken for the next one of that name.
            dock.setObjectName("")
            dock.deleteLater()
        self._docks.clear()

    # --- which there are ------------------------------------------------------------------------

    @property
    def names(self) -> list[str]:
        """All panels, open or not."""
        return list(self._docks)

    def panel(self, name: str) -> QWidget:
        """What is docked under a name."""
        panel = self._docks[name].widget()
        assert panel is not None
        return panel

    def is_open(self, name: str) -> bool:
        """Whether a panel is in the layout, perhaps behind another tab."""
        return not self._docks[name].isHidden()

    def is_in_sight(self, name: str) -> bool:
        """Whether a panel is open and not behind another tab."""
        for bar in self._window.findChildren(QTabBar):
            tabs = [bar.tabText(at) for at in range(bar.count())] if bar.isVisible() else []
            if name in tabs and self.is_open(name) and not self._docks[name].isFloating():
                return tabs[bar.currentIndex()] == name
        return self.is_open(name) and self._docks[name].isVisible()

    def holds(self, widget: QWidget) -> bool:
        """Whether a widget is part of a panel."""
        return any(dock.isAncestorOf(widget) for dock in self._docks.values())

    def open(self, name: str, height: float = 0.0) -> None:
        """Bring a panel to the front; a closed one comes where its layout has it.

        Args:
            height: The least share of the window's height that one gets which was closed.
        """
        dock = self._docks[name]
        if dock.isHidden():
            if self._window.dockWidgetArea(dock) == _AREAS.NoDockWidgetArea:
                self._add_beside(name)
            dock.show()
            if height:
                # It is in the layout, and so has a height that can be changed, when this is done.
                QTimer.singleShot(0, lambda: self._heighten(name, height))
        dock.raise_()
        self.changed.emit()

    def _heighten(self, name: str, height: float) -> None:
        """Give a panel at least this share of the window's height."""
        dock, least = self._docks.get(name), int(height * self._window.height())
        if dock is not None and not dock.isFloating() and dock.height() < least:
            self._window.resizeDocks([dock], [least], Qt.Orientation.Vertical)

    def close_panel(self, name: str) -> None:
        """Close a panel; `open` brings it back to where it was."""
        self._docks[name].close()
        if self.current == name:
            self.focus("")
        self.changed.emit()

    def reopen(self, name: str) -> None:
        """Open a panel where it was, behind those that are in front there."""
        if name in self._docks:
            self._docks[name].show()
            self.changed.emit()

    @property
    def stacks(self) -> list[tuple[str, ...]]:
        """The panels of the layout that was chosen last, by the places that they share."""
        layout = self._layout
        return [*layout.left, *layout.right, *layout.bottom]

    @property
    def _loose(self) -> list[str]:
        """Panels that no preset has: they come with some games only, and stay in any layout."""
        placed = {name for layout in PRESETS.values() for name in layout.docks}
        return [name for name in self._docks if name not in placed]

    def shut(self, name: str) -> None:
        """Close a panel if it is open, as a layout of another window may have it."""
        if name in self._docks and self.is_open(name):
            self.close_panel(name)

    def _add_beside(self, name: str) -> None:
        """Put a panel into the layout that is not in it: as a tab beside its usual neighbours."""
        for layout in (self._layout, *PRESETS.values()):
            for stack in (*layout.left, *layout.right, *layout.bottom):
                beside = [other for other in stack if other != name and self.is_open(other)]
                if name in stack and beside:
                    self._window.tabifyDockWidget(self._docks[beside[0]], self._docks[name])
                    return
        for other in self._layout.right[0] if name in self._loose and self._layout.right else ():
            if other != name and self.is_open(other):
                self._window.tabifyDockWidget(self._docks[other], self._docks[name])
                return
        self._window.addDockWidget(_AREAS.RightDockWidgetArea, self._docks[name])

    # --- layouts --------------------------------------------------------------------------------

    def arrange(self, layout: PanelLayout) -> None:
        """Put all panels where a layout has them."""
        self._layout = layout
        stays = [name for name in self._loose if self.is_open(name)]
        for dock in self._docks.values():
            dock.setFloating(False)
            self._window.removeDockWidget(dock)
        sides = (
            (layout.left, _AREAS.LeftDockWidgetArea), (layout.right, _AREAS.RightDockWidgetArea),
            (layout.bottom, _AREAS.BottomDockWidgetArea),
        )  # fmt: skip
        for stacks, area in sides:
            for stack in stacks:
                self._stack([name for name in stack if name in self._docks], area)
        for name in stays:
            self.open(name)
        self._dress()
        # Docks that were just added have no geometry yet to be measured.
        QTimer.singleShot(0, self._share_room)

    def _stack(self, names: list[str], area: Qt.DockWidgetArea) -> None:
        docks = [self._docks[name] for name in names]
        for at, dock in enumerate(docks):
            self._window.addDockWidget(area, dock)
            if at:
                self._window.tabifyDockWidget(docks[0], dock)
            dock.show()
        if docks:
            docks[0].raise_()

    def _share_room(self) -> None:
        layout, window = self._layout, self._window
        across, down = Qt.Orientation.Horizontal, Qt.Orientation.Vertical
        ends = [(stacks, width) for stacks, width in
                zip((layout.left, layout.right), layout.widths, strict=True)]  # fmt: skip
        columns = [(self._front(stacks[0]), share) for stacks, share in ends if stacks]
        # Below these widths a panel says nothing any more.
        widths = [(dock, max(190 + 100 * at, int(share * window.width())))
                  for at, (dock, share) in enumerate(columns) if dock is not None]  # fmt: skip
        window.resizeDocks([dock for dock, _ in widths], [size for _, size in widths], across)
        room = window.height()
        rows = [self._front(stack) for stack in layout.right]
        shares = layout.heights or (1.0,) * len(rows)
        heights = [
            (dock, int(share * room))
            for dock, share in zip(rows, shares, strict=True)
            if dock is not None
        ]
        window.resizeDocks([dock for dock, _ in heights], [size for _, size in heights], down)
        bottoms = [dock for stack in layout.bottom if (dock := self._front(stack)) is not None]
        window.resizeDocks(bottoms, [int(layout.timeline * room)] * len(bottoms), down)

    def _front(self, stack: Iterable[str]) -> QDockWidget | None:
        return next((self._docks[name] for name in stack if name in self._docks), None)

    def state(self) -> str:
        """The arrangement of all panels, as text."""
        packed = self._window.saveState(_VERSION).toBase64().data().decode()
        width, height = max(1, self._window.width()), max(1, self._window.height())
        shares = {
            name: (round(dock.width() / width, 4), round(dock.height() / height, 4))
            for name, dock in self._docks.items()
            if self.is_in_sight(name) and not dock.isFloating()
        }
        return json.dumps({"qt": packed, "shares": shares})

    def restore(self, state: str) -> bool:
        """Put everything as it was; False if that is of another version or makes no sense."""
        try:
            layout = msgspec.json.decode(state, type=_State)
        except msgspec.MsgspecError:
            return False
        qt_state = QByteArray.fromBase64(layout.qt.encode())
        if qt_state.isEmpty():
            return False
        for dock in self._docks.values():
            self._window.addDockWidget(_AREAS.RightDockWidgetArea, dock)
            dock.hide()
        if not self._window.restoreState(qt_state, _VERSION):
            return False
        self._dress()
        self._shares = layout.shares
        QTimer.singleShot(0, self._scale)
        return True

    def _scale(self) -> None:
        """Give panels their shares of this window, which may be of another size."""
        found = [(self._docks[name], share) for name, share in self._shares.items()
                 if name in self._docks]  # fmt: skip
        window, docks = self._window, [dock for dock, _ in found]
        for way, sizes in (
            (Qt.Orientation.Horizontal, [int(across * window.width()) for _, (across, _) in found]),
            (Qt.Orientation.Vertical, [int(down * window.height()) for _, (_, down) in found]),
        ):
            window.resizeDocks(docks, [max(1, min(size, 16_384)) for size in sizes], way)

    # --- titles ---------------------------------------------------------------------------------

    def _moved(self) -> None:
        self._dressing.start(0)

    def _dress(self) -> None:
        """Panels that share one area have tabs with their names: they need no titles."""
        for dock in self._docks.values():
            beside = [one for one in self._window.tabifiedDockWidgets(dock) if not one.isHidden()]
            bar = dock.titleBarWidget()
            if isinstance(bar, TitleBar):
                bar.set_collapsed(bool(beside) and not dock.isFloating())
        for bar in self._window.findChildren(QTabBar):
            self._tabs.dress(bar)
        self._frame.follow(self._focused())
        self.changed.emit()

    # --- the keyboard ---------------------------------------------------------------------------

    def focus(self, name: str) -> None:
        """Have the keyboard in a panel, which comes to the front; empty for the world."""
        self.current = name
        if name:
            self.open(name)
            panel = self.panel(name)
            inside = panel if isinstance(panel, PaintedPanel) else panel.focusProxy()
            target = inside or panel.findChild(PaintedPanel) or panel
            if target.focusPolicy() == Qt.FocusPolicy.NoFocus:
                target.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
            target.setFocus(Qt.FocusReason.TabFocusReason)
        else:
            middle = self._window.centralWidget()
            if middle is not None:
                middle.setFocus(Qt.FocusReason.OtherFocusReason)
        self._frame.follow(self._focused())
        self.changed.emit()

    def focus_next(self, direction: int) -> str:
        """The keyboard goes to the next panel in sight, and in the end to the world."""
        ring = ["", *(name for name in self._docks if self.is_in_sight(name))]
        at = ring.index(self.current) if self.current in ring else 0
        self.focus(ring[(at + direction) % len(ring)])
        return self.current

    def panel_under_mouse(self) -> str:
        """The panel under the mouse, else the one in focus; empty for the world."""
        for name, dock in self._docks.items():
            if dock.isVisible() and dock.underMouse() and self.is_in_sight(name):
                return name
        return self.current

    def filter(self, name: str) -> bool:
        """Have the keyboard in a panel's filter; False if it has none."""
        box = getattr(self.panel(name), "filter", None) if name in self._docks else None
        if isinstance(box, QLineEdit):
            self.open(name)
            box.setFocus()
            box.selectAll()
            return True
        if callable(box):
            self.open(name)
            box()
            return True
        return False

    def _focused(self) -> QWidget | None:
        return self._docks.get(self.current)
