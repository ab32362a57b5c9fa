"""The calls that trace decisions, for sessions, clients and agents alike."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from sys import _getframe
from typing import Any, TypeVar

from ...errors import RecordingError
from ..objects.object_ids import ObjectOrId
from ..packets.reexecutable_decisions import DecisionMaker, DecisionResult
from ..packets.trace_types import (
    AnimationClip,
    AnimationFrame,
    Belief,
    Rejected,
    Scalar,
    StateTransition,
    TreeNode,
    TreeTick,
)
from ..text.enum_names import plain_of, text_of, texts_of
from .decision_maker_reference import maker_of
from .statement_messages import (
    AgentDecision,
    AnimationStatement,
    Statement,
    TransitionStatement,
    TreeDefinition,
    TreeTickStatement,
)

_T = TypeVar("_T")


class DecisionTracer:
    """Recorded decisions, in one shape for every kind of decision maker.

    The viewer shows what an agent did in each frame, why, and what it lost against. Any thread may
    call these. What makes no sense is refused as by `Draw`.

    States, conditions, statuses and values may be members of an `enum.Enum`: what is recorded is
    the member's name. `stacklevel` chooses the line recorded with a decision, as in `logging`: with
    2 it is the caller's of the function that calls here.

    A decision that is not about the frame being recorded names its instant: `time` in timeline
    seconds, or `game_time` in seconds of the game's own clock since it last started over. It then
    belongs to the frame of that instant, whenever it is stated.
    """

    def __init__(
        self, emit: Callable[[Statement], Any], refuse: Callable[[str, Exception], None]
    ) -> None:
        self._emit, self._refuse = emit, refuse

    def state(
        self, agent: ObjectOrId, machine: str | Enum, source: str | Enum | None,
        target: str | Enum, *, won: str | Enum, also_true: Sequence[str | Enum] = (),
        rejected: Sequence[Rejected] = (), values: Mapping[str, Scalar | Enum] | None = None,
        beliefs: Sequence[Belief] = (), time: float | None = None, game_time: float | None = None,
        stacklevel: int = 1,
    ) -> None:  # fmt: skip
        """Record that a state machine went from one state to another, and why.

        Until the next call `target` is the state that the machine is in. Before the first one it is
        in none: announce where it begins with a call of its own,
        `state(agent, machine, None, "Idle", won="start")`.

        Args:
            agent: The object that decides, or its id.
            machine: Which of its machines: an agent may have several.
            source: The state that it left; None where it begins.
            target: The state that it is in from now on.
            won: The condition that decided.
            also_true: Conditions that were true as well, and came later in the order.
            rejected: Alternatives that lost, each with its reason, as in
                `[ph.Rejected("hurt", "hp 74 is not below 35")]`.
            values: Numbers and texts that the conditions looked at.
            beliefs: What the agent held true about other objects.
            time: The instant that it is about, timeline seconds.
            game_time: Or by the game's own clock, seconds.
            stacklevel: How far up the call is whose line is kept; 1 is this one's.
        """
        try:
            code = _getframe(stacklevel)
            kind = source.__class__
            if not (kind is str is target.__class__ is won.__class__ is machine.__class__):
                machine, target, won = text_of(machine), text_of(target), text_of(won)
                source = "" if source is None else text_of(source)
            self._emit(TransitionStatement(agent, StateTransition(
                machine, source, target, won,  # type: ignore[arg-type]  # names by now
                texts_of(also_true, "also_true") if also_true else (),
                _rejected(rejected) if rejected else (),
                plain_of(dict(values)) if values else {},
                _each(Belief, beliefs, "beliefs") if beliefs else (),
                code.f_code.co_filename, code.f_lineno,
            ), time=time, game_time=game_time))  # fmt: skip
        except Exception as error:
            self._refuse("trace", error)

    def decide(
        self, agent: ObjectOrId, decider: str, function: Callable[[Mapping[str, Any]], _T],
        inputs: Mapping[str, Any],
    ) -> _T:  # fmt: skip
        """Call a function that decides, and record what it decided from, and what for.

        `state = rec.trace.decide(guard, "brain", choose, {"hp": guard.hp, "sees": sees})` is
        `choose({"hp": …, "sees": …})`, and later `playhead ask` can call `choose` with these inputs
        again, outside the game. That is a repetition only if the function looks at nothing else.

        Args:
            agent: The object that decides, or its id.
            decider: Which of its deciders: an agent may have several.
            function: It takes the inputs, and returns a text, a member of an enum, None, or a
                `DecisionResult`, which also has its conditions. To be found again it must be in a
                module, by its name: no lambda, and no function within another.
            inputs: Plain values by name. Of a member of an enum the function is given the name,
                here as well as later.

        Returns:
            What the function returns; what it raises is raised.
        """
        plain: dict[str, Any] = plain_of(dict(inputs))
        chosen = function(plain)
        choice = chosen if isinstance(chosen, DecisionResult) else None
        target: Any = chosen if choice is None else choice.target
        self.decision(
            agent, decider, plain, "" if target is None else target,
            won="" if choice is None else choice.won,
            outcome=None if choice is None else choice.outcome, maker=maker_of(function),
        )  # fmt: skip
        return chosen

    def decision(
        self, agent: ObjectOrId, decider: str, inputs: dict[str, Any], target: str | Enum = "", *,
        won: str | Enum = "", outcome: Mapping[str, Any] | None = None,
        maker: DecisionMaker | None = None,
    ) -> None:  # fmt: skip
        """Record a decision with its inputs, where `decide` does not fit.

        Args:
            agent: As of `decide`.
            decider: As of `decide`.
            inputs: All that it depends on: plain values by name.
            target: What was decided for; empty to go on as before.
            won: The condition that decided.
            outcome: What came of it besides, such as commands: plain values by name.
            maker: Which function made it; see
                `recorder.statements.decision_maker_reference`.
        """
        try:
            if not (target.__class__ is str is won.__class__):
                target, won = text_of(target), text_of(won)
            self._emit(AgentDecision(
                agent, decider, inputs, target, won, dict(outcome or {}), maker,  # type: ignore[arg-type]
            ))  # fmt: skip
        except Exception as error:
            self._refuse("trace", error)

    def tree(
        self, agent: ObjectOrId, tree: str, statuses: Sequence[str | Enum], *,
        ended_early: Mapping[int, str] | None = None,
        blackboard: Mapping[str, Scalar | Enum] | None = None, beliefs: Sequence[Belief] = (),
        reasons: Mapping[int, str] | None = None, time: float | None = None,
        game_time: float | None = None, stacklevel: int = 1,
    ) -> None:  # fmt: skip
        """Record one tick of a behaviour tree.

        Args:
            agent: The object that decides, or its id.
            tree: Which of its trees; `define_tree` names its nodes.
            statuses: For each node of the definition `success`, `failure`, `running`, or an empty
                text where it was not ticked.
            ended_early: For nodes that were stopped before they were through: index to reason.
            blackboard: Entries that changed in this tick.
            beliefs: What the agent held true about other objects.
            reasons: Why nodes stand as they do: index to text.
            time: As of `state`.
            game_time: As of `state`.
            stacklevel: As of `state`.
        """
        try:
            code = _getframe(stacklevel)
            self._emit(TreeTickStatement(agent, TreeTick(
                tree, texts_of(statuses, "statuses"), dict(ended_early or {}),
                plain_of(dict(blackboard)) if blackboard else {},
                _each(Belief, beliefs, "beliefs") if beliefs else (),
                code.f_code.co_filename, code.f_lineno, reasons=dict(reasons or {}),
            ), time=time, game_time=game_time))  # fmt: skip
        except Exception as error:
            self._refuse("trace", error)

    def define_tree(self, agent: ObjectOrId, tree: str, nodes: Sequence[TreeNode]) -> None:
        """Define the nodes of a behaviour tree, as `TreeNode`s, until the next definition."""
        try:
            self._emit(TreeDefinition(agent, tree, _each(TreeNode, nodes, "nodes")))
        except Exception as error:
            self._refuse("trace", error)

    def animation(
        self, agent: ObjectOrId, tree: str, clips: Sequence[AnimationClip], *,
        time: float | None = None, game_time: float | None = None, stacklevel: int = 1,
    ) -> None:  # fmt: skip
        """Record how an animation tree was blended in this frame, as `AnimationClip`s."""
        try:
            code = _getframe(stacklevel)
            self._emit(AnimationStatement(agent, AnimationFrame(
                tree, _each(AnimationClip, clips, "clips"), code.f_code.co_filename, code.f_lineno
            ), time=time, game_time=game_time))  # fmt: skip
        except Exception as error:
            self._refuse("trace", error)


_WANTED: dict[type, str] = {
    Rejected: 'Rejected(condition, reason), as in [ph.Rejected("hurt", "hp 74 is not below 35")]',
    Belief: "Belief(object, position, seen), as in [ph.Belief(player, (5.0, 0.0, 0.0), 0.05)]",
    TreeNode: 'TreeNode(name, kind, parent), as in [ph.TreeNode("root", "selector")]',
    AnimationClip: 'AnimationClip(name, contribution), as in [ph.AnimationClip("walk", 0.75)]',
}
"""What a list of each is to hold, in words."""


def _each(kind: type[_T], given: Iterable[Any], name: str) -> tuple[_T, ...]:
    """The same ones, which are all of a kind.

    Raises:
        RecordingError: one is not.
    """
    if isinstance(given, str | Mapping):
        raise RecordingError(f"{name}={given!r:.80}: give a list of ph.{_WANTED[kind]}")
    found = tuple(given)
    for number, one in enumerate(found):
        if not isinstance(one, kind):
            raise RecordingError(f"{name}[{number}] is {one!r:.80}: give a ph.{_WANTED[kind]}")
    return found


def _rejected(given: Iterable[Any]) -> tuple[Rejected, ...]:
    return tuple(
        one
        if one.condition.__class__ is one.reason.__class__ is str
        else Rejected(text_of(one.condition), text_of(one.reason))
        for one in _each(Rejected, given, "rejected")
    )
