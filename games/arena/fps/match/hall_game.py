"""`arena:doomlike`: the shooting hall as a game that runs by itself, played by scripted agents."""

import time
from collections.abc import Callable
from typing import Self

from .....errors import GameError
from .....handlers.handler_registry import HandlerRegistry
from .....recorder.statements.instrumentation_interface import Instrumentation, Scalar
from ..learning.side_channel import SideChannel
from ..simulation.round_targets_and_modes import ArenaMode, mode_of
from ..simulation.rules import Rules
from .hall_world_adapter import AimWorld, register_aim_handlers
from .match_recording import MatchRecording
from .mode_selection_screen import START_LIMIT, StartScreen
from .scripted_agent import ScriptedAgent
from .start_screen import StartLobby
from .training_match import Match, fresh_odds, setup_of

SEED = 7
ASK = "ask"
"""Given instead of a mode: it is chosen on the start screen."""


class AimGame:
    """Round after round in one hall, seeded and deterministic.

    Args:
        seed: Decides everything that is left to chance.
        agents: How many play.
        mode: What the rounds are about; None, or `ask`, to have it chosen on the start screen,
            by tools or by `choose`, within `start_limit` seconds.
        start_limit: Seconds to choose a mode in.
        clock: Seconds that only count up, for `start_limit`.

    Raises:
        GameError: there is no such mode, or the number of agents makes no sense.
    """

    def __init__(
        self,
        *,
        seed: int | None = None,
        agents: int = 2,
        mode: ArenaMode | str | None = ArenaMode.TRAIN_MIX,
        start_limit: float = START_LIMIT,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._seed = SEED if seed is None else seed
        chosen = _given(mode)
        self.name = "arena:doomlike"
        self.dt = Rules().step
        self.about: dict[str, Scalar] = {
            "game": self.name, "seed": self._seed, "agents": agents,
            "mode": ASK if chosen is None else chosen.value,
        }  # fmt: skip
        self.side = SideChannel()
        self.odds = fresh_odds()
        """How likely difficulties are, by target; what is changed applies from the next block."""
        self.start = StartScreen(start_limit, clock)
        """Where the mode is chosen."""
        self.world = AimWorld()
        self.handlers = HandlerRegistry()
        register_aim_handlers(self.handlers)
        self._setup = setup_of(agents)
        self._instruments: Instrumentation | None = None
        self._match: Match | None = None
        self._pilot: ScriptedAgent | None = None
        self._recording: MatchRecording | None = None
        self._lobby = StartLobby(self.start, self.odds, self._setup.hall, self.world)
        if chosen is not None:
            self._begin(self.choose(chosen))

    def choose(self, mode: ArenaMode | str) -> ArenaMode:
        """Choose the mode, once and for all, from any thread; it begins with the next step.

        Raises:
            GameError: there is no such mode, one was chosen already, or it is too late.
        """
        return self.start.choose(mode)

    @property
    def match(self) -> Match:
        """What is played.

        Raises:
            GameError: no mode was chosen yet.
        """
        if self._match is None:
            raise GameError("nothing has begun yet: choose a mode, then step()")
        return self._match

    def attach(self, instruments: Instrumentation) -> None:
        """Draw, trace, watch and log through these from now on."""
        self.side.instruments = self._instruments = instruments
        if self._match is None:
            self._lobby.attach(instruments)
        else:
            self._recording = MatchRecording(self._match, self.world, instruments)

    def step(self) -> None:
        """Advance one step; a round that has ended is followed by the next.

        Until a mode is chosen, nothing happens in the hall.

        Raises:
            GameError: none was chosen in time.
        """
        if self.world.paused:
            return
        if self._match is None:
            mode = self._chosen()
            if mode is None:
                self._lobby.step(self.dt)
                return
            self._begin(mode)
        match, pilot = self._match, self._pilot
        assert match is not None
        assert pilot is not None
        if match.over:
            match.begin()
        actions = pilot.actions()
        outcome = match.step(actions)
        if self._recording is not None:
            self._recording.stepped(actions, outcome)
        else:
            self.world.show()

    def _chosen(self) -> ArenaMode | None:
        try:
            return self.start.look()
        except GameError as error:
            self.side.error("Start", str(error))
            raise

    def _begin(self, mode: ArenaMode) -> None:
        self._match = match = Match(self._setup, mode, self.odds, self.side)
        match.begin(self._seed)
        self._pilot = ScriptedAgent(match)
        self.world.play(match)
        self.world.show()
        if self._instruments is not None:
            self._recording = MatchRecording(match, self.world, self._instruments)

    def state_hash(self) -> str:
        """A hash of everything that decides how it goes on."""
        return self._lobby.state_hash() if self._match is None else self._match.state_hash()

    def close(self) -> None:
        """Nothing can be chosen any more."""
        self.start.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _given(mode: ArenaMode | str | None) -> ArenaMode | None:
    """The mode that was given, if one was."""
    if mode is None or mode == ASK:
        return None
    try:
        return mode_of(mode)
    except GameError as error:
        raise GameError(f"{error}, or {ASK} to have it chosen on the start screen") from None
