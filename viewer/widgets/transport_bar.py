"""The transport bar: what is open, the playhead's time, and buttons that move the playhead."""

import time
from collections.abc import Callable

from ...errors import CommandError
from ...playback.commands import RATES, Play, SeekFrame, Step
from ...playback.key_controls import KEYS as TIME_KEYS
from ...playback.playback_state import Mode
from ...recorder.text.duration_text import duration_text
from ..backends.playback_backend import LinkState
from ..input.key_event_names import time_command
from ..state.viewer_store import ViewerStore
from ..toolkit import palette
from ..toolkit.qt import (
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QMenu,
    QResizeEvent,
    QSizePolicy,
    Qt,
    QTimer,
    QToolButton,
    QWidget,
    pyqtSignal,
)
from ..toolkit.theme import font, restyle, text_scale
from ..toolkit.time_format_choice import TimeFormat
from ..toolkit.time_text import HELP, SHORT_NAMES, parse_seek
from .transport_widgets import BETWEEN, InputOwnerPill, ModePill, RecordingTitle, TransportButton

_WIDE = 1500
"""The window's width, in pixels, from which on there is room for the wide search button."""
_COUNTDOWN_INTERVAL = 250
"""Milliseconds between updates of the time until the next attempt to reconnect."""


class TransportBar(QWidget):
    """The bar across the top of the window."""

    wants_find = pyqtSignal()
    wants_format = pyqtSignal()
    """Another time format is requested."""

    def __init__(self, store: ViewerStore, time_format: TimeFormat) -> None:
        super().__init__()
        self.store = store
        self.time_format = time_format
        self.setObjectName("transport")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.title = RecordingTitle()
        self.mode = ModePill(store)
        self.owner = InputOwnerPill(store)
        self.oldest = TransportButton("oldest", "To the oldest frame (Home)")
        self.back = TransportButton("back", "One frame back (←)")
        self.play = TransportButton("play", "Play or pause (Space)")
        self.forward = TransportButton("forward", "One frame on (→)")
        self.newest = TransportButton("newest", "To the newest frame (End)")
        self.time = QLineEdit()
        self.time.setAccessibleName("Time")
        self.time.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        restyle(self.time, "font-size: 15px; font-weight: 600; padding: 2px 6px;")
        self.time.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.time.setToolTip("Type a time, #frame, +0.5, −2 or a mark's name (Ctrl+G)")
        self.format = _tool("", "")
        self.format.setMinimumWidth(46)
        self.frame = _tool("", "The frame that is shown; click to type another one")
        self.speed = _tool("", "Speed (, and .)")
        self.speed.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.speed.setMinimumWidth(44)
        self.loop = TransportButton(
            "loop", "Loop on or off (Ctrl+L); shift-drag on the timeline makes one"
        )
        self.loop.setCheckable(True)
        self.live = _tool("Go live", "Follow the newest frame, and let the game run on (End, End)")
        self.live.setCheckable(True)
        self.link = QLabel()
        self.link.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.retry = _tool("Retry now", "Look for the game now")
        self.layouts = TransportButton("layout", "Layouts and panels (F4)")
        self.layouts.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.find_narrow = TransportButton("search", "Find anything (Ctrl+P)")
        self.find_wide = _tool("Find anything …     Ctrl+P", "Find anything (Ctrl+P)")
        self.find_wide.setObjectName("search")
        self._countdown = QTimer(self)
        self._countdown.timeout.connect(self._update_link)
        self._lay_out()
        self.rescale()
        self._connect()
        self._update_status()

    def rescale(self) -> None:
        """The text size has changed."""
        scale = text_scale()
        self.setFixedHeight(round(46 * scale))
        self.time.setFixedWidth(round(124 * scale))
        self.time.setFont(font(round(15 * scale), bold=True, mono=True))
        self.frame.setFont(font(round(12 * scale), mono=True))
        self.frame.setFixedSize(round(104 * scale), round(28 * scale))

    def _lay_out(self) -> None:
        brand = QLabel("▌playhead")
        restyle(brand, f"color: {palette.PLAYHEAD}; font-weight: 700; font-size: 13px;")
        layout = QHBoxLayout(self)
        layout.setContentsMargins(12, 0, 10, 0)
        layout.setSpacing(4)
        layout.addWidget(brand)
        layout.addSpacing(10)
        # In a narrow window title and link are shortened; the buttons keep their size.
        self.link.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        layout.addWidget(self.title, 3)
        layout.addWidget(self.mode)
        layout.addWidget(self.owner)
        layout.addSpacing(8)
        for button in (self.oldest, self.back, self.play, self.forward, self.newest):
            layout.addWidget(button)
        layout.addSpacing(8)
        for widget in (self.time, self.format, self.frame, self.speed, self.loop, self.live):
            layout.addWidget(widget)
        layout.addWidget(self.link, 2)
        layout.addWidget(self.retry)
        layout.addSpacing(6)
        for widget in (self.layouts, self.find_narrow, self.find_wide):
            layout.addWidget(widget)

    def _connect(self) -> None:
        for button, key in (
            (self.oldest, "Home"), (self.play, "Space"), (self.newest, "End"),
            (self.loop, "Ctrl+L"),
        ):  # fmt: skip
            button.clicked.connect(lambda _, key=key: self.press(key))
        self.back.clicked.connect(lambda: self.store.send(Step(-1)))
        self.forward.clicked.connect(lambda: self.store.send(Step(1)))
        self.live.clicked.connect(self.store.leave)
        self.time.returnPressed.connect(self._seek_typed_time)
        self.time.editingFinished.connect(self._update_time)
        self.format.clicked.connect(self.wants_format)
        self.frame.clicked.connect(lambda: self.type_time("#"))
        self.retry.clicked.connect(self._retry)
        for find in (self.find_wide, self.find_narrow):
            find.clicked.connect(self.wants_find)
        menu = QMenu(self)
        for rate in RATES:
            action = menu.addAction(f"{rate:g}×")
            assert action is not None
            action.triggered.connect(lambda _, rate=rate: self.store.send(Play(rate)))
        self.speed.setMenu(menu)
        self.store.moved.connect(self._update_time)
        self.store.status_changed.connect(self._update_status)

    def set_layouts_menu(self, fill: Callable[[QMenu], object]) -> None:
        """Give the button for layouts and panels a menu, which `fill` fills whenever it opens."""
        menu = QMenu(self)

        def refill() -> None:
            menu.clear()
            fill(menu)

        menu.aboutToShow.connect(refill)
        self.layouts.setMenu(menu)

    def resizeEvent(self, event: QResizeEvent | None) -> None:  # noqa: N802
        super().resizeEvent(event)
        is_wide = self.width() >= _WIDE
        self.find_wide.setVisible(is_wide)
        self.find_narrow.setVisible(not is_wide)

    # --- the user's input -----------------------------------------------------------------------

    def press(self, key: str) -> None:
        """Do what a key that moves time does."""
        assert key in TIME_KEYS
        command = time_command(key, self.store.playback)
        if command is not None:
            self.store.send(command)

    def type_time(self, beginning: str = "") -> None:
        """Focus the field with the time; its text is selected, or replaced by a beginning."""
        self.time.setFocus()
        if beginning:
            self.time.setText(beginning)
        else:
            self.time.selectAll()

    def _seek_typed_time(self) -> None:
        try:
            command = parse_seek(self.time.text(), self.store.cursor or 0.0)
        except CommandError as error:
            self.store.message.emit(str(error))
        else:
            if isinstance(command, SeekFrame):
                self.store.jump(command.frame)
            else:
                self.store.send(command)
        self.time.clearFocus()

    def _retry(self) -> None:
        self.store.retry()
        self.link.setText("● looking for it")

    # --- showing the state ----------------------------------------------------------------------

    def _update_time(self) -> None:
        snapshot = self.store.snapshot
        if not self.time.hasFocus():
            self.time.setText(self.time_format.now())
        self._show_frame("" if snapshot is None else f"frame {snapshot.frame}")
        format = self.time_format.format
        if self.format.text() != SHORT_NAMES[format]:
            self.format.setText(SHORT_NAMES[format])
            self.format.setToolTip(f"Times in {HELP[format]}; click for another format (F2)")
            self.format.setAccessibleName(f"Time format: {HELP[format]}")

    def _show_frame(self, text: str) -> None:
        # With a fixed width a new text does not make Qt lay out the whole window again.
        width = self.frame.fontMetrics().horizontalAdvance(text) + 18
        if width > self.frame.width():
            self.frame.setFixedWidth(width)
        self.frame.setText(text)

    def _update_status(self) -> None:
        playback, backend = self.store.playback, self.store.backend_state
        self.play.show_icon("pause" if playback.mode is not Mode.PAUSED else "play")
        self.speed.setText(f"{abs(playback.rate):g}×")
        self.loop.setChecked(playback.loop is not None)
        can_be_live = backend.link in (LinkState.GROWING, LinkState.CONNECTED, LinkState.LOST)
        self.live.setVisible(can_be_live)
        self.live.setEnabled(backend.link is not LinkState.LOST)
        self.live.setChecked(playback.mode is Mode.LIVE)
        self.live.setText("Following live" if playback.mode is Mode.LIVE else "Go live")
        details = [backend.game]
        if playback.span is not None:
            frames = playback.span.newest - playback.span.oldest + 1
            details += [
                duration_text(playback.span.seconds),
                f"{frames:,} frame{'s' * (frames != 1)}",
            ]
            if playback.span.seconds > 0 and frames > 1:
                details.append(f"{(frames - 1) / playback.span.seconds:.0f} Hz")
        self.title.show_recording(backend.title, BETWEEN.join(part for part in details if part))
        self._update_link()
        self._update_time()

    def _update_link(self) -> None:
        backend = self.store.backend_state
        is_lost = backend.link is LinkState.LOST
        match backend.link:
            case LinkState.CONNECTED:
                tools = "1 tool" if backend.tools == 1 else f"{backend.tools} tools"
                text, name = f"● connected · {tools}", palette.OK
            case LinkState.UNREADABLE:
                text, name = "● can't be read", palette.WARNING
            case LinkState.LOST:
                text, name = f"● connection lost · {self._retry_text()}", palette.WARNING
            case LinkState.NOTHING:
                text, name = "○ waiting", palette.WARNING
            case LinkState.GROWING:
                text, name = "● ring file", palette.OK
            case LinkState.FILE:
                text, name = "recording", palette.DIM
        self.link.setText(text)
        restyle(self.link, f"color: {name}; font-weight: 600;")
        self.link.setToolTip(backend.error_text)
        self.retry.setVisible(is_lost)
        if is_lost and backend.since and not self._countdown.isActive():
            self._countdown.start(_COUNTDOWN_INTERVAL)
        elif not is_lost:
            self._countdown.stop()

    def _retry_text(self) -> str:
        left = self.store.backend_state.retry_at - time.monotonic()
        return f"again in {left:.0f} s" if left > 0.5 else "looking for it"


def _tool(text: str, tip: str) -> QToolButton:
    button = QToolButton()
    button.setText(text)
    button.setToolTip(tip)
    button.setAccessibleName(text or tip)
    button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    return button
