"""Links, files and the demo, as they come into a window."""

import os
import threading

import pytest

pytest.importorskip("PyQt6.QtWidgets", exc_type=ImportError)

from PyQt6.QtCore import QMimeData, QUrl
from PyQt6.QtTest import QTest

from playhead.bus.running_viewer import instance_info, send_link
from playhead.playback.commands import Pause
from playhead.playback.playback_state import Mode
from playhead.playback.recording_url import RecordingLink
from playhead.viewer.app.viewer_main import show
from playhead.viewer.backends.open_target import target_of
from playhead.viewer.backends.playback_backend import LinkState
from playhead.viewer.toolkit.qt import QApplication, QDropEvent, QPointF, Qt, QTimer

from ..yard import FAILS

CTRL = Qt.KeyboardModifier.ControlModifier


@pytest.fixture
def opened(window, clip):
    return window(clip)


def paste(opened, text: str) -> None:
    QApplication.clipboard().setText(text)
    QTest.keyClick(opened, Qt.Key.Key_V, CTRL)


def drop(opened, data: QMimeData) -> bool:
    event = QDropEvent(
        QPointF(50, 50), Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )  # fmt: skip
    takes = opened.open_controller.takes(event)
    if takes:
        opened.dropEvent(event)
    return takes


def test_a_link_into_the_same_recording_only_moves(opened, clip, until):
    store = opened.store
    paste(opened, f"playhead://{clip}#frame=64&focus=1")
    until(lambda: store.frame == 64 and store.selected == 1)
    assert opened.store is store
    paste(opened, f"playhead://{clip}#mark=here")
    until(lambda: store.frame == 120)
    paste(opened, f"playhead://{clip}#at=1.5")
    until(lambda: store.frame == 96)


def test_a_link_into_another_recording_opens_it_there(opened, gapped, until):
    paste(opened, f"playhead://{gapped}#frame=200&focus=1")
    until(lambda: opened.store.is_settled and opened.store.frame == 200)
    assert opened.store.selected == 1
    assert opened.store.target.location == str(gapped)


def test_what_was_copied_leads_back(opened, gapped, until):
    opened.store.select(1)
    opened.store.jump(33)
    until(lambda: opened.store.frame == 33)
    QTest.keyClick(opened, Qt.Key.Key_C, CTRL)
    link = QApplication.clipboard().text()
    opened.view(str(gapped))
    until(lambda: opened.store.is_settled)
    paste(opened, link)
    until(lambda: opened.store.frame == 33 and opened.store.selected == 1)


def test_another_program_s_link_raises_the_window(opened, clip, until):
    opened.showMinimized()
    opened.open_link(RecordingLink.of(f"playhead://{clip}#frame=5"))
    until(lambda: not opened.isMinimized() and opened.store.frame == 5)
    until(opened.isActiveWindow)


@pytest.mark.parametrize(
    ("text", "message"),
    [("playhead://x#frame=none", "none"), ("some words", "no playhead:// link"),
     ("playhead:///no/such.mcap#frame=3", "no such file")],
)  # fmt: skip
def test_what_leads_nowhere_is_reported_and_all_stays(opened, text, message):
    store = opened.store
    paste(opened, text)
    assert message in opened.status.left.text()
    assert opened.store is store
    assert store.frame == FAILS


def test_links_and_files_can_be_dropped(opened, clip, gapped, until):
    data = QMimeData()
    data.setText(f"playhead://{clip}#frame=7")
    assert drop(opened, data)
    until(lambda: opened.store.frame == 7)
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(gapped))])
    assert drop(opened, data)
    until(lambda: opened.store.backend_state.title == "gapped.mcap")
    data = QMimeData()
    data.setText("nothing of use")
    assert not drop(opened, data)


def test_a_path_can_be_pasted_too(opened, gapped, until):
    paste(opened, f'"{gapped}"')
    until(lambda: opened.store.is_settled and opened.store.backend_state.title == "gapped.mcap")


@pytest.mark.slow
def test_the_demo_runs_fails_and_ends_with_its_window(window, until, monkeypatch):
    pytest.importorskip("pymunk")
    opened = window("127.0.0.1:1", ready=False)
    opened.card.demo.click()
    until(
        lambda: opened.store.backend_state.link is LinkState.CONNECTED and opened.store.frame > 60
    )
    assert opened.stack.currentWidget() is opened.world
    process = opened.open_controller._demo._process
    assert opened.open_controller._demo.clip.parent.is_dir()
    assert opened.store.playback.mode is Mode.LIVE
    folder = opened.open_controller._demo.clip.parent
    opened.close()
    assert process.state() == process.ProcessState.NotRunning
    assert not folder.exists()


def test_a_demo_that_can_t_be_started_is_reported(window, until, monkeypatch):
    import playhead.viewer.app.processes.showcase_game_process as demo

    opened = window("127.0.0.1:1", ready=False)
    monkeypatch.setattr(demo.sys, "executable", "/no/such/python")
    opened.card.demo.click()
    until(lambda: "could not be started" in opened.status.left.text())
    assert opened.open_controller._demo is None


def test_a_paused_game_here_is_not_left_for_another_program_s_link(live, window, until):
    game = live()
    opened = window(game.endpoint)
    elsewhere, here = RecordingLink("/clips/run.mcap", frame=4), RecordingLink(game.endpoint)
    assert opened.open_controller.refuses(elsewhere) == "", "it runs on unseen"
    opened.store.send(Pause())
    until(lambda: opened.store.playback.mode is Mode.PAUSED)
    assert "is paused in this window" in opened.open_controller.refuses(elsewhere)
    assert opened.open_controller.refuses(here) == "", "it leads into that very game"
    opened.store.leave()
    until(lambda: opened.store.playback.mode is Mode.LIVE)
    assert opened.open_controller.refuses(elsewhere) == ""


def test_who_opens_something_else_hears_that_the_game_is_still_paused(live, window, clip, until):
    game = live()
    opened = window(game.endpoint)
    opened.store.send(Pause())
    until(lambda: opened.store.playback.mode is Mode.PAUSED)
    assert opened.open_controller.paused_game() == game.endpoint
    opened.view(str(clip))
    assert f"{game.endpoint} is still paused" in opened.status.left.text()


def test_a_clip_is_left_for_another_program_s_link(window, clip):
    assert window(clip).open_controller.refuses(RecordingLink("/clips/run.mcap", frame=4)) == ""


@pytest.mark.parametrize("screen", [True, False])
def test_a_window_that_is_a_game_s_screen_takes_no_links(app, clip, tmp_path, monkeypatch, screen):
    monkeypatch.setenv("PLAYHEAD_VIEWERS", str(tmp_path / "viewers"))
    taken: list[int] = []

    def hand() -> None:
        taken.append(send_link(RecordingLink(str(clip), frame=4), patience=20))
        taken.append(len(instance_info(patience=20)))

    worker = threading.Thread(target=hand)

    def arrange(opened) -> None:
        timer = QTimer(opened)
        opened.store.moved.connect(lambda: worker.ident or worker.start())
        timer.timeout.connect(lambda: worker.ident and not worker.is_alive() and opened.close())
        timer.start(10)

    assert show(target_of(str(clip)), arrange=arrange, screen=screen) == 0
    worker.join(20)
    assert taken == [0 if screen else os.getpid(), 1], "it still says where it is"
