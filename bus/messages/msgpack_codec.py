"""Encodes and decodes messages as MessagePack, and reads what it can of invalid bytes."""

from typing import Any, TypeVar

import msgspec

from ...errors import DamagedError
from .message import Message, PlayheadTime
from .message_types import Event, Request, Response
from .protocol_1_translation import Response1, modern, response_values

_T = TypeVar("_T")

_encoder = msgspec.msgpack.Encoder()
_requests = msgspec.msgpack.Decoder(Request)
_responses = msgspec.msgpack.Decoder(Response)
_events = msgspec.msgpack.Decoder(Event)
_times = msgspec.msgpack.Decoder(PlayheadTime)


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
        older = _translated(data)
        if older is None:
            raise
    try:
        return msgspec.convert(older, Request)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise DamagedError(f"a message of {len(data)} bytes: {error}") from None


def _translated(data: bytes) -> Any | None:
    """A request of version 1 in the names of this version, as plain values; None if it is none."""
    try:
        return modern(msgspec.msgpack.decode(data))
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None


def response_of(data: bytes) -> Response:
    """The answer in some bytes; errors as for `request_of`."""
    return _unpacked(_responses, data)


def event_of(data: bytes) -> Event:
    """The event in some bytes; errors as for `request_of`."""
    return _unpacked(_events, data)


def time_of(data: bytes) -> PlayheadTime:
    """The `PlayheadTime` in some bytes; errors as for `request_of`."""
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
    body: Any = msgspec.field(default=None, name="ask")


def envelope_of(data: bytes) -> Envelope:
    """What can be read of any bytes at all."""
    try:
        return envelope_in(msgspec.msgpack.decode(data))
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return Envelope()


def envelope_in(message: Any) -> Envelope:
    """What can be made of a plain value: each field that is what it should be."""
    if not isinstance(message, dict):
        return Envelope()
    sequence, origin = message.get("sequence"), message.get("origin")
    if not isinstance(sequence, int) or isinstance(sequence, bool):
        sequence = 0
    return Envelope(
        sequence if -(2**63) <= sequence < 2**63 else 0,
        origin if isinstance(origin, str) else "",
        message.get("ask"),
    )
