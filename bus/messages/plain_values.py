"""Plain values: what games and tools in any language can send each other.

Those are dicts with text keys, lists, text, numbers, True, False and None.
"""

from typing import Any

import msgspec
import numpy as np

from ...errors import CapacityError, RecordingError

MOST_NAMES = 64
"""Names under which a game may serve, and under which it may publish."""
MOST_LETTERS = 64
"""Characters of such a name."""
MOST_BODY = 256 << 10
"""Bytes of what is published under a name."""

_encoder = msgspec.msgpack.Encoder()


def plain(value: Any, where: str) -> Any:
    """A copy of a value without shared parts; tuples are lists in it, keys are text.

    Raises:
        RecordingError: it is not plain; `where` is the location that the message names.
    """
    return msgspec.msgpack.decode(packed_plain(value, where, 1 << 62))


def packed_plain(value: Any, where: str, most: int) -> bytes:
    """A plain value as MessagePack, of so many bytes at most.

    Raises:
        RecordingError: it is not plain.
        CapacityError: it is larger.
    """
    try:
        packed = _encoder.encode(msgspec.to_builtins(value, str_keys=True, enc_hook=_number))
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise RecordingError(
            f"{where}: this is not plain ({str(error)[:200]}): give dicts with text keys, lists,"
            " text, numbers, True, False, None"
        ) from None
    if len(packed) > most:
        raise CapacityError(f"{where}: {len(packed)} bytes; {most} is the most: send less at once")
    return packed


def packed_body(name: str, body: Any) -> bytes:
    """What is published under a name, as MessagePack.

    Raises:
        RecordingError: the name is none, or the body not plain.
        CapacityError: the body is too large.
    """
    where = f"publish {name!r}"
    checked_name(name, where)
    return packed_plain(body, where, MOST_BODY)


def checked_name(name: object, where: str) -> str:
    """A name under which something is served or published.

    Raises:
        RecordingError: it is empty, too long, no text, or not printable.
    """
    if isinstance(name, str) and 0 < len(name) <= MOST_LETTERS and name.isprintable():
        return name
    raise RecordingError(
        f"{where}: a name is text of 1 to {MOST_LETTERS} characters that can be printed"
    )


def _number(value: object) -> object:
    """A numpy value as plain Python values."""
    if isinstance(value, np.ndarray | np.generic):
        return value.tolist()
    raise TypeError(f"a {type(value).__name__} in it")
