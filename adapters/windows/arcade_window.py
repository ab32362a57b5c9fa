"""A window of arcade: its sprites, its picture, its steps. Imports no library."""

import sys
import time
import types
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import islice
from typing import Any, Protocol

import numpy as np

from ..is_program_class import is_program_class
from ..step_session_protocol import StepHost

_DEPTH = 4
"""How deep sprite lists are looked for: `window.game.level.enemies` is of depth 3."""
_MOST_MEMBERS = 64
"""Members of a container that are looked at."""
_MOST = 2000
"""Values of one depth that are looked at."""
_PLAIN = (int, float, str, bool, type(None))
_CONTAINERS = (list, tuple, set, frozenset, deque)
_WAITED = 0.05
"""Seconds: who waited longer than this for a step looked at the past meanwhile."""


class WindowHost(StepHost, Protocol):
    """The session that a window is recorded in."""

    def on_moved(self, callback: Callable[[Any], Any]) -> Callable[[], None]: ...


class ArcadeWindow:
    """Makes a frame of each picture that a window shows, with the sprites that its program holds.

    What a program does in `on_fixed_update` and `on_update` before it draws is one step. In
    playback the window draws the sprites as they were: their places, angles, sizes and colours are
    put back, and other variables of the program's are not.

    Args:
        picture_name: What its picture is called.
    """

    def __init__(self, window: Any, host: WindowHost, picture_name: str) -> None:
        self.thing = window
        self._host = host
        self._picture_name = picture_name
        self._flip = window.flip
        self._time = _game_time()
        self._stop_following = host.on_moved(lambda _: self._draw_again())
        window.flip = self._flip_and_record

    def sprites(self) -> list[Any]:
        """The sprites of this frame."""
        return sprites_of(self.thing)

    def close(self) -> None:
        """Record no more: the window is as it was."""
        self._stop_following()
        vars(self.thing).pop("flip", None)

    def _flip_and_record(self) -> None:
        if self._host.closed:
            self._flip()
            return
        self._host.recorder.picture(lambda: pixels_of(self.thing), name=self._picture_name)
        now = _game_time()
        passed, self._time = now - self._time, now
        self._host.close_step(passed if passed > 0 else None)
        self._flip()
        wait_outside_of_time(self._host.open_step)

    def _draw_again(self) -> None:
        """Show what the sprites are now, while a user moves through the past."""
        if self.thing.context is None:
            return  # the window was closed
        self.thing.switch_to()
        self.thing.dispatch_event("on_draw")
        self._flip()


def is_arcade_window(thing: Any) -> bool:
    """Whether something is a window of arcade, which is not imported for the answer."""
    window = getattr(sys.modules.get("arcade"), "Window", None)
    return isinstance(window, type) and isinstance(thing, window)


def is_sprite_list(thing: Any) -> bool:
    """Whether something is a sprite list of arcade, which is not imported for the answer."""
    sprite_list = getattr(sys.modules.get("arcade"), "SpriteList", None)
    return isinstance(sprite_list, type) and isinstance(thing, sprite_list)


def is_sprite_class(kind: type) -> bool:
    """Whether objects of a class are sprites of arcade, which is not imported for the answer."""
    sprite = getattr(sys.modules.get("arcade"), "BasicSprite", None)
    return isinstance(sprite, type) and issubclass(kind, sprite)


def sprites_of(window: Any) -> list[Any]:
    """Each sprite once, of the sprite lists that a program holds: in its window, in the view that
    is shown there, in objects of its own in these, or in variables of its handlers of events and of
    the module `__main__`."""
    roots = [*vars(window).values()]
    if window.current_view is not None:
        roots.append(window.current_view)
    if (main := sys.modules.get("__main__")) is not None:
        roots += tuple(vars(main).values())
    found = {id(sprite): sprite for sprites in _sprite_lists(roots) for sprite in sprites}
    return list(found.values())


def pixels_of(window: Any) -> Any:
    """What was drawn in a window and is not shown yet, its upper row first."""
    screen = window.ctx.screen
    pixels = np.frombuffer(screen.read(components=3), np.uint8)
    return pixels.reshape(screen.height, screen.width, 3)[::-1]


def wait_outside_of_time(wait: Callable[[], object]) -> None:
    """Call what may wait while somebody looks at the past: for the program no time passes then."""
    before = time.perf_counter()
    wait()
    waited = time.perf_counter() - before
    if waited > _WAITED:
        clock = sys.modules["pyglet.clock"].get_default()
        if not isinstance(clock.time, _StoppableTime):
            clock.time = _StoppableTime(clock.time)
        clock.time.stopped += waited


class _StoppableTime:
    """The time of a clock, less the seconds for which it was stopped."""

    def __init__(self, running: Callable[[], float]) -> None:
        self._running = running
        self.stopped = 0.0

    def __call__(self) -> float:
        return self._running() - self.stopped


def _game_time() -> float:
    """The seconds that arcade's clock has counted. A loop without a window leaves it at 0."""
    return float(sys.modules["arcade.clock"].GLOBAL_CLOCK.time)


def _sprite_lists(roots: Iterable[Any]) -> Iterator[Any]:
    seen: set[int] = set()
    level = list(roots)
    for _ in range(_DEPTH):
        deeper: list[Any] = []
        for value in level[:_MOST]:
            if type(value) in _PLAIN or id(value) in seen:
                continue
            seen.add(id(value))
            if is_sprite_list(value):
                yield value
            else:
                deeper += _parts(value)
        level = deeper


def _parts(value: Any) -> Iterable[Any]:
    """What a value holds that may hold sprite lists."""
    kind = type(value)
    if kind in _CONTAINERS:
        return tuple(islice(value, _MOST_MEMBERS))
    if issubclass(kind, dict):
        return tuple(islice(value.values(), _MOST_MEMBERS))
    if kind is types.FunctionType:  # a handler of events
        return _variables_in(value)
    if kind is types.MethodType:
        return (value.__self__,)
    scene = getattr(sys.modules.get("arcade"), "Scene", None)
    if is_program_class(kind) or (isinstance(scene, type) and issubclass(kind, scene)):
        return tuple(getattr(value, "__dict__", {}).values())
    return ()


def _variables_in(function: types.FunctionType) -> Iterator[Any]:
    """What a function uses that is not its own: of the function around it, and of its module."""
    for cell in function.__closure__ or ():
        with suppress(ValueError):  # it has no content yet
            yield cell.cell_contents
    names, values = function.__code__.co_names, function.__globals__
    yield from (values[name] for name in names if name in values)
