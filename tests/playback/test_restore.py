"""The game put at a recorded frame and back, whatever was done in between."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.errors import CommandError, EvictedError, HandlerError
from playhead.playback.commands import Command, Enter, Leave, Pause, Play, SeekFrame, Step
from playhead.playback.restore import MUTED_AFTER, Restorer
from playhead.recorder.packets.recorded_frame import Packet
from playhead.recorder.world_adapter import StandIn


class RestoreSetup:
    """A world and a recording whose newest frame is the world's present state."""

    def __init__(self, fakes: Any, frames: Sequence[Sequence[Packet]], **options: Any) -> None:
        self.player = fakes.Player()
        self.source = fakes.Source()
        self.world = fakes.World(**options.pop("world", {}))
        types = options.pop("types", None)
        for number, packets in enumerate(frames):
            recorded = types[number] if types else {"thing"} | {p.type for p in packets}
            self.source.add(float(number), 1.0, packets, recorded)
        for packet in frames[-1] if frames else ():
            value = 99.0 if packet.damaged else packet.position[0]
            self.world.things[packet.id] = fakes.Thing(packet.type, value, packet.visible)
        players = options.pop("players", {"thing": self.player})
        self.restorer = Restorer(self.world, self.source, players, **options)

    def value(self, object_id: int) -> float:
        return float(self.world.things[object_id].value)

    def forget_calls(self) -> None:
        self.world.calls.clear()
        self.player.played.clear()


def test_entering_pauses_and_locks_and_leaving_unlocks_and_resumes(fakes: Any) -> None:
    stage = RestoreSetup(fakes, [[fakes.packet(1, 1.0)]])
    stage.restorer.enter()
    stage.restorer.enter()
    assert stage.restorer.active
    assert stage.world.calls == [("pause",), ("lock",)]
    stage.forget_calls()
    stage.restorer.leave()
    stage.restorer.leave()
    assert not stage.restorer.active
    assert stage.world.calls == [("unlock",), ("resume",)]


def test_playback_of_nothing_is_entered_and_left(fakes: Any) -> None:
    stage = RestoreSetup(fakes, [])
    stage.world.things[1] = fakes.Thing("thing", 5.0)
    stage.restorer.enter()
    stage.restorer.leave()
    assert stage.world.things == {1: fakes.Thing("thing", 5.0)}
    assert stage.world.stand_ins == {}
    assert (stage.world.paused, stage.world.locked) == (False, False)


def test_a_running_game_is_never_overwritten(fakes: Any) -> None:
    stage = RestoreSetup(fakes, [[fakes.packet(1, 1.0)]])
    with pytest.raises(CommandError, match="frame 1 in a running game"):
        stage.restorer.show(1)
    assert stage.player.played == []


def test_all_objects_show_one_and_the_same_frame(fakes: Any) -> None:
    stage = RestoreSetup(
        fakes, [[fakes.packet(i, 10.0 * n + i) for i in (1, 2, 3)] for n in range(4)]
    )
    stage.restorer.enter()
    for frame in (2, 4, 1):
        stage.restorer.show(frame)
        assert [stage.value(i) for i in (1, 2, 3)] == [10.0 * (frame - 1) + i for i in (1, 2, 3)]


def test_leaving_puts_the_newest_frame_into_every_object(fakes: Any) -> None:
    stage = RestoreSetup(fakes, [[fakes.packet(i, 10.0 * n + i) for i in (1, 2)] for n in range(3)])
    before = stage.world.state()
    stage.restorer.enter()
    stage.restorer.show(1)
    stage.forget_calls()
    stage.restorer.leave()
    assert stage.player.played == [(1, 21.0), (2, 22.0)]
    assert stage.world.state() == before


def test_an_object_younger_than_the_frame_is_hidden_until_it_exists(fakes: Any) -> None:
    old, both = [fakes.packet(1, 1.0)], [fakes.packet(1, 2.0), fakes.packet(2, 2.0)]
    stage = RestoreSetup(fakes, [old, both])
    stage.restorer.enter()
    stage.restorer.show(1)
    assert stage.restorer.hidden == {2}
    stage.restorer.show(2)
    assert stage.restorer.hidden == set()
    stage.restorer.show(1)
    stage.restorer.leave()
    assert stage.world.things[2].visible


def test_an_object_born_after_the_newest_frame_is_hidden_and_given_back(fakes: Any) -> None:
    stage = RestoreSetup(fakes, [[fakes.packet(1, 1.0)]])
    stage.world.things[9] = fakes.Thing("thing", 7.0)
    before = stage.world.state()
    stage.restorer.enter()
    stage.restorer.show(1)
    assert stage.restorer.hidden == {9}
    stage.restorer.leave()
    assert stage.world.state() == before


def test_a_recorded_object_that_is_gone_has_a_stand_in(fakes: Any) -> None:
    gone = fakes.packet(2, 5.0, visible=False)
    stage = RestoreSetup(fakes, [[fakes.packet(1, 1.0), gone], [fakes.packet(1, 2.0)]])
    stage.restorer.enter()
    stage.restorer.show(1)
    assert stage.world.stand_ins == {
        2: StandIn(2, "thing", (5.0, 0.0, 0.0), (0.0, 0.0, 0.0), False)
    }
    stage.restorer.show(2)
    assert stage.world.stand_ins == {}
    stage.restorer.show(1)
    stage.restorer.leave()
    assert stage.world.stand_ins == {}


def test_a_type_that_the_frame_did_not_record_is_not_touched(fakes: Any) -> None:
    stage = RestoreSetup(fakes, [[fakes.packet(1, 1.0)], [fakes.packet(1, 2.0)]])
    stage.world.things[5] = fakes.Thing("weather", 8.0)
    stage.restorer.enter()
    stage.restorer.show(1)
    assert stage.restorer.hidden == set()
    assert stage.value(5) == 8.0


def test_a_type_whose_channel_was_off_in_that_frame_is_as_it_is_now(fakes: Any) -> None:
    stage = RestoreSetup(
        fakes,
        [[fakes.packet(1, 1.0)], [], [fakes.packet(1, 3.0)]],
        types=[{"thing"}, set(), {"thing"}],
    )
    stage.restorer.enter()
    for frame, value in [(1, 1.0), (2, 3.0)]:
        stage.restorer.show(frame)
        assert stage.value(1) == value
        assert stage.restorer.hidden == set()


def test_an_object_that_could_not_be_given_back_is_shown_by_a_stand_in(fakes: Any) -> None:
    # Its channel was switched off after frame 1: no newest packet would restore it.
    stage = RestoreSetup(fakes, [[fakes.packet(1, 1.0)], []], types=[{"thing"}, set()])
    stage.world.things[1] = fakes.Thing("thing", 50.0)
    before = stage.world.state()
    stage.restorer.enter()
    stage.restorer.show(1)
    assert stage.player.played == []
    assert set(stage.world.stand_ins) == {1}
    assert stage.restorer.hidden == {1}
    stage.restorer.leave()
    assert stage.world.state() == before


def test_a_damaged_packet_leaves_its_object_as_it_is_and_visible(fakes: Any) -> None:
    frames = [[fakes.packet(1, 1.0)], [fakes.packet(1, damaged=True)], [fakes.packet(1, 3.0)]]
    stage = RestoreSetup(fakes, frames)
    stage.restorer.enter()
    for frame in (1, 3):
        stage.restorer.show(frame)
        stage.restorer.show(2)
        assert stage.value(1) == 3.0
        assert stage.world.things[1].visible
        assert not stage.restorer.hidden
        assert not stage.world.stand_ins
    assert not stage.restorer.faults


def test_an_object_whose_newest_packet_is_damaged_is_never_changed(fakes: Any) -> None:
    stage = RestoreSetup(fakes, [[fakes.packet(1, 1.0)], [fakes.packet(1, damaged=True)]])
    before = stage.world.state()
    stage.restorer.enter()
    stage.restorer.show(1)
    assert set(stage.world.stand_ins) == {1}
    stage.restorer.leave()
    assert stage.world.state() == before
    assert stage.player.played == []


def test_a_type_without_a_play_handler_is_shown_by_stand_ins_alone(fakes: Any) -> None:
    frames = [[fakes.packet(i, float(n), "rock") for i in (1, 2)] for n in range(2)]
    stage = RestoreSetup(fakes, frames)
    before = stage.world.state()
    stage.restorer.enter()
    stage.restorer.show(1)
    assert set(stage.world.stand_ins) == {1, 2}
    assert stage.restorer.hidden == {1, 2}
    stage.restorer.leave()
    assert stage.world.state() == before


def test_a_world_that_can_not_restore_gets_stand_ins_for_all_and_is_not_touched(
    fakes: Any,
) -> None:
    frames = [[fakes.packet(1, 1.0), fakes.packet(2, 1.0)], [fakes.packet(1, 2.0)]]
    stage = RestoreSetup(fakes, frames, world={"can_restore": False})
    stage.world.things[3] = fakes.Thing("thing", 8.0)
    before = stage.world.state()
    stage.restorer.enter()
    stage.restorer.show(1)
    assert set(stage.world.stand_ins) == {1, 2}
    assert stage.world.state()[:2] == before[:2]
    stage.restorer.leave()
    assert stage.world.state() == before
    assert stage.player.played == []


def test_an_id_used_again_by_another_type_is_not_the_recorded_object(fakes: Any) -> None:
    crate = fakes.packet(1, 9.0, "crate")
    crates = fakes.Player()
    stage = RestoreSetup(
        fakes,
        [[fakes.packet(1, 1.0), fakes.packet(2, 1.0, "crate")], [crate]],
        players={"thing": fakes.Player(), "crate": crates},
    )
    before = stage.world.state()
    stage.restorer.enter()
    stage.restorer.show(1)
    assert stage.world.stand_ins[1].type == "thing"
    assert stage.restorer.hidden == {1}
    assert crates.played == []
    stage.restorer.leave()
    assert stage.world.state() == before


def test_a_damaged_packet_of_an_ids_former_owner_does_not_show_the_present_one(
    fakes: Any,
) -> None:
    frames = [[fakes.packet(1, damaged=True)], [fakes.packet(1, 9.0, "crate")]]
    stage = RestoreSetup(fakes, frames, types=[{"thing", "crate"}, {"thing", "crate"}])
    stage.restorer.enter()
    stage.restorer.show(1)
    assert stage.restorer.hidden == {1}
    assert not stage.world.stand_ins


def test_a_stand_in_leaves_an_ids_present_owner_alone_if_its_type_was_not_recorded(
    fakes: Any,
) -> None:
    frames = [[fakes.packet(1, 1.0)], [fakes.packet(1, 9.0, "crate")]]
    stage = RestoreSetup(fakes, frames, types=[{"thing"}, {"thing", "crate"}])
    stage.restorer.enter()
    stage.restorer.show(1)
    assert set(stage.world.stand_ins) == {1}
    assert not stage.restorer.hidden


def test_an_object_that_the_world_does_not_list_is_put_right_all_the_same(fakes: Any) -> None:
    stage = RestoreSetup(fakes, [[fakes.packet(1, 1.0)], [fakes.packet(1, 2.0)]])
    before = stage.world.state()
    stage.restorer.enter()
    stage.restorer.show(1)
    stage.world.unlisted = {1}
    stage.restorer.show(1)
    assert set(stage.world.stand_ins) == {1}
    assert stage.restorer.hidden == {1}
    stage.restorer.leave()
    assert stage.world.state() == before


def test_visibility_is_the_handlers_to_play(fakes: Any) -> None:
    frames = [[fakes.packet(1, float(n), visible=n != 1)] for n in range(3)]
    stage = RestoreSetup(fakes, frames)
    stage.restorer.enter()
    seen = []
    for frame in (1, 2, 3):
        stage.restorer.show(frame)
        seen.append(stage.world.things[1].visible)
    assert seen == [True, False, True]
    assert stage.restorer.hidden == set()


def test_an_object_comes_out_of_hiding_with_the_visibility_of_its_frame(fakes: Any) -> None:
    frames = [[], [fakes.packet(1, 1.0, visible=False)], [fakes.packet(1, 2.0)]]
    stage = RestoreSetup(fakes, frames)
    stage.restorer.enter()
    stage.restorer.show(1)
    stage.restorer.show(2)
    assert not stage.world.things[1].visible
    stage.restorer.show(1)
    stage.restorer.leave()
    assert stage.world.things[1].visible


def test_nothing_flickers_where_neighbouring_frames_agree(fakes: Any) -> None:
    def past(n: int) -> list[Packet]:
        return [fakes.packet(1, float(n)), fakes.packet(8, 4.0), fakes.packet(9, float(n))]

    stage = RestoreSetup(fakes, [past(0), past(1), [fakes.packet(1, 2.0), fakes.packet(2, 2.0)]])
    stage.restorer.enter()
    stage.restorer.show(1)
    stage.forget_calls()
    stage.restorer.show(2)
    # 2 stays hidden, the stand-in 8 stands where it stood, only 9 moves.
    assert stage.world.calls == [("show", 9)]
    stage.forget_calls()
    stage.restorer.show(2)
    assert stage.world.calls == []


def test_a_frame_that_is_not_recorded_changes_nothing(fakes: Any) -> None:
    stage = RestoreSetup(fakes, [[fakes.packet(1, 1.0)], [fakes.packet(1, 2.0)]])
    stage.restorer.enter()
    stage.restorer.show(1)
    state = stage.world.state()
    with pytest.raises(EvictedError):
        stage.restorer.show(7)
    assert stage.world.state() == state


def test_leaving_needs_nothing_of_the_source_any_more(fakes: Any) -> None:
    stage = RestoreSetup(fakes, [[fakes.packet(1, 1.0)], [fakes.packet(1, 2.0)]])
    before = stage.world.state()
    stage.restorer.enter()
    stage.restorer.show(1)
    stage.source.frames.clear()
    stage.restorer.leave()
    assert stage.world.state() == before


def test_a_handler_that_raises_costs_its_object_a_stand_in(fakes: Any) -> None:
    frames = [[fakes.packet(i, 10.0 * n + i) for i in (1, 2)] for n in range(2)]
    stage = RestoreSetup(fakes, frames)
    stage.player.broken = {1.0}
    before = stage.world.state()
    stage.restorer.enter()
    stage.restorer.show(1)
    assert set(stage.world.stand_ins) == {1}
    assert stage.restorer.hidden == {1}
    assert stage.value(2) == 2.0
    assert stage.restorer.faults == {"thing": 1}
    stage.restorer.leave()
    assert stage.world.state() == before


def test_three_failures_in_a_row_mute_a_type_until_playback_is_left(fakes: Any) -> None:
    frames = [[fakes.packet(1, float(n))] for n in range(9)]
    stage = RestoreSetup(fakes, frames)
    stage.player.broken = {0.0, 1.0, 2.0}
    before = stage.world.state()
    stage.restorer.enter()
    for frame in (1, 2, 3):
        stage.restorer.show(frame)
    assert stage.restorer.faults == {"thing": MUTED_AFTER}
    stage.forget_calls()
    stage.restorer.show(5)
    assert stage.player.played == []
    assert set(stage.world.stand_ins) == {1}
    stage.restorer.leave()
    assert stage.world.state() == before
    stage.restorer.enter()
    stage.restorer.show(5)
    assert stage.value(1) == 4.0
    assert stage.restorer.faults == {"thing": MUTED_AFTER}


def test_a_success_ends_a_row_of_failures(fakes: Any) -> None:
    stage = RestoreSetup(fakes, [[fakes.packet(1, float(n))] for n in range(4)])
    stage.player.broken = {0.0}
    stage.restorer.enter()
    for _ in range(3):
        stage.restorer.show(1)
        stage.restorer.show(1)
        stage.restorer.show(2)
        assert stage.value(1) == 1.0


def test_a_type_is_muted_within_one_frame_too(fakes: Any) -> None:
    stage = RestoreSetup(
        fakes, [[fakes.packet(i, float(n)) for i in range(1, 9)] for n in range(2)]
    )
    stage.player.broken = {0.0}
    before = stage.world.state()
    stage.restorer.enter()
    stage.restorer.show(1)
    assert stage.restorer.faults == {"thing": MUTED_AFTER}
    assert set(stage.world.stand_ins) == stage.restorer.hidden == set(range(1, 9))
    stage.restorer.leave()
    assert stage.world.state() == before


def test_strict_raises_when_the_frame_is_done(fakes: Any) -> None:
    frames = [[fakes.packet(i, 10.0 * n + i) for i in (1, 2)] for n in range(2)]
    stage = RestoreSetup(fakes, frames, strict=True)
    stage.player.broken = {1.0}
    stage.restorer.enter()
    with pytest.raises(HandlerError, match=r"thing handler raised .* object 1") as caught:
        stage.restorer.show(1)
    assert isinstance(caught.value.__cause__, RuntimeError)
    assert stage.value(2) == 2.0
    stage.player.broken = {11.0}
    with pytest.raises(HandlerError):
        stage.restorer.leave()
    assert not stage.world.paused
    assert not stage.world.locked
    assert stage.value(2) == 12.0


def test_the_restorer_does_what_the_playhead_says(fakes: Any) -> None:
    stage = RestoreSetup(fakes, [[fakes.packet(1, float(n))] for n in range(5)])
    playhead, _, pass_ = fakes.playhead(stage.source)
    playhead.on_moved(stage.restorer.match)
    before = stage.world.state()

    def after(command: Command) -> float:
        playhead.apply(command)
        return stage.value(1)

    assert after(Enter()) == 4.0
    assert after(Step(-1)) == 3.0
    assert after(SeekFrame(1)) == 0.0
    playhead.apply(Play(2.0))
    pass_(1.0)
    assert after(Pause()) == 2.0
    assert stage.world.locked
    playhead.apply(Leave())
    assert stage.world.state() == before


@st.composite
def histories(draw: st.DrawFn) -> list[list[tuple[int, str, float, bool, bool] | None]]:
    """Up to 8 frames; each has for each of 4 objects a packet's facts or None."""
    kinds = draw(st.lists(st.sampled_from(["thing", "crate", "rock"]), min_size=4, max_size=4))
    values = st.integers(0, 9).map(float)
    return draw(
        st.lists(
            st.tuples(
                *(
                    st.none()
                    | st.tuples(
                        st.just(i + 1),
                        st.just(kind) | st.sampled_from(["thing", "crate"]),
                        values,
                        st.booleans(),
                        st.integers(0, 5).map(lambda n: n == 0),
                    )
                    for i, kind in enumerate(kinds)
                )
            ).map(list),
            min_size=1,
            max_size=8,
        )
    )


@given(data=st.data())
def test_what_a_frame_shows_depends_on_it_alone_and_leaving_undoes_everything(
    fakes: Any, data: st.DataObject
) -> None:
    frames = [
        [
            fakes.packet(i, value, type, visible=visible, damaged=damaged)
            for i, type, value, visible, damaged in filter(None, entries)
        ]
        for entries in data.draw(histories())
    ]
    types = data.draw(
        st.lists(
            st.sets(st.sampled_from(["thing", "crate", "rock"])),
            min_size=len(frames),
            max_size=len(frames),
        )
    )
    types = [some | {p.type for p in packets} for some, packets in zip(types, frames, strict=True)]
    world = {"can_restore": data.draw(st.integers(0, 5).map(bool))}

    def stage() -> RestoreSetup:
        players = {"thing": fakes.Player(), "crate": fakes.Player()}
        stage = RestoreSetup(fakes, frames, types=types, world=dict(world), players=players)
        stage.world.things[7] = fakes.Thing("thing", 70.0, False)
        stage.world.things[8] = fakes.Thing("weather", 80.0)
        return stage

    def shown_directly(frame: int) -> Any:
        direct = stage()
        direct.restorer.enter()
        direct.restorer.show(frame)
        return direct.world.state()

    walked = stage()
    before = walked.world.state()
    numbers = st.integers(1, len(frames))
    for walk in data.draw(st.lists(st.lists(numbers, max_size=6), min_size=1, max_size=3)):
        walked.restorer.enter()
        for frame in walk:
            walked.restorer.show(frame)
            assert walked.world.state() == shown_directly(frame)
        walked.restorer.leave()
        assert walked.world.state() == before


@given(
    broken=st.sets(st.integers(0, 5).map(float), max_size=3),
    walk=st.lists(st.integers(1, 6), max_size=12),
)
def test_leaving_undoes_everything_also_where_handlers_raise(
    fakes: Any, broken: set[float], walk: list[int]
) -> None:
    stage = RestoreSetup(fakes, [[fakes.packet(i, float(n)) for i in (1, 2)] for n in range(7)])
    stage.player.broken = broken
    before = stage.world.state()
    stage.restorer.enter()
    for frame in walk:
        stage.restorer.show(frame)
        # Each object is seen once: itself at this frame, or its stand-in.
        assert set(stage.world.stand_ins) == stage.restorer.hidden
        for i in {1, 2} - stage.restorer.hidden:
            assert stage.value(i) == frame - 1
    stage.restorer.leave()
    assert stage.world.state() == before
