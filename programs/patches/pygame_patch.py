"""Patches pygame: what is shown in its window ends a step, and groups are found when made."""

import functools
import sys
from types import ModuleType
from typing import Any

from ...adapters.windows.screen_pictures import is_drawn_by_opengl
from ..find_program_objects import variables_on_stack
from ..frame_boundary_kind import FrameBoundaryKind
from ..unmodified_program_recorder import ProgramRecorder


def patch_display(display: ModuleType, recorder: ProgramRecorder) -> None:
    """Have `flip` and `update` end a step, and begin the next one."""
    show = {name: getattr(display, name) for name in ("flip", "update")}
    for name, original in show.items():
        setattr(display, name, _showing(original, display, recorder))


def _showing(original: Any, display: Any, recorder: ProgramRecorder) -> Any:
    @functools.wraps(original)
    def show(*args: Any, **named: Any) -> Any:
        if not recorder.records_here:
            return original(*args, **named)
        if (window := display.get_surface()) is not None:
            _recognise(window, recorder)
        caller = sys._getframe(1)
        recorder.show(FrameBoundaryKind.WINDOW, lambda: variables_on_stack(caller))
        shown = original(*args, **named)
        recorder.shown(FrameBoundaryKind.WINDOW)
        return shown

    return show


def _recognise(window: Any, recorder: ProgramRecorder) -> None:
    width, height = window.get_size()
    recorder.recognition.found("pygame window", f"{width} × {height}")
    if is_drawn_by_opengl(window):
        recorder.recognition.note("OpenGL draws in the window: there is no picture of it")


def patch_sprite(sprite: Any, recorder: ProgramRecorder) -> None:
    """Find groups of sprites when they are made."""
    original = sprite.AbstractGroup.__init__

    @functools.wraps(original)
    def init(group: Any, *args: Any, **named: Any) -> None:
        original(group, *args, **named)
        if recorder.records_here:
            recorder.objects.add_group(group, "pygame sprites")

    sprite.AbstractGroup.__init__ = init
