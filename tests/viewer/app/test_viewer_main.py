"""How a window's loop ends."""

import pytest

pytest.importorskip("PyQt6.QtWidgets", exc_type=ImportError)

from playhead.viewer.app.viewer_main import show
from playhead.viewer.backends.open_target import target_of
from playhead.viewer.toolkit.qt import QTimer, QWidget


@pytest.fixture(autouse=True)
def viewers_of_its_own(app, tmp_path, monkeypatch):
    monkeypatch.setenv("PLAYHEAD_VIEWERS", str(tmp_path / "viewers"))


class TimeLimit(BaseException):
    """No error, as what pytest raises when a test takes too long."""


@pytest.mark.parametrize("ending", [KeyboardInterrupt, TimeLimit])
def test_what_ends_a_program_in_a_handler_ends_the_window_too(clip, ending):
    windows = []

    def end() -> None:
        raise ending("now")

    def arrange(window) -> None:
        windows.append(window)
        QTimer.singleShot(0, end)

    with pytest.raises(ending, match="now"):
        show(target_of(str(clip)), arrange=arrange)
    windows[0].close()


def test_a_window_of_somebody_else_does_not_keep_the_viewer_running(clip):
    another = QWidget()
    another.show()
    assert (
        show(target_of(str(clip)), arrange=lambda window: QTimer.singleShot(0, window.close)) == 0
    )
    assert another.isVisible()
    another.close()
