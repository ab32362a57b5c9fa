"""The state machine panel's content: the present state, the graph that was seen, and every why."""

from collections.abc import Sequence
from typing import NamedTuple

from .history import Change
from .moment import Moment
from .times import told, told_span
from .tracks import short


class Reason(NamedTuple):
    """One line of the account of a transition."""

    kind: str
    """`transition`, `won`, `also`, `rejected`, `value`, `belief` or `where`."""
    text: str
    note: str = ""
    frame: int = 0
    """Where a click leads."""
    newest: bool = False


class Graph(NamedTuple):
    """The states and transitions that were seen, and which are fresh."""

    states: tuple[str, ...]
    """In the order in which they were first entered."""
    edges: dict[tuple[str, str], float]
    """From and to: 1 for the newest transition, fading to 0 for those long ago."""
    active: str


def account(
    changes: Sequence[Change], moment: Moment, most: int = 40, opened: frozenset[int] = frozenset()
) -> list[Reason]:
    """The transitions up to the moment, newest first, the newest with all its reasons.

    Args:
        opened: Frames whose transitions are told in full as well.
    """
    rows: list[Reason] = []
    for place, change in enumerate(changes[:most]):
        trace = change.trace
        source = trace.source or "·"
        rows.append(Reason(
            "transition", f"{source} → {trace.target}", told(change.time), change.frame, not place
        ))  # fmt: skip
        if place and change.frame not in opened:
            continue
        rows.append(Reason("won", trace.won, frame=change.frame))
        rows += [Reason("also", text, "also true, came later in order") for text in trace.also_true]
        rows += [Reason("rejected", one.condition, one.reason) for one in trace.rejected]
        rows += [Reason("value", name, _value(value)) for name, value in trace.values.items()]
        for belief in trace.beliefs:
            age = moment.time - belief.seen
            seen = "seen now" if age < 0.02 else f"seen {told_span(age)} ago"
            place_told = ", ".join(f"{part:.1f}" for part in belief.position)
            note = f"{belief.note}, {seen}" if belief.note else seen
            rows.append(
                Reason("belief", f"{moment.name_of(belief.object)} at ({place_told})", note)
            )
        if trace.file:
            rows.append(Reason("where", f"{trace.file.rsplit('/', 1)[-1]}:{trace.line}"))
    return rows


def headline(changes: Sequence[Change], moment: Moment) -> tuple[str, str]:
    """The present state, and since when."""
    if not changes:
        return "", ""
    newest = changes[0]
    return newest.trace.target, f"for {told_span(max(0.0, moment.time - newest.time))}"


def graph(every: Sequence[Change], changes: Sequence[Change]) -> Graph:
    """What was seen of a machine.

    Args:
        every: All its transitions, oldest first: the graph does not grow while one scrubs.
        changes: Those up to the moment, newest first.
    """
    states: dict[str, None] = {}
    edges: dict[tuple[str, str], float] = {}
    for change in every:
        for name in (change.trace.source, change.trace.target):
            if name:
                states.setdefault(name)
        if change.trace.source:
            edges[change.trace.source, change.trace.target] = 0.0
    for place, change in reversed(list(enumerate(changes[:4]))):
        if change.trace.source:
            edges[change.trace.source, change.trace.target] = 1.0 - place * 0.25
    active = changes[0].trace.target if changes else ""
    return Graph(tuple(states), edges, active)


def _value(value: object) -> str:
    if isinstance(value, float):
        return short(value)
    return "true" if value is True else "false" if value is False else str(value)
