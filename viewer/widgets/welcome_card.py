"""The card in an empty window: how to open a recording, and what the window waits for."""

from ..backends.playback_backend import LinkState
from ..state.viewer_store import ViewerStore
from ..toolkit import palette
from ..toolkit.clipboard import copy_text
from ..toolkit.qt import (
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    Qt,
    QVBoxLayout,
    QWidget,
    pyqtSignal,
)
from ..toolkit.theme import font, restyle

CODE_LINES = (
    "import playhead as ph",
    "with ph.record(enemies, dt=1 / 60, bus=True) as rec:",
    "    with rec.frame():  # one step of your loop",
    "        game.step()",
)
"""The lines to copy into a game."""


class WelcomeCard(QWidget):
    """Shown while nothing is open, or no frame has arrived yet."""

    wants_file = pyqtSignal()
    wants_service = pyqtSignal()
    wants_demo = pyqtSignal()

    def __init__(self, store: ViewerStore) -> None:
        super().__init__()
        self.store = store
        self.setObjectName("empty")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        # While the card is hidden behind the world, its width must not be the window's minimum.
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
        box = QWidget()
        box.setObjectName("card")
        box.setFixedWidth(660)
        restyle(box, f"QWidget#card {{ border: 2px dashed {palette.EDGE}; border-radius: 10px; }}")
        self.title = QLabel("No recording yet")
        restyle(self.title, "font-size: 22px; font-weight: 600;")
        hint = QLabel("Record your game in four lines, or drop a clip here")
        restyle(hint, f"color: {palette.DIM}; font-size: 13px;")
        code = QLabel("\n".join(CODE_LINES))
        code.setFont(font(13, mono=True))
        restyle(
            code,
            f"QLabel {{ background: #0a0b0e; border-radius: 6px; padding: 16px; font-size: 13px;"
            f" font-family: {code.font().families()[0]!r}, 'DejaVu Sans Mono', monospace; }}",
        )
        code.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.copy = QPushButton("Copy")
        self.copy.setToolTip("Copy these lines")
        restyle(self.copy, "padding: 4px 10px; font-weight: 500;")
        self.open = _button("Open a recording …", "Ctrl+O")
        self.connect_to = _button("Connect to a game …", "Ctrl+Shift+O")
        self.demo = _button("Start the demo game", "Ctrl+D")
        self.waiting = QLabel()
        self.waiting.setWordWrap(True)
        self.waiting.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.waiting.setMinimumHeight(40)
        box_layout = QVBoxLayout(box)
        box_layout.setContentsMargins(48, 28, 48, 28)
        box_layout.setSpacing(14)
        middle = Qt.AlignmentFlag.AlignHCenter
        box_layout.addWidget(self.title, 0, middle)
        box_layout.addWidget(hint, 0, middle)
        box_layout.addWidget(code)
        code_layout = QHBoxLayout(code)
        code_layout.setContentsMargins(0, 8, 8, 8)
        code_layout.addWidget(self.copy, 0, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop)
        buttons = QHBoxLayout()
        buttons.setSpacing(10)
        for button in (self.open, self.connect_to, self.demo):
            buttons.addWidget(button, 1)
        box_layout.addLayout(buttons)
        box_layout.addWidget(self.waiting)
        layout = QVBoxLayout(self)
        layout.addWidget(box, 0, Qt.AlignmentFlag.AlignCenter)
        self.copy.clicked.connect(self._copy)
        self.open.clicked.connect(self.wants_file)
        self.connect_to.clicked.connect(self.wants_service)
        self.demo.clicked.connect(self.wants_demo)
        store.status_changed.connect(self._update_status)
        self._update_status()

    def _copy(self) -> None:
        copy_text("\n".join(CODE_LINES))
        self.copy.setText("Copied")

    def _update_status(self) -> None:
        backend = self.store.backend_state
        name = palette.WARNING
        if backend.link is LinkState.CONNECTED:
            text, name = f"● Connected to {backend.title}, waiting for the first frame", palette.OK
        elif backend.link is LinkState.NOTHING:
            text = f"○ Waiting for a game at {backend.title}"
        elif backend.link is LinkState.UNREADABLE:
            self.title.setText("This can't be opened")
            text, name = backend.error_text, palette.FAILED
        elif backend.link is LinkState.LOST:
            text = f"● The connection to {backend.title} was lost; looking for it"
        elif self.store.error_text:
            text = f"{backend.title}: {self.store.error_text}. Home, End and N lead to other frames"
        else:
            text = f"{backend.title} has no frames so far"
        self.waiting.setText(text)
        restyle(self.waiting, f"color: {name}; font-weight: 600;")


def _button(text: str, key: str) -> QPushButton:
    """A button with its key below its text."""
    button = QPushButton()
    button.setAccessibleName(text)
    button.setMinimumHeight(54)
    layout = QVBoxLayout(button)
    layout.setContentsMargins(6, 8, 6, 8)
    layout.setSpacing(2)
    for line, style in ((text, "font-weight: 600;"), (key, f"color: {palette.FAINT};")):
        label = QLabel(line)
        label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        restyle(label, f"background: transparent; {style}")
        label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        layout.addWidget(label)
    return button
