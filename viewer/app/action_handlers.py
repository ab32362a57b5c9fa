"""Actions: what each key of the table does to the window."""

from functools import partial
from typing import TYPE_CHECKING

from ...errors import CommandError
from ...playback.commands import Advance, LoopOff
from ...playback.playback_state import Mode
from ...playback.recording_link import RecordingLink
from ..backends.playback_backend import LinkState
from ..input.key_names import time_command
from ..search.fuzzy_search import SearchItem
from ..search.recording_entries import typed_times
from ..toolkit.numpy_painting import Panel
from ..toolkit.qt import QApplication, QInputDialog, QMenu, Qt

if TYPE_CHECKING:
    from .main_window import MainWindow


class ActionHandlers:
    """One method for each `Action.method`, and some that menus share with them."""

    def __init__(self, window: "MainWindow") -> None:
        self._window = window

    # --- time -----------------------------------------------------------------------------------

    def move_time(self, key: str) -> None:
        clock = self._window.clock
        command = time_command(key, clock.shown)
        if isinstance(command, Advance) and clock.standing.link is not LinkState.CONNECTED:
            clock.said.emit("There is no game here that could run on: this is its recording")
        elif command is not None:
            clock.send(command)
        elif key == "A":
            runs = clock.shown.mode is Mode.LIVE
            clock.said.emit(
                "The game runs: Space pauses it"
                if runs
                else "The game runs on from its newest frame only: End goes there"
            )

    def next_problem(self, direction: int) -> None:
        self._window.clock.next_problem(direction)

    def next_event(self, direction: int) -> None:
        self._window.clock.next_event(direction)

    def next_mark(self, direction: int) -> None:
        self._window.clock.next_mark(direction)

    def go_back(self, direction: int) -> None:
        self._window.clock.go_back(direction)

    def type_time(self) -> None:
        self._window.transport.type_time()

    def next_format(self) -> None:
        """Tell times in the next way, and remember it."""
        window = self._window
        format = window.telling.choose_next()
        window.settle("time", format.value)

    # --- what is selected and seen --------------------------------------------------------------

    def next_object(self, direction: int) -> None:
        """The agents one after another; without agents, all objects."""
        clock = self._window.clock
        moment = clock.moment
        if moment is None:
            return
        agents = [agent for agent in clock.history.agents() if agent in moment.objects]
        ids = agents or sorted(moment.objects)
        if ids:
            at = ids.index(clock.selected) if clock.selected in ids else -1
            clock.select(ids[(at + direction) % len(ids)])

    def pin(self) -> None:
        self._window.timeline.pin()

    def escape(self) -> None:
        """Close what lies over the window, else end the loop, else select nothing."""
        window = self._window
        if window.sheet.isVisible():
            window.sheet.hide()
        elif window.finder.isVisible():
            window.finder.close_up()
        elif window.banner.isVisible():
            window.banner.dismiss()
        elif window.clock.shown.loop is not None:
            window.clock.send(LoopOff())
        else:
            window.clock.select(0)

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
        if not self._window.sheet.asking:
            self._window.sheet.hide()
            self._window.finder.open()

    def filter(self) -> None:
        """The filter of the panel under the mouse or in focus; of the objects if it has none."""
        docking = self._window.docking
        if not docking.filter(docking.at_hand()):
            docking.filter("Objects")

    def next_panel(self, direction: int) -> None:
        name = self._window.docking.focus_next(direction)
        self._window.clock.said.emit(f"{name or 'World'}   ·   F6 next panel, Ctrl+F filter")

    def close_panel(self) -> None:
        docking = self._window.docking
        if docking.current:
            docking.close_panel(docking.current)
        else:
            self._window.clock.said.emit("F6 goes to a panel, Ctrl+W closes it")

    def choose_layout(self) -> None:
        self._window.finder.open("layout ")

    def save_layout(self) -> None:
        """Ask for a name, and keep how everything stands under it."""
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
        for name in window.docking.names:
            action = menu.addAction(name, partial(self.toggle_panel, name))
            assert action is not None
            action.setCheckable(True)
            action.setChecked(window.docking.is_open(name))

    def toggle_panel(self, name: str) -> None:
        """Close a panel, or bring it back."""
        docking = self._window.docking
        if docking.is_open(name):
            docking.close_panel(name)
        else:
            docking.open(name)

    def place(self) -> None:
        """The menu of what can be put into an arena, and asked of its agents."""
        self._window.docking.focus("Arena")
        self._window.arena.pop_up()

    def full_screen(self) -> None:
        window = self._window
        window.setWindowState(window.windowState() ^ Qt.WindowState.WindowFullScreen)

    def show_keys(self) -> None:
        self._window.sheet.toggle()

    def typed(self, text: str) -> list[SearchItem]:
        """Where the finder's line itself leads to, if it is an instant or a link."""
        window = self._window
        found = typed_times(
            text, window.clock.cursor or 0.0, window.clock.send,
            {mark.name for mark in window.clock.history.marks},
        )  # fmt: skip
        try:
            link = RecordingLink.of(text)
        except CommandError:
            return found
        return [SearchItem("time", text.strip(), "open this link", lambda: window.open_link(link))]

    # --- files, links, sources ------------------------------------------------------------------

    def mark(self) -> None:
        self._window.keeper.mark()

    def save(self) -> None:
        self._window.keeper.save()

    def open_file(self) -> None:
        self._window.opening.open_file()

    def connect_to(self) -> None:
        self._window.opening.connect_to()

    def start_demo(self) -> None:
        self._window.opening.start_demo()

    def open_settings(self) -> None:
        self._window.open_settings()

    def paste_link(self) -> None:
        clipboard = QApplication.clipboard()
        self._window.opening.paste("" if clipboard is None else clipboard.text())

    def copy_link(self) -> None:
        """A link that leads back to this frame and object; or a broken panel's traceback."""
        window = self._window
        broken = next((panel.trouble for panel in window.findChildren(Panel) if panel.trouble), "")
        if broken:
            self.copy(broken, "the traceback")
            return
        text = str(window.link)
        self.copy(text, text)

    def copy_text(self) -> None:
        """What the panel in focus shows, as plain text; without one, the world's."""
        focus = QApplication.focusWidget()
        panel = focus if isinstance(focus, Panel) else self._window.world
        self.copy(panel.text(), f"{panel.accessibleName()} as text")

    def copy(self, text: str, what: str) -> None:
        """Put a text into the clipboard, and say so."""
        clipboard = QApplication.clipboard()
        if clipboard is not None:
            clipboard.setText(text)
            self._window.clock.said.emit(f"Copied {what}")

    def open_shown_source(self) -> None:
        """The source of the failed check that is shown, else of the last decision."""
        window = self._window
        clock = window.clock
        if window.banner.said is not None:
            window.banner.open_source()
            return
        for (agent, _), trace in clock.moment.states.items() if clock.moment is not None else ():
            if agent == clock.selected and trace.file:
                clock.source_wanted.emit(trace.file, trace.line)
                return
        clock.said.emit(
            "No source is named here: select an agent that has decided something, or go to a"
            " failed check"
        )
