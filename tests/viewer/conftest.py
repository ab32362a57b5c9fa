"""Recordings to be viewed, and windows that leave nothing behind."""

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from .display import display, shown  # noqa: F401 (fixtures of the tests beside)
from .yard import LiveGame, make_clip, make_ring

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

LIMIT = 20.0
"""Seconds after which something that should have happened is taken for lost."""


@pytest.fixture(autouse=True)
def settings_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the settings: never the person's who runs the tests."""
    folder = tmp_path / "config"
    monkeypatch.setenv("PLAYHEAD_CONFIG", str(folder))
    monkeypatch.delenv("PLAYHEAD_EDITOR", raising=False)
    return folder


@pytest.fixture(autouse=True)
def times_are_told_as_ever() -> Iterator[None]:
    """How times are told holds for the whole process: what a test chose must end with it."""
    from playhead.viewer.models.times import Style, use

    yield
    use(Style())


@pytest.fixture(autouse=True)
def states_have_their_usual_colors() -> Iterator[None]:
    """So do colours that a person chose."""
    from playhead.viewer.models.palette import choose

    yield
    choose({})


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
    from playhead.viewer.app import application

    return application()


@pytest.fixture
def until(app: Any) -> Callable[[Callable[[], object]], None]:
    """Let Qt work until something holds."""
    from playhead.viewer.qt import QEventLoop

    def wait(holds: Callable[[], object]) -> None:
        end = time.monotonic() + LIMIT
        while not holds():
            assert time.monotonic() < end, "it did not come to be in time"
            app.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 10)

    return wait


@pytest.fixture
def window(app: Any, until: Any) -> Iterator[Callable[..., Any]]:
    """Open windows on what somebody might type; all read, unless `ready` is False."""
    from playhead.viewer.models.target import target_of
    from playhead.viewer.qt import QEvent
    from playhead.viewer.window import Window

    made: list[Any] = []

    def open(text: object, *, ready: bool = True, size: tuple[int, int] = (1280, 720), **rest: Any):
        made.append(Window(target_of(str(text)), **rest))
        made[-1].resize(*size)
        made[-1].show()
        if ready:
            until(lambda: made[-1].clock.is_settled)
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
    from playhead.viewer.models.reader import Reader
    from playhead.viewer.models.target import target_of

    made: list[Any] = []

    def start(text: object) -> Any:
        made.append(Reader(target_of(str(text)), lambda: None))
        made[-1].start()
        return made[-1]

    yield start
    for one in made:
        one.close()
