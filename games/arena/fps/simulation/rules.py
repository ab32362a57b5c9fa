"""The configurable numbers of the game: lengths in metres, times in seconds."""

import math

import msgspec

from .....errors import GameError

SIDE = 47.0
"""The hall is a square of this side; coordinates go from 0 to it."""
ENEMY_RADIUS = 0.5
AGENT_RADIUS = 0.4
"""Half the sides of the squares that bodies fill where they bump into things."""
MOST_AGENTS = 64


class Rules(msgspec.Struct, frozen=True, kw_only=True):
    """How the game goes. Checked by `checked`."""

    step: float = 0.05
    """Game time of one step of the environment."""
    round_time: float = 30.0
    speed: float = 4.0
    """Metres a second that an agent walks."""
    degrees: float = 1.0
    """Degrees that it turns for 1.0 of the turning action."""
    rest: float = 0.25
    """Seconds between two shots."""
    range: float = 100.0
    """Metres that a shot goes."""
    hits: int = 3
    """Hits that defeat an enemy."""
    enemies: int | tuple[int, int] = 6
    """How many there are in a free round: so many, or anything between two numbers."""
    enemy_speed: float = 1.0
    """Metres a second that they wander in a free round; those of blocks stand still."""
    centre: float = 0.5
    """Metres from the middle of the fire base that count as reaching it."""
    records: int = 40
    """How many of the newest turning actions the spin penalty looks at."""

    @property
    def limit(self) -> int:
        """Steps of a round."""
        return round(self.round_time / self.step)

    @property
    def rest_steps(self) -> int:
        """Steps from one shot to the next that is possible."""
        return max(1, round(self.rest / self.step))

    @property
    def most_enemies(self) -> int:
        """How many a free round may have."""
        return self.enemies if isinstance(self.enemies, int) else self.enemies[1]


def checked(rules: Rules) -> Rules:
    """The same rules, which make sense.

    Raises:
        GameError: one of the numbers does not.
    """
    for name in ("step", "round_time", "speed", "degrees", "rest", "range", "centre"):
        value = getattr(rules, name)
        if not (math.isfinite(value) and value > 0):
            raise GameError(f"{name} {value!r}: it must be a finite number above 0")
    if not (math.isfinite(rules.enemy_speed) and rules.enemy_speed >= 0):
        raise GameError(f"enemy_speed {rules.enemy_speed!r}: it must be finite and not below 0")
    for name in ("hits", "records"):
        if getattr(rules, name) < 1:
            raise GameError(f"{name} {getattr(rules, name)}: it must be 1 or more")
    if rules.limit < 1:
        raise GameError(
            f"round_time {rules.round_time:g} with step {rules.step:g}: a round has a step at least"
        )
    # A step longer than a body is wide would jump through others.
    longest = 2 * AGENT_RADIUS
    if max(rules.speed, rules.enemy_speed) * rules.step > longest:
        raise GameError(
            f"step {rules.step:g} with speed {rules.speed:g}: a step may be {longest:g} m at most"
        )
    low, high = (rules.enemies, rules.enemies) if isinstance(rules.enemies, int) else rules.enemies
    if not 1 <= low <= high <= 64:
        raise GameError(f"enemies {rules.enemies}: ask for 1 to 64")
    return rules
