"""A game in another process, on the bus, that demos are replayed in from here."""

import contextlib
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from ...bus.client.client import Client
from ...bus.client.remote_instrumentation import AgentInstrumentation
from ...bus.messages.events import CheckFailed, ValuePublished
from ...bus.messages.message_types import Event
from ...errors import BusError, BusyError, CommandError, GameError
from ...games.playable import Observation, OutcomeRule
from ...playback.pads.pad import Pad
from ...playback.playback_state import Mode
from ...recorder.checks.failed_checks import FailedCheck
from ...recorder.statements.instrumentation import Instrumentation
from .game_port import Published, SilentError, TimelinePoint
from .game_server import (
    CRASH,
    GAME,
    LOAD,
    OBSERVATION,
    REQUESTS,
    STATE,
    GameFacts,
    PublishedObservation,
    checked_outcomes,
)

PATIENCE = 5.0
"""Seconds of real time in which a running game has to send something."""
_POLL = 0.1
_KINDS = {"float": float, "bool": bool, "str": str}


class RemoteGame:
    """A game on the bus, as the process sees it.

    While the game stands still for playback it may be silent; else it has to send an observation
    within `patience` seconds. If the connection breaks it has so long to be back.

    Args:
        client: The agent's end of the bus; closing it is the caller's.
        patience: Seconds of real time.
        on_request: Carries out a request of a tool.

    Raises:
        GameError: the game there can't be played by an agent.
        BusError: it did not answer.
    """

    def __init__(
        self, client: Client, *, patience: float = PATIENCE,
        on_request: Callable[[Mapping[str, Any]], object] = lambda request: None,
    ) -> None:  # fmt: skip
        self._client = client
        self._patience = patience
        self.on_request = on_request
        self._instruments = AgentInstrumentation(client)
        self._service = client.welcome.service
        try:
            facts = msgspec.convert(client.call(GAME), GameFacts)
        except CommandError as error:
            raise GameError(
                f"{client.endpoint}: the game there takes no agents ({error}); start one with"
                " playhead run GAME --bus"
            ) from None
        self._facts = facts
        self.name = facts.name
        self.interval = facts.interval
        self.silent = ""
        self.replaceable = False
        self._crash: SilentError | None = None
        self._failed_checks: list[FailedCheck] = []
        self._newest: PublishedObservation | None = None
        self._seen: PublishedObservation | None = None
        """What the agent has seen last."""
        self._loads = 0
        self._last_request = 0
        self._pending_state: Published | None = None
        client.on("published", self._on_published)
        client.on("failed_check", self._on_failed_check)

    @property
    def columns(self) -> dict[str, type]:
        """The game's own columns in demos."""
        return {name: _KINDS.get(kind, str) for name, kind in self._facts.columns.items()}

    @property
    def levels(self) -> tuple[str, ...]:
        """The levels that the game has; empty if it does not say."""
        return self._facts.levels

    @property
    def outcomes(self) -> dict[str, OutcomeRule]:
        """What must have come of a demo at its end.

        Raises:
            GameError: an outcome is none of its columns.
        """
        return checked_outcomes(self._facts.outcomes, self.columns)

    @property
    def player(self) -> int:
        return self._facts.player if self._seen is None else self._seen.player

    @property
    def instruments(self) -> Instrumentation:
        return self._instruments

    @property
    def can_load(self) -> bool:
        return self._facts.loads

    def clock(self) -> float:
        return 0.0 if self._seen is None else self._seen.game_time

    def observe(self) -> Observation | None:
        self._client.dispatch()
        return None if self._newest is None else self._newest.seen

    def load(self, path: Path) -> None:
        try:
            loads = self._client.call(LOAD, {"path": str(path.absolute())})
        except CommandError:
            raise
        except BusError as error:
            raise GameError(f"{path} can't be loaded: {error}") from None
        self._loads = int(loads)

    # --- a communication frame ------------------------------------------------------------------

    def next(self, pad: Pad) -> Observation | None:
        before = 0 if self._seen is None else self._seen.frame
        if self._client.connected:
            with contextlib.suppress(BusError):  # whether it is gone for good is found out below
                self._client.pad(pad, time=None if self._seen is None else self._seen.time)
            self._send_state()
        seen = self._await(before)
        self._seen = seen
        self._instruments.time = seen.time
        return seen.seen

    def _await(self, before: int) -> PublishedObservation:
        """The newest observation of a later frame."""
        client, clock = self._client, time.monotonic
        end = clock() + self._patience
        while True:
            client.dispatch(_POLL)
            if self._crash is not None:
                self.silent = str(self._crash)
                raise self._crash
            if client.connected:
                self._check_service()
                newest = self._newest
                if newest is not None and newest.loads >= self._loads and newest.frame > before:
                    return newest
                if client.time is not None and client.time.mode != Mode.LIVE.value:
                    end = clock() + self._patience  # it stands still for somebody who looks at it
            if clock() > end:
                self.silent = self._silent_reason()
                raise SilentError(self.silent)

    def _silent_reason(self) -> str:
        reason = f"{self.name} at {self._client.endpoint} has sent nothing for {self._patience:g} s"
        if not self._client.connected:
            return f"{reason}: its process is gone, or it can't be reached"
        return f"{reason}: it hangs, or it is not run any more"

    def _check_service(self) -> None:
        if self._client.welcome.service != self._service:
            self.silent = (
                f"{self.name} at {self._client.endpoint} was started anew: the demo that was played"
                " can't go on there"
            )
            raise SilentError(self.silent)

    def _on_published(self, event: Event) -> None:
        published = event.event
        if not isinstance(published, ValuePublished):
            return
        if published.name == CRASH and isinstance(published.body, dict):
            self._crash = SilentError(
                str(published.body.get("message")), "crash", str(published.body.get("traceback"))
            )
        elif published.name == OBSERVATION:
            try:
                self._newest = msgspec.convert(published.body, PublishedObservation)
            except msgspec.ValidationError as error:
                raise GameError(f"{self.name} sent an observation that is none: {error}") from None
        elif published.name == REQUESTS and isinstance(published.body, dict):
            number = published.body.get("number")
            if isinstance(number, int) and number > self._last_request:
                self._last_request = number
                self._handle_request(published.body.get("wish"))

    def _on_failed_check(self, event: Event) -> None:
        if isinstance(event.event, CheckFailed):
            self._failed_checks.append(event.event.failed_check)

    def failed_check(self) -> FailedCheck | None:
        failed, self._failed_checks = self._failed_checks, []
        return failed[0] if failed else None

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
        # An instruction waits for the game's next step: the pad goes first.
        self._pending_state = state

    def _send_state(self) -> None:
        state, self._pending_state = self._pending_state, None
        if state is not None and self._client.connected:
            with contextlib.suppress(BusError, BusyError):  # a game that hangs is told as that
                self._client.call(STATE, dict(state))

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
