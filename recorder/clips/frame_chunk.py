"""A chunk of frames, unpacked: a keyframe of what is latched, then frame after frame."""

import struct

import msgspec

from ...errors import DamagedError
from .clip_format import FRAMES, LATCHED, MOST_ROWS, Key, LatchedRow, check_rows
from .mcap_records import ChunkBytes, McapMessage, messages

_ID = struct.Struct("<Q")

LatchedValue = tuple[int, int, bytes]
"""(frame, packet type, payload) of a version."""


class FrameChunk:
    """The frames of a chunk by id. It is complete: nothing of other chunks is needed.

    Args:
        data: What the chunk unpacks to.
        first: The id of its first frame; None to read it from the chunk.

    Raises:
        DamagedError: it is broken, or does not begin with that frame.
    """

    def __init__(self, data: ChunkBytes, first: int | None = None) -> None:
        table = messages(data)
        if not table or table[0].channel != LATCHED:
            raise DamagedError("a chunk of frames does not begin with a keyframe")
        self.data, self.keyframe = data, table[0]
        self.frames = [message for message in table if message.channel == FRAMES]
        self._latched: dict[Key, LatchedValue] | None = None
        if not self.frames:
            raise DamagedError("a chunk with a keyframe has no frame")
        self.first = self._id(self.frames[0]) if first is None else first
        for frame, message in enumerate(self.frames, self.first):
            if self._id(message) != frame or message.sequence != frame & 0xFFFF_FFFF:
                raise DamagedError(f"a chunk does not have frame {frame} where it should be")

    @property
    def count(self) -> int:
        return len(self.frames)

    def _id(self, message: McapMessage) -> int:
        if message.end - message.start < _ID.size:
            raise DamagedError(f"a frame of {message.end - message.start} bytes")
        id: int = _ID.unpack_from(self.data, message.start)[0]
        return id

    def image(self, frame: int) -> memoryview:
        """The image of one of its frames."""
        message = self.frames[frame - self.first]
        return memoryview(self.data)[message.start : message.end]

    @property
    def latched(self) -> dict[Key, LatchedValue]:
        """All that was latched right before its first frame.

        Raises:
            DamagedError: the keyframe is broken.
        """
        if self._latched is None:
            data = memoryview(self.data)[self.keyframe.start : self.keyframe.end]
            check_rows(data, MOST_ROWS, f"the keyframe before frame {self.first}")
            try:
                rows = _decoder.decode(data)
            except (msgspec.MsgspecError, ValueError, RecursionError) as error:
                raise DamagedError(
                    f"the keyframe before frame {self.first} is broken: {error}"
                ) from None
            self._latched = {row[:3]: row[3:] for row in rows}
        return self._latched


_decoder = msgspec.msgpack.Decoder(list[LatchedRow])
