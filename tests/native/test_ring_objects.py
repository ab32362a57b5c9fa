"""All objects of a frame in one call, each by the plan of its type."""

from collections.abc import Iterator
from typing import Any

import pytest

from playhead.errors import RecordingError
from playhead.native import _ring


def write_name(thing: Any, packet: _ring.PacketWriter) -> None:
    packet.payload[:] = str(thing).encode()


def plan(
    type: int, size: Any = None, record: Any = write_name, ids: Any = None, objects: Any = None
) -> Any:
    fixed = size if isinstance(size, int) else -1
    return (type, 1, fixed, size or (lambda thing: len(str(thing))), record, ids, objects)


def test_objects_are_recorded_by_the_plan_of_their_type(ring: _ring.Ring) -> None:
    received: list[Any] = []
    ids: list[int] = []
    things: list[Any] = []
    plans = {
        "guard": plan(30),
        "stone": plan(31, 5),
        "off": None,
        "many": plan(33, ids=ids, objects=things),
        "muted": plan(34, record=None),
    }
    objects = [
        (1, "guard", "anna"),
        (2, "stone", "small"),
        (3, "off", "x"),
        (4, "many", "one of many"),
        (5, "unknown", "x"),
        (6, "muted", "x"),
        (7, "guard", "otto otto"),
    ]
    ring.record_objects(iter(objects), plans, lambda *fault: received.append(fault))
    frame = ring.commit(0.0, 0.0)
    got = [(packet[0], packet[1], packet[3], packet[8]) for packet in ring.packets(frame)]
    assert got == [
        (1, 30, 0, b"anna"),
        (2, 31, 0, b"small"),
        (6, 34, 1, b""),
        (7, 30, 0, b"otto otto"),
    ]
    assert received == [(5, "unknown", None)]
    assert (ids, things) == ([4], ["one of many"])
    ring.begin()


def test_the_faults_of_single_objects_are_reported_and_the_others_recorded(
    ring: _ring.Ring,
) -> None:
    received: list[Any] = []

    def fail(*_: object) -> int:
        raise KeyError("missing")

    plans = {
        "good": plan(30),
        "no size": plan(31, fail),
        "bad size": plan(32, lambda thing: -1),
        "wrong size": plan(33, 2),
        "float size": plan(34, lambda thing: 2.5),
        "raises": plan(35, 2, fail),
    }
    names = [*plans, "good"]
    objects = [(i, name, "thing") for i, name in enumerate(names, 1)]
    objects += [(0, "good", "thing"), (-4, "good", "thing")]
    count = ring.record_objects(objects, plans, lambda *fault: received.append(fault))
    assert count == 2
    assert [(fault[0], type(fault[2]).__name__) for fault in received] == [
        (2, "KeyError"),
        (3, "RecordingError"),
        (4, "ValueError"),
        (5, "TypeError"),
        (6, "KeyError"),
        (0, "RecordingError"),
        (-4, "RecordingError"),
    ]
    frame = ring.commit(0.0, 0.0)
    assert [(packet[0], packet[3]) for packet in ring.packets(frame)] == [
        (1, 0),
        (2, 1),
        (3, 1),
        (4, 1),
        (5, 1),
        (6, 1),
        (7, 0),
    ]
    ring.begin()


def test_what_faults_tells_can_end_the_recording_of_objects(ring: _ring.Ring) -> None:
    def strict(*fault: Any) -> None:
        raise fault[2]

    with pytest.raises(ZeroDivisionError):
        ring.record_objects([(1, "a", 1)], {"a": plan(1, lambda thing: 1 // 0)}, strict)
    for objects in ([(1, "a")], [5], [None]):
        with pytest.raises(RecordingError, match="tuple"):
            ring.record_objects(objects, {}, print)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        ring.record_objects([], {"a": (1, 2)}, print)  # type: ignore[dict-item]
    with pytest.raises(TypeError):
        ring.record_objects(5, {}, print)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        ring.record_objects([], [], print)  # type: ignore[arg-type]


@pytest.mark.parametrize("who", ["objects", "size", "fault"])
@pytest.mark.parametrize("way", ["commit", "abort", "close", "begin"])
def test_the_frame_cannot_end_while_its_objects_are_recorded(
    ring: _ring.Ring, who: str, way: str
) -> None:
    refused = []

    def end() -> None:
        try:
            ring.commit(0.0, 0.0) if way == "commit" else getattr(ring, way)()
        except RecordingError as error:
            refused.append(error)

    def objects() -> Iterator[tuple[int, str, str]]:
        for i in range(1, 4):
            if who == "objects":
                end()
            yield i, "a", "abc"
            yield i, "none", "abc"

    def size(thing: str) -> int:
        if who == "size":
            end()
        return len(thing)

    def fault(*_: object) -> None:
        if who == "fault":
            end()

    assert ring.record_objects(objects(), {"a": plan(9, size)}, fault) == 3
    assert len(refused) == 3
    assert ring.open_packets == 3
    assert not ring.finished


def test_plans_may_be_taken_away_while_they_are_followed(ring: _ring.Ring) -> None:
    plans: dict[str, Any] = {}

    def size(thing: str) -> int:
        plans.clear()
        plans.update({str(i): None for i in range(50)})
        return len(thing)

    plans["a"] = plan(9, size)
    received: list[Any] = []
    objects = [(1, "a", "abc"), (2, "a", "abc")]
    assert ring.record_objects(objects, plans, lambda *fault: received.append(fault)) == 1
    assert received == [(2, "a", None)]

    def spoil(thing: str) -> int:
        plans["b"] = "no plan"
        return len(thing)

    plans["b"] = plan(9, spoil)
    with pytest.raises(TypeError, match="no plan"):
        ring.record_objects([(1, "b", "abc"), (2, "b", "abc")], plans, print)
