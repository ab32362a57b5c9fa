"""The base of arena games whose player is controlled with a pad."""

from abc import ABC, abstractmethod
from typing import Protocol, Self

from ...playback.pads.pad import NEUTRAL, Pad
from ...recorder.statements.instrumentation_interface import Instrumentation
from ..playable_interface import Observation
from .arena_world_adapter import ArenaWorld
from .entity import STEP


class PadControlled(Protocol):
    """The played character."""

    id: int
    pad: Pad | None
    """What was pressed in the newest step; None before the first one."""


class PadControlledGame(ABC):
    """Steps its world, and hands the pad on to it. It lives in this process: nothing is to end."""

    world: ArenaWorld
    dt = STEP
    sticks = "world"

    @property
    @abstractmethod
    def steered(self) -> PadControlled:
        """The character that is played now."""

    @abstractmethod
    def observe(self) -> Observation:
        """The state after the newest step."""

    @property
    def player(self) -> int:
        return self.steered.id

    @property
    def pad(self) -> Pad:
        return self.steered.pad or NEUTRAL

    def hold(self, pad: Pad | None) -> None:
        self.world.press(pad)

    def attach(self, instruments: Instrumentation) -> None:
        self.world.attach(instruments)

    def step(self) -> None:
        self.world.step()

    def state_hash(self) -> str:
        return self.world.state_hash()

    def close(self) -> None:  # noqa: B027 - what lives in this process has nothing to end
        """Has no effect."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
