"""Bytes as a tool gets them: what they are read as is what they are written as."""

from playhead.bus.messages.msgpack_codec import event_of, packed, request_of, response_of, time_of
from playhead.errors import DamagedError

from . import seeds

SEEDS = seeds.told()


def one_input(data: bytes) -> None:
    for read in (response_of, event_of, time_of, request_of):
        try:
            message = read(data)
        except DamagedError:
            continue
        once = packed(message)
        assert packed(read(once)) == once
