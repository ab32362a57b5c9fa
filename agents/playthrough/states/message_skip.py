"""message_skip: skip messages, movies and the like."""

from ..agent_context import PlaythroughAgentContext
from ..dialogue.demo_menu_choices import MenuChoices
from ..dialogue.event_replay_rows import process_event
from ..observation_view import ObservationView
from ..pad.pad_playback import replay_menu
from ..route.blocked_path_recovery import move_recovery
from ..route.row_tasks import opening_here
from ..state_names import MESSAGE, MOVE
from .agent_state import PlaythroughAgentState


class MessageSkip(PlaythroughAgentState):
    """Presses one button again and again, unless the demo's rows of the event are replayed."""

    name = MESSAGE

    def __init__(self, context: PlaythroughAgentContext, view: ObservationView) -> None:
        super().__init__(context, view)
        context.walker.forget()
        context.presser.rest()
        self._event = context.events.matched
        self._rows = range(0)
        self._choices = MenuChoices(context, 1, 0, skips=True)
        self._take_event(context)
        self._quiet = 0
        self._passed = False
        """Whether an event of the demo was in it."""
        self._strange = ""
        """The last event in it that is none of the demo's."""

    def step(self, context: PlaythroughAgentContext, view: ObservationView) -> bool:
        self.frames += 1
        events, settings = context.events, context.settings.events
        if events.matched is not None and events.matched is not self._event:
            self._event = events.matched
            self._take_event(context)
            self.frames = 0
        self._passed = self._passed or self._event is not None
        if events.current and events.matched is None:
            self._strange = events.current
        self._quiet = 0 if view.seen.message or events.skipping else self._quiet + 1
        if not events.skipping and (self._quiet == 0 or self._quiet < settings.settle):
            # A message by itself; it is over when none was seen for some frames.
            if view.seen.message and self._choices.may_confirm(context, view):
                context.presser.mash(context.settings.keys.skip, settings.period)
            return self._late(context)
        if self._quiet:
            context.presser.rest()
            if events.refused:
                self._strange, self._passed = events.refused, False
            context.change(
                MOVE if self._passed else context.memory.way_back(), view, won="messages_are_over"
            )
            gate = context.events.gate
            if (
                self._strange
                and gate is not None
                and opening_here(context)
                and not context.memory.ruled
            ):
                # The partner will say the same again, although something else was expected.
                reason = f"event {self._strange} came instead of {gate.id}"
                move_recovery(context, view, reason, kind="event", here=True)
            return True
        if self._rows:
            row = self._choices.row_for(context, view, self._rows[0])
            if row is not None:
                replay_menu(context, row)
                self._rows = range(row + 1, self._rows.stop)
        elif (view.seen.event or view.seen.message) and self._choices.may_confirm(context, view):
            context.presser.mash(context.settings.keys.skip, settings.period)
        return self._late(context)

    def _take_event(self, context: PlaythroughAgentContext) -> None:
        event = self._event
        self._rows = process_event(context, event)
        first, last = (1, 0) if event is None else (event.start, event.end)
        self._choices = MenuChoices(context, first, last, skips=True)

    def _late(self, context: PlaythroughAgentContext) -> bool:
        event = self._event
        length = event.end - event.start + 1 if event else 0
        if event is not None and event.end == context.route.count - 1 and self.frames >= length:
            context.finish()  # the demo itself ended in it
        elif self.frames > length + context.settings.events.patience:
            name = event.id if event else context.events.current or "a message"
            context.fail("event", f"{name} does not end; the demo took {length} rows for it")
        return False
