"""A moment: all that one recorded frame shows and says, read once and then only looked at."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from ...errors import HandlerError
from ...recorder.frame import FrameStamp, Packet
from ...recorder.kinds import Kind
from ...recorder.layout import Layout
from ...recorder.reader import Drawn, FrameSource
from ...recorder.traces import StateTrace, TreeNode
from ...recorder.world import Conventions

Key = tuple[int, str]
"""An object and a name: of its machine, its tree, its watched value."""


class Seen(NamedTuple):
    """An object as it was recorded in the frame."""

    packet: Packet
    name: str
    """What people call it; its type and id if nobody does."""
    values: Mapping[str, Any]
    """Its payload's fields; empty if the packet is damaged."""
    layout: Layout | None
    trouble: str = ""
    """Why the fields can't be read."""


class Moment(NamedTuple):
    """Everything of one frame."""

    stamp: FrameStamp
    objects: Mapping[int, Seen]
    drawn: tuple[Drawn, ...]
    watches: Mapping[Key, float]
    states: Mapping[Key, StateTrace]
    """By agent and machine: the transition that led to the present state."""
    trees: Mapping[Key, tuple[TreeNode, ...]]
    facts: Mapping[Key, Any]
    names: Mapping[int, str]
    skeletons: Mapping[str, tuple[int, ...]]
    """Each joint's parent, by `type/number` of the skeleton."""
    channels: Mapping[int, str]
    """Names by bit."""
    conventions: Conventions
    about: Mapping[str, Any]

    @property
    def frame(self) -> int:
        return self.stamp.id

    @property
    def time(self) -> float:
        return self.stamp.time

    def name_of(self, object: int) -> str:
        """What to call an object, in this frame or not."""
        seen = self.objects.get(object)
        if seen is not None:
            return seen.name
        return self.names.get(object) or (f"object {object}" if object else "world")

    def state_of(self, object: int) -> str:
        """The state that an object is in; empty if nothing says so."""
        for (agent, _), trace in self.states.items():
            if agent == object:
                return trace.target
        seen = self.objects.get(object)
        if seen is None or seen.layout is None:
            return ""
        for field, note in seen.layout.notes.items():
            if note.role == "state" and field in seen.values:
                return plain(seen.values[field])
        return ""


class MomentReader:
    """Reads moments of a source, and remembers what many frames share."""

    def __init__(self, source: FrameSource) -> None:
        self._source = source
        self._layouts: dict[int, Layout | None] = {}

    def read(self, frame: int) -> Moment:
        """Everything of a frame.

        Raises:
            EvictedError: the frame is not held.
            DamagedError: it can't be read.
        """
        source = self._source
        stamp = source.stamp(frame)
        facts = source.facts(frame)
        names = {object: str(v) for (object, kind, _), v in facts.items() if kind is Kind.NAME}
        trouble = ""
        try:
            decoded = source.decoded(frame)
        except HandlerError as error:
            trouble = str(error)
            decoded = [(packet, {}) for packet in source.objects(frame)]
        objects = {
            packet.id: Seen(
                packet,
                names.get(packet.id) or f"{packet.type} {packet.id}",
                values,
                self._layout(frame, packet),
                "its handler failed in this frame" if packet.damaged else trouble,
            )
            for packet, values in decoded
        }
        told = facts.get((0, Kind.WORLD, ""), {})
        return Moment(
            stamp=stamp,
            objects=objects,
            drawn=tuple(source.drawn(frame)),
            watches=source.watches(frame),
            states=_of(facts, Kind.STATE),
            trees=_of(facts, Kind.TREE),
            facts=_of(facts, Kind.FACT),
            names=names,
            skeletons=_skeletons(facts),
            channels=source.channel_names(frame),
            conventions=source.conventions(frame),
            about=told.get("about", {}) if isinstance(told, dict) else {},
        )

    def _layout(self, frame: int, packet: Packet) -> Layout | None:
        if packet.number not in self._layouts:
            self._layouts[packet.number] = self._source.layout(frame, packet.type)
        return self._layouts[packet.number]


def _of(facts: Mapping[tuple[int, Kind, str], Any], wanted: Kind) -> dict[Key, Any]:
    return {(object, key): value for (object, kind, key), value in facts.items() if kind is wanted}


def _skeletons(facts: Mapping[tuple[int, Kind, str], Any]) -> dict[str, tuple[int, ...]]:
    told = {}
    for (_, key), value in _of(facts, Kind.SKELETON).items():
        parents = value.get("parents", ()) if isinstance(value, dict) else ()
        told[key] = tuple(int(parent) for parent in parents)
    return told


def plain(value: Any) -> str:
    """A recorded text without its padding."""
    if isinstance(value, bytes):
        return value.rstrip(b"\0").decode("utf-8", errors="replace")
    return str(value)
