"""A clip that is being saved: its progress and its result, for the caller."""

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ...errors import PlayheadError
from ..clips.clip_writer import SavedClip


class ClipJob:
    """A clip that is being saved, or was. For any thread."""

    def __init__(self, name: str, path: Path | None) -> None:
        self.name = name
        """What it was saved for: the trigger's."""
        self.path = path
        """The file; for a trigger's clip known once its first frame is written."""
        self.saved: SavedClip | None = None
        """What is in the file, once it is there under its name."""
        self.error: PlayheadError | None = None
        """Why there is none. The game has gone on all the same."""
        self.lost = 0
        """Frames of the clip that could not be copied in time. Those between others that could
        are the gaps of `saved`."""
        self.progress = 0.0
        """How much of it is written, from 0 to 1."""
        self.on_wait: Callable[[], Callable[[], None]] = lambda: lambda: None
        """Called when a caller begins to wait for it; the result is called when that ends."""
        self._finished = threading.Event()
        self._lock = threading.Lock()
        self._listeners: list[Callable[[ClipJob], object]] = []

    def done(self) -> bool:
        """Whether it is saved, or has failed."""
        return self._finished.is_set()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until it is saved or has failed; False if it is neither after `timeout` seconds.

        On the game's own thread, where no frame can come meanwhile, this ends its post-roll.
        """
        if not self.done():
            stop = self.on_wait()
            try:
                return self._finished.wait(timeout)
            finally:
                stop()
        return True

    def on_done(self, listener: Callable[["ClipJob"], object]) -> None:
        """Have `listener` called once when it is done, on the thread that writes; now if it is."""
        with self._lock:
            if not self.done():
                self._listeners.append(listener)
                return
        listener(self)

    def finish(self, saved: SavedClip | None, error: PlayheadError | None = None) -> bool:
        """Note that it is saved, or has failed. False if that was noted before."""
        with self._lock:
            if self.done():
                return False
            self.saved, self.error = saved, error
            if saved is not None:
                self.path, self.progress = saved.path, 1.0
            listeners, self._listeners = self._listeners, []
            self._finished.set()
        for listener in listeners:
            listener(self)
        return True

    def forked(self, error: PlayheadError) -> None:
        """This is a forked child: there is no clip here, and those who listen are the parent's."""
        self._lock, self._finished, self._listeners = threading.Lock(), threading.Event(), []
        self.error = error
        self._finished.set()

    @property
    def facts(self) -> dict[str, Any]:
        """The same in plain values."""
        saved = self.saved
        return {
            "name": self.name,
            "path": None if self.path is None else str(self.path),
            "done": self.done(),
            "frames": saved.frames if saved else 0,
            "bytes": saved.bytes if saved else 0,
            "gaps": [gap._asdict() for gap in saved.gaps] if saved else [],
            "lost": self.lost,
            "error": None if self.error is None else str(self.error),
        }
