"""A game in another process and any language as a game for plans: what it serves on the bus.

It serves `plan.game`, `plan.act` and perhaps `plan.map`, publishes `plan.state` after each frame,
and states events; see docs/protocol.md.
"""

import contextlib
import time
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, Literal

import msgspec

from ....bus.client.client import Client
from ....bus.messages.events import EventsRecorded, ValuePublished
from ....bus.messages.message_types import Event
from ....errors import BusError, CommandError, GameError
from ....games.action_outcome_validators import (
    ActionValidator,
    ActionValidators,
    BoundValidator,
    Scene,
    Values,
)
from ....games.plan_game_interface import Action, Controls, NavigationMap, PlanGameEvent
from ....games.plan_target_actor import Actor
from ....games.playable_interface import Observation, Vector
from ....games.remote.remote_navigation_map import navigation_map
from ....playback.pads.pad import NEUTRAL, Button, Pad
from ....playback.playback_state import Mode
from ....recorder.statements.instrumentation_interface import Scalar

GAME, STATE, ACT, MAP = "plan.game", "plan.state", "plan.act", "plan.map"
PATIENCE = 5.0
"""Seconds of real time in which a running game has to publish something."""
_POLL = 0.1


class ServedAction(msgspec.Struct, frozen=True):
    """An action as a game declares it, with what it must change."""

    name: str
    reach: float = 1.0
    somewhere: bool = False
    touch: float = 0.0
    event: str = ""
    """The event that ends it; without one it is not validated, unless Python code does."""
    timeout: float = 10.0
    expect: dict[str, Scalar] = {}
    """What must have changed then: by name of a value, or `target.NAME` for the actor's own. A
    number is how much it grows by, a text or a truth what it becomes."""


class ServedGame(msgspec.Struct, frozen=True):
    """What a game says of itself when it is asked for `plan.game`."""

    name: str
    step: float
    """Seconds of game time between two states that it publishes."""
    player: int
    actions: list[ServedAction]
    types: list[str]
    names: list[str] = []
    sticks: Literal["world", "player"] = "world"
    jump: int = 0
    """The button, as a bit of a pad; 0 for none."""
    run: int = 0
    nearest: float = 0.3
    step_up: float = 0.5
    one_jump: float = 1.0
    turn: float = 0.0


class PublishedState(msgspec.Struct, frozen=True):
    """How things stand after a frame."""

    time: float
    """Game time, seconds."""
    position: Vector
    facing: float = 0.0
    in_air: bool = False
    can_jump: bool = False
    dead: bool = False
    finished: bool = False
    actors: list[Actor] = []
    values: dict[str, Scalar] = {}
    map: int = 0
    """Counts up whenever `plan.map` has changed."""


class DeclaredValidator(ActionValidator):
    """Sees whether what a game declares of an action has come true."""

    def __init__(self, expect: Mapping[str, Scalar]) -> None:
        self._expect = expect

    def measure(self, scene: Scene) -> Values:
        own = {} if scene.target is None else scene.target.values
        target = {f"target.{name}": value for name, value in own.items()}
        return {**scene.state, **target, "target.gone": scene.gone}

    def expect(self, before: Values, after: Values) -> str:
        for name, wanted in self._expect.items():
            if name not in after:
                return f"there is no value {name!r} to compare"
            value = after[name]
            if isinstance(wanted, bool | str) or wanted is None:
                if value != wanted:
                    return f"{name} is {value!r}, not {wanted!r}"
                continue
            old = before.get(name)
            if not isinstance(value, int | float) or not isinstance(old, int | float):
                return f"{name} is {value!r}, no number"
            if abs(value - old - wanted) > 1e-6:
                return f"{name} grew by {value - old:g}, not by {wanted:g}"
        return ""


class RemotePlanGame:
    """Implements `PlanGame` for a game on the bus.

    Args:
        client: The tool's end of the bus; closing it is the caller's.
        validators: Used in the place of what the game declares.
        patience: Seconds of real time.

    Raises:
        GameError: the game there can't be driven by plans, or says what can't be read.
        BusError: it did not answer.
    """

    def __init__(
        self, client: Client, *, validators: ActionValidators | None = None,
        patience: float = PATIENCE,
    ) -> None:  # fmt: skip
        self._client, self._patience = client, patience
        self._states: ValuePublished | None = None
        self._events: deque[tuple[int, PlanGameEvent]] = deque()
        self._listeners: list[Callable[[PlanGameEvent], object]] = []
        client.on("published", self._on_published)
        client.on("event", self._on_events)
        try:
            served = client.call(GAME)
        except CommandError as error:
            raise GameError(
                f"{client.endpoint}: the game there can't be driven by plans ({error}): it must"
                f" serve {GAME}, {ACT} and publish {STATE}, see docs/protocol.md"
            ) from None
        self.served = _converted(served, ServedGame, GAME)
        self.name, self.player, self.dt = self.served.name, self.served.player, self.served.step
        if not self.dt > 0.0:
            raise GameError(f"{GAME}: step {self.dt:g}: give the seconds between two states")
        self.sticks: str = self.served.sticks
        self.plan_actions: Mapping[str, Action] = {
            one.name: Action(one.name, one.reach, one.somewhere, one.touch)
            for one in self.served.actions
        }
        self.plan_types: Mapping[str, Collection[str]] = dict.fromkeys(self.served.types, ())
        served_game = self.served
        self.plan_controls = Controls(
            _button(served_game.jump), _button(served_game.run), served_game.step_up,
            served_game.nearest, served_game.one_jump, served_game.turn,
        )  # fmt: skip
        self.validators = validators or _declared(self.served.actions)
        self.frame, self.time = 0, 0.0
        """The newest frame that was seen, and its time on the timeline."""
        self._pad = NEUTRAL
        self._map: tuple[int, NavigationMap | None] | None = None
        self.state = PublishedState(0.0, (0.0, 0.0, 0.0))
        self.next(None)
        self.plan_values = frozenset(self.state.values)

    # --- the loop -------------------------------------------------------------------------------

    def next(self, pad: Pad | None) -> Observation:
        """Hold a pad, and wait for the state after another frame.

        Raises:
            GameError: the game is gone, is silent, or says what can't be read.
        """
        if pad is not None:
            self._pad = pad
            with contextlib.suppress(BusError):  # whether it is gone is found out below
                self._client.pad(pad, time=self.time)
        newest = self._wait()
        self.frame, self.time = newest.frame, newest.time
        self.state = _converted(newest.body, PublishedState, STATE)
        while self._events and self._events[0][0] <= self.frame:
            _, event = self._events.popleft()
            for listener in tuple(self._listeners):
                listener(event)
        return self.observe()

    def _wait(self) -> ValuePublished:
        client, clock = self._client, time.monotonic
        end = clock() + self._patience
        while True:
            client.dispatch(_POLL)
            newest = self._states
            if newest is not None and newest.frame > self.frame:
                return newest
            if client.time is not None and client.time.mode != Mode.LIVE.value:
                end = clock() + self._patience  # it is paused for a user who looks at it
            if clock() > end:
                why = "is not run any more, or hangs" if client.connected else "can't be reached"
                raise GameError(
                    f"{client.endpoint}: no {STATE} for {self._patience:g} s: the game {why}"
                )

    def _on_published(self, event: Event) -> None:
        if isinstance(event.event, ValuePublished) and event.event.name == STATE:
            self._states = event.event

    def _on_events(self, event: Event) -> None:
        if isinstance(event.event, EventsRecorded):
            for object, name, _ in event.event.events:
                self._events.append((event.event.frame, PlanGameEvent(name, object)))

    # --- what plans ask -------------------------------------------------------------------------

    @property
    def pad(self) -> Pad:
        return self._pad

    def hold(self, pad: Pad | None) -> None:
        self._pad = pad or NEUTRAL

    def observe(self) -> Observation:
        now = self.state
        return Observation(
            now.position, now.facing, (now.facing, 0.0), in_air=now.in_air, can_jump=now.can_jump,
            dead=now.dead, finished=now.finished,
        )  # fmt: skip

    def plan_actors(self) -> Sequence[Actor]:
        return self.state.actors

    def plan_names(self) -> Mapping[str, str]:
        plan_names = dict.fromkeys(self.served.names, "")
        return plan_names | {actor.name: actor.type for actor in self.state.actors}

    def plan_state(self) -> Mapping[str, Scalar]:
        return self.state.values

    def plan_map(self) -> NavigationMap | None:
        if self._map is None or self._map[0] != self.state.map:
            try:
                served = self._client.call(MAP)
            except CommandError:  # it serves none
                served = None
            self._map = self.state.map, navigation_map(served)
        return self._map[1]

    def perform(self, action: str, target: Actor | Vector | None) -> Iterator[Pad]:
        asked: dict[str, Any] = {"action": action}
        if isinstance(target, Actor):
            asked["actor"] = target.id
        elif target is not None:
            asked["place"] = list(target)
        self._client.call(ACT, asked)
        yield NEUTRAL

    def teleport(self, position: Vector) -> bool:
        return False

    def on_event(self, listener: Callable[[PlanGameEvent], object]) -> Callable[[], None]:
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)


def _declared(actions: Sequence[ServedAction]) -> ActionValidators:
    validators = ActionValidators()
    for one in actions:
        if one.event:
            validators.add(_bound(one))
    return validators


def _bound(one: ServedAction) -> BoundValidator:
    if not one.timeout > 0.0:
        raise GameError(f"{GAME}: action {one.name!r} has timeout {one.timeout:g}: give over 0 s")
    return BoundValidator(DeclaredValidator(one.expect), one.name, "", one.event, one.timeout, 0.0)


def _button(bit: int) -> Button | None:
    if not bit:
        return None
    try:
        return Button(bit)
    except ValueError:
        raise GameError(f"{GAME}: {bit} is no button of a pad") from None


def _converted(body: Any, kind: Any, name: str) -> Any:
    try:
        return msgspec.convert(body, kind)
    except msgspec.ValidationError as error:
        raise GameError(f"{name}: the game says what can't be read: {error}") from None
