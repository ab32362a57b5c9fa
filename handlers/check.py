"""The contract of a handler as a test that anybody can run on their own.

from playhead.handlers.check import check_handler
check_handler(MyHandler(), my_object)
"""

import copy
import gc
import weakref
from typing import Any

import msgspec

from ..errors import HandlerError, PlayheadError
from ..recorder.frame import Packet
from ..recorder.handler import BatchHandler, HandlerSpec, PlaybackHandler, RecordHandler
from ..recorder.layout import Layout
from ..recorder.recorder import Recorder


def check_handler(handler: Any, example: Any) -> Packet | None:
    """Record an object, read it by the declared layout, play it back, and see that it holds.

    Checked is: the size is announced rightly in both directions; recording twice gives the same
    bytes and changes nothing in the object; neither packet nor object is kept; the layout can be
    sent and reads the payload; a batch says what single packets say; what is played back into a
    copy of the object records as the same bytes again.

    Returns:
        The packet recorded; None for a handler that only plays.

    Raises:
        HandlerError: what is wrong, and in which half.
    """
    if not isinstance(handler, RecordHandler | BatchHandler):
        if isinstance(handler, PlaybackHandler):
            return None
        raise HandlerError(f"{handler!r} has neither size() and record(), nor play()")
    _check_layout(handler.layout)
    packet = _recorded(handler, example)
    if _recorded(handler, example) != packet:
        raise HandlerError(
            "record(): the same object gave two different packets: it changes the object,"
            " or writes what is not the object's"
        )
    try:
        handler.layout.decode(packet.payload)
    except (HandlerError, ValueError) as error:
        raise HandlerError(f"layout: it does not read what record() wrote: {error}") from error
    if isinstance(handler, BatchHandler) and isinstance(handler, RecordHandler):
        single = _Single(handler)
        if _recorded(single, example) != packet:
            raise HandlerError("record_many(): the batch says something else than record()")
    _check_nothing_kept(handler, example)
    if isinstance(handler, PlaybackHandler):
        _check_played(handler, example, packet)
    return packet


class _Single:
    """A handler without its batches."""

    def __init__(self, handler: RecordHandler) -> None:
        self.layout, self.size, self.record = handler.layout, handler.size, handler.record


def _recorded(handler: RecordHandler | BatchHandler, example: Any) -> Packet:
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
    except HandlerError:
        raise
    except PlayheadError as error:
        raise HandlerError(f"record: {error}") from error
    finally:
        recorder.close()


def _check_layout(layout: Any) -> None:
    if not isinstance(layout, Layout):
        raise HandlerError(f"layout: {layout!r} is no Layout; layout_of() makes one from a dtype")
    again = msgspec.msgpack.decode(msgspec.msgpack.encode(layout), type=Layout)
    if again != layout:
        raise HandlerError("layout: it is not the same after being sent")


def _check_nothing_kept(handler: RecordHandler | BatchHandler, example: Any) -> None:
    try:
        clone = copy.deepcopy(example)
        watched = weakref.ref(clone)
    except TypeError:
        return  # no copy, or no weak reference, can be made of such an object
    _recorded(handler, clone)
    del clone
    gc.collect()
    if watched() is not None:
        raise HandlerError("record(): the handler keeps the object alive; keep its values only")


def _check_played(handler: Any, example: Any, packet: Packet) -> None:
    clone = copy.deepcopy(example)
    handler.play(clone, packet)
    again = _recorded(handler, clone)
    if again != packet:
        raise HandlerError(
            "play(): the object played back records as something else:"
            f" {_difference(handler.layout, packet, again)}"
        )


def _difference(layout: Layout, first: Packet, second: Packet) -> str:
    for name in ("position", "angles", "targetable", "visible"):
        if getattr(first, name) != getattr(second, name):
            return f"{name} was {getattr(first, name)} and is {getattr(second, name)}"
    before, after = layout.decode(first.payload), layout.decode(second.payload)
    for name, value in before.items():
        if repr(value) != repr(after.get(name)):
            return f"{name} was {value!r} and is {after.get(name)!r}"
    return "the payloads differ"
