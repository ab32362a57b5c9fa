"""Reads the whole recording, page by page, while nothing else is requested."""

import time
from collections.abc import Callable, Iterable

from ...errors import BusError, DamagedError, PlayheadError
from ...recorder.packets.packet_types import Kind
from ...recorder.packets.recorded_frame import FrameRange
from ...recorder.packets.trace_types import StateTransition
from ...recorder.reading.frame_source import FrameSource
from ..backends.playback_backend import LinkState, PlaybackBackend
from .damaged_ranges import DamagedRange, damaged_range_of, with_frame
from .history.history_record_types import FramePage
from .object_names import ObjectNames
from .placed_and_turned_types import ObservedPoses
from .scan_order import FrameScan

_EVERY, _SELDOM = 0.3, 1.5
"""Seconds between two publications, since the window paints all lanes again for each: at first, and
at most. The longer the reading lasts, the less each publication adds to what is shown …"""
_SHARE = 0.5
"""… so this share of the time since the beginning goes by between two of them …"""
_NEAR = 60
"""… unless no more frames than these are unread: then a running game is followed."""
_FILES = (LinkState.FILE, LinkState.GROWING)
_POSES = 8
"""Of so many frames one is looked at for objects that turn or move; a running game's are shown."""


class RecordingScanner:
    """Publishes the pages of a recording, the states valid before them, and what is damaged.

    Args:
        publish: Publishes changes, as `UpdateMailbox.publish` does.
    """

    def __init__(self, publish: Callable[..., None]) -> None:
        self._publish = publish
        self._pages: list[FramePage] = []
        """Pages that were read and not published so far …"""
        self._began = self._published_at = float("-inf")
        """… and when the reading began, and others were."""
        self._scan = FrameScan()
        self._in_gap = False
        self.names = ObjectNames()
        """The names of the objects that were mentioned so far."""
        self.poses = ObservedPoses()
        """Which types of objects turn, and move."""
        self.damage: list[DamagedRange] = []
        """What of the file is known to be damaged."""

    def restart(self) -> None:
        """Scan another recording."""
        self.names, self.poses = ObjectNames(), ObservedPoses()
        self._scan, self._pages = FrameScan(), []

    def again(self, frames: Iterable[int]) -> None:
        """Read these frames again."""
        self._scan.again(frames)

    def behind(self, span: FrameRange) -> int:
        """How many of the newest frames were not read."""
        return self._scan.behind(span)

    def unread(self, span: FrameRange) -> int:
        """How many of all frames were not read."""
        return self._scan.unread(span)

    def go_on(self, backend: PlaybackBackend, span: FrameRange, end: float) -> bool:
        """Read pages until a time, and publish them; False if there are no more."""
        if self._scan.is_new:
            self._began = time.monotonic()
            self._publish_states(backend, span.oldest)
            self._scan.begin(span, backwards=backend.backend_state.link is LinkState.CONNECTED)
        damage = self.damage
        more = False
        try:
            more = self._scan_on(backend, span, end, self._pages)
            if not more:
                self.poses.complete()
        finally:
            # Even if the source was lost just now: nobody reads these again. And at once: whoever
            # hears that all is read has all of it.
            now = time.monotonic()
            pause = min(max(_EVERY, _SHARE * (now - self._began)), _SELDOM)
            is_due = not more or now - self._published_at > pause or self.behind(span) <= _NEAR
            if self.damage is not damage:
                self._publish(damage=tuple(self.damage))
            if (self._pages and is_due) or self.damage is not damage:
                self._published_at = now
                pages, self._pages = self._pages, []
                self._publish(pages=pages, progress=self._scan.progress(span))
        return more

    def _scan_on(
        self, backend: PlaybackBackend, span: FrameRange, end: float, pages: list[FramePage]
    ) -> bool:
        """Read pages until a time; False if there are no more."""
        while time.monotonic() < end:
            frame = self._scan.next(span)
            if frame is None:
                return False
            if backend.source.settle(frame) != frame:
                self._in_gap = True
                continue
            try:
                if self._in_gap:
                    self._in_gap = False
                    self._publish_states(backend, frame)
                pages.append(page := backend.page(frame))
                self._learn_names(backend.source, page)
                if frame % _POSES == 0 and backend.backend_state.link in _FILES:
                    self.poses.look(backend.source, frame)
            except BusError:
                self._scan.again([frame])
                raise
            except DamagedError as error:
                # The states after it are published again.
                self._in_gap = True
                self.damage = with_frame(
                    self.damage, damaged_range_of(backend.source, frame, error)
                )
            except PlayheadError:
                continue  # evicted meanwhile
        return True

    def _learn_names(self, source: FrameSource, page: FramePage) -> None:
        """Collect the names of the objects that a page mentions: later frames may lack them."""
        about = {agent for agent, _ in page.traces}
        about.update(line.object for line in page.lines)
        about.update(object for object, _ in page.watches)
        about.update(object for object, _, _ in page.events)
        self.names.look(source, page.frame, about)
        if page.gone:
            self.names.look_again(source, page.frame - 1, page.gone)

    def _publish_states(self, backend: PlaybackBackend, frame: int) -> None:
        """Publish the states valid at a frame before which nothing was read."""
        states = {
            (agent, key): value
            for (agent, _, key), value in backend.source.facts(frame, (Kind.STATE,)).items()
            if isinstance(value, StateTransition)
        }
        self._publish(initial_states=[(frame, backend.source.stamp(frame).time, states)])
