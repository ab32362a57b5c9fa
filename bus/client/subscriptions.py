"""A tool's subscriptions: events and instants that have come, and the callbacks for them."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from ...recorder.packets.recorded_frame import FrameRange
from ..messages.events import SpanChanged, ValuePublished
from ..messages.message import PlayheadTime
from ..messages.message_types import TOPICS, Event, EventBody
from ..messages.plain_values import MOST_NAMES
from ..messages.responses import Welcome
from .client_transport import ClientTransport

_MOST_QUEUED = 10_000
"""Events that may wait to be delivered; the oldest are dropped, and counted in `missed`."""

OnTime = Callable[[PlayheadTime], object]
OnEvent = Callable[[Event], object]


class Instants:
    """Instants that wait for a slow callback, oldest first.

    Args:
        most: How many may wait; the oldest ones go first.
        conflate: Of those that pass by themselves only the newest waits; each discrete move does.
    """

    def __init__(self, most: int, conflate: bool = True) -> None:
        self._waiting: deque[PlayheadTime] = deque()
        self._most = most
        self._conflate = conflate

    def __len__(self) -> int:
        return len(self._waiting)

    def put(self, time: PlayheadTime) -> bool:
        """Add one; False if that dropped another one that should have been delivered."""
        waiting = self._waiting
        if self._conflate and waiting and not waiting[-1].discrete:
            waiting.pop()
        waiting.append(time)
        if len(waiting) <= self._most:
            return True
        waiting.popleft()
        return False

    def take(self) -> PlayheadTime:
        """Remove the oldest waiting time, and return it."""
        return self._waiting.popleft()

    def clear(self) -> None:
        """None of them is of interest any more."""
        self._waiting.clear()


class Subscriptions:
    """Receives a connection's events and instants; `deliver` calls the callbacks for them.

    Args:
        transport: The connection.
        conflate: For a tool that is slow keep every discrete move, and the newest instant only of
            those that pass in between; else every instant.
    """

    def __init__(self, transport: ClientTransport, conflate: bool) -> None:
        self.time: PlayheadTime | None = None
        """The newest playback state that this client has received."""
        self.missed = 0
        """Events and instants that were sent and not delivered to callbacks here."""
        self._transport = transport
        self._span: FrameRange | None = None
        self._events: deque[Event] = deque()
        self._newest: dict[str, Event] = {}
        """The newest values that the game published, by name."""
        self._fresh: set[str] = set()
        """Names whose newest value was not delivered yet."""
        self._first: deque[tuple[OnEvent, Event]] = deque()
        """Values that came before a callback was added, to be delivered to it."""
        self._every: list[OnEvent] = []
        """Callbacks that are given all that is published, and not only the newest."""
        self._values: deque[Event] = deque()
        """What was published, for them."""
        self._states: deque[bool] = deque()
        self._followers: list[_Follower] = []
        self._listeners: dict[str, list[OnEvent]] = {topic: [] for topic in TOPICS}
        self._connection: list[Callable[[bool], object]] = []
        self._times = Instants(_MOST_QUEUED, conflate)
        self._service = ""
        self._sequences: dict[str, int] = {}
        transport.on_event = self._on_event
        transport.on_time = self._on_time
        transport.on_welcome = self._on_welcome

    # --- callbacks ------------------------------------------------------------------------------

    def on_time(self, callback: OnTime, own: bool) -> Callable[[], None]:
        """Have it called with each new instant, the present one first; returns what ends that."""
        follower = _Follower(callback, own, self.time)
        self._followers.append(follower)

        def stop() -> None:
            if follower in self._followers:
                self._followers.remove(follower)

        return stop

    @property
    def span(self) -> FrameRange | None:
        """The span that the service holds, as far as it is known here."""
        time, span = self.time, self._span
        if time is None or not time.frame or (span is not None and time.frame <= span.newest):
            return span
        if span is None:
            return FrameRange(time.frame, time.frame, time.time, time.time)
        return span._replace(newest=time.frame, end=time.time)

    def on(self, topic: str, callback: OnEvent, *, every: bool = False) -> None:
        """Have it called with each event of a topic.

        Args:
            every: Of what is published all that comes, and not the newest of each name only.
        """
        self._transport.subscribe(topic)
        if every and topic == "published":
            self._every.append(callback)
            return
        self._listeners[topic].append(callback)
        if topic == "published":
            # Fresh values are about to be delivered to all callbacks, to the new one too.
            known = (event for name, event in self._newest.items() if name not in self._fresh)
            self._first.extend((callback, event) for event in known)

    def on_connection(self, callback: Callable[[bool], object]) -> None:
        """Have it called with False when the service is lost, with True when it is back."""
        self._connection.append(callback)

    def forget_states(self) -> None:
        """Drop changes of the connection from before there were callbacks."""
        self._states.clear()

    @property
    def waits(self) -> bool:
        """Whether there is something to deliver."""
        first = any(follower.first is not None for follower in self._followers)
        events = self._events or self._first or self._fresh or self._values
        return bool(first or events or self._times or self._states)

    def deliver(self) -> int:
        """Make the calls that are due; returns how many."""
        calls = 0
        while self._states:
            state = self._states.popleft()
            for on_connection in tuple(self._connection):
                on_connection(state)
                calls += 1
        for follower in tuple(self._followers):
            first, follower.first = follower.first, None
            if first is not None:
                follower.newest_sequence = first.sequence
                follower.callback(first)
                calls += 1
        while self._times:
            instant = self._times.take()
            for follower in tuple(self._followers):
                is_new = instant.sequence > follower.newest_sequence
                if is_new and (follower.own or instant.origin != self._transport.origin):
                    follower.newest_sequence = instant.sequence
                    follower.callback(instant)
                    calls += 1
        while self._events:
            event = self._events.popleft()
            for listener in tuple(self._listeners[_topic(event.event)]):
                listener(event)
                calls += 1
        while self._values:
            event = self._values.popleft()
            for listener in tuple(self._every):
                listener(event)
                calls += 1
        while self._first:
            callback, event = self._first.popleft()
            callback(event)
            calls += 1
        for name in tuple(self._newest):
            if name not in self._fresh:
                continue
            self._fresh.discard(name)
            event = self._newest[name]
            for listener in tuple(self._listeners["published"]):
                listener(event)
                calls += 1
        return calls

    # --- what is received -----------------------------------------------------------------------

    def _on_time(self, instant: PlayheadTime) -> None:
        newer = self.time is None or instant.sequence > self.time.sequence
        if newer:
            self.time = instant
            if not self._times.put(instant):
                self.missed += 1

    def _on_event(self, event: Event) -> None:
        if isinstance(event.event, ValuePublished):
            self._on_published(event.event.name, event)
            return
        if isinstance(event.event, SpanChanged):
            self._span = event.event.span
        topic = _topic(event.event)
        before = self._sequences.get(topic)
        if before is not None and event.sequence > before + 1:
            self.missed += event.sequence - before - 1
        self._sequences[topic] = event.sequence
        if len(self._events) >= _MOST_QUEUED:
            self._events.popleft()
            self.missed += 1
        self._events.append(event)

    def _on_published(self, name: str, event: Event) -> None:
        """Keep only the newest of each name, for slow tools; it may be a repetition."""
        before = self._newest.get(name)
        if before is None and len(self._newest) >= MOST_NAMES:
            return
        if before is None or event.sequence > before.sequence:
            self._newest[name] = event
            self._fresh.add(name)
            if self._every:
                if len(self._values) >= _MOST_QUEUED:
                    self._values.popleft()
                    self.missed += 1
                self._values.append(event)

    def _on_welcome(self, welcome: Welcome) -> None:
        self.time, self._span = welcome.snapshot.time, welcome.snapshot.span
        self._times.clear()
        self._newest.clear()  # the service sends it again, also after a reconnection
        self._fresh.clear()
        self._first.clear()
        for follower in self._followers:
            follower.first = self.time
        if self._service != welcome.service:  # or the gap says how much was missed
            self._service = welcome.service
            self._sequences.clear()
        self._states.append(True)

    def disconnected(self) -> None:
        """The service is gone."""
        self._states.append(False)


@dataclass(eq=False)
class _Follower:
    callback: OnTime
    own: bool
    first: PlayheadTime | None
    """The instant that it is to be called with before all others, until it was."""
    newest_sequence: int = -1
    """Sequence number of the newest instant that it was called with."""


def _topic(event: EventBody) -> str:
    topic = event.__struct_config__.tag
    assert isinstance(topic, str)
    return topic
