"""A recorder, small things to be recorded, and a way of recording them."""

import struct
from types import SimpleNamespace

import pytest

from playhead.recorder.handler_interface import HandlerSpec
from playhead.recorder.packets.layouts.layout import layout_from_dtype
from playhead.recorder.recorder import Recorder


class ThingHandler:
    """Records one number of a thing."""

    layout = layout_from_dtype([("value", "<f8")])

    def size(self, thing):
        return 8

    def record(self, thing, packet):
        packet.position = (thing.value, 0.0, 0.0)
        struct.pack_into("<d", packet, 0, thing.value)


@pytest.fixture
def thing_handler():
    return ThingHandler


@pytest.fixture
def thing():
    def make(value: float = 1.0) -> SimpleNamespace:
        return SimpleNamespace(value=value)

    return make


@pytest.fixture
def make_recorder():
    made = []

    def make(memory="1 MiB", *, handler=None, channels=(), **settings) -> Recorder:
        settings.setdefault("strict", True)
        recorder = Recorder(memory, **settings)
        spec = HandlerSpec("thing", handler or ThingHandler(), None, channels)
        recorder.add_handler(spec)
        made.append(recorder)
        return recorder

    yield make
    for recorder in made:
        recorder.close()


@pytest.fixture
def recorder(make_recorder):
    return make_recorder()
