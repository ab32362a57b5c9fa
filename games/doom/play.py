"""Doom as a game to run: a scenario and its world. Its objects come as columns."""

from ...handlers.registry import HandlerRegistry
from ...recorder.instruments import Instruments, Scalar
from .game import DoomGame
from .scenario import TICS_PER_SECOND
from .world import DoomWorld

SEED = 7


class DoomRun:
    """`doom:SCENARIO`, seeded, in processes of its own; its past is shown by stand-ins.

    Raises:
        GameError: there is no such scenario, or the engine did not start.
    """

    dt = 1 / TICS_PER_SECOND

    def __init__(self, scenario: str = "deathmatch", *, seed: int | None = None) -> None:
        seed = SEED if seed is None else seed
        self.name = f"doom:{scenario}"
        self.about: dict[str, Scalar] = {"game": self.name, "seed": seed}
        self.game = DoomGame(scenario, seed=seed)
        self.world = DoomWorld(self.game)
        self.handlers = HandlerRegistry()

    def attach(self, instruments: Instruments) -> None:
        self.world.instrument(instruments)

    def step(self) -> None:
        self.world.step()

    def state_hash(self) -> str:
        return self.game.state_hash()

    def close(self) -> None:
        self.game.close()

    def __enter__(self) -> "DoomRun":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
