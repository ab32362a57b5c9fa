"""What a game is told of what it is to look like: always the difference to what it was told."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from playhead.games.remote.playback_display_delta import DisplayDelta
from playhead.recorder.packets.recorded_frame import Packet
from playhead.recorder.world_adapter import StandIn

from .game import GUARD, HP, hps

NUMBER = 90
"""What the ring calls guards."""
ORIGIN = (0.0, 0.0, 0.0)
IDS = st.integers(1, 4)
CHANGES = st.one_of(
    st.tuples(st.sampled_from(["hide", "unhide", "remove_stand_in"]), IDS),
    st.tuples(st.sampled_from(["put", "stand_in"]), IDS, st.integers(0, 9)),
    st.just(("told",)),
)


def packet(id: int, hp: float) -> Packet:
    return Packet(id, "guard", True, True, False, ORIGIN, ORIGIN, 0, HP.pack(hp), NUMBER)


def next_order(picture: DisplayDelta) -> tuple[Any, dict[int, float]]:
    order, image = picture.take(1, 0.5, {NUMBER: GUARD})
    assert order.image == (image is not None)
    return order, {} if image is None else hps(image)


def test_what_was_reported_is_not_reported_again() -> None:
    picture = DisplayDelta()
    picture.hide(1)
    picture.put(packet(2, 5.0))
    picture.stand_in(StandIn(3, "rock", ORIGIN, ORIGIN, True))
    order, packets = next_order(picture)
    assert (order.hide, packets, [row.id for row in order.stand_ins]) == ((1,), {2: 5.0}, [3])
    order, packets = next_order(picture)
    assert (order.hide, order.unhide, order.stand_ins, packets) == ((), (), (), {})


def test_what_is_over_before_it_could_be_reported_is_never_reported() -> None:
    picture = DisplayDelta()
    picture.hide(1)
    picture.unhide(1)
    picture.put(packet(2, 5.0))
    picture.put(packet(2, 6.0))
    picture.stand_in(StandIn(3, "rock", ORIGIN, ORIGIN, True))
    picture.remove_stand_in(3)
    order, packets = next_order(picture)
    assert (order.hide, order.stand_ins, order.remove_stand_ins) == ((), (), ())
    assert packets == {2: 6.0}


def test_a_hidden_object_gets_its_packet_when_it_is_shown_again() -> None:
    picture = DisplayDelta()
    picture.put(packet(1, 5.0))
    picture.hide(1)
    order, packets = next_order(picture)
    assert (order.hide, packets) == ((1,), {})
    picture.unhide(1)
    order, packets = next_order(picture)
    assert (order.unhide, packets) == ((1,), {1: 5.0})


def test_packets_of_types_that_the_game_does_not_know_are_not_sent() -> None:
    picture = DisplayDelta()
    picture.put(packet(1, 5.0)._replace(number=NUMBER + 1))
    assert next_order(picture)[1] == {}


@given(st.lists(CHANGES, max_size=40))
def test_a_game_that_obeys_ends_up_as_if_it_had_been_reported_all(changes: list[Any]) -> None:
    picture = DisplayDelta()
    expected: dict[str, Any] = {"hidden": set(), "stand_ins": {}, "seen": {}}
    looks: dict[str, Any] = {"hidden": set(), "stand_ins": {}, "seen": {}}

    def obey() -> None:
        order, packets = next_order(picture)
        assert set(order.unhide) <= looks["hidden"]
        looks["hidden"] = (looks["hidden"] - set(order.unhide)) | set(order.hide)
        assert not packets.keys() & looks["hidden"]
        looks["seen"] |= packets
        for id in order.remove_stand_ins:
            del looks["stand_ins"][id]
        looks["stand_ins"] |= {row.id: row.position[0] for row in order.stand_ins}

    for change, *values in changes:
        match change, values:
            case "hide", [id]:
                picture.hide(id)
                expected["hidden"].add(id)
            case "unhide", [id]:
                picture.unhide(id)
                expected["hidden"].discard(id)
            case "put", [id, hp]:
                picture.put(packet(id, hp))
                expected["seen"][id] = float(hp)
            case "stand_in", [id, x]:
                picture.stand_in(StandIn(id, "rock", (float(x), 0.0, 0.0), ORIGIN, True))
                expected["stand_ins"][id] = float(x)
            case "remove_stand_in", [id]:
                picture.remove_stand_in(id)
                expected["stand_ins"].pop(id, None)
            case _:
                obey()
    for id in range(1, 5):
        picture.unhide(id)
    expected["hidden"].clear()
    obey()
    assert looks == expected
