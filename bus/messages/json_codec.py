"""The gateway's JSON: the messages of the bus as text, for peers whose numbers are doubles.

Bytes are base64 there, and whole numbers that a double does not hold exactly are text.
"""

import re
from typing import Any

import msgspec

from ...errors import DamagedError
from .message import Message
from .message_types import Request
from .msgpack_codec import Envelope
from .protocol_1_translation import Response1, modern, response_values

EXACT = (1 << 53) - 1
"""The largest whole number that every double up to it holds exactly."""

_encoder = msgspec.json.Encoder()
# Not strict: numbers may come as text, and whole ones as `7.0`.
_requests = msgspec.json.Decoder(Request, strict=False)
_envelopes = msgspec.json.Decoder(Envelope, strict=False)
_MAYBE_LARGE = re.compile(rb"(?<=[\[:,])-?[0-9]{16,}(?=[,\]}])")
_TEXT_OR_LARGE = re.compile(rb'"(?:[^"\\]|\\.)*"|' + _MAYBE_LARGE.pattern)


def text_of(message: Message) -> str:
    """A message as the gateway sends it.

    Raises:
        DamagedError: a recorded value in it can't be expressed in JSON.
    """
    try:
        values = response_values(message) if isinstance(message, Response1) else message
        return _finished(_encoder.encode(values))
    except (TypeError, ValueError, RecursionError) as error:
        raise _unsayable(error) from None


def _unsayable(error: Exception) -> DamagedError:
    return DamagedError(f"JSON can't express what was recorded: {error}; ZeroMQ can")


def text_of_packed(packed: bytes) -> str:
    """The same of a message that is MessagePack already; errors as for `text_of`."""
    try:
        return _finished(_encoder.encode(msgspec.msgpack.decode(packed)))
    except (TypeError, ValueError, RecursionError) as error:
        raise _unsayable(error) from None


def request_of_text(text: str) -> Request:
    """The request in a text.

    Raises:
        DamagedError: it is none; names the field.
    """
    try:
        return _requests.decode(text)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        older = _translated(text)
        if older is None:
            raise _no_request(text, error) from None
    try:
        return msgspec.convert(older, Request, strict=False)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise _no_request(text, error) from None


def _no_request(text: str, error: Exception) -> DamagedError:
    return DamagedError(f"a message of {len(text)} characters: {error}")


def _translated(text: str) -> Any | None:
    """A request of version 1 in the names of this version, as plain values; None if it is none."""
    try:
        return modern(msgspec.json.decode(text))
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return None


def envelope_of_text(text: str) -> Envelope:
    """What can be read of any text at all."""
    try:
        return _envelopes.decode(text)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        return Envelope()


def _finished(data: bytes) -> str:
    if _MAYBE_LARGE.search(data):  # rare: so most messages are looked through only once
        data = _TEXT_OR_LARGE.sub(_quoted, data)
    return data.decode()


def _quoted(found: "re.Match[bytes]") -> bytes:
    token = found.group()
    if token.startswith(b'"') or abs(int(token)) <= EXACT:
        return token
    return b'"%b"' % token
