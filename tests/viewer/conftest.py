"""Recordings to be viewed, and windows that leave nothing behind."""

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from playhead.recorder.clips.clip_source import ClipSource
from playhead.recorder.packets.recorded_frame import FrameRange
from playhead.session import Session
from playhead.viewer.backends.playback_backend import frame_page
from playhead.viewer.reader.history.recording_history import RecordingHistory
from playhead.viewer.reader.scan_order import FrameScan

from ..support.waits import LIMIT
from .animated_recording import FRAMES
from .animated_recording import make_clip as make_dancers_clip
from .display import display, shown  # noqa: F401 (fixtures of the tests beside)
from .yard import LiveGame, make_clip, make_ring, make_short_life

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")


@pytest.fixture(autouse=True)
def settings_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the settings: never the person's who runs the tests."""
    folder = tmp_path / "config"
    monkeypatch.setenv("PLAYHEAD_CONFIG", str(folder))
    monkeypatch.delenv("PLAYHEAD_EDITOR", raising=False)
    return folder


@pytest.fixture(autouse=True)
def default_time_style() -> Iterator[None]:
    """Reset the time style after each test: it is global to the process."""
    from playhead.viewer.toolkit.time_text import TimeStyle, use_style

    yield
    use_style(TimeStyle())


@pytest.fixture(autouse=True)
def usual_state_colors() -> Iterator[None]:
    """Reset the colours of states around each test: they are global to the process."""
    from playhead.viewer.toolkit.palette import choose, forget_states, use_theme

    forget_states()
    yield
    choose({})
    forget_states()
    use_theme("dark")


@pytest.fixture(autouse=True)
def no_dialog_without_an_answer(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Answer dialogs and menus that a test does not, and fail: nobody else would ever close one.

    While one is open no Python code runs, so that not even the time limit of a test ends it.
    """
    try:
        from playhead.viewer.toolkit import qt
    except ImportError:
        yield
        return
    opened: list[str] = []

    def answer(name: str, result: object) -> Callable[..., object]:
        def closed_at_once(*words: object, **_: object) -> object:
            opened.append(f"{name}{[word for word in words if isinstance(word, str)]}")
            return result

        return closed_at_once

    for owner, method, result in (
        (qt.QMessageBox, "question", qt.QMessageBox.StandardButton.Discard),
        (qt.QInputDialog, "getText", ("", False)),
        (qt.QInputDialog, "getMultiLineText", ("", False)),
        (qt.QFileDialog, "getOpenFileName", ("", "")),
        (qt.QFileDialog, "getSaveFileName", ("", "")),
        (qt.QMenu, "exec", None),
        (qt.QDrag, "exec", qt.Qt.DropAction.IgnoreAction),
    ):
        monkeypatch.setattr(owner, method, answer(f"{owner.__name__}.{method}", result))
    yield
    assert not opened, f"nobody answers these: {opened}"


@pytest.fixture(scope="session")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clip with everything in it."""
    path = tmp_path_factory.mktemp("viewer") / "yard.mcap"
    make_clip(path)
    return path


@pytest.fixture(scope="session")
def gapped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same without the frames 101 to 180."""
    path = tmp_path_factory.mktemp("viewer") / "gapped.mcap"
    make_clip(path, (1, 100), (181, 256))
    return path


@pytest.fixture(scope="session")
def demo_clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The clip that `playhead demo` leaves: a guard attacks a place where nobody stands."""
    from playhead.cli.games.showcase import play_until_it_fails
    from playhead.games.arena.yard_game import ArenaGame

    path = tmp_path_factory.mktemp("demo") / "demo.mcap"
    with (
        ArenaGame(seed=7, flaw=True) as game,
        Session(game.world, "32 MiB", handlers=game.handlers, about=game.about) as session,
    ):
        game.attach(session)
        play_until_it_fails(game, session)
        session.save(path)
    return path


@pytest.fixture(scope="session")
def short_life(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clip in which walker 1 is gone from frame 150 on, while it is in the state Patrol."""
    path = tmp_path_factory.mktemp("viewer") / "short.mcap"
    make_short_life(path)
    return path


class SlowReader:
    """Lets readers go on only as far as a test wants: what is behind that frame is not read yet."""

    def __init__(self) -> None:
        self.until = 2**60

    def may_read(self, scan: FrameScan, span: FrameRange) -> bool:
        return scan._newest < min(self.until, span.newest)


@pytest.fixture
def slow_reader(monkeypatch: pytest.MonkeyPatch) -> SlowReader:
    """Set `until`: the frame up to which recordings are read. Frames that are shown are read all
    the same."""
    slow, usual = SlowReader(), FrameScan.next

    def next_frame(scan: FrameScan, span: FrameRange) -> int | None:
        return usual(scan, span) if slow.may_read(scan, span) else None

    monkeypatch.setattr(FrameScan, "next", next_frame)
    return slow


@pytest.fixture(scope="session")
def ring(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a killed game left."""
    path = tmp_path_factory.mktemp("viewer") / "yard.ring"
    make_ring(path)
    return path


@pytest.fixture
def live() -> Iterator[Callable[..., LiveGame]]:
    """Start games on the bus."""
    made: list[LiveGame] = []

    def start(*args: Any, **rest: Any) -> LiveGame:
        made.append(LiveGame(*args, **rest))
        return made[-1]

    yield start
    for one in made:
        one.close()


@pytest.fixture
def app() -> Any:
    """The application: one for all tests of a process."""
    pytest.importorskip("PyQt6.QtWidgets", exc_type=ImportError)
    from playhead.viewer.app.viewer_main import application

    return application()


_LOOK_AGAIN = 3
"""Milliseconds after which a condition is looked at again, though no event came."""


@pytest.fixture
def until(app: Any) -> Callable[[Callable[[], object]], None]:
    """Let Qt work until something holds."""
    from playhead.viewer.toolkit.qt import QEventLoop, QTimer

    flags = QEventLoop.ProcessEventsFlag
    # Between events the thread sleeps, or the game and the reader beside it would hardly get on.
    tick = QTimer()
    tick.setInterval(_LOOK_AGAIN)

    def wait(holds: Callable[[], object]) -> None:
        end = time.monotonic() + LIMIT
        tick.start()
        try:
            while True:
                asked = time.monotonic()
                if holds():
                    break
                answered = time.monotonic()
                assert answered < end, "it did not come to be in time"
                # A costly question is asked seldom: else it is what everything else waits for.
                again = answered + 3 * (answered - asked)
                while True:
                    app.processEvents(flags.AllEvents | flags.WaitForMoreEvents)
                    if time.monotonic() >= again:
                        break
        finally:
            tick.stop()

    return wait


@pytest.fixture
def no_panel_at_hand() -> Callable[[Any], None]:
    """Take the mouse off all panels of a window: that of an earlier test may rest anywhere."""
    from playhead.viewer.toolkit.qt import QDockWidget, Qt

    def take_off(window: Any) -> None:
        for panel in window.findChildren(QDockWidget):
            panel.setAttribute(Qt.WidgetAttribute.WA_UnderMouse, False)
        assert window.docks.panel_under_mouse() == ""

    return take_off


@pytest.fixture
def window(app: Any, until: Any) -> Iterator[Callable[..., Any]]:
    """Open windows on what somebody might type; all read, unless `ready` is False."""
    from playhead.viewer.app.main_window import MainWindow
    from playhead.viewer.backends.open_target import target_of
    from playhead.viewer.toolkit.qt import QEvent

    made: list[Any] = []

    def open(text: object, *, ready: bool = True, size: tuple[int, int] = (1280, 720), **rest: Any):
        made.append(MainWindow(target_of(str(text)), **rest))
        made[-1].resize(*size)
        made[-1].show()
        if ready:
            until(lambda: made[-1].store.is_settled)
            until(lambda: made[-1].timeline.isVisible())
        return made[-1]

    yield open
    for one in made:
        one.close()
        one.deleteLater()
    app.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    left = [widget for widget in app.topLevelWidgets() if widget.isVisible()]
    assert not left, f"windows are left open: {left}"


@pytest.fixture
def reader(until: Any) -> Iterator[Callable[..., Any]]:
    """Readers without a window; what they tell is taken into a history."""
    from playhead.viewer.backends.open_target import target_of
    from playhead.viewer.reader.reader_thread import ReaderThread

    made: list[Any] = []

    def start(text: object) -> Any:
        made.append(ReaderThread(target_of(str(text)), lambda: None))
        made[-1].start()
        return made[-1]

    yield start
    for one in made:
        one.close()


@pytest.fixture(scope="session")
def source(tmp_path_factory):
    path = tmp_path_factory.mktemp("dancers") / "hall.mcap"
    make_dancers_clip(path)
    with ClipSource.open(path) as opened:
        yield opened


@pytest.fixture(scope="session")
def history(source):
    made = RecordingHistory()
    for frame in range(1, FRAMES + 1):
        made.put(frame_page(source, frame))
    return made
