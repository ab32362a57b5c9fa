"""Preparing for a conversation: stand and look as the demo did, then confirm again and again."""

from typing import TYPE_CHECKING

from .demo_route import RouteStart
from .engine_axes import apart, turn_to
from .observation_view import ObservationView

if TYPE_CHECKING:
    from .playthrough_agent import PlaythroughAgent


def preprocess_npctalk(
    agent: "PlaythroughAgent", sight: ObservationView, opening: RouteStart
) -> None:
    """One frame of it. What ends it is that the event, or the screen, is there."""
    from .route_follower import move_recovery

    talking, row = agent.settings.talking, opening.press
    place, heading = agent.route.stand(row), agent.route.heading(row)
    agent.talking += 1
    if agent.talking > talking.patience:
        agent.talking = 0
        move_recovery(agent, sight, f"nothing came of talking at row {row}", kind="event")
        return
    if apart(sight.place, place) > talking.distance:
        agent.walker.approach(sight, place, ("talk", row), radius=talking.distance / 2, exact=True)
        return
    if (
        agent.settings.engine.facing == "aim"
        or abs(turn_to(sight.heading, heading)) > talking.angle
    ):
        agent.walker.face(sight, heading)
    if abs(turn_to(sight.heading, heading)) <= talking.angle:
        agent.hands.mash(agent.settings.keys.confirm, talking.period)
