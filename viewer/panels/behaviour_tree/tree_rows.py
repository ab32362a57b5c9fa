"""The rows of the behaviour tree panel: each node's status, why it failed, what was not ticked."""

from bisect import bisect_right
from collections.abc import Sequence
from operator import attrgetter
from typing import Any, NamedTuple

from ....recorder.packets.trace_types import TreeNode, TreeTick
from ....recorder.text.duration_text import duration_text
from ...reader.frame_snapshot import Key
from ...reader.history.history_record_types import TreeTickEntry
from ...reader.history.recording_history import RecordingHistory
from ...toolkit.value_text import value_text

_LOOK_BACK = 5000
"""Ticks that are searched for a blackboard's entries: what has not been written for longer is not
found."""
_FRAME = attrgetter("frame")


class TreeRow(NamedTuple):
    """A node of the tree, with its depth."""

    node: int
    name: str
    kind: str
    depth: int
    status: str
    """`success`, `failure`, `running`, or nothing for a node that was not ticked."""
    reason: str = ""
    """Why it ended early, what it says of itself, or what is folded beneath."""
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
    kept: str = ""
    """The status that it keeps from an earlier tick, if it was not ticked in this one."""

    @property
    def seconds_text(self) -> str:
        """How long it has been running, for people; empty if it is not."""
        if self.seconds is None:
            return ""
        return f"{'≥ ' if self.longer else ''}{duration_text(self.seconds)}"


class BlackboardEntry(NamedTuple):
    """An entry of a tree's blackboard."""

    name: str
    value: Any
    frame: int
    """The tick that wrote it."""
    time: float
    fresh: bool
    """Whether that is the present tick."""
    before: str = ""
    """What the present tick replaced, as text; empty if it did not, or if that is not known."""


def tree_rows(
    nodes: Sequence[TreeNode], tick: TreeTickEntry | None, history: RecordingHistory, key: Key,
    turned: frozenset[int] = frozenset(), *, known: bool = True, words: str = "",
    running: bool = False,
) -> list[TreeRow]:  # fmt: skip
    """The tree from top to bottom; below a node that was not ticked everything is folded.

    Args:
        known: Whether all statements up to there have been read; otherwise the ticks are unknown.
        turned: Nodes that are the other way: opened though not ticked, or folded though ticked.
        words: Only nodes whose name, kind or reason has these words, and those above them.
        running: Only nodes that run and have none beneath that does, without those above them.
    """
    parents = [node.parent if node.parent < at else -1 for at, node in enumerate(nodes)]
    children: dict[int, list[int]] = {}
    for at, parent in enumerate(parents):
        # A parent comes before its children; anything else would never end.
        children.setdefault(parent, []).append(at)
    statuses = tick.trace.statuses if tick is not None else ()
    trace = tick.trace if tick is not None else TreeTick("", ())
    beneath = [0] * len(nodes)
    for at in range(len(nodes) - 1, -1, -1):
        if parents[at] >= 0:
            beneath[parents[at]] += 1 + beneath[at]
    visible = _found(nodes, parents, trace, words) if words else None
    if running:
        visible = _deepest(parents, statuses)
    rows: list[TreeRow] = []
    waiting: list[tuple[int, int, tuple[bool, ...]]] = []

    def enter(indexes: Sequence[int], depth: int, last: tuple[bool, ...]) -> None:
        if visible is not None and not running:
            indexes = [child_index for child_index in indexes if child_index in visible]
        for number, child in enumerate(reversed(indexes)):
            waiting.append((child, depth, (*last, not number)))

    if running:
        waiting += [(at, 0, (True,)) for at in sorted(visible or (), reverse=True)]
    else:
        enter(children.get(-1, []), 0, ())
    while waiting:
        at, depth, last = waiting.pop()
        node = nodes[at]
        status = plain_status(statuses[at]) if at < len(statuses) else ""
        kept_status = trace.kept.get(at, "")
        folds = at in children and visible is None
        folded = folds and (not (status or kept_status)) ^ (at in turned)
        reason = trace.ended_early.get(at, "") or (trace.reasons.get(at, "") if status else "")
        if folded and not reason:
            why_no_status = "beneath" if status else "not ticked" if known else "not read yet"
            reason = f"▸ {beneath[at]} {why_no_status}"
        seconds, longer = None, False
        if status == "running" and tick is not None:
            since, began = history.running_since(key, at, tick)
            seconds, longer = tick.time - since, not began
        rows.append(TreeRow(
            at, node.name, node.kind, depth, status, reason, seconds, longer, last,
            at in trace.ended_early, folds, folded, kept_status,
        ))  # fmt: skip
        if not folded and not running:
            enter(children.get(at, []), depth + 1, last)
    return rows


def _found(
    nodes: Sequence[TreeNode], parents: Sequence[int], trace: TreeTick, words: str
) -> set[int]:
    """The nodes that have these words, and those above them."""
    search_words = words.lower().split()
    visible: set[int] = set()
    for at in range(len(nodes) - 1, -1, -1):
        status = plain_status(trace.statuses[at]) if at < len(trace.statuses) else ""
        text = " ".join((
            nodes[at].name, nodes[at].kind, nodes[at].type, status, trace.reasons.get(at, ""),
            trace.ended_early.get(at, ""),
        )).lower()  # fmt: skip
        if at in visible or all(word in text for word in search_words):
            visible |= {at, parents[at]}
    return visible


def _deepest(parents: Sequence[int], statuses: Sequence[str]) -> set[int]:
    """The nodes that run and have none beneath that does."""
    runs = {
        at
        for at in range(min(len(parents), len(statuses)))
        if plain_status(statuses[at]) == "running"
    }
    return runs - {parents[at] for at in runs}


def blackboard(
    history: RecordingHistory, key: Key, tick: TreeTickEntry | None
) -> list[BlackboardEntry]:
    """What a tree's blackboard holds at a tick, by name: each entry as it was written last."""
    if tick is None:
        return []
    ticks = history.ticks.get(key, [])
    end = bisect_right(ticks, tick.frame, key=_FRAME)
    entries = tick.trace.entries
    names = None if entries is None else set(entries) | set(tick.trace.blackboard)
    found: dict[str, BlackboardEntry] = {}
    for older in reversed(ticks[max(0, end - _LOOK_BACK) : end]):
        for name, value in older.trace.blackboard.items():
            if name not in found and (names is None or name in names):
                fresh = older.frame == tick.frame
                found[name] = BlackboardEntry(name, value, older.frame, older.time, fresh)
        if names is not None and len(found) == len(names):
            break
    if entries is not None:
        before = ticks[end - 2].trace.entries if end > 1 else None
        for name in names or ():
            entry = found.get(name)
            if entry is None:  # it was written before what is held
                oldest = ticks[max(0, end - _LOOK_BACK)]
                entry = BlackboardEntry(name, None, oldest.frame, oldest.time, fresh=False)
            was = value_text(before[name]) if entry.fresh and before and name in before else ""
            found[name] = entry._replace(value=entries.get(name), before=was)
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
        status_words = row.status or ("not ticked" if known else "not read yet")
        if row.kept:
            status_words = f"{row.kept} in an earlier tick"
        if row.seconds is not None:
            status_words += f" for {row.seconds_text}"
        reason = f": {row.reason.removeprefix('▸ ')}" if row.reason else ""
        lines.append(f"{'  ' * row.depth}{row.name}  [{status_words}{reason}]")
    lines += [
        f"{entry.name} = {value_text(entry.value)}{f', was {entry.before}' if entry.before else ''}"
        for entry in board
    ]
    return "\n".join(lines)


def plain_status(status: str) -> str:
    """A status in one spelling; empty for a node that was not ticked."""
    word = status.lower()
    return {"succeeded": "success", "failed": "failure", "invalid": ""}.get(word, word)
