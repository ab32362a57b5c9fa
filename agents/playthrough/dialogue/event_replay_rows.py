"""Decides which events of a demo are replayed row by row instead of skipped: choices and menus."""

from ..agent_context import PlaythroughAgentContext
from ..pad.button_presser import bits_of
from ..route.demo_route import DemoEvent


def process_event(context: PlaythroughAgentContext, event: DemoEvent | None) -> range:
    """The demo's rows to replay in this event; none if its messages are simply skipped.

    They are where the demo pressed another button than the one that skips, or where the settings
    say so: then its presses come in its own rhythm, counted from the event's beginning.
    """
    if event is None:
        return range(0)
    rows = range(event.start + 1, event.end + 1)
    skip = bits_of(context.settings.keys.skip)
    if event.id in context.settings.events.replayed or any(
        context.route.pressed[row] & ~skip for row in rows
    ):
        return rows
    return range(0)
