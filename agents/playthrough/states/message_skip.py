"""message_skip: get messages, movies and the like behind oneself."""

from typing import TYPE_CHECKING

from ..event_choices import process_event
from ..pad_playback import replay_menu
from ..route_follower import move_recovery
from ..state_transitions import MESSAGE, MOVE
from .state import State

if TYPE_CHECKING:
    from ..observation_view import ObservationView
    from ..playthrough_agent import PlaythroughAgent


class MessageSkip(State):
    """Presses one button again and again, unless the demo's rows of the event are replayed."""

    name = MESSAGE

    def __init__(self, agent: "PlaythroughAgent", sight: "ObservationView") -> None:
        super().__init__(agent, sight)
        agent.walker.forget()
        agent.hands.rest()
        self._event = agent.events.matched
        self._rows = iter(process_event(agent, self._event))
        self._quiet = 0
        self._passed = False
        """Whether an event of the demo was in it."""
        self._strange = ""
        """The last event in it that is none of the demo's."""

    def step(self, agent: "PlaythroughAgent", sight: "ObservationView") -> bool:
        self.frames += 1
        events, settings = agent.events, agent.settings.events
        if events.matched is not None and events.matched is not self._event:
            self._event = events.matched
            self._rows = iter(process_event(agent, self._event))
            self.frames = 0
        self._passed = self._passed or self._event is not None
        if events.current and events.matched is None:
            self._strange = events.current
        self._quiet = 0 if sight.seen.message or events.skipping else self._quiet + 1
        if not events.skipping and (self._quiet == 0 or self._quiet < settings.settle):
            # A message by itself; it is over when none was seen for some frames.
            if sight.seen.message:
                agent.hands.mash(agent.settings.keys.skip, settings.period)
            return self._late(agent)
        if self._quiet:
            agent.hands.rest()
            agent.change(MOVE if self._passed else agent.way_back(), sight, won="messages_are_over")
            gate = agent.events.gate
            if self._strange and gate is not None and agent.opening() and not agent.ruled:
                # Whoever was to say something else will say the same again.
                reason = f"event {self._strange} came instead of {gate.id}"
                move_recovery(agent, sight, reason, kind="event", here=True)
            return True
        row = next(self._rows, None)
        if row is not None:
            replay_menu(agent, row)
        elif sight.seen.event or sight.seen.message:
            agent.hands.mash(agent.settings.keys.skip, settings.period)
        return self._late(agent)

    def _late(self, agent: "PlaythroughAgent") -> bool:
        event = self._event
        length = event.end - event.start + 1 if event else 0
        if event is not None and event.end == agent.route.count - 1 and self.frames >= length:
            agent.finish()  # the demo itself ended in it
        elif self.frames > length + agent.settings.events.patience:
            name = event.id if event else agent.events.current or "a message"
            agent.fail("event", f"{name} does not end; the demo took {length} rows for it")
        return False
