"""Pictures of a pygame program's window and of other surfaces, without a call of the program's."""

import logging
import sys
import zlib
from importlib.util import find_spec
from typing import Any

import numpy as np

from ...errors import RecordingError
from ...installation import install_line
from ...recorder.pictures.image_pixels import pixels_of
from ...recorder.recorder import Recorder
from ...recorder.text.safe_log import log_safely

_ROWS = 24
"""Rows of a surface by which it is seen whether it was drawn on."""
_logger = logging.getLogger("playhead.recording")


class ScreenPictures:
    """Takes the pictures of the frames of a program that draws with pygame.

    A program draws either inside its step or between two steps, and only what is seen of it tells
    which. Drawn inside, the surface shows the frame that is being recorded, at its end. Drawn
    between two steps, it shows the one that was recorded last, when the next step begins. Until a
    surface was seen to change, no picture of it is taken but the first, which shows both.

    Args:
        recorder: Takes the pictures.
    """

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._surfaces: dict[str, Any] = {}
        self._draws_in_step: bool | None = None
        """None until it is known."""
        self._seen: int | None = None
        """What the surfaces showed when that was looked at last."""
        self._has_first = False
        """Whether a picture was taken of surfaces that do not change."""
        self.in_step = False
        """Whether a step was begun whose end will be reported."""
        self._can_compress = find_spec("simplejpeg") is not None
        self._warned = False

    def add(self, surface: Any, name: str) -> None:
        """Take pictures of a surface besides those of the window."""
        self._surfaces[name] = surface

    def begin_step(self) -> None:
        """The program's step begins: the world is as the newest frame has it."""
        self.in_step = True
        surfaces = self._all()
        if not surfaces:
            return
        self._compare(surfaces, in_step=False)
        if self._draws_in_step is False:
            self._take(surfaces, self._recorder.next_frame - 1)

    def end_step(self) -> None:
        """The program's step has ended, and its frame is about to be recorded."""
        self.in_step = False
        surfaces = self._all()
        if not surfaces:
            return
        self._compare(surfaces, in_step=True)
        if self._draws_in_step is None and self._recorder.finished and not self._has_first:
            self._has_first = True
            self._take(surfaces, self._recorder.next_frame)
        elif self._draws_in_step:
            self._take(surfaces, self._recorder.next_frame)

    def close(self) -> None:
        """The program ends: what was drawn after its last step is taken."""
        if self._draws_in_step is not True and self._recorder.finished:
            self._take(self._all(), self._recorder.next_frame - 1)

    def _compare(self, surfaces: dict[str, Any], *, in_step: bool) -> None:
        """Learn from the first change of the surfaces whether the program draws in its step."""
        if self._draws_in_step is None:
            seen = _fingerprint(surfaces)
            if self._seen is not None and seen != self._seen:
                self._draws_in_step = in_step
            self._seen = seen

    def _all(self) -> dict[str, Any]:
        if self._recorder.pictures is None or self._recorder.is_suspended:
            return {}
        pygame = sys.modules.get("pygame")
        display = getattr(pygame, "display", None)
        window = display.get_surface() if display is not None and display.get_init() else None
        if window is None or is_drawn_by_opengl(window):
            return self._surfaces
        if any(surface is window for surface in self._surfaces.values()):
            return self._surfaces
        return {"screen": window, **self._surfaces}

    def _take(self, surfaces: dict[str, Any], frame: int) -> None:
        if not self._can_compress:
            if surfaces and not self._warned:
                self._warned = True
                log_safely(
                    _logger, logging.WARNING,
                    "no picture of the window is recorded, as simplejpeg is not installed: %s",
                    install_line("pictures"),
                )  # fmt: skip
            return
        if frame < 1:
            return
        for name, surface in surfaces.items():
            with self._recorder.refusing("picture"):
                self._recorder.take_picture(surface, name, frame)


def is_drawn_by_opengl(window: Any) -> bool:
    """Whether nothing is in the surface of a window of pygame, since OpenGL draws in it."""
    try:
        pixels_of(window)
    except RecordingError:
        return True
    return False


def is_surface(thing: Any) -> bool:
    """Whether something is a surface of pygame, which is not imported for the answer."""
    surface = getattr(sys.modules.get("pygame"), "Surface", None)
    return isinstance(surface, type) and isinstance(thing, surface)


def _fingerprint(surfaces: dict[str, Any]) -> int:
    """A number that is another one, for all that matters, when something was drawn."""
    found = 0
    for surface in surfaces.values():
        values = pixels_of(surface).values
        rows = values[:: max(len(values) // _ROWS, 1)]
        found = zlib.crc32(np.ascontiguousarray(rows).data, found)
    return found
