"""A game's side of agents in other processes: it tells how things stand, and loads saved games.

Each communication frame it publishes `observation`; what it serves is in docs/playthrough.md.
"""

import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, get_args

import msgspec

from ...errors import CommandError, GameError
from ...games.game import Game
from ...games.playable import (
    DemoColumns,
    DemoLevels,
    DemoOutcomes,
    Observation,
    OutcomeRule,
    Saves,
)
from ...playback.pads.pad import NEUTRAL
from ...session import Session
from ..recorded_demo import INTERVAL
from .game_port import as_playable, communication_steps

OBSERVATION = "observation"
"""What is published each communication frame."""
REPLAY = "replay"
"""Published: how a process of demos stands. Served: what a dock wants of it."""
CRASH = "replay.crash"
"""Published, by a game that has crashed and can be looked at: `message` and `traceback`."""
REQUESTS = "replay.wish"
"""Published, for an agent in another process: the newest wish, with its number."""
GAME, LOAD, STATE = "replay.game", "replay.load", "replay.state"
"""Served, for an agent in another process."""

RequestHandler = Callable[[Mapping[str, Any]], Any]


class PublishedObservation(msgspec.Struct, frozen=True):
    """What is published as `observation`."""

    frame: int
    """The frame that recorded the step that led to this."""
    time: float
    """Timeline seconds of that frame: what is said of it is said with this time."""
    game_time: float
    loads: int
    """How many saved games were loaded before."""
    player: int
    seen: Observation


class GameFacts(msgspec.Struct, frozen=True):
    """What an agent has to know of a game before it plays."""

    name: str
    interval: float
    """Seconds of game time in one communication frame."""
    player: int
    loads: bool
    """Whether it has saved games."""
    columns: dict[str, str]
    """Its own columns in demos: `float`, `bool` or `str` by name."""
    levels: tuple[str, ...] = ()
    """All its levels; empty if it does not say."""
    outcomes: dict[str, str] = {}
    """What must have come of a demo at its end: `equal`, `includes` or `noted` by column."""


def columns_of(game: object) -> dict[str, type]:
    """A game's own columns in demos, in their order."""
    return dict(game.columns) if isinstance(game, DemoColumns) else {}


def levels_of(game: object) -> tuple[str, ...]:
    """The levels that a game has; empty if it does not say."""
    return tuple(game.levels) if isinstance(game, DemoLevels) else ()


def outcomes_of(game: object) -> dict[str, OutcomeRule]:
    """What must have come of a demo at its end, by the game's own columns.

    Raises:
        GameError: an outcome is none of its columns, or is to be compared in no known way.
    """
    outcomes = dict(game.outcomes) if isinstance(game, DemoOutcomes) else {}
    return checked_outcomes(outcomes, columns_of(game))


def checked_outcomes(
    outcomes: Mapping[str, str], columns: Mapping[str, type]
) -> dict[str, OutcomeRule]:
    """The same outcomes, which demos with these columns can be compared by.

    Raises:
        GameError: as above.
    """
    rules = get_args(OutcomeRule)
    for name, rule in outcomes.items():
        if name not in columns:
            raise GameError(f"outcome {name!r} is no column of the game: {', '.join(columns)}")
        if rule not in rules or (rule == "includes" and columns[name] is not str):
            raise GameError(
                f"outcome {name!r} is compared by {rule!r}; there are {', '.join(rules)}, and"
                " includes is for columns of text"
            )
    return dict(outcomes)  # type: ignore[arg-type]


class GameServer:
    """Lets agents on the bus play a game. The game's loop holds what `session.pad()` says, and
    calls `recorded` behind each `session.update`.

    Args:
        game: The game; it has a pad.
        session: It runs under this, on the bus.
        on_request: Carries out a request of a tool; by default requests are published to whatever
            agent listens.

    Raises:
        GameError: the game has no pad.
    """

    def __init__(
        self, game: Game, session: Session, *, interval: float = INTERVAL,
        on_request: RequestHandler | None = None,
    ) -> None:  # fmt: skip
        self._game = game
        self._playable = as_playable(game)
        self._session = session
        self._stride = communication_steps(game.dt, interval)
        self._steps = 0
        self._loads = 0
        self._requests = 0
        self.attended = False
        """Whether an agent has asked what there is to play."""
        session.pads.take()
        session.serve(GAME, self._game_facts)
        session.serve(LOAD, self._load)
        session.serve(STATE, self._publish_state)
        session.serve(REPLAY, self._forward_request if on_request is None else on_request)

    @property
    def facts(self) -> GameFacts:
        """What agents have to know."""
        kinds = {name: kind.__name__ for name, kind in columns_of(self._game).items()}
        return GameFacts(
            self._game.name, self._stride * self._game.dt, self._playable.player,
            isinstance(self._game, Saves), kinds, levels_of(self._game),
            dict(outcomes_of(self._game)),
        )  # fmt: skip

    def hold(self) -> None:
        """A step is due: hold what the agent holds."""
        self._playable.hold(self._session.pad() or NEUTRAL)

    def recorded(self) -> None:
        """A step was recorded: tell how things stand if a communication frame is over."""
        self._steps += 1
        if self._steps % self._stride == 0:
            self.publish()

    def publish(self) -> None:
        """Tell how things stand now."""
        span = self._session.source.span
        if span is None:
            return
        seen = self._playable.observe()
        now = self._game.world.time()
        observation = PublishedObservation(
            span.newest, span.end, now, self._loads, self._playable.player, seen
        )
        self._session.publish(OBSERVATION, msgspec.to_builtins(observation))

    def crashed(self, error: Exception) -> None:
        """The game has raised: whoever plays it has nothing more to play."""
        message = f"{self._game.name} raised {error!r}"
        trace = "".join(traceback.format_exception(error))
        self._session.publish(CRASH, {"message": message, "traceback": trace})

    def _game_facts(self, _: Any) -> GameFacts:
        self.attended = True
        return self.facts

    def _load(self, body: Any) -> int:
        if not isinstance(self._game, Saves):
            raise CommandError(f"{self._game.name} has no saved games")
        if not isinstance(body, dict) or not isinstance(body.get("path"), str):
            raise CommandError(f"{LOAD} {body!r}: say {{'path': FILE}}")
        path = Path(body["path"])
        if not path.is_file():
            raise GameError(f"{path}: this saved game is not there")
        self._game.load(path)
        self._steps = 0
        self._loads += 1
        return self._loads

    def _publish_state(self, body: Any) -> None:
        self._session.publish(REPLAY, body)

    def _forward_request(self, request: Any) -> int:
        self._requests += 1
        self._session.publish(REQUESTS, {"number": self._requests, "wish": request})
        return self._requests
