"""A world made of a program's own objects: found in every frame, recorded by inspection."""

import logging
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..errors import PlayheadError, RecordingError
from ..handlers.handler_registry import HandlerRegistry
from ..recorder.fault_counts import error_text
from ..recorder.handler_interface import Batch
from ..recorder.recorder import Recorder
from ..recorder.statements.instrumentation_interface import Scalar
from ..recorder.text.safe_text import safe_text
from ..recorder.world_adapter import Conventions, World
from .attribute_restore import OwnValues
from .class_schemas import ObservedClasses
from .environments.recorded_environment import RecordedEnvironment
from .field_inspection import FieldChoice, can_set
from .id_assignment import IdAssignment, Reference
from .object_discovery import (
    FlatReader,
    ListedObjects,
    ObjectSource,
    RefusedObject,
    is_object,
    listed_in,
)
from .observed_type import ObservedType

_logger = logging.getLogger("playhead")


class _Group(NamedTuple):
    """The objects of a class in a frame."""

    kind: type
    type: ObservedType | None
    """None for a class that a handler of the program's serves."""
    name: str
    rows: list[int]
    """Places in the list of all objects."""
    ids: list[int]
    numbers: Any
    """The ids as an array."""
    fresh: set[int]
    """Rows of objects that were never seen before."""
    names: list[str]
    """What the objects call themselves; empty if none of them does."""


class ObservedWorld(World):
    """The world of a program that has none of its own.

    Args:
        handlers: The program's own handlers, which are preferred to inspection; it also gets what
            plays the other types.
        fields: What is recorded of a class, by its name or itself; by default all that can be.
        restore: Whether recorded fields are put back into the objects in playback.
        conventions: How the program's numbers are to be read; by default a world of two dimensions
            has its y upwards, or downwards and pixels if pygame is loaded.
        degrees: Whether angles are degrees; else they are radians.
        about: Plain values that describe the recording.
    """

    def __init__(
        self,
        *,
        handlers: HandlerRegistry,
        fields: Mapping[str | type, FieldChoice] | None = None,
        restore: bool = True,
        conventions: Conventions | None = None,
        degrees: bool = False,
        about: Mapping[str, Scalar] | None = None,
    ) -> None:
        self.can_restore = restore
        self.seconds = 0.0
        """Game time: the sum of the steps."""
        self.mistake: RecordingError | None = None
        """What the end of this step raises, strict or not."""
        self.is_ended = False
        """Whether the objects may be gone: frames hold what the newest one held from then on."""
        self._batches: list[Batch] = []
        """What the newest frame recorded, without the objects themselves."""
        self._sources: list[ObjectSource] = []
        self._ids = IdAssignment()
        self._named: dict[int, str] = {}
        """The names of objects that were recorded last."""
        self._recorder: Recorder | None = None
        self._stopped: list[tuple[int, str, Any]] | None = None
        """All objects while the world is paused for playback."""
        self._own = OwnValues()
        self.classes = ObservedClasses(
            handlers, fields or {}, restore=restore, conventions=conventions, degrees=degrees,
            about=about or {}, ids=self._ids, own=self._own, complain=self._complain,
            refuse=self._refuse, label=self._label,
        )  # fmt: skip
        self.conventions = self.classes.conventions
        self._hidden: dict[int, Any] = {}
        self._flat = FlatReader()
        self._raw: list[Reference] = []
        """What the newest frame's sources gave, by which the next is seen to have the same."""
        self._kinds: list[type] = []
        """The classes of that: an object's may change."""
        self._keys: list[Any] = []
        """What dicts among them call it."""
        self._rows: list[int] | None = None
        """Which of that are the objects, if some were given twice."""
        self._references: list[Reference] = []
        """The objects of the newest frame."""
        self._groups: list[_Group] = []
        self._ids_by_key: dict[tuple[Any, ...], tuple[int, type]] = {}
        """Which object was at which place, of objects that are replaced rather than changed."""
        self._on_gone: dict[int, list[Callable[[], object]]] = {}
        self._objects: list[Any] = []
        """Those of the frame that is being recorded, while it is."""
        self._unlisted: dict[int, type] = {}
        """Ids that objects got before any source gave them, and their classes."""
        self._mentioned: dict[int, tuple[str, bool]] = {}
        """Those of them that statements name, and whether that is a mistake if no source gives
        it by the end of the step."""

    def attach(self, recorder: Recorder) -> None:
        """Set the recorder of this world; before the first frame."""
        self._recorder = self.classes.recorder = recorder

    # --- what is recorded -------------------------------------------------------------------------

    def add(self, thing: Any) -> None:
        """Record the objects of something more from the next frame on. Twice is once.

        Raises:
            RecordingError: it is nothing that can be recorded.
        """
        if any(source.thing is thing for source in self._sources):
            return
        source = ObjectSource(thing)
        self._sources.append(source)
        if not source.is_function:
            for listed in listed_in(thing):
                self._ids.of(listed.object)

    def on_gone(self, id: int, listener: Callable[[], object]) -> None:
        """Have `listener` called whenever the object with this id is not listed any more."""
        self._on_gone.setdefault(id, []).append(listener)

    def id_of(self, object: Any) -> int | None:
        """The id of an object that a statement names; see `number_of`.

        If no source gives the object by the end of the step, that is a mistake.
        """
        return self.mentioned_id(object, is_mistake=True)

    def mentioned_id(self, object: Any, *, is_mistake: bool = False) -> int | None:
        """The same; if it is no mistake it is reported, and not raised."""
        found = self.number_of(object)
        if found in self._unlisted:
            before = self._mentioned.get(found, ("", False))[1]
            self._mentioned[found] = safe_text(object), is_mistake or before
        return found

    def number_of(self, object: Any) -> int | None:
        """The id of an object, also of one that was made in this step; None for what is none."""
        if isinstance(object, RecordedEnvironment) and object.recorded_as is not None:
            object = object.recorded_as
        if isinstance(object, str):
            return self._id_by_name(object)
        found = self._ids.get(object)
        if found is None and is_object(object):
            found = self._ids.of(object)
            self._unlisted[found] = type(object)
        return found

    def _id_by_name(self, name: str) -> int | None:
        """The id of the only object that is listed by a name, also before its first frame."""
        if name in self._named.values():
            return None  # the recorder knows it
        things = [
            listed.object for source in self._sources if not source.is_function
            for listed in listed_in(source.thing) if listed.name == name
        ]  # fmt: skip
        return self._ids.of(things[0]) if len(things) == 1 else None

    def known_id(self, object: Any) -> int | None:
        """The id of an object that was recorded, or will be in this step; None for any other."""
        found = self._ids.get(object)
        return None if found in self._unlisted else found

    @property
    def is_without_objects(self) -> bool:
        """Whether something was to be recorded and no object of it ever came."""
        return bool(self._sources) and not self.classes.names

    # --- World --------------------------------------------------------------------------------

    def time(self) -> float:
        return self.seconds

    def find(self, object_id: int) -> Any | None:
        return self._ids.find(object_id)

    def objects(self) -> Iterable[tuple[int, str, Any]]:
        """In playback all objects; while recording those that a handler of the program's serves."""
        if self._stopped is not None:
            return self._stopped
        if self.is_ended:
            return ()
        self._find_objects()
        if self._unlisted:
            self._warn_unlisted()
        served = []
        for group in self._groups:
            if group.type is None:
                rows = [self._objects[row] for row in group.rows]
                served += [(id, group.name, obj) for id, obj in zip(group.ids, rows, strict=True)]
        return served

    def batches(self) -> Iterator[Batch]:
        """The other objects, as columns."""
        if self.is_ended:
            yield from self._batches
            return
        self._batches = []
        try:
            for group in self._groups:
                if group.type is None:
                    continue
                objs = [self._objects[row] for row in group.rows]
                fresh = [self._objects[row] for row in group.fresh]
                batches = self._batches_of(group.type, group, objs, fresh)
                self._batches += batches
                yield from batches
                if fresh:
                    self.classes.find_conventions(group.type)
                    self.conventions = self.classes.conventions
                    self.classes.play(group.type)
        finally:
            for group in self._groups:
                group.fresh.clear()
            self._objects = []

    def _batches_of(
        self, type: ObservedType, group: _Group, objs: list[Any], fresh: list[Any]
    ) -> list[Batch]:
        """The objects of a class; without their fields if they can't be read."""
        try:
            return list(type.batches(group.ids, objs, fresh, group.numbers))
        except Exception as error:
            self._complain_of(f"fields of {group.name}", error)
        try:
            return [type.bare(group.numbers)]
        except Exception as error:  # not even its name can be recorded
            self._complain_of(group.name, error)
            return []

    def pause(self) -> None:
        stopped = []
        for group in self._groups:
            for id, row in zip(group.ids, group.rows, strict=True):
                obj = self._references[row]()
                if obj is None:
                    continue
                stopped.append((id, group.name, obj))
                if group.type is not None and group.type.can_restore:
                    self._own.save(id, obj, group.type)
        self._stopped = stopped

    def resume(self) -> None:
        self._own.restore(self._failed)
        self._stopped = None
        self._hidden.clear()

    def hide(self, object_id: int) -> None:
        """Turn `visible` off, for objects that have it."""
        obj = self.find(object_id)
        if obj is not None and self._can_hide(obj):
            self._hidden[object_id] = obj.visible
            obj.visible = type(obj.visible)(False)

    def unhide(self, object_id: int) -> None:
        obj = self.find(object_id)
        if obj is not None and object_id in self._hidden:
            obj.visible = self._hidden.pop(object_id)

    def _can_hide(self, obj: Any) -> bool:
        type = self.classes.types.get(obj.__class__)
        return type is not None and any(
            field.name == "visible" and field.restorable and isinstance(field.value(obj), bool)
            for field in type.fields
            if not field.path[-1:] or not field.path[-1].is_item
        )

    # --- finding objects --------------------------------------------------------------------------

    def _find_objects(self) -> None:
        things = [self._objects_of(source) for source in self._sources]
        flats = [self._flat.read(thing) for thing in things]
        raw = [obj for flat in flats if flat is not None for obj in flat.objects]
        keys = [key for flat in flats if flat is not None for key in flat.keys]
        is_flat = None not in flats
        if (
            is_flat
            and len(raw) == len(self._raw)
            and _are_same(keys, self._keys)
            and all(map(operator.is_, raw, map(operator.call, self._raw)))
            and all(map(operator.is_, map(type, raw), self._kinds))
        ):
            self._objects = raw if self._rows is None else [raw[row] for row in self._rows]
            self._name_again()
            return
        listed = self._listed(things)
        self._objects = [one.object for one in listed]
        self._regroup(listed)
        self._raw, self._kinds, self._rows, self._keys = [], [], None, keys
        if is_flat:
            first: dict[int, int] = {}
            for row, obj in enumerate(raw):
                first.setdefault(id(obj), row)
            if len(first) < len(raw):
                self._rows = list(first.values())
            self._raw = [self._ids.reference(self._ids.of(obj)) for obj in raw]
            self._kinds = list(map(type, raw))

    def _objects_of(self, source: ObjectSource) -> Any:
        try:
            return source.objects()
        except Exception as error:
            refusal = RecordingError(
                f"{safe_text(source.thing)} raised {error_text(error)}: it gives no objects"
            )
            refusal.__cause__ = error
            self._complain("objects()", refusal)
            return ()

    def _listed(self, things: Sequence[Any]) -> list[ListedObjects]:
        """What is in all things, each object once; what is none is complained about."""
        found: list[ListedObjects] = []
        seen: set[int] = set()
        for number, thing in enumerate(things):
            for listed in listed_in(thing):
                if isinstance(listed.object, RefusedObject):
                    self._complain("objects", listed.object.error)
                elif id(listed.object) not in seen:
                    seen.add(id(listed.object))
                    found.append(listed._replace(key=(number, *listed.key)))
        return found

    def _warn_unlisted(self) -> None:
        """Report objects that statements name and that no source gives."""
        here = {id for group in self._groups for id in group.ids}
        mentioned, self._mentioned = self._mentioned, {}
        for id, kind in tuple(self._unlisted.items()):
            if id in mentioned and id not in here:
                text, is_mistake = mentioned[id]
                error = RecordingError(
                    f"{text} is not recorded, but a statement names it (as focus=, object= or an"
                    " agent): add it with rec.add(…)"
                )
                # Of many objects of a class the first is logged, as the cause is the class.
                cause = f"unrecorded {kind.__name__}"
                if is_mistake:
                    self._complain(cause, error)
                elif self._recorder is not None:
                    self._recorder.faults.call_refused(cause, error, level=logging.WARNING)
            if id in here or id in mentioned or self._ids.find(id) is None:
                del self._unlisted[id]

    def _regroup(self, listed: Sequence[ListedObjects]) -> None:
        known = {id: group.kind for group in self._groups for id in group.ids}
        found: dict[type, tuple[list[int], list[int], set[int]]] = {}
        ids_by_key: dict[tuple[Any, ...], tuple[int, type]] = {}
        here = {self._ids.get(one.object) for one in listed}
        references: list[Reference] = []
        for row, (obj, key, _) in enumerate(listed):
            kind = type(obj)
            references.append(_nobody)
            try:
                number = self._ids.get(obj)
                if number is None:
                    number = self._id_by_key(obj, key, here)
                if not can_set(obj):
                    ids_by_key[key] = number, kind
                self.classes.name_of(kind)
                rows, ids, fresh = found.setdefault(kind, ([], [], set()))
            except Exception as error:  # its class, or its key in a dict, breaks
                self._complain_of("objects", error)
                continue
            references[row] = self._ids.reference(number)
            rows.append(row)
            ids.append(number)
            if known.get(number) is not kind:
                fresh.add(row)
        self._ids_by_key, self._references = ids_by_key, references
        self._groups = [
            _Group(
                kind, self.classes.type_of(kind), self.classes.name_of(kind), rows, ids,
                np.array(ids, np.uint64), fresh, self._name_all(listed, rows, ids),
            )
            for kind, (rows, ids, fresh) in found.items()
        ]  # fmt: skip
        present = {id for group in self._groups for id in group.ids}
        self._ids.forget_all_but(present)
        for gone in self._named.keys() - present:
            del self._named[gone]
        for gone in (known.keys() - present) & self._on_gone.keys():
            for listener in self._on_gone[gone]:
                listener()

    def _name_all(
        self, listed: Sequence[ListedObjects], rows: Sequence[int], ids: Sequence[int]
    ) -> list[str]:
        """Say what objects are called; returns what they say themselves, if any of them does."""
        own = [self._own_name(listed[row].object) for row in rows]
        for id, row, name in zip(ids, rows, own, strict=True):
            self._latch_name(id, listed[row].name or name)
        return own if any(own) else []

    def _own_name(self, obj: Any) -> str:
        try:
            name = dict.get(obj, "name") if isinstance(obj, dict) else getattr(obj, "name", None)
        except Exception as error:
            self._complain_of(f"name of {type(obj).__name__}", error)
            return ""
        return name if isinstance(name, str) else ""

    def _name_again(self) -> None:
        """Record the names that objects have changed."""
        for group in self._groups:
            if not group.names:
                continue
            names = [self._own_name(self._objects[row]) for row in group.rows]
            if names != group.names:
                for id, name, before in zip(group.ids, names, group.names, strict=True):
                    if name != before:
                        self._latch_name(id, name)
                group.names[:] = names

    def _latch_name(self, id: int, name: str) -> None:
        if name and self._named.get(id) != name and self._recorder is not None:
            self._named[id] = name
            self._recorder.name(id, name)

    def _id_by_key(self, obj: Any, key: tuple[Any, ...], here: set[int | None]) -> int:
        """The id of a new object: that of what it replaces, if such can't change."""
        before = self._ids_by_key.get(key)
        if before is not None and not can_set(obj) and before[1] is type(obj):
            number = before[0]
            if number not in here:
                self._ids.reassign(number, obj)
                here.add(number)
                return number
        return self._ids.of(obj)

    # --- what goes wrong --------------------------------------------------------------------------

    def _label(self, id: int) -> str:
        name = self._named.get(id)
        obj = self._ids.find(id)
        kind = "object" if obj is None else self.classes.name_of(type(obj))
        return f"{name} (id {id})" if name else f"{kind} {id}"

    def _complain(self, cause: str, error: PlayheadError) -> None:
        if self._recorder is None:
            raise error
        with self._recorder.refusing(cause):
            raise error

    def _refuse(self, cause: str, error: RecordingError) -> None:
        if self._recorder is None or self._recorder.strict:
            self._complain(cause, error)
            return
        self._recorder.faults.lost(cause, "", f"{cause}: {error}")
        self.mistake = self.mistake or error

    def _complain_of(self, cause: str, error: Exception) -> None:
        if not isinstance(error, PlayheadError):
            refusal = RecordingError(f"{cause}: {error_text(error)}")
            refusal.__cause__ = error
            error = refusal
        self._complain(cause, error)

    def _failed(self, cause: str, error: Exception) -> None:
        if self._recorder is not None:
            self._recorder.faults.call_refused(cause, error)


def _are_same(keys: list[Any], others: list[Any]) -> bool:
    try:
        return keys == others
    except Exception:  # a key of the program's own that can't be compared
        return False


def _nobody() -> None:
    return None
