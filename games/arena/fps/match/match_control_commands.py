"""The orders that a person can give: choose the mode, place enemies and blocks, give targets."""

import msgspec

from .....errors import GameError
from ..simulation.round_targets_and_modes import BLOCK_TARGETS, Target


class _Order(msgspec.Struct, frozen=True, tag_field="order"):
    pass


class SpawnEnemy(_Order, frozen=True, tag="spawn_enemy"):
    """An enemy there."""

    x: float
    y: float


class SpawnBlock(_Order, frozen=True, tag="spawn_block"):
    """A target block with its middle there; its target is given at once."""

    target: str
    """`goto` or `attack`."""
    difficulty: int
    x: float
    y: float
    preset: str = ""
    """Which one; by default the presets of the difficulty take turns."""


class FreeMode(_Order, frozen=True, tag="free"):
    """Give the free target: defeat all enemies in the hall."""


class StayMode(_Order, frozen=True, tag="stay"):
    """Give the target to stay."""


class ClearGame(_Order, frozen=True, tag="clear"):
    """Remove all enemies and blocks, and give the target to stay."""


class SetOdds(_Order, frozen=True, tag="set_odds"):
    """Change how likely a difficulty is, from the next block on."""

    target: str
    difficulty: int
    value: float


class LockOdds(_Order, frozen=True, tag="lock_odds"):
    """Lock or unlock how likely a difficulty is."""

    target: str
    difficulty: int
    locked: bool = True


class AskCommand(_Order, frozen=True, tag="command"):
    """Send a command to Python: without a text, to save the model after the next training."""

    command: str = ""


Order = SpawnEnemy | SpawnBlock | FreeMode | StayMode | ClearGame | SetOdds | LockOdds | AskCommand


class AskPreview(_Order, frozen=True, tag="preview"):
    """No order: what this one would do now, and why it can't be."""

    of: SpawnEnemy | SpawnBlock


class ChooseMode(_Order, frozen=True, tag="choose"):
    """No order: have the rounds begin in this mode. On the start screen, once."""

    mode: str


Request = Order | AskPreview | ChooseMode
"""What a tool on the bus may send."""


def block_target(name: str) -> Target:
    """The target with a block that has this name.

    Raises:
        GameError: there is none.
    """
    for target in BLOCK_TARGETS:
        if target.word == name:
            return target
    raise GameError(
        f"target {name!r}: blocks are for {' and '.join(t.word for t in BLOCK_TARGETS)}"
    )
