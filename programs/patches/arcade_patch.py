"""Patches arcade: what is shown in its window ends a step."""

import functools
import weakref
from collections.abc import Iterator
from typing import Any

from ...adapters.windows.arcade_window import pixels_of, sprites_of, wait_outside_of_time
from ..find_program_objects import Scope, variables_of_main
from ..frame_boundary_kind import FrameBoundaryKind
from ..unmodified_program_recorder import ProgramRecorder


def patch_window(application: Any, recorder: ProgramRecorder) -> None:
    """Have `flip` end a step, and begin the next one."""
    original = application.Window.flip
    seen: weakref.WeakSet[Any] = weakref.WeakSet()

    @functools.wraps(original)
    def flip(window: Any) -> Any:
        if not recorder.records_here:
            return original(window)
        if window not in seen:
            seen.add(window)
            recorder.recognition.found("arcade window", f"{window.width} × {window.height}")
            _record_sprites(window, recorder)
        recorder.picture(lambda: pixels_of(window), "screen")
        recorder.show(FrameBoundaryKind.WINDOW, lambda: _variables_of(window))
        shown = original(window)
        wait_outside_of_time(lambda: recorder.shown(FrameBoundaryKind.WINDOW))
        return shown

    application.Window.flip = flip


def _record_sprites(window: Any, recorder: ProgramRecorder) -> None:
    reference = weakref.ref(window)

    def sprites() -> list[Any] | None:
        living = reference()
        return None if living is None else sprites_of(living)

    recorder.objects.add_sprites(sprites, "arcade sprites")


def _variables_of(window: Any) -> Iterator[Scope]:
    """What a program keeps in its window and in the view that is shown there."""
    yield "the window", dict(vars(window))
    view = window.current_view
    if view is not None:
        yield "the view", dict(vars(view))
    yield from variables_of_main()
