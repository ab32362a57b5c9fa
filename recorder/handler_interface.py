"""The pair that turns an object of one type into a packet and a packet back into the object."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol, runtime_checkable

from .packets.layouts.layout import Layout
from .packets.recorded_frame import Packet


class PacketWriter(Protocol):
    """A packet while it is being recorded; closed, and of no more use, when `record` returns."""

    position: tuple[float, float, float]
    """Where the object is, in the game's unit; zero unless it is set."""
    angles: tuple[float, float, float]
    """How it is turned, radians: see `Conventions.angles`; zero unless it is set."""
    targetable: bool
    """Whether the camera may look at it; True unless it is set."""
    visible: bool
    """Whether it is to be seen; True unless it is set."""
    cut: bool
    """Set it where a text or a blob is too long for the payload and was cut."""

    @property
    def payload(self) -> memoryview:
        """The bytes asked for: writable, zero, in the ring itself; revoked on closing."""

    def __buffer__(self, flags: int, /) -> memoryview:
        """The same bytes, so that `struct.pack_into` and numpy write without a memoryview."""


@runtime_checkable
class RecordHandler(Protocol):
    """The recording half: how much memory an object's packet needs, and writing it."""

    layout: Layout
    """How the payload is to be read, by anybody, without this code."""

    def size(self, obj: Any) -> int:
        """Payload bytes that `record` will write for this object now."""

    def record(self, obj: Any, packet: PacketWriter) -> None:
        """Write the object into `packet`. May not change the object, nor keep the packet."""


@runtime_checkable
class PlaybackHandler(Protocol):
    """The playing half: restores what `record` wrote."""

    def play(self, obj: Any, packet: Packet) -> None:
        """Set the object to the state in the packet. Runs no game logic."""


@runtime_checkable
class Handler(RecordHandler, PlaybackHandler, Protocol):
    """What records the objects of one type, and plays what was recorded back into them.

    A class of your own needs `layout`, `size`, `record` and `play`, and no base class; with this
    one as its base a type checker sees that they fit. `check_handler` tries one on an object.

        class DoorHandler(ph.Handler):
            layout = ph.layout_from_dtype([("angle", "<f8")])

            def size(self, door):
                return 8

            def record(self, door, packet):
                struct.pack_into("<d", packet, 0, door.angle)

            def play(self, door, packet):
                (door.angle,) = struct.unpack("<d", packet.payload)
    """


_RECORDS = {"layout": "layout", "size": "size()", "record": "record()"}


def tries_to_record(handler: Any) -> bool:
    """Whether something is meant as a recording half, complete or not."""
    return any(hasattr(handler, name) for name in ("size", "record", "record_many"))


def missing_to_record(handler: Any) -> str:
    """What a handler lacks to be a recording half, as text for an error; empty if nothing."""
    if isinstance(handler, RecordHandler | BatchHandler):
        return ""
    names = ("layout",) if hasattr(handler, "record_many") else tuple(_RECORDS)
    lacks = " and ".join(_RECORDS[name] for name in names if not hasattr(handler, name))
    return f"{handler!r} lacks {lacks}: what records has layout, size() and record()"


class Columns(Protocol):
    """Many packets of one type at once, as numpy columns, for `record_many`."""

    ids: Any
    """(n,) unsigned 64-bit."""
    positions: Any
    """(n, 3) 32-bit floats."""
    angles: Any
    """(n, 3) 32-bit floats, radians; None for all zero."""
    targetable: Any
    """(n,) bool; None for all True."""
    visible: Any
    """(n,) bool; None for all True."""
    payloads: Any
    """(n,) records or (n, size) bytes; None for headers only."""


# Columns may also have `cut`, (n,) bool: in which rows a text is cut.
#
# A handler may also have `fixed_size`, which is used instead of calling `size`, and `facts`, a list
# of (kind, key, value) that only grows: what is appended is latched in the frame it came up in.


@runtime_checkable
class BatchHandler(Protocol):
    """An optional short cut: all objects of a type in one call."""

    layout: Layout

    def record_many(self, ids: Sequence[int], objs: Sequence[Any]) -> Columns:
        """The columns of these objects, in this order."""


class HandlerSpec(NamedTuple):
    """The handlers of one type, as they are registered."""

    type: str
    record: RecordHandler | BatchHandler | None
    """None for a type that is only played."""
    play: PlaybackHandler | None
    """None for a type of which only the header can be shown. Without either half, the type is left
    out on purpose."""
    channels: tuple[str, ...] = ()
    """The channels that the type belongs to; with none it is always recorded."""


class ImageType(NamedTuple):
    """A type of packets in frame images, as the recorder knows it (see `Recorder.declare`)."""

    name: str
    number: int
    """The number of the type in the ring."""
    channels: int
    """The bits of its channels."""


class FrameImage(NamedTuple):
    """All objects of a game elsewhere, in the ring's own layout (`docs/ring.md`)."""

    image: bytes
    types: Mapping[int, ImageType]
    """Keyed by the numbers that the image has for them. Another mapping for each change."""
    facts: Sequence[tuple[int, str, Any]] = ()
    """(kind, key, value) of the world that hold from this frame on, such as a skeleton."""


class Batch(NamedTuple):
    """All objects of a type as columns, for games that hold their objects that way."""

    type: str
    """The name of the type, as the world's `objects` gives it."""
    layout: Layout
    """How the payloads are to be read."""
    columns: Columns
    """Anything with these attributes, numpy arrays of n rows: `ids` (unsigned 64-bit), `positions`
    (n, 3), `angles` (n, 3) or None, `targetable` and `visible` (bool) or None, `payloads` (records,
    or (n, size) bytes) or None."""
    channels: tuple[str, ...] = ()
    """The channels that the type belongs to; with none it is always recorded."""
