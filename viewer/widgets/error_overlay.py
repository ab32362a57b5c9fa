"""Shows an error of this program in the panel where it happened, with a Copy button."""

from ..toolkit import palette
from ..toolkit.qt import (
    QApplication,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

_STRIP = 34


class ErrorOverlay(QWidget):
    """Lies over a panel: over all of it where nothing can be drawn, else along its foot.

    Args:
        panel: Where it happened; the others live on.
    """

    def __init__(self, panel: QWidget) -> None:
        super().__init__(panel)
        self._covers = False
        self.setObjectName("trouble")
        self.setAccessibleName("A mistake of the viewer")
        self.setAutoFillBackground(True)
        self.setStyleSheet(
            f"QWidget#trouble {{ background: {palette.MISTAKE};"
            f" border: 1px solid {palette.FAILED}; }}"
            "QPushButton { padding: 3px 10px; }"
        )
        self._title = QLabel()
        self._title.setStyleSheet(f"color: {palette.FAILED}; font-weight: 600;")
        self._title.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._trace = QPlainTextEdit()
        self._trace.setReadOnly(True)
        self._trace.setAccessibleName("Traceback")
        self.copy = QPushButton("Copy")
        self.copy.setToolTip("Copy the traceback")
        self.copy.clicked.connect(self._copy)
        self.dismiss = QPushButton("Dismiss")
        self.dismiss.clicked.connect(self.hide)
        row = QHBoxLayout()
        row.addWidget(self._title, 1)
        row.addWidget(self.copy)
        row.addWidget(self.dismiss)
        inside = QVBoxLayout(self)
        inside.setContentsMargins(8, 3, 8, 3)
        inside.addLayout(row)
        inside.addWidget(self._trace, 1)
        self.hide()

    def tell(self, trace: str, *, covers: bool) -> None:
        """Show a traceback.

        Args:
            covers: Whether there is nothing else to be seen in the panel.
        """
        self._covers = covers
        last = trace.strip().rpartition("\n")[2]
        self._title.setText(f"This panel could not be drawn: {last}" if covers else last)
        self._title.setToolTip(last)
        if self._trace.toPlainText() != trace:
            self._trace.setPlainText(trace)
        self._trace.setVisible(covers)
        self.dismiss.setVisible(not covers)
        self.place()
        self.show()
        self.raise_()

    def place(self) -> None:
        """Fit the panel."""
        panel = self.parentWidget()
        assert panel is not None
        high = panel.height() if self._covers else min(_STRIP, panel.height())
        self.setGeometry(0, panel.height() - high, panel.width(), high)

    def _copy(self) -> None:
        clipboard = QApplication.clipboard()
        if clipboard is not None:
            clipboard.setText(self._trace.toPlainText())
