"""Asks for a mark's name or a clip's path inside the window, then saves the mark or the clip."""

from collections.abc import Callable
from pathlib import Path

from ...bus.messages.address import Address
from ...errors import CommandError
from ...recorder.packets.mark import Mark
from ..backends.annotation_store import AddMark, ChangeMark, SaveViewedClip
from ..backends.playback_backend import LinkState
from ..panels.timeline.overview_and_ruler_painter import TOP
from ..panels.timeline.timeline_panel import TimelinePanel
from ..state.shared_pins_and_histories import PanelContext
from ..state.viewer_store import ViewerStore
from ..toolkit.qt import (
    QApplication,
    QFileDialog,
    QFocusEvent,
    QKeyEvent,
    QLineEdit,
    QObject,
    QPoint,
    Qt,
    QWidget,
    pyqtSignal,
)
from ..toolkit.time_text import time_text

_WIDTH = 300


class NamePrompt(QLineEdit):
    """A line that is typed in place: Enter takes it, Escape and a click elsewhere give it up."""

    ended = pyqtSignal()
    """It is taken, or given up."""

    def __init__(
        self, window: QWidget, hint: str, text: str, done: Callable[[str], object]
    ) -> None:
        super().__init__(text, window)
        self._done = done
        self._before: QWidget | None = None
        self.setPlaceholderText(hint)
        self.setAccessibleName(hint)
        self.setFixedWidth(_WIDTH)
        self.returnPressed.connect(self._take)

    def show_at(self, point: QPoint) -> None:
        """Appear there, inside of the window."""
        parent = self.parentWidget()
        assert parent is not None
        self.adjustSize()
        x = min(max(point.x(), 8), max(8, parent.width() - self.width() - 8))
        y = min(max(point.y(), 8), max(8, parent.height() - self.height() - 8))
        self.move(x, y)
        self.show()
        self.raise_()
        self.selectAll()
        self._before = QApplication.focusWidget()
        self.setFocus()

    def _take(self) -> None:
        text = self.text()
        self._give_back()
        self._done(text)

    def _give_back(self) -> None:
        """Go away, and let the keyboard be where it was before."""
        before, self._before = self._before, None
        self.finish()
        if before is not None:
            before.setFocus()

    def finish(self) -> None:
        """Go away."""
        self.hide()
        self.ended.emit()
        self.deleteLater()

    def keyPressEvent(self, event: QKeyEvent | None) -> None:  # noqa: N802
        assert event is not None
        if event.key() == Qt.Key.Key_Escape:
            self._give_back()
        else:
            super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent | None) -> None:  # noqa: N802
        super().focusOutEvent(event)
        if self.isVisible():
            self.finish()


class AnnotationController(QObject):
    """Marks and clips of one recording, in one window."""

    def __init__(self, store: ViewerStore, window: QWidget) -> None:
        super().__init__(store)
        self.store = store
        self.context = PanelContext.of(store)
        self._window = window
        self.prompt: NamePrompt | None = None
        """What is being typed."""
        self.context.renaming.connect(self.rename)

    # --- marks ----------------------------------------------------------------------------------

    def mark(self) -> None:
        """Ask what to call this instant, and mark it; it is about the selected object."""
        store, snapshot = self.store, self.store.snapshot
        if snapshot is None:
            store.message.emit("There is no frame so far that could be marked")
            return
        frame, time, object = snapshot.frame, snapshot.time, store.selected
        hint = f"Mark {time_text(time)} as …   name: note"
        self._prompt(
            hint, "", time, lambda text: self.context.annotate(AddMark(frame, text, object))
        )

    def rename(self, mark: Mark) -> None:
        """Ask for a new name for a mark that was set by hand."""
        before = f"{mark.name}: {mark.note}" if mark.note else mark.name

        def done(text: str) -> None:
            if text.strip() and text != before:
                self.context.annotate(ChangeMark(mark, text))

        self._prompt("Name: note", before, mark.time, done)

    # --- clips ----------------------------------------------------------------------------------

    def save(self) -> None:
        """Ask where to, and save the loop, or everything that is held."""
        store = self.store
        span, loop_range = store.playback.span, store.playback.loop
        if span is None:
            store.message.emit("Nothing is recorded so far that could be saved")
            return
        start, end = loop_range or (span.start, span.end)
        what = f"{'the loop' if loop_range else 'all'}, {time_text(start)} … {time_text(end)}"
        name = f"{self._stem}-{start:.1f}-{end:.1f}.mcap" if loop_range else f"{self._stem}.mcap"
        if self._is_elsewhere:
            hint = f"File on the game's machine, for {what}"
            self._prompt(hint, name, store.cursor, lambda text: self._save(text, loop_range))
            return
        path, _ = QFileDialog.getSaveFileName(
            self._window, f"Save {what}", str(self._folder / name), "Clips (*.mcap)"
        )
        if path:
            self._save(path, loop_range)

    def _save(self, path: str, loop_range: tuple[float, float] | None) -> None:
        if path.strip():
            self.context.annotate(SaveViewedClip(path, loop_range))

    @property
    def _is_live(self) -> bool:
        return self.store.backend_state.link in (LinkState.CONNECTED, LinkState.LOST)

    @property
    def _is_elsewhere(self) -> bool:
        """Whether the game's files are not this machine's."""
        if not self._is_live:
            return False
        try:
            return not Address.of(self.store.backend_state.title).loopback
        except CommandError:
            return True

    @property
    def _stem(self) -> str:
        """What a clip may be called, without its ending."""
        if self._is_live:
            game = "".join(one if one.isalnum() else "-" for one in self.store.backend_state.game)
            return game.strip("-") or "game"
        stem = Path(self.store.backend_state.title).stem or "clip"
        # A clip can't be saved onto itself.
        return stem if self.store.playback.loop else f"{stem}-copy"

    @property
    def _folder(self) -> Path:
        """The folder for new recordings: that of the viewed one."""
        point = Path(self.store.target.location) if not self._is_live else Path()
        return point.parent if point.is_absolute() else Path.cwd()

    # --- the prompt -----------------------------------------------------------------------------

    def _prompt(
        self, hint: str, text: str, time: float | None, done: Callable[[str], object]
    ) -> None:
        if self.prompt is not None:
            self.prompt.finish()
        prompt = self.prompt = NamePrompt(self._window, hint, text, done)
        prompt.ended.connect(self._prompt_ended)
        prompt.show_at(self._place(time))

    def _prompt_ended(self) -> None:
        self.prompt = None

    def _place(self, time: float | None) -> QPoint:
        """The position of a time in the timeline; without one, the middle of the window."""
        for timeline in self._window.findChildren(TimelinePanel):
            if timeline.isVisible() and timeline.store is self.store and time is not None:
                x = round(min(max(timeline.x_of(time), 0.0), float(timeline.width())))
                return timeline.mapTo(self._window, QPoint(x + 8, TOP + 4))
        return QPoint((self._window.width() - _WIDTH) // 2, self._window.height() // 2)
