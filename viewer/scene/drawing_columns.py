"""The debug drawings of one frame as columns: a block for the primitives of one kind.

A frame may hold thousands; the world view takes them block by block, and only the one under the
mouse is decoded by itself.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ...errors import DamagedError
from ...recorder.packets.draw_primitives import RecordedDrawing
from ...recorder.packets.layouts.layout import Layout
from ...recorder.packets.layouts.packet_layouts import PACKETS
from ...recorder.packets.packet_types import PacketType
from .packet_columns import PacketColumns

_TAILS = {PacketType.LINES: "segments", PacketType.POLYGON: "points", PacketType.TEXT: "text"}


class DrawingBlock(NamedTuple):
    """Primitives of one kind and one length of payload; n of them."""

    kind: PacketType
    objects: npt.NDArray[np.int64]
    """(n,) whom each belongs to; 0 for the world."""
    channels: npt.NDArray[np.int64]
    """(n,) bits."""
    positions: npt.NDArray[np.float64]
    """(n, 3), in the game's own axes."""
    angles: npt.NDArray[np.float64]
    fields: npt.NDArray[Any]
    """(n,) records: `color`, `file`, `line`, and `end`, `size` or `radius`."""
    tail: npt.NDArray[Any]
    """What is behind the record: (n, m, 2, 3) segments, (n, m, 3) points, (n, bytes) of a text."""
    latched: RecordedDrawing | None = None
    """The only one in it, if it is latched."""

    def __len__(self) -> int:
        return len(self.fields)

    def drawn(self, index: int, text: Callable[[int], str]) -> RecordedDrawing:
        """One of them by itself.

        Args:
            text: Gives the text that has a number.
        """
        if self.latched is not None:
            return self.latched
        record = self.fields[index]
        values = {name: record[name] for name in record.dtype.names if name not in _SITE}
        name = _TAILS.get(self.kind)
        if name is not None:
            tail = self.tail[index]
            is_text = self.kind is PacketType.TEXT
            values[name] = tail.tobytes().decode("utf-8", "replace") if is_text else tail
        x, y, z = self.positions[index].tolist()
        a, b, c = self.angles[index].tolist()
        return RecordedDrawing(
            self.kind.name.lower(), int(self.objects[index]), int(self.channels[index]),
            (x, y, z), (a, b, c), values, text(int(record["file"])), int(record["line"]), None,
        )  # fmt: skip


_SITE = ("file", "line")
_NEEDED = {"color", *_SITE}


def blocks_of(
    columns: Sequence[PacketColumns], latched: Sequence[RecordedDrawing],
    type_of: Callable[[int], tuple[str, Layout]],
) -> list[DrawingBlock]:  # fmt: skip
    """The primitives to be shown at a frame: its own, then those that are latched.

    Args:
        columns: All packets of the frame.
        latched: Those that hold at the frame.
        type_of: Gives name and layout of a type's number.

    Raises:
        DamagedError: one is not what its layout says.
    """
    own = [_block(type_of(one.type)[1], one) for one in columns if one.type <= PacketType.TEXT]
    return own + [_latched(drawn) for drawn in latched]


def _block(layout: Layout, columns: PacketColumns) -> DrawingBlock:
    kind, record = PacketType(columns.type), layout.dtype
    headers, size = columns.headers, columns.payloads.shape[1]
    if size < record.itemsize or not set(record.names or ()) >= _NEEDED:
        raise DamagedError(f"a primitive {kind.name.lower()} has {size} bytes")
    tail: npt.NDArray[Any] | None = columns.payloads[:, record.itemsize :]
    if kind is not PacketType.TEXT and layout.tail:
        tail = columns.tails(record.itemsize, np.dtype((layout.tail, layout.tail_shape)))
    if tail is None:
        raise DamagedError(f"a primitive {kind.name.lower()} ends within a point")
    return DrawingBlock(
        kind, headers["id"].astype(np.int64), columns.channels,
        headers["position"].astype(np.float64), headers["angles"].astype(np.float64),
        columns.records(record), tail,
    )  # fmt: skip


def _latched(drawn: RecordedDrawing) -> DrawingBlock:
    """A primitive that was decoded by itself, as a block of one."""
    kind = PacketType[drawn.kind.upper()]
    record = PACKETS[kind].layout.dtype
    fields = np.zeros(1, record)
    for name in record.names or ():
        if name in drawn.values:
            fields[name] = drawn.values[name]
    fields["line"] = drawn.line
    tail: Any = drawn.values.get(_TAILS.get(kind, ""), np.empty(0, np.uint8))
    if isinstance(tail, str):
        tail = np.frombuffer(tail.encode("utf-8", "replace"), np.uint8)
    return DrawingBlock(
        kind, np.array([drawn.object]), np.array([drawn.channels]),
        np.array([drawn.position], np.float64), np.array([drawn.angles], np.float64), fields,
        np.asarray(tail)[None], drawn,
    )  # fmt: skip


def files_of(blocks: Sequence[DrawingBlock]) -> set[int]:
    """The numbers of the texts that say which files they were drawn from."""
    own = [block.fields["file"] for block in blocks if block.latched is None]
    return set(np.unique(np.concatenate(own)).tolist()) if own else set()
