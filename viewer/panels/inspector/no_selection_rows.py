"""The rows of the summary, which replaces the inspector while nothing is selected."""

from bisect import bisect_right
from collections.abc import Sequence
from heapq import nlargest
from operator import attrgetter

from ....recorder.text.duration_text import duration_text
from ...search.problem_list import RecordingProblem, problems
from ...state.viewer_store import ViewerStore
from ...toolkit import palette
from ...toolkit.text_painting import one_line
from ...widgets.lists.jump_list import JumpRow

MOST_PROBLEMS, MOST_CHANGES, MOST_AGENTS, MOST_MARKS = 8, 6, 500, 5
_FRAME = attrgetter("frame")


def summary_rows(store: ViewerStore) -> list[JumpRow]:
    """What there is to see: problems, what changed last, marks near, agents with their states."""
    if store.snapshot is None:
        return []
    return [*_problem_rows(store), *_change_rows(store), *_mark_rows(store), *_agent_rows(store)]


def _problem_rows(store: ViewerStore) -> list[JumpRow]:
    found = problems(store.history)
    if not found:
        note = "" if store.knows_all else f"read so far: {store.progress:.0%}"
        return [JumpRow("No problems", is_heading=True, note=note)]
    shown = _around(found, store.frame)
    note = f"{len(found):,}" if len(shown) == len(found) else f"{len(shown)} of {len(found):,} · N"
    return [
        JumpRow("Problems", is_heading=True, note=note),
        *(
            JumpRow(
                one_line(problem.text), problem.frame, problem.time, problem.object,
                store.name_of(problem.object) if problem.object else "", "▲", palette.FAILED,
            )
            for problem in shown
        ),
    ]  # fmt: skip


def _around(found: Sequence[RecordingProblem], frame: int) -> Sequence[RecordingProblem]:
    """The problems nearest to a frame, if there are many."""
    at = bisect_right(found, frame, key=_FRAME)
    first = max(0, min(at - MOST_PROBLEMS // 2, len(found) - MOST_PROBLEMS))
    return found[first : first + MOST_PROBLEMS]


def _change_rows(store: ViewerStore) -> list[JumpRow]:
    """The last transitions of all agents up to the playhead, newest first."""
    history, snapshot = store.history, store.snapshot
    assert snapshot is not None
    last = []
    for (agent, machine), changes in history.changes.items():
        end = bisect_right(changes, snapshot.frame, key=_FRAME)
        last += [
            (one.frame, agent, machine, one) for one in changes[max(0, end - MOST_CHANGES) : end]
        ]
    rows = []
    for frame, agent, _, change in nlargest(MOST_CHANGES, last, key=lambda one: one[:3]):
        trace = change.trace
        text = f"{trace.source} → {trace.target}" if trace.source else f"→ {trace.target}"
        ago = duration_text(max(0.0, snapshot.time - change.time))
        rows.append(JumpRow(
            f"{store.name_of(agent)}   {text}", frame, change.time, agent, f"{ago} ago",
        ))  # fmt: skip
    return [JumpRow("Changed last", is_heading=True), *rows] if rows else []


def _mark_rows(store: ViewerStore) -> list[JumpRow]:
    """The marks nearest to the playhead that are no problems."""
    marks = [mark for mark in store.history.marks if mark.kind not in ("check", "loss")]
    if not marks:
        return []
    at = bisect_right(marks, store.frame, key=_FRAME)
    first = max(0, min(at - (MOST_MARKS + 1) // 2, len(marks) - MOST_MARKS))
    shown = marks[first : first + MOST_MARKS]
    note = f"{len(marks):,}" if len(shown) == len(marks) else f"{len(shown)} of {len(marks):,}"
    rows = [
        JumpRow(one_line(mark.name), mark.frame, mark.time, mark.object, one_line(mark.note), "⚑",
                palette.ACCENT)
        for mark in shown
    ]  # fmt: skip
    return [JumpRow("Marks", is_heading=True, note=note), *rows]


def _agent_rows(store: ViewerStore) -> list[JumpRow]:
    """The agents with their states; without agents, the objects by type."""
    snapshot, history = store.snapshot, store.history
    assert snapshot is not None
    agents = [agent for agent in history.agents() if agent in snapshot.objects]
    agents += [
        agent for agent in sorted({one for one, _ in (*snapshot.states, *snapshot.trees)})
        if agent not in set(agents)
    ]  # fmt: skip
    if not agents:
        return _type_rows(store)
    rows = []
    for agent in agents[:MOST_AGENTS]:
        state = snapshot.state_of(agent)
        rows.append(JumpRow(
            store.name_of(agent), object=agent, note=state, sign="●", color=palette.DIM,
            swatch=palette.state_color(state) if state else "",
        ))  # fmt: skip
    return [JumpRow("Agents", is_heading=True, note=f"{len(agents):,}"), *rows]


def _type_rows(store: ViewerStore) -> list[JumpRow]:
    snapshot = store.snapshot
    assert snapshot is not None
    counts: dict[str, int] = {}
    first: dict[str, int] = {}
    for group in snapshot.objects.groups:
        counts[group.type] = counts.get(group.type, 0) + len(group.ids)
        first.setdefault(group.type, int(group.ids[0]))
    if not counts:
        return [JumpRow("No objects in this frame", is_heading=True)]
    rows = [
        JumpRow(type, object=first[type], note=f"{count:,}", sign="●",
                color=palette.type_color(type, snapshot.objects.types))
        for type, count in sorted(counts.items())
    ]  # fmt: skip
    return [JumpRow("Objects", is_heading=True, note=f"{sum(counts.values()):,}"), *rows]
