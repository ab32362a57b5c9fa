"""A game that explicit plans drive: a lever opens the door to a lamp. See docs/plan-games.md.

playhead plan new my.plan.yaml --game plan_room.py:Room
playhead plan run lamp.plan.yaml
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import playhead as ph
from playhead.plans import (
    Action,
    ActionValidator,
    ActionValidators,
    Actor,
    Controls,
    NavigationMap,
    PlanGameEvent,
    Scene,
    Values,
    navigation_map,
)

ROWS = ("########", "#...#..#", "#...D..#", "#...#..#", "########")  # the first at y = 0
LEVER, LAMP = 2, 3  # ids count from 1, in the order of `objects`
validators = ActionValidators()
Listener = Callable[[PlanGameEvent], object]


@validators.validates("pull", target="lever", event="pulled", timeout=2.0)
class Pull(ActionValidator):
    def measure(self, scene: Scene) -> Values:
        return {"door": scene.state["door"]}

    def expect(self, before: Values, after: Values) -> str:
        return "" if after["door"] == "open" else f"the door is {after['door']}"


@validators.validates("light", target="lamp", event="lit", timeout=2.0)
class Light(ActionValidator):
    def measure(self, scene: Scene) -> Values:
        return {"lamp": scene.actor("lamp").values["state"]}

    def expect(self, before: Values, after: Values) -> str:
        return "" if after["lamp"] == "lit" else f"the lamp is {after['lamp']}"


@dataclass
class Thing:
    x: float
    y: float
    state: str = ""


class Room(ph.PlayableGame):
    plan_types = {"lever": ("pull",), "lamp": ("light",)}  # what can be done to each type
    plan_values = frozenset({"door"})  # the names in `plan_state`
    plan_controls = Controls()  # no button jumps or runs
    plan_actions = {"pull": Action("pull", reach=0.5), "light": Action("light", reach=0.5)}
    validators = validators

    def __init__(self, seed: int = 0) -> None:
        self.player = Thing(1.0, 1.0)
        self.lever, self.lamp = Thing(3.0, 3.0, "up"), Thing(6.0, 1.0, "dark")
        self.listeners: list[Listener] = []

    # What every game has.

    def objects(self) -> dict[str, object]:
        return {"player": self.player, "lever": self.lever, "lamp": self.lamp}

    def step(self, pad: ph.Pad) -> None:
        x = self.player.x + pad.left[0] * 3 * self.dt
        y = self.player.y + pad.left[1] * 3 * self.dt
        if self.rows()[round(y)][round(x)] == ".":
            self.player.x, self.player.y = x, y
        if pad.holds(ph.Button.A) and self.is_near(self.lever):
            self.lever.state = "down"
            self.tell(PlanGameEvent("pulled", LEVER))
        if pad.holds(ph.Button.B) and self.is_near(self.lamp):
            self.lamp.state = "lit"
            self.tell(PlanGameEvent("lit", LAMP))

    def observe(self) -> ph.Observation:
        return ph.Observation((self.player.x, self.player.y, 0.0))

    def is_near(self, thing: Thing) -> bool:
        return math.dist((thing.x, thing.y), (self.player.x, self.player.y)) < 1.0

    def tell(self, event: PlanGameEvent) -> None:
        for listener in tuple(self.listeners):
            listener(event)

    def rows(self) -> list[str]:
        door = "." if self.lever.state == "down" else "#"
        return [row.replace("D", door) for row in ROWS]

    # What plans need beside that.

    def plan_actors(self) -> list[Actor]:
        return [
            Actor(number, name, name, (thing.x, thing.y, 0.0), can, values={"state": thing.state})
            for number, name, thing, can in (
                (LEVER, "lever", self.lever, ("pull",)),
                (LAMP, "lamp", self.lamp, ("light",)),
            )
        ]

    def plan_names(self) -> dict[str, str]:  # the type of each name
        return {"lever": "lever", "lamp": "lamp"}

    def plan_state(self) -> dict[str, str]:
        return {"door": "open" if self.lever.state == "down" else "closed"}

    def plan_map(self) -> NavigationMap | None:  # None, if the game knows no ways
        return navigation_map({"cell": 1.0, "rows": self.rows()})

    def perform(self, action: str, target: object) -> Iterator[ph.Pad]:
        yield ph.Pad(held=ph.Button.A if action == "pull" else ph.Button.B)
        yield ph.NEUTRAL

    def teleport(self, position: tuple[float, float, float]) -> bool:
        self.player.x, self.player.y, _ = position
        return True

    def on_event(self, listener: Listener) -> Callable[[], None]:
        self.listeners.append(listener)
        return lambda: self.listeners.remove(listener)
