"""What a name in an expression means in a recording: fields, watched values, states, events.

Each reader gives its values for a window of frames, as rows of single objects, which
`find.Search` puts into columns.
"""

from bisect import bisect_right
from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from ...errors import CommandError, DamagedError, EvictedError
from ...recorder.packets.layouts.plain_value_codec import decode
from ...recorder.packets.packet_types import Kind
from ...recorder.packets.trace_types import StateTransition
from ...recorder.reading.frame_source import FrameSource
from ..objects.field_history import FieldReader
from ..recording_damage import DamageLog
from ..transition_reader import transitions_of


class ObjectValues(NamedTuple):
    """The values of one object in some rows of a window."""

    object: int
    rows: Any
    """Places of frames in the window: a slice, or numbers of rows."""
    values: Any
    """One for each row: numbers, truths or vectors; of texts, places in `texts`."""
    texts: Sequence[str] | None = None


class ValueReader(Protocol):
    """Reads what a name means, window by window, oldest first."""

    def read(self, frames: Sequence[int]) -> Iterable[ObjectValues]:
        """The values in these frames, which rise from window to window by one shared frame."""


class FieldValues:
    """A field of all objects that have it."""

    def __init__(
        self, source: FrameSource, field: str, ids: frozenset[int] | None, type: str | None,
        damage: DamageLog,
    ) -> None:  # fmt: skip
        self._reader = FieldReader(source, field, ids, type)
        self._damage = damage

    def read(self, frames: Sequence[int]) -> Iterable[ObjectValues]:
        try:
            for block in self._reader.blocks(frames[0], frames[-1], self._damage):
                rows = np.searchsorted(frames, block.frames)
                values: Any = block.values
                texts: Sequence[str] | None = None
                if block.codes is not None:
                    values, texts = block.codes, block.texts
                elif values.dtype.kind in "OU":
                    found, places = np.unique(values, return_inverse=True)
                    values, texts = places.reshape(values.shape), found.tolist()
                for place, id in enumerate(block.ids.tolist()):
                    yield ObjectValues(id, rows, values[:, place], texts)
        except CommandError:  # no object in this window has such a field
            return


class WatchedValues:
    """A watched value, in the frames in which it was watched."""

    def __init__(self, source: FrameSource, name: str, damage: DamageLog) -> None:
        self._source, self._name, self._damage = source, name, damage

    def read(self, frames: Sequence[int]) -> Iterable[ObjectValues]:
        rows: dict[int, tuple[list[int], list[float]]] = {}
        for row, frame in enumerate(frames):
            try:
                with self._damage.skipping(frame):
                    for (object, name), value in self._source.watches(frame).items():
                        if name == self._name:
                            found = rows.setdefault(object, ([], []))
                            found[0].append(row)
                            found[1].append(value)
            except EvictedError:
                continue
        for object, (places, values) in rows.items():
            yield ObjectValues(object, np.array(places), np.array(values, np.float64))


class EventValues:
    """True in the frames in which an event of a name happened to an object, else false."""

    def __init__(self, source: FrameSource, name: str, damage: DamageLog) -> None:
        self._source, self._name, self._damage = source, name, damage

    def read(self, frames: Sequence[int]) -> Iterable[ObjectValues]:
        rows: dict[int, set[int]] = {}
        for row, frame in enumerate(frames):
            try:
                with self._damage.skipping(frame):
                    for object, name, _ in self._source.events(frame):
                        if name == self._name:
                            rows.setdefault(object, set()).add(row)
            except EvictedError:
                continue
        for object, places in rows.items():
            values = np.zeros(len(frames), np.bool_)
            values[sorted(places)] = True
            yield ObjectValues(object, slice(None), values)


class StateHistory:
    """The transitions of all state machines, read forward as far as they are asked for.

    A clip's change records hold them, so that no frame is unpacked.
    """

    def __init__(self, source: FrameSource, first: int, last: int, damage: DamageLog) -> None:
        self._source, self._damage = source, damage
        self._read_until = first - 1
        self._last = last
        self.changes: dict[tuple[int, str], tuple[list[int], list[StateTransition]]] = {}
        """Frames and transitions, oldest first; keyed by agent and machine."""
        if source.latched(last, 0, Kind.LATE, "") is not None:
            # Transitions of other processes are in other frames than their own: read all.
            for one in transitions_of(source, None, None, first, last, damage):
                trace = StateTransition(one.machine, one.source, one.target, one.won)
                self._add(one.agent, one.frame, trace)
            self._read_until = last
            return
        here = {
            (change.object, source.text(first, change.key))
            for change in source.latch_changes(Kind.STATE, first, first)
        }
        for (agent, _, machine), transition in source.facts(first, (Kind.STATE,)).items():
            if (agent, machine) not in here:
                self._add(agent, first - 1, transition)  # entered earlier, not in this frame
        self.read_until(first)

    def read_until(self, frame: int) -> None:
        """Know all transitions up to a frame."""
        source = self._source
        low, high = self._read_until + 1, min(frame, self._last)
        if low > high:
            return
        for change in source.latch_changes(Kind.STATE, low, high):
            try:
                if change.payload is None:  # the agent is gone, and with it its state
                    trace = StateTransition(source.text(change.frame, change.key), "", "", "")
                else:
                    trace = decode(change.payload, StateTransition)
            except DamagedError as error:
                self._damage.add(change.frame, error)
                continue
            except EvictedError:
                continue
            self._add(change.object, change.frame, trace)
        self._read_until = high

    def state_names(self) -> list[str]:
        """The states that anybody is known to have been in."""
        traces = (trace for _, traces in self.changes.values() for trace in traces)
        names = {name for trace in traces for name in (trace.source, trace.target)}
        return sorted(names - {""})

    def _add(self, agent: int, frame: int, trace: StateTransition) -> None:
        frames, traces = self.changes.setdefault((agent, trace.machine), ([], []))
        frames.append(frame)
        traces.append(trace)


class StateValues:
    """The state that a machine is in.

    Raises:
        CommandError: no machine was named, and an agent has several; while it is read.
    """

    def __init__(self, history: StateHistory, machine: str | None) -> None:
        self._history, self._machine = history, machine

    def read(self, frames: Sequence[int]) -> Iterable[ObjectValues]:
        self._history.read_until(frames[-1])
        seen: dict[int, str] = {}
        for (agent, machine), (changes, traces) in self._history.changes.items():
            if self._machine not in (None, machine):
                continue
            if agent in seen:
                raise CommandError(
                    f"find: object {agent} has the state machines {seen[agent]!r} and {machine!r}:"
                    f" say which, as in state({machine!r})"
                )
            seen[agent] = machine
            low, high = bisect_right(changes, frames[0]), bisect_right(changes, frames[-1])
            low = max(low - 1, 0)  # the one before says what holds in the first frame
            at = np.searchsorted(changes[low:high], frames, side="right") - 1
            texts = [trace.target for trace in traces[low:high]]
            is_there = np.array([text != "" for text in texts], np.bool_)
            rows = np.flatnonzero((at >= 0) & is_there[at] if len(texts) else at >= 0)
            if len(rows):
                yield ObjectValues(agent, rows, at[rows], texts)


class TransitionValues:
    """True in the frames of transitions to a state, or from it, of any object."""

    def __init__(
        self, history: StateHistory, state: str, machine: str | None, *, leaving: bool
    ) -> None:
        self._history, self._state, self._machine = history, state, machine
        self._leaving = leaving

    def read(self, frames: Sequence[int]) -> Iterable[ObjectValues]:
        self._history.read_until(frames[-1])
        place = {frame: row for row, frame in enumerate(frames)}
        found: dict[int, set[int]] = {}
        for (agent, machine), (changes, traces) in self._history.changes.items():
            if self._machine not in (None, machine):
                continue
            rows = found.setdefault(agent, set())
            low, high = bisect_right(changes, frames[0] - 1), bisect_right(changes, frames[-1])
            for frame, trace in zip(changes[low:high], traces[low:high], strict=True):
                state = trace.source if self._leaving else trace.target
                if state == self._state and frame in place:
                    rows.add(place[frame])
        for agent, rows in found.items():
            values = np.zeros(len(frames), np.bool_)
            values[sorted(rows)] = True
            yield ObjectValues(agent, slice(None), values)


def first_possible(source: FrameSource, states: Collection[str], first: int, last: int) -> int:
    """The first frame from `first` to `last` in which anybody can be in one of some states, or
    enter one; the last frame if nobody can at all."""
    try:
        if source.latched(last, 0, Kind.LATE, "") is not None:
            return first  # transitions of other processes are in other frames than their own
        transitions: Iterable[StateTransition] = source.facts(first, (Kind.STATE,)).values()
        if any(trace.target in states for trace in transitions):
            return first
    except (DamagedError, EvictedError):
        return first
    frames = (source.may_latch(Kind.STATE, state, first, last) for state in states)
    return min((frame for frame in frames if frame is not None), default=last)
