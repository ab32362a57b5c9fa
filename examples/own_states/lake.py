"""A path that leads through a lake: who is in the water sinks, unless a button is pressed.

playhead demo-record lake.py:Lake lake.csv
playhead replay lake.py:Lake lake.csv                       # the agent drowns
playhead replay lake.py:Lake lake.csv --agent swimming.py   # it swims
"""

import math
import random
from dataclasses import dataclass

import playhead as ph

WAY = [(4.0, 2.0), (18.0, 2.0), (22.0, -3.0)]
SHORE, FAR_SHORE = 6.0, 16.0
SPEED, SINKING, STROKE, DEEP = 3.0, 0.8, 0.5, 1.0


@dataclass
class Swimmer:
    x: float = 0.0
    y: float = 0.0
    depth: float = 0.0
    goal: int = 0


class Lake(ph.PlayableGame):
    columns = {"in_water": bool}

    def __init__(self, seed: int = 0) -> None:
        self.player = Swimmer()
        self.drift = random.Random(seed).uniform(-0.5, 0.5)  # the water's current
        self.before = 0

    def objects(self) -> dict[str, object]:
        return {"swimmer": self.player}

    @property
    def in_water(self) -> bool:
        return bool(SHORE < self.player.x < FAR_SHORE)

    def step(self, pad: ph.Pad) -> None:
        one, pressed = self.player, pad.held & ~self.before
        self.before = pad.held
        if one.depth < DEEP:
            one.x += pad.left[0] * SPEED * self.dt
            one.y += (pad.left[1] * SPEED + self.drift * self.in_water) * self.dt
        one.depth += SINKING * self.dt
        if pressed & ph.Button.A:
            one.depth -= STROKE
        one.depth = max(0.0, one.depth) if self.in_water else 0.0

    def observe(self) -> ph.Observation:
        one = self.player
        return ph.Observation(
            (one.x, one.y, -one.depth), dead=one.depth >= DEEP, finished=one.goal >= len(WAY),
            extras={"in_water": self.in_water},
        )  # fmt: skip

    def person(self) -> ph.Pad:
        """A scripted person walks and swims to each place."""
        one = self.player
        x, y = WAY[min(one.goal, len(WAY) - 1)]
        away = math.hypot(x - one.x, y - one.y)
        if away < 0.2:
            one.goal += 1
        strokes = one.depth > STROKE and not self.before
        push = 1 / max(away, 1e-9)
        return ph.Pad(((x - one.x) * push, (y - one.y) * push), held=ph.Button.A if strokes else 0)
