"""Debug drawings of the yard: sight, hearing, routes and states of its guards."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from ...recorder.statements.instrumentation_interface import Draw, Instrumentation
from .guards.guard import HALF_CONE, HEARING, SIGHT, Guard
from .guards.guard_fsm import State
from .level_physics_and_routes import PhysicsSpace
from .yard_player import Player

CHANNEL = "ai"
SEEN, UNSEEN = (255, 90, 60), (120, 120, 130)
WALL = (150, 150, 160)
ROUTE, EAR, BODY = (90, 170, 255), (200, 200, 90), (120, 230, 140)
COLORS = {
    State.PATROL: (120, 200, 120),
    State.NOTICE: (240, 220, 80),
    State.CHASE: (255, 150, 50),
    State.ATTACK: (255, 60, 60),
    State.SEARCH: (90, 170, 255),
    State.FLEE: (200, 120, 255),
}
EYES = 1.6
_FAN = np.linspace(-HALF_CONE, HALF_CONE, 7)
_EARS = (*EAR, 30)
_FAINT = {state: (*color, 60) for state, color in COLORS.items()}


def cones_of(guards: Sequence[Guard]) -> list[Any]:
    """The outline of each guard's field of view, (8, 3); of many guards in one go."""
    eyes = np.array([(guard.x, guard.y, guard.facing) for guard in guards]).reshape(-1, 3)
    angles = eyes[:, 2:] + _FAN
    cones = np.zeros((len(guards), 1 + len(_FAN), 3), np.float32)
    cones[..., :2] = eyes[:, None, :2]
    cones[:, 1:, 0] += SIGHT * np.cos(angles)
    cones[:, 1:, 1] += SIGHT * np.sin(angles)
    return list(cones)


def draw_guard(draw: Draw, guard: Guard, player: Player, cone: Sequence[Sequence[float]]) -> None:
    """One guard's cone of sight, line to the player, route, ears and state."""
    id, x, y = guard.id, guard.x, guard.y
    draw.polygon(cone, color=_FAINT[guard.state], object=id, channel=CHANNEL)
    if guard.sees:
        draw.line((x, y, EYES), (player.x, player.y, 1.0), color=SEEN, object=id, channel=CHANNEL)
    elif guard.belief is not None:
        (bx, by), _ = guard.belief
        draw.line((x, y, EYES), (bx, by, 0.0), color=UNSEEN, object=id, channel=CHANNEL)
    if guard.path:
        legs = [((*start, 0.0), (*end, 0.0)) for start, end in pairwise((guard.at, *guard.path))]
        draw.lines(np.array(legs, np.float32), color=ROUTE, object=id, channel=CHANNEL)
    draw.sphere((x, y, 1.0), HEARING, color=_EARS, object=id, channel=CHANNEL)
    draw.text((x, y, 2.1), guard.state.value, color=COLORS[guard.state], object=id, channel=CHANNEL)


def draw_ground(draw: Draw, ground: PhysicsSpace) -> None:
    """The walls and the fence, which stay."""
    for number, wall in enumerate(ground.level.walls):
        center = (*wall.at, wall.height / 2)
        draw.box(center, (*wall.size, wall.height), color=WALL, latch=f"wall {number}")
    draw.lines(ground.fence_lines(), color=WALL, latch="fence")


def draw_player(draw: Draw, player: Player) -> None:
    """The box that the player's body fills."""
    height = 0.5 if player.down else 1.8
    draw.box(
        (player.x, player.y, height / 2),
        (0.7, 0.7, height),
        angles=(0.0, 0.0, player.facing),
        color=BODY,
        object=player.id,
        channel=CHANNEL,
    )


def watch_guard(instruments: Instrumentation, guard: Guard, now: float) -> None:
    """The numbers worth a curve: speed, health, and how old the belief is."""
    instruments.watch("speed", guard.speed, object=guard.id)
    instruments.watch("health", guard.hp, object=guard.id)
    if guard.belief is not None:
        instruments.watch("belief_age", now - guard.belief.time, object=guard.id)
