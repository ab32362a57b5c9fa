"""The player of the yard: turns pad input into movement and throws."""

import math
import struct

from ...playback.pads.pad import Button, Pad
from .entity import GUARD, PLAYER, STEP, WALL, Character, HitReason, pack_text
from .yaml_nodes import Point

HEALTH = 100.0
WALKING, RUNNING, SNEAKING, DODGING = 2.6, 4.6, 1.2, 8.0
"""Metres a second."""
DODGE_TIME = 0.22
DODGE_REST = 1.6
THROW_REST = 0.9
DOWN_TIME = 2.5
"""Seconds that the player lies when its health is used up."""


class Player(Character):
    """Walks, runs, sneaks, dodges and throws; gets up again after being knocked down."""

    type = "player"

    def __init__(self, id: int, at: Point, facing: float) -> None:
        super().__init__(id, "player", at, facing, HEALTH, PLAYER, WALL | GUARD)
        self.home = at
        self.state = "idle"
        self.pad: Pad | None = None
        """What was pressed in the newest step."""
        self.dodge = 0.0
        """Seconds left of a dodge, or, below 0, of the rest after it."""
        self.dodge_heading = 0.0
        self.rest = 0.0
        """Seconds until the next throw."""
        self.lying = 0.0
        """Seconds until it gets up."""

    @property
    def down(self) -> bool:
        """True while it lies knocked down: out of the game."""
        return self.lying > 0.0

    @property
    def why(self) -> HitReason:
        rests = f"rests for {self.rest:.1f} s more" if self.rest > 0.0 else "the hand is free"
        return HitReason(
            f"{self.state} wants {math.hypot(*self.desired):.1f}",
            "throw",
            "threw, the arm comes down" if self.lift > 0.0 else f"nothing thrown, {rests}",
            f"health is used up, lies for {self.lying:.1f} s more" if self.down else "on its feet",
            1.0 - self.lying / DOWN_TIME if self.down else 0.0,
        )

    def control(self, pad: Pad) -> bool:
        """Do for one step what the pad says; True if a stone is thrown.

        The left stick moves along the world's x and y, the right one turns; A or the right trigger
        throws a stone, B dodges, RB runs, LB sneaks.
        """
        self.pad = pad
        self.rest = max(0.0, self.rest - STEP)
        self.lift = max(0.0, self.lift - 4.0 * STEP)
        if self.down:
            self._lie()
            return False
        move, aim = pad.left, pad.right
        size = math.hypot(*move)
        heading = math.atan2(move[1], move[0]) if size > 0.1 else self.facing
        self._dodge(pad, heading)
        if self.dodge > 0.0:
            self.state = "dodge"
            self.body.velocity = self.desired = (
                DODGING * math.cos(self.dodge_heading),
                DODGING * math.sin(self.dodge_heading),
            )
        elif size > 0.1:
            self.state, speed = "walk", WALKING
            if pad.holds(Button.RB):
                self.state, speed = "run", RUNNING
            elif pad.holds(Button.LB):
                self.state, speed = "sneak", SNEAKING
            speed *= min(size, 1.0)
            self.push(speed * math.cos(heading), speed * math.sin(heading))
        else:
            self.state = "idle"
            self.push(0.0, 0.0)
        self.turn(math.atan2(aim[1], aim[0]) if math.hypot(*aim) > 0.1 else heading, rate=10.0)
        throws = pad.holds(Button.A) or pad.right_trigger > 0.5
        if not throws or self.rest > 0.0:
            return False
        self.rest = THROW_REST
        self.lift = 1.0
        return True

    def suffer(self, damage: float) -> bool:
        """Lose health; True if this knocks it down."""
        if self.down:
            return False
        self.hp = max(0.0, self.hp - damage)
        if self.hp > 0.0:
            return False
        self.lying = DOWN_TIME
        return True

    def pack(self) -> bytes:
        return super().pack() + pack_text(self.state) + struct.pack(
            "<4d", self.dodge, self.dodge_heading, self.rest, self.lying
        )  # fmt: skip

    def _dodge(self, pad: Pad, heading: float) -> None:
        if self.dodge > 0.0:
            self.dodge -= STEP
            if self.dodge <= 0.0:
                self.dodge = -DODGE_REST
        elif self.dodge < 0.0:
            self.dodge = min(0.0, self.dodge + STEP)
        elif pad.holds(Button.B):
            self.dodge = DODGE_TIME
            self.dodge_heading = heading

    def _lie(self) -> None:
        self.state = "down"
        self.push(0.0, 0.0)
        self.lying = max(0.0, self.lying - STEP)
        if not self.down:
            self.hp = HEALTH
            self.dodge = 0.0
            self.place(self.home)
