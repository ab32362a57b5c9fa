"""Checks a handler against its contract: a test to run on one's own handlers.

from playhead.handlers.handler_conformance import check_handler
check_handler(MyHandler(), my_object)
"""

import copy
import gc
import pickle
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import numpy as np

from ..errors import HandlerError, PlayheadError
from ..recorder.handler_interface import (
    BatchHandler,
    HandlerSpec,
    PlaybackHandler,
    RecordHandler,
    missing_to_record,
    tries_to_record,
)
from ..recorder.packets.layouts.layout import Field, Layout, check_formats
from ..recorder.packets.recorded_frame import Packet
from ..recorder.recorder import Recorder
from .compare_game_objects import difference


def check_handler(
    handler: Any,
    example: Any,
    *,
    equal: Callable[[Any, Any], bool] | None = None,
    state: Callable[[Any], Any] | None = None,
) -> Packet | None:
    """Record an object, read it by the declared layout, play it back, and see that it holds.

    It checks that the size is announced rightly in both directions; that recording twice gives the
    same bytes and changes nothing in the object; that neither packet nor object is kept; that the
    layout can be sent and reads the whole payload; that a batch holds the same as single packets;
    that playing brings a copy of the object back from a changed state, field by field, but for
    those that the layout's notes mark as not `restored`; and that playing an object's own packet
    leaves the object as it is, to the last bit, also after another packet was played: that is what
    leaving playback does.

    Args:
        handler: What records, plays, or both.
        example: An object as the game has it, with numbers that are not round.
        equal: Whether two objects are the same to the game. By default their attributes, items and
            arrays are compared (nan agrees with nan).
        state: What matters of an object, if not all of it does: its result is compared instead, so
            that caches of a handler need not agree.

    Returns:
        The packet recorded; None for a handler that only plays.

    Raises:
        HandlerError: what is wrong, and in which half.
    """
    if not isinstance(handler, RecordHandler | BatchHandler):
        if tries_to_record(handler):
            raise HandlerError(missing_to_record(handler))
        if isinstance(handler, PlaybackHandler):
            return None
        raise HandlerError(f"{handler!r} has neither layout, size() and record(), nor play()")
    _check_layout(handler.layout)
    _check_object_unchanged(handler, example)
    packet = _recorded(handler, example)
    if not _same(_recorded(handler, example), packet):
        raise HandlerError(
            "record(): two packets of the same object differ: write only what the object holds, no"
            " clock, no random number and no memory that was not set"
        )
    _check_read(handler.layout, packet)
    if isinstance(handler, RecordHandler):
        _check_size(handler, example, packet)
        if isinstance(handler, BatchHandler) and not _same(
            _recorded(_Single(handler), example), packet
        ):
            raise HandlerError("record_many(): the batch differs from what record() wrote")
    _check_keeps_no_buffer(handler, example)
    if isinstance(handler, PlaybackHandler):
        _check_played(handler, handler, example, packet, _Compared(equal, state))
    return packet


class _Compared:
    """How the states of two objects are compared."""

    def __init__(
        self, equal: Callable[[Any, Any], bool] | None, state: Callable[[Any], Any] | None
    ) -> None:
        self._equal, self._state = equal, state

    def check(self, before: Any, after: Any, when: str) -> None:
        """See that an object is as it was.

        Raises:
            HandlerError: it is not, or can't be compared.
        """
        if self._state is not None:
            before, after = self._state(before), self._state(after)
        if self._equal is not None:
            differs = None if self._equal(before, after) else "equal() says that they differ"
        else:
            differs = difference(before, after)
        if differs is not None:
            raise HandlerError(
                f"play(): {when} the object is another than before: {differs}. Leaving playback"
                " would change the game: record all that play() sets, in the object's own"
                " precision"
            )


class _Single:
    """A handler without its batches."""

    def __init__(self, handler: RecordHandler) -> None:
        self.layout, self.size, self.record = handler.layout, handler.size, handler.record


def _recorded(handler: RecordHandler | BatchHandler, example: Any) -> Packet:
    """The packet of an object, written as strictly as can be."""
    recorder = Recorder("1 MiB", strict=True)
    try:
        recorder.add_handler(HandlerSpec("checked", handler, None))
        frame = recorder.update([(1, "checked", example)], 0.0)
        packets = recorder.source.objects(frame)
        if len(packets) != 1:
            raise HandlerError(
                f"record: one object gave {len(packets)} packets; is it larger than 1 MiB?"
            )
        return packets[0]
    except HandlerError as error:
        raise HandlerError(f"{_call_text(handler, example)}: {error}") from error
    except PlayheadError as error:
        raise HandlerError(f"record: {error}") from error
    finally:
        recorder.close()


def _call_text(handler: Any, example: Any) -> str:
    """Which call it was, with the size that was announced."""
    if isinstance(handler, BatchHandler):
        return "record_many()"
    try:
        return f"record() into the {_size(handler, example)} bytes that were asked for"
    except Exception:
        return "size()"


def _size(handler: Any, example: Any) -> Any:
    fixed = getattr(handler, "fixed_size", None)
    return handler.size(example) if fixed is None else fixed


def _same(one: Packet, other: Packet) -> bool:
    """Whether two packets agree to the last bit; a number that is none agrees with itself."""
    return repr(one) == repr(other)


def _check_layout(layout: Any) -> None:
    if not isinstance(layout, Layout):
        raise HandlerError(
            f"layout: {layout!r} is no Layout; layout_from_dtype() makes one from a dtype"
        )
    try:
        again = msgspec.msgpack.decode(msgspec.msgpack.encode(layout), type=Layout)
    except (TypeError, msgspec.ValidationError) as error:
        raise HandlerError(f"layout: it can't be sent: {error}") from None
    if again != layout:
        raise HandlerError(
            "layout: it is another one after encoding and decoding: give plain texts and numbers"
        )
    check_formats(layout)


def _check_read(layout: Layout, packet: Packet) -> None:
    try:
        layout.decode(packet.payload)
    except PlayheadError as error:
        raise HandlerError(f"layout: it does not read what record() wrote: {error}") from error


def _check_size(handler: RecordHandler, example: Any, packet: Packet) -> None:
    size = handler.size(example)
    if size != len(packet.payload):
        raise HandlerError(
            f"size(): it returned {size} bytes, while record_many() or fixed_size gave"
            f" {len(packet.payload)}"
        )


def _check_object_unchanged(handler: RecordHandler | BatchHandler, example: Any) -> None:
    clone = _clone(example)
    try:
        before = pickle.dumps(clone)
    except Exception:
        return  # what can't be written down can't be compared
    try:
        _recorded(handler, clone)
    except HandlerError:
        if pickle.dumps(clone) == before:
            raise
    if pickle.dumps(clone) != before:
        raise HandlerError("record(): it changes the object; recording may only look")


def _check_keeps_no_buffer(handler: RecordHandler | BatchHandler, example: Any) -> None:
    try:
        clone = copy.deepcopy(example)
        watched = weakref.ref(clone)
    except Exception:
        return  # no copy, or no weak reference, can be made of such an object
    _recorded(handler, clone)
    del clone
    gc.collect()
    if watched() is not None:
        raise HandlerError("record(): the handler keeps the object alive; keep its values only")


def _clone(example: Any) -> Any:
    try:
        return copy.deepcopy(example)
    except Exception as error:
        raise HandlerError(f"{example!r} can't be copied to be tried on: {error}") from error


def _check_played(
    recorder: RecordHandler | BatchHandler, player: PlaybackHandler, example: Any, packet: Packet,
    compared: _Compared,
) -> None:  # fmt: skip
    clone = _clone(example)
    _play(player, clone, packet)
    layout = recorder.layout
    again = _recorded(recorder, clone)
    if not _same(again, packet):
        raise HandlerError(
            "play(): the object played back records as something else:"
            f" {_difference(layout, packet, again)}"
        )
    compared.check(example, clone, "with its own packet played,")
    names = [name for name, _, _ in layout.fields]
    if layout.tail not in ("", "utf8", "msgpack"):
        names.append(layout.tail_name or "tail")
    for name in names:
        if layout.notes.get(name, Field()).restored:
            _check_field_played(recorder, player, example, packet, name, compared)


def _check_field_played(
    recorder: RecordHandler | BatchHandler,
    player: PlaybackHandler,
    example: Any,
    packet: Packet,
    name: str,
    compared: _Compared,
) -> None:
    """Play packets in which one field differs: one must have an effect, and be undone again."""
    tried = False
    for payload in _varied(recorder.layout, packet.payload, name):
        clone = _clone(example)
        try:
            player.play(clone, packet._replace(payload=payload))
            changed = _recorded(recorder, clone)
        except Exception:
            continue  # such a value is not possible in this game
        tried = True
        if _same(changed, packet):
            continue
        _play(player, clone, packet)
        again = _recorded(recorder, clone)
        if not _same(again, packet):
            raise HandlerError(
                f"play(): with another {name} before, it does not restore the object:"
                f" {_difference(recorder.layout, packet, again)}"
            )
        compared.check(example, clone, f"after a packet with another {name} and then its own,")
        return
    if tried:
        raise HandlerError(
            f"play(): it does not restore {name}; if that is only recorded to be shown, declare"
            f" it with notes={{{name!r}: Field(restored=False)}}"
        )


def _play(player: PlaybackHandler, obj: Any, packet: Packet) -> None:
    try:
        player.play(obj, packet)
    except Exception as error:
        raise HandlerError(f"play(): it raised {error!r} for what was just recorded") from error


def _varied(layout: Layout, payload: bytes, name: str) -> Iterator[bytes]:
    """Payloads in which this field, or the tail, holds other numbers, if it holds any."""
    record = layout.dtype
    for factor, more in ((1, 1), (1, -1), (0.5, 0), (0, 0)):
        varied = bytearray(payload)
        if name in (record.names or ()):
            numbers = np.frombuffer(varied, record, count=1)[name]
        else:
            numbers = np.frombuffer(varied, layout.tail, offset=record.itemsize)
        kind = numbers.dtype.kind
        if kind == "b":
            numbers[...] = ~numbers
        elif kind in "iuf":
            with np.errstate(all="ignore"):
                numbers[...] = (np.nan_to_num(numbers) * factor + more).astype(numbers.dtype)
        if varied != payload:
            yield bytes(varied)


def _difference(layout: Layout, first: Packet, second: Packet) -> str:
    before, after = layout.decode(first.payload), layout.decode(second.payload)
    for name, value in before.items():
        if repr(value) != repr(after.get(name)):
            return f"{name} was {value!r} and is {after.get(name)!r}"
    for name in ("position", "angles", "targetable", "visible"):
        if repr(getattr(first, name)) != repr(getattr(second, name)):
            return f"{name} was {getattr(first, name)} and is {getattr(second, name)}"
    return "the payloads differ"
