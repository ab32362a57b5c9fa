"""Validates every action of an adventure: what it must have changed."""

import math

from ....action_outcome_validators import (
    TIMEOUT,
    ActionValidator,
    ActionValidators,
    BoundValidator,
    Scene,
    Values,
)
from ..menu import TITLE
from ..world.level import AdventureLevel, LevelStart
from .plan_actions import BUY

VALIDATORS = ActionValidators()
NEAR_START = 1.0
"""Metres from the level's start within which a new game begins."""


@VALIDATORS.validates("attack", event="destroyed", timeout=30.0)
class Attack(ActionValidator):
    """The enemy is gone, and one kill is counted for each that is: a blow may hit several."""

    def measure(self, scene: Scene) -> Values:
        alive = sorted(actor.id for actor in scene.actors if "attack" in actor.actions)
        return {
            "kills": scene.state["kills"], "gone": scene.gone,
            "alive": " ".join(map(str, alive)),
        }  # fmt: skip

    def expect(self, before: Values, after: Values) -> str:
        if not after["gone"]:
            return "the enemy is still there"
        kills = _number(after, "kills") - _number(before, "kills")
        dead = len(set(str(before["alive"]).split()) - set(str(after["alive"]).split()))
        return "" if kills == dead else f"the kill count grew by {kills:g}, not by {dead}"


@VALIDATORS.validates("interact", target="switch", event="toggled", timeout=3.0)
class InteractSwitch(ActionValidator):
    """A switch changes its state, and its door follows."""

    def measure(self, scene: Scene) -> Values:
        doors = {
            f"{actor.name} #{actor.id}": actor.values["state"]
            for actor in scene.actors if actor.type == "door"
        }  # fmt: skip
        state = scene.target.values["state"] if scene.target is not None else None
        return {"switch": state, **doors}

    def expect(self, before: Values, after: Values) -> str:
        if after["switch"] == before["switch"]:
            return f"the switch is still {after['switch']}"
        changed = [name for name in before if before[name] != after.get(name)]
        if len(before) > 1 and changed == ["switch"]:
            return f"the switch is {after['switch']}, but no door has opened or closed"
        opens = after["switch"] == "on"
        wrong = [n for n in changed if n != "switch" and (after.get(n) == "open") is not opens]
        return f"the switch is {after['switch']}, but {wrong[0]} closed" if wrong else ""


@VALIDATORS.validates("interact", target="shrine", event="activated", timeout=3.0)
class InteractShrine(ActionValidator):
    """A shrine is lit, and the level ends."""

    def measure(self, scene: Scene) -> Values:
        state = scene.target.values["state"] if scene.target is not None else None
        return {"shrine": state, "finished": scene.state["finished"]}

    def expect(self, before: Values, after: Values) -> str:
        if after["shrine"] != "on":
            return f"the shrine is {after['shrine']}"
        return "" if after["finished"] else "the shrine is lit, but the level has not ended"


@VALIDATORS.validates("jump", event="landed", timeout=5.0)
class Jump(ActionValidator):
    """The player lands alive after a jump; over a pit, on its other side."""

    def measure(self, scene: Scene) -> Values:
        state, target = scene.state, scene.target
        values: dict[str, float | int | bool | str | None] = {"health": state["health"]}
        values["x"], values["y"] = state["x"], state["y"]
        if target is not None:
            values["pit x"], values["pit y"], _ = target.position
            values["pit radius"] = target.radius
        return values

    def expect(self, before: Values, after: Values) -> str:
        if not _number(after, "health") > 0.0:
            return "the player did not survive it"
        if "pit x" not in before:
            return ""
        sides = [
            (_number(now, axis) - _number(before, f"pit {axis}"))
            for now in (before, after) for axis in "xy"
        ]  # fmt: skip
        radius = _number(before, "pit radius")
        over = any(
            sides[axis] * sides[axis + 2] < 0 and abs(sides[axis + 2]) >= radius for axis in (0, 1)
        )
        return "" if over else "the player is not on the other side of the pit"


@VALIDATORS.validates("take", event="taken", timeout=8.0)
class Take(ActionValidator):
    """What was taken lies there no more, and is carried or was eaten."""

    def measure(self, scene: Scene) -> Values:
        kind = scene.target.values["state"] if scene.target is not None else None
        carried = scene.state["carried"]
        return {"gone": scene.gone, "carried": carried, "kind": kind}

    def expect(self, before: Values, after: Values) -> str:
        if not after["gone"]:
            return "it still lies there"
        more = _number(after, "carried") - _number(before, "carried")
        eaten = before["kind"] == "apple"
        expected = 0 if eaten else 1
        return "" if more == expected else f"{more:g} more things are carried, not {expected}"


@VALIDATORS.validates("talk", event="talked", timeout=60.0)
class Talk(ActionValidator):
    """A talk comes to its end."""


@VALIDATORS.validates("break", event="broken", timeout=10.0)
class Break(ActionValidator):
    """A broken thing is no obstacle any more."""

    def measure(self, scene: Scene) -> Values:
        return {"gone": scene.gone}

    def expect(self, before: Values, after: Values) -> str:
        return "" if after["gone"] else "it is still there"


@VALIDATORS.validates("shoot", event="shot", timeout=10.0)
class Shoot(Break):
    """What is shot is gone."""


@VALIDATORS.validates("leave", event="entered", timeout=8.0)
class Leave(ActionValidator):
    """The player is in another area after leaving."""

    def measure(self, scene: Scene) -> Values:
        return {"area": scene.state["area"]}

    def expect(self, before: Values, after: Values) -> str:
        return "" if before["area"] != after["area"] else f"the player is still in {after['area']}"


class Dismiss(ActionValidator):
    """A window changes or closes; what leaves the title begins the level at its start.

    Args:
        start: Where the level begins.
    """

    def __init__(self, start: LevelStart) -> None:
        self._start = start

    def measure(self, scene: Scene) -> Values:
        return {name: scene.state[name] for name in ("window", "area", "x", "y")}

    def expect(self, before: Values, after: Values) -> str:
        if before["window"] and before["window"] == after["window"]:
            return f"{after['window']!r} is still shown"
        if _is_title(after) or not _is_title(before):
            return ""
        start, area = self._start, after["area"]
        if area != start.area:
            return f"the game began in the area {area!r}, not in {start.area!r}"
        at = _number(after, "x"), _number(after, "y")
        off = math.dist(at, start.at)
        return "" if off <= NEAR_START else f"the game began {off:.1f} m from the level's start"


class Buy(ActionValidator):
    """What was bought is carried, and was paid for."""

    def measure(self, scene: Scene) -> Values:
        return {"coins": scene.state["coins"], "carried": scene.state["carried"]}

    def expect(self, before: Values, after: Values) -> str:
        paid = _number(before, "coins") - _number(after, "coins")
        more = _number(after, "carried") - _number(before, "carried") + paid
        if more != 1:
            return f"{more:g} more things are carried, not 1"
        return "" if paid > 0 else "nothing was paid"


def validators_of(level: AdventureLevel) -> ActionValidators:
    """Those of a level: the ones that all have, and one for each of the goods."""
    validators = ActionValidators()
    for one in VALIDATORS:
        validators.add(one)
    validators.add(BoundValidator(Dismiss(level.start), "dismiss", "", "", TIMEOUT, delay=0.2))
    for goods in level.goods:
        validators.validates(BUY + goods.kind, event=f"bought {goods.kind}", timeout=10.0)(Buy)
    return validators


def _is_title(values: Values) -> bool:
    return str(values["window"]).startswith(f"{TITLE}/")


def _number(values: Values, name: str) -> float:
    value = values[name]
    assert isinstance(value, int | float), f"{name} is {value!r}"
    return value
