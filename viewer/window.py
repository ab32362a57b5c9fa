"""The window: the docks around one clock, the keys, and what they do."""

from pathlib import Path
from urllib.parse import quote

from ..errors import PlayheadError
from ..playback.command import Command
from ..playback.shown import Mode
from .card import Card
from .clock import Clock
from .docks.inspector import InspectorDock
from .docks.log import LogDock
from .docks.machine import MachineDock
from .docks.objects import ObjectsDock
from .docks.plots import PlotsDock
from .docks.timeline import TimelineDock
from .docks.tree import TreeDock
from .docks.world import WorldDock
from .keys import KEYS, name_of, sheet, time_command
from .layers import Layers
from .models.deck import Link
from .models.target import Target, target_of
from .painting import Panel
from .qt import (
    QApplication,
    QCloseEvent,
    QDockWidget,
    QDragEnterEvent,
    QDropEvent,
    QEvent,
    QFileDialog,
    QInputDialog,
    QKeyEvent,
    QLineEdit,
    QMainWindow,
    QObject,
    QStackedWidget,
    Qt,
    QTabWidget,
    QTimer,
    QWidget,
)
from .sheet import Sheet
from .status import StatusBar
from .transport import Transport


class Window(QMainWindow):
    """Everything on one target. Opening another one makes the docks anew.

    Args:
        target: What is viewed.
        focus: The object to be selected; 0 for the likeliest.
        commands: Where to go first.
    """

    def __init__(
        self, target: Target, *, focus: int = 0, commands: tuple[Command, ...] = ()
    ) -> None:
        super().__init__()
        self.setAcceptDrops(True)
        self.setDockNestingEnabled(True)
        self.setTabPosition(Qt.DockWidgetArea.AllDockWidgetAreas, QTabWidget.TabPosition.North)
        self._docks: list[QDockWidget] = []
        self._sheet: Sheet | None = None
        self._open(target, focus, commands)
        app = QApplication.instance()
        assert app is not None
        app.installEventFilter(self)

    def _open(self, target: Target, focus: int = 0, commands: tuple[Command, ...] = ()) -> None:
        self.clock = Clock(target, focus=focus)
        self.layers = Layers()
        self.transport = Transport(self.clock)
        self.world = WorldDock(self.clock, self.layers)
        self.card = Card(self.clock)
        self.card.wants_file.connect(self.open_file)
        self.card.wants_service.connect(self.connect_to)
        self.stack = QStackedWidget()
        self.stack.addWidget(self.card)
        self.stack.addWidget(self.world)
        self.status = StatusBar(self.clock)
        self.setStatusBar(self.status)
        self.setMenuWidget(self.transport)
        self.setCentralWidget(self.stack)
        self._make_panels()
        self.clock.moved.connect(self._moved)
        self.clock.moved.connect(self._entitle)
        self.clock.stood.connect(self._entitle)
        self._entitle()
        self.clock.start(*commands)

    def _entitle(self) -> None:
        """The title says where one stands; while frames pass it stays as it is."""
        title = self.clock.standing.title
        if self.clock.moment is not None and self.clock.shown.mode is Mode.PAUSED:
            title += f" · frame {self.clock.frame}"
        title += " — playhead"
        if title != self.windowTitle():
            self.setWindowTitle(title)

    # --- docks ----------------------------------------------------------------------------------

    def _make_panels(self) -> None:
        self.objects = ObjectsDock(self.clock, self.layers)
        self.inspector = InspectorDock(self.clock)
        self.tree = TreeDock(self.clock)
        self.log = LogDock(self.clock)
        self.machine = MachineDock(self.clock)
        self.timeline = TimelineDock(self.clock)
        self.plots = PlotsDock(self.clock, self.timeline.scale)

    def _place_docks(self) -> None:
        area = Qt.DockWidgetArea
        self.setCorner(Qt.Corner.BottomRightCorner, area.RightDockWidgetArea)
        self.setCorner(Qt.Corner.BottomLeftCorner, area.BottomDockWidgetArea)
        objects = self._dock("Objects", self.objects, area.LeftDockWidgetArea)
        inspector = self._dock("Inspector", self.inspector, area.RightDockWidgetArea)
        plots = self._dock("Plots", self.plots, area.RightDockWidgetArea)
        machine = self._dock("State machine", self.machine, area.RightDockWidgetArea)
        log = self._dock("Log", self.log, area.RightDockWidgetArea)
        tree = self._dock("Behaviour tree", self.tree, area.RightDockWidgetArea)
        timeline = self._dock("Timeline", self.timeline, area.BottomDockWidgetArea)
        self._tabbed(inspector, plots)
        self._tabbed(log, tree)
        self._shares = (
            ((objects, inspector), (0.12, 0.225), Qt.Orientation.Horizontal),
            ((inspector, machine, log), (0.34, 0.40, 0.26), Qt.Orientation.Vertical),
            ((timeline,), (0.36,), Qt.Orientation.Vertical),
        )
        # Docks that were just added have no place yet to be measured.
        QTimer.singleShot(0, self._share_room)

    def _share_room(self) -> None:
        for docks, shares, way in self._shares:
            whole = self.width() if way is Qt.Orientation.Horizontal else self.height()
            self.resizeDocks(docks, [int(share * whole) for share in shares], way)

    def _tabbed(self, front: QDockWidget, *others: QDockWidget) -> None:
        """Docks in one place: their tabs name them, so that they need no titles."""
        for dock in (front, *others):
            dock.setTitleBarWidget(QWidget())
        for dock in others:
            self.tabifyDockWidget(front, dock)
        front.raise_()

    def _dock(self, name: str, widget: QWidget, area: Qt.DockWidgetArea) -> QDockWidget:
        dock = QDockWidget(name, self)
        dock.setObjectName(name)
        dock.setFeatures(
            QDockWidget.DockWidgetFeature.DockWidgetMovable
            | QDockWidget.DockWidgetFeature.DockWidgetFloatable
        )
        dock.setWidget(widget)
        self.addDockWidget(area, dock)
        self._docks.append(dock)
        return dock

    def _moved(self) -> None:
        """With nothing to look at there is only the card; docks come with the first frame."""
        if self.clock.moment is not None and self.stack.currentWidget() is self.card:
            self.stack.setCurrentWidget(self.world)
            if not self._docks:
                self._place_docks()

    # --- what keys do ---------------------------------------------------------------------------

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:  # noqa: N802
        """Keys work wherever the mouse is, but not while a text is typed."""
        if (
            isinstance(event, QKeyEvent)
            and event.type() == QEvent.Type.KeyPress
            and watched is not None
        ):
            mine = isinstance(watched, QWidget) and watched.window() is self
            if mine and not isinstance(QApplication.focusWidget(), QLineEdit):
                return self.press(event)
        return super().eventFilter(watched, event)

    def press(self, event: QKeyEvent) -> bool:
        """Do what a key stands for; False if it stands for nothing."""
        if self.world.fly(event):
            return True
        name = name_of(event)
        key = KEYS.get(name)
        if key is not None:
            action = getattr(self, key.action)
            action() if key.value is None else action(key.value)
            return True
        command = time_command(name, self.clock.shown)
        if command is not None:
            self.clock.send(command)
        elif name == "Escape":
            self._escape()
        return command is not None or name in ("Escape", "Space", "End")

    def _escape(self) -> None:
        if self._sheet is not None and self._sheet.isVisible():
            self._sheet.hide()
        else:
            self.clock.select(0)

    def next_problem(self, direction: int) -> None:
        self.clock.next_problem(direction)

    def next_event(self, direction: int) -> None:
        self.clock.next_event(direction)

    def next_mark(self, direction: int) -> None:
        self.clock.next_mark(direction)

    def go_back(self, direction: int) -> None:
        self.clock.go_back(direction)

    def zoom(self, factor: float) -> None:
        self.timeline.zoom(factor)

    def fit(self) -> None:
        self.timeline.fit()

    def focus(self) -> None:
        self.world.focus()

    def toggle_top(self) -> None:
        self.world.toggle_top()

    def toggle_follow(self) -> None:
        self.world.toggle_follow()

    def switch(self, number: int) -> None:
        self.objects.switch(number)

    def next_object(self, direction: int) -> None:
        """The agents one after another; without agents, all objects."""
        moment = self.clock.moment
        if moment is None:
            return
        agents = [agent for agent in self.clock.history.agents() if agent in moment.objects]
        ids = agents or sorted(moment.objects)
        if ids:
            at = ids.index(self.clock.selected) if self.clock.selected in ids else -1
            self.clock.select(ids[(at + direction) % len(ids)])

    def filter(self) -> None:
        self.objects.filter.setFocus()
        self.objects.filter.selectAll()

    def type_time(self) -> None:
        self.transport.time.setFocus()
        self.transport.time.selectAll()

    def copy_link(self) -> None:
        """A link that leads back to this frame and object; or a broken panel's traceback."""
        clipboard = QApplication.clipboard()
        if clipboard is None:
            return
        broken = next((panel.trouble for panel in self.panels() if panel.trouble), "")
        if broken:
            clipboard.setText(broken)
            self.clock.said.emit("Copied the traceback")
            return
        link = f"playhead://{quote(self.clock.standing.title)}#frame={self.clock.frame}"
        if self.clock.selected:
            link += f"&focus={self.clock.selected}"
        clipboard.setText(link)
        self.clock.said.emit(f"Copied {link}")

    def full_screen(self) -> None:
        self.setWindowState(self.windowState() ^ Qt.WindowState.WindowFullScreen)

    def show_keys(self) -> None:
        if self._sheet is None:
            self._sheet = Sheet(self, sheet())
        self._sheet.toggle()

    def panels(self) -> list[Panel]:
        """What is painted here."""
        return [
            self.world, self.timeline, self.inspector, self.plots, self.machine, self.tree,
            self.objects.list, self.log.list,
        ]  # fmt: skip

    # --- opening --------------------------------------------------------------------------------

    def open_file(self) -> None:
        """Ask for a clip or a ring, and view it instead."""
        name, _ = QFileDialog.getOpenFileName(
            self, "Open a recording", "", "Recordings (*.mcap *.ring);;All files (*)"
        )
        if name:
            self.view(name)

    def connect_to(self) -> None:
        """Ask for an address, and view what is there instead."""
        before = self.clock.standing.title if self.clock.standing.link is Link.NOTHING else ""
        text, given = QInputDialog.getText(
            self, "Connect to a game", "Address, such as 5670 or tcp://10.0.0.5:5670", text=before
        )
        if given and text.strip():
            self.view(text)

    def view(self, text: str) -> None:
        """View something else instead."""
        try:
            target = target_of(text)
        except PlayheadError as error:
            self.clock.said.emit(str(error))
            return
        old = self.clock
        for dock in self._docks:
            self.removeDockWidget(dock)
            dock.deleteLater()
        self._docks.clear()
        old.close()
        self._open(target)
        old.deleteLater()

    def dragEnterEvent(self, event: QDragEnterEvent | None) -> None:  # noqa: N802
        assert event is not None
        if _dropped(event):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent | None) -> None:  # noqa: N802
        assert event is not None
        self.view(_dropped(event))

    def closeEvent(self, event: QCloseEvent | None) -> None:  # noqa: N802
        app = QApplication.instance()
        if app is not None:
            app.removeEventFilter(self)
        self.clock.close()
        super().closeEvent(event)


def _dropped(event: QDropEvent) -> str:
    """The file that is dragged; empty if it is none."""
    data = event.mimeData()
    urls = data.urls() if data is not None else []
    path = urls[0].toLocalFile() if urls else ""
    return path if path and Path(path).is_file() else ""
