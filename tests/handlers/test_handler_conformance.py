"""The contract test finds each breach, and names it."""

import struct
from types import SimpleNamespace

import numpy as np
import pytest

from playhead.errors import HandlerError
from playhead.handlers.handler_conformance import check_handler
from playhead.recorder.packets.layouts.layout import layout_from_dtype


class Sound:
    """Keeps the contract; the others below break it in one place."""

    layout = layout_from_dtype([("value", "<f8")])

    def size(self, thing):
        return 8

    def record(self, thing, packet):
        packet.position = (thing.value, 0, 0)
        struct.pack_into("<d", packet, 0, thing.value)

    def play(self, thing, packet):
        (thing.value,) = struct.unpack("<d", packet.payload)


class TooSmall(Sound):
    def size(self, thing):
        return 4


class TooLarge(Sound):
    layout = layout_from_dtype([("value", "<f8"), ("more", "<f8")])

    def size(self, thing):
        return 16


class ChangesTheObject(Sound):
    def record(self, thing, packet):
        thing.value += 1
        super().record(thing, packet)


class KeepsTheObject(Sound):
    def __init__(self):
        self.kept = []

    def record(self, thing, packet):
        self.kept.append(thing)
        super().record(thing, packet)


class KeepsTheBuffer(Sound):
    def __init__(self):
        self.kept = []

    def record(self, thing, packet):
        super().record(thing, packet)
        self.kept.append(np.frombuffer(packet, np.uint8))


class WrongLayout(Sound):
    layout = layout_from_dtype([("value", "<f8"), ("ghost", "<f8")])


class NoLayout(Sound):
    layout = "<d"


class BatchSaysOtherwise(Sound):
    def record_many(self, ids, things):
        n = len(ids)
        return SimpleNamespace(
            ids=np.array(ids, np.uint64), positions=np.zeros((n, 3), np.float32), angles=None,
            targetable=None, visible=None, payloads=np.zeros((n, 8), np.uint8),
        )  # fmt: skip


class PlaysNothing(Sound):
    def play(self, thing, packet):
        thing.value = 0.0


class PlayRaises(Sound):
    def play(self, thing, packet):
        raise KeyError("lost")


class RecordRaises(Sound):
    def record(self, thing, packet):
        raise KeyError("lost")


class Thing:
    def __init__(self, value):
        self.value = value


def test_a_sound_handler_passes_and_its_packet_is_given_back():
    packet = check_handler(Sound(), Thing(2.5))
    assert packet is not None
    assert packet.payload == struct.pack("<d", 2.5)


@pytest.mark.parametrize(
    ("broken", "words"),
    [
        (TooSmall, "record"),
        (TooLarge, "holes"),
        (ChangesTheObject, "chang|differ|holes"),
        (KeepsTheObject, "keeps the object"),
        (KeepsTheBuffer, "kept a view"),
        (WrongLayout, "layout"),
        (NoLayout, "no Layout"),
        (BatchSaysOtherwise, "record_many"),
        (PlaysNothing, "records as something else"),
        (PlayRaises, "lost"),
        (RecordRaises, "lost"),
    ],
)
def test_each_breach_is_named(broken, words):
    with pytest.raises((HandlerError, KeyError), match=words):
        check_handler(broken(), Thing(2.5))


def test_an_object_that_is_no_handler_fails_the_check():
    with pytest.raises(HandlerError, match="neither"):
        check_handler(object(), Thing(1.0))


def test_a_handler_that_only_plays_has_nothing_to_record():
    class Playing:
        def play(self, thing, packet):
            pass

    assert check_handler(Playing(), Thing(1.0)) is None


# --- what playing does to the object --------------------------------------------------------------


class Rounds(Sound):
    """Records 32 of the 64 bits, so that its packets agree before and after."""

    layout = layout_from_dtype([("value", "<f4")])

    def size(self, thing):
        return 4

    def record(self, thing, packet):
        struct.pack_into("<f", packet, 0, thing.value)

    def play(self, thing, packet):
        (thing.value,) = struct.unpack("<f", packet.payload)


class PlaysMore(Sound):
    """Sets what it does not record."""

    def play(self, thing, packet):
        super().play(thing, packet)
        thing.moved = True


class OnlyHalf(Sound):
    """Sets something of another packet that it does not set back."""

    def play(self, thing, packet):
        super().play(thing, packet)
        if thing.value != 2.5:
            thing.target = None


def test_a_handler_that_rounds_fails_since_it_changes_the_game():
    with pytest.raises(HandlerError, match=r"value was 0\.1 and is 0\.1000000014.*would change"):
        check_handler(Rounds(), Thing(0.1))
    check_handler(Rounds(), Thing(0.5))


@pytest.mark.parametrize("broken", [PlaysMore, OnlyHalf])
def test_what_play_sets_and_record_does_not_keep_is_named(broken):
    thing = Thing(2.5)
    thing.moved, thing.target = False, [1]
    with pytest.raises(HandlerError, match=r"(moved was False and is True|target was \[1\])"):
        check_handler(broken(), thing)


def test_the_compared_fields_of_an_object_can_be_given():
    thing = Thing(2.5)
    thing.moved = False
    check_handler(PlaysMore(), thing, state=lambda thing: thing.value)
    check_handler(PlaysMore(), thing, equal=lambda one, other: one.value == other.value)
    with pytest.raises(HandlerError, match="equal"):
        check_handler(PlaysMore(), thing, equal=lambda one, other: one.moved == other.moved)
    with pytest.raises(HandlerError, match="value.* was"):
        check_handler(Rounds(), Thing(0.1), state=lambda thing: {"value": thing.value})


def test_a_number_that_is_none_agrees_with_itself():
    check_handler(Sound(), Thing(float("nan")))


class Forgetful:
    """Means to record, and is no recording half: each of its duties may be taken away."""

    layout = Sound.layout
    size = Sound.size
    record = Sound.record
    play = Sound.play


@pytest.mark.parametrize("part", ["layout", "size", "record"])
def test_a_handler_that_lacks_a_part_of_recording_is_not_taken_for_one_that_only_plays(part):
    parts = {name: value for name, value in vars(Forgetful).items() if name != part}
    handler = type("Forgetful", (), parts)()
    with pytest.raises(HandlerError, match=f"lacks {part}"):
        check_handler(handler, SimpleNamespace(value=0.1))


def test_a_batch_handler_without_a_layout_fails_for_just_that():
    handler = SimpleNamespace(record_many=lambda ids, objs: None, play=lambda obj, packet: None)
    with pytest.raises(HandlerError, match="lacks layout: "):
        check_handler(handler, SimpleNamespace(value=0.1))
