"""The player of an adventure: turns pad input into movement and actions.

The left stick walks along the world's axes: pushed a little it only turns, and the further it is
pushed the faster it goes. The right stick turns the camera. A talks, B jumps, again in the air,
X strikes, Y uses what is ahead, RB held runs. The left trigger enters and leaves aim mode, in which
X shoots, and the D-pad's up is the special move, a blow all around that takes a while to recharge.
"""

import math
import struct
from enum import Flag, auto

from .....playback.pads.pad import Button, Pad
from ...entity import STEP, HitReason, pack_text
from ...yaml_nodes import Point
from .character_body import CharacterBody
from .terrain import PLAYER, Terrain

HEALTH = 100.0
HEALING = 1.5
"""Health that comes back each second."""
WALKING, RUNNING, AIMING = 4.0, 6.0, 1.2
"""Metres a second."""
DEAD_ZONE = 0.1
TURN_ONLY = 0.25
"""How far the stick is pushed at least to walk; below that it only turns."""
JUMP, JUMP_AGAIN = 6.7, 6.0
"""Metres a second upwards, from the ground and in the air."""
STRIKE_REST = 0.4
"""Seconds from one strike or shot to the next."""
RECHARGE = 6.0
"""Seconds until the special move is there again."""
SAFE = 0.7
"""Seconds after a hit in which nothing hurts."""
TRIGGERED = 0.5
"""How far the left trigger must be pulled to count as a button."""
TRIGGER = 1 << 30
"""The trigger among the buttons' bits."""
CAMERA = (2.4, 1.2)
"""Radians a second that the right stick turns the camera by, around and up."""
LOWEST, HIGHEST = -1.35, -0.1
"""Radians above the horizon that the camera may look."""


class PlayerAction(Flag):
    """What the player does in a step, beside moving."""

    NOTHING = 0
    TALK = auto()
    STRIKE = auto()
    SHOOT = auto()
    SPECIAL = auto()
    USE = auto()


class AdventurePlayer(CharacterBody):
    """Walks, jumps, strikes, shoots, talks; dies when its health is used up."""

    type = "player"

    def __init__(self, id: int, at: Point, facing: float) -> None:
        super().__init__(id, "hero", at, facing, HEALTH, PLAYER)
        self.state = "idle"
        self.pad: Pad | None = None
        """What was pressed in the newest step."""
        self.down = 0
        """The buttons' bits of it, the trigger's among them."""
        self.jumps = 2
        """How many are left."""
        self.aiming = False
        self.rest = 0.0
        """Seconds until the next strike or shot."""
        self.recharge = 0.0
        """Seconds until the special move is there again."""
        self.safe = 0.0
        """Seconds in which nothing hurts."""
        self.heading = math.pi / 2
        """Where the camera looks."""
        self.pitch = -0.75

    @property
    def dead(self) -> bool:
        return self.hp <= 0.0

    @property
    def can_jump(self) -> bool:
        """Whether a jump is left."""
        return self.jumps > 0 and not self.dead

    @property
    def can_special(self) -> bool:
        """Whether the special move would succeed now."""
        return self.recharge <= 0.0 and self.grounded and not self.aiming and self.knocked <= 0.0

    @property
    def why(self) -> HitReason:
        rests = f"rests for {self.rest:.1f} s more" if self.rest > 0.0 else "the hand is free"
        return HitReason(
            f"{self.state} wants {math.hypot(*self.desired):.1f}",
            "strike",
            "struck, the arm comes down" if self.lift > 0.0 else f"nothing struck, {rests}",
            "health is used up" if self.dead else "on its feet",
            1.0 if self.dead else 0.0,
        )

    def read_pad(self, pad: Pad) -> int:
        """Take the pad of a step in hand; the bits of what is pressed again, `TRIGGER` too."""
        down = pad.held | (TRIGGER if pad.left_trigger > TRIGGERED else 0)
        pressed = down & ~self.down
        self.pad, self.down = pad, down
        return pressed

    def recover(self) -> None:
        """One step of time heals and recharges."""
        self.recharge = max(0.0, self.recharge - STEP)
        self.safe = max(0.0, self.safe - STEP)
        if not self.dead:
            self.hp = min(HEALTH, self.hp + HEALING * STEP)

    def idle(self) -> None:
        """One step in which the pad is not its own: it stands, or falls."""
        self.lift = max(0.0, self.lift - 4.0 * STEP)
        self.state = "down" if self.dead else "idle"
        if not self.carried():
            self.push(0.0, 0.0)

    def control(self, pad: Pad, pressed: int) -> PlayerAction:
        """Do for one step what the pad says; what else is done by it."""
        self.rest = max(0.0, self.rest - STEP)
        self.lift = max(0.0, self.lift - 4.0 * STEP)
        turn, rise = pad.right
        self.heading = math.remainder(self.heading - CAMERA[0] * _live(turn) * STEP, math.tau)
        self.pitch = min(max(self.pitch + CAMERA[1] * _live(rise) * STEP, LOWEST), HIGHEST)
        if self.dead:
            self.idle()
            return PlayerAction.NOTHING
        if self.carried():
            self.state = "hurt"
            return PlayerAction.NOTHING
        if pressed & TRIGGER and self.grounded and self.rest <= 0.0:
            self.aiming = not self.aiming
        self._walk(pad)
        if pressed & Button.B:
            self._jump()
        if not self.grounded:
            self.state = "jump"
        return self._deed(pressed)

    def take_damage(self, damage: float) -> bool:
        """Lose health, and leave aim mode; False if nothing hurts just now."""
        if self.safe > 0.0 or self.dead:
            return False
        self.hp = max(0.0, self.hp - damage)
        self.safe = SAFE
        self.aiming = False
        return True

    def settle(self, terrain: Terrain) -> bool:
        landed = super().settle(terrain)
        if landed:
            self.jumps = 2
        return landed

    def left(self) -> None:
        # The jump from the ground is gone with the ground.
        self.jumps = min(self.jumps, 1)
        self.aiming = False

    def pack(self) -> bytes:
        return super().pack() + pack_text(self.state) + struct.pack(
            "<5d2q?", self.rest, self.recharge, self.safe, self.heading, self.pitch,
            self.jumps, self.down, self.aiming,
        )  # fmt: skip

    def _walk(self, pad: Pad) -> None:
        size = min(math.hypot(*pad.left), 1.0)
        heading = math.atan2(pad.left[1], pad.left[0]) if size > DEAD_ZONE else self.facing
        speed, self.state = 0.0, "aim" if self.aiming else "idle"
        if size > TURN_ONLY:
            if self.aiming:
                speed = AIMING
            elif pad.holds(Button.RB):
                speed, self.state = RUNNING, "run"
            else:
                speed, self.state = WALKING, "walk"
            speed *= size
        self.push(speed * math.cos(heading), speed * math.sin(heading))
        self.turn(heading, rate=5.0 if self.aiming else 12.0)

    def _jump(self) -> None:
        if self.aiming or self.jumps <= 0:
            return
        self.rise = JUMP if self.grounded else JUMP_AGAIN
        self.jumps -= 1
        self.grounded = False

    def _deed(self, pressed: int) -> PlayerAction:
        if pressed & Button.UP and self.can_special:
            self.recharge = RECHARGE
            self.lift = 1.0
            return PlayerAction.SPECIAL
        if pressed & Button.X and self.rest <= 0.0:
            self.rest = STRIKE_REST
            self.lift = 1.0
            return PlayerAction.SHOOT if self.aiming else PlayerAction.STRIKE
        if self.grounded and pressed & Button.A:
            return PlayerAction.TALK
        if self.grounded and pressed & Button.Y:
            return PlayerAction.USE
        return PlayerAction.NOTHING


def _live(value: float) -> float:
    """A stick's value without what a worn one says at rest."""
    return value if abs(value) > DEAD_ZONE else 0.0
