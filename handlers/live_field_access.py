"""Reads and sets one field of a living object, whatever handler records its type."""

from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

import numpy as np

from ..errors import CommandError, HandlerError, PlayheadError
from ..recorder.handler_interface import BatchHandler, HandlerSpec, PlaybackHandler, RecordHandler
from ..recorder.packets.layouts.layout import Layout
from ..recorder.packets.recorded_frame import Packet
from ..recorder.recorder import Recorder
from ..recorder.world_adapter import World
from .field_value_conversion import part_of, split_path, value_like, with_part
from .handler_registry import HandlerRegistry


@runtime_checkable
class SetsFields(Protocol):
    """A handler that sets a field by itself, and leaves the others alone."""

    def get_field(self, obj: Any, field: str) -> Any:
        """The value of a field as the object has it."""

    def set_field(self, obj: Any, field: str, value: Any) -> None:
        """Set a field.

        Raises:
            CommandError: it can't be set, or not to this value.
        """


class FieldAccess:
    """The fields of a world's objects. For the game's thread.

    Args:
        world: Gives the objects.
        recorder: Knows their types.
        players: What plays each type.
        handlers: What records each type, where a handler does.
    """

    def __init__(
        self, world: World, recorder: Recorder, players: Mapping[str, PlaybackHandler],
        handlers: HandlerRegistry,
    ) -> None:  # fmt: skip
        self._world, self._recorder = world, recorder
        self._players, self._handlers = players, handlers

    def get(self, object: int, path: str) -> Any:
        """The value of a field, or of a part of it, as the object has it now.

        Raises:
            CommandError: there is no such object or field.
        """
        obj, fields = self._fields_of(object)
        name, parts = split_path(path, self._names(object))
        return part_of(fields.get_field(obj, name), parts, path)

    def set(self, object: int, path: str, value: Any) -> None:
        """Set a field, or a part of it, and see that the object has it.

        Raises:
            CommandError: there is no such object or field, it can't be set, or not to this value.
        """
        obj, fields = self._fields_of(object)
        name, parts = split_path(path, self._names(object))
        before = fields.get_field(obj, name)
        if parts:
            like = part_of(before, parts, path)
            value = with_part(before, parts, value_like(like, value, path))
        new = value_like(before, value, name)
        try:
            fields.set_field(obj, name, new)
        except CommandError:
            raise
        except Exception as error:
            raise CommandError(f"{path} can't be set: {type(error).__name__}: {error}") from None
        if not _is_same(fields.get_field(obj, name), new):
            raise CommandError(f"{path} is read-only: the object did not take it")

    def packet_of(self, object: int) -> tuple[Packet, Layout]:
        """An object's packet in the newest frame, and its layout.

        Raises:
            CommandError: it is not in that frame.
        """
        source = self._recorder.source
        span = source.span
        if span is not None:
            for packet in source.objects(span.newest):
                if packet.id == object:
                    return packet, source.type_of(span.newest, packet.number)[1]
        raise CommandError(f"object {object} is not in the newest frame")

    def _names(self, object: int) -> list[str]:
        packet, layout = self.packet_of(object)
        if packet.damaged:
            raise CommandError(f"object {object}: its packet of the newest frame is damaged")
        return [name for name, _, _ in layout.fields]

    def _fields_of(self, object: int) -> tuple[Any, SetsFields]:
        packet, _ = self.packet_of(object)
        obj, player = self._world.find(object), self._players.get(packet.type)
        if obj is None:
            raise CommandError(f"object {object} is not in the game now")
        if player is None or not self._world.can_restore:
            raise CommandError(
                f"object {object}: nothing sets the objects of type {packet.type!r}: it has no"
                " handler that plays them"
            )
        if isinstance(player, SetsFields):
            return obj, player
        handlers = self._handlers
        record = handlers[packet.type].record if packet.type in handlers else None
        if record is None:
            raise CommandError(f"object {object}: no handler here records type {packet.type!r}")
        return obj, _PacketFields(object, record, player)


class _PacketFields:
    """Sets a field by way of a packet: recorded, changed there, and played back."""

    def __init__(
        self, object: int, record: RecordHandler | BatchHandler, play: PlaybackHandler
    ) -> None:
        self._object, self._record, self._play = object, record, play

    def get_field(self, obj: Any, field: str) -> Any:
        return _unpacked(self._packet(obj), self._record.layout, field)

    def set_field(self, obj: Any, field: str, value: Any) -> None:
        layout = self._record.layout
        note = layout.notes.get(field)
        if note is not None and not note.restored:
            raise CommandError(f"{field} is read-only: its handler does not put it back")
        before = self._packet(obj)
        self._play.play(obj, patched(before, layout, field, value))
        if not _is_same(_unpacked(self._packet(obj), layout, field), value):
            self._play.play(obj, before)
            raise CommandError(f"{field} is read-only: its handler does not put it back")

    def _packet(self, obj: Any) -> Packet:
        scratch = Recorder("1 MiB", strict=True)
        try:
            scratch.add_handler(HandlerSpec("object", self._record, None))
            frame = scratch.update([(self._object, "object", obj)], 0.0)
            packets = scratch.source.objects(frame)
        except PlayheadError as error:
            raise CommandError(f"object {self._object} can't be recorded: {error}") from error
        finally:
            scratch.close()
        if len(packets) != 1 or packets[0].cut:
            raise CommandError(
                f"object {self._object}: its handler does not record all of it, so that it can't be"
                " edited: a text is cut (give the handler more room, text=), or it is too large"
            )
        return packets[0]


def patched(packet: Packet, layout: Layout, field: str, value: Any) -> Packet:
    """A packet with another value in a field of its record.

    Raises:
        CommandError: the layout has no such field, or no room for the value.
    """
    dtype = layout.dtype
    payload = bytearray(packet.payload)
    if field not in (dtype.names or ()) or len(payload) < dtype.itemsize:
        raise CommandError(f"{field} is not in the packet's record, so that it can't be set")
    record = np.frombuffer(payload, dtype, count=1)
    kind = record.dtype[field].base
    plain: Any = getattr(value, "name", value)
    if kind.kind == "S":
        plain = plain.encode() if isinstance(plain, str) else plain
        if len(plain) > kind.itemsize:
            raise CommandError(
                f"{field}: the text has {len(plain)} bytes, and its layout has room for"
                f" {kind.itemsize}"
            )
    try:
        record[field][0] = plain
    except (TypeError, ValueError, OverflowError) as error:
        raise CommandError(f"{field}: {value!r:.60}: {error}") from None
    return packet._replace(payload=bytes(payload))


def _unpacked(packet: Packet, layout: Layout, field: str) -> Any:
    try:
        value = layout.decode(packet.payload)[field]
    except HandlerError as error:
        raise CommandError(f"{field}: {error}") from error
    return bytes(value).rstrip(b"\0").decode() if isinstance(value, bytes) else value


def _is_same(one: Any, other: Any) -> bool:
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return bool(np.array_equal(one, other))
    try:
        return bool(one == other) or tuple(one) == tuple(other)
    except TypeError:
        return False
