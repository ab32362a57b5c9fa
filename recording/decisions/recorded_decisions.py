"""Reads an agent's decisions out of a recording: what each was made from, and what it came to."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any, NamedTuple

from ...errors import CommandError
from ...recorder.packets.reexecutable_decisions import (
    ConditionResult,
    DecisionMaker,
    DecisionResult,
)
from ...recorder.packets.trace_types import StateTransition, TreeTick
from ...recorder.reading.decision_reader import RecordedInputs
from ...recorder.reading.frame_source import FrameSource
from ...recorder.text.name_hint import name_hint
from ..frame_lookup import stretches_in
from ..recording_damage import DamageLog
from .tree_choices import choice_of_tick

MOST_LOOKED_BACK = 10_000
"""Frames that are looked through for an agent's newest decision."""


class TickInputs(NamedTuple):
    """What is recorded of a tick of a tree whose nodes are a program's own."""

    blackboard: dict[str, Any]
    """The blackboard before the tick."""
    names: tuple[str, ...]
    """The names of the tree's nodes at that time."""
    parents: tuple[int, ...]
    before: tuple[str, ...]
    """The status of each node before the tick; empty where it is not known, or had none."""
    after: tuple[str, ...]
    """The status of each node in the tick; empty for those that were not ticked."""


class RecordedDecision(NamedTuple):
    """A decision that can be made again."""

    frame: int
    agent: int
    decider: str
    inputs: dict[str, Any]
    choice: DecisionResult
    maker: DecisionMaker | None
    """Which function made it; None if the recording does not say."""
    tick: TickInputs | None = None
    """The tick, for a tree that was recorded without saying what it was made from."""


class DecisionScan:
    """Reads decisions of one agent, frame by frame, oldest first.

    Args:
        decider: Only those of this decider; None for all.
    """

    def __init__(
        self, source: FrameSource, agent: int, decider: str | None, damage: DamageLog
    ) -> None:
        self._source, self._agent, self._decider = source, agent, decider
        self._damage = damage
        self._ticks: dict[str, TreeTick] = {}
        """The newest tick of each tree so far."""

    def decisions(self, first: int, last: int) -> Iterator[RecordedDecision]:
        """All decisions from one frame to another."""
        for low, high in stretches_in(self._source, first, last):
            self._ticks.clear()
            if low > 1:
                self._look_back(low)
            for frame in range(low, high + 1):
                with self._damage.skipping(frame):
                    yield from self.in_frame(frame)

    def newest(self, frame: int) -> list[RecordedDecision]:
        """The newest decision of each of the agent's deciders, in the newest frame that has any, at
        or before a frame; empty if there is none in the 10,000 frames before."""
        for low, high in reversed(list(stretches_in(self._source, 1, frame))):
            for at in range(high, max(low, high - MOST_LOOKED_BACK) - 1, -1):
                with self._damage.skipping(at):
                    if self.deciders(at):
                        self._look_back(at)
                        found = {one.decider: one for one in self.in_frame(at)}
                        return list(found.values())
        return []

    def deciders(self, frame: int) -> list[str]:
        """The makers of the agent's decisions in a frame."""
        names = [one.decider for one in self._source.decisions(frame) if one.agent == self._agent]
        names += [
            trace.tree
            for agent, trace in self._source.traces(frame)
            if agent == self._agent and isinstance(trace, TreeTick)
        ]
        return [one for one in dict.fromkeys(names) if self._decider in (None, one)]

    def in_frame(self, frame: int) -> Iterator[RecordedDecision]:
        """The decisions of a frame, in their order."""
        stated: dict[str, list[RecordedInputs]] = defaultdict(list)
        for one in self._source.decisions(frame):
            if one.agent == self._agent and self._decider in (None, one.decider):
                stated[one.decider].append(one)
        ticks: dict[str, list[TreeTick]] = defaultdict(list)
        states: dict[str, list[StateTransition]] = defaultdict(list)
        for agent, trace in self._source.traces(frame):
            if agent == self._agent and isinstance(trace, TreeTick):
                ticks[trace.tree].append(trace)
            elif agent == self._agent and isinstance(trace, StateTransition):
                states[trace.machine].append(trace)
        for decider, rows in stated.items():
            maker = self._source.decision_maker(frame, self._agent, decider)
            for number, row in enumerate(rows):
                choice = self._choice(frame, row, ticks[decider], number, states[decider])
                yield RecordedDecision(frame, self._agent, decider, row.inputs, choice, maker)
        for tree, traces in ticks.items():
            if self._decider in (None, tree):
                for trace in traces:
                    # The guards' table drawn as a tree has no blackboard of its own to go by.
                    if tree not in stated and trace.entries is not None:
                        yield self._tick(frame, trace)
                    self._ticks[tree] = trace

    def _choice(
        self, frame: int, row: RecordedInputs, ticks: list[TreeTick], number: int,
        states: list[StateTransition],
    ) -> DecisionResult:  # fmt: skip
        choice = DecisionResult(row.target, row.won, outcome=row.outcome)
        if number < len(ticks):
            tick = choice_of_tick(self._source.tree(frame, row.agent, row.decider), ticks[number])
            return DecisionResult(
                row.target or tick.target, row.won, nodes=tick.nodes, outcome=row.outcome
            )
        for trace in states:
            if row.won and trace.won == row.won:
                return DecisionResult(row.target, row.won, _conditions(trace), outcome=row.outcome)
        return choice

    def _tick(self, frame: int, trace: TreeTick) -> RecordedDecision:
        nodes = self._source.tree(frame, self._agent, trace.tree)
        choice = choice_of_tick(nodes, trace)
        before = self._ticks.get(trace.tree)
        known = () if before is None or len(before.statuses) != len(nodes) else tuple(
            status or before.kept.get(index, "") for index, status in enumerate(before.statuses)
        )  # fmt: skip
        board = _before(trace)
        tick = TickInputs(
            board, tuple(node.name for node in nodes), tuple(node.parent for node in nodes),
            known, tuple(node.status for node in choice.nodes),
        )  # fmt: skip
        outcome = {
            key: value
            for key, value in (trace.entries or {}).items()
            if key not in board or board[key] != value
        }
        choice = DecisionResult(choice.target, nodes=choice.nodes, outcome=outcome)
        return RecordedDecision(frame, self._agent, trace.tree, board, choice, None, tick)

    def _look_back(self, frame: int) -> None:
        """Find the newest tick of each tree before a frame."""
        for at in range(frame - 1, max(1, frame - 1000) - 1, -1):
            try:
                traces = self._source.traces(at)
            except Exception:  # not held, or damaged: nothing is known of it
                return
            found = {
                trace.tree: trace
                for agent, trace in traces
                if agent == self._agent and isinstance(trace, TreeTick)
            }
            if found:
                self._ticks.update(found)
                return


def chosen_decider(
    decisions: list[RecordedDecision], decider: str | None, about: str
) -> RecordedDecision:
    """The decision that is meant.

    Raises:
        CommandError: there is none, or there are several and none was named.
    """
    names = [one.decider for one in decisions]
    if decider is not None and decider not in names:
        hint = name_hint(decider, names) if names else "it has none"
        raise CommandError(f"{about} has no decider {decider!r} there: {hint}")
    found = [one for one in decisions if decider in (None, one.decider)]
    if len(found) > 1:
        raise CommandError(f"{about} has several deciders: {', '.join(names)}: name one of them")
    if not found:
        raise CommandError(
            f"of {about} no decision is recorded with what it was made from, at that instant or in"
            f" the {MOST_LOOKED_BACK:,} frames before: trace.decide records that, and so does"
            " rec.add of a behaviour tree or a machine of transitions"
        )
    return found[0]


def _conditions(trace: StateTransition) -> tuple[ConditionResult, ...]:
    answers = [ConditionResult(trace.won, trace.target, True)]
    answers += [ConditionResult(name, "", True) for name in trace.also_true]
    lost = [ConditionResult(one.condition, "", False, one.reason) for one in trace.rejected]
    return (*answers, *lost)


def _before(trace: TreeTick) -> dict[str, Any]:
    """The blackboard before a tick: what it is after that, without what was written meanwhile."""
    board = dict(trace.entries or {})
    seen: set[str] = set()
    for one in trace.accesses:
        if one.key in seen:
            continue
        seen.add(one.key)
        if one.access == "read":
            board[one.key] = one.after
        elif one.access in ("write", "unset"):
            board[one.key] = one.before
        elif one.access in ("create", "missing"):
            board.pop(one.key, None)
    return board
