"""Validates every action of Doom: what it must have changed."""

from ...action_outcome_validators import ActionValidator, ActionValidators, Scene, Values

VALIDATORS = ActionValidators()
GROWS = ("health", "armor", "bullets", "shells", "weapon", "items")
"""Numbers of the player of which at least one grows with a thing that is taken."""


@VALIDATORS.validates("attack", event="destroyed", timeout=60.0)
class Attack(ActionValidator):
    """The monster is dead, and one kill is counted for each that died meanwhile."""

    def measure(self, scene: Scene) -> Values:
        alive = sorted(actor.id for actor in scene.actors if actor.type == "monster")
        return {
            "kills": scene.state["kills"], "gone": scene.gone, "alive": " ".join(map(str, alive)),
        }  # fmt: skip

    def expect(self, before: Values, after: Values) -> str:
        if not after["gone"]:
            return "the monster is still alive"
        kills = _number(after, "kills") - _number(before, "kills")
        dead = len(set(str(before["alive"]).split()) - set(str(after["alive"]).split()))
        return "" if kills == dead else f"the kill count grew by {kills:g}, not by {dead}"


@VALIDATORS.validates("take", event="taken", timeout=8.0)
class Take(ActionValidator):
    """What was taken lies there no more, and the player has more of something."""

    def measure(self, scene: Scene) -> Values:
        own = {name: scene.state[name] for name in GROWS if name in scene.state}
        return {"gone": scene.gone, **own}

    def expect(self, before: Values, after: Values) -> str:
        if not after["gone"]:
            return "it still lies there"
        own = [name for name in before if name != "gone"]
        grew = any(_number(after, name) > _number(before, name) for name in own)
        return "" if grew or not own else f"nothing has grown of {', '.join(own)}"


@VALIDATORS.validates("take", target="armor", event="taken", timeout=8.0)
class TakeArmor(Take):
    """Armor protects who took it."""

    def expect(self, before: Values, after: Values) -> str:
        if after["gone"] and not _number(after, "armor") > _number(before, "armor"):
            return f"it was taken, but the armor is still {_number(after, 'armor'):g}"
        return super().expect(before, after)


@VALIDATORS.validates("open", event="opened", timeout=8.0)
class Open(ActionValidator):
    """A player that has opened a door is in it."""


@VALIDATORS.validates("leave", event="left", timeout=10.0)
class Leave(ActionValidator):
    """The player has come to the map's end alive."""

    def measure(self, scene: Scene) -> Values:
        return {"finished": scene.state["finished"], "health": scene.state["health"]}

    def expect(self, before: Values, after: Values) -> str:
        if not after["finished"]:
            return "the map has not ended"
        return "" if _number(after, "health") > 0.0 else "the player is dead"


def _number(values: Values, name: str) -> float:
    value = values[name]
    assert isinstance(value, int | float), f"{name} is {value!r}"
    return value
