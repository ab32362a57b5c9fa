"""A plan in a game of one's own, which is no more than a `PlayableGame` with a plans' side."""

import numpy as np
import pytest

import playhead as ph
from playhead.agents.plans.execution.run_plan_in_game import run_plan
from playhead.agents.plans.plan_checker import plan_game
from playhead.agents.plans.plan_file import parse_plan
from playhead.errors import GameError
from playhead.games.plan_game_interface import Action, Controls, PlanGameEvent, Waypoint
from playhead.games.plan_target_actor import Actor
from playhead.games.playable_as_game import hosted
from playhead.games.shortest_paths import graph_of_steps
from playhead.games.walk_map import steps_between
from playhead.plans import ActionValidator, ActionValidators
from playhead.playback.pads.pad import NEUTRAL, Button, Pad

FREE = np.array([
    [cell == "." for cell in row]
    for row in ("........", ".####.#.", ".#....#.", ".#.####.", "........")
])  # fmt: skip
GRAPH = graph_of_steps(steps_between(FREE))
COLUMNS = FREE.shape[1]
VALIDATORS = ActionValidators()


@VALIDATORS.validates("pull", target="lever", event="pulled", timeout=2.0)
class Pull(ActionValidator):
    def measure(self, scene):
        return {"lever": scene.target.values["state"]}

    def expect(self, before, after):
        return "" if after["lever"] != before["lever"] else "it did not move"


class Place:
    def __init__(self, x, y):
        self.x, self.y = x, y


class Walk(ph.PlayableGame):
    """A hero on a grid, and nothing that a plan could do."""

    sticks = "world"

    def __init__(self):
        self.player, self.lever = Place(0.0, 0.0), Place(7.0, 2.0)
        self.state, self.listeners = "up", []

    def objects(self):
        return {"hero": self.player, "lever": self.lever}

    def observe(self):
        return ph.Observation((self.player.x, self.player.y, 0.0))

    def step(self, pad):
        self.player.x += pad.left[0] * 3 * self.dt
        self.player.y += pad.left[1] * 3 * self.dt
        if pad.holds(Button.A):
            self.state = "down"
            for listener in tuple(self.listeners):
                listener(PlanGameEvent("pulled", 2))


class Grid(Walk):
    """The same with a plans' side."""

    plan_types = {"lever": ("pull",)}
    plan_values = frozenset({"x"})
    plan_controls = Controls()
    plan_actions = {"pull": Action("pull", 0.5)}
    validators = VALIDATORS

    def plan_actors(self):
        at = (self.lever.x, self.lever.y, 0.0)
        return (Actor(2, "lever", "lever", at, ("pull",), values={"state": self.state}),)

    def plan_names(self):
        return {"lever": "lever"}

    def plan_state(self):
        return {"x": self.player.x}

    def plan_map(self):
        return self

    def path(self, start, goal, near):
        here, there = (round(place[1]) * COLUMNS + round(place[0]) for place in (start, goal))
        nodes = GRAPH.path({here: 0.0}, [there]) or []
        return [Waypoint((node % COLUMNS, node // COLUMNS, 0.0)) for node in nodes] or None

    def perform(self, action, target):
        yield Pad(held=int(Button.A))
        yield NEUTRAL

    def teleport(self, position):
        return False

    def on_event(self, listener):
        self.listeners.append(listener)
        return lambda: self.listeners.remove(listener)


PLAN = parse_plan("nodes: [{location: [2, 2, 0]}, {actor: lever, action: pull}]")


def test_a_plan_drives_a_playable_game_that_has_a_plans_side():
    outcome = run_plan(PLAN, hosted(Grid()))
    assert outcome.failure is None
    assert [node.validation for node in outcome.nodes] == ["none", "passed"]
    assert outcome.actions[0].after == {"lever": "down"}


def test_a_playable_game_without_one_is_refused_with_what_it_lacks():
    with pytest.raises(GameError, match="Walk can't be driven by plans: it has no on_event, perf"):
        plan_game(hosted(Walk()))
