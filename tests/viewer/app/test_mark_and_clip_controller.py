"""Marks and clips by hand, in the window and over the bus."""

import shutil

import pytest

pytest.importorskip("PyQt6.QtWidgets", exc_type=ImportError)

from PyQt6.QtTest import QTest

from playhead.playback.commands import Loop, Pause, SeekFrame, SeekMark
from playhead.playback.playback_state import Mode
from playhead.recorder.clips.clip_source import ClipSource
from playhead.recorder.clips.verify_clip import verify
from playhead.viewer.app import mark_and_clip_controller as module
from playhead.viewer.toolkit.qt import QApplication, QMessageBox, Qt

from ..yard import FAILS


@pytest.fixture
def path(clip, tmp_path):
    return shutil.copy(clip, tmp_path / "yard.mcap")


@pytest.fixture
def keeping(window):
    """A window on something, and its annotation controller."""

    def open(text, **rest):
        one = window(text, **rest)
        one.activateWindow()
        annotations = one.annotations
        annotations.messages = []
        one.store.message.connect(annotations.messages.append)
        return one, annotations

    return open


def type_in(annotations, until, text: str) -> None:
    until(lambda: QApplication.focusWidget() is annotations.prompt)
    annotations.prompt.selectAll()
    QTest.keyClicks(annotations.prompt, text)
    QTest.keyClick(annotations.prompt, Qt.Key.Key_Return)
    until(lambda: annotations.prompt is None)


def wait_for_message(annotations, until, words: str) -> None:
    until(lambda: any(words in text for text in annotations.messages))


def marks_of(path) -> list[tuple[str, str, int, int]]:
    assert verify(path).ok
    with ClipSource.open(path) as source:
        return [(mark.name, mark.note, mark.frame, mark.object) for mark in source.marks()]


def test_a_mark_is_typed_at_the_playhead_and_is_in_the_clip(keeping, path, until):
    one, annotations = keeping(path)
    annotations.mark()
    prompt, timeline = annotations.prompt, one.timeline
    left = prompt.mapTo(one, prompt.rect().topLeft()).x()
    x = timeline.mapTo(one, timeline.rect().topLeft()).x() + timeline.x_of(FAILS / 64)
    assert abs(left - x) < 30
    # Keys are the line's: nothing moves meanwhile.
    type_in(annotations, until, "n: too late")
    wait_for_message(annotations, until, "Marked 'n' at 00:02.500, in yard.mcap")
    assert one.store.frame == FAILS
    assert ("n", "too late", FAILS, 2) in marks_of(path)
    until(lambda: "n · too late" in one.timeline.text())
    # It can be sought like any other.
    one.store.send(SeekFrame(3))
    until(lambda: one.store.frame == 3)
    one.store.send(SeekMark("n"))
    until(lambda: one.store.frame == FAILS)


def test_escape_and_a_click_elsewhere_give_it_up(keeping, path, until):
    one, annotations = keeping(path)
    annotations.mark()
    until(lambda: QApplication.focusWidget() is annotations.prompt)
    QTest.keyClick(annotations.prompt, Qt.Key.Key_Escape)
    until(lambda: annotations.prompt is None)
    assert one.store.selected == 2
    annotations.mark()
    until(lambda: QApplication.focusWidget() is annotations.prompt)
    one.log.list.setFocus()
    until(lambda: annotations.prompt is None)
    assert len(marks_of(path)) == 2


def test_a_mark_by_hand_is_renamed_and_removed_from_the_timeline_s_menu(keeping, path, until):
    one, annotations = keeping(path)
    annotations.mark()
    type_in(annotations, until, "door")
    wait_for_message(annotations, until, "Marked 'door'")
    until(lambda: any(mark.name == "door" for mark in one.store.history.marks))
    (mark,) = (mark for mark in one.store.history.marks if mark.name == "door")
    one.timeline.context.renaming.emit(mark)
    type_in(annotations, until, "gate: shut")
    wait_for_message(annotations, until, "Renamed to 'gate: shut', in yard.mcap")
    assert ("gate", "shut", FAILS, 2) in marks_of(path)


def test_the_loop_is_saved_and_it_says_where(keeping, path, until, tmp_path, monkeypatch):
    one, annotations = keeping(path)
    one.store.send(Loop(1.0, 2.0))
    until(lambda: one.store.playback.loop is not None)
    asked = []

    def name(window, title, suggested, kinds):
        asked.append((title, suggested))
        return str(tmp_path / "short.mcap"), kinds

    monkeypatch.setattr(module.QFileDialog, "getSaveFileName", name)
    annotations.save()
    wait_for_message(annotations, until, f"Saved {tmp_path / 'short.mcap'}: 65 frames")
    ((title, suggested),) = asked
    assert title == "Save the loop, 00:01.000 … 00:02.000"
    assert suggested == str(tmp_path / "yard-1.0-2.0.mcap")
    with ClipSource.open(tmp_path / "short.mcap") as source:
        assert (source.span.oldest, source.span.newest) == (64, 128)
    assert verify(tmp_path / "short.mcap").ok


def test_nothing_is_saved_if_no_name_is_given(keeping, path, monkeypatch, until, tmp_path):
    _, annotations = keeping(path)
    monkeypatch.setattr(module.QFileDialog, "getSaveFileName", lambda *_: ("", ""))
    annotations.save()
    assert [one.name for one in tmp_path.iterdir()] == ["yard.mcap"]


def test_without_a_recording_there_is_nothing_to_mark_or_save(keeping):
    _, annotations = keeping("127.0.0.1:1", ready=False)
    annotations.mark()
    annotations.save()
    assert annotations.prompt is None
    assert annotations.messages == [
        "There is no frame so far that could be marked",
        "Nothing is recorded so far that could be saved",
    ]


def test_a_running_game_is_marked_over_the_bus_for_everybody(keeping, live, until):
    game = live()
    one, annotations = keeping(game.endpoint, ready=False)
    until(lambda: one.store.frame > 20)
    annotations.mark()
    type_in(annotations, until, "odd: why?")
    wait_for_message(annotations, until, "Marked 'odd' at frame")
    until(lambda: any(mark.name == "odd" for mark in one.store.history.marks))
    from playhead.bus.client.client import Client

    with Client(game.endpoint, name="another") as client:
        until(lambda: any(mark.note == "why?" for mark in client.marks()))


def test_what_is_marked_while_the_game_is_paused_is_shown_and_in_the_clip_that_is_saved(
    keeping, live, until, tmp_path, monkeypatch
):
    game = live()
    one, annotations = keeping(game.endpoint, ready=False)
    until(lambda: one.store.frame > 40)
    one.store.send(Pause())
    until(lambda: one.store.playback.mode is Mode.PAUSED)
    one.store.send(SeekFrame(30))
    until(lambda: one.store.frame == 30)
    annotations.mark()
    type_in(annotations, until, "stands")
    until(lambda: any(mark.name == "stands" for mark in one.store.history.marks))
    target = tmp_path / "live.mcap"
    monkeypatch.setattr(module.QFileDialog, "getSaveFileName", lambda *_: (str(target), ""))
    annotations.save()
    wait_for_message(annotations, until, f"Saved {target}")
    assert ("stands", "", 30, one.store.selected) in marks_of(target)
    # When the game runs on it records the mark itself: there are not two of them.
    one.store.leave()
    until(lambda: one.store.playback.mode is Mode.LIVE)
    before = one.store.frame
    until(lambda: one.store.frame > before + 10)
    assert [mark.name for mark in one.store.history.marks].count("stands") == 1


def test_marks_that_no_file_holds_are_asked_for_before_they_are_lost(
    keeping, ring, until, monkeypatch
):
    one, annotations = keeping(str(ring))
    until(lambda: one.store.snapshot is not None)
    annotations.mark()
    type_in(annotations, until, "door")
    until(lambda: one.store.reader.unsaved == 1)
    asked, answers = [], ["Cancel", "Save", "Discard"]

    def answer(parent, title, text, *_):
        asked.append(text)
        return getattr(QMessageBox.StandardButton, answers[len(asked) - 1])

    saves = []
    monkeypatch.setattr(QMessageBox, "question", answer)
    monkeypatch.setattr(annotations, "save", lambda: saves.append(1))
    assert not one.close()
    assert not one.close()
    assert saves == [1]
    assert one.close()
    assert asked == ["1 mark is kept in this window only. Save a clip to keep them."] * 3
