"""The backend for a live service on the bus: all its clients share one playhead."""

import time
from collections.abc import Mapping, Sequence

import msgspec

from ...bus.client.client import Client
from ...bus.messages.encryption_keys import ClientKeys
from ...bus.messages.events import CheckFailed, FramesChanged, MarkAdded, ToolsChanged
from ...bus.messages.message import PlayheadTime
from ...bus.messages.message_types import Event
from ...bus.messages.requests import GetFrameHeaders
from ...bus.messages.response_rows import TraceRow
from ...bus.messages.responses import FrameHeaders
from ...errors import BusError, EvictedError
from ...playback.commands import Command, Leave, SeekFrame
from ...playback.playback_state import Mode, PlaybackState
from ...playback.playhead import Playhead
from ...recorder.checks.failed_check_tracker import FailedCheck
from ...recorder.packets.mark import Mark
from ...recorder.packets.recorded_frame import FrameRange
from ...recorder.packets.trace_types import AnyTrace
from ...recorder.reading.frame_source import FrameSource
from ..reader.history.history_record_types import FramePage
from .playback_backend import FOLLOWING_PAUSE, PLAYING_PAUSE, BackendState, LinkState, ReportedCheck
from .reconnect_timer import ReconnectTimer
from .remote_frame_cache import CachedSource, CachingSource

_BLOCK = 256
"""Stamps that are asked for at once."""
_LOOK = 0.1
"""Seconds between two looks at sockets that may have stopped telling."""


class LiveBackend:
    """A service on the bus.

    If it goes away, what was read stays and can be scrubbed here, and the service is looked for
    until it is back.

    Raises:
        BusError: no service answers at the endpoint within `timeout` seconds.
        CommandError: it is no address.
    """

    def __init__(
        self, endpoint: str, *, keys: ClientKeys | None = None, timeout: float = 1.0
    ) -> None:
        self.client = Client(endpoint, name="viewer", keys=keys, timeout=timeout)
        self.keys = keys
        """For more clients of the same service."""
        self._source = CachingSource(self.client)
        self._stamps: dict[int, tuple[float, float, int]] = {}
        self._changed: list[int] = []
        self._new_failures: list[FailedCheck] = []
        self._failed_checks: list[ReportedCheck] = []
        self._service = self.client.welcome.service
        self._restarted = False
        self._lost = 0.0
        self._retry = ReconnectTimer()
        self._offline_playhead: Playhead | None = None
        """Moves over what was read while the service is gone."""
        self._offline_source: CachedSource | None = None
        self._span = self.client.welcome.snapshot.span
        self._asked = 0.0
        self._playback = PlaybackState(Mode.LIVE)
        self._tools = len(self.client.welcome.snapshot.tools)
        self._marks: list[Mark] = []
        self._marks_stale = True
        self._game = str(self.client.welcome.game.get("game", ""))
        self.client.on_time(self._on_time, own=True)
        self.client.on_connection(self._on_connection)
        for topic in ("changed", "mark", "failed_check", "tools"):
            self.client.on(topic, self._on_event)
        self._on_time(self.client.welcome.snapshot.time)

    @property
    def source(self) -> FrameSource:
        return self._source if self._offline_source is None else self._offline_source

    @property
    def state(self) -> PlaybackState:
        if self._offline_playhead is None:
            return self._playback
        return msgspec.structs.replace(self._offline_playhead.state, span=self._span)

    @property
    def backend_state(self) -> BackendState:
        if not self._lost:
            return BackendState(
                LinkState.CONNECTED, self.client.endpoint, self._tools, game=self._game
            )
        return BackendState(
            LinkState.LOST, self.client.endpoint, since=self._lost, game=self._game,
            retry_at=self._retry.due,
        )  # fmt: skip

    @property
    def handles(self) -> Sequence[int]:
        # A lost one is looked for when it is time to, not as soon as a socket stirs.
        return () if self._lost else self.client.handles

    @property
    def pause(self) -> float:
        if self.state.mode is Mode.PLAYING:
            return PLAYING_PAUSE
        if not self._lost and self._playback.mode is Mode.LIVE:
            return FOLLOWING_PAUSE
        return _LOOK

    def apply(self, command: Command) -> PlaybackState:
        if self._offline_playhead is None:
            self._span = self.client.apply(command).span
            self.update()
        elif isinstance(command, Leave):
            raise BusError(f"{self.client.endpoint} is gone: it can't run on until it is back")
        else:
            self._offline_playhead.apply(command)
        return self.state

    def update(self) -> None:
        if self._lost and not self._retry.tries(time.monotonic()):
            if self._offline_playhead is not None:
                self._offline_playhead.update()
            return
        while self.client.dispatch():
            pass
        now = time.monotonic()
        if self._offline_playhead is not None:
            self._offline_playhead.update()
            return
        if self._new_failures:
            # Times come on another socket, perhaps later: ask whether the game is paused.
            is_paused = Mode(self.client.snapshot().time.mode) is not Mode.LIVE
            failures, self._new_failures = self._new_failures, []
            self._failed_checks += [ReportedCheck(one, is_paused) for one in failures]
        if not self._lost and now - self._asked > _LOOK:
            self._asked = now
            span = self._source.span
            # The source asks now and then: the answer to a command may have told of newer frames.
            if self._span is None or span is None or span.newest >= self._span.newest:
                self._span = span
            self._playback = msgspec.structs.replace(self._playback, span=self._span)

    def changed(self) -> list[int]:
        changed, self._changed = self._changed, []
        return changed

    def restarted(self) -> bool:
        restarted, self._restarted = self._restarted, False
        return restarted

    def page(self, frame: int) -> FramePage:
        statements = self.client.statements(frame)
        time, delta, flags = self._stamp(frame)
        traces = [(row.agent, _trace(row)) for row in statements.traces]
        watches: Mapping[tuple[int, str], float] = {
            (object, name): value for object, name, value in statements.watches
        }
        inputs = {(object, name): value for object, name, value in statements.inputs}
        return FramePage(
            frame, time, delta, flags, traces, statements.log, watches, statements.gone, inputs,
            statements.phase, statements.events,
        )  # fmt: skip

    def marks(self) -> list[Mark]:
        if self._marks_stale and not self._lost:
            self._marks = self.client.marks()
            self._marks_stale = False
        return self._marks

    def failed_checks(self) -> list[ReportedCheck]:
        failed_checks, self._failed_checks = self._failed_checks, []
        return failed_checks

    def retry(self) -> None:
        self._retry.now()

    def close(self) -> None:
        self.client.close()

    def _stamp(self, frame: int) -> tuple[float, float, int]:
        """Time, delta and flags; neighbours are asked for together."""
        if frame not in self._stamps:
            if len(self._stamps) > 16 * _BLOCK:
                self._stamps.clear()
            span = self._span or FrameRange(frame, frame, 0.0, 0.0)
            # On whichever side nothing is known: frames are read one after another, both ways.
            first = frame if frame - 1 in self._stamps else max(span.oldest, frame - _BLOCK)
            last = frame if frame + 1 in self._stamps else min(span.newest, frame + _BLOCK)
            headers = self.client.asked(
                GetFrameHeaders(first, max(last, frame)), FrameHeaders
            ).headers
            self._stamps.update((row[0], (row[1], row[2], row[5])) for row in headers)
        if frame not in self._stamps:
            raise EvictedError(f"frame {frame} is not held by {self.client.endpoint}")
        return self._stamps[frame]

    def _on_time(self, time: PlayheadTime) -> None:
        self._playback = PlaybackState(
            Mode(time.mode), time.frame or None, time.time if time.frame else None, time.rate,
            loop=time.loop, focus=time.focus, hidden=time.hidden, span=self._span,
        )  # fmt: skip

    def _on_connection(self, connected: bool) -> None:
        if not (connected and self.client.connected):
            self._go_offline()
            return
        self._lost, self._offline_playhead, self._offline_source = 0.0, None, None
        welcome = self.client.welcome
        if welcome.service != self._service:
            self._service, self._restarted = welcome.service, True
            self._stamps.clear()
            self._game = str(welcome.game.get("game", ""))
        self._span = welcome.snapshot.span
        self._marks_stale = True
        self._tools = len(welcome.snapshot.tools)

    def _go_offline(self) -> None:
        """The service is gone: pause at the newest frame that was read."""
        if self._lost:
            return
        self._lost = time.monotonic()
        self._retry.begin(self._lost)
        cached = self._source.cached
        if cached.newest is None:
            return
        self._offline_source = CachedSource(cached, self._marks)
        self._offline_playhead = Playhead(self._offline_source, clock=time.monotonic)
        if self._span is not None:
            # The newest that can be seen: what came after it was not read.
            newest, end = cached.newest
            self._span = self._span._replace(newest=newest, end=end)
        at = cached.newest[0] if self._playback.mode is Mode.LIVE else self._playback.frame
        self._offline_playhead.apply(SeekFrame(at or cached.newest[0]))

    def _on_event(self, event: Event) -> None:
        match event.event:
            case FramesChanged(frames=frames):
                self._changed += frames
                self._marks_stale = True
            case MarkAdded():
                self._marks_stale = True
            case CheckFailed(failed_check=check):
                self._marks_stale = True
                self._new_failures.append(check)
            case ToolsChanged(tools=tools):
                self._tools = len(tools)


def _trace(row: TraceRow) -> AnyTrace:
    result = row.state or row.tree or row.animation
    if result is None:
        raise BusError(f"a decision of agent {row.agent} that says nothing")
    return result
