"""The names of all objects and tree nodes that were met, whatever frame one looks at: lanes, lines
of the log and beliefs are about objects that may be gone by then."""

from collections.abc import Iterable, Mapping

import numpy as np

from ...errors import BusError, PlayheadError
from ...native.ring_type_aliases import RUN_LATCHED
from ...recorder.packets.packet_types import FIRST_OBJECT, Kind
from ...recorder.packets.trace_types import TreeNode
from ...recorder.reading.frame_source import FrameSource
from ...recording.objects.object_lookup import shown_name

_TRIES = 3
"""How many frames are looked at for an object that is in none of them: some agents are no
objects."""


class ObjectNames:
    """Names by object. One thread writes, others may look up at any time."""

    def __init__(self) -> None:
        self._names: dict[int, str] = {}
        self._paths: dict[str, set[str]] = {}
        """Paths of a game's nodes that were met, by their last parts."""
        self._shorts: dict[str, str] = {}
        """What was found for them, until another one is met."""
        self._tries: dict[int, int] = {}
        self._trees: dict[tuple[int, str], tuple[TreeNode, ...]] = {}
        self.version = 0
        """Counts up when something is called otherwise than before."""

    def get(self, object: int) -> str:
        """What an object is called; empty if it was not met."""
        return self._names.get(object, "")

    def tree(self, agent: int, tree: str) -> tuple[TreeNode, ...]:
        """The nodes of a tree as it was defined last; none if it was not met."""
        return self._trees.get((agent, tree), ())

    def grow(self, trees: Mapping[tuple[int, str], tuple[TreeNode, ...]]) -> None:
        """Take in definitions of trees."""
        for key, nodes in trees.items():
            if self._trees.get(key) is not nodes:
                self.version += self._trees.get(key) != nodes
                self._trees[key] = nodes

    def name(self, names: Mapping[int, str]) -> None:
        """Take in names given to objects."""
        for name in names.values():
            if _is_path(name):
                alike = self._paths.setdefault(_parts(name)[-1], set())
                if name not in alike:
                    alike.add(name)
                    self._shorts.clear()
        for object, name in names.items():
            short = self.short(name)
            if short and self._names.get(object) != short:
                self._names[object] = short
                self.version += 1

    def short(self, name: str) -> str:
        """A name as it is shown: of a node's path only its end, as much as distinguishes it.

        `/root/Main/Enemies/Enemy3` is `Enemy3`, or `Enemies/Enemy3` where there is another one.
        """
        if not _is_path(name):
            return name
        if name not in self._shorts:
            self._shorts[name] = self._end_of(name)
        return self._shorts[name]

    def _end_of(self, name: str) -> str:
        parts = _parts(name)
        others = [_parts(other) for other in self._paths.get(parts[-1], ()) if other != name]
        for count in range(1, len(parts)):
            if all(other[-count:] != parts[-count:] for other in others):
                return "/".join(parts[-count:])
        return name

    def meet(self, type: str, objects: Iterable[int]) -> None:
        """Take in objects of a type."""
        for object in objects:
            if object not in self._names:
                self._names[object] = shown_name("", type, object)
                self.version += 1

    def look(self, source: FrameSource, frame: int, objects: Iterable[int]) -> None:
        """Look in a frame for those of these objects that were not met.

        Raises:
            BusError: the source is lost.
        """
        missing = {
            object for object in objects
            if object and object not in self._names and self._tries.get(object, 0) < _TRIES
        }  # fmt: skip
        if missing:
            for object in missing:
                self._tries[object] = self._tries.get(object, 0) + 1
            self.look_again(source, frame, missing)

    def look_again(self, source: FrameSource, frame: int, objects: Iterable[int]) -> None:
        """Look in a frame what these objects are called there.

        Raises:
            BusError: the source is lost.
        """
        missing = set(objects)
        try:
            for type, _, flags, headers, _ in source.runs(frame):
                if type >= FIRST_OBJECT and not flags & RUN_LATCHED:
                    found = missing.intersection(np.unique(headers["id"]).tolist())
                    if found:
                        self.meet(source.type_of(frame, type)[0], found)
            facts = source.facts(frame, (Kind.NAME, Kind.TREE))
        except BusError:
            raise
        except PlayheadError:
            return  # evicted or damaged: there are other frames
        self.name({
            object: str(value) for (object, kind, _), value in facts.items()
            if kind is Kind.NAME and object in missing
        })  # fmt: skip
        self.grow({
            (object, tree): nodes for (object, kind, tree), nodes in facts.items()
            if kind is Kind.TREE and object in missing
        })  # fmt: skip


def _is_path(name: str) -> bool:
    return name.startswith("/") and len(_parts(name)) > 1


def _parts(path: str) -> list[str]:
    return [part for part in path.split("/") if part]
