"""Shows an error of this program in the panel where it happened, with a Copy button."""

from ..toolkit import palette
from ..toolkit.clipboard import copy_text
from ..toolkit.qt import (
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)
from ..toolkit.theme import restyle

_STRIP_HEIGHT = 34


class ErrorOverlay(QWidget):
    """An error over a panel: over all of it if painting failed, else a strip along its foot.

    Args:
        panel: The panel in which the error happened.
    """

    def __init__(self, panel: QWidget) -> None:
        super().__init__(panel)
        self._covers_panel = False
        self.setObjectName("error_overlay")
        self.setAccessibleName("Error in the viewer")
        self.setAutoFillBackground(True)
        restyle(
            self,
            f"QWidget#error_overlay {{ background: {palette.MISTAKE};"
            f" border: 1px solid {palette.FAILED}; }}"
            "QPushButton { padding: 3px 10px; }",
        )
        self._title = QLabel()
        restyle(self._title, f"color: {palette.FAILED}; font-weight: 600;")
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
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 3, 8, 3)
        layout.addLayout(row)
        layout.addWidget(self._trace, 1)
        self.hide()

    def show_error(self, trace: str, *, covers_panel: bool) -> None:
        """Show a traceback.

        Args:
            covers_panel: Whether the panel itself could not be painted.
        """
        self._covers_panel = covers_panel
        last_line = trace.strip().rpartition("\n")[2]
        self._title.setText(
            f"This panel could not be drawn: {last_line}" if covers_panel else last_line
        )
        self._title.setToolTip(last_line)
        if self._trace.toPlainText() != trace:
            self._trace.setPlainText(trace)
        self._trace.setVisible(covers_panel)
        self.dismiss.setVisible(not covers_panel)
        self.fit_panel()
        self.show()
        self.raise_()

    def fit_panel(self) -> None:
        """Move and resize to where the overlay belongs in its panel."""
        panel = self.parentWidget()
        assert panel is not None
        # In the window's pixels, whatever those of the panel are.
        across, down = QWidget.width(panel), QWidget.height(panel)
        height = down if self._covers_panel else min(_STRIP_HEIGHT, down)
        self.setGeometry(0, down - height, across, height)

    def _copy(self) -> None:
        copy_text(self._trace.toPlainText())
