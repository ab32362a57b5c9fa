"""The field history of one object: its fields over the whole recording, as growing columns.

They are what lanes and plots of any field are drawn from, and what statistics are made of.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ....recorder.packets.recorded_frame import FrameRange
from .curve_gaps import lengths
from .history_record_types import UNREAD, UnreadRange
from .lane_data import FALSE, TRUE, Floats, SpanLane


class FieldNote(NamedTuple):
    """What a column is."""

    unit: str = ""
    parts: int = 1
    """Numbers in each value: 3 for a vector; 1 for a text, which is a number of `texts`."""
    is_text: bool = False
    is_flag: bool = False

    @property
    def is_number(self) -> bool:
        return not (self.is_text or self.is_flag)


class FieldBatch(NamedTuple):
    """What was read of an object in some frames, in rising order."""

    frames: Floats
    times: Floats
    fields: Mapping[str, Floats]
    """(n, parts) of each field; what is not there in a frame is no number."""
    texts: Mapping[str, Sequence[str]]
    """For each field that is a text: what its numbers mean in this batch."""
    notes: Mapping[str, FieldNote]


class FieldHistory:
    """Everything small that was recorded of one object, by field.

    Frames in which the object does not exist have rows, too: there its fields are no numbers.
    """

    def __init__(self, object: int) -> None:
        self.object = object
        self.notes: dict[str, FieldNote] = {}
        """Keyed by field, in the order in which they were met."""
        self.texts: dict[str, list[str]] = {}
        self.progress = 0.0
        self.version = 0
        """Counts up with each change."""
        self._rows: Floats = np.empty((2, 64))
        """Frames, times, and then the parts of each field."""
        self._start = self._end = 32
        self._first_rows: dict[str, int] = {}
        self._lanes: dict[str, tuple[int, SpanLane]] = {}

    def __len__(self) -> int:
        return self._end - self._start

    @property
    def frames(self) -> Floats:
        return self._rows[0, self._start : self._end]

    @property
    def times(self) -> Floats:
        """Seconds, rising."""
        return self._rows[1, self._start : self._end]

    # --- filling --------------------------------------------------------------------------------

    def put(self, batch: FieldBatch) -> None:
        """Take in what was read; frames that were read before are replaced."""
        if not len(batch.frames):
            return
        for name, note in batch.notes.items():
            if name not in self._first_rows:
                self._add(name, note)
        block = np.full((len(self._rows), len(batch.frames)), np.nan)
        block[0], block[1] = batch.frames, batch.times
        for name, values in batch.fields.items():
            note, first_row = self.notes[name], self._first_rows[name]
            parts = min(note.parts, values.shape[1])
            block[first_row : first_row + parts] = values[:, :parts].T
            if note.is_text:
                block[first_row] = self._numbers(name, batch.texts.get(name, ()), values[:, 0])
        self._insert(block)
        self.version += 1

    def _add(self, name: str, note: FieldNote) -> None:
        self.notes[name] = note
        self._first_rows[name] = len(self._rows)
        more = np.full((note.parts, self._rows.shape[1]), np.nan)
        self._rows = np.vstack([self._rows, more])

    def _numbers(self, name: str, texts: Sequence[str], codes: Floats) -> Floats:
        """A batch's numbers of texts as this column's."""
        known = self.texts.setdefault(name, [])
        indexes = []
        for text in texts:
            if text not in known:
                known.append(text)
            indexes.append(known.index(text))
        table = np.array([*indexes, np.nan])
        return table[np.where(np.isfinite(codes), codes, len(indexes)).astype(np.int64)]

    def _insert(self, block: Floats) -> None:
        frames, count = self.frames, block.shape[1]
        if not len(frames) or block[0, 0] > frames[-1]:
            self._room(count)
            self._rows[:, self._end : self._end + count] = block
            self._end += count
        elif block[0, -1] < frames[0]:
            self._room(count)
            self._rows[:, self._start - count : self._start] = block
            self._start -= count
        else:
            old = self._rows[:, self._start : self._end]
            old = old[:, ~np.isin(old[0], block[0])]
            both = np.hstack([old, block])
            both = both[:, np.argsort(both[0], kind="stable")]
            self._room(count)
            self._end = self._start + both.shape[1]
            self._rows[:, self._start : self._end] = both

    def _room(self, count: int) -> None:
        """Have room for so many values at both ends; it is doubled, so that growing stays cheap."""
        size = self._rows.shape[1]
        if self._start >= count and self._end + count <= size:
            return
        length = len(self)
        rows = np.empty((len(self._rows), 2 * length + 3 * count + 64))
        start = (rows.shape[1] - length) // 2
        rows[:, start : start + length] = self._rows[:, self._start : self._end]
        self._rows, self._start, self._end = rows, start, start + length

    def drop_before(self, frame: int) -> None:
        """Forget the older frames."""
        self._start += int(np.searchsorted(self.frames, frame))
        self.version += 1

    # --- looking --------------------------------------------------------------------------------

    def has(self, name: str) -> bool:
        return name in self.notes

    def parts(self, name: str) -> Floats:
        """(n, parts) of a field's numbers; a flag's are 0 and 1, a text's numbers of `texts`."""
        first_row = self._first_rows[name]
        return self._rows[first_row : first_row + self.notes[name].parts, self._start : self._end].T

    def numbers(self, name: str) -> Floats:
        """(n,) of a field: its number, or the length of its vector."""
        parts = self.parts(name)
        return parts[:, 0] if parts.shape[1] == 1 else lengths(parts)

    def text(self, name: str, at: int) -> str:
        """A text or a flag in words; empty where the object does not exist."""
        number = self.parts(name)[at, 0]
        return self._name(name, number) if np.isfinite(number) else ""

    def at(self, time: float) -> int | None:
        """Which row holds at a time."""
        index = int(np.searchsorted(self.times, time + 1e-9, side="right")) - 1
        return index if index >= 0 else None

    def missing(self, recorded: FrameRange | None, lag: float = 0.0) -> list[UnreadRange]:
        """What of all that is held was not looked at so far.

        Args:
            lag: Seconds of the newest end that may be unread without being reported.
        """
        if recorded is None or self.progress >= 1.0:
            return []
        if not len(self):
            return [UnreadRange(recorded.start, recorded.end, UNREAD)]
        first, last = float(self.times[0]), float(self.times[-1])
        # The oldest frame is at the very beginning of the recording.
        before = float(np.nextafter(first, -np.inf))
        ranges = [(recorded.start, before)] if self.frames[0] > recorded.oldest else []
        if self.frames[-1] < recorded.newest and recorded.end - last > lag:
            ranges.append((last, recorded.end))
        return [UnreadRange(start, end, UNREAD) for start, end in ranges]

    def lane(self, name: str) -> SpanLane:
        """A text or a flag as ranges in which it stays the same, up to where it was read."""
        version, lane = self._lanes.get(name, (-1, None))
        if lane is None or version != self.version:
            numbers, times = self.parts(name)[:, 0], self.times
            numbers = np.where(np.isfinite(numbers), numbers, _NOTHING)
            # Nothing is known from the frame on that should have followed.
            lost = np.flatnonzero(np.diff(self.frames) > 1) + 1
            gaps = np.minimum(times[lost], times[lost - 1] + _usual(times))
            numbers = np.insert(numbers, lost, _NOTHING)
            begins = np.flatnonzero(np.append(len(numbers) > 0, np.diff(numbers) != 0))
            starts = np.insert(times, lost, gaps)[begins]
            names = [self._name(name, number) for number in numbers[begins].tolist()]
            end = float(times[-1]) if len(times) else 0.0
            lane = SpanLane(starts.tolist(), end, names)
            self._lanes[name] = (self.version, lane)
        return lane

    def _name(self, name: str, number: float) -> str:
        if number == _NOTHING:
            return ""
        if self.notes[name].is_flag:
            return TRUE if number else FALSE
        return self.texts[name][int(number)]


_NOTHING = -1.0
"""The number of a missing text or flag."""


def _usual(times: Floats) -> float:
    """How long it usually is from one frame to the next, seconds."""
    return float(np.median(np.diff(times))) if len(times) > 1 else 0.0
