"""A failed check: the window comes up, stands at the culprit, and says where it is checked."""

import sys
from pathlib import Path

import pytest

pytest.importorskip("PyQt6.QtWidgets", exc_type=ImportError)

from PyQt6.QtTest import QTest

from playhead.handlers.field_handler import FieldHandler
from playhead.playback.commands import SeekFrame
from playhead.playback.playback_state import Mode
from playhead.recorder.checks.check_policy import UNATTENDED
from playhead.recorder.checks.failed_check_tracker import FailedCheck
from playhead.session import Session
from playhead.viewer.toolkit.qt import Qt, QWidget

from ...agents.replay.corridor import PLAYER, Hall, Walker
from ...support.process import WITH_SUPPORT, Process, starting
from ..yard import FAILS

GAME = Path(__file__).with_name("other_game.py")


class Game(Process):
    """Another process."""

    def __init__(self, how: str) -> None:
        super().__init__(sys.executable, GAME, how, talks=True, env=WITH_SUPPORT)
        self.address = self.line()
        assert self.address, self.output

    def go_on(self) -> None:
        self.say()


@pytest.fixture
def game():
    yield from starting(Game)


@pytest.fixture
def following(game, window, until):
    def start(how: str):
        one = game(how)
        opened = window(one.address, ready=False)
        until(lambda: opened.store.frame >= FAILS - 10)
        return opened, one

    return start


def test_a_check_that_fails_elsewhere_raises_the_window_at_the_culprit(following, until):
    opened, game = following("pause")
    opened.store.select(1)
    other = QWidget()
    other.show()
    other.activateWindow()
    until(other.isActiveWindow)
    try:
        assert not opened.banner.isVisible()
        game.go_on()
        until(opened.banner.isVisible)
        until(opened.isActiveWindow)
        until(lambda: opened.store.frame == FAILS and opened.store.selected == 2)
        assert opened.transport.mode.text() == "PAUSED"
        assert "walkers stay inside" in opened.banner.title.text()
        # The expression was a plain False: the source around it says more.
        assert opened.banner.detail.text().startswith("if step == FAILS:   session.check(False")
        until(lambda: "yard.py:" in opened.banner.where.text())
        assert not opened.banner.go.isVisible()
    finally:
        other.close()
        other.deleteLater()


@pytest.mark.slow
def test_its_source_opens_in_the_editor_and_escape_dismisses_it(following, until):
    opened, game = following("pause")
    game.go_on()
    until(opened.banner.isVisible)
    requested = []
    opened.store.source_requested.disconnect(opened.open_source)
    opened.store.source_requested.connect(lambda *location: requested.append(location))
    opened.banner.open.click()
    ((file, line),) = requested
    assert Path(file).name == "yard.py"
    assert "check(False" in Path(file).read_text(encoding="utf-8").splitlines()[line - 1]
    until(lambda: opened.store.selected == 2)
    QTest.keyClick(opened, Qt.Key.Key_Escape)
    assert not opened.banner.isVisible()
    assert opened.store.selected == 2
    # Dismissed is dismissed, as long as one stands there.
    opened.store.moved.emit()
    assert not opened.banner.isVisible()


@pytest.mark.slow
def test_a_game_that_runs_on_is_not_stopped_but_one_can_go_there(following, until):
    opened, game = following("run")
    game.go_on()
    until(opened.banner.isVisible)
    assert "runs on" in opened.banner.where.text()
    until(lambda: opened.store.frame > FAILS + 5)
    assert opened.store.playback.mode is Mode.LIVE
    assert opened.banner.isVisible()
    opened.banner.go.click()
    until(lambda: opened.store.frame == FAILS and opened.store.playback.mode is Mode.PAUSED)
    until(lambda: "runs on" not in opened.banner.where.text())
    assert opened.store.selected == 2


def test_a_recording_that_is_at_a_failed_check_says_so_until_one_leaves(window, clip, until):
    opened = window(clip)
    assert opened.banner.isVisible()
    opened.store.send(SeekFrame(FAILS - 1))
    until(lambda: opened.store.frame == FAILS - 1)
    assert not opened.banner.isVisible()
    opened.store.send(SeekFrame(FAILS))
    until(opened.banner.isVisible)


def test_it_never_makes_the_window_wider_than_it_is(window, clip):
    opened = window(clip, size=(800, 600))
    assert opened.width() == 800
    assert opened.banner.width() <= opened.world.width()


def test_a_replay_that_goes_another_way_than_its_demo_says_so(window, until, tmp_path):
    world = Hall()
    handlers = {"walker": FieldHandler(Walker())}
    demo = tmp_path / "walk.csv"
    with Session(world, "2 MiB", handlers=handlers, on_check=UNATTENDED) as session:
        for frame in range(1, 61):
            world.steps += 1
            if frame == 20:
                session.mark("divergence", "coins 3, demo 1, since row 18", object=PLAYER)
            if frame == 50:
                session.report_failed_check(FailedCheck("stuck", "", PLAYER, str(demo), 40))
            session.update(1 / 60)
        clip = session.save(tmp_path / "walk.mcap").path
    demo.write_text("player_x,player_y\n" + "1.0,2.0\n" * 60)
    opened = window(clip)
    assert opened.store.frame == 20
    assert opened.banner.title.text() == "Not as in the demo: coins 3, demo 1, since row 18"
    assert not opened.banner.open.isVisible()
    opened.store.send(SeekFrame(50))
    until(lambda: opened.store.frame == 50)
    assert opened.banner.title.text() == "Check failed: stuck"
    assert opened.banner.where.text().startswith("walk.csv:40")
    assert not opened.banner.detail.isVisible()  # a demo's row is no code


def test_of_two_checks_that_fail_in_one_frame_the_first_is_shown_and_the_other_counted(
    window, tmp_path, until
):
    import playhead as ph
    from playhead.viewer.backends.playback_backend import ReportedCheck

    with ph.record({"guard": {"hp": 1.0}}, tmp_path / "two.mcap", dt=0.1) as rec, rec.frame():
        rec.check(False, "hp is high")
        rec.check(False, "hp is not low")
    opened = window(tmp_path / "two.mcap")
    until(lambda: opened.banner.check is not None)
    assert opened.banner.title.text().endswith("hp is high")
    assert "and 1 more in this frame" in opened.banner.where.text()
    shown = opened.banner.check.violation
    other = FailedCheck("hp is not low", "", 0, "", 0, shown.frame, shown.time)
    opened.banner.show_check(ReportedCheck(other, True))  # as a running game reports it
    assert opened.banner.check.violation == shown
