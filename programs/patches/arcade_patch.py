"""Patches arcade: what is shown in its window ends a step, and sprite lists are found when made."""

import functools
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..frame_trigger import FrameSource
from ..program_objects import Scope, variables_of_main
from ..program_recorder import ProgramRecorder


def patch_window(application: Any, recorder: ProgramRecorder) -> None:
    """Have `flip` end a step, and begin the next one."""
    original = application.Window.flip

    @functools.wraps(original)
    def flip(window: Any) -> Any:
        if not recorder.records_here:
            return original(window)
        recorder.recognition.found("arcade window", f"{window.width} × {window.height}")
        recorder.picture(lambda: _pixels_of(window), "screen")
        recorder.show(FrameSource.WINDOW, lambda: _variables_of(window))
        shown = original(window)
        recorder.shown(FrameSource.WINDOW)
        return shown

    application.Window.flip = flip


def patch_sprite_list(module: Any, recorder: ProgramRecorder) -> None:
    """Find lists of sprites when they are made."""
    original = module.SpriteList.__init__

    @functools.wraps(original)
    def init(sprites: Any, *args: Any, **named: Any) -> None:
        original(sprites, *args, **named)
        if recorder.records_here:
            recorder.objects.add_group(sprites, "arcade sprites")

    module.SpriteList.__init__ = init


def _variables_of(window: Any) -> Iterator[Scope]:
    """What a program keeps in its window and in the view that is shown there."""
    yield "the window", dict(vars(window))
    view = window.current_view
    if view is not None:
        yield "the view", dict(vars(view))
    yield from variables_of_main()


def _pixels_of(window: Any) -> Any:
    """What was drawn in the window, its upper row first."""
    screen = window.ctx.screen
    pixels = np.frombuffer(screen.read(components=3), np.uint8)
    return pixels.reshape(screen.height, screen.width, 3)[::-1]
