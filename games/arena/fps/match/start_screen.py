"""The start screen of a hall: tools choose the mode and set the probabilities."""

import hashlib
import math
from collections.abc import Mapping
from typing import Any

from .....errors import GameError
from .....recorder.statements.instrumentation_interface import Instrumentation
from .....session import Session
from ..simulation.block_difficulty_probabilities import DifficultyProbabilities
from ..simulation.hall_level_loader import HallMap
from ..simulation.round_targets_and_modes import BLOCK_TARGETS, ArenaMode, Target
from .control_command_executor import change_odds
from .hall_world_adapter import AimWorld
from .match_bus_service import NAME, Switchable, drawn, panel, panels_of, request_of
from .match_control_commands import ChooseMode, LockOdds, SetOdds
from .match_recording import draw_hall
from .mode_selection_screen import StartScreen
from .wait_for_playback_end import await_live


class StartLobby:
    """The hall before a mode is chosen: its drawing and orders. `step` it until then.

    Args:
        start: Where the mode is chosen.
        odds: Panels of the targets with blocks.
        hall: What is shown, without anybody in it.
        world: Where game time passes; while it is in playback, nothing can be chosen.
    """

    def __init__(
        self,
        start: StartScreen,
        odds: Mapping[Target, DifficultyProbabilities],
        hall: HallMap,
        world: AimWorld,
    ) -> None:
        self._start, self._odds, self._hall, self._world = start, odds, hall, world
        self._session: Switchable | None = None
        self._published: tuple[object, ...] = ()

    def attach(self, instruments: Instrumentation) -> None:
        """Draw the hall; where the recording is a session's, its tools can choose."""
        draw_hall(instruments.draw, self._hall)
        if isinstance(instruments, Switchable):
            self._session = instruments
            instruments.serve(NAME, self.answer)

    def step(self, dt: float) -> None:
        """So many seconds pass: publish the state if it has changed."""
        self._world.waited += dt
        if self._session is None:
            return
        changes = (self._start.mode, self._seconds, panels_of(self._odds))
        if changes != self._published:
            self._published = changes
            state = self.state()
            self._session.publish(NAME, state)
            self._session.fact(0, NAME, state)

    def answer(self, body: Any) -> dict[str, Any]:
        """Carry out what a tool sends: a choice, or an order to the panel.

        Returns the state afterwards.

        Raises:
            GameError: it is neither or can't be done, and nothing was.
        """
        request = request_of(body, self._world)
        match request:
            case ChooseMode(mode):
                self._start.choose(mode)
            case SetOdds() | LockOdds():
                change_odds(self._odds, request)
            case _:
                raise GameError(
                    f"{type(request).__name__}: choose a mode first: it is one of"
                    f" {', '.join(ArenaMode)}, as in"
                    f" {{'order': 'choose', 'mode': '{ArenaMode.TRAIN_MIX}'}}"
                )
        return self.state()

    def state(self) -> dict[str, Any]:
        """The state as of a match, and besides: `choices`, the modes that can be chosen,
        none as soon as one is, and whole `seconds_left` for that."""
        mode = self._start.mode
        return {
            "mode": "" if mode is None else mode.value,
            "by_hand": mode is ArenaMode.TEST,
            "target": "",
            "drawn": [target.word for target in BLOCK_TARGETS] if mode is None else drawn(mode),
            "enemies": 0,
            "blocks": 0,
            **panel(self._odds, self._hall),
            "choices": [one.value for one in ArenaMode] if mode is None else [],
            "seconds_left": self._seconds if mode is None else 0,
        }

    def state_hash(self) -> str:
        """A hash of all that was set so far."""
        state = repr((self._start.mode, panels_of(self._odds)))
        return hashlib.blake2b(state.encode(), digest_size=16).hexdigest()

    @property
    def _seconds(self) -> int:
        return math.ceil(self._start.seconds_left)


def await_choice(lobby: StartLobby, start: StartScreen, session: Session, dt: float) -> ArenaMode:
    """Have a session record the start screen, and obey tools, until a mode is chosen.

    Args:
        lobby: Attached to the session.
        dt: Seconds between two frames.

    Raises:
        GameError: it was not chosen in time, or the environment was closed.
    """
    while (mode := start.look()) is None:
        lobby.step(dt)
        session.update(dt)
        await_live(session)
        start.rest(dt)
    return mode
