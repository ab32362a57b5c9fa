"""The probability of each difficulty of target blocks: five numbers with locks."""

import math
from collections.abc import Sequence
from random import Random

from .....errors import GameError

DIFFICULTIES = (1, 2, 3, 4, 5)
_SLACK = 1e-9


class DifficultyProbabilities:
    """The probabilities of the difficulties; they sum to 1 whatever is done to them.

    What is changed applies from the next block that is generated.

    Args:
        values: One for each difficulty, with the sum 1; all alike by default.

    Raises:
        GameError: they are not five numbers from 0 to 1, or have another sum.
    """

    def __init__(self, values: Sequence[float] | None = None) -> None:
        count = len(DIFFICULTIES)
        given = [1.0 / count] * count if values is None else [float(value) for value in values]
        if len(given) != count or not all(0.0 <= value <= 1.0 for value in given):
            raise GameError(f"probabilities {values}: give {count} numbers from 0 to 1")
        if abs(math.fsum(given) - 1.0) > _SLACK:
            raise GameError(f"probabilities {values}: their sum is {math.fsum(given):g}, not 1")
        self._values = given
        self._locked = [False] * count

    @property
    def values(self) -> tuple[float, ...]:
        """The probabilities, of the easiest first."""
        return tuple(self._values)

    @property
    def locked(self) -> tuple[bool, ...]:
        """Which of them are locked."""
        return tuple(self._locked)

    def lock(self, difficulty: int, locked: bool = True) -> None:
        """Keep one as it is while others are changed, or let it go again.

        Raises:
            GameError: there is no such difficulty.
        """
        self._locked[_index(difficulty)] = bool(locked)

    def set(self, difficulty: int, value: float) -> float:
        """Change one; those that are not locked share what is left, in proportion.

        It stops at what the locked ones leave. Returns what it has become.

        Raises:
            GameError: it is locked, or all others are; or the value is not from 0 to 1.
        """
        index = _index(difficulty)
        if not 0.0 <= value <= 1.0:
            raise GameError(f"probability {value!r} of difficulty {difficulty}: give 0 to 1")
        if self._locked[index]:
            raise GameError(f"difficulty {difficulty} is locked: unlock it to change it")
        others = [i for i, locked in enumerate(self._locked) if i != index and not locked]
        if not others:
            raise GameError(
                f"difficulty {difficulty}: all others are locked, so it can't change; unlock one"
            )
        room = 1.0 - math.fsum(
            v for v, locked in zip(self._values, self._locked, strict=True) if locked
        )
        room = min(max(room, 0.0), 1.0)
        value = min(float(value), room)
        left = max(room - value, 0.0)
        before = math.fsum(self._values[i] for i in others)
        for i in others:
            share = self._values[i] / before if before > 0.0 else 1.0 / len(others)
            self._values[i] = left * share
        self._values[index] = value
        return value

    def draw(self, rng: Random) -> int:
        """A difficulty, by these probabilities."""
        point = rng.random() * math.fsum(self._values)
        for difficulty, value in zip(DIFFICULTIES, self._values, strict=True):
            point -= value
            if point < 0.0:
                return difficulty
        # Rounding may leave a crumb: it belongs to the last one that is possible at all.
        possible = [d for d, v in zip(DIFFICULTIES, self._values, strict=True) if v > 0.0]
        return possible[-1]


def _index(difficulty: int) -> int:
    if difficulty not in DIFFICULTIES:
        raise GameError(f"difficulty {difficulty!r}: they go from 1 to {DIFFICULTIES[-1]}")
    return int(difficulty) - 1
