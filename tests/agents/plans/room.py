"""A room that plans can drive: one player, actors that a test moves, actions that a test makes."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from playhead.agents.plans.execution.plan_agent import PlanAgent
from playhead.agents.plans.plan import Plan
from playhead.agents.plans.plan_file import parse_plan
from playhead.games.action_outcome_validators import (
    ActionValidator,
    ActionValidators,
    Scene,
    Values,
)
from playhead.games.plan_game_interface import Action, Controls, PlanGameEvent, Waypoint
from playhead.games.plan_target_actor import Actor
from playhead.games.playable_interface import Observation, Vector
from playhead.playback.pads.pad import NEUTRAL, Button, Pad
from playhead.recorder.statements.instrumentation_interface import (
    NULL_INSTRUMENTATION,
    Instrumentation,
)

STEP = 0.1
SPEED = 4.0
RUN = 1.5
"""How many times as fast who holds the run button is."""


class Press(ActionValidator):
    """A press is counted."""

    def measure(self, scene: Scene) -> Values:
        return {"presses": scene.state["presses"]}

    def expect(self, before: Values, after: Values) -> str:
        more = float(after["presses"] or 0) - float(before["presses"] or 0)
        return "" if more == 1 else f"{more:g} presses were counted, not 1"


def validators_of(**rest: Any) -> ActionValidators:
    validators = ActionValidators()
    validators.validates("press", **(rest or {"event": "pressed", "timeout": 2.0}))(Press)
    return validators


class Room:
    """Implements `PlanGame`. Its map knows one wall, which nothing passes while it is there."""

    name = "room"
    sticks = "world"
    dt = STEP
    player = 1
    plan_types = dict.fromkeys(("button", "foe", "ghost"), ())
    plan_values = frozenset({"presses", "health", "screen"})
    plan_controls = Controls(Button.B, Button.RB)
    plan_actions: Mapping[str, Action] = {
        "press": Action("press", 0.5),
        "hit": Action("hit", 1.0),
        "shout": Action("shout", 0.0, somewhere=True),
    }

    def __init__(self) -> None:
        self.validators = validators_of()
        self.position: Vector = (0.0, 0.0, 0.0)
        self.actors: dict[int, Actor] = {}
        self.state: dict[str, Any] = {"presses": 0, "health": 100.0, "screen": ""}
        self.wall: float | None = None
        """A wall along y at this x."""
        self.time = 0.0
        self.dead = False
        self.teleports = 0
        self.performed: list[str] = []
        self.counted = 1
        """How much a press counts."""
        self.tells = "pressed"
        """The event of a press; empty for none."""
        self.before_press: Callable[[], object] = lambda: None
        self._pad = NEUTRAL
        self._listeners: list[Callable[[PlanGameEvent], object]] = []

    def add(self, id: int, type: str, at: tuple[float, float], name: str = "") -> None:
        actions = {"button": ("press",), "foe": ("hit",)}.get(type, ())
        self.actors[id] = Actor(id, type, name or type, (*at, 0.0), actions)

    @property
    def pad(self) -> Pad:
        return self._pad

    @property
    def runs(self) -> bool:
        """Whether the run button is held."""
        return self._pad.holds(self.plan_controls.run)

    @property
    def listeners(self) -> int:
        return len(self._listeners)

    def hold(self, pad: Pad | None) -> None:
        self._pad = pad or NEUTRAL

    def step(self) -> None:
        self.time += STEP
        x, y = self.position[0], self.position[1]
        speed = RUN * SPEED if self.runs else SPEED
        dx, dy = (speed * STEP * axis for axis in self._pad.left)
        if self.wall is not None and (x - self.wall) * (x + dx - self.wall) <= 0.0:
            dx = 0.0
        self.position = (x + dx, y + dy, 0.0)

    def observe(self) -> Observation:
        return Observation(self.position, 0.0, (0.0, 0.0), dead=self.dead)

    def plan_actors(self) -> Sequence[Actor]:
        return tuple(self.actors.values())

    def plan_names(self) -> dict[str, str]:
        return {actor.name: actor.type for actor in self.actors.values()}

    def plan_state(self) -> Mapping[str, Any]:
        return dict(self.state)

    def plan_map(self) -> "Room":
        return self

    def path(self, start: Vector, goal: Vector, near: float) -> Sequence[Waypoint] | None:
        if self.wall is not None and (start[0] - self.wall) * (goal[0] - self.wall) < 0.0:
            return None
        return [Waypoint(goal)]

    def perform(self, action: str, target: Actor | Vector | None) -> Iterator[Pad]:
        self.performed.append(action)
        yield NEUTRAL
        yield NEUTRAL
        if action == "press":
            self.before_press()
            self.state["presses"] += self.counted
            if self.tells:
                assert isinstance(target, Actor)
                self.tell(self.tells, target.id)
        elif action == "hit":
            assert isinstance(target, Actor)
            self.actors.pop(target.id, None)

    def tell(self, event: str, object: int) -> None:
        for listener in tuple(self._listeners):
            listener(PlanGameEvent(event, object))

    def teleport(self, position: Vector) -> bool:
        self.teleports += 1
        self.position = position
        return True

    def on_event(self, listener: Callable[[PlanGameEvent], object]) -> Callable[[], None]:
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)


def agent_of(
    room: Room, plan: str | Plan, instruments: Instrumentation = NULL_INSTRUMENTATION, **rest: Any
) -> PlanAgent:
    """An agent with a plan, written as the YAML of `nodes` and `rules`."""
    read = parse_plan(plan).plan if isinstance(plan, str) else plan
    return PlanAgent(read, room, STEP, instruments=instruments, clock=lambda: room.time, **rest)


def follow(
    room: Room, agent: PlanAgent, seconds: float = 120.0,
    each: Callable[[], object] = lambda: None,
) -> PlanAgent:  # fmt: skip
    """Play until the agent is done, or for so long."""
    pad, until = NEUTRAL, room.time + seconds
    while not agent.done and room.time < until:
        room.hold(pad)
        room.step()
        each()
        pad = agent.step(room.observe())
    return agent


def away(room: Room, id: int) -> float:
    return math.dist(room.position, room.actors[id].position)
