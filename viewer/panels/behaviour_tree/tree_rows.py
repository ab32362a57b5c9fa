"""The rows of the behaviour tree panel: each node's status, why it failed, what was not ticked."""

from bisect import bisect_right
from collections.abc import Sequence
from operator import attrgetter
from typing import NamedTuple

from ....recorder.packets.decision_traces import TreeNode
from ....recorder.statements.instrumentation import Scalar
from ...reader.frame_snapshot import Key
from ...reader.recording_history import RecordingHistory, TreeTickEntry
from ...toolkit.time_text import span_text
from ..state_machine.state_machine_model import value_of

_LOOK_BACK = 5000
"""Ticks that are searched for a blackboard's entries: what has not been written for longer is not
found."""
_FRAME = attrgetter("frame")


class TreeRow(NamedTuple):
    """A node in its place."""

    node: int
    name: str
    kind: str
    depth: int
    status: str
    """`success`, `failure`, `running`, or nothing for a node that was not ticked."""
    reason: str = ""
    """Why it ended early, or what is folded beneath."""
    seconds: float | None = None
    """How long it has been running."""
    longer: bool = False
    """Whether that may be longer: what was before is missing."""
    last: tuple[bool, ...] = ()
    """For each level above and its own, whether no sibling follows: which lines go on."""
    early: bool = False
    """Whether it stopped before it was through."""
    folds: bool = False
    """Whether there is something beneath, to be folded or opened."""
    folded: bool = False

    @property
    def seconds_text(self) -> str:
        """How long it has been running, for people; empty if it is not."""
        if self.seconds is None:
            return ""
        return f"{'≥ ' if self.longer else ''}{span_text(self.seconds)}"


class BlackboardEntry(NamedTuple):
    """An entry of a tree's blackboard."""

    name: str
    value: Scalar
    frame: int
    """The tick that wrote it."""
    time: float
    fresh: bool
    """Whether that is the present tick."""


def tree_rows(
    nodes: Sequence[TreeNode], tick: TreeTickEntry | None, history: RecordingHistory, key: Key,
    turned: frozenset[int] = frozenset(), *, known: bool = True,
) -> list[TreeRow]:  # fmt: skip
    """The tree from top to bottom; below a node that was not ticked everything is folded.

    Args:
        known: Whether what was said up to there has been read: else nobody knows what was ticked.
        turned: Nodes that are the other way: opened though not ticked, or folded though ticked.
    """
    children: dict[int, list[int]] = {}
    for at, node in enumerate(nodes):
        # A parent comes before its children; anything else would never end.
        parent = node.parent if node.parent < at else -1
        children.setdefault(parent, []).append(at)
    statuses = tick.trace.statuses if tick is not None else ()
    ended = tick.trace.ended_early if tick is not None else {}
    rows: list[TreeRow] = []

    def count(at: int) -> int:
        return sum(1 + count(child) for child in children.get(at, ()))

    def add(at: int, depth: int, last: tuple[bool, ...]) -> None:
        status = _plain(statuses[at]) if at < len(statuses) else ""
        folds = at in children
        folded = folds and (not status) ^ (at in turned)
        reason = ended.get(at, "")
        if folded and not reason:
            stood = "beneath" if status else "not ticked" if known else "not read yet"
            reason = f"▸ {count(at)} {stood}"
        running, longer = None, False
        if status == "running" and tick is not None:
            since, began = history.running_since(key, at, tick)
            running, longer = tick.time - since, not began
        node = nodes[at]
        rows.append(TreeRow(
            at, node.name, node.kind, depth, status, reason, running, longer, last, at in ended,
            folds, folded,
        ))  # fmt: skip
        if not folded:
            inside = children.get(at, [])
            for place, child in enumerate(inside):
                add(child, depth + 1, (*last, place == len(inside) - 1))

    roots = children.get(-1, [])
    for place, root in enumerate(roots):
        add(root, 0, (place == len(roots) - 1,))
    return rows


def blackboard(
    history: RecordingHistory, key: Key, tick: TreeTickEntry | None
) -> list[BlackboardEntry]:
    """What a tree's blackboard holds at a tick, by name: each entry as it was written last."""
    if tick is None:
        return []
    ticks = history.ticks.get(key, [])
    end = bisect_right(ticks, tick.frame, key=_FRAME)
    found: dict[str, BlackboardEntry] = {}
    for older in reversed(ticks[max(0, end - _LOOK_BACK) : end]):
        for name, value in older.trace.blackboard.items():
            if name not in found:
                fresh = older.frame == tick.frame
                found[name] = BlackboardEntry(name, value, older.frame, older.time, fresh)
    return [found[name] for name in sorted(found)]


def status_change(
    ticks: Sequence[TreeTickEntry], node: int, frame: int, direction: int
) -> int | None:
    """The nearest frame in a direction in which a node's status differs from the tick before."""
    last, found = "", None
    for tick in ticks:
        statuses = tick.trace.statuses
        status = statuses[node] if node < len(statuses) else ""
        changed, last = status != last, status
        if not changed:
            continue
        if direction < 0 and tick.frame < frame:
            found = tick.frame
        elif direction > 0 and tick.frame > frame:
            return tick.frame
    return found


def text_of(
    name: str,
    tree: str,
    rows: Sequence[TreeRow],
    board: Sequence[BlackboardEntry],
    *,
    known: bool = True,
) -> str:
    """The panel in plain text."""
    lines = [f"{name} · {tree}"]
    for row in rows:
        said = row.status or ("not ticked" if known else "not read yet")
        if row.seconds is not None:
            said += f" for {row.seconds_text}"
        reason = f": {row.reason.removeprefix('▸ ')}" if row.reason else ""
        lines.append(f"{'  ' * row.depth}{row.name}  [{said}{reason}]")
    lines += [f"{entry.name} = {value_of(entry.value)}" for entry in board]
    return "\n".join(lines)


def _plain(status: str) -> str:
    word = status.lower()
    return {"succeeded": "success", "failed": "failure", "invalid": ""}.get(word, word)
