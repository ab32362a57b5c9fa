"""One dock by itself, in a window, on a recording; and what one does to it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

SIZE = (440, 420)


class DockHarness:
    """A dock, its clock, and what it asked for."""

    def __init__(self, app: Any, until: Callable[..., None], panel: Any, store: Any) -> None:
        self.app, self.until, self.panel, self.store = app, until, panel, store
        self.sources: list[tuple[str, int]] = []
        self.messages: list[str] = []
        store.source_requested.connect(lambda file, line: self.sources.append((file, line)))
        store.message.connect(self.messages.append)

    def go(self, frame: int, object: int) -> None:
        """Stand at a frame with an object selected, and all around it read."""
        from playhead.playback.commands import SeekFrame

        self.store.select(object)
        self.store.send(SeekFrame(frame))
        # A frame that is read while the mouse moves would clear what is shown of the one before.
        self.until(lambda: self.store.frame == frame and self.store.is_settled)
        held = self.store.history.span
        last_frame = min(frame + 100, held.newest)
        self.until(lambda: not object or max(self.store.surroundings, default=0) >= last_frame)
        self.app.processEvents()

    def picture(self) -> Any:
        """What it looks like now."""
        image = self.panel.grab().toImage()
        assert not self.panel.error_text, self.panel.error_text
        return image

    def colors(self, *box: float) -> set[str]:
        """The colours in a box (left, top, width, height); in all of it without one."""
        image = self.picture()
        left, top, width, height = map(int, box or (0, 0, image.width(), image.height()))
        return {
            image.pixelColor(x, y).name()
            for x in range(left, left + width)
            for y in range(top, top + height)
        }

    def shows(self, color: str, *box: float) -> bool:
        """Whether a colour is in a box, or nearly: edges are smoothed."""
        last_frame = _parts(color)
        return any(
            all(abs(one - other) < 40 for one, other in zip(_parts(seen), last_frame, strict=True))
            for seen in self.colors(*box)
        )

    def click(self, x: float, y: float, button: Any = None) -> None:
        from PyQt6.QtTest import QTest

        from playhead.viewer.toolkit.qt import QPointF, Qt

        QTest.mouseClick(
            self.panel, button or Qt.MouseButton.LeftButton, pos=QPointF(x, y).toPoint()
        )

    def hover(self, x: float, y: float) -> Any:
        """Move the mouse there; what is painted then."""
        from PyQt6.QtTest import QTest

        from playhead.viewer.toolkit.qt import QPointF

        self.picture()
        QTest.mouseMove(self.panel, QPointF(x, y).toPoint())
        self.app.processEvents()
        return self.picture()

    def press(self, key: str) -> None:
        from PyQt6.QtTest import QTest

        from playhead.viewer.toolkit.qt import Qt

        QTest.keyClick(self.panel, getattr(Qt.Key, f"Key_{key}"))

    def middle(self, row: int) -> float:
        """The height of a row's middle, as it is scrolled now."""
        self.panel.show_row(row)
        return float(self.panel.box_of(row).center().y())

    def menu(self, row: int) -> dict[str, Callable[[], None]]:
        """A row's menu: what each entry does."""
        made = self.panel.menu(row)
        return {action.text(): action.trigger for action in made.actions()}


def _parts(color: str) -> list[int]:
    return [int(color[at : at + 2], 16) for at in (1, 3, 5)]


@contextmanager
def open_dock(app: Any, until: Any, panel: Any, clip: Path) -> Iterator[DockHarness]:
    """A dock in a window of its own, until the end of the block."""
    from playhead.viewer.backends.open_target import target_of
    from playhead.viewer.state.viewer_store import ViewerStore
    from playhead.viewer.toolkit.qt import QEvent

    store = ViewerStore(target_of(str(clip)))
    made = panel(store)
    made.resize(*SIZE)
    made.show()
    try:
        store.start()
        until(lambda: store.is_settled)
        yield DockHarness(app, until, made, store)
    finally:
        store.close()
        made.close()
        made.deleteLater()
        store.deleteLater()
        app.sendPostedEvents(None, QEvent.Type.DeferredDelete)
