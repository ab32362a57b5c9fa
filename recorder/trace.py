"""The calls that trace decisions, for everybody who states something."""

from collections.abc import Callable, Mapping, Sequence
from sys import _getframe
from typing import Any

from .object_ids import ObjectRef
from .statements import AnimationTick, Statement, StateTransition, TreeDefinition, TreeTick
from .traces import (
    AnimationClip,
    AnimationTrace,
    Belief,
    Rejected,
    Scalar,
    StateTrace,
    TreeNode,
    TreeTrace,
)


class Trace:
    """Recorded decisions, in one shape for every kind of decision maker.

    The viewer shows what an agent did in each frame, why, and what it lost against. Any thread may
    call these. What makes no sense is refused as by `Draw`.

    A decision that is not about the frame being recorded names its instant: `time` in timeline
    seconds, or `game_time` in seconds of the game's own clock since it last started over. It then
    belongs to the frame of that instant, whenever it is stated.
    """

    def __init__(
        self, emit: Callable[[Statement], Any], refuse: Callable[[str, Exception], None]
    ) -> None:
        self._emit, self._refuse = emit, refuse

    def state(
        self, agent: ObjectRef, machine: str, source: str, target: str, *, won: str,
        also_true: Sequence[str] = (), rejected: Sequence[Rejected] = (),
        values: Mapping[str, Scalar] | None = None, beliefs: Sequence[Belief] = (),
        time: float | None = None, game_time: float | None = None,
    ) -> None:  # fmt: skip
        """Record that a state machine went from one state to another, and why.

        Until the next call `target` is the state that the machine is in.

        Args:
            agent: The object that decides, or its id.
            machine: Which of its machines: an agent may have several.
            source: The state that it left.
            target: The state that it is in from now on.
            won: The condition that decided.
            also_true: Conditions that held as well, and came later in the order.
            rejected: Alternatives that lost, and why.
            values: Numbers and texts that the conditions looked at.
            beliefs: What the agent held true about other objects.
            time: The instant that it is about, timeline seconds.
            game_time: Or by the game's own clock, seconds.
        """
        try:
            code = _getframe(1)
            self._emit(StateTransition(agent, StateTrace(
                machine, source, target, won, tuple(also_true), tuple(rejected),
                dict(values) if values else {}, tuple(beliefs), code.f_code.co_filename,
                code.f_lineno,
            ), time=time, game_time=game_time))  # fmt: skip
        except Exception as error:
            self._refuse("trace", error)

    def tree(
        self, agent: ObjectRef, tree: str, statuses: Sequence[str], *,
        ended_early: Mapping[int, str] | None = None,
        blackboard: Mapping[str, Scalar] | None = None, beliefs: Sequence[Belief] = (),
        time: float | None = None, game_time: float | None = None,
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
            time: As of `state`.
            game_time: As of `state`.
        """
        try:
            code = _getframe(1)
            self._emit(TreeTick(agent, TreeTrace(
                tree, tuple(statuses), dict(ended_early or {}), dict(blackboard or {}),
                tuple(beliefs), code.f_code.co_filename, code.f_lineno,
            ), time=time, game_time=game_time))  # fmt: skip
        except Exception as error:
            self._refuse("trace", error)

    def define_tree(self, agent: ObjectRef, tree: str, nodes: Sequence[TreeNode]) -> None:
        """Say which nodes a behaviour tree has, as `TreeNode`s; this holds until said again."""
        try:
            self._emit(TreeDefinition(agent, tree, tuple(nodes)))
        except Exception as error:
            self._refuse("trace", error)

    def animation(
        self, agent: ObjectRef, tree: str, clips: Sequence[AnimationClip], *,
        time: float | None = None, game_time: float | None = None,
    ) -> None:  # fmt: skip
        """Record how an animation tree was blended in this frame, as `AnimationClip`s."""
        try:
            code = _getframe(1)
            self._emit(AnimationTick(agent, AnimationTrace(
                tree, tuple(clips), code.f_code.co_filename, code.f_lineno
            ), time=time, game_time=game_time))  # fmt: skip
        except Exception as error:
            self._refuse("trace", error)
