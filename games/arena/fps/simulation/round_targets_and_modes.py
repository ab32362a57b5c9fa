"""The goals of a round for agents, and the modes that choose them."""

from enum import IntEnum, StrEnum

from .....errors import GameError


class Target(IntEnum):
    """The target of a round, by its number in the observation."""

    FREE = 0
    """Defeat all enemies in the hall."""
    GOTO = 1
    """Move to the centre of the fire base."""
    ATTACK = 2
    """Defeat all enemies in the target block."""
    DEFENCE = 3
    """Never given."""
    STAY = 4
    """Nothing is asked: in test mode only."""

    @property
    def has_block(self) -> bool:
        """Whether it comes with a target block."""
        return self in (Target.GOTO, Target.ATTACK)

    @property
    def word(self) -> str:
        """Its name in lower case."""
        return self.name.lower()


BLOCK_TARGETS = (Target.GOTO, Target.ATTACK)


class ArenaMode(StrEnum):
    """What the environment is for; chosen once."""

    TRAIN_FREE = "train-free"
    TRAIN_GOTO = "train-goto"
    TRAIN_ATTACK = "train-attack"
    TRAIN_MIX = "train-mix"
    """Any of the three, chosen in each round."""
    TEST = "test"
    """A person gives the orders."""

    @property
    def targets(self) -> tuple[Target, ...]:
        """The targets that its rounds are drawn from; none where a person gives them."""
        return _TARGETS[self]

    @property
    def trains(self) -> bool:
        """Whether it is a training mode."""
        return self is not ArenaMode.TEST


_TARGETS: dict[ArenaMode, tuple[Target, ...]] = {
    ArenaMode.TRAIN_FREE: (Target.FREE,),
    ArenaMode.TRAIN_GOTO: (Target.GOTO,),
    ArenaMode.TRAIN_ATTACK: (Target.ATTACK,),
    ArenaMode.TRAIN_MIX: (Target.FREE, Target.GOTO, Target.ATTACK),
    ArenaMode.TEST: (),
}


def mode_of(name: "ArenaMode | str") -> ArenaMode:
    """The mode of this name.

    Raises:
        GameError: there is none.
    """
    try:
        return ArenaMode(name)
    except ValueError:
        raise GameError(f"mode {name!r}: choose one of {', '.join(ArenaMode)}") from None
