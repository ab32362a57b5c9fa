"""A fixed piece of painting by Qt alone, beside which the viewer's own times are held.

It never changes with the viewer, so that ratios to it compare on machines that are busy with other
things, and on other machines.
"""

import time
from typing import Any

import numpy as np
from PyQt6 import sip
from PyQt6.QtCore import QLineF
from PyQt6.QtGui import QColor, QImage, QPainter, QPen

LINES = 16_500
COLORS = 8
SIZE = (1280, 800)


class FixedLoad:
    """Short smooth lines of eight colours on a picture in memory."""

    def __init__(self) -> None:
        make = np.random.default_rng(1)
        starts = make.random((LINES, 2)) * SIZE
        rows = np.concatenate([starts, starts + make.normal(0, 9, (LINES, 2))], axis=1)
        # PyQt's stubs know neither the arguments nor the slices of sip's arrays.
        array: Any = sip.array
        self._lines: Any = array(QLineF, LINES)
        memory: Any = sip.voidptr(self._lines, LINES * 32)
        np.frombuffer(memory, np.float64).reshape(LINES, 4)[:] = rows
        self._image = QImage(*SIZE, QImage.Format.Format_RGB32)
        self._pens = [QPen(QColor.fromHsv(45 * at, 160, 200), 1.0) for at in range(COLORS)]
        for pen in self._pens:
            pen.setCosmetic(True)

    def paint(self) -> float:
        """Paint it once; returns the seconds that took."""
        start = time.perf_counter()
        painter = QPainter(self._image)
        self._image.fill(QColor("#12151b"))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        share = LINES // COLORS
        for at, pen in enumerate(self._pens):
            painter.setPen(pen)
            painter.drawLines(self._lines[at * share : (at + 1) * share])
        painter.end()
        return time.perf_counter() - start
