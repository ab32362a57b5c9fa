"""Ticks of a behaviour tree of 500 nodes: what recording them adds."""

from typing import Any

import py_trees
from py_trees.behaviour import Behaviour
from py_trees.common import Access, Status
from py_trees.composites import Parallel, Selector, Sequence

from playhead.recording_session import record

from ..support.report_table import Line
from ..support.timing import Case, Size, interleave

NODES = 500
FRAME = 1 / 60
TICKS = 120


class Act(Behaviour):
    """A leaf whose status, and now and then its feedback, changes with the ticks."""

    def __init__(
        self, number: int, period: int, speaks: int = 0, ends: Status = Status.FAILURE
    ) -> None:
        super().__init__(f"act {number}")
        self.ends = ends
        self.number, self.period, self.speaks, self.ticks = number, period, speaks, 0

    def update(self) -> Status:
        self.ticks += 1
        if self.speaks and not self.ticks % self.speaks:
            self.feedback_message = f"{self.ticks * 0.25:.2f} m to go"
        return Status.RUNNING if (self.ticks // self.period) % 2 else self.ends


class Sense(Behaviour):
    """A leaf that writes what it sees to the blackboard."""

    def __init__(self, number: int) -> None:
        super().__init__(f"sense {number}")
        self.board = self.attach_blackboard_client(self.name)
        self.board.register_key("noise", access=Access.WRITE)
        self.board.register_key("target", access=Access.READ)
        self.board.noise = self.count = 0

    def update(self) -> Status:
        self.count += 1
        self.board.noise = self.count // 4
        return Status.FAILURE if self.board.noise % 8 else Status.SUCCESS


def guard(nodes: int) -> Any:
    """A tree as games have them: a selector of sequences, most of which fail soon."""
    branches: list[Any] = [Sense(0)]
    count = 2
    while count + 5 <= nodes:
        acts = [Act(count + n, 40 + count % 7, 30 if n == 1 else 0) for n in range(4)]
        branches.append(Sequence(f"branch {count}", memory=False, children=acts))
        count += 5
    return Selector("guard", memory=False, children=branches)


def crowd(nodes: int) -> Any:
    """A tree of which every node is ticked each time."""
    policy = py_trees.common.ParallelPolicy.SuccessOnAll(synchronise=False)
    acts = [Act(n, 50 + n % 31, 60, Status.SUCCESS) for n in range(nodes - 1)]
    for act in acts:
        act.ticks = act.number
    return Parallel("crowd", policy, acts)


def measure(size: Size) -> list[Line]:
    lines = []
    cases = ("30 of them ticked, as in games", guard, 50.0), ("all of them ticked", crowd, None)
    for name, make, goal in cases:
        py_trees.blackboard.Blackboard.clear()
        times = interleave(
            {
                "bare": _ticks(make(NODES), recorded=False),
                "recorded": _ticks(make(NODES), recorded=True),
            },
            size.rounds,
        )
        bare, added = times.ns("bare"), times.ns("recorded") - times.ns("bare")
        lines.append(Line(
            f"a tick of 500 nodes, {name}: recording it adds", added / 1000, "µs", goal,
            f"py_trees itself takes {bare / 1000:.0f} µs",
        ))  # fmt: skip
    return lines


def _ticks(root: Any, *, recorded: bool) -> Case:
    """Frames with a tick in each; those that are not recorded have everything but the tree."""
    rec = record(dt=FRAME, memory="32 MiB")
    if recorded:
        rec.add(root)

    def case() -> int:
        for _ in range(TICKS):
            root.tick_once()
            rec.update()
        return TICKS

    return case
