"""Tables from the numbers in frames to the texts and object types that they stand for."""

import logging

import msgspec

from ...errors import DamagedError, HandlerError
from ..packets.layouts.layout import Layout
from ..packets.layouts.packet_layouts import PACKETS, is_unknown
from ..packets.layouts.plain_value_codec import decode
from ..packets.packet_types import Kind
from ..text.safe_log import log_safely
from .raw_frames import RawFrames

_logger = logging.getLogger("playhead")


class NameTables:
    """Looks numbers up, each once: a number never gets another meaning. For one thread."""

    def __init__(self, frames: RawFrames) -> None:
        self._frames = frames
        self._types: dict[int, tuple[str, Layout]] = {}
        self._texts: dict[int, str] = {}
        self._numbers: dict[str, int] = {}

    def text(self, frame: int, number: int) -> str:
        """The text that has a number; empty if it found no room when it was recorded."""
        if number == 0:
            return ""
        found = self._texts.get(number)
        if found is None:
            latched = self._frames.latched(frame, 0, Kind.STRING, number)
            if latched is None:
                return ""
            found = self._texts[number] = decode(latched[2], str)
        return found

    def number(self, frame: int, text: str) -> int | None:
        """The number of a text; None if it was not yet used at that frame."""
        if text == "":
            return 0
        if text not in self._numbers:
            for _, kind, number, _, _, payload in self._frames.latched_all(frame):
                if kind == Kind.STRING:
                    self._numbers[decode(payload, str)] = number
        return self._numbers.get(text)

    def type(self, frame: int, number: int) -> tuple[str, Layout]:
        """Name and layout of a packet type.

        Raises:
            DamagedError: the layout is broken.
        """
        found = self._types.get(number)
        if found is None:
            if is_unknown(number):
                log_safely(
                    _logger, logging.WARNING,
                    "packets of the type %d: this playhead does not know them and leaves them out:"
                    " a newer one shows them", number,
                )  # fmt: skip
            latched = self._frames.latched(frame, 0, Kind.TYPE, number)
            if latched is None:
                name, layout = _known(number)
            else:
                row = decode(latched[2], dict)
                name = str(row.get("name"))
                try:
                    layout = msgspec.convert(row.get("layout"), Layout)
                except (msgspec.ValidationError, HandlerError) as error:
                    raise DamagedError(f"the layout of type {name!r} is broken: {error}") from None
            found = self._types[number] = (name, layout)
        return found


def _known(number: int) -> tuple[str, Layout]:
    """The built-in description of a type, for small or old recordings that don't describe it."""
    packet = PACKETS.get(number)
    return (f"type {number}", Layout()) if packet is None else (packet.name, packet.layout)
