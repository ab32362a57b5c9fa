"""The world view by keyboard alone, in the window."""

import pytest

pytest.importorskip("PyQt6.QtWidgets", exc_type=ImportError)

from PyQt6.QtTest import QTest

from playhead.viewer.toolkit.qt import QApplication, Qt

from ...world_recording import record

ALT, SHIFT, CONTROL = (
    Qt.KeyboardModifier.AltModifier, Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.ControlModifier,
)  # fmt: skip


@pytest.fixture
def opened(window, tmp_path):
    record(tmp_path / "plaza.ring")
    made = window(tmp_path / "plaza.ring")
    made.world.grab()
    return made


def press(window, key: str, held: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    QTest.keyClick(window.world, getattr(Qt.Key, f"Key_{key}"), held)


def test_the_camera_turns_and_goes_nearer_and_farther(opened):
    camera = opened.world.camera
    distance, azimuth, elevation = camera.distance, camera.azimuth, camera.elevation
    press(opened, "Up", ALT)
    assert camera.distance < distance
    press(opened, "Down", ALT)
    assert camera.distance == pytest.approx(distance)
    press(opened, "Left", ALT | SHIFT)
    assert camera.azimuth != azimuth
    press(opened, "Right", ALT | SHIFT)
    assert camera.azimuth == pytest.approx(azimuth)
    press(opened, "Up", ALT | SHIFT)
    assert camera.elevation > elevation
    press(opened, "Down", ALT | SHIFT)
    assert camera.elevation == pytest.approx(elevation)


def test_c_looks_through_the_game_s_camera_and_shift_f_sees_everything(opened):
    press(opened, "C")
    opened.world.grab()
    assert "Recorded camera" in opened.world.text()
    press(opened, "F", SHIFT)
    opened.world.grab()
    assert "5 of 5 objects in view" in opened.world.text()
    assert "Free camera" in opened.world.text()


def test_control_shift_c_copies_the_world_as_text(opened):
    press(opened, "C", CONTROL | SHIFT)
    assert QApplication.clipboard().text() == opened.world.text()
