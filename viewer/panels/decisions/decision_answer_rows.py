"""The rows of an answer about decisions: choices side by side, or obstacles and near misses."""

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

from ....recorder.packets.reexecutable_decisions import DecisionResult
from ....recorder.text.how_often_in_words import how_often
from ....recording.decisions.reexecuted_decision import ReexecutedDecision
from ....recording.decisions.reexecuted_decision_text import choice_text
from ....recording.decisions.why_not_answer import WhyNot, WhyNotObstacle
from ...toolkit.time_text import time_text
from ...toolkit.value_text import value_text

_INDENT = "   "
_MEASURED = ("condition", "node")
"""Kinds of obstacles that may be nearer or farther."""


class DecisionRow(NamedTuple):
    """A line of the answer."""

    kind: str
    """`heading`, `choice`, `obstacle`, `detail`, `yes`, `no`, `value`, `warning`."""
    text: str
    note: str = ""
    """What is on the right."""
    frame: int = 0
    """Where a click leads; 0 for nowhere."""
    whole: str = ""
    """What the text is short for; empty if it is all."""


def rows_of(answer: ReexecutedDecision | WhyNot) -> list[DecisionRow]:
    """The rows of an answer."""
    return list(_asked(answer) if isinstance(answer, ReexecutedDecision) else _why_not(answer))


def _why_not(found: WhyNot) -> Iterator[DecisionRow]:
    whose = found.name or f"object {found.agent}"
    came = f"came {how_often(found.came)}" if found.came else "did not come"
    frame = found.came_first or 0
    yield DecisionRow(
        "heading", f"{found.state} {came} · {whose}, {found.decider}",
        f"{found.decisions} decisions", frame,
    )  # fmt: skip
    if found.came_first is not None:
        yield DecisionRow("choice", "It came first", f"frame {frame}", frame)
    if found.comes_from:
        yield DecisionRow("detail", f"It can come from {', '.join(found.comes_from)} only")
    for note in found.notes:
        yield DecisionRow("warning", note)
    for one in found.obstacles:
        yield from _obstacle(one, found.decisions)
    measured = [one for one in found.obstacles if one.kind in _MEASURED]
    near = [one for one in measured if one.nearest.lacks is not None]
    for one in (near or measured)[:1]:
        miss = one.nearest
        yield DecisionRow(
            "heading", f"The nearest miss of {_short(one.what)}", time_text(miss.time), miss.frame
        )
        for name, value in miss.values.items():
            yield DecisionRow("value", name, _value_text(value), miss.frame)
    if not found.decisions:
        yield DecisionRow("detail", "Nothing was decided: it was in it, or nothing is recorded")


def _obstacle(one: WhyNotObstacle, decisions: int) -> Iterator[DecisionRow]:
    miss = one.nearest
    measured = one.kind in _MEASURED
    frame = miss.frame if measured else one.last
    count = f"{one.count} of {decisions}"
    yield DecisionRow("obstacle", _short(one.what), count, frame, whole=one.what)
    if not measured:
        yield DecisionRow("detail", "last", f"frame {one.last}", one.last)
        return
    lacks = miss.lacks
    near = "last" if lacks is None or math.isinf(lacks) else f"by {lacks:.3g}"
    yield DecisionRow("no", miss.reason, f"{near}, frame {miss.frame}", miss.frame)


def _asked(asked: ReexecutedDecision) -> Iterator[DecisionRow]:
    whose = asked.name or f"object {asked.agent}"
    yield DecisionRow(
        "heading", f"{whose} · {asked.decider}, made again", time_text(asked.time), asked.frame
    )
    yield DecisionRow("choice", choice_text(asked.recorded), "recorded", asked.frame)
    same = "the same again" if asked.is_reproduced else "now"
    yield DecisionRow("choice" if asked.is_reproduced else "warning",
                      choice_text(asked.again), same, asked.frame)  # fmt: skip
    if asked.edited is not None:
        kind = "warning" if asked.is_changed else "choice"
        yield DecisionRow(kind, choice_text(asked.edited), "by the edit", asked.frame)
    for difference in asked.differences:
        yield DecisionRow("no", difference, "not as recorded")
    for note in asked.notes:
        yield DecisionRow("warning", note)
    for difference in asked.changes:
        yield DecisionRow("no", difference, "changed by the edit")
    shown = asked.again if asked.edited is None else asked.edited
    yield from _conditions(shown)
    yield from _nodes(shown)
    yield DecisionRow("heading", "What it was made from", f"{len(asked.inputs)} values")
    for name, value in asked.inputs.items():
        yield DecisionRow("value", name, _value_text(value))


def _short(what: str) -> str:
    """A node without its path, which the hover card has."""
    return what.rpartition(" > ")[2]


def _value_text(value: Any) -> str:
    if isinstance(value, list | tuple):
        return f"({', '.join(map(_value_text, value))})"
    return value_text(value)


def _conditions(choice: DecisionResult) -> Iterator[DecisionRow]:
    if choice.conditions:
        yield DecisionRow("heading", "Conditions")
    for one in choice.conditions:
        text = f"{one.name} → {one.target}" if one.target else one.name
        won = "won" if one.holds and one.name == choice.won else one.reason
        yield DecisionRow("yes" if one.holds else "no", text, won)


def _nodes(choice: DecisionResult) -> Iterator[DecisionRow]:
    if choice.nodes:
        yield DecisionRow("heading", "Nodes that were ticked")
    depths: list[int] = []
    for index, node in enumerate(choice.nodes):
        depths.append(depths[node.parent] + 1 if 0 <= node.parent < index else 0)
        if node.status:
            kind = {"failure": "no", "running": "running"}.get(node.status, "yes")
            yield DecisionRow(kind, f"{_INDENT * depths[-1]}{node.name}", node.reason)
