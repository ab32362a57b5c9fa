"""Scripts for the scripted player: `*.person.yaml` files with one step after another."""

from pathlib import Path

import msgspec
import yaml

from ...yaml_nodes import NodeReader, Point, text_of
from ..world.level import LEVELS, AdventureLevel, Area, Talker
from ..world.story_progress import StoryProgress

VERBS = ("walk", "jump", "talk", "buy", "take", "use", "shatter", "shoot", "fight")


class ScriptStep(msgspec.Struct, frozen=True):
    """One thing to do, in one area; one who is elsewhere goes there first.

    `walk` to a place; `jump` to one, taking off at `start`; `talk` to a person; `buy` of who was
    just talked to; `take` an item; `use` a switch or a shrine; `shatter` a boulder; `shoot` a
    target from `start`; `fight` all of one kind, or the boss.
    """

    verb: str
    area: str
    what: str = ""
    """The name of its target."""
    at: Point = (0.0, 0.0)
    """Where to."""
    start: Point = (0.0, 0.0)
    run_up: float = 1.0
    """Metres before `start` at which a jump begins."""
    run: bool = False
    answers: tuple[str, ...] = ()
    """What to answer when asked; anything else is answered with the first that is offered."""


class PlayerScript(msgspec.Struct, frozen=True):
    """Everything that a player does in a level, in order."""

    level: str
    steps: tuple[ScriptStep, ...]

    def reached(self, level: AdventureLevel, story: StoryProgress, area: str) -> int:
        """Which errand is next, counted from 0, for a player who is in this area and has come so
        far in the story: the one behind the last that left a trace, or the next one here if what
        lies between leaves none.
        """
        done = [_is_done(script_step, level, story) for script_step in self.steps]
        at = next((at + 1 for at in range(len(done) - 1, -1, -1) if done[at]), 0)
        here = at
        while here < len(done) and done[here] is None and self.steps[here].area != area:
            here += 1
        return here if here < len(done) and self.steps[here].area == area else at


def _is_done(script_step: ScriptStep, level: AdventureLevel, story: StoryProgress) -> bool | None:
    """Whether the story shows that it was done; None if the story does not record it."""
    area = level.areas[script_step.area]
    if script_step.verb == "take":
        return not story.lies(area.name, script_step.what)
    if script_step.verb == "buy":
        return script_step.what in story.items
    flags: set[str] = set()
    if script_step.verb == "talk":
        talkers = (*area.people, *area.signs)
        flags.update(
            *(_flags_set_by_talking(one, level) for one in talkers if one.name == script_step.what)
        )
    elif script_step.verb in ("use", "shatter", "shoot"):
        flags.update(one.sets for one in area.fixtures if one.name == script_step.what)
    elif (
        script_step.verb == "fight" and area.boss is not None and area.boss.name == script_step.what
    ):
        flags.add(area.boss.sets)
    return not flags.isdisjoint(story.flags) if flags else None


def _flags_set_by_talking(talker: Talker, level: AdventureLevel) -> set[str]:
    """The flags that talking to a person may set."""
    events = [level.events[id] for id in talker.says]
    effects = [event.effects for event in events]
    effects += [option.effects for event in events for option in event.options]
    return {flag for effect in effects for flag in effect.sets}


def script_path(level: str) -> Path:
    """Where the script of a level that comes with playhead is."""
    return LEVELS / f"{level}.person.yaml"


def load_script(path: str | Path, level: AdventureLevel) -> PlayerScript:
    """The script in a file, for this level.

    Raises:
        GameError: it can't be read, is no script, or names what the level doesn't have; the
            message names the file and the line.
    """
    return parse_script(text_of(path, "script"), level, str(path))


def parse_script(text: str, level: AdventureLevel, file: str = "<script>") -> PlayerScript:
    """The script that YAML text describes; `file` is what errors call it.

    Raises:
        GameError: the text is no script for this level; the message names the file and the line.
    """
    reader = _ScriptReader(file, level)
    return reader.script(reader.root(text, "the script is empty; give it a level and parts"))


class _ScriptReader(NodeReader):
    """Turns YAML nodes into a script."""

    def __init__(self, file: str, level: AdventureLevel) -> None:
        super().__init__(file)
        self._level = level

    def script(self, root: yaml.Node) -> PlayerScript:
        parts = self.mapping(root, "the script", ("level", "parts"))
        name = self.text(parts["level"], "level")
        if name != self._level.name:
            self.fail(parts["level"], f"it is for level {name!r}, not for {self._level.name!r}")
        steps: list[ScriptStep] = []
        for node in self.items(parts["parts"], "parts", least=1):
            part = self.mapping(node, "a part", ("in", "steps"))
            area = self._level.areas.get(self.text(part["in"], "in"))
            if area is None:
                self.fail(part["in"], f"there is no area {self.text(part['in'], 'in')!r}")
            steps += [self.script_step(step, area) for step in self.items(part["steps"], "steps")]
        return PlayerScript(name, tuple(steps))

    def script_step(self, node: yaml.Node, area: Area) -> ScriptStep:
        optional = (*VERBS, "from", "run-up", "run", "answer")
        parts = self.mapping(node, "a step", (), optional)
        verbs = [verb for verb in VERBS if verb in parts]
        if len(verbs) != 1:
            self.fail(node, f"a step does one thing: give it one of {', '.join(VERBS)}")
        verb = verbs[0]
        if verb in ("jump", "shoot") and "from" not in parts:
            self.fail(node, f"{verb} needs `from`, the position to stand at")
        goes = verb in ("walk", "jump")
        answers = self.items(parts["answer"], "answer") if "answer" in parts else ()
        return ScriptStep(
            verb, area.name,
            what="" if goes else self.known(parts[verb], verb, area),
            at=self.point(parts[verb], verb) if goes else (0.0, 0.0),
            start=self.point(parts["from"], "from") if "from" in parts else (0.0, 0.0),
            run_up=self.number(parts["run-up"], "run-up") if "run-up" in parts else 1.0,
            run="run" in parts and self.flag(parts["run"], "run"),
            answers=tuple(self.text(item, "answer") for item in answers),
        )  # fmt: skip

    def known(self, node: yaml.Node, verb: str, area: Area) -> str:
        """The name of something that the area has, for this verb to be done to."""
        fixtures = {kind: [f.name for f in area.fixtures if f.kind == kind] for kind in _KINDS}
        boss = [] if area.boss is None else [area.boss.name]
        names = {
            "talk": [talker.name for talker in (*area.people, *area.signs)],
            "buy": [goods.kind for goods in self._level.goods],
            "take": [item.name for item in area.items],
            "use": fixtures["switch"] + fixtures["shrine"],
            "shatter": fixtures["boulder"],
            "shoot": fixtures["target"],
            "fight": [*boss, *(spawner.label for spawner in area.enemies)],
        }[verb]
        name = self.text(node, verb)
        if name not in names:
            known = ", ".join(names) or "nothing"
            self.fail(node, f"{verb} {name!r}: in {area.name} there is {known}")
        return name


_KINDS = ("switch", "shrine", "boulder", "target")
