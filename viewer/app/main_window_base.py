"""The parts of a main window, and what keys, links and commands do to all of them."""

import os

from ...errors import CommandError
from ...playback.commands import SeekFrame
from ...playback.recording_url import RecordingLink
from ..panels.arena.arena_tools_panel import ArenaPanel
from ..panels.log.log_panel import LogPanel
from ..panels.objects.objects_panel import ObjectsPanel
from ..panels.plan.plan_panel import PlanPanel
from ..panels.timeline.timeline_panel import TimelinePanel
from ..panels.world.world_panel import WorldPanel
from ..scene.display_layers import Layers
from ..state.expression_hits import ExpressionHits
from ..state.settings import ViewerSettings
from ..state.shared_pins_and_histories import PanelContext
from ..state.viewer_store import ViewerStore
from ..toolkit.qt import QApplication, QMainWindow
from ..toolkit.theme import apply_theme, text_scale
from ..toolkit.time_format_choice import TimeFormat
from ..widgets.failed_check_banner import FailureBanner
from ..widgets.painted_panel import PaintedPanel
from ..widgets.search_popup import SearchPopup
from ..widgets.shortcut_overlay import ShortcutOverlay
from ..widgets.status_bar import StatusBar
from ..widgets.transport_bar import TransportBar
from .dock_manager import DockManager
from .layout_manager import LayoutManager
from .mark_and_clip_controller import AnnotationController
from .open_controller import OpenController
from .source_editor import SourceEditor


class ViewerWindow(QMainWindow):
    """A window with all its parts. `MainWindow` makes them, again for each recording."""

    settings: ViewerSettings
    store: ViewerStore
    hits: ExpressionHits
    editor: SourceEditor
    layers: Layers
    time_format: TimeFormat
    layouts: LayoutManager
    open_controller: OpenController
    annotations: AnnotationController

    transport: TransportBar
    banner: FailureBanner
    status: StatusBar
    search_popup: SearchPopup
    shortcuts: ShortcutOverlay

    docks: DockManager
    arena: ArenaPanel
    log: LogPanel
    objects: ObjectsPanel
    plan: PlanPanel
    timeline: TimelinePanel
    world: WorldPanel

    def settle(self, name: str, value: str) -> None:
        """Keep a setting; if that can't be, it holds for this window."""
        try:
            self.settings.set(name, value)
        except CommandError as error:
            self.store.message.emit(str(error))

    def wear(self, theme: str | None, scale: float | None) -> None:
        """Use a theme or a text size, and keep it for the next window; None for no change."""
        app = QApplication.instance()
        if isinstance(app, QApplication):
            apply_theme(app, theme, scale)
        if theme is not None:
            self.settle("theme", theme)
            self.store.message.emit(f"The {theme} theme")
        if scale is not None:
            self.settle("text_size", str(round(text_scale() * 100)))
            self.store.message.emit(f"Text at {text_scale():.0%}")
        self.redraw()

    def redraw(self) -> None:
        """Have everything painted anew: its colours have changed."""
        PanelContext.of(self.store).colors_changed.emit()
        self.repaint_panels()

    def repaint_panels(self) -> None:
        """Have all panels painted anew."""
        for panel in self.findChildren(PaintedPanel):
            panel.update()

    def come_up(self) -> None:
        """Be in front of other windows, as far as the system lets one; else ask for attention."""
        if self.isMinimized():
            self.showNormal()
        self.show()
        self.raise_()
        self.activateWindow()
        QApplication.alert(self)

    def open_source(self, file: str, line: int) -> None:
        """Show a line of the game's source in the user's editor."""
        try:
            self.store.message.emit(self.editor.open(file, line))
        except CommandError as error:
            self.store.message.emit(str(error))

    def open_settings(self) -> None:
        """Show the settings in the user's editor; a file that is not there yet is begun."""
        path = self.settings.path
        try:
            if not path.exists():
                self.settings.set("editor", self.settings.editor)
        except CommandError as error:
            self.store.message.emit(str(error))
        else:
            self.open_source(os.fspath(path), 1)

    def fault(self, text: str, trace: str) -> None:
        """Say a mistake of this program, with its traceback to be copied."""
        self.status.show_error(text, trace)

    @property
    def link(self) -> RecordingLink:
        """Leads back to this frame and object."""
        store = self.store
        command = SeekFrame(store.frame) if store.frame else None
        return RecordingLink.to(store.target.location, command, focus=store.selected)

    def open_link(self, link: RecordingLink, *, raise_window: bool = True) -> None:
        """Go where a link leads, in this recording or in another one."""
        self.open_controller.open_link(link)
        if raise_window:
            self.come_up()
