"""Caches the timeline's lanes: a lane whose data has only grown is extended, not rebuilt."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ...reader.frame_snapshot import Key
from ...reader.history.history_record_types import TimeGap
from ...reader.history.input_series import TextSeries
from ...reader.history.lane_data import SpanLane, entered, leaf_lane, leaf_name, state_lane
from ...reader.history.recording_history import RecordingHistory
from .point_events import EventLane, line_lane, mark_lane


@dataclass
class _CachedLane:
    lane: SpanLane
    count: int
    """The number of transitions or ticks that the lane was made from."""
    rewrites: int
    cuts: tuple[Sequence[TimeGap], int]
    """The gaps, and how many times the object it is about was gone."""
    end: float
    names: tuple[str, ...] = ()
    history: RecordingHistory | None = None


class LaneCache:
    """The lanes of a history: each is made once, and then appended to while it is recorded."""

    def __init__(self) -> None:
        self._lanes: dict[tuple[str, Key], _CachedLane] = {}
        self._point_lanes: dict[str, tuple[RecordingHistory, int, EventLane]] = {}
        self._text_lanes: dict[tuple[str, Key], tuple[RecordingHistory, int, SpanLane]] = {}

    def states(self, history: RecordingHistory, key: Key) -> SpanLane:
        """A machine's lane."""
        changes = history.changes[key]
        cached = self._found("state", key, history, changes, ())
        if cached is None:
            return self._keep(
                "state", key, history, changes,
                state_lane(
                    changes, history.read_until, history.gaps, history.ends.get(key[0], ())
                ), (),
            )  # fmt: skip
        for before, change in zip(
            changes[cached.count - 1 :], changes[cached.count :], strict=False
        ):
            for start, name in entered(before, change, history.gaps):
                cached.lane.append(start, name, change.time)
        return self._up_to_date(cached, history, changes)

    def leaves(self, history: RecordingHistory, key: Key, names: Sequence[str]) -> SpanLane:
        """The lane of a tree's leaves, by the names of its nodes."""
        ticks, leaves = history.ticks[key], tuple(names)
        cached = self._found("leaf", key, history, ticks, leaves)
        if cached is None:
            lane = leaf_lane(
                ticks, names, history.read_until, history.gaps(), history.ends.get(key[0], ())
            )
            return self._keep("leaf", key, history, ticks, lane, leaves)
        for tick in ticks[cached.count :]:
            name = leaf_name(tick, names)
            if name != cached.lane.names[-1]:
                cached.lane.append(tick.time, name, tick.time)
        return self._up_to_date(cached, history, ticks)

    def choices(self, history: RecordingHistory, key: Key) -> SpanLane:
        """The lane of what a decider chose."""
        cached = self._text_lanes.get(("choice", key))
        if cached is None or cached[0] is not history or cached[1] != history.version:
            changes = history.choices[key]
            lane = SpanLane(
                [one.time for one in changes], history.read_until, [one.choice for one in changes]
            )
            cached = self._text_lanes["choice", key] = (history, history.version, lane)
        return cached[2]

    def phases(self, history: RecordingHistory) -> SpanLane:
        """The phases of the run."""
        return self._text(("phase", (0, "")), history, history.phases)

    def pressed(self, history: RecordingHistory, key: Key) -> SpanLane:
        """What was pressed of an input."""
        return self._text(("input", key), history, history.inputs[key].pressed)

    def _text(
        self, what: tuple[str, Key], history: RecordingHistory, series: TextSeries
    ) -> SpanLane:
        cached = self._text_lanes.get(what)
        if cached is None or cached[0] is not history or cached[1] != history.version:
            lane = SpanLane(*series.spans(history.times))
            cached = self._text_lanes[what] = (history, history.version, lane)
        return cached[2]

    def marks(self, history: RecordingHistory) -> EventLane:
        """The marks."""
        return self._events("marks", history, mark_lane)

    def lines(self, history: RecordingHistory) -> EventLane:
        """The lines of the log."""
        return self._events("lines", history, line_lane)

    def _events(
        self, what: str, history: RecordingHistory, make: Callable[[RecordingHistory], EventLane]
    ) -> EventLane:
        cached = self._point_lanes.get(what)
        if cached is None or cached[0] is not history or cached[1] != history.spoken:
            cached = self._point_lanes[what] = (history, history.spoken, make(history))
        return cached[2]

    def _found(
        self,
        what: str,
        key: Key,
        history: RecordingHistory,
        rows: Sequence[Any],
        names: tuple[str, ...],
    ) -> _CachedLane | None:
        cached = self._lanes.get((what, key))
        if cached is None or cached.history is not history or cached.rewrites != history.rewrites:
            return None
        is_longer = (
            0 < cached.count <= len(rows) and cached.names == names
            and cached.cuts == _cuts(history, key)
        )  # fmt: skip
        return cached if is_longer else None

    def _keep(
        self, what: str, key: Key, history: RecordingHistory, rows: Sequence[Any], lane: SpanLane,
        names: tuple[str, ...],
    ) -> SpanLane:  # fmt: skip
        self._lanes[what, key] = _CachedLane(
            lane, len(rows), history.rewrites, _cuts(history, key), history.read_until, names,
            history,
        )  # fmt: skip
        return lane

    def _up_to_date(
        self, cached: _CachedLane, history: RecordingHistory, rows: Sequence[Any]
    ) -> SpanLane:
        end = history.read_until
        if cached.count != len(rows) or cached.end != end:
            cached.count, cached.end = len(rows), end
            cached.lane.extend_to(end)
        return cached.lane


def _cuts(history: RecordingHistory, key: Key) -> tuple[Sequence[TimeGap], int]:
    # The gaps themselves and not their number: a frame that is read later may shorten one.
    return history.gaps(), len(history.ends.get(key[0], ()))
