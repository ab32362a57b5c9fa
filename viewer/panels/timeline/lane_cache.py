"""Caches the timeline's lanes: a lane whose data has only grown is extended, not rebuilt."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ...reader.frame_snapshot import Key
from ...reader.input_series import TextSeries
from ...reader.lane_data import SpanLane, entered, leaf_lane, leaf_name, state_lane
from ...reader.recording_history import Gap, RecordingHistory
from .point_events import EventLane, line_lane, mark_lane


@dataclass
class _Kept:
    lane: SpanLane
    count: int
    """How many transitions or ticks it was made of."""
    rewrites: int
    cuts: tuple[Sequence[Gap], int]
    """The gaps, and how many times the object it is about was gone."""
    end: float
    names: tuple[str, ...] = ()
    history: RecordingHistory | None = None


class LaneCache:
    """The lanes of a history: each is made once, and then appended to while it is recorded."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, Key], _Kept] = {}
        self._said: dict[str, tuple[RecordingHistory, int, EventLane]] = {}
        self._texts: dict[tuple[str, Key], tuple[RecordingHistory, int, SpanLane]] = {}

    def states(self, history: RecordingHistory, key: Key) -> SpanLane:
        """A machine's lane."""
        changes = history.changes[key]
        kept = self._found("state", key, history, changes, ())
        if kept is None:
            return self._keep(
                "state", key, history, changes,
                state_lane(
                    changes, history.read_until, history.gaps, history.ends.get(key[0], ())
                ), (),
            )  # fmt: skip
        for before, change in zip(changes[kept.count - 1 :], changes[kept.count :], strict=False):
            for start, name in entered(before, change, history.gaps):
                kept.lane.append(start, name, change.time)
        return self._up_to_date(kept, history, changes)

    def leaves(self, history: RecordingHistory, key: Key, names: Sequence[str]) -> SpanLane:
        """The lane of a tree's leaves, by the names of its nodes."""
        ticks, leaves = history.ticks[key], tuple(names)
        kept = self._found("leaf", key, history, ticks, leaves)
        if kept is None:
            lane = leaf_lane(
                ticks, names, history.read_until, history.gaps(), history.ends.get(key[0], ())
            )
            return self._keep("leaf", key, history, ticks, lane, leaves)
        for tick in ticks[kept.count :]:
            name = leaf_name(tick, names)
            if name != kept.lane.names[-1]:
                kept.lane.append(tick.time, name, tick.time)
        return self._up_to_date(kept, history, ticks)

    def phases(self, history: RecordingHistory) -> SpanLane:
        """The phases of the run."""
        return self._text(("phase", (0, "")), history, history.phases)

    def pressed(self, history: RecordingHistory, key: Key) -> SpanLane:
        """What was pressed of an input."""
        return self._text(("input", key), history, history.inputs[key].pressed)

    def _text(
        self, what: tuple[str, Key], history: RecordingHistory, series: TextSeries
    ) -> SpanLane:
        kept = self._texts.get(what)
        if kept is None or kept[0] is not history or kept[1] != history.version:
            lane = SpanLane(*series.spans(history.times))
            kept = self._texts[what] = (history, history.version, lane)
        return kept[2]

    def marks(self, history: RecordingHistory) -> EventLane:
        """The marks."""
        return self._events("marks", history, mark_lane)

    def lines(self, history: RecordingHistory) -> EventLane:
        """The lines of the log."""
        return self._events("lines", history, line_lane)

    def _events(
        self, what: str, history: RecordingHistory, make: Callable[[RecordingHistory], EventLane]
    ) -> EventLane:
        kept = self._said.get(what)
        if kept is None or kept[0] is not history or kept[1] != history.spoken:
            kept = self._said[what] = (history, history.spoken, make(history))
        return kept[2]

    def _found(
        self,
        what: str,
        key: Key,
        history: RecordingHistory,
        rows: Sequence[Any],
        names: tuple[str, ...],
    ) -> _Kept | None:
        kept = self._kept.get((what, key))
        if kept is None or kept.history is not history or kept.rewrites != history.rewrites:
            return None
        is_longer = (
            0 < kept.count <= len(rows) and kept.names == names
            and kept.cuts == _cuts(history, key)
        )  # fmt: skip
        return kept if is_longer else None

    def _keep(
        self, what: str, key: Key, history: RecordingHistory, rows: Sequence[Any], lane: SpanLane,
        names: tuple[str, ...],
    ) -> SpanLane:  # fmt: skip
        self._kept[what, key] = _Kept(
            lane, len(rows), history.rewrites, _cuts(history, key), history.read_until, names,
            history,
        )  # fmt: skip
        return lane

    def _up_to_date(self, kept: _Kept, history: RecordingHistory, rows: Sequence[Any]) -> SpanLane:
        end = history.read_until
        if kept.count != len(rows) or kept.end != end:
            kept.count, kept.end = len(rows), end
            kept.lane.stretch(end)
        return kept.lane


def _cuts(history: RecordingHistory, key: Key) -> tuple[Sequence[Gap], int]:
    # Not their number: a frame that is read later may make a gap shorter.
    return history.gaps(), len(history.ends.get(key[0], ()))
