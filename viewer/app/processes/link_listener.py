"""Receives links that other programs hand to this window: watches its socket through Qt."""

from collections.abc import Callable

from ....bus.running_viewer import InstanceInfo, SingleInstance
from ....errors import BusError
from ....playback.recording_url import RecordingLink
from ...toolkit.qt import QObject, QSocketNotifier, QTimer, pyqtSignal, sip


class LinkListener(QObject):
    """Opens a socket and emits incoming links. If it can't be opened, `error_text` says why.

    Args:
        where: Says what the window shows.
        refuses: Says why a link is not taken now; empty if it is.
    """

    asked = pyqtSignal(object)
    """A `RecordingLink` that this window should show."""

    def __init__(
        self, where: Callable[[], InstanceInfo],
        refuses: Callable[[RecordingLink], str] = lambda link: "",
        parent: QObject | None = None,
    ) -> None:  # fmt: skip
        super().__init__(parent)
        self.error_text = ""
        self._instance: SingleInstance | None = None
        try:
            self._instance = SingleInstance(where, refuses)
        except BusError as error:
            self.error_text = str(error)
            return
        self._watch = QSocketNotifier(
            sip.voidptr(self._instance.handle), QSocketNotifier.Type.Read, self
        )
        self._watch.activated.connect(self._hear)

    def _hear(self) -> None:
        if self._instance is None:
            return
        links = self._instance.take()
        if self._instance.more:
            # The handle has been signalled for these already, and will not be again.
            QTimer.singleShot(0, self._hear)
        for link in links:
            self.asked.emit(link)

    def close(self) -> None:
        """Accept no more links."""
        if self._instance is not None:
            self._watch.setEnabled(False)
            self._instance.close()
            self._instance = None
