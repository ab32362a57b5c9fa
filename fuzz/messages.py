"""Messages as a tool receives them: reading, writing and reading again changes nothing."""

from playhead.bus.messages.msgpack_codec import event_of, packed, request_of, response_of, time_of
from playhead.errors import DamagedError

from . import seeds

SEEDS = seeds.messages()


def one_input(data: bytes) -> None:
    for read in (response_of, event_of, time_of, request_of):
        try:
            message = read(data)
        except DamagedError:
            continue
        once = packed(message)
        assert packed(read(once)) == once
