"""What an agent that follows a plan leaves in the recording: decisions, validations, its way."""

import math
from collections.abc import Callable, Sequence

import numpy as np

from ...games.plan_actor import Actor
from ...games.plan_game import PlanGame, Waypoint
from ...games.playable import Vector
from ...recorder.statements.instrumentation import NULL_INSTRUMENTATION, Belief, Instrumentation
from .action_validation import ActionValidation
from .plan_task import PlanTask
from .rule_chooser import Choice

MACHINE, VALIDATION = "plan", "validation"
CHANNEL = "plan"
PATH_COLOR, TARGET_COLOR = (140, 190, 240), (250, 120, 60)


class PlanTrace:
    """Writes it all into one recording, at the player and at the actors."""

    def __init__(
        self, game: PlanGame, instruments: Instrumentation, clock: Callable[[], float]
    ) -> None:
        self._game, self._instruments, self._clock = game, instruments, clock
        self.state = ""
        """What the agent is about."""

    def focus(self, actor: Actor | None) -> int:
        """The id in the recording of whom something is about; the player's if it has none."""
        return actor.id if actor is not None and actor.id > 0 else self._game.player

    def enter(self, state: str, task: PlanTask, choice: Choice) -> None:
        """A node or a rule begins, or goes on."""
        if self._instruments is not NULL_INSTRUMENTATION:
            beliefs, actor = [], task.actor
            if actor is not None and actor.id > 0:
                beliefs = [Belief(actor.id, actor.position, self._clock(), actor.name)]
            choice.decision.trace(
                self._instruments, self._game.player, MACHINE, self.state, state,
                values=choice.facts.values(), beliefs=beliefs,
            )  # fmt: skip
        self.state = state

    def end(self) -> None:
        """All is done."""
        self._instruments.trace.state(
            self._game.player, MACHINE, self.state, "done", won="the last node is done"
        )
        self.state = "done"

    def announce(self, task: PlanTask) -> None:
        """An action is about to happen."""
        told = f"about to {task.action} {task.actor_name}".rstrip()
        self._instruments.log(told, object=self.focus(task.actor), channel=CHANNEL)

    def validation(self, one: ActionValidation, source: str, target: str, won: str) -> None:
        """A validation begins, or is decided."""
        self._instruments.trace.state(
            self.focus(one.target), VALIDATION, source or None, target, won=won,
            values={"validator": one.name, **one.values()},
        )  # fmt: skip

    def watch(
        self, position: Vector, task: PlanTask | None, *, node: int, paths: int, waiting: int
    ) -> None:
        """The curves of this step, and the line to where the player is going."""
        if self._instruments is NULL_INSTRUMENTATION:
            return
        watch, player = self._instruments.watch, self._game.player
        watch("plan.node", node, player)
        watch("plan.paths", paths, player)
        watch("plan.validations waiting", waiting, player)
        goal = None
        if task is not None:
            goal = task.actor.position if task.actor is not None else task.place
        if goal is not None:
            watch("plan.distance", math.dist(goal, position), player)
            self._instruments.draw.line(
                position, goal, color=TARGET_COLOR, object=player, channel=CHANNEL
            )

    def path(self, path: Sequence[Waypoint]) -> None:
        """The way that was found."""
        if self._instruments is NULL_INSTRUMENTATION or len(path) < 2:
            return
        places = np.array([one.position for one in path], float)
        self._instruments.draw.lines(
            np.stack([places[:-1], places[1:]], axis=1), color=PATH_COLOR,
            object=self._game.player, channel=CHANNEL, latch="plan path",
        )  # fmt: skip
