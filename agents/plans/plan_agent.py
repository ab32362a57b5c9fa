"""The agent that follows a plan: node after node, interrupted by rules, every action validated."""

import math
from collections.abc import Callable, Iterator, Sequence

import msgspec
import numpy as np

from ...decision import Decision, decide
from ...games.plan_actor import Actor
from ...games.plan_game import PlanGame, Waypoint
from ...games.playable import Observation, Vector
from ...playback.pad import NEUTRAL, Pad
from ...recorder.statements.instrumentation import (
    NULL_INSTRUMENTATION,
    Belief,
    Instrumentation,
    Scalar,
)
from .action_validation import FAILED, NONE, PASSED, PENDING, TIMED_OUT, ActionValidation
from .plan import Movement, Node, Plan, Rule, movements_of
from .plan_checker import meant
from .plan_navigator import ARRIVED, LOST, PlanNavigator, place_text
from .policy.policy_model import PolicyModel, load_policy
from .policy.policy_pilot import PolicyPilot
from .rule_conditions import PlanFacts, decision_rules, target_of

MACHINE, VALIDATION = "plan", "validation"
CHANNEL = "plan"
PATH_COLOR, TARGET_COLOR = (140, 190, 240), (250, 120, 60)
REPEATS = 10
"""How often a rule may be carried out on one target while the nodes get nowhere."""
ON_THE_WAY = 1.0
"""Seconds that the nodes must be followed for in one go to have got somewhere."""
BARRED = 2.0
"""Seconds for which a rule leaves an actor alone that it found no way to."""
NEAR = 1.0
"""Distance from a location, or from an actor without an action, that is near enough."""


class PlanFailure(msgspec.Struct, frozen=True):
    """Why a plan was not carried out to its end."""

    message: str
    kind: str
    """`validation`, `navigation`, `actor`, `rule`, `time`, `player` or `game`."""
    node: int
    """The node that was next, counted from 1."""
    action: str = ""
    actor: str = ""
    object: int = 0
    """The id of the actor that it is about; that of the player where it is about none."""
    before: dict[str, Scalar] = {}
    after: dict[str, Scalar] = {}
    frame: int = 0
    time: float = 0.0


class NodeOutcome(msgspec.Struct):
    """How far one node has come."""

    index: int
    """Counted from 1."""
    action: str
    actor: str
    validation: str = NONE
    """`passed`, `failed`, `timed_out`, or `none` where nothing was validated."""
    done: bool = False


class ActionRecord(msgspec.Struct):
    """One action as it was performed, by a node or by a rule."""

    action: str
    actor: str
    by: str
    """The node's or the rule's title."""
    validation: str = NONE
    message: str = ""
    before: dict[str, Scalar] = {}
    after: dict[str, Scalar] = {}
    seconds: float = 0.0
    """From the action's begin to the end of its validation."""


class _Task:
    """Going somewhere and doing something there: what a node and a rule have in common."""

    def __init__(
        self, title: str, action: str, movement: Movement, tolerance: float, limit: float,
        wait: float, rule: Rule | None,
    ) -> None:  # fmt: skip
        self.title, self.action, self.movement = title, action, movement
        self.tolerance, self.limit, self.wait = tolerance, limit, wait
        self.rule = rule
        self.actor: Actor | None = None
        self.place: Vector | None = None
        self.spent = 0.0
        """Seconds of game time that it has had."""
        self.waited = 0.0
        self.arrived = self.announced = False
        self.performing: Iterator[Pad] | None = None
        self.performed = False
        self.validation: ActionValidation | None = None
        self.done = False

    @property
    def target_name(self) -> str:
        return self.actor.name if self.actor is not None else ""


class PlanAgent:
    """Follows one plan in one game. Ask it for a pad after each step of the game.

    Args:
        game: Where; it must have all that the plan names (see `check_plan`).
        dt: Seconds of game time in one step.
        instruments: Where it leaves its traces.
        clock: Game time, seconds.
        frame: The frame that is being recorded.
        on_action: Called with the name of an action and its target before it is performed.
        policy: What the movement `policy` is left to; the model that comes along by default.
    """

    def __init__(
        self, plan: Plan, game: PlanGame, dt: float, *,
        instruments: Instrumentation = NULL_INSTRUMENTATION, clock: Callable[[], float],
        frame: Callable[[], int] = lambda: 0,
        on_action: Callable[[str, Actor | None], object] = lambda action, actor: None,
        policy: PolicyModel | None = None,
    ) -> None:  # fmt: skip
        self.plan, self._game, self._dt = plan, game, dt
        self._instruments, self._clock, self._frame = instruments, clock, frame
        self._on_action = on_action
        self._pilot: PolicyPilot | None = None
        if "policy" in movements_of(plan):
            self._pilot = PolicyPilot(
                policy or load_policy(), step_up=game.plan_controls.step_up,
                instruments=instruments, player=game.player,
            )  # fmt: skip
        self.navigator = PlanNavigator(game, dt, self._draw, self._pilot)
        self._rules = decision_rules(plan.rules)
        self.index = 0
        """The node that is next, counted from 0."""
        self.outcomes = [
            NodeOutcome(at + 1, node.action, node.actor) for at, node in enumerate(plan.nodes)
        ]
        self.actions: list[ActionRecord] = []
        """All actions that were performed, in their order."""
        self.rules_fired: dict[str, int] = {}
        self.failure: PlanFailure | None = None
        self._node: _Task | None = None
        self._rule: _Task | None = None
        self._pending: list[tuple[ActionValidation, ActionRecord, _Task]] = []
        self._barred: dict[tuple[str, int], tuple[float, str]] = {}
        self._repeats: dict[tuple[str, int], list[int]] = {}
        self._followed = 0.0
        self._state = ""
        self._ended = False

    @property
    def done(self) -> bool:
        """Whether it has come to an end, good or bad."""
        return self.failure is not None or self._ended

    @property
    def state(self) -> str:
        """What it is about, as in its traces."""
        return self._state

    def close(self) -> None:
        """Listen to the game no longer."""
        for validation, _, _ in self._pending:
            validation.drop()

    def step(self, seen: Observation) -> Pad:
        """What it holds from now on, after it has seen how things stand."""
        if self.done:
            return NEUTRAL
        actors = tuple(self._game.plan_actors())
        self._poll()
        if self.failure is None and seen.dead:
            self._fail("player", f"the player died on the way of {self._about()}")
        if self.failure is not None:
            return NEUTRAL
        if self.index >= len(self.plan.nodes):
            if not self._pending:
                self._end()
            return NEUTRAL
        task = self._choose(seen, actors)
        pad = NEUTRAL if task is None else self._carry_out(task, seen, actors)
        self._watch(seen, task)
        return NEUTRAL if self.done else pad

    # --- what comes first -----------------------------------------------------------------------

    def _choose(self, seen: Observation, actors: tuple[Actor, ...]) -> _Task | None:
        """The task of the rule that wins, or of the node that is next."""
        running = self._rule
        if seen.in_air and (running or self._node) is not None:
            return running or self._node
        now = self._clock()
        self._barred = {key: one for key, one in self._barred.items() if one[0] > now}
        barred = {key: why for key, (_, why) in self._barred.items()}
        facts = PlanFacts(seen.position, self._game.plan_state(), actors, barred)
        decision = decide(self._rules, facts)
        assert decision is not None
        rule = decision.target
        if running is not None:
            assert running.rule is not None
            higher = rule is not None and rule.priority > running.rule.priority
            if rule is running.rule or (running.performing is not None and not higher):
                return running
            self._interrupt(running)
            self._rule = None
        if rule is not None:
            return self._fire(rule, decision, facts, seen)
        if self._node is None:
            self._node = self._task_of(self.plan.nodes[self.index])
            self._enter(f"node {self.index + 1}: {self._node.title}", decision, facts)
        elif running is not None:
            self._enter(f"node {self.index + 1}: {self._node.title}", decision, facts)
        self._followed += self._dt
        if self._followed >= ON_THE_WAY:
            self._repeats.clear()
        return self._node

    def _fire(
        self, rule: Rule, decision: Decision[PlanFacts, Rule | None], facts: PlanFacts,
        seen: Observation,
    ) -> _Task | None:  # fmt: skip
        actor = target_of(rule, facts)
        key = (rule.title, 0 if actor is None else actor.id)
        frames = self._repeats.setdefault(key, [])
        frames.append(self._frame())
        self._followed = 0.0
        if len(frames) > REPEATS:
            at = f"frames {frames[0]} to {frames[-1]}"
            on = f" on {actor.name!r}" if actor is not None else ""
            self._fail(
                "rule", f"rule {rule.title!r} fired {len(frames)} times in a row{on} ({at}) and"
                " no node was gone on with: its preconditions hold again each time", actor,
            )  # fmt: skip
            return None
        if self._node is not None:
            self._interrupt(self._node)
        self.rules_fired[rule.title] = self.rules_fired.get(rule.title, 0) + 1
        task = self._rule = _Task(
            rule.title, rule.action, rule.movement, self._reach(rule.tolerance, rule.action),
            rule.time_limit, 0.0, rule,
        )  # fmt: skip
        task.actor = actor
        self._enter(f"rule {rule.title}", decision, facts)
        return task

    def _interrupt(self, task: _Task) -> None:
        """Something else comes first: its way begins anew then, and so does an action cut short."""
        if task.validation is not None and not task.performed:
            task.validation.suspend()  # announced, and not begun or cut short
        task.performing = None
        task.arrived = task.performed
        task.waited = 0.0
        self.navigator.rest()

    def _task_of(self, node: Node) -> _Task:
        task = _Task(
            node.title, node.action, node.movement, self._reach(node.tolerance, node.action),
            node.time_limit, node.wait, None,
        )  # fmt: skip
        task.place = node.location
        return task

    def _reach(self, tolerance: float | None, action: str) -> float:
        if tolerance is not None:
            return tolerance
        return self._game.plan_actions[action].reach if action else NEAR

    # --- carrying out ---------------------------------------------------------------------------

    def _carry_out(self, task: _Task, seen: Observation, actors: tuple[Actor, ...]) -> Pad:
        """One step of a task."""
        task.spent += self._dt
        if task.spent > task.limit:
            self._fail("time", self._too_late(task, seen), task.actor)
            return NEUTRAL
        if task.performing is None and not task.performed:
            if task.validation is not None and task.validation.status == PASSED:
                # It had its effect before something else cut it short.
                self._finish(task)
                return NEUTRAL
            if task.validation is not None:
                task.validation.resume(self._clock())
            if not self._there(task, seen, actors):
                return NEUTRAL
            goal = task.actor.place if task.actor is not None else task.place
            if goal is not None and not task.arrived:
                self._announce_touch(task, seen, goal)
                pad = self._go(task, seen, goal)
                if not task.arrived or self.failure is not None:
                    return pad
            task.arrived = True
            if task.waited < task.wait:
                task.waited += self._dt
                return NEUTRAL
            if task.action and not task.performed:
                if not task.announced:
                    self._announce(task)
                if self.failure is not None:
                    return NEUTRAL
                target = task.actor if task.actor is not None else task.place
                task.performing = iter(self._game.perform(task.action, target))
            else:
                task.performed = True
        if task.performing is not None:
            held = next(task.performing, None)
            if held is not None:
                return held
            task.performing, task.performed = None, True
        if task.validation is None or task.validation.status != PENDING:
            self._finish(task)
        return NEUTRAL

    def _too_late(self, task: _Task, seen: Observation) -> str:
        """That it has had its time, and how far it has come."""
        message = f"{self._about()}: not done within {task.limit:g} s"
        goal = task.actor.place if task.actor is not None else task.place
        if task.arrived or goal is None:
            return f"{message}, still doing it"
        message += f", still going to it, {math.dist(goal, seen.position):.1f} m away"
        return ": ".join(filter(None, (message, self.navigator.account)))

    def _announce_touch(self, task: _Task, seen: Observation, goal: Vector) -> None:
        """What is done by coming there is announced a little before."""
        action = self._game.plan_actions.get(task.action)
        if action is None or not action.touch or task.announced:
            return
        if math.dist(seen.position, goal) <= action.touch:
            self._announce(task)

    def _there(self, task: _Task, seen: Observation, actors: tuple[Actor, ...]) -> bool:
        """Whether the task's actor is there; looks it up where it is not yet known which one."""
        node = self.plan.nodes[self.index]
        if task.rule is None and not node.actor:
            return True
        if task.actor is None and task.rule is None:
            found = [a for a in meant(node.actor, actors) if not task.action or not a.actions
                     or task.action in a.actions]  # fmt: skip
            if not found:
                self._fail("actor", f"{self._about()}: there is no {node.actor!r} just now")
                return False
            task.actor = min(found, key=lambda a: math.dist(a.position, seen.position) - a.radius)
        elif task.actor is not None:
            known = task.actor
            task.actor = next((actor for actor in actors if actor.id == known.id), None)
            if task.actor is None:
                task.actor = known
                if task.announced:
                    task.arrived = task.performed = True  # it was done by coming there
                    return True
                if task.rule is not None:
                    self._finish(task)  # what it was about is gone
                else:
                    self._fail(
                        "actor", f"{self._about()}: {known.name!r} is gone, it was last at"
                        f" {place_text(known.position)}", known,
                    )  # fmt: skip
                return False
        return True

    def _go(self, task: _Task, seen: Observation, goal: Vector) -> Pad:
        radius = task.actor.radius if task.actor is not None else 0.0
        status, pad = self.navigator.go(seen, goal, task.tolerance + radius, task.movement)
        if status == ARRIVED:
            task.arrived = True
        elif status == LOST:
            why = self.navigator.why
            if task.rule is not None:
                key = (task.rule.title, 0 if task.actor is None else task.actor.id)
                self._barred[key] = (self._clock() + BARRED, why)
                self._finish(task)
            else:
                self._fail("navigation", f"{self._about()}: {why}", task.actor)
        return pad

    def _announce(self, task: _Task) -> None:
        """Say what is about to happen, measure, and listen: all that comes before the action."""
        actor, action = task.actor, task.action
        task.announced = True
        told = f"about to {action}" + (f" {actor.name}" if actor is not None else "")
        self._instruments.log(told, object=self._focus(actor), channel=CHANNEL)
        self._on_action(action, actor)
        pending = self._waiting(task)
        if pending is not None:
            task.validation = pending
        elif task.validation is None:
            bound = self._game.validators.find(action, actor.type if actor is not None else "")
            record = ActionRecord(action, task.target_name, task.title)
            self.actions.append(record)
            if bound is None:
                return
            task.validation = ActionValidation(
                bound, self._game, actor, lambda: self._game.player, self._clock()
            )
            record.validation = PENDING
            self._pending.append((task.validation, record, task))
            self._trace(task.validation, "", PENDING, "the action begins")
            if task.validation.status != PENDING:  # it could not even measure
                self._poll()

    def _waiting(self, task: _Task) -> ActionValidation | None:
        """The validation of the same action on the same actor that is still open."""
        actor = task.actor
        if actor is None:
            return None
        for validation, record, _ in self._pending:
            on = validation.target
            if on is not None and on.id == actor.id and record.action == task.action:
                return validation
        return None

    def _poll(self) -> None:
        """See which validations are decided; one that is not passed fails the plan."""
        now = self._clock()
        for entry in list(self._pending):
            validation, record, task = entry
            record.seconds += self._dt
            if not validation.poll(now):
                continue
            self._pending.remove(entry)
            record.validation, record.message = validation.status, validation.message
            record.before, record.after = dict(validation.before), dict(validation.after)
            if task.rule is None:
                self.outcomes[self.index].validation = validation.status
            bad = validation.status in (FAILED, TIMED_OUT)
            self._trace(validation, PENDING, validation.status, validation.message or "as expected")
            if bad and self.failure is None:
                on = f" {record.actor}" if record.actor else ""
                self._fail(
                    "validation",
                    f"{record.by}: {record.action}{on} {validation.status.replace('_', ' ')}:"
                    f" {validation.message}",
                    validation.target, record,
                )  # fmt: skip

    def _finish(self, task: _Task) -> None:
        """It is done: the next node, or back to the node that was interrupted."""
        task.done = True
        self.navigator.rest()
        if task.rule is not None:
            self._rule = None
            # Decided anew in the next step, as a rule that begins or as the node that goes on.
            if self._node is not None:
                self._state = ""
            return
        outcome = self.outcomes[self.index]
        outcome.done = True
        if task.validation is not None:
            outcome.validation = task.validation.status
        self.index += 1
        self._node = None
        self._repeats.clear()
        if self.index >= len(self.plan.nodes):
            # What was announced for a rule and never begun has changed nothing.
            for entry in [one for one in self._pending if one[0].suspended]:
                entry[0].drop()
                self._pending.remove(entry)
                self.actions.remove(entry[1])
            if not self._pending:
                self._end()

    def _end(self) -> None:
        """All nodes are done, and all that was done is validated."""
        self._ended = True
        self._instruments.trace.state(
            self._game.player, MACHINE, self._state, "done", won="the last node is done"
        )
        self._state = "done"
        self.close()

    # --- what is left in the recording ----------------------------------------------------------

    def _enter(
        self, state: str, decision: Decision[PlanFacts, Rule | None], facts: PlanFacts
    ) -> None:
        if self._instruments is not NULL_INSTRUMENTATION:
            task = self._rule or self._node
            beliefs = []
            if task is not None and task.actor is not None and task.actor.id > 0:
                beliefs = [Belief(
                    task.actor.id, task.actor.position, self._clock(), task.actor.name
                )]  # fmt: skip
            decision.trace(
                self._instruments, self._game.player, MACHINE, self._state, state,
                values=facts.values(), beliefs=beliefs,
            )  # fmt: skip
        self._state = state

    def _trace(self, validation: ActionValidation, source: str, target: str, won: str) -> None:
        self._instruments.trace.state(
            self._focus(validation.target), VALIDATION, source or None, target, won=won,
            values={"validator": validation.name, **validation.values()},
        )  # fmt: skip

    def _watch(self, seen: Observation, task: _Task | None) -> None:
        if self._instruments is NULL_INSTRUMENTATION:
            return
        watch, player = self._instruments.watch, self._game.player
        watch("plan.node", self.index + 1, player)
        watch("plan.paths", self.navigator.paths, player)
        watch("plan.validations waiting", len(self._pending), player)
        if task is None:
            return
        if self._pilot is not None and task.movement == "policy":
            self._pilot.watch()
        goal = task.actor.position if task.actor is not None else task.place
        if goal is not None:
            watch("plan.distance", math.dist(goal, seen.position), player)
            self._instruments.draw.line(
                seen.position, goal, color=TARGET_COLOR, object=player, channel=CHANNEL
            )

    def _draw(self, path: Sequence[Waypoint]) -> None:
        if self._instruments is NULL_INSTRUMENTATION or len(path) < 2:
            return
        places = np.array([one.position for one in path], float)
        self._instruments.draw.lines(
            np.stack([places[:-1], places[1:]], axis=1), color=PATH_COLOR,
            object=self._game.player, channel=CHANNEL, latch="plan path",
        )  # fmt: skip

    def _fail(
        self, kind: str, message: str, actor: Actor | None = None,
        record: ActionRecord | None = None,
    ) -> None:  # fmt: skip
        """The plan has failed: a failed check on the actor, here and now."""
        task = self._rule or self._node
        name = actor.name if actor is not None else task.target_name if task else ""
        action = record.action if record is not None else task.action if task else ""
        focus = self._focus(actor)
        self.failure = PlanFailure(
            message, kind, self.index + 1, action, name, focus,
            record.before if record else {}, record.after if record else {},
            self._frame(), self._clock(),
        )  # fmt: skip
        going_on = self.failure is None
        self._instruments.check(going_on, message, focus=focus)
        self.close()

    def _focus(self, actor: Actor | None) -> int:
        return actor.id if actor is not None and actor.id > 0 else self._game.player

    def _about(self) -> str:
        if self._rule is not None:
            return f"rule {self._rule.title!r}"
        if self.index >= len(self.plan.nodes):
            return "what was left to validate"
        return f"node {self.index + 1} ({self.plan.nodes[self.index].title})"
