"""The game's side for agents in other processes: it publishes its state and loads saved games.

Each communication frame it publishes `observation`; what it serves is in docs/protocol.md.
"""

import traceback
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from ...errors import CommandError, GameError
from ...games.game_interface import Game
from ...games.plan_game_interface import Navigable
from ...games.playable_interface import DebugFunctions, Observation, Saves, Vector
from ...playback.pads.pad import NEUTRAL, ButtonTaps, Pad
from ...recorder.text.name_hint import name_hint
from ...session import Session
from ..playthrough.route.game_pathfinding import path_on_foot
from ..recorded_demo import INTERVAL
from .game_description import GameDescription, description_of
from .replay_game_interface import as_playable, communication_steps
from .replay_state_publisher import REPLAY, ReplayStatePublisher, StateListener

OBSERVATION = "observation"
"""What is published each communication frame."""
CRASH = "replay.crash"
"""Published, by a game that has crashed and can be looked at: `message` and `traceback`."""
GAME, LOAD, SAVE = "replay.game", "replay.load", "replay.save"
RESTART, DEBUG, PATH = "replay.restart", "replay.debug", "replay.path"
"""Served, for an agent in another process."""

RequestHandler = Callable[[Mapping[str, Any]], Any]


class HeldPad(msgspec.Struct, frozen=True, omit_defaults=True):
    """A pad as games on the bus say it: `buttons` also has those that were pressed and let go since
    the observation before."""

    left: tuple[float, float] = (0.0, 0.0)
    right: tuple[float, float] = (0.0, 0.0)
    left_trigger: float = 0.0
    right_trigger: float = 0.0
    buttons: int = 0

    @property
    def pad(self) -> Pad:
        """The same as a pad."""
        return Pad(self.left, self.right, self.left_trigger, self.right_trigger, self.buttons)

    @classmethod
    def of(cls, pad: Pad) -> "HeldPad":
        """A pad as games say it."""
        return cls(pad.left, pad.right, pad.left_trigger, pad.right_trigger, pad.held)


class PublishedObservation(msgspec.Struct, frozen=True):
    """What is published as `observation`."""

    game_time: float
    """The game's own clock, seconds."""
    seen: Observation
    frame: int = 0
    """The frame that recorded the step that led to this; 0: the newest one then."""
    time: float = 0.0
    """Timeline seconds of that frame: statements about it carry this time."""
    player: int = 0
    """The id of the object that is played; 0: the one that the game has named."""
    pad: HeldPad | None = None
    """The pad that was held meanwhile; None if the game does not say."""


class GamePathRequest(msgspec.Struct, frozen=True):
    """What `replay.path` is asked, in the game's units."""

    start: Vector
    goal: Vector
    near: float
    """How far from the goal is near enough."""


class GameServer:
    """Lets agents on the bus play a game. The game's loop holds what `session.pad()` says, and
    calls `recorded` after each `session.update`.

    Args:
        game: The game; it has a pad.
        session: It runs under this, on the bus.
        on_request: Carries out a request of a tool; by default requests are published to whatever
            agent listens.
        on_state: Called with the state of the replay whenever an agent tells it.

    Raises:
        GameError: the game has no pad.
    """

    def __init__(
        self, game: Game, session: Session, *, interval: float = INTERVAL,
        on_request: RequestHandler | None = None,
        on_state: StateListener = lambda state: None,
    ) -> None:  # fmt: skip
        self._game = game
        self._playable = as_playable(game)
        self._session = session
        self._stride = communication_steps(game.dt, interval)
        self._steps = 0
        self._before = ButtonTaps()
        """What was pressed since the newest observation."""
        self._newest = NEUTRAL
        self.attended = False
        """Whether an agent has asked what there is to play."""
        session.pads.take()
        session.serve(GAME, self._game_facts)
        session.serve(LOAD, self._load)
        session.serve(SAVE, self._save)
        session.serve(DEBUG, self._debug)
        session.serve(PATH, self._find_path)
        state = ReplayStatePublisher(session, on_state)
        session.serve(REPLAY, state.forward if on_request is None else on_request)

    @property
    def facts(self) -> GameDescription:
        """What agents have to know."""
        return description_of(self._game, self._stride * self._game.dt)

    def hold(self) -> None:
        """A step is due: hold what the agent holds."""
        self._playable.hold(self._session.pad() or NEUTRAL)

    def recorded(self) -> None:
        """A step was recorded: publish an observation if a communication frame is over."""
        pad, self._newest = self._newest, self._playable.pad
        self._before.note(pad, self._newest)
        self._steps += 1
        if self._steps % self._stride == 0:
            self.publish()

    def publish(self) -> None:
        """Publish an observation now."""
        span = self._session.source.span
        if span is None:
            return
        seen = self._playable.observe()
        observation = PublishedObservation(
            self._game.world.time(), seen, span.newest, span.end, self._playable.player,
            HeldPad.of(self._before.add_to(self._playable.pad)),
        )  # fmt: skip
        self._session.publish(OBSERVATION, msgspec.to_builtins(observation))

    def crashed(self, error: Exception) -> None:
        """The game has raised: the replay in it is over."""
        message = f"{self._game.name} raised {error!r}"
        trace = "".join(traceback.format_exception(error))
        self._session.publish(CRASH, {"message": message, "traceback": trace})

    def _game_facts(self, _: Any) -> GameDescription:
        self.attended = True
        return self.facts

    def _path(self, name: str, body: Any) -> Path:
        if not isinstance(self._game, Saves):
            raise CommandError(f"{self._game.name} has no saved games")
        if not isinstance(body, dict) or not isinstance(body.get("path"), str):
            raise CommandError(f"{name} {body!r}: say {{'path': FILE}}")
        return Path(body["path"])

    def _save(self, body: Any) -> None:
        path, game = self._path(SAVE, body), self._game
        assert isinstance(game, Saves)
        if path.exists():
            raise CommandError(f"{path}: this is there already; give another name")
        game.save(path)

    def _debug(self, body: Any) -> None:
        game = self._game
        known = tuple(game.debug_functions) if isinstance(game, DebugFunctions) else ()
        name = body.get("name") if isinstance(body, dict) else None
        if not isinstance(game, DebugFunctions) or name not in known:
            raise CommandError(f"{DEBUG} {name!r}: {name_hint(str(name), known)}")
        game.debug(str(name), body.get("argument"))

    def _find_path(self, body: Any) -> Sequence[Vector]:
        if not isinstance(self._game, Navigable):
            raise CommandError(f"{self._game.name} does not know where one can walk")
        try:
            asked = msgspec.convert(body, GamePathRequest)
        except msgspec.ValidationError as error:
            raise CommandError(f"{PATH} {body!r}: {error}") from None
        return path_on_foot(self._game.plan_map(), asked.start, asked.goal, asked.near)

    def _load(self, body: Any) -> None:
        path = self._path(LOAD, body)
        assert isinstance(self._game, Saves)
        if not path.is_file():
            raise GameError(f"{path}: this saved game is not there")
        self._game.load(path)
        self._steps = 0
        self._before.clear()
