"""Images for videos that Qt paints: the world of a recording, and captions."""

import time
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ...errors import RecordingError
from ...playback.commands import SeekFrame
from ..backends.open_target import target_of
from ..panels.world.world_panel import WorldPanel
from ..scene.display_layers import Layers
from ..state.viewer_store import ViewerStore
from ..toolkit import palette
from ..toolkit.qt import QEventLoop, QImage, QPainter, QRectF, Qt
from ..toolkit.text_painting import elided
from ..toolkit.theme import color, font, pen
from .viewer_main import application

SIZE = (960, 540)
"""Pixels of the world."""
_LINE = 20
_PATIENCE = 30.0
"""Seconds within which a frame must have been read."""

Image = npt.NDArray[np.uint8]


class WorldImages:
    """The world of a clip as the viewer shows it, frame by frame; a context manager.

    Args:
        focus: The object that the camera stays on; 0 for the likeliest.
    """

    def __init__(self, clip: Path, focus: int) -> None:
        self._app = application()
        self._store = ViewerStore(target_of(str(clip)), focus=focus)
        self._panel = WorldPanel(self._store, Layers())
        self._panel.resize(*SIZE)
        self._store.start()

    def __call__(self, frame: int) -> Image:
        """The image of a frame.

        Raises:
            RecordingError: it can't be read.
        """
        store, end = self._store, time.monotonic() + _PATIENCE
        if store.frame != frame or store.snapshot is None:
            store.send(SeekFrame(frame))
        while store.frame != frame or store.snapshot is None or store.snapshot.frame != frame:
            self._app.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 50)
            if store.error_text or time.monotonic() > end:
                raise RecordingError(
                    store.error_text or f"frame {frame} was not read within {_PATIENCE:g} s"
                )
        return _pixels(self._panel.grab().toImage())

    def __enter__(self) -> "WorldImages":
        return self

    def __exit__(self, *_: object) -> None:
        self._store.close()
        self._panel.deleteLater()
        self._app.processEvents()


def captioned(image: Image, lines: list[str], problem: str) -> Image:
    """An image with lines of text under it; the last one is the problem, or left empty."""
    application()
    height, width, _ = image.shape
    texts = [*lines, problem]
    canvas = QImage(width, height + _LINE * len(texts), QImage.Format.Format_RGB888)
    canvas.fill(color(palette.GROUND))
    painter = QPainter(canvas)
    try:
        data = np.ascontiguousarray(image)
        pixels: Any = data.data
        painter.drawImage(
            0, 0, QImage(pixels, width, height, 3 * width, QImage.Format.Format_RGB888)
        )
        for number, text in enumerate(texts):
            is_problem = number == len(texts) - 1
            box = QRectF(0, height + number * _LINE, width, _LINE)
            if is_problem and text:
                painter.fillRect(box, color(palette.FAILED, 70))
            painter.setFont(font(12, bold=is_problem, mono=number == 0))
            painter.setPen(pen(palette.TEXT))
            words = elided(painter, text, width - 16)
            painter.drawText(box.adjusted(8, 0, -8, 0), Qt.AlignmentFlag.AlignVCenter, words)
    finally:
        painter.end()
    return _pixels(canvas)


def _pixels(image: QImage) -> Image:
    image = image.convertToFormat(QImage.Format.Format_RGB888)
    memory = image.constBits()
    assert memory is not None
    size: Any = memory.asarray(image.sizeInBytes())
    rows: Image = np.frombuffer(size, np.uint8).reshape(image.height(), image.bytesPerLine())
    return rows[:, : 3 * image.width()].reshape(image.height(), image.width(), 3).copy()
