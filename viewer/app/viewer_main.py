"""The viewer as a program: opens a window on a recording or a game, or saves a screenshot of it."""

import ctypes
import logging
import os
import signal
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

from ...bus.running_viewer import InstanceInfo
from ...errors import CommandError, PlayheadError, RecordingError
from ...playback.commands import Command
from ..backends.open_target import ViewTarget
from ..backends.playback_backend import LinkState
from ..reader.reader_thread import STAND_IN
from ..state.recorded_pictures import RecordedPictures
from ..state.viewer_store import ViewerStore
from ..toolkit.qt import (
    QApplication,
    QEvent,
    QEventLoop,
    QLibraryInfo,
    QLoggingCategory,
    QTimer,
    pyqtBoundSignal,
)
from ..toolkit.theme import apply_theme
from ..widgets.painted_panel import failing_panel
from .main_window import MainWindow
from .processes.link_listener import LinkListener

SIZE = (1600, 900)
_applications: list[QApplication] = []
"""Holds the application for as long as the process lives: Qt destroys it with its last Python
reference, and then what is made of fonts and screenshots elsewhere points nowhere."""
_log = logging.getLogger("playhead.viewer")
_PATIENCE = 60.0
"""Seconds within which a screenshot's recording must have been read."""
_SETTLES = 0.6
"""Seconds after the last change until a screenshot is taken: until all details are back."""
_SCREEN = "this window is a game's screen"
WAIT = 5.0
"""Seconds that a screenshot waits for a game that is not there."""


def application() -> QApplication:
    """The process's application, dressed."""
    app = QApplication.instance()
    if not isinstance(app, QApplication):
        app = QApplication(["playhead"])
        _applications.append(app)
    app.setApplicationName("playhead")
    if app.platformName() == "offscreen":
        # It warns of each window that it can't give a window manager size limits.
        QLoggingCategory.setFilterRules("default.warning=false")
    apply_theme(app)
    return app


def missing_for_windows() -> str:
    """The system's library that Qt lacks to open windows under X; empty if there is none.

    Qt itself would abort the process.
    """
    platform = os.environ.get("QT_QPA_PLATFORM", "")
    other = platform not in ("", "xcb") or (not platform and "WAYLAND_DISPLAY" in os.environ)
    if not sys.platform.startswith("linux") or other:
        return ""
    plugins = QLibraryInfo.path(QLibraryInfo.LibraryPath.PluginsPath)
    try:
        ctypes.CDLL(str(Path(plugins) / "platforms" / "libqxcb.so"))
    except OSError as error:
        return str(error).partition(":")[0]
    return ""


def show(
    target: ViewTarget, *, focus: int | str = 0, commands: tuple[Command, ...] = (),
    size: tuple[int, int] = SIZE, arrange: Callable[[MainWindow], object] = lambda window: None,
    screen: bool = False, theme: str = "",
) -> int:  # fmt: skip
    """Open the window and stay until it is closed; returns the exit code.

    Meanwhile it shows the links that other programs hand over, unless it is a game's screen or
    holds a paused game.

    Args:
        arrange: What to do to the window before it is seen.
        screen: Whether it is the screen of a game.
        theme: One of the palette's `THEMES`; by default what the settings say.

    Raises:
        CommandError: the system lacks a library that windows need.
    """
    missing = missing_for_windows()
    if missing:
        raise CommandError(
            f"windows need {missing}, which is not installed; on Debian: apt-get install"
            " libxcb-cursor0 libxcb-icccm4 libxcb-keysyms1 libxcb-shape0 libxkbcommon-x11-0"
        )
    app = application()
    window = MainWindow(target, focus=focus, commands=commands, theme=theme)
    window.resize(*size)
    arrange(window)
    with _Faults(window.fault):
        window.show()
        link_listener = LinkListener(
            lambda: _where(window),
            lambda link: _SCREEN if screen else window.open_controller.refuses(link),
        )
        link_listener.asked.connect(lambda link: window.open_link(link))
        if link_listener.error_text:
            window.store.message.emit(link_listener.error_text)
        # Python hears of Ctrl-C only when some of its own code runs.
        heartbeat = QTimer()
        heartbeat.timeout.connect(lambda: None)
        heartbeat.start(200)
        # Qt's own rule, that the last window ends the loop, would wait for any other window.
        end = window.closed.connect(lambda: app.exit())
        # That may be in the middle of anything, such as opening a recording. The window closes
        # when this is done, or what was just begun would never be ended.
        before = signal.signal(signal.SIGINT, lambda *_: QTimer.singleShot(0, window.close))
        try:
            return app.exec()
        finally:
            # Without a loop to end, this would end the next one before it began.
            window.closed.disconnect(end)
            link_listener.close()
            heartbeat.stop()
            signal.signal(signal.SIGINT, before)


def _where(window: MainWindow) -> InstanceInfo:
    """What a window shows, for other programs."""
    store = window.store
    return InstanceInfo(store.target.location, store.frame, store.selected, store.is_settled)


def screenshot(
    target: ViewTarget, path: Path, *, focus: int | str = 0, commands: tuple[Command, ...] = (),
    size: tuple[int, int] = SIZE, arrange: Callable[[MainWindow], object] = lambda window: None,
    wait: float | None = None, theme: str = "",
) -> None:  # fmt: skip
    """Save a screenshot of the window as soon as all is read.

    Args:
        arrange: What to do to the window before the screenshot is taken.
        wait: Seconds to wait for a game and its first frame; by default what the settings say.
        theme: One of the palette's `THEMES`; dark by default.

    Raises:
        RecordingError: there is nothing to see in time, or the file can't be written.
    """
    _check_screenshot(path)
    app = application()
    window = MainWindow(target, focus=focus, commands=commands, remember=False, theme=theme)
    messages: list[str] = []
    window.store.message.connect(messages.append)
    window.resize(*size)
    try:
        with _Faults(lambda text, trace: messages.append(text)):
            window.show()
            patience = window.settings.wait if wait is None else wait
            _wait_for_a_frame(window, patience if target.waits else _PATIENCE)
            store = window.store
            if not _wait(store, lambda: store.is_settled or bool(messages), _PATIENCE):
                _log.warning(
                    "%s was read to %.0f %% within %g s: the picture shows the rest as not read",
                    target.title, store.progress * 100, _PATIENCE,
                )  # fmt: skip
            if messages:
                raise RecordingError(messages[0])
            _check_shown(store)
            if target.waits:  # a game that runs may have moved on since its first frame was framed
                window.world.framing.reset()
                window.world.update()
            arrange(window)
            _wait(store, lambda: False, _SETTLES)
            _wait_for_pictures(store)
            if not window.grab().save(str(path), "PNG"):
                raise RecordingError(f"{path}: the picture can't be written there")
    finally:
        window.close()
        window.deleteLater()
        app.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def _check_screenshot(path: Path) -> None:
    """Only another screenshot, or an empty file, is ever replaced by one.

    Raises:
        RecordingError: something else is there.
    """
    if not path.exists():
        return
    if path.is_file():
        with path.open("rb") as file:
            if file.read(8) in (b"", b"\x89PNG\r\n\x1a\n"):
                return
    raise RecordingError(f"{path}: this is no picture in PNG and stays: give another name")


def _wait_for_a_frame(window: MainWindow, patience: float) -> None:
    """Wait until there is something to see.

    Raises:
        RecordingError: there is nothing in time.
    """
    store = window.store

    def is_answered() -> bool:
        link = store.backend_state.link
        return bool(
            store.snapshot or store.error_text or link in (LinkState.LOST, LinkState.UNREADABLE)
        )

    came = _wait(store, is_answered, patience)
    backend = store.backend_state
    if backend.link in (LinkState.LOST, LinkState.UNREADABLE) and store.snapshot is None:
        raise RecordingError(backend.error_text)
    if not came and backend.link is LinkState.NOTHING:
        why = backend.error_text or f"{backend.title}: no game has answered there so far"
        raise RecordingError(f"no picture: {why} (waited {patience:g} s)")
    if not came:
        raise RecordingError(f"no picture: {backend.title} sent no frame within {patience:g} s")
    _check_shown(store)


def _wait_for_pictures(store: ViewerStore) -> None:
    """Wait until the recorded pictures that the panels paint are decoded."""
    pictures = RecordedPictures.of(store)
    found = _wait(store, lambda: pictures.is_complete, _PATIENCE, pictures.changed)
    if found and pictures.names:
        # The film strip asks for its pictures when it is painted for the first time.
        _wait(store, lambda: False, _SETTLES)
        found = _wait(store, lambda: not pictures.is_decoding, _PATIENCE, pictures.changed)
    if not found:
        _log.warning("The recorded pictures were not all decoded within %g s", _PATIENCE)


def _check_shown(store: ViewerStore) -> None:
    """A screenshot of another frame than the one that is meant would be worse than none.

    Raises:
        RecordingError: the frame can't be read.
    """
    if store.error_text:
        why = store.error_text.removesuffix(STAND_IN)
        raise RecordingError(
            f"no picture: {why}; --at chooses another frame of {store.backend_state.title}"
        )


def _wait(
    store: ViewerStore, holds: Callable[[], bool], patience: float, *more: pyqtBoundSignal
) -> bool:
    """Let Qt work until something holds, and sleep while there is nothing to do; whether it does.

    Args:
        holds: Called whenever the store has changed.
        more: Signals after which it is called, too.
    """
    loop, timer = QEventLoop(), QTimer()
    timer.setSingleShot(True)
    timer.timeout.connect(loop.quit)

    def look() -> None:
        if holds():
            loop.quit()

    signals = (store.moved, store.status_changed, store.history_grew, store.message, *more)
    for emitted in signals:
        emitted.connect(look)
    timer.start(int(patience * 1000))
    try:
        if not holds():
            loop.exec()
    finally:
        for emitted in signals:
            emitted.disconnect(look)
        timer.stop()
    return holds()


class _Faults:
    """Shows uncaught exceptions in the window: otherwise Qt would abort the process.

    What is not an error but ends programs, such as KeyboardInterrupt, ends Qt's loop and is raised
    again behind it.
    """

    def __init__(self, say: Callable[[str, str], object]) -> None:
        self._say = say
        self._ending: BaseException | None = None

    def __enter__(self) -> None:
        self._before = sys.excepthook
        sys.excepthook = self._caught

    def __exit__(self, *_: object) -> None:
        sys.excepthook = self._before
        if self._ending is not None:
            raise self._ending

    def _caught(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        if not isinstance(error, Exception):
            self._ending = error
            QApplication.exit()
            return
        panel = failing_panel(trace)
        if panel is not None and not isinstance(error, PlayheadError):
            panel.fail("".join(traceback.format_exception(kind, error, trace)))
            return
        origin = traceback.extract_tb(trace)[-1] if trace is not None else None
        where = f" ({Path(origin.filename).name}:{origin.lineno})" if origin is not None else ""
        text = str(error) if isinstance(error, PlayheadError) else f"{kind.__name__}: {error}"
        lines = "".join(traceback.format_exception(kind, error, trace))
        self._say(f"A mistake in the viewer: {text}{where}", lines)
