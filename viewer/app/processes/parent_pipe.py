"""Messages to and from the process that runs the game and opened this window, over two pipes."""

import contextlib
import os
import threading
from collections.abc import Callable

from ...toolkit.qt import QObject, pyqtSignal


class ParentProcess(QObject):
    """Receives the owner's messages in Qt's loop, and sends it what the bus does not carry.

    Args:
        hear: The file handle that it speaks on; it is read until its end.
        say: Called with each word for the owner.
    """

    line_received = pyqtSignal(str)
    """A line."""
    gone = pyqtSignal()
    """It has ended, or was ended: the pipe has an end."""

    def __init__(self, hear: int, say: Callable[[str], object]) -> None:
        super().__init__()
        self._say = say
        # A thread, because a pipe can't be waited for on every system; it ends with the pipe or
        # with this process.
        threading.Thread(target=self._listen, args=(hear,), name="owner", daemon=True).start()

    def tell(self, word: str) -> None:
        """Send a word to the parent process; nothing happens if it has ended."""
        with contextlib.suppress(OSError):
            self._say(word)

    def _listen(self, hear: int) -> None:
        rest = b""
        try:
            while data := os.read(hear, 4096):
                *lines, rest = (rest + data).split(b"\n")
                for line in lines:
                    self.line_received.emit(line.decode(errors="replace"))
            self.gone.emit()
        except (OSError, RuntimeError):
            pass  # this window is gone already
