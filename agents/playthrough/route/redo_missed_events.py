"""Goes back to the row from which the game is not as in the demo, and does again what was done."""

from typing import NamedTuple

from ..agent_context import PlaythroughAgentContext
from ..observation_view import ObservationView
from .demo_route import DemoEvent
from .outcome_changes import OutcomeChange

AGAIN = 2
"""So often it goes back to one row at most."""


class Redo(NamedTuple):
    """What is lacking, and where in the demo it is done."""

    row: int
    """The row to go back to."""
    event: DemoEvent | None
    """The conversation that brought it about, if it was one: it is due once more."""
    change: OutcomeChange


def redo_from(
    context: PlaythroughAgentContext, view: ObservationView, reason: str
) -> bool:  # fmt: skip
    """Go back to where the oldest thing that is lacking was done; False if nothing can be done so.

    The rows after it are followed again. What was done there, and is as it was, is left as it is.
    """
    redo = _find(context, view)
    if redo is None:
        return False
    memory, row = context.memory, redo.row
    memory.redone[row] = memory.redone.get(row, 0) + 1
    memory.deeds_done.discard(row)
    memory.returning, memory.retraced, memory.replayed = row, None, None
    memory.fine_until = max(memory.fine_until, redo.change.row + 1)
    if redo.event is not None:
        context.events.expect_again(redo.event)
    context.walker.forget()
    actual = view.seen.extras.get(redo.change.column)
    lacking = f"{redo.change.column} is {actual!r}, since row {redo.change.row} of the demo it is"
    text = f"{lacking} {redo.change.after!r}"
    context.report.recoveries += 1
    context.report.redone.append(f"row {row}: {text}")
    context.trace.recovered(f"{reason}; {text}", row)
    return True


def can_redo(context: PlaythroughAgentContext, view: ObservationView) -> bool:
    """Whether something is lacking that can be done again."""
    return _find(context, view) is not None


def _find(context: PlaythroughAgentContext, view: ObservationView) -> Redo | None:
    route, memory = context.route, context.memory
    for change in route.outcome_changes:
        if change.row > memory.row:
            return None
        now = view.seen.extras.get(change.column)
        if (
            now is None
            or change.holds(now)
            or not change.holds(route.value(memory.row, change.column))
        ):
            continue
        redo = _redo_of(context, change)
        if (
            redo is not None
            and redo.row < memory.row
            and route.part(redo.row) == route.part(memory.row)
            and memory.redone.get(redo.row, 0) < AGAIN
        ):
            return redo
    return None


def _redo_of(context: PlaythroughAgentContext, change: OutcomeChange) -> Redo | None:
    """Where a change was brought about: by a conversation, a press, or else by walking there."""
    route, row = context.route, change.row
    if any(stay.start <= row <= stay.end + 1 for stay in route.screens):
        return None  # a choice in a menu is made sure of where it is made
    event = next((one for one in route.events if one.start <= row <= one.end + 1), None)
    if event is not None:
        opening = route.openings_by_start.get(event.start)
        return None if opening is None else Redo(opening.press, event, change)
    deeds = (at for at, start in route.starts.items() if at <= row <= at + start.within)
    return Redo(max(deeds, default=row), None, change)
