"""A boss with phases: its stone skin must be broken by a charge into a pillar, and then it heals.

playhead demo-record golem.py:Cave golem.csv
playhead replay golem.py:Cave golem.csv                          # the usual rules lead nowhere
playhead replay golem.py:Cave golem.csv --agent phased_boss.py   # rules for its phases
"""

import math
import random
from dataclasses import dataclass

import playhead as ph

GATE, EXIT, REACH, SPEED = 6.0, 20.0, 1.6, 4.0
STONE, OPEN = "stone", "open"


@dataclass
class Body:
    x: float = 0.0
    y: float = 0.0
    hp: float = 10.0


class Cave(ph.PlayableGame):
    name = "cave"
    columns = {"phase": str}
    settings = "bosses: {fight: {fruitless: 240}}"

    def __init__(self, seed: int = 0) -> None:
        self.player, self.golem = Body(), Body(13.0, 0.0, 6.0)
        self.random = random.Random(seed)
        self.phase, self.timer, self.before = STONE, 0.0, 0
        self.charge = (0.0, 0.0)

    def objects(self) -> dict[str, object]:
        return {"player": self.player, "golem": self.golem}

    @property
    def fighting(self) -> bool:
        return self.player.x > GATE and self.golem.hp > 0

    def step(self, pad: ph.Pad) -> None:
        one, pressed = self.player, pad.held & ~self.before
        self.before = pad.held
        one.x = max(GATE if self.fighting else 0.0, one.x + pad.left[0] * SPEED * self.dt)
        one.y = min(5.0, max(-5.0, one.y + pad.left[1] * SPEED * self.dt))
        if not self.fighting:
            return
        if pressed & ph.Button.X and self.phase == OPEN and self.away() < REACH:
            self.golem.hp -= 1
        self.timer += self.dt
        if self.phase == STONE:
            self.charge_at_player()
        elif self.timer > 3.0:
            self.phase, self.timer = STONE, 0.0

    def charge_at_player(self) -> None:
        """It aims for a second and a half, and then runs; who is in its way is thrown back."""
        one, golem = self.player, self.golem
        if self.timer < 1.5:
            away = max(self.away(), 1e-9)
            self.charge = (one.x - golem.x) / away, (one.y - golem.y) / away
            return
        golem.x += self.charge[0] * 6 * self.dt
        golem.y += self.charge[1] * 6 * self.dt
        if self.away() < 0.9:
            one.hp, one.x, self.timer = one.hp - 3, max(GATE, one.x - 2), 0.0
        elif abs(golem.y) > 5 or not GATE < golem.x < EXIT - 1:  # a wall: its skin breaks
            golem.x, golem.y = min(EXIT - 1, max(GATE, golem.x)), min(5.0, max(-5.0, golem.y))
            self.phase, self.timer = OPEN, 0.0
        elif self.timer > 4.0:
            self.timer = self.random.uniform(0.0, 0.5)

    def away(self) -> float:
        return math.hypot(self.player.x - self.golem.x, self.player.y - self.golem.y)

    def observe(self) -> ph.Observation:
        one, golem = self.player, self.golem
        boss = ph.ObservedEntity("golem", (golem.x, golem.y, 0.0), golem.hp)
        return ph.Observation(
            (one.x, one.y, 0.0), math.atan2(golem.y - one.y, golem.x - one.x), dead=one.hp <= 0,
            field="cave" if self.fighting else "", bosses=(boss,) if golem.hp > 0 else (),
            finished=one.x > EXIT, extras={"phase": self.phase},
        )  # fmt: skip

    def person(self) -> ph.Pad:
        """A scripted person steps aside of each charge, and strikes when the skin is broken."""
        one, golem = self.player, self.golem
        if not self.fighting:
            return ph.Pad((1.0, max(-1.0, min(1.0, -one.y))))
        x, y = golem.x - one.x, golem.y - one.y
        away = max(self.away(), 1e-9)
        if self.phase == OPEN:
            strikes = away < REACH - 0.3 and not self.before
            push = 1.0 if away > 1.0 else 0.0
            return ph.Pad((x / away * push, y / away * push), held=ph.Button.X if strikes else 0)
        if self.timer < 1.5:
            return ph.NEUTRAL
        return ph.Pad((-y / away, x / away))
