"""The status bar: the last message, and the state of reading."""

from ..search.problem_list import problems
from ..state.viewer_store import ViewerStore
from ..toolkit import palette
from ..toolkit.qt import QApplication, QLabel, QPushButton, QSizePolicy, QStatusBar, QTimer
from ..toolkit.theme import restyle

HINT = (
    "Drag the timeline to scrub · Shift+drag loops · wheel zooms · N next problem ·"
    " Ctrl+P find anything · ? all keys"
)
BEGIN = (
    "Ctrl+O opens a recording · Ctrl+Shift+O connects to a game · Ctrl+D starts the demo ·"
    " Ctrl+P find anything · ? all keys"
)
"""The same while there is nothing to be looked at."""
_STAYS = 8000
"""Milliseconds that something said is to be read."""


class StatusBar(QStatusBar):
    """Shows the store's messages, else a hint for beginners."""

    def __init__(self, store: ViewerStore) -> None:
        super().__init__()
        self.store = store
        self.setSizeGripEnabled(False)
        self.left = QLabel(HINT)
        self.right = QLabel()
        self.left.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.copy = QPushButton("Copy")
        self.copy.setToolTip("Copy the whole traceback")
        self.copy.setStyleSheet("padding: 1px 10px;")
        self.copy.clicked.connect(self._copy)
        self.copy.hide()
        self._trace = ""
        self.addWidget(self.left, 1)
        self.addPermanentWidget(self.copy)
        self.addPermanentWidget(self.right)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._hint)
        store.message.connect(self.say)
        store.history_grew.connect(self._renew)
        store.status_changed.connect(self._renew)
        store.moved.connect(self._first_moved)
        self._hint()

    @property
    def _hint_now(self) -> str:
        return BEGIN if self.store.snapshot is None else HINT

    def _hint(self) -> None:
        self.left.setText(self._hint_now)
        self.left.setToolTip("")
        self.left.setStyleSheet(f"color: {palette.DIM};")

    def _first_moved(self) -> None:
        self.store.moved.disconnect(self._first_moved)
        self._renew()

    def say(self, text: str) -> None:
        """Something to be read; it makes room for the hint after a while."""
        self.left.setText(" ".join(text.split()))
        self.left.setToolTip(text)
        self.left.setStyleSheet(f"color: {palette.RUNNING};")
        self._timer.start(_STAYS)

    def say_fault(self, text: str, trace: str) -> None:
        """A mistake of this program: it stays, to be copied and reported."""
        self.say(text)
        self._timer.stop()
        self.left.setStyleSheet(f"color: {palette.FAILED};")
        self._trace = trace
        self.copy.setText("Copy")
        self.copy.show()

    def _copy(self) -> None:
        clipboard = QApplication.clipboard()
        if clipboard is not None:
            clipboard.setText(self._trace)
        self.copy.hide()
        self.say("Copied the traceback")

    def _renew(self) -> None:
        if self.left.text() in (BEGIN, HINT):
            self.left.setText(self._hint_now)
        history = self.store.history
        found = len(problems(history))
        parts: list[str] = []
        if history.damaged:
            parts.append(f"{len(history.damaged)} incomplete frames")
        if self.store.snapshot is not None and self.store.progress < 1.0:
            parts.append(f"reading {self.store.progress:.0%}")
        if self.store.snapshot is not None:
            parts.append(f"{found} problem{'' if found == 1 else 's'}")
        self.right.setText("   ·   ".join(parts))
        name = palette.FAILED if found else palette.DIM
        restyle(self.right, f"color: {name};")
