"""A bridge: follows a service and shows the playhead's instant to a viewer, whatever moves it.

The viewer gets the newest instant whenever it is ready for one. A viewer that is slower than the
game skips instants. It never shows where the playhead was before, and never delays the game.
"""

import asyncio
import contextlib
from collections.abc import Callable, Iterator
from typing import Protocol

from ...errors import BusError, EvictedError
from ...recorder.packets.mark import Mark
from ..client.client import Client
from ..client.remote_source import RemoteSource
from ..messages.events import FramesChanged, MarkAdded
from ..messages.message import PlayheadTime
from ..messages.message_types import Event
from .frame_view import FrameView, StatementsView, frame_view, mark_view
from .recorded_frame_views import instant_of

TICK = 0.1
"""Seconds between two looks for requests of the viewer."""


class Sink(Protocol):
    """The other end: a viewer of some make. All calls come on one thread."""

    def begin(self, wake: Callable[[], object]) -> None:
        """It begins; `wake` may be called on any thread to have `tick` called at once."""

    def show(self, view: FrameView) -> None:
        """Show an instant: the one that all connected tools show."""

    def mark(self, mark: Mark, statements: StatementsView) -> None:
        """A mark was set just now, perhaps at an older frame; those of before are in pictures."""

    def tick(self) -> bool:
        """Handle the viewer's requests; True to be shown the present instant again."""


class Bridge:
    """Carries a service's instants to a sink. For the thread of the client.

    Args:
        client: The service's; its callbacks are the bridge's from now on.
        sink: Where they go.
    """

    def __init__(self, client: Client, sink: Sink) -> None:
        self._client = client
        self._sink = sink
        self._source: RemoteSource | None = None
        self._marks: list[Mark] = []
        self._failure: BaseException | None = None
        self._ended = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        client.on_time(self._show, own=True)
        client.on_connection(self._connected)
        client.on("changed", self._changed)
        client.on("mark", self._marked)
        sink.begin(self.wake)

    @property
    def source(self) -> RemoteSource:
        """The frames of the followed session, read over the bus."""
        if self._source is None:
            self._source = RemoteSource(self._client)
            self._marks = self._client.marks()
        return self._source

    async def run(self, seconds: float | None = None) -> None:
        """Carry on until `end` is called, or for some seconds.

        Raises:
            Whatever the sink raises.
        """
        self._ended = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        detach = self._client.attach(self._loop)
        ticking = self._loop.create_task(self._tick())
        try:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._ended.wait(), seconds)
        finally:
            self._loop = None
            ticking.cancel()
            detach()
        if self._failure is not None:
            raise self._failure

    def wake(self) -> None:
        """Have the sink's `tick` called at once; from any thread."""
        loop = self._loop
        if loop is not None:
            loop.call_soon_threadsafe(self._look)

    def end(self) -> None:
        """Have `run` return; from any thread."""
        loop = self._loop
        if loop is not None:
            loop.call_soon_threadsafe(self._ended.set)

    def frame_at(self, now: PlayheadTime) -> FrameView:
        """The view of an instant.

        Raises:
            EvictedError: its frame is not in the recording.
            BusError: the service is not there.
        """
        return frame_view(self.source, now, self._marks)

    def held_frames(self) -> Iterator[FrameView]:
        """The views of all recorded frames, oldest first, with all that is drawn in them.

        What is evicted meanwhile is left out.
        """
        span = self.source.span
        for frame in range(span.oldest, span.newest + 1) if span is not None else ():
            try:
                yield self.frame_at(instant_of(self.source.stamp(frame)))
            except EvictedError:
                continue

    # --- what happens ---------------------------------------------------------------------------

    def _show(self, now: PlayheadTime) -> None:
        if now.frame and self._failure is None:
            with self._keeping_failures():
                self._sink.show(self.frame_at(now))

    def _again(self) -> None:
        if self._client.time is not None:
            self._show(self._client.time)

    def _connected(self, is_connected: bool) -> None:
        # What is remembered of one run of a service says nothing about the next.
        self._source = None

    def _changed(self, event: Event) -> None:
        assert isinstance(event.event, FramesChanged)
        self._source = None  # what it remembers is from before
        now = self._client.time
        if now is not None and now.frame in event.event.frames:
            self._again()

    def _marked(self, event: Event) -> None:
        assert isinstance(event.event, MarkAdded)
        mark = event.event.mark
        with self._keeping_failures():
            statements = mark_view(mark, self.source)
            if mark not in self._marks:
                self._marks.append(mark)
            self._sink.mark(mark, statements)

    @contextlib.contextmanager
    def _keeping_failures(self) -> Iterator[None]:
        """What the sink raises ends the bridge: in a callback of the loop it would be logged, and
        the bridge would hang. After errors of the service the next instant is tried."""
        try:
            yield
        except (EvictedError, BusError):
            return
        except Exception as error:
            self._failure = error
            self._ended.set()

    def _look(self) -> None:
        if self._failure is None:
            with self._keeping_failures():
                if self._sink.tick():
                    self._again()
                while self._client.dispatch():
                    pass

    async def _tick(self) -> None:
        while True:
            self._look()
            await asyncio.sleep(TICK)
