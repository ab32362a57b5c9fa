"""A snapshot of one recorded frame: everything in it, read once and never changed."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from ...errors import BusError, PlayheadError
from ...recorder.channel_switches import MOST
from ...recorder.packets.draw_primitives import RecordedDrawing
from ...recorder.packets.layouts.layout import Layout
from ...recorder.packets.log_lines import WATCH
from ...recorder.packets.packet_types import FIRST_OBJECT, Kind, PacketType
from ...recorder.packets.recorded_frame import FrameStamp
from ...recorder.packets.trace_types import StateTransition, TreeNode
from ...recorder.reading.frame_source import FrameSource
from ...recorder.world_adapter import Conventions
from ..scene.drawing_columns import DrawingBlock, blocks_of, files_of
from ..scene.object_columns import FrameObjects, SceneObject, groups_of, plain
from ..scene.packet_columns import PacketColumns, columns_of
from .object_names import ObjectNames
from .placed_and_turned_types import ObservedPoses

__all__ = ["FrameSnapshot", "Key", "PreviousFrame", "SceneObject", "SnapshotReader", "plain"]

Key = tuple[int, str]
"""An object and a name: of its machine, its tree, its watched value."""


class FrameSnapshot(NamedTuple):
    """Everything of one frame."""

    stamp: FrameStamp
    objects: FrameObjects
    drawings: tuple[DrawingBlock, ...]
    watches: Mapping[Key, float]
    states: Mapping[Key, StateTransition]
    """The transition that led to the present state, by agent and machine."""
    trees: Mapping[Key, tuple[TreeNode, ...]]
    facts: Mapping[Key, Any]
    names: Mapping[int, str]
    skeletons: Mapping[str, tuple[int, ...]]
    """Each joint's parent, by `type/number` of the skeleton."""
    channels: Mapping[int, str]
    """Names by bit."""
    conventions: Conventions
    about: Mapping[str, Any]
    traced: Mapping[int, str]
    """The state that each agent's first machine is in."""
    drawn: Callable[[DrawingBlock, int], RecordedDrawing]
    """Decodes one of the drawings by itself."""
    object_names: ObjectNames
    """The names of those that are in other frames."""
    observed_poses: ObservedPoses
    """Which types of objects turn or move, in this frame or another one."""
    paths: Mapping[int, str] = MappingProxyType({})
    """The whole names of those that are called by the end of a path."""

    @property
    def frame(self) -> int:
        return self.stamp.id

    @property
    def time(self) -> float:
        return self.stamp.time

    def name_of(self, object: int) -> str:
        """What to call an object, in this frame or not."""
        if object in self.objects:
            return self.objects.name_of(object)
        if not object:
            return "world"
        return self.names.get(object) or self.object_names.get(object) or f"object {object}"

    def state_of(self, object: int) -> str:
        """The state that an object is in; empty if nothing says so."""
        return self.traced.get(object) or self.objects.state_of(object)


class PreviousFrame(NamedTuple):
    """One object in the frame right before the one that is shown: what differs has changed."""

    frame: int
    object: int
    seen: SceneObject | None
    watches: Mapping[Key, float]
    """Everybody's."""

    @classmethod
    def of(cls, snapshot: FrameSnapshot, object: int) -> "PreviousFrame":
        """An object as it is in a snapshot that was read."""
        return cls(snapshot.frame, object, snapshot.objects.get(object), snapshot.watches)


class SnapshotReader:
    """Reads snapshots of a source's frames.

    Args:
        object_names: Collects the names of all objects that are met.
        observed_poses: Collects where objects are, and how they are turned.
    """

    def __init__(
        self, source: FrameSource, object_names: ObjectNames | None = None,
        observed_poses: ObservedPoses | None = None,
    ) -> None:  # fmt: skip
        self._source = source
        self.object_names = object_names if object_names is not None else ObjectNames()
        self._poses = observed_poses if observed_poses is not None else ObservedPoses()

    def read(self, frame: int) -> FrameSnapshot:
        """Everything of a frame.

        Raises:
            EvictedError: the frame is not in the recording.
            DamagedError: it can't be read.
        """
        source = self._source
        stamp = source.stamp(frame)
        facts = source.facts(frame)
        names = {object: str(v) for (object, kind, _), v in facts.items() if kind is Kind.NAME}
        latched = [value for (_, kind, _), value in facts.items() if kind is Kind.DRAWN]
        columns = columns_of(source.runs(frame))

        def type_of(number: int) -> tuple[str, Layout]:
            return source.type_of(frame, number)

        def drawn(block: DrawingBlock, index: int) -> RecordedDrawing:
            return block.drawn(index, texts.__getitem__)

        blocks = blocks_of(columns, latched, type_of)
        texts = {number: source.text(frame, number) for number in files_of(blocks)}
        states = _of(facts, Kind.STATE)
        groups = groups_of(columns, type_of)
        trees = _of(facts, Kind.TREE)
        self.object_names.name(names)
        short = {object: self.object_names.short(name) for object, name in names.items()}
        self.object_names.grow(trees)
        for group in groups:
            self.object_names.meet(group.type, group.ids)
            self._poses.add(group.type, group.positions, group.angles)
        world = facts.get((0, Kind.WORLD, ""), {})
        return FrameSnapshot(
            stamp=stamp,
            objects=FrameObjects(groups, short),
            drawings=tuple(blocks),
            watches=_watches(columns, lambda number: source.text(frame, number)),
            states=states,
            trees=trees,
            facts=_of(facts, Kind.FACT),
            names=short,
            skeletons=_skeletons(facts),
            channels=_channels(facts),
            conventions=source.conventions(frame),
            about=world.get("about", {}) if isinstance(world, dict) else {},
            traced={agent: states[agent, name].target for agent, name in reversed(states)},
            drawn=drawn,
            object_names=self.object_names,
            observed_poses=self._poses,
            paths={object: name for object, name in names.items() if short[object] != name},
        )

    def previous(
        self, frame: int, object: int, known: FrameSnapshot | None = None
    ) -> PreviousFrame | None:  # fmt: skip
        """An object as it was in the frame right before one; None if that is missing.

        Args:
            known: A snapshot that was read anyway: if it is that frame, nothing is read.

        Raises:
            BusError: the source is lost.
        """
        source, before = self._source, frame - 1
        if known is not None and known.frame == before:
            return PreviousFrame.of(known, object)
        span = source.span
        if span is None or before < span.oldest:
            return None
        try:
            if source.settle(before) != before:
                return None
            # One object of hundreds: the others are not even taken out of their columns.
            runs = [
                run for run in source.runs(before)
                if run[0] == PacketType.WATCH
                or (run[0] >= FIRST_OBJECT and (run[3]["id"] == object).any())
            ]  # fmt: skip
            columns = columns_of(runs)
            groups = groups_of(columns, lambda number: source.type_of(before, number))
            watches = _watches(columns, lambda number: source.text(before, number))
        except BusError:
            raise
        except PlayheadError:
            return None
        return PreviousFrame(before, object, FrameObjects(groups, {}).get(object), watches)


def _of(facts: Mapping[tuple[int, Kind, str], Any], kind_filter: Kind) -> dict[Key, Any]:
    return {
        (object, key): value for (object, kind, key), value in facts.items() if kind is kind_filter
    }


def _watches(columns: Sequence[PacketColumns], text: Callable[[int], str]) -> dict[Key, float]:
    result = {}
    for one in columns:
        if one.type == PacketType.WATCH and one.payloads.shape[1] == WATCH.size:
            objects = one.headers["id"].tolist()
            for object, row in zip(objects, one.payloads, strict=True):
                number, _, value = WATCH.unpack(row.tobytes())
                result[object, text(number)] = value
    return result


def _channels(facts: Mapping[tuple[int, Kind, str], Any]) -> dict[int, str]:
    found = _of(facts, Kind.CHANNEL)
    numbers = {int(number): str(name) for (_, number), name in found.items()}
    return {1 << number: name for number, name in numbers.items() if number < MOST}


def _skeletons(facts: Mapping[tuple[int, Kind, str], Any]) -> dict[str, tuple[int, ...]]:
    result = {}
    for (_, key), value in _of(facts, Kind.SKELETON).items():
        parents = value.get("parents", ()) if isinstance(value, dict) else ()
        result[key] = tuple(int(parent) for parent in parents)
    return result
