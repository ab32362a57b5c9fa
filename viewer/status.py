"""The line at the bottom: what was said last, and how things are."""

from .clock import Clock
from .models import palette
from .models.problems import problems
from .qt import QLabel, QSizePolicy, QStatusBar, QTimer

HINT = "Drag the timeline to scrub · Shift+drag loops · wheel zooms · N next problem · ? all keys"
_STAYS = 8000
"""Milliseconds that something said is to be read."""


class StatusBar(QStatusBar):
    """Says what the clock says, else how to begin."""

    def __init__(self, clock: Clock) -> None:
        super().__init__()
        self.clock = clock
        self.setSizeGripEnabled(False)
        self.left = QLabel(HINT)
        self.right = QLabel()
        self.left.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.addWidget(self.left, 1)
        self.addPermanentWidget(self.right)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._hint)
        clock.said.connect(self._say)
        clock.grew.connect(self._renew)
        clock.stood.connect(self._renew)
        self._hint()

    def _hint(self) -> None:
        self.left.setText(HINT)
        self.left.setStyleSheet(f"color: {palette.DIM};")

    def _say(self, text: str) -> None:
        self.left.setText(text)
        self.left.setStyleSheet(f"color: {palette.RUNNING};")
        self._timer.start(_STAYS)

    def _renew(self) -> None:
        history = self.clock.history
        found = len(problems(history))
        told: list[str] = []
        if history.damaged:
            told.append(f"{len(history.damaged)} incomplete frames")
        if self.clock.moment is not None and self.clock.progress < 1.0:
            told.append(f"reading {self.clock.progress:.0%}")
        if self.clock.moment is not None:
            told.append(f"{found} problem{'' if found == 1 else 's'}")
        self.right.setText("   ·   ".join(told))
        name = palette.FAILED if found else palette.DIM
        self.right.setStyleSheet(f"color: {name};")
