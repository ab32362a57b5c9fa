"""Doom as a game to run: a scenario and its world. Its objects come as columns."""

from ...handlers.registry import HandlerRegistry
from ...playback.pad import NEUTRAL, Pad
from ...recorder.instruments import SILENT, Instruments, Scalar
from ..playable import Observation
from .game import DoomGame
from .player import pressed
from .scenario import TICS_PER_SECOND
from .world import DoomWorld

SEED = 7


class DoomRun:
    """`doom:SCENARIO`, seeded, in processes of its own; its past is shown by stand-ins.

    Raises:
        GameError: there is no such scenario, or the engine did not start.
    """

    dt = 1 / TICS_PER_SECOND
    sticks = "player"

    def __init__(self, scenario: str = "deathmatch", *, seed: int | None = None) -> None:
        seed = SEED if seed is None else seed
        self.name = f"doom:{scenario}"
        self.about: dict[str, Scalar] = {"game": self.name, "seed": seed}
        self.game = DoomGame(scenario, seed=seed)
        self.world = DoomWorld(self.game)
        self.handlers = HandlerRegistry()
        self._instruments: Instruments = SILENT
        self._pad: Pad | None = None
        self._held = NEUTRAL
        self._position, self._angles = (0.0, 0.0, 0.0), (0.0, 0.0)

    def attach(self, instruments: Instruments) -> None:
        self._instruments = instruments
        self.world.instrument(instruments)

    @property
    def player(self) -> int:
        return self.game.self_id

    @property
    def pad(self) -> Pad:
        """What was held in the newest step; neutral while the scripted player plays."""
        return self._held

    def hold(self, pad: Pad | None) -> None:
        self._pad = pad

    def step(self) -> None:
        self._held = self._pad or NEUTRAL
        if self._pad is None:
            self.world.step()
            return
        self.world.step(pressed(self._pad, self.game.scenario.buttons))
        self._watch(self._pad)

    def _watch(self, pad: Pad) -> None:
        """Record what was held: the engine's own objects have no room for it."""
        told = {
            "pad left x": pad.left[0], "pad left y": pad.left[1], "pad right x": pad.right[0],
            "pad right y": pad.right[1], "pad left trigger": pad.left_trigger,
            "pad right trigger": pad.right_trigger, "pad held": pad.held,
        }  # fmt: skip
        for name, value in told.items():
            self._instruments.watch(name, value, object=self.player)

    def observe(self) -> Observation:
        found = self.game.objects.find(self.player)
        if found is not None:  # while it is dead and not back yet, it is where it was
            x, y, z = found["position"].tolist()
            self._position = (x, y, z)
            turn, dive, _ = found["angles"].tolist()
            self._angles = (turn, -dive)
        return Observation(
            self._position, self._angles[0], self._angles, level=self.game.scenario.map
        )

    def state_hash(self) -> str:
        return self.game.state_hash()

    def close(self) -> None:
        self.game.close()

    def __enter__(self) -> "DoomRun":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
