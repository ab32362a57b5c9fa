"""Records a plan from a play: the player's position from time to time, and each action.

What a person did is known by the game's own events: an action was done when the event has come
that its validator waits for. So the plan says `take coin`, whatever was pressed for it.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

from ....errors import CommandError, PlanError
from ....games.plan_game_interface import Action, PlanGame, PlanGameEvent
from ....games.plan_target_actor import Actor
from ....games.playable_interface import Observation, Vector
from ....playback.pads.pad import Pad
from ..plan import Movement, Node, Plan, Precondition, Rule
from ..plan_file import PlanFile, plan_file_of
from .path_simplification import StraightLine

PERIOD = 1.0
NEAR = 2.0
"""How near an actor must be to be proposed for a place, where `Controls.nearest` is 0.3."""
THREAT = 4.0
"""How near an actor must be for a recorded rule, in the same unit."""
KIN = 40.0
"""The same for the followers of a boss: wherever they are."""
WINDOWS = 20.0
"""The priority of a recorded rule that closes what comes up by itself."""


class RecordingSettings(NamedTuple):
    """How a play is recorded."""

    period: float = PERIOD
    """Seconds of game time from one place to the next."""
    near: float | None = None
    """How near an actor must be to be proposed for a place."""
    take_actors: bool = False
    """Whether the proposed actor is taken; otherwise it is written into a comment."""
    raw: bool = False
    """Whether all is left as it was recorded: every place, no rules, no proposals."""


class _Recorded(NamedTuple):
    node: Node
    near: Actor | None = None
    """The actor that might be meant by a place."""
    within: float = 0.0
    """From how far it was gone to, if it is one of several of that name that come and go."""
    screen: str = ""
    """The screen that it was done to, if that came up by itself while one played."""


class PlanRecorder:
    """Watches a game being played. Call `step` after each step of the game, and `close` it.

    Raises:
        CommandError: the settings make no sense.
    """

    def __init__(
        self, game: PlanGame, dt: float, settings: RecordingSettings | None = None
    ) -> None:
        settings = settings or RecordingSettings()
        if not (math.isfinite(settings.period) and settings.period > 0.0):
            raise CommandError(f"a period of {settings.period:g} s makes no places: give over 0")
        if settings.near is not None and not settings.near >= 0.0:
            raise CommandError(f"near {settings.near:g}: a distance is 0 or more")
        self._game, self._dt, self._settings = game, dt, settings
        self._unit = game.plan_controls.nearest / 0.3
        self._near = NEAR * self._unit if settings.near is None else settings.near
        self._by_event = _actions_by_event(game)
        self._line = StraightLine(game.plan_controls.nearest)
        self._recorded: list[_Recorded] = []
        self._events: list[PlanGameEvent] = []
        self._end = game.on_event(self._events.append)
        self.seconds = 0.0
        """Seconds of game time that were watched."""
        self.begin_elsewhere()

    def begin_elsewhere(self) -> None:
        """Another game was loaded: what comes does not lead on from what was."""
        self._events.clear()
        self._seen: dict[int, Actor] = {}
        """Every actor as it was seen first."""
        self._moved: set[int] = set()
        self._actors: dict[int, Actor] = {}
        self._before: Observation | None = None
        self._trail: list[Vector] = []
        """The player's positions since it was last on the ground, that one included."""
        self._jumped = False
        self._screen = ""
        """The screen that came up by itself."""
        self._last: Vector | None = None
        """The place that was noted last, and who was where then."""
        self._there: dict[int, Actor] = {}
        self._since, self._running = 0.0, 0.0

    def __len__(self) -> int:
        """How many places and actions there are."""
        return len(self._recorded)

    def step(self, pad: Pad, seen: Observation) -> None:
        """A step was played with this pad, and led to this."""
        actors = {actor.id: actor for actor in self._game.plan_actors()}
        before = self._before or seen
        if self._last is None:
            self._begin(seen.position)
        controls = self._game.plan_controls
        if controls.jump is not None and pad.holds(controls.jump):
            self._jumped = True
        self._trail.append(before.position)
        events, self._events[:] = list(self._events), []
        for event in events:
            self._note_event(event, actors, before, seen)
        if seen.screen != before.screen:
            self._screen = "" if events or not self._recorded else seen.screen
        self._note_place(pad, before, seen, jumped_to=any(e.name == "entered" for e in events))
        if not seen.in_air:
            self._trail.clear()
            self._jumped = False
        for id, actor in actors.items():
            first = self._seen.setdefault(id, actor)
            if math.dist(first.position, actor.position) > 0.3 * self._unit:
                self._moved.add(id)
        self._actors, self._before = actors, seen
        self.seconds += self._dt

    def close(self) -> None:
        """Watch no longer."""
        self._end()
        self._end = lambda: None

    def plan(self, game: str, comment: str = "") -> PlanFile:
        """What was recorded, as a plan.

        Args:
            game: The game that it is for, such as `arena:dungeon`.
            comment: What is at the top of the file.

        Raises:
            PlanError: nothing was: the player neither went anywhere nor did anything.
        """
        nodes: list[Node] = []
        notes: dict[int, str] = {}
        rules: dict[str, Rule] = {}
        for one in self._recorded:
            rule = None if self._settings.raw else self._rule_of(one)
            if rule is not None:
                known = rules.get(rule.title, rule)
                rules[rule.title] = max(known, rule, key=lambda one: one.when[0].within or 0.0)
                continue
            if one.near is not None and not self._settings.raw:
                away = math.dist(one.node.location or (), one.near.place)
                note = f"{one.near.name} is {away:.1f} away"
                if self._settings.take_actors:
                    nodes.append(Node(actor=one.near.name, movement=one.node.movement))
                    notes[len(nodes) - 1] = f"was {_text(one.node.location)}"
                    continue
                notes[len(nodes)] = note
            nodes.append(one.node)
        if rules and not nodes and self._before is not None:
            nodes.append(Node(location=_rounded(self._before.position)))  # a plan goes somewhere
        if not nodes:
            raise PlanError(
                f"{game}: nothing was recorded: the player neither went anywhere nor did anything"
            )
        return plan_file_of(Plan(tuple(nodes), tuple(rules.values()), game), "", comment, notes)

    # --- places ---------------------------------------------------------------------------------

    def _begin(self, place: Vector) -> None:
        self._last, self._since, self._running = place, 0.0, 0.0
        self._there = self._actors
        self._line.begin(place)

    def _note_place(
        self, pad: Pad, before: Observation, seen: Observation, *, jumped_to: bool
    ) -> None:
        assert self._last is not None
        least = 2.0 * self._game.plan_controls.nearest
        if jumped_to or seen.level != before.level:
            self._begin(seen.position)  # another area: nothing leads there but the exit
            return
        run = self._game.plan_controls.run
        self._since += self._dt
        self._running += self._dt if run is not None and pad.holds(run) else 0.0
        waits = seen.in_air or seen.message or seen.screen or seen.dead
        if waits or self._since < self._settings.period - 0.5 * self._dt:
            return
        if math.dist(self._last, seen.position) < least:
            return
        movement: Movement = "run" if self._running > 0.5 * self._since else "walk"
        self._add_place(seen.position, movement)

    def _add_place(self, place: Vector, movement: Movement) -> None:
        node = Node(location=_rounded(place), movement=movement)
        ground = self._game.plan_map()
        goes_on = (
            not self._settings.raw
            and self._line.goes_on_to(place, ground)
            and self._recorded[-1].node.movement == movement
        )
        if goes_on:
            self._recorded.pop()
        self._line.add(place, goes_on=goes_on)
        self._recorded.append(_Recorded(node, self._landmark(place)))
        self._last, self._since, self._running = place, 0.0, 0.0
        self._there = self._actors

    def _landmark(self, place: Vector) -> Actor | None:
        """The nearest actor that stays where it is, and is the only one of its name."""
        actors = list(self._actors.values())
        names = [actor.name for actor in actors]
        near = [
            (math.dist(actor.place, place) - actor.radius, actor) for actor in actors
            if actor.id not in self._moved and names.count(actor.name) == 1
        ]  # fmt: skip
        away, actor = min(near, default=(math.inf, None), key=lambda one: one[0])
        return actor if away <= self._near else None

    # --- actions --------------------------------------------------------------------------------

    def _note_event(
        self, event: PlanGameEvent, actors: dict[int, Actor], before: Observation, seen: Observation
    ) -> None:
        found = self._by_event.get(event.name, ())
        if event.object not in (0, self._game.player):
            target = self._actors.get(event.object) or actors.get(event.object)
            if target is None:
                return
            for action, kind in found:
                if _can(action.name, kind, target):
                    self._add_action(action.name, target, before, seen)
                    return
            return
        for action, kind in found:
            target = self._passed(action, kind, before, seen)
            if target is None and (not action.somewhere or not self._is_meant(before, seen)):
                continue
            self._add_action(action.name, target, before, seen)
            return

    def _passed(
        self, action: Action, kind: str, before: Observation, seen: Observation
    ) -> Actor | None:
        """Whom the player did it to, where the event does not say: who was on its way."""
        reach = max(action.reach, action.touch)
        near = [
            (min(math.dist(place[:2], actor.position[:2]) for place in self._trail), actor)
            for actor in self._actors.values() if _can(action.name, kind, actor)
        ]  # fmt: skip
        away, found = min(near, default=(math.inf, None), key=lambda one: one[0] - one[1].radius)
        if found is None or away - found.radius > reach:
            return None
        if not before.in_air:
            return found
        # Over it, that is: from the one side to the other.
        (x, y), (u, v), (p, q) = self._trail[0][:2], seen.position[:2], found.position[:2]
        crossed = (x - p) * (u - p) + (y - q) * (v - q) < 0.0
        return found if crossed and math.dist((u, v), (p, q)) >= found.radius else None

    def _is_meant(self, before: Observation, seen: Observation) -> bool:
        """Whether it was done on purpose and not on the way somewhere: a jump on the spot."""
        if not before.in_air:
            return True
        start, end = self._trail[0], seen.position
        level = abs(end[2] - start[2]) < self._game.plan_controls.nearest
        return self._jumped and level and math.dist(start, end) <= self._unit

    def _add_action(
        self, action: str, target: Actor | None, before: Observation, seen: Observation
    ) -> None:
        place = before.position if not before.in_air else self._trail[0]
        if not self._settings.raw:
            if self._line.goes_on_to(place, self._game.plan_map()):
                self._recorded.pop()
            if target is not None:
                self._drop_places_near(target, self._game.plan_actions[action].touch)
        node = Node(actor="" if target is None else target.name, action=action)
        within = 0.0 if target is None else self._sought_from(target, before)
        self._recorded.append(_Recorded(node, None, within, self._screen))
        self._begin(seen.position)

    def _drop_places_near(self, target: Actor, touch: float) -> None:
        """Leave out the last places from which one may come upon what is done by coming there: on
        another way to one of them it would be done before its node begins.
        """
        while self._recorded:
            node = self._recorded[-1].node
            if node.action or math.dist(node.location or (), target.position) > touch:
                break
            self._recorded.pop()

    def _sought_from(self, actor: Actor, before: Observation) -> float:
        """How far off an actor was when the player set out for it; 0 if it stays or is alone."""
        alone = all(one.name != actor.name or one.id == actor.id for one in self._seen.values())
        if alone or actor.id not in self._moved:
            return 0.0
        there, away = self._there.get(actor.id), 0.0
        if there is not None and self._last is not None:
            away = math.ceil(math.dist(there.position, self._last) / self._unit) * self._unit
        if any(one.object == actor.id for one in before.bosses):
            away = KIN * self._unit  # a boss is not beaten before all of its followers are
        return max(THREAT * self._unit, away)

    def _rule_of(self, one: _Recorded) -> Rule | None:
        """The rule to write for a recorded action: what comes up by itself comes otherwise
        the next time."""
        action = one.node.action
        if one.within:
            when = Precondition(actor=one.node.actor, within=round(one.within, 2))
            return Rule((when,), action, priority=WINDOWS / 2)
        if one.screen and "screen" in self._game.plan_values:
            shown = Precondition(value="screen", equals=one.screen)
            return Rule((shown,), action, f"{action} {one.screen}", priority=WINDOWS)
        return None


def _actions_by_event(game: PlanGame) -> dict[str, Sequence[tuple[Action, str]]]:
    """For each event the actions that it ends, and the type of actor that each is done to."""
    found: dict[str, list[tuple[Action, str]]] = {}
    for bound in game.validators:
        action = game.plan_actions.get(bound.action)
        if action is not None and not action.event and bound.event:
            found.setdefault(bound.event, []).append((action, bound.target))
    for action in game.plan_actions.values():
        if action.event:
            found.setdefault(action.event, []).append((action, ""))
    return {name: tuple(actions) for name, actions in found.items()}


def _can(action: str, kind: str, actor: Actor) -> bool:
    return action in actor.actions and kind in ("", actor.type)


def _rounded(place: Vector) -> Vector:
    x, y, z = (round(axis, 2) + 0.0 for axis in place)  # no negative zero
    return x, y, z


def _text(place: Vector | None) -> str:
    return f"[{', '.join(f'{axis:g}' for axis in place or ())}]"
