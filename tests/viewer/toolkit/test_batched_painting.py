"""Lines and boxes are drawn from arrays that are used again and again."""

import os
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("PyQt6.QtWidgets", exc_type=ImportError)


from playhead.viewer.toolkit.batched_painting import LineBuffer, RectBuffer
from playhead.viewer.toolkit.qt import QImage, QPainter, Qt
from playhead.viewer.toolkit.theme import pen

LEFT = Qt.MouseButton.LeftButton
CONTROL_SHIFT = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier


def test_drawing_many_lines_keeps_no_memory(app):
    """Arrays of sip are never freed: a drawing may make none."""
    statm = Path("/proc/self/statm")
    if not statm.exists():
        pytest.skip("this system does not say how much memory a process has")
    image, lines = QImage(64, 64, QImage.Format.Format_RGB32), LineBuffer()
    rows = np.random.default_rng(1).random((40, 4)) * 64

    def draw(times: int) -> int:
        painter = QPainter(image)
        for count in range(times):
            lines.draw(painter, rows[: 1 + count % 40], pen("#222222"))
        painter.end()
        return int(statm.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    first = draw(1000)
    assert draw(20_000) - first < 1 << 20


def test_what_is_left_of_an_array_is_drawn_nowhere(app):
    image, lines, rects = QImage(64, 64, QImage.Format.Format_RGB32), LineBuffer(), RectBuffer()
    many = np.tile([0.0, 5.0, 63.0, 5.0], (30, 1))
    few = np.array([[0.0, 40.0, 63.0, 40.0]])
    for buffer in (lines, rects):
        for rows in (many, np.tile(few, (17, 1))):  # into the same array
            image.fill(Qt.GlobalColor.black)
            painter = QPainter(image)
            painter.setBrush(Qt.GlobalColor.white)
            if buffer is lines:
                lines.draw(painter, rows, pen("#ffffff"))
            else:
                painter.setPen(Qt.PenStyle.NoPen)
                rects.draw(painter, np.column_stack([rows[:, :3], np.full(len(rows), 3.0)]))
            painter.end()
        assert image.pixelColor(30, 5).name() == "#000000"
        assert image.pixelColor(30, 41 if buffer is rects else 40).name() == "#ffffff"
