"""What a tool hears of a service: what has come, what was missed, and whom to call for it."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from ...recorder.packets.frame import Span
from ..messages.events import SpanChanged, ValuePublished
from ..messages.message import Time
from ..messages.plain_values import MOST_NAMES
from ..messages.protocol import TOPICS, Event, EventBody
from ..messages.responses import Welcome
from .client_transport import ClientTransport

_KEPT = 10_000
"""Events that may wait to be delivered; the oldest are dropped, and counted in `missed`."""

OnTime = Callable[[Time], object]
OnEvent = Callable[[Event], object]


class Instants:
    """Instants that wait for somebody slow, oldest first.

    Args:
        most: How many may wait; the oldest ones go first.
        conflate: Of those that pass by themselves only the newest waits; each discrete move does.
    """

    def __init__(self, most: int, conflate: bool = True) -> None:
        self._waiting: deque[Time] = deque()
        self._most = most
        self._conflate = conflate

    def __len__(self) -> int:
        return len(self._waiting)

    def put(self, time: Time) -> bool:
        """Have one more wait; False if another one had to go that should have been heard."""
        waiting = self._waiting
        if self._conflate and waiting and not waiting[-1].discrete:
            waiting.pop()
        waiting.append(time)
        if len(waiting) <= self._most:
            return True
        waiting.popleft()
        return False

    def take(self) -> Time:
        """The oldest one."""
        return self._waiting.popleft()

    def clear(self) -> None:
        """None of them is of interest any more."""
        self._waiting.clear()


class Subscriptions:
    """Takes in what comes on a line, and calls who wants to hear it when `deliver` is called.

    Args:
        line: What it comes on.
        conflate: For a tool that is slow keep every discrete move, and the newest instant only of
            those that pass in between; else every instant.
    """

    def __init__(self, line: ClientTransport, conflate: bool) -> None:
        self.time: Time | None = None
        """Where everybody stands, as far as is known here."""
        self.missed = 0
        """Events and instants that were told, and did not get to those who listen here."""
        self._line = line
        self._span: Span | None = None
        self._told: deque[Event] = deque()
        self._newest: dict[str, Event] = {}
        """What the game has published, by name, as far as was heard."""
        self._fresh: set[str] = set()
        """Names of which listeners have not heard the newest."""
        self._first: deque[tuple[OnEvent, Event]] = deque()
        """What was heard before somebody began to listen."""
        self._states: deque[bool] = deque()
        self._followers: list[_Follower] = []
        self._listeners: dict[str, list[OnEvent]] = {topic: [] for topic in TOPICS}
        self._connection: list[Callable[[bool], object]] = []
        self._times = Instants(_KEPT, conflate)
        self._service = ""
        self._sequences: dict[str, int] = {}
        line.on_event = self._on_event
        line.on_time = self._on_time
        line.on_welcome = self._on_welcome

    # --- who wants to hear it -------------------------------------------------------------------

    def on_time(self, callback: OnTime, own: bool) -> Callable[[], None]:
        """Have it called with each new instant, the present one first; returns what ends that."""
        follower = _Follower(callback, own, self.time)
        self._followers.append(follower)

        def stop() -> None:
            if follower in self._followers:
                self._followers.remove(follower)

        return stop

    @property
    def span(self) -> Span | None:
        """What is held, as far as was heard."""
        time, span = self.time, self._span
        if time is None or not time.frame or (span is not None and time.frame <= span.newest):
            return span
        if span is None:
            return Span(time.frame, time.frame, time.time, time.time)
        return span._replace(newest=time.frame, end=time.time)

    def on(self, topic: str, callback: OnEvent) -> None:
        """Have it called with each event of a topic."""
        self._line.subscribe(topic)
        self._listeners[topic].append(callback)
        if topic == "published":
            # What is fresh everybody is about to hear, the newcomer too.
            heard = (event for name, event in self._newest.items() if name not in self._fresh)
            self._first.extend((callback, event) for event in heard)

    def on_connection(self, callback: Callable[[bool], object]) -> None:
        """Have it called with False when the service is lost, with True when it is back."""
        self._connection.append(callback)

    def forget_states(self) -> None:
        """What became of the connection so far was nobody's to hear."""
        self._states.clear()

    @property
    def waits(self) -> bool:
        """Whether there is something to deliver."""
        first = any(follower.first is not None for follower in self._followers)
        told = self._told or self._first or self._fresh
        return bool(first or told or self._times or self._states)

    def deliver(self) -> int:
        """Make the calls that are due; returns how many."""
        calls = 0
        while self._states:
            state = self._states.popleft()
            for told in tuple(self._connection):
                told(state)
                calls += 1
        for follower in tuple(self._followers):
            first, follower.first = follower.first, None
            if first is not None:
                follower.told = first.sequence
                follower.callback(first)
                calls += 1
        while self._times:
            instant = self._times.take()
            for follower in tuple(self._followers):
                is_news = instant.sequence > follower.told
                if is_news and (follower.own or instant.origin != self._line.origin):
                    follower.told = instant.sequence
                    follower.callback(instant)
                    calls += 1
        while self._told:
            event = self._told.popleft()
            for listener in tuple(self._listeners[_topic(event.event)]):
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

    # --- what comes -----------------------------------------------------------------------------

    def _on_time(self, told: Time) -> None:
        newer = self.time is None or told.sequence > self.time.sequence
        if newer:
            self.time = told
            if not self._times.put(told):
                self.missed += 1

    def _on_event(self, event: Event) -> None:
        if isinstance(event.event, ValuePublished):
            self._on_told(event.event.name, event)
            return
        if isinstance(event.event, SpanChanged):
            self._span = event.event.span
        topic = _topic(event.event)
        before = self._sequences.get(topic)
        if before is not None and event.sequence > before + 1:
            self.missed += event.sequence - before - 1
        self._sequences[topic] = event.sequence
        if len(self._told) >= _KEPT:
            self._told.popleft()
            self.missed += 1
        self._told.append(event)

    def _on_told(self, name: str, event: Event) -> None:
        """Only the newest of each name is kept for who is slow; it may have been said before."""
        known = self._newest.get(name)
        if known is None and len(self._newest) >= MOST_NAMES:
            return
        if known is None or event.sequence > known.sequence:
            self._newest[name] = event
            self._fresh.add(name)

    def _on_welcome(self, welcome: Welcome) -> None:
        self.time, self._span = welcome.snapshot.time, welcome.snapshot.span
        self._times.clear()
        self._newest.clear()  # it is told anew, to who comes back too
        self._fresh.clear()
        self._first.clear()
        for follower in self._followers:
            follower.first = self.time
        if self._service != welcome.service:  # or the gap says how much was missed
            self._service = welcome.service
            self._sequences.clear()
        self._states.append(True)

    def lost(self) -> None:
        """The service is gone."""
        self._states.append(False)


@dataclass(eq=False)
class _Follower:
    callback: OnTime
    own: bool
    first: Time | None
    """The instant that it is to be called with before all others, until it was."""
    told: int = -1
    """Sequence number of the newest instant that it was called with."""


def _topic(event: EventBody) -> str:
    topic = event.__struct_config__.tag
    assert isinstance(topic, str)
    return topic
