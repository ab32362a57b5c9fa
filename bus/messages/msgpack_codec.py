"""Messages as bytes, and what can be read of bytes that are none."""

from typing import Any, TypeVar

import msgspec

from ...errors import DamagedError
from .message import Message, Time
from .protocol import Event, Request, Response
from .protocol_1 import Response1, modern, response_values

_T = TypeVar("_T")

_encoder = msgspec.msgpack.Encoder()
_requests = msgspec.msgpack.Decoder(Request)
_answers = msgspec.msgpack.Decoder(Response)
_events = msgspec.msgpack.Decoder(Event)
_times = msgspec.msgpack.Decoder(Time)


def packed(message: Message) -> bytes:
    """A message's bytes."""
    if isinstance(message, Response1):
        return _encoder.encode(response_values(message))
    return _encoder.encode(message)


def packed_values(values: Any) -> bytes:
    """The bytes of a message that is plain values already."""
    return _encoder.encode(values)


def request_of(data: bytes) -> Request:
    """The request in some bytes.

    Raises:
        DamagedError: they are none; names the field.
    """
    try:
        return _unpacked(_requests, data)
    except DamagedError:
        older = _in_words_of_today(data)
        if older is None:
            raise
    try:
        return msgspec.convert(older, Request)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise DamagedError(f"a message of {len(data)} bytes: {error}") from None


def _in_words_of_today(data: bytes) -> Any | None:
    """What some bytes ask in words of version 1, as plain values; None if they have none."""
    try:
        return modern(msgspec.msgpack.decode(data))
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None


def response_of(data: bytes) -> Response:
    """The answer in some bytes; errors as for `request_of`."""
    return _unpacked(_answers, data)


def event_of(data: bytes) -> Event:
    """The event in some bytes; errors as for `request_of`."""
    return _unpacked(_events, data)


def time_of(data: bytes) -> Time:
    """The `Time` in some bytes; errors as for `request_of`."""
    return _unpacked(_times, data)


def _unpacked(decoder: "msgspec.msgpack.Decoder[_T]", data: bytes) -> _T:
    try:
        return decoder.decode(data)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise DamagedError(f"a message of {len(data)} bytes: {error}") from None


class Envelope(msgspec.Struct, frozen=True):
    """As much as can be read of a request that can't be: enough to answer it."""

    sequence: int = 0
    origin: str = ""
    ask: Any = None


def envelope_of(data: bytes) -> Envelope:
    """What can be read of any bytes at all."""
    try:
        return envelope_in(msgspec.msgpack.decode(data))
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return Envelope()


def envelope_in(told: Any) -> Envelope:
    """What can be made of a plain value: each field that is what it should be."""
    if not isinstance(told, dict):
        return Envelope()
    sequence, origin = told.get("sequence"), told.get("origin")
    if not isinstance(sequence, int) or isinstance(sequence, bool):
        sequence = 0
    return Envelope(
        sequence if -(2**63) <= sequence < 2**63 else 0,
        origin if isinstance(origin, str) else "",
        told.get("ask"),
    )
