"""What a recorded picture costs the game's thread: pixels of its own, and those of the arena."""

import time

import numpy as np

from playhead.games.arena.entity import STEP
from playhead.games.arena.yard_game import ArenaGame
from playhead.recorder.checks.check_policy import UNATTENDED
from playhead.recording_session import record
from playhead.session import Session

from ..support.report_table import Line
from ..support.timing import Size

WIDTH, HEIGHT = 640, 480
ARENA_FRAMES = 60
"""Frames of the arena in a round."""


def measure(size: Size) -> list[Line]:
    took, copied = _calls(size.rounds * 4)
    bare, pictured = (
        _frames(size.rounds * ARENA_FRAMES // 2, pictures=pictures) for pictures in (False, True)
    )
    p99, bare_p99 = (float(np.percentile(frames, 99)) for frames in (pictured, bare))
    return [
        Line(f"session.picture of {WIDTH} × {HEIGHT} pixels that is taken", took * 1e3, "ms", 0.3),
        Line("… ÷ copying the pixels", took / copied, "×", note=f"{copied * 1e6:.0f} µs"),
        Line("a frame of arena:yard with its picture, p99 of the game's thread", p99 * 1e3, "ms"),
        Line("… ÷ without pictures", p99 / bare_p99, "×", note=f"{bare_p99 * 1e3:.2f} ms"),
    ]


def _calls(count: int) -> tuple[float, float]:
    """Median CPU seconds of the thread for a picture, and for a copy of its pixels."""
    pixels = np.random.default_rng(1).integers(0, 255, (HEIGHT, WIDTH, 3), np.uint8)
    taken: list[float] = []
    copies: list[float] = []
    with record(dt=1.0, memory="16 MiB") as rec:  # a step of a second: a picture is always due
        pictures = rec.recorder.pictures
        assert pictures is not None
        while len(taken) < count:
            pictures.wait(1.0)  # else it would be refused while others are compressed
            start = time.thread_time()
            rec.picture(pixels)
            taken.append(time.thread_time() - start)
            start = time.thread_time()
            pixels.copy()
            copies.append(time.thread_time() - start)
            rec.update()
        assert not pictures.status.not_due
        assert not pictures.status.busy
    return float(np.median(taken)), float(np.median(copies))


def _frames(count: int, *, pictures: bool) -> list[float]:
    """CPU seconds of the game's thread for recording each frame of the yard."""
    game, taken = ArenaGame("yard", seed=1), []
    with Session(game.world, "16 MiB", handlers=game.handlers, on_check=UNATTENDED,
                 pictures=pictures) as session:  # fmt: skip
        game.attach(session)
        for _ in range(count):
            game.step()
            start = time.thread_time()
            session.update(STEP)
            taken.append(time.thread_time() - start)
    return taken
