"""Following the demo's route, and getting on when the way is blocked."""

import math
from typing import TYPE_CHECKING

from .button_presses import bits_of
from .engine_axes import Place, Stick, apart
from .npc_talk import preprocess_npctalk
from .observation_view import ObservationView
from .replay_report import Kind

if TYPE_CHECKING:
    from .playthrough_agent import PlaythroughAgent

LOOK_BACK = 15
"""Rows in which the direction is looked for in which the demo went on."""


def step_normal_move(agent: "PlaythroughAgent", sight: ObservationView) -> None:
    """One frame along the route: way point after way point, each in a straight line."""
    agent.last_checkpoint = sight.place
    _push_periodically(agent)
    walker = agent.walker
    if agent.wiggling > 0:
        agent.wiggling -= 1
        walker.walk(sight, agent.wiggle)
        return
    if agent.returning is not None:
        row = agent.returning
        moving, exact = agent.settings.moving, row in agent.route.exact
        place = agent.route.stand(row) if exact else agent.route.place(row)
        radius = moving.exact if exact else moving.arrival
        if not walk_back(agent, sight, place, radius, exact=exact):
            _recover_if_stuck(agent, sight, f"the way back to row {row} is blocked")
            return
        agent.row, agent.returning = row, None
        if agent.starting(sight) is not None:
            return
    _align_modes(agent, sight)
    if not _do_here(agent, sight):
        _walk_on(agent, sight)


def _align_modes(agent: "PlaythroughAgent", sight: ObservationView) -> None:
    """Switch what is not as it was in the demo: a blow may have done it, here or in the demo.

    Only what has differed for a while is switched, for the last press may not be seen yet.
    """
    talking, settle = agent.settings.talking, agent.settings.events.settle
    for start in agent.settings.pad_replay.starts:
        column = start.switches
        if column not in agent.route.own or sight.seen.in_air:
            continue
        differs = agent.route.told(agent.row, column) != sight.seen.extras.get(column)
        frames = agent.differing[column] = agent.differing.get(column, 0) + 1 if differs else 0
        if frames > settle and (frames - settle) % talking.period == 1:
            for key in start.pressed[:1]:
                agent.hands.press(bits_of(key))


def walk_back(
    agent: "PlaythroughAgent",
    sight: ObservationView,
    place: Place,
    radius: float,
    *,
    exact: bool = False,
) -> bool:
    """Walk straight to a place, or on the agent's own trail if that is blocked; True if there."""
    walker, near = agent.walker, agent.settings.moving.exact
    if agent.retraced is None:
        there = walker.approach(sight, place, ("back", place), radius=radius, exact=exact)
        if there or not walker.stuck:
            return there
        agent.retraced = agent.trail.back_to(place)
    while len(agent.retraced) > 1:
        crumb = agent.retraced[-1]
        if not walker.approach(
            sight, crumb, ("trail", len(agent.retraced)), radius=near, passing=True
        ):
            return False
        agent.retraced.pop()
    return walker.approach(sight, place, ("end", place), radius=radius, exact=exact)


def _walk_on(agent: "PlaythroughAgent", sight: ObservationView) -> None:
    """Go to the next way point, past all those that have been reached."""
    route, moving = agent.route, agent.settings.moving
    while (row := agent.next_row()) > agent.row:
        agent.target_row = row
        exact = row in route.exact
        place = route.stand(row) if exact else route.place(row)
        if not agent.walker.approach(
            sight, place, ("row", row), radius=moving.exact if exact else moving.arrival,
            exact=exact, passing=not exact,
        ):  # fmt: skip
            _recover_if_stuck(agent, sight, f"no way to row {row}")
            return
        agent.reach(row)
        if exact or row == route.part_end(row):
            # What is to be done here is done first; whether a state follows is asked once a frame.
            agent.walker.forget()
            if agent.starting(sight) is None:
                _do_here(agent, sight)
            return


def _do_here(agent: "PlaythroughAgent", sight: ObservationView) -> bool:
    """What the row asks for before the route goes on; True if that takes the pad."""
    route, gate = agent.route, agent.events.gate
    opening = agent.opening()
    if opening is not None:
        preprocess_npctalk(agent, sight, opening)
        return True
    if gate is not None and agent.row >= gate.start:
        _await_event(agent, sight)
        return True
    start = agent.start_here()
    if start is not None and opening is None and (unready := agent.unready(start, sight)):
        agent.walker.idle()
        if agent.walker.still > agent.settings.pad_replay.wait:
            move_recovery(agent, sight, f"{start.name} at row {agent.row}: {unready}")
        elif start.face:
            agent.walker.face(sight, route.heading(max(0, agent.row - 1)))
        return True
    if agent.row == route.part_end(agent.row) and agent.row < route.count - 1:
        _cross(agent, sight)
        return True
    return False


def _await_event(agent: "PlaythroughAgent", sight: ObservationView) -> None:
    """The demo was in an event here: walk on a little, in case it has to be walked into."""
    gate = agent.events.gate
    assert gate is not None
    opening = agent.route.openings_by_start.get(gate.start)
    if opening is not None and opening.press < agent.row:
        agent.row = opening.press  # it was the demo that began it
        return
    agent.walker.idle()
    if agent.walker.still > agent.settings.events.expected:
        if agent.events.is_brief(gate):
            agent.events.give_up(gate)
            return
        move_recovery(
            agent, sight, f"event {gate.id} has not begun", kind="event",
        )  # fmt: skip
        return
    if agent.walker.still > agent.settings.events.settle:
        agent.walker.walk(sight, point_ahead(agent, gate.start))


def _cross(agent: "PlaythroughAgent", sight: ObservationView) -> None:
    """The route goes on in another level, or far away: do what the demo did to get there."""
    route, row = agent.route, agent.row
    ahead = row + 1
    if route.levels[ahead] == route.levels[row]:
        there = apart(sight.place, route.place(ahead))
        if there < apart(sight.place, route.place(row)) and there <= agent.settings.events.near:
            agent.reach(ahead)
            return
    agent.walker.idle()
    if agent.walker.still % agent.settings.talking.period == 1:
        agent.hands.press(route.pressed[ahead])
    agent.walker.walk(sight, point_ahead(agent, ahead))
    _recover_if_stuck(agent, sight, f"the way on to row {ahead} did not open")


def point_ahead(agent: "PlaythroughAgent", row: int) -> Stick:
    """Where the demo was walking when it came to a row."""
    for at in range(row, max(-1, row - LOOK_BACK), -1):
        direction = agent.route.direction(at)
        if math.hypot(*direction) > 0.3:
            return direction
    return 0.0, 0.0


def _push_periodically(agent: "PlaythroughAgent") -> None:
    """Keep the present row as a point of return, but not while nothing comes of walking."""
    if (
        agent.report.frames % agent.settings.recovery.period == 0
        and agent.walker.still == 0
        and agent.returning is None
        and agent.row >= agent.furthest
    ):
        agent.push(agent.row)


def _recover_if_stuck(agent: "PlaythroughAgent", sight: ObservationView, reason: str) -> None:
    if agent.walker.stuck:
        move_recovery(agent, sight, reason)


def move_recovery(
    agent: "PlaythroughAgent", sight: ObservationView, reason: str, *, kind: Kind = "stuck",
    here: bool = False,
) -> None:  # fmt: skip
    """Go back to the newest point of return and try again from there; fail if there is none left.

    Who was drawn farther along the route, by a fight through a door for instance, goes on from
    there. Points of return in another part of the route are of no use: nobody can walk there.

    Args:
        here: Whether trying again from where it is may help: not where it is stuck in walking.
    """
    ahead = None if here else _row_here(agent, sight)
    if ahead is not None:
        agent.report.recoveries += 1
        agent.telling.recovered(agent, reason, ahead)
        agent.advance(ahead)
        agent.retraced = None
        agent.walker.forget()
        return
    counted = agent.count_recovery(kind, reason)
    # What a failure is put down to is what it began with.
    kind, first = agent.stuck_by
    told = first if reason == first else f"{first}; then: {reason}"
    if not counted:
        agent.fail(
            kind, f"stuck for good after {agent.attempts - 1} recoveries at one place: {told}"
        )
        return
    row, part = None, agent.route.part(agent.row)
    arrival = agent.settings.moving.arrival
    while agent.event_buffer:
        entry = agent.event_buffer.pop()
        if isinstance(entry, str):
            continue  # says only what happened between two points of return
        if agent.route.part(entry) != part:
            agent.event_buffer.clear()
            break
        near = apart(agent.route.place(entry), sight.place) <= arrival
        if entry > agent.row or (entry == agent.row and near and not here):
            continue
        row = entry
        break
    if row is None:
        agent.fail(kind, f"stuck, and no point of return is left: {told}")
        return
    agent.returning, agent.retraced, agent.replayed = row, None, None
    agent.fine_until = max(agent.fine_until, agent.target_row + 1)
    agent.walker.forget()
    if agent.attempts > 1:
        agent.start_wiggle()
    agent.telling.recovered(agent, reason, row)


def _row_here(agent: "PlaythroughAgent", sight: ObservationView) -> int | None:
    """The row ahead whose place it stands at, if nothing is to be done on the way there.

    Ahead is behind the row that it goes to: who stands before a wall is no farther than the wall.
    """
    route, row = agent.route, agent.row
    if agent.opening() is not None or row in route.starts:
        return None
    gate, end = agent.events.gate, min(route.next_exact(row), route.part_end(row))
    if gate is not None:
        end = min(end, gate.start)
    moving = agent.settings.moving
    found = route.at(sight.place, range(row, end), moving.arrival, moving.height)
    return found if found is not None and found > max(row, agent.target_row) else None
