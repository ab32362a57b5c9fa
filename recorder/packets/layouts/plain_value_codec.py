"""Plain values as bytes and back: MessagePack, which is read without the game's code.

Every value that is accepted can be read again. A value that would come back as something else, or
not at all, is refused when it is recorded, so that it can't make its frame unreadable.
"""

from typing import Any, TypeVar

import msgspec
import numpy as np

from ....errors import DamagedError, RecordingError

_T = TypeVar("_T")


def _plain(value: Any) -> Any:
    """Numbers and arrays of numpy as Python's own: games hand them in without noticing."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    raise TypeError(f"a {type(value).__name__} is no plain value")


_encoder = msgspec.msgpack.Encoder(enc_hook=_plain)


def encode(value: Any, type: Any = Any) -> bytes:
    """The bytes of a value that is to be read as `type`.

    Raises:
        RecordingError: it holds something that is no plain value, or not of the type `type`.
    """
    try:
        payload = _encoder.encode(value)
        msgspec.msgpack.decode(payload, type=type)
    except (TypeError, ValueError, OverflowError, RecursionError, msgspec.MsgspecError) as error:
        what = getattr(value.__class__, "__name__", "value")
        raise RecordingError(
            f"{what} can't be recorded: {error}: give numbers, texts, lists and mappings of them"
        ) from None
    return payload


def encode_plain(value: Any, type: Any = Any) -> bytes:
    """The bytes of a value that is known to be plain, and of the type `type`."""
    return _encoder.encode(value)


def decode(payload: bytes, type: type[_T]) -> _T:
    """The value that some recorded bytes hold.

    Raises:
        DamagedError: they are no such value.
    """
    try:
        return msgspec.msgpack.decode(payload, type=type)
    except (ValueError, RecursionError, msgspec.MsgspecError) as error:
        what = getattr(type, "__name__", type)
        raise DamagedError(f"{len(payload)} recorded bytes are no {what}: {error}") from None
