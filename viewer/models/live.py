"""The deck of a live service: everybody on the bus stands where this viewer stands."""

import time
from collections.abc import Mapping, Sequence

import msgspec

from ...bus.client import Client
from ...bus.keys import Pass
from ...bus.protocol import Changed, Event, GetStamps, MarkSet, Stamps, Time, ToolsChanged, TraceRow
from ...bus.remote import RemoteSource
from ...errors import BusError, EvictedError
from ...playback.command import Command
from ...playback.shown import Mode, Shown
from ...recorder.frame import Span
from ...recorder.marks import Mark
from ...recorder.traces import AnyTrace
from .deck import FOLLOWING_PAUSE, PLAYING_PAUSE, Link, Standing
from .history import Page

_BLOCK = 256
"""Stamps that are asked for at once."""
_LOOK = 0.1
"""Seconds between two looks at sockets that may have stopped telling."""


class LiveDeck:
    """A service on the bus.

    If it goes away, what was read stays, and the client looks for it until it is back.

    Raises:
        BusError: nobody answers at the endpoint within `timeout` seconds.
        CommandError: it is no address.
    """

    def __init__(self, endpoint: str, *, keys: Pass | None = None, timeout: float = 1.0) -> None:
        self.client = Client(endpoint, name="viewer", keys=keys, timeout=timeout)
        self.source = RemoteSource(self.client)
        self._stamps: dict[int, tuple[float, float, int]] = {}
        self._changed: list[int] = []
        self._service = self.client.welcome.service
        self._restarted = False
        self._lost = 0.0
        self._span = self.client.welcome.present.span
        self._asked = 0.0
        self._shown = Shown(Mode.LIVE)
        self._tools = len(self.client.welcome.present.tools)
        self._marks: list[Mark] | None = None
        self._game = str(self.client.welcome.game.get("game", ""))
        self.client.follow(self._on_time, own=True)
        self.client.on_connection(self._on_connection)
        self.client.on("changed", self._on_event)
        self.client.on("mark", self._on_event)
        self.client.on("tools", self._on_event)
        self._on_time(self.client.welcome.present.time)

    @property
    def shown(self) -> Shown:
        return self._shown

    @property
    def standing(self) -> Standing:
        if self._lost:
            return Standing(Link.LOST, self.client.endpoint, 0, since=self._lost, game=self._game)
        return Standing(Link.CONNECTED, self.client.endpoint, self._tools, game=self._game)

    @property
    def handles(self) -> Sequence[int]:
        return self.client.handles

    @property
    def pause(self) -> float:
        if self._lost:
            return _LOOK
        if self._shown.mode is Mode.LIVE:
            return FOLLOWING_PAUSE
        return PLAYING_PAUSE if self._shown.mode is Mode.PLAYING else _LOOK

    def apply(self, command: Command) -> Shown:
        shown = self.client.apply(command)
        self._span = shown.span
        self.update()
        return self._shown

    def update(self) -> None:
        while self.client.dispatch():
            pass
        now = time.monotonic()
        if not self._lost and now - self._asked > _LOOK:
            self._asked = now
            self._span = self.source.span
            self._shown = msgspec.structs.replace(self._shown, span=self._span)

    def changed(self) -> list[int]:
        changed, self._changed = self._changed, []
        return changed

    def restarted(self) -> bool:
        restarted, self._restarted = self._restarted, False
        return restarted

    def page(self, frame: int) -> Page:
        said = self.client.said(frame)
        time, delta, flags = self._stamp(frame)
        traces = [(row.agent, _trace(row)) for row in said.traces]
        watches: Mapping[tuple[int, str], float] = {
            (object, name): value for object, name, value in said.watches
        }
        return Page(frame, time, delta, flags, traces, said.log, watches)

    def marks(self) -> list[Mark]:
        if self._marks is None:
            self._marks = self.client.marks()
        return self._marks

    def close(self) -> None:
        self.client.close()

    def _stamp(self, frame: int) -> tuple[float, float, int]:
        """Time, delta and flags; neighbours are asked for together."""
        if frame not in self._stamps:
            self._stamps.clear()
            span = self._span or Span(frame, frame, 0.0, 0.0)
            first = max(span.oldest, frame - _BLOCK // 2)
            last = max(min(span.newest, first + _BLOCK), frame)
            told = self.client.asked(GetStamps(first, last), Stamps).stamps
            self._stamps = {row[0]: (row[1], row[2], row[5]) for row in told}
        if frame not in self._stamps:
            raise EvictedError(f"frame {frame} is not held by {self.client.endpoint}")
        return self._stamps[frame]

    def _on_time(self, told: Time) -> None:
        self._shown = Shown(
            Mode(told.mode), told.frame or None, told.time if told.frame else None, told.rate,
            loop=told.loop, focus=told.focus, hidden=told.hidden, span=self._span,
        )  # fmt: skip

    def _on_connection(self, connected: bool) -> None:
        self._lost = 0.0 if connected else time.monotonic()
        if connected and self.client.connected:
            welcome = self.client.welcome
            if welcome.service != self._service:
                self._service, self._restarted = welcome.service, True
                self._stamps.clear()
                self._game = str(welcome.game.get("game", ""))
            self._span = welcome.present.span
            self._marks = None
            self._tools = len(welcome.present.tools)

    def _on_event(self, event: Event) -> None:
        match event.event:
            case Changed(frames=frames):
                self._changed += frames
                self._marks = None
            case MarkSet():
                self._marks = None
            case ToolsChanged(tools=tools):
                self._tools = len(tools)


def _trace(row: TraceRow) -> AnyTrace:
    told = row.state or row.tree or row.animation
    if told is None:
        raise BusError(f"a decision of agent {row.agent} that says nothing")
    return told
