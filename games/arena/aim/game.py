"""`arena:doomlike`: the shooting hall as a game that runs by itself, played by scripted agents."""

from typing import Self

from ....handlers.registry import HandlerRegistry
from ....recorder.instruments import Instruments, Scalar
from .match import Match, fresh_odds, setup_of
from .messages import SideChannel
from .pilot import Pilot
from .recording import Recording
from .rules import Rules
from .targets import Mode, mode_of
from .world import AimWorld, register_aim_handlers

SEED = 7


class AimGame:
    """Round after round in one hall, seeded and deterministic.

    Args:
        seed: Decides everything that is left to chance.
        agents: How many play.
        mode: A training mode: what the rounds are about.

    Raises:
        GameError: there is no such mode, or the number of agents makes no sense.
    """

    def __init__(
        self, *, seed: int | None = None, agents: int = 2, mode: Mode | str = Mode.TRAIN_MIX
    ) -> None:
        seed = SEED if seed is None else seed
        mode = mode_of(mode)
        self.name = "arena:doomlike"
        self.dt = Rules().step
        self.about: dict[str, Scalar] = {
            "game": self.name, "seed": seed, "agents": agents, "mode": mode.value,
        }  # fmt: skip
        self.side = SideChannel()
        self.match = Match(setup_of(agents), mode, fresh_odds(), self.side)
        self.match.begin(seed)
        self.world = AimWorld()
        self.world.play(self.match)
        self.world.show()
        self.handlers = HandlerRegistry()
        register_aim_handlers(self.handlers)
        self._pilot = Pilot(self.match)
        self._recording: Recording | None = None

    def attach(self, instruments: Instruments) -> None:
        """Draw, trace, watch and log through these from now on."""
        self.side.instruments = instruments
        self._recording = Recording(self.match, self.world, instruments)

    def step(self) -> None:
        """Advance one step; a round that has ended is followed by the next."""
        if self.world.paused:
            return
        if self.match.over:
            self.match.begin()
        actions = self._pilot.actions()
        outcome = self.match.step(actions)
        if self._recording is not None:
            self._recording.stepped(actions, outcome)
        else:
            self.world.show()

    def state_hash(self) -> str:
        """A hash of everything that decides how it goes on."""
        return self.match.state_hash()

    def close(self) -> None:
        """Nothing to end: it lives in this process."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
