"""How often something happened: a node ticked, a transition made, a rule won, a field changed."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import msgspec
import numpy as np

from ..errors import CommandError
from ..recorder.packets.packet_types import Kind
from ..recorder.packets.trace_types import TreeTick
from ..recorder.reading.frame_source import FrameSource
from ..recorder.text.how_often_in_words import how_often
from ..recorder.text.name_hint import name_hint
from ..recorder.text.safe_text import short_text
from .decisions.decision_location import (
    FieldLocation,
    Location,
    NodeLocation,
    RuleLocation,
    TransitionLocation,
)
from .frame_lookup import stretches_in
from .objects.field_history import FieldReader
from .recording_damage import DamageLog
from .transition_reader import RecordedTransition, state_at, transitions_of
from .trees.tree_snapshot import status_of, trees_at

MOST_FRAMES = 10_000
"""Frames that an answer lists; it counts all."""


class OccurrenceCount(msgspec.Struct, frozen=True):
    """How often something was decided in a range of a recording, and its value at the end."""

    object: int
    location: Location
    count: int
    """A node: ticks. A transition: how often it was made. A rule: how often it won. A field: how
    often it changed."""
    first: int | None
    """The frame of the first one; None for never."""
    last: int | None
    first_time: float | None
    """Seconds on the timeline."""
    last_time: float | None
    outcomes: dict[str, int]
    """How often each outcome came: of a node its statuses, of a transition where it led, of a
    rule `won`, `also true`, `rejected`; of a field nothing."""
    now: Any
    """At the end of the stretch: the node's status, the machine's state, what the rule was in the
    newest decision, the field's value; None if unknown."""
    frames: tuple[int, ...]
    """The frames in which it happened, oldest first: the first ten thousand."""
    end: int = 0
    """The last frame of the stretch, to which `now` belongs: of a running game the newest, also
    while an older one is shown."""

    @property
    def text(self) -> str:
        """All of this as a line of text."""
        if not self.count:
            changed = " changed" if isinstance(self.location, FieldLocation) else ""
            return f"never{changed}; {self._end_text}"
        outcomes = ", ".join(f"{name or 'none'} {count:,}" for name, count in self.outcomes.items())
        frames = f"frames {self.first} to {self.last}"
        if self.first == self.last:
            frames = f"frame {self.first}"
        counts = f"{how_often(self.count)}{f' ({outcomes})' if outcomes else ''}"
        return f"{counts}, {frames}; {self._end_text}"

    @property
    def _end_text(self) -> str:
        return f"at the end, frame {self.end}: {_now_text(self.now)}"


def occurrences_of(
    source: FrameSource, object: int, location: Location, first: int, last: int, damage: DamageLog
) -> OccurrenceCount:
    """How often something was decided from one frame to another.

    Raises:
        CommandError: the object has no such node, machine or field.
    """
    found: list[int]
    outcomes: Counter[str] = Counter()
    match location:
        case NodeLocation():
            found, now = _node(source, object, location, first, last, damage, outcomes)
        case TransitionLocation():
            machine = location.machine or None
            made = [one for one in transitions_of(source, object, machine, first, last, damage)
                    if one.frame >= first and location.matches(one.source, one.target)]  # fmt: skip
            outcomes.update(one.target for one in made)
            found, now = [one.frame for one in made], _state(source, object, machine, last)
        case RuleLocation():
            machine = location.machine or None
            decided = [one for one in transitions_of(source, object, machine, first, last, damage)
                       if one.frame >= first]  # fmt: skip
            found, now = _rule(location, decided, outcomes)
        case FieldLocation():
            found, now = _field(source, object, location, first, last, damage)
    oldest, newest = (found[0], found[-1]) if found else (None, None)
    return OccurrenceCount(
        object, location, len(found), oldest, newest,
        None if oldest is None else source.time(oldest),
        None if newest is None else source.time(newest),
        dict(outcomes), now, tuple(found[:MOST_FRAMES]), last,
    )  # fmt: skip


def _node(
    source: FrameSource, agent: int, location: NodeLocation, first: int, last: int,
    damage: DamageLog, outcomes: Counter[str],
) -> tuple[list[int], str | None]:  # fmt: skip
    trees = [tree for each, tree in trees_at(source, last) if each == agent]
    meant = [tree for tree in trees if location.tree in ("", tree)]
    if not meant:
        hint = name_hint(location.tree, trees) if trees else "it has none"
        raise CommandError(f"object {agent} has no tree {location.tree!r}: {hint}")
    names = {tree: [node.name for node in source.tree(last, agent, tree)] for tree in meant}
    known = [name for tree in meant for name in names[tree]]
    if not any(_indexes(location, names[tree]) for tree in meant):
        raise CommandError(f"no {location.text} in the tree: {name_hint(location.name, known)}")
    defined = {
        (row.frame, source.text(row.frame, row.key))
        for row in source.latch_changes(Kind.TREE, first, last) if row.object == agent
    }  # fmt: skip
    found, now = [], None
    indexes: dict[str, list[int]] = {}
    for frame, trace in _ticks(source, agent, meant, first, last, damage):
        if trace.tree not in indexes or (frame, trace.tree) in defined:
            nodes = [node.name for node in source.tree(frame, agent, trace.tree)]
            indexes[trace.tree] = _indexes(location, nodes)
        for index in indexes[trace.tree]:
            status = status_of(trace, index)
            now = status or "not ticked"
            if status:
                outcomes[status] += 1
                found.append(frame)
    return found, now


def _indexes(location: NodeLocation, names: list[str]) -> list[int]:
    if location.index >= 0:
        return [location.index] if location.index < len(names) else []
    return [index for index, name in enumerate(names) if name == location.name]


def _ticks(
    source: FrameSource, agent: int, trees: list[str], first: int, last: int, damage: DamageLog
) -> Iterator[tuple[int, TreeTick]]:
    for low, high in stretches_in(source, first, last):
        for frame in range(low, high + 1):
            with damage.skipping(frame):
                for each, trace in source.traces(frame):
                    if each == agent and isinstance(trace, TreeTick) and trace.tree in trees:
                        yield frame, trace


def _rule(
    location: RuleLocation, decided: list[RecordedTransition], outcomes: Counter[str]
) -> tuple[list[int], str | None]:
    now, known = None, set[str]()
    found = []
    for one in decided:
        rejected = {rejection.condition for rejection in one.rejected}
        won = one.won.partition(", hook ")[0]
        known |= {won, *one.also_true, *rejected}
        for outcome, is_it in (
            ("won", won == location.name), ("also true", location.name in one.also_true),
            ("rejected", location.name in rejected),
        ):  # fmt: skip
            if is_it:
                now = outcome
                outcomes[outcome] += 1
        if won == location.name:
            found.append(one.frame)
    if now is None and known:
        raise CommandError(
            f"no {location.text} in any decision: {name_hint(location.name, sorted(known))}"
        )
    return found, now


def _state(source: FrameSource, agent: int, machine: str | None, frame: int) -> str | None:
    try:
        return state_at(source, agent, machine, frame)
    except CommandError:  # of several machines none was named
        return None


def _field(
    source: FrameSource,
    object: int,
    location: FieldLocation,
    first: int,
    last: int,
    damage: DamageLog,
) -> tuple[list[int], Any]:
    found: list[int] = []
    now: Any = None
    for block in FieldReader(source, location.field, {object}, None).blocks(first, last, damage):
        values = block.values[:, 0]
        changed = values[1:] != values[:-1]
        if changed.ndim > 1:
            changed = changed.any(axis=tuple(range(1, changed.ndim)))
        if now is not None and not np.array_equal(now, values[0]):
            found.append(int(block.frames[0]))
        found += block.frames[1:][changed].tolist()
        now = values[-1]
    return found, now.tolist() if isinstance(now, np.ndarray | np.generic) else now


def _now_text(now: Any) -> str:
    return "unknown" if now is None else short_text(now)
