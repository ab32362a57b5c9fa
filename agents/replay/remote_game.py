"""A game in another process, on the bus, in which demos are recorded and replayed.

It records itself, or it is at the other end of a gateway and in any language: then
docs/protocol.md, "A game that is tested", says what it has to answer.
"""

import contextlib
import logging
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from ...bus.client.client import Client
from ...bus.client.remote_instrumentation import AgentInstrumentation
from ...bus.messages.events import CheckFailed, ValuePublished
from ...bus.messages.message import PROTOCOL
from ...bus.messages.message_types import Event
from ...bus.messages.requests import Hello, ReportFailedCheck
from ...bus.messages.responses import Welcome
from ...errors import BusError, BusyError, CommandError, GameError
from ...games.playable_interface import Observation, Vector
from ...playback.pads.pad import NEUTRAL, Pad
from ...playback.playback_state import Mode
from ...recorder.checks.failed_check_tracker import FailedCheck
from ...recorder.statements.instrumentation_interface import Instrumentation
from ...recorder.world_adapter import Conventions
from ..recorded_demo import INTERVAL
from .game_description import GameDescription, read_description
from .observation_server import (
    CRASH,
    DEBUG,
    GAME,
    LOAD,
    OBSERVATION,
    PATH,
    RESTART,
    SAVE,
    PublishedObservation,
)
from .observation_validation import wrong_in
from .replay_game_interface import Published, SilentError, SourcePlace, TimelinePoint
from .replay_state_publisher import REQUESTS, STATE

_log = logging.getLogger("playhead.replay")

PATIENCE = 5.0
"""Seconds of real time in which a running game has to send something."""
_POLL = 0.1
_STOPS_WITHIN = 120
"""Frames that a game may still send until a failed check has stopped it."""
_QUEUED = 64
"""Observations that wait to be taken one by one."""


class TimedObservation(NamedTuple):
    """An observation and when it was made."""

    observation: PublishedObservation
    connection: int
    """Which of the games that have connected sent it."""


class RemoteGame:
    """A game on the bus, as the process sees it.

    While the game is paused for playback it may be silent; else it has to send an observation
    within `patience` seconds. If the connection breaks it has so long to be back.

    Args:
        client: The agent's end of the bus; closing it is the caller's.
        patience: Seconds of real time.
        on_request: Carries out a request of a tool.
        pause: Whether a failed check may stop the game until a user lets it run on; None if
            a tool is connected that could do so.

    Raises:
        GameError: the game there can't be played by an agent, or none is there.
        BusError: the service did not answer.
    """

    def __init__(
        self, client: Client, *, patience: float = PATIENCE,
        on_request: Callable[[Mapping[str, Any]], object] = lambda request: None,
        pause: bool | None = None,
    ) -> None:  # fmt: skip
        self._client = client
        self._patience = patience
        self.on_request = on_request
        self._pause = pause
        self._check_frame = 0
        """The frame of a check that has failed: the game may stand still there. 0 for none."""
        self._instruments = AgentInstrumentation(client)
        self._service = client.welcome.service
        self._facts = self._asked_facts()
        self._welcome = self._asked_welcome()
        self.name = self._facts.name
        self._finds_paths = self._facts.paths
        self.silent = ""
        self.replaceable = False
        self._crash: SilentError | None = None
        self._wrong = ""
        """What in the newest observation can't be."""
        self._failed_checks: list[FailedCheck] = []
        self._newest: TimedObservation | None = None
        self._waiting: deque[TimedObservation] = deque(maxlen=_QUEUED)
        """All that have come and were not taken yet, for those who want every one."""
        self._seen: PublishedObservation | None = None
        """What the agent has seen last."""
        self._connection: int | None = None
        self._since = self._frame_now()
        """Observations up to this frame are of the past: of before a load, or of a game before."""
        self._last_request = 0
        self._pending_state: Published | None = None
        self._takes_state = True
        client.on("published", self._on_published, every=True)
        client.on("failed_check", self._on_failed_check)

    def _asked_facts(self) -> GameDescription:
        client = self._client
        try:
            return read_description(client.call(GAME), client.endpoint)
        except CommandError:
            if client.snapshot().span is None:
                raise GameError(
                    f"{client.endpoint}: no game has recorded anything there yet: start yours with"
                    " the address for games that playhead serve has printed"
                ) from None
            raise GameError(
                f"{client.endpoint}: no game that takes agents is there: yours may have ended, or"
                f" it has to serve {GAME} and to publish {OBSERVATION}, see"
                " docs/test-your-own-game.md; a game that comes along is started with"
                " playhead run GAME --bus"
            ) from None

    def _asked_welcome(self) -> Welcome:
        """What the service says of the game that is connected now: its name, its conventions.

        It knows them from the game's first frame on."""
        name = self._client.origin.rpartition("#")[0] or "agent"
        return self._client.asked(Hello(name, PROTOCOL), Welcome)

    @property
    def facts(self) -> GameDescription:
        """What the game says of itself."""
        return self._facts

    @property
    def interval(self) -> float:
        """Seconds of game time in one communication frame: the nearest number of observations."""
        every = self._facts.interval
        return max(1, round(INTERVAL / every)) * every

    @property
    def sticks(self) -> str:
        return self._facts.sticks

    @property
    def conventions(self) -> Conventions:
        return self._welcome.conventions

    @property
    def player(self) -> int:
        player = 0 if self._seen is None else self._seen.player
        return player or self._facts.player

    @property
    def instruments(self) -> Instrumentation:
        return self._instruments

    @property
    def can_load(self) -> bool:
        return self._facts.loads

    @property
    def can_restart(self) -> bool:
        return self._facts.restarts

    def clock(self) -> float:
        return 0.0 if self._seen is None else self._seen.game_time

    def observe(self) -> Observation | None:
        self._client.dispatch()
        newest = self._newest
        return (
            None
            if newest is None or newest.observation.frame <= self._since
            else newest.observation.seen
        )

    # --- what else it can do --------------------------------------------------------------------

    def load(self, path: Path) -> None:
        self._begin(LOAD, {"path": str(path.absolute())}, f"{path} can't be loaded")

    def restart(self, seed: int | None) -> None:
        self._begin(RESTART, {"seed": seed}, f"{self.name} can't be restarted")

    def _begin(self, name: str, argument: Any, failed: str) -> None:
        """Put the game into another state; observations from before are outdated."""
        self._send_state()  # if the game breaks over it, somebody has to know where
        try:
            self._client.call(name, argument)
            self._since = self._frame_now()
        except (CommandError, BusError, GameError) as error:
            raise GameError(f"{failed}: {error}") from None
        self._waiting.clear()
        self._connection, self._wrong = None, ""

    def save(self, path: Path) -> None:
        """Have the game write a saved game.

        Raises:
            GameError: it can't.
        """
        try:
            self._client.call(SAVE, {"path": str(path.absolute())})
        except (CommandError, BusError) as error:
            raise GameError(f"{path}: there is no saved game: {error}") from None

    def debug(self, name: str, argument: Any) -> None:
        try:
            self._client.call(DEBUG, {"name": name, "argument": argument})
        except CommandError:
            raise
        except (BusError, GameError) as error:
            raise CommandError(str(error)) from None

    def find_path(self, start: Vector, goal: Vector, near: float) -> Sequence[Vector]:
        if not self._finds_paths:
            return ()
        try:
            found = self._client.call(PATH, {"start": start, "goal": goal, "near": near})
            return msgspec.convert(found, list[Vector])
        except (CommandError, BusError, GameError, msgspec.ValidationError) as error:
            _log.warning("%s: replay.path failed, and is not asked again: %s", self.name, error)
            self._finds_paths = False
            return ()

    def _frame_now(self) -> int:
        return self._client.snapshot().time.frame

    # --- a communication frame ------------------------------------------------------------------

    def next(self, pad: Pad) -> Observation | None:
        self.hold(pad)
        self._send_state()
        seen = self._await(self._is_due)
        self._take(seen)
        return seen.observation.seen

    def hold(self, pad: Pad) -> None:
        """Hold a pad from the game's next step on."""
        if self._client.connected:
            with contextlib.suppress(BusError):  # whether it is gone for good is found out later
                self._client.pad(pad, time=None if self._seen is None else self._seen.time)

    def next_observation(self) -> TimedObservation:
        """The next observation of all that the game sends, whatever is held.

        Raises:
            SilentError: as of `next`.
        """
        seen = self._await(lambda observation: True, every=True)
        self._take(seen)
        return seen

    def _take(self, seen: TimedObservation) -> None:
        if self._seen is None:
            with contextlib.suppress(BusError):  # whether it is gone for good is found out later
                self._welcome = self._asked_welcome()  # the game's first frame is recorded by now
        self._seen, self._connection = seen.observation, seen.connection
        self._since = max(self._since, seen.observation.frame)
        if seen.observation.frame > self._check_frame + _STOPS_WITHIN:
            self._check_frame = 0
        self._instruments.time = seen.observation.time

    def _is_due(self, observation: PublishedObservation) -> bool:
        """Whether a communication frame is over: a game may send several observations in it."""
        seen, every = self._seen, self._facts.interval
        if seen is None or self.interval < 1.5 * every:
            return True
        passed = observation.game_time - seen.game_time
        return passed < 0.0 or passed > self.interval - 0.5 * every

    def _await(
        self, due: Callable[[PublishedObservation], bool], *, every: bool = False
    ) -> TimedObservation:
        """An observation of a later frame: the newest one, or the next."""
        client, clock = self._client, time.monotonic
        end = clock() + self._patience
        while True:
            if not (every and self._waiting):
                client.dispatch(_POLL)
            self._raise_if_broken()
            if client.connected:
                self._check_service()
                found = self._later(every)
                if found is not None and due(found.observation):
                    self._check_connection(found)
                    return found
                if client.time is not None and client.time.mode != Mode.LIVE.value:
                    end = clock() + self._patience  # it is paused for a user who looks at it
                    self._run_on_unattended()
            if clock() > end:
                self.silent = self._silent_reason()
                raise SilentError(self.silent)

    def _run_on_unattended(self) -> None:
        """A failed check has stopped the game, and no tool is there to let it run on."""
        if not self._check_frame or self._pause:
            return
        own, game = self._client.origin, str(self._welcome.game.get("game", ""))
        tools = self._client.snapshot().tools
        others = [one for one in tools if one != own and one.rpartition("#")[0] != game]
        if self._pause is None and others:
            return
        self._check_frame = 0
        with contextlib.suppress(CommandError, BusError):
            self._client.leave()

    def _later(self, every: bool) -> TimedObservation | None:
        if every:
            while self._waiting:
                found = self._waiting.popleft()
                if found.observation.frame > self._since:
                    return found
            return None
        self._waiting.clear()
        newest = self._newest
        return newest if newest is not None and newest.observation.frame > self._since else None

    def _raise_if_broken(self) -> None:
        if self._crash is not None:
            self.silent = str(self._crash)
            raise self._crash
        if self._wrong:
            wrong, self._wrong = self._wrong, ""
            raise SilentError(
                f"{self.name} sent an observation that can't be read: {wrong}", "observation"
            )

    def _silent_reason(self) -> str:
        reason = f"{self.name} at {self._client.endpoint} has sent nothing for {self._patience:g} s"
        if not self._client.connected:
            return f"{reason}: its process is gone, or it can't be reached"
        if not self._is_served():
            return f"{reason}: it has disconnected from the service"
        return f"{reason}: it hangs, or it is not run any more"

    def _is_served(self) -> bool:
        """Whether the service still has a game that takes agents."""
        try:
            self._client.call(GAME, timeout=1.0)
        except CommandError as error:
            return isinstance(error, BusyError)
        except (BusError, GameError):
            return True
        return True

    def _check_service(self) -> None:
        if self._client.welcome.service != self._service:
            self.silent = (
                f"{self.name} at {self._client.endpoint} was restarted: the demo that was played"
                " can't go on there"
            )
            raise SilentError(self.silent)

    def _check_connection(self, found: TimedObservation) -> None:
        """The game may have gone and come again meanwhile: it is not in the middle of a demo."""
        before, self._connection = self._connection, found.connection
        if before is None or before == found.connection:
            return
        self._facts, self._welcome = self._asked_facts(), self._asked_welcome()
        raise SilentError(
            f"{self._facts.name} at {self._client.endpoint} disconnected and connected again: the"
            " demo that was played can't go on there",
            "crash",
        )

    def _on_published(self, event: Event) -> None:
        published = event.event
        if not isinstance(published, ValuePublished):
            return
        if published.name == CRASH and isinstance(published.body, dict):
            self._crash = SilentError(
                str(published.body.get("message")), "crash", str(published.body.get("traceback"))
            )
        elif published.name == OBSERVATION:
            self._observed(published)
        elif published.name == REQUESTS and isinstance(published.body, dict):
            number = published.body.get("number")
            if isinstance(number, int) and number > self._last_request:
                self._last_request = number
                self._handle_request(published.body.get("wish"))

    def _observed(self, published: ValuePublished) -> None:
        try:
            observation = msgspec.convert(published.body, PublishedObservation)
        except msgspec.ValidationError as error:
            self._wrong = self._wrong or str(error)
            return
        if not observation.frame:
            observation = msgspec.structs.replace(
                observation, frame=published.frame, time=published.time
            )
        if observation.frame <= self._since:
            return
        wrong = wrong_in(observation.seen, self._facts.demo_columns)
        if wrong:
            self._wrong = self._wrong or wrong
        else:
            self._newest = TimedObservation(observation, published.connection)
            self._waiting.append(self._newest)

    def _on_failed_check(self, event: Event) -> None:
        if isinstance(event.event, CheckFailed):
            self._failed_checks.append(event.event.failed_check)
            self._check_frame = event.event.failed_check.frame or self._since

    def failed_check(self) -> FailedCheck | None:
        failed, self._failed_checks = self._failed_checks, []
        return failed[0] if failed else None

    def fail(self, message: str, place: SourcePlace) -> None:
        if not self._client.connected:
            return
        file, line, code = place
        with contextlib.suppress(BusError, BusyError):  # a game that is gone records nothing
            self._client.ask(
                ReportFailedCheck(message, self.player, code, file, line, self._instruments.time)
            )

    def _handle_request(self, request: object) -> None:
        if isinstance(request, dict):
            try:
                self.on_request(request)
            except CommandError as error:
                self._instruments.log(str(error), level="warning")

    # --- beside it ------------------------------------------------------------------------------

    def flush(self) -> TimelinePoint:
        if self._client.connected:
            with contextlib.suppress(BusError, BusyError):  # then it is not there to be spoken to
                self._client.flush()
        return self.newest()

    def newest(self) -> TimelinePoint:
        return (
            TimelinePoint(0, 0.0)
            if self._seen is None
            else TimelinePoint(self._seen.frame, self._seen.time)
        )

    def save_clip(self, path: Path, since: int) -> Path:
        span = self._client.snapshot().span
        start = None if span is None else min(max(since, span.oldest), span.newest)
        row = self._client.save(str(path.absolute()), start)
        return Path(row.path or path)

    def publish(self, state: Published) -> None:
        # A call waits for the game's next step: the pad goes first.
        self._pending_state = state

    def _send_state(self) -> None:
        state, self._pending_state = self._pending_state, None
        if state is None or not self._takes_state or not self._client.connected:
            return
        try:
            self._client.call(STATE, dict(state))
        except BusyError:
            pass  # a game that hangs is reported as that
        except CommandError:
            self._takes_state = False  # it has no panel to report it to
        except BusError:
            pass

    def wait_until(self, condition: Callable[[], bool]) -> bool:
        self._send_state()
        while not condition():
            self._client.dispatch(_POLL)
            if not self._client.connected:
                return False
        return True

    def close(self) -> None:
        """Say how the process ended, and let go of the pad."""
        self._send_state()
        self.hold(NEUTRAL)
