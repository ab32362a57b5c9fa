"""The status bar: the last message, how much of the recording was read, how many problems."""

from ..search.problem_list import problems
from ..state.viewer_store import ViewerStore
from ..toolkit import palette
from ..toolkit.clipboard import copy_text
from ..toolkit.qt import QLabel, QPushButton, QSizePolicy, QStatusBar, QTimer
from ..toolkit.theme import restyle

HINT = (
    "Drag the timeline to scrub · Shift+drag loops · wheel zooms · N next problem ·"
    " Ctrl+P find anything · ? all keys"
)
HINT_WITHOUT_RECORDING = (
    "Ctrl+O opens a recording · Ctrl+Shift+O connects to a game · Ctrl+D starts the demo ·"
    " Ctrl+P find anything · ? all keys"
)
_MESSAGE_TIME = 8000
"""Milliseconds for which a message is shown."""


class StatusBar(QStatusBar):
    """Shows the store's messages, each for some seconds, otherwise a hint for beginners."""

    def __init__(self, store: ViewerStore) -> None:
        super().__init__()
        self.store = store
        self.setSizeGripEnabled(False)
        self.left = QLabel(HINT)
        self.right = QLabel()
        self.left.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.copy = QPushButton("Copy")
        self.copy.setToolTip("Copy the whole traceback")
        restyle(self.copy, "padding: 1px 10px;")
        self.copy.clicked.connect(self._copy)
        self.copy.hide()
        self._trace = ""
        self.addWidget(self.left, 1)
        self.addPermanentWidget(self.copy)
        self.addPermanentWidget(self.right)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._show_hint)
        store.message.connect(self.show_message)
        store.history_grew.connect(self._update)
        store.status_changed.connect(self._update)
        store.moved.connect(self._on_first_frame)
        self._show_hint()

    @property
    def _hint(self) -> str:
        return HINT_WITHOUT_RECORDING if self.store.snapshot is None else HINT

    def _show_hint(self) -> None:
        self.left.setText(self._hint)
        self.left.setToolTip("")
        restyle(self.left, f"color: {palette.DIM};")

    def _on_first_frame(self) -> None:
        self.store.moved.disconnect(self._on_first_frame)
        self._update()

    def show_message(self, text: str) -> None:
        """Show a message for some seconds, then the hint again."""
        self.left.setText(" ".join(text.split()))
        self.left.setToolTip(text)
        restyle(self.left, f"color: {palette.RUNNING};")
        self._timer.start(_MESSAGE_TIME)

    def show_error(self, text: str, trace: str) -> None:
        """Show an error of the viewer until the user has copied its traceback."""
        self.show_message(text)
        self._timer.stop()
        restyle(self.left, f"color: {palette.FAILED};")
        self._trace = trace
        self.copy.setText("Copy")
        self.copy.show()

    def _copy(self) -> None:
        copy_text(self._trace)
        self.copy.hide()
        self.show_message("Copied the traceback")

    def _update(self) -> None:
        if self.left.text() in (HINT_WITHOUT_RECORDING, HINT):
            self.left.setText(self._hint)
        history = self.store.history
        problem_count = len(problems(history))
        parts: list[str] = []
        if history.damaged:
            parts.append(f"{len(history.damaged)} incomplete frames")
        if self.store.snapshot is not None and self.store.progress < 1.0:
            parts.append(f"reading {self.store.progress:.0%}")
        if self.store.snapshot is not None:
            parts.append(f"{problem_count} problem{'' if problem_count == 1 else 's'}")
        self.right.setText("   ·   ".join(parts))
        name = palette.FAILED if problem_count else palette.DIM
        restyle(self.right, f"color: {name};")
