"""The types of game objects: their handlers, their packets' numbers, how each is recorded."""

from typing import Any, NamedTuple

from ...errors import HandlerError, RecordingError
from ...native.ring_type_aliases import Plan
from ..channel_switches import Channels
from ..handler_interface import BatchHandler, HandlerSpec, ImageType, RecordHandler
from ..latch_writer import LatchWriter
from ..packets.layouts.layout import Layout, Sizes, check_formats
from ..packets.layouts.packet_layouts import PacketLayout
from ..packets.layouts.plain_value_codec import encode
from ..packets.packet_types import FIRST_OBJECT, Kind

MOST_TYPES = 0xFFFF - FIRST_OBJECT


class ObjectType(NamedTuple):
    """What packets of an object type are known by in the ring."""

    number: int
    layout: Layout
    sizes: Sizes
    """The sizes of the layout's payloads; computed once, as every frame's columns are checked."""


class ServedType(NamedTuple):
    """A type with a handler, and the number that its packets have."""

    spec: HandlerSpec
    number: int


class GatheredType(NamedTuple):
    """The objects of a type that its handler takes all at once."""

    handler: BatchHandler
    ids: list[int]
    objects: list[Any]
    bits: int
    sizes: Sizes
    single: Plan
    """How they are recorded one by one, where not all can be at once."""


class ObjectTypes:
    """What a recorder knows of the types of game objects."""

    def __init__(self, latches: LatchWriter, channels: Channels) -> None:
        self.ignored: set[str] = set()
        """Types that are left out on purpose."""
        self.served: dict[str, ServedType] = {}
        """The types that have a handler."""
        self.known: dict[str, ObjectType] = {}
        """All types that packets were written of, or can be."""
        self.plans: dict[str, Plan | None] = {}
        """How the objects of each type are recorded; None if they are not."""
        self.gathered: dict[str, GatheredType] = {}
        """Those whose handler takes all objects of a frame at once."""
        self._latches, self._channels = latches, channels
        self._without_recording: set[str] = set()
        """Types that have no recording half on purpose."""
        self._numbers: dict[bytes, int] = {}
        self._planned_for: int | None = None

    def add(self, spec: HandlerSpec) -> None:
        """Register the handler of a type, or that the type is not recorded, if it has none.

        Raises:
            HandlerError: the type has one already, or this one lacks what a handler needs.
            RecordingError: there is no room for its channels.
        """
        handler = spec.record
        if spec.type in self.served:
            raise HandlerError(f"type {spec.type!r} has a handler already")
        if handler is None:
            self._without_recording.add(spec.type)
            if spec.play is None:
                self.ignored.add(spec.type)
            self._planned_for = None
            return
        if not isinstance(handler, RecordHandler | BatchHandler):
            raise HandlerError(f"type {spec.type!r}: {handler!r} lacks layout, size() or record()")
        fixed = getattr(handler, "fixed_size", None)
        if fixed is not None and not (type(fixed) is int and fixed >= 0):
            raise HandlerError(f"type {spec.type!r}: fixed_size {fixed!r} is no number of bytes")
        if fixed is not None and not handler.layout.sizes.fit(fixed):
            raise HandlerError(
                f"type {spec.type!r}: fixed_size is {fixed} bytes, and its layout has"
                f" {handler.layout.sizes}"
            )
        self._channels.bits(spec.channels)
        number = self.number_of(spec.type, handler.layout, spec.channels)
        self.served[spec.type] = ServedType(spec, number)
        self.ignored.discard(spec.type)
        self._planned_for = None

    def declare(self, type: str, layout: Layout, channels: tuple[str, ...]) -> ImageType:
        """Declare a type whose packets come laid out; errors as of `Recorder.declare`."""
        bits = self._channels.bits(channels)
        return ImageType(type, self.number_of(type, layout, channels), bits)

    def number_of(self, type: str, layout: Layout, channels: tuple[str, ...]) -> int:
        """The number of a type's packets; another layout is another number under that name."""
        known = self.known.get(type)
        if known is not None and (known.layout is layout or known.layout == layout):
            return known.number
        if not isinstance(layout, Layout):
            raise HandlerError(f"type {type!r}: layout {layout!r} is no Layout")
        packet = PacketLayout(type, layout, channels)
        try:
            check_formats(layout)
            key = encode(packet, PacketLayout)
        except RecordingError as error:
            raise HandlerError(f"type {type!r}: its layout {error}") from None
        except HandlerError as error:
            raise HandlerError(f"type {type!r}: {error}") from None
        number = self._numbers.get(key)
        if number is None:
            if len(self._numbers) == MOST_TYPES:
                raise HandlerError(f"type {type!r}: there are {MOST_TYPES} types already")
            number = self._numbers[key] = FIRST_OBJECT + len(self._numbers)
            self._latches.latch(0, Kind.TYPE, number, packet)
        self.known[type] = ObjectType(number, layout, layout.sizes)
        return number

    def plan(self) -> None:
        """Work out, for each type, how its objects are recorded; only after a change."""
        if self._channels.recording == self._planned_for:
            return
        self._planned_for = self._channels.recording
        self.plans.clear()
        self.gathered.clear()
        self.plans.update(dict.fromkeys(self._without_recording - self.served.keys()))
        for type, (spec, number) in self.served.items():
            bits = self._channels.bits(spec.channels)
            if not self._channels.records(bits):
                self.plans[type] = None
            elif isinstance(spec.record, BatchHandler):
                gathered = self.gathered[type] = GatheredType(
                    spec.record, [], [], bits, spec.record.layout.sizes,
                    self._single_plan(type, bits),
                )  # fmt: skip
                ids, objects = gathered.ids, gathered.objects
                self.plans[type] = (number, bits, 0, None, None, ids, objects)
            else:
                self.plans[type] = self._single_plan(type, bits)

    def _single_plan(self, type: str, bits: int) -> Plan:
        """Packets one by one; only damaged headers where no handler can write them."""
        number, handler = self.served[type].number, self.served[type].spec.record
        if not isinstance(handler, RecordHandler):
            return header_plan(number, bits)
        fixed = getattr(handler, "fixed_size", None)
        size = -1 if fixed is None else fixed
        return (number, bits, size, handler.size, handler.record, None, None)


def header_plan(number: int, bits: int) -> Plan:
    """The plan of objects that are skipped: a header each, flagged damaged."""
    return (number, bits, 0, None, None, None, None)
