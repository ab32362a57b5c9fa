"""Actions: what each key of the table does to the window."""

from functools import partial

from ...errors import CommandError
from ...playback.commands import Advance, LoopOff
from ...playback.playback_state import Mode
from ...playback.recording_url import RecordingLink
from ..backends.playback_backend import LinkState
from ..input.key_event_names import time_command
from ..search.expression_entries import TypedExpression, typed_expression, vocabulary_of
from ..search.fuzzy_search import SearchItem
from ..search.recording_content_entries import typed_times
from ..toolkit import palette
from ..toolkit.qt import QApplication, QInputDialog, QMenu, Qt
from ..toolkit.theme import SCALES, text_scale
from ..widgets.painted_panel import PaintedPanel
from .main_window_base import ViewerWindow


class ActionHandlers:
    """One method for each `Action.method`, and some that menus share with them."""

    def __init__(self, window: ViewerWindow) -> None:
        self._window = window

    # --- time -----------------------------------------------------------------------------------

    def move_time(self, key: str) -> None:
        store = self._window.store
        command = time_command(key, store.playback)
        if isinstance(command, Advance) and store.backend_state.link is not LinkState.CONNECTED:
            store.message.emit("There is no game here that could run on: this is its recording")
        elif command is not None:
            store.send(command)
        elif key == "A":
            runs = store.playback.mode is Mode.LIVE
            store.message.emit(
                "The game runs: Space pauses it"
                if runs
                else "The game runs on from its newest frame only: End goes there"
            )

    def next_problem(self, direction: int) -> None:
        self._window.store.next_problem(direction)

    def next_event(self, direction: int) -> None:
        self._window.store.next_event(direction)

    def next_mark(self, direction: int) -> None:
        self._window.store.next_mark(direction)

    def next_hit(self, direction: int) -> None:
        hits = self._window.hits
        if hits.text:
            hits.step(direction)
        else:
            self.find()

    def next_plan_node(self, direction: int) -> None:
        self._window.plan.controller.go("node", direction)

    def next_plan_validation(self, direction: int) -> None:
        self._window.plan.controller.go("validation", direction)

    def next_plan_rule(self, direction: int) -> None:
        self._window.plan.controller.go("rule", direction)

    def go_back(self, direction: int) -> None:
        self._window.store.go_back(direction)

    def type_time(self) -> None:
        self._window.transport.type_time()

    def next_format(self) -> None:
        """Show times in the next format, and remember it."""
        window = self._window
        format = window.time_format.choose_next()
        window.settle("time", format.value)

    # --- what is selected and seen --------------------------------------------------------------

    def next_object(self, direction: int) -> None:
        """The agents one after another; without agents, all objects."""
        store = self._window.store
        snapshot = store.snapshot
        if snapshot is None:
            return
        agents = [agent for agent in store.history.agents() if agent in snapshot.objects]
        ids = agents or sorted(snapshot.objects)
        if ids:
            at = ids.index(store.selected) if store.selected in ids else -1
            store.select(ids[(at + direction) % len(ids)])

    def pin(self) -> None:
        self._window.timeline.pin()

    def escape(self) -> None:
        """Close what lies over the window, else end the search, the loop, or select nothing."""
        window = self._window
        if window.shortcuts.isVisible():
            window.shortcuts.hide()
        elif window.search_popup.isVisible():
            window.search_popup.dismiss()
        elif window.banner.isVisible():
            window.banner.dismiss()
        elif window.hits.text:
            window.hits.clear()
        elif window.store.playback.loop is not None:
            window.store.send(LoopOff())
        else:
            window.store.select(0)

    def zoom(self, factor: float) -> None:
        self._window.timeline.zoom(factor)

    def fit(self) -> None:
        self._window.timeline.fit()

    def focus(self) -> None:
        self._window.world.focus()
        self._window.timeline.reveal()

    def toggle_top(self) -> None:
        self._window.world.toggle_top()

    def toggle_follow(self) -> None:
        self._window.world.toggle_follow()

    def toggle_recorded(self) -> None:
        self._window.world.toggle_recorded()

    def see_all(self) -> None:
        self._window.world.see_all()

    def dolly(self, factor: float) -> None:
        self._window.world.dolly(factor)

    def turn(self, radians: float) -> None:
        self._window.world.orbit(radians, 0.0)

    def rise(self, radians: float) -> None:
        self._window.world.orbit(0.0, radians)

    def switch(self, number: int) -> None:
        self._window.objects.switch(number)

    def switch_level(self, number: int) -> None:
        self._window.log.switch_level(number)

    # --- panels ---------------------------------------------------------------------------------

    def find(self) -> None:
        if not self._window.shortcuts.pending_action:
            self._window.shortcuts.hide()
            self._window.search_popup.open()

    def filter(self) -> None:
        """The filter of the panel under the mouse or in focus; of the objects if it has none."""
        docks = self._window.docks
        if not docks.filter(docks.panel_under_mouse()):
            docks.filter("Objects")

    def next_panel(self, direction: int) -> None:
        name = self._window.docks.focus_next(direction)
        self._window.store.message.emit(f"{name or 'World'}   ·   F6 next panel, Ctrl+F filter")

    def close_panel(self) -> None:
        docks = self._window.docks
        if docks.current:
            docks.close_panel(docks.current)
        else:
            self._window.store.message.emit("F6 goes to a panel, Ctrl+W closes it")

    def choose_layout(self) -> None:
        self._window.search_popup.open("layout ")

    def save_layout(self) -> None:
        """Ask for a name, and save the arrangement of the panels under it."""
        name, given = QInputDialog.getText(self._window, "Save this layout", "Name")
        if given:
            self._window.layouts.save(name.strip())

    def offer_layouts(self, menu: QMenu) -> None:
        """Fill a menu with layouts and panels."""
        window = self._window
        for name in window.layouts.names:
            menu.addAction(name, partial(window.layouts.arrange, name))
        menu.addSeparator()
        menu.addAction("Save this layout …", self.save_layout)
        saved = window.layouts.saved.names
        if saved:
            forget = QMenu("Forget a layout", menu)
            for name in saved:
                forget.addAction(name, partial(window.layouts.forget, name))
            menu.addMenu(forget)
        menu.addSeparator()
        for name in window.docks.names:
            action = menu.addAction(name, partial(self.toggle_panel, name))
            assert action is not None
            action.setCheckable(True)
            action.setChecked(window.docks.is_open(name))

    def toggle_panel(self, name: str) -> None:
        """Close a panel, or bring it back."""
        docks = self._window.docks
        if docks.is_open(name):
            docks.close_panel(name)
        else:
            docks.open(name)

    def place(self) -> None:
        """The menu of what can be put into an arena, and asked of its agents."""
        self._window.docks.focus("Arena")
        self._window.arena.open_menu()

    def next_theme(self) -> None:
        """The other theme, and remember it."""
        self._window.wear("light" if palette.theme() == "dark" else "dark", None)

    def text_size(self, step: int) -> None:
        """Larger or smaller text, or, with 0, the usual one; and remember it."""
        nearest = min(range(len(SCALES)), key=lambda at: abs(SCALES[at] - text_scale()))
        scale_index = min(max(nearest + step, 0), len(SCALES) - 1)
        self._window.wear(None, SCALES[scale_index] if step else 1.0)

    def full_screen(self) -> None:
        window = self._window
        window.setWindowState(window.windowState() ^ Qt.WindowState.WindowFullScreen)

    def show_keys(self) -> None:
        self._window.shortcuts.toggle()

    def typed(self, text: str) -> list[SearchItem]:
        """Where the search popup's line itself leads to, if it is an instant or a link."""
        window = self._window
        found = typed_times(
            text, window.store.cursor or 0.0, window.store.send,
            {mark.name for mark in window.store.history.marks},
        )  # fmt: skip
        try:
            link = RecordingLink.of(text)
        except CommandError:
            return found
        return [SearchItem("time", text.strip(), "open this link", lambda: window.open_link(link))]

    def typed_expression(self, text: str, cursor: int) -> TypedExpression:
        """The search popup's line as an expression to be found in time."""
        store = self._window.store
        words = vocabulary_of(store.snapshot, store.history)
        return typed_expression(text, cursor, words, self._window.hits.start)

    # --- files, links, sources ------------------------------------------------------------------

    def mark(self) -> None:
        self._window.annotations.mark()

    def save(self) -> None:
        self._window.annotations.save()

    def open_file(self) -> None:
        self._window.open_controller.open_file()

    def connect_to(self) -> None:
        self._window.open_controller.connect_to()

    def start_demo(self) -> None:
        self._window.open_controller.start_demo()

    def open_settings(self) -> None:
        self._window.open_settings()

    def paste_link(self) -> None:
        clipboard = QApplication.clipboard()
        self._window.open_controller.paste("" if clipboard is None else clipboard.text())

    def copy_link(self) -> None:
        """A link that leads back to this frame and object; or a broken panel's traceback."""
        window = self._window
        broken = next(
            (panel.error_text for panel in window.findChildren(PaintedPanel) if panel.error_text),
            "",
        )
        if broken:
            self.copy(broken, "the traceback")
            return
        text = str(window.link)
        self.copy(text, text)

    def copy_text(self) -> None:
        """What the panel in focus shows, as plain text; without one, the world's."""
        focus = QApplication.focusWidget()
        panel = focus if isinstance(focus, PaintedPanel) else self._window.world
        self.copy(panel.text(), f"{panel.accessibleName()} as text")

    def copy(self, text: str, what: str) -> None:
        """Put a text into the clipboard, and say so."""
        clipboard = QApplication.clipboard()
        if clipboard is not None:
            clipboard.setText(text)
            self._window.store.message.emit(f"Copied {what}")

    def open_shown_source(self) -> None:
        """The source of the failed check that is shown, else of the last decision."""
        window = self._window
        store = window.store
        if window.banner.check is not None:
            window.banner.open_source()
            return
        for (agent, _), trace in (
            store.snapshot.states.items() if store.snapshot is not None else ()
        ):
            if agent == store.selected and trace.file:
                store.source_requested.emit(trace.file, trace.line)
                return
        store.message.emit(
            "No source is named here: select an agent that has decided something, or go to a"
            " failed check"
        )
