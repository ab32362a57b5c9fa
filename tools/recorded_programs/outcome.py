"""Runs a program with chance and clocks that are the same each time, and prints what came of it.

`python outcome.py FRAMES pygame+pymunk -m MODULE [ARGS]`, and the same after `playhead record`: if
both print the same number, the recorder changed nothing. The number is made of all that the program
printed, of each picture that it showed, and of each body after each step of a simulation.
"""

import contextlib
import io
import random
import runpy
import sys
import time
import zlib
from typing import Any

import numpy as np


class OutcomeChecksum:
    """The number so far, and when to stop."""

    def __init__(self, frames: int) -> None:
        self.number = 0
        self.left = frames

    def add(self, data: bytes) -> None:
        self.number = zlib.crc32(data, self.number)

    def shown(self, data: bytes) -> None:
        self.add(data)
        self.left -= 1
        if self.left <= 0:
            raise SystemExit(0)


def fix_chance(checksum: OutcomeChecksum) -> None:
    """Whatever takes its seed from the system takes the same one each time; so does the clock."""
    time.time = lambda: 1e9 - checksum.left / 60
    random.seed(7)
    np.random.seed(7)
    with contextlib.suppress(ImportError):
        from gymnasium.utils import seeding

        original = seeding.np_random
        seeding.np_random = lambda seed=None: original(7 if seed is None else seed)
        from gymnasium.spaces import space

        space.seeding = seeding


def watch_pygame(checksum: OutcomeChecksum) -> None:
    import pygame

    ticks = 0

    class Clock:
        def tick(self, framerate: float = 0) -> int:
            nonlocal ticks
            ticks += 16
            return 16

        tick_busy_loop = tick

        def get_fps(self) -> float:
            return 60.0

        def get_time(self) -> int:
            return 16

    pygame.time.Clock = Clock
    pygame.time.get_ticks = lambda: ticks
    pygame.time.wait = pygame.time.delay = lambda milliseconds: milliseconds
    for name in ("flip", "update"):
        original = getattr(pygame.display, name)

        def show(*args: Any, original: Any = original, **named: Any) -> None:
            original(*args, **named)
            checksum.shown(pygame.image.tobytes(pygame.display.get_surface(), "RGB"))
            if checksum.left % 20 == 0:
                for kind in (pygame.KEYDOWN, pygame.KEYUP):
                    key = {"key": pygame.K_SPACE, "mod": 0, "unicode": " ", "scancode": 44}
                    pygame.event.post(pygame.event.Event(kind, key))

        setattr(pygame.display, name, show)


def watch_pymunk(checksum: OutcomeChecksum) -> None:
    import pymunk

    original = pymunk.Space.step

    def step(space: Any, dt: float) -> None:
        original(space, dt)
        places = [(*body.position, body.angle, *body.velocity) for body in space.bodies]
        checksum.add(np.array(places).tobytes())

    pymunk.Space.step = step


def watch_mujoco(checksum: OutcomeChecksum) -> None:
    import mujoco

    original = mujoco.mj_step

    def step(model: Any, data: Any, nstep: int = 1) -> None:
        original(model, data, nstep)
        checksum.add(data.qpos.tobytes() + data.qvel.tobytes())

    mujoco.mj_step = step


def watch_arcade(checksum: OutcomeChecksum) -> None:
    import arcade
    import pyglet

    calls = 0

    def time() -> float:
        nonlocal calls
        calls += 1
        return calls / 480

    pyglet.clock.get_default().time = time
    pyglet.clock.get_default().sleep = lambda microseconds: None
    original = arcade.Window.flip

    def flip(window: Any) -> None:
        data = window.ctx.screen.read(components=3)
        original(window)
        checksum.shown(data)

    arcade.Window.flip = flip


WATCHES = {
    "pygame": watch_pygame, "pymunk": watch_pymunk, "mujoco": watch_mujoco, "arcade": watch_arcade,
}  # fmt: skip


def main() -> None:
    frames, watched, *program = sys.argv[1:]
    checksum = OutcomeChecksum(int(frames))
    fix_chance(checksum)
    for name in watched.split("+"):
        if name in WATCHES:
            WATCHES[name](checksum)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.suppress(SystemExit):
        if program[0] == "-m":
            sys.argv = program[1:]
            runpy.run_module(program[1], run_name="__main__", alter_sys=True)
        else:
            sys.argv = program
            runpy.run_path(program[0], run_name="__main__")
    checksum.add(printed.getvalue().encode())
    print(f"{checksum.number:08x} {checksum.left}")


if __name__ == "__main__":
    main()
