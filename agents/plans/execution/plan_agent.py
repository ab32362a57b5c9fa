"""The agent that follows a plan: node after node, interrupted by rules, every action validated."""

import math
from collections.abc import Callable
from pathlib import Path

from ....games.plan_game_interface import PlanGame
from ....games.plan_target_actor import Actor
from ....games.playable_interface import Observation, Vector
from ....playback.pads.pad import NEUTRAL, Pad
from ....recorder.statements.instrumentation_interface import NULL_INSTRUMENTATION, Instrumentation
from ..first_plan_failure import PlanChecks, PlanLine
from ..plan import Plan, Rule, movements_of
from ..plan_checker import meant
from ..plan_file import PlanFile
from ..plan_outcome import ActionRecord, NodeOutcome, PlanFailure
from ..policy.policy_model import PolicyModel, load_policy
from ..policy.policy_navigator import PolicyNavigator
from ..rule_chooser import RuleChoice, RuleChooser
from ..validation.action_outcome_validation import PASSED, PENDING
from ..validation.open_validations import OpenValidations
from .plan_navigator import ARRIVED, LOST, PlanNavigator, place_text
from .plan_task import PlanTask, task_of_node, task_of_rule
from .plan_trace_writer import PlanTraceWriter

OnWalk = Callable[[PlanTask, Observation], object]


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
        file: Where the plan is from: a failure is recorded with its line there.
        begin: The node to begin with, counted from 1; those before it are skipped.
        on_walk: Called with a task each time that the way to its goal begins, also again after
            something else came first.
    """

    def __init__(
        self, plan: Plan, game: PlanGame, dt: float, *,
        instruments: Instrumentation = NULL_INSTRUMENTATION, clock: Callable[[], float],
        frame: Callable[[], int] = lambda: 0,
        on_action: Callable[[str, Actor | None], object] = lambda action, actor: None,
        policy: PolicyModel | None = None, file: PlanFile | None = None, begin: int = 1,
        on_walk: OnWalk = lambda task, seen: None,
    ) -> None:  # fmt: skip
        self._file, self._on_walk = file, on_walk
        self.plan, self._game, self._dt = plan, game, dt
        self._clock, self._frame, self._on_action = clock, frame, on_action
        self._trace = PlanTraceWriter(game, instruments, clock)
        self._checks = PlanChecks(
            instruments, lambda: (self.index + 1, self._rule or self._node), self._trace.focus,
            frame, clock, self._line,
        )  # fmt: skip
        self._validations = OpenValidations(game, self._trace, clock)
        self._chooser = RuleChooser(plan, game, instruments)
        self._pilot: PolicyNavigator | None = None
        if "policy" in movements_of(plan):
            self._pilot = PolicyNavigator(
                policy or load_policy(), step_up=game.plan_controls.step_up,
                instruments=instruments, player=game.player,
            )  # fmt: skip
        self.navigator = PlanNavigator(game, dt, self._trace.path, self._pilot)
        self._begin = begin
        self.index = begin - 1
        """The node that is next, counted from 0."""
        self.outcomes = [
            NodeOutcome(at, node.action, node.actor, skipped=at < begin)
            for at, node in enumerate(plan.nodes, 1)
        ]
        self._node: PlanTask | None = None
        self._rule: PlanTask | None = None
        self._walking: PlanTask | None = None
        """The task whose way was begun last, and not left since."""
        self._begun = self._ended = False

    @property
    def dt(self) -> float:
        """Seconds of game time between the state seen last and the one before."""
        return self._dt

    @dt.setter
    def dt(self, dt: float) -> None:
        self._dt = self.navigator.dt = dt

    @property
    def done(self) -> bool:
        """Whether it has come to an end, good or bad."""
        return self.failure is not None or self._ended

    @property
    def failure(self) -> PlanFailure | None:
        """Why the plan failed; None as long as it has not."""
        return self._checks.failure

    @property
    def actions(self) -> list[ActionRecord]:
        """All actions that were performed, in their order."""
        return self._validations.actions

    @property
    def rules_fired(self) -> dict[str, int]:
        """How often each rule fired."""
        return self._chooser.fired

    @property
    def state(self) -> str:
        """What it is about, as in its traces."""
        return self._trace.state

    def close(self) -> None:
        """Listen to the game no longer."""
        self._validations.close()

    def step(self, seen: Observation) -> Pad:
        """What it holds from now on, after it has seen how things stand."""
        if self.done:
            return NEUTRAL
        pad = self._step(seen)
        failure = "" if self.failure is None else self.failure.message
        self._trace.progress(self.index + 1, self.outcomes, failure, begin=self._begin)
        if self.done:
            self.close()
            return NEUTRAL
        return pad

    def _step(self, seen: Observation) -> Pad:
        actors = tuple(self._game.plan_actors())
        if not self._begun:
            self._begun = True
            self._trace.begin(self.plan, seen.position, actors)
        if not self._settle() or not self._checks.check(
            not seen.dead, "player", lambda: f"the player died on the way of {self._about()}"
        ):
            return NEUTRAL
        if self.index >= len(self.plan.nodes):
            if not self._validations:
                self._end()
            return NEUTRAL
        task = self._choose(seen, actors)
        pad = NEUTRAL if task is None else self._carry_out(task, seen, actors)
        self._trace.watch(
            seen.position, task, node=self.index + 1, paths=self.navigator.paths,
            waiting=len(self._validations),
        )  # fmt: skip
        if self._pilot is not None and task is not None and task.movement == "policy":
            self._pilot.watch()
        return pad

    # --- what comes first -----------------------------------------------------------------------

    def _choose(self, seen: Observation, actors: tuple[Actor, ...]) -> PlanTask | None:
        """The task of the rule that wins, or of the node that is next."""
        running = self._rule
        if seen.in_air and (running or self._node) is not None:
            return running or self._node
        choice = self._chooser.choose(seen.position, actors, self._clock())
        self._trace.rules(self.plan.rules, choice)
        rule = choice.rule
        if running is not None:
            assert running.rule is not None
            higher = rule is not None and rule.priority > running.rule.priority
            if rule is running.rule or (running.performing is not None and not higher):
                return running
            self._interrupt(running)
            self._rule = None
        if rule is not None:
            return self._fire(rule, choice)
        if self._node is None:
            self._node = task_of_node(self.plan.nodes[self.index], self._game.plan_actions)
        state = f"node {self.index + 1}: {self._node.title}"
        if self._trace.state != state or running is not None:
            self._trace.enter(state, self._node, choice)
        self._chooser.follow(self._dt)
        return self._node

    def _fire(self, rule: Rule, choice: RuleChoice) -> PlanTask | None:
        actor = choice.actor
        stays = self._chooser.fire(rule, actor, self._frame())
        self._rule = task_of_rule(rule, actor, self._game.plan_actions)
        if not self._checks.check(not stays, "rule", lambda: stays, actor):
            return None
        if self._node is not None:
            self._interrupt(self._node)
        self._trace.enter(f"rule {rule.title}", self._rule, choice)
        return self._rule

    def _interrupt(self, task: PlanTask) -> None:
        task.interrupt()
        self._walking = None
        self.navigator.rest()

    # --- carrying out ---------------------------------------------------------------------------

    def _carry_out(self, task: PlanTask, seen: Observation, actors: tuple[Actor, ...]) -> Pad:
        """One step of a task."""
        task.spent += self._dt
        if not self._checks.check(
            task.spent <= task.limit, "time",
            lambda: self._too_late(task, seen),
            task.actor,
        ):  # fmt: skip
            return NEUTRAL
        if task.performing is None and not task.performed:
            pad = self._approach(task, seen, actors)
            if pad is not None:
                return pad
        if task.performing is not None:
            next_pad = next(task.performing, None)
            if next_pad is not None:
                return next_pad
            task.performing, task.performed = None, True
            if self._has_gone_off(task, seen):
                task.performed = task.arrived = False  # after it, and again
                return NEUTRAL
        if task.validation is not None and task.validation.status == PENDING:
            return NEUTRAL
        if task.waited_after < task.wait_after:
            task.waited_after += self._dt
        else:
            self._finish(task)
        return NEUTRAL

    def _approach(self, task: PlanTask, seen: Observation, actors: tuple[Actor, ...]) -> Pad | None:
        """What is held on the way to where it is done; None as soon as it is being done."""
        if task.validation is not None and task.validation.status == PASSED:
            # It had its effect before something else cut it short.
            task.performed = True
            return None
        if task.validation is not None:
            task.validation.resume(self._clock())
        if not self._find_actor(task, seen, actors):
            return NEUTRAL
        if task.goal is not None and not task.arrived:
            self._announce_touch(task, seen, task.goal)
            pad = self._go(task, seen, task.goal)
            if not task.arrived or self.failure is not None:
                return pad
        task.arrived = True
        if task.waited < task.wait:
            task.waited += self._dt
            return NEUTRAL
        if not task.action or task.performed:
            task.performed = True
            return None
        if not task.announced:
            self._announce(task)
        if self.failure is not None:
            return NEUTRAL
        target = task.actor if task.actor is not None else task.place
        task.performing = iter(self._game.perform(task.action, target))
        return None

    def _find_actor(
        self, task: PlanTask, seen: Observation, actors: tuple[Actor, ...]
    ) -> bool:  # fmt: skip
        """Look up the task's actor as it is now; False if it is not there."""
        if task.actor is not None:
            return self._see_again(task, task.actor, actors)
        name = self.plan.nodes[self.index].actor
        if task.rule is not None or not name:
            return True
        found = [
            actor for actor in meant(name, actors)
            if not task.action or not actor.actions or task.action in actor.actions
        ]  # fmt: skip
        if not self._checks.check(
            bool(found),
            "actor",
            lambda: f"{self._about()}: there is no {name!r} just now{self._of_skipped()}",
        ):
            return False
        task.actor = min(found, key=lambda a: math.dist(a.position, seen.position) - a.radius)
        return True

    def _see_again(self, task: PlanTask, known: Actor, actors: tuple[Actor, ...]) -> bool:
        there = next((actor for actor in actors if actor.id == known.id), None)
        if there is not None:
            task.actor = there
        elif task.announced:
            task.arrived = task.performed = True  # it was done by coming there
        elif task.rule is not None:
            self._finish(task)  # what it was about is gone
            return False
        else:
            return self._checks.check(
                there is not None, "actor",
                lambda: f"{self._about()}: {known.name!r} is gone, it was last at"
                f" {place_text(known.position)}",
                known,
            )  # fmt: skip
        return True

    def _go(self, task: PlanTask, seen: Observation, goal: Vector) -> Pad:
        if self._walking is not task:
            self._walking = task
            self._on_walk(task, seen)
        status, pad = self.navigator.go(seen, goal, task.goal_tolerance, task.movement)
        why = self.navigator.why
        if status == ARRIVED:
            task.arrived = True
        elif status == LOST and task.rule is not None:
            self._chooser.bar(task.rule, task.actor, self._clock(), why)
            self._finish(task)
        else:
            self._checks.check(
                status != LOST,
                "navigation",
                lambda: f"{self._about()}: {why}{self._of_skipped()}",
                task.actor,
            )
        return pad

    def _has_gone_off(self, task: PlanTask, seen: Observation) -> bool:
        """Whether the actor that it was done to without effect so far is out of reach now."""
        if task.validation is None or task.validation.status != PENDING or task.actor is None:
            return False
        actors = self._game.plan_actors()  # acting may have moved them
        there = next((actor for actor in actors if actor.id == task.actor.id), None)
        if there is None or task.action not in there.actions:
            return False
        near = self.navigator.near(seen, there.place, task.tolerance + there.radius)
        return there.hidden or not near

    def _too_late(self, task: PlanTask, seen: Observation) -> str:
        """That it has had its time, and how far it has come."""
        message = f"{self._about()}: not done within {task.limit:g} s"
        if task.arrived or task.goal is None:
            return f"{message}, still doing it"
        message += f", still going to it, {math.dist(task.goal, seen.position):.1f} m away"
        return ": ".join(filter(None, (message, self.navigator.account)))

    def _announce_touch(self, task: PlanTask, seen: Observation, goal: Vector) -> None:
        """What is done by coming there is announced a little before."""
        action = self._game.plan_actions.get(task.action)
        if action is None or not action.touch or task.announced:
            return
        if math.dist(seen.position, goal) <= action.touch:
            self._announce(task)

    def _announce(self, task: PlanTask) -> None:
        """Say what is about to happen, measure, and listen: all that comes before the action."""
        task.announced = True
        self._trace.announce(task)
        self._on_action(task.action, task.actor)
        self._validations.begin(task)
        if task.validation is not None and task.validation.status != PENDING:
            self._settle()  # it could not even measure

    def _settle(self) -> bool:
        """See which validations are decided; False if one is not passed, which fails the plan."""
        well = True
        for validation, record, task in self._validations.settle(self._dt):
            if task.rule is None:
                self.outcomes[self.index].validation = validation.status
            title = f"{record.action} {record.actor}".rstrip()
            title = title if record.by == title else f"{record.by}: {title}"
            well &= self._checks.check(
                validation.status == PASSED, "validation",
                lambda: f"{title} {validation.status.replace('_', ' ')}: {validation.message}",  # noqa: B023
                validation.target, record,
            )  # fmt: skip
        return well

    def _finish(self, task: PlanTask) -> None:
        """It is done: the next node, or back to the node that was interrupted."""
        self._walking = None
        self.navigator.rest()
        if task.rule is not None:
            self._rule = None
            # Decided again in the next step, as a rule that begins or as the node that goes on.
            if self._node is not None:
                self._trace.state = ""
            return
        outcome = self.outcomes[self.index]
        outcome.done = True
        if task.validation is not None:
            outcome.validation = task.validation.status
        self.index += 1
        self._node = None
        self._chooser.node_done()
        if self.index >= len(self.plan.nodes):
            self._validations.forget_suspended()
            if not self._validations:
                self._end()

    def _end(self) -> None:
        """All nodes are done, and all that was done is validated."""
        self._ended = True
        self._trace.end()

    def _line(self, node: int, task: PlanTask | None) -> PlanLine | None:
        """The place of a node, counted from 1, or of a task's rule, in the plan's file."""
        if self._file is None:
            return None
        rule = task.rule if task is not None else None
        last = len(self.plan.nodes) - 1
        place = ("nodes", min(node - 1, last)) if rule is None else (
            "rules", self.plan.rules.index(rule)
        )  # fmt: skip
        path = Path(self._file.file)
        return PlanLine(str(path.absolute() if path.exists() else path), self._file.line(place))

    def _of_skipped(self) -> str:
        """That what a node lacks may come of those that were skipped; empty if none were."""
        if self._begin == 1 or self.index != self._begin - 1:
            return ""
        before = "node 1 was" if self._begin == 2 else f"nodes 1 to {self._begin - 1} were"
        return f"; {before} skipped, and may be needed first: run the whole plan"

    def _about(self) -> str:
        if self._rule is not None:
            return f"rule {self._rule.title!r}"
        if self.index >= len(self.plan.nodes):
            return "what was left to validate"
        return f"node {self.index + 1} ({self.plan.nodes[self.index].title})"
