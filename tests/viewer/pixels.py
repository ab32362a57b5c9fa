"""A game in a plane, as engines for two dimensions have it: pixels, y down, nodes with paths."""

import math
from dataclasses import dataclass
from pathlib import Path

from playhead.recorder.world_adapter import Conventions
from playhead.session import Session

from ..support.fake_world import FakeWorld, handlers_of

Vector = tuple[float, float, float]
WIDE, HIGH = 640.0, 360.0
FRAMES = 60
PLAYER, LAST = 1, 9
DOWN = Conventions(up="z", handedness="left", unit="px")
"""What the Godot client says of a game in two dimensions."""


@dataclass
class Sprite:
    position: Vector
    angles: Vector = (0.0, 0.0, 0.0)
    hp: float = 100.0


class Player(Sprite):
    """The one who is played."""


class Enemy(Sprite):
    """All others."""


def pixels(conventions: Conventions = DOWN) -> FakeWorld:
    """A player in the upper left corner, and enemies in a row at the foot of the picture."""
    sprites: dict[int, Sprite] = {PLAYER: Player((20.0, 10.0, 0.0))}
    for at in range(2, LAST + 1):
        origin = (WIDE * (at - 1) / 9, HIGH - 20.0, 0.0)
        sprites[at] = Enemy(origin, (0.0, 0.0, math.pi / 2))
    return FakeWorld(sprites, conventions=conventions)


def make_pixels(path: Path, conventions: Conventions = DOWN) -> None:
    """A clip of it, in which the player walks to the right."""
    world = pixels(conventions)
    with Session(world, "4 MiB", handlers=handlers_of(world)) as session:
        session.recorder.name(PLAYER, "/root/Main/Player")
        for id in range(2, LAST + 1):
            session.recorder.name(id, f"/root/Main/Enemies/Enemy{id}")
        session.recorder.name(LAST, "/root/Other/Enemies/Player")
        for at in range(FRAMES):
            with session.frame(1 / 60):
                world.seconds += 1 / 60
                world.things[PLAYER].position = (20.0 + 5.0 * at, 10.0, 0.0)
                session.trace.state(PLAYER, "move", "", "Patrol", won="start") if not at else None
        session.save(path)
