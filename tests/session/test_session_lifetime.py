"""A session from its beginning to its end, and what it survives in between."""

import math
from dataclasses import dataclass

import numpy as np
import pytest

from playhead.errors import CapacityError, CommandError, HandlerError, RecordingError
from playhead.handlers.field_handler import FieldColumns, FieldHandler
from playhead.handlers.handler_registry import HandlerRegistry
from playhead.playback.commands import Enter, Leave, SeekFrame, Step
from playhead.recorder.handler_interface import Batch
from playhead.recorder.packets.layouts.layout import layout_from_dtype
from playhead.recorder.packets.packet_types import Kind
from playhead.recorder.reading.ring_source import RingSource
from playhead.recorder.world_adapter import Conventions, World
from playhead.session import Session

from ..support.fake_world import FakeWorld


@dataclass
class Crate:
    position: tuple[float, float, float] = (4.0, 4.0, 0.0)
    visible: bool = True
    velocity: tuple[float, float, float] = (0.0, 1.0, 0.0)
    state: str = "whole"


def nan_step(game, **times):
    game.court.step()
    game.session.draw.line((0, 0, 0), (1, 1, 1))
    game.session.update(**{"dt": game.DT, **times})


@pytest.mark.parametrize("times", [{"dt": math.nan}, {"time": math.nan}, {"dt": -1.0}])
def test_a_time_that_is_no_number_is_counted_and_the_game_lives(play, times):
    game = play(strict=False)
    game.run(3)
    nan_step(game, **times)
    assert game.session.live
    assert game.newest == 3
    assert game.session.status.calls_refused == {"update": 1}
    assert game.session.status.newest_fault
    game.run(1)
    assert game.newest == 4
    # What had been drawn into the frame that could not be finished is in the next.
    assert len(game.session.source.drawn(4)) == 1


@pytest.mark.parametrize("times", [{"dt": math.nan}, {"time": math.inf}])
def test_strict_a_time_that_is_no_number_is_raised_and_the_frame_stays_open(play, times):
    game = play(strict=True)
    game.run(3)
    with pytest.raises(RecordingError, match=r"nan|inf"):
        nan_step(game, **times)
    assert game.newest == 3
    game.run(1)
    assert len(game.session.source.drawn(4)) == 1


@pytest.mark.parametrize("dt", [math.nan, math.inf, -0.1])
def test_in_playback_a_dt_that_is_no_time_moves_nothing(play, dt):
    strict, lenient = play(strict=True), play(strict=False)
    for game in (strict, lenient):
        game.run(5)
        game.session.apply(SeekFrame(3), now=True)
    with pytest.raises(CommandError, match="dt"):
        strict.session.update(dt)
    lenient.session.update(dt)
    assert lenient.session.status.calls_refused == {"update": 1}
    for game in (strict, lenient):
        assert game.session.playhead.frame == 3
        game.session.apply(Leave())
        game.run(1)


def test_a_game_whose_objects_can_not_be_listed_lives_and_it_is_counted(play):
    game = play(strict=False)
    game.run(2)
    listed = game.court.objects

    def broken():
        yield listed()[0]
        raise ZeroDivisionError("in the game")

    game.court.objects = broken
    game.run(1)
    game.court.objects = listed
    game.run(1)
    assert game.newest == 4
    assert [len(game.session.source.objects(frame)) for frame in (2, 3, 4)] == [4, 1, 4]
    assert game.session.status.calls_refused == {"objects()": 1}


def test_a_game_whose_columns_break_off_lives_and_it_is_counted(play):
    game = play(strict=False)
    game.run(2)

    def broken():
        raise ZeroDivisionError("in the game")
        yield

    game.court.batches = broken
    game.run(1)
    del game.court.batches
    game.run(1)
    assert game.newest == 4
    assert len(game.session.source.objects(3)) == 4
    assert game.session.status.calls_refused == {"batches()": 1}


@pytest.mark.parametrize("answer", ["objects", "batches", "time"])
def test_a_world_that_fails_to_answer_costs_no_more_than_the_answer(play, answer):
    def broken():
        raise ZeroDivisionError("in the game")

    game, strict = play(strict=False), play(strict=True)
    for either in (game, strict):
        either.session.name(1, "the first")
        either.run(2)
        setattr(either.court, answer, broken)
    game.run(1)
    with pytest.raises(RecordingError, match="in the game"):
        strict.run(1)
    for either in (game, strict):
        delattr(either.court, answer)
        either.run(1)
        assert either.session.live
    source = game.session.source
    assert game.session.status.calls_refused == {f"{answer}()": 1}
    assert [stamp.time for stamp in source.stamps(1, 4)] == [n * game.DT for n in range(1, 5)]
    assert source.latched(4, 1, Kind.NAME, "") == "the first"


def test_a_handler_that_is_registered_between_frames_serves_from_the_next_on(play):
    game = play(strict=False)
    crate = Crate()
    game.court.things[50] = crate
    game.run(3)
    assert game.session.status.unhandled == {"crate": 3}
    game.session.handlers.register("crate", FieldHandler(Crate()))
    game.run(2)
    types = {
        frame: {packet.type for packet in game.session.source.objects(frame)}
        for frame in range(1, 6)
    }
    assert [("crate" in types[frame]) for frame in range(1, 6)] == [False] * 3 + [True] * 2
    game.session.apply(SeekFrame(4), now=True)
    assert crate.position == (4.0, 4.0 + 4 / 64, 0.0)
    # Of frame 2 nothing is known about crates, so this one stays as it is.
    game.session.apply(SeekFrame(2))
    assert crate.position == (4.0, 4.0 + 5 / 64, 0.0)
    assert 50 not in game.session.restorer.hidden
    game.session.leave()
    assert crate.position == (4.0, 4.0 + 5 / 64, 0.0)


def test_a_handler_can_not_be_registered_in_mid_frame(play):
    game = play()
    game.run(1)

    def register():
        game.session.log("here")
        with pytest.raises(HandlerError, match="frame is open"):
            game.session.handlers.register("crate", FieldHandler(Crate()))

    game.court.during = register
    game.run(1)
    assert "crate" not in game.session.handlers
    game.session.handlers.register("crate", FieldHandler(Crate()))


def test_two_sessions_at_once_know_nothing_of_each_other(play):
    one, two = play(), play()
    one.run(5)
    two.run(9)
    one.spawn(20)
    one.session.apply(Enter(), now=True)
    before = two.court.state()
    two.run(1)
    two.session.draw.line((0, 0, 0), (1, 1, 1))
    one.session.apply(SeekFrame(2))
    assert two.session.live
    assert (one.newest, two.newest) == (5, 10)
    two.run(1)
    two.session.apply(SeekFrame(9), now=True)
    assert two.court.seconds == 11 * two.DT
    assert before != two.court.state()
    assert one.session.playhead.frame == 2
    assert one.session.source.drawn(5) == []


def test_two_sessions_can_not_record_into_one_file(play, tmp_path):
    game = play(path=tmp_path / "one.ring")
    game.run(2)
    with pytest.raises(RecordingError, match=r"one\.ring"):
        play(path=tmp_path / "one.ring")
    game.run(2)
    assert game.newest == 4


def test_a_memory_that_is_too_small_is_refused(play):
    with pytest.raises(CapacityError, match="600 bytes"):
        play(600)


def test_closing_twice_does_no_harm(play):
    game = play()
    game.run(3)
    game.session.close()
    game.session.close()


def test_closing_leaves_playback_and_puts_everything_right(play):
    game = play()
    game.run(10)
    before = game.court.state()
    game.session.apply(SeekFrame(2), now=True)
    game.session.close()
    assert game.court.state() == before


def test_a_type_that_was_forgotten_is_raised_when_strict_and_one_that_is_ignored_is_not(play):
    game = play(strict=True)
    game.court.things[50] = Crate()
    with pytest.raises(HandlerError, match=r"'crate' has no handler.*handlers\.ignore\('crate'\)"):
        game.run(1)
    game.session.handlers.ignore("crate", "decor")
    game.run(3)
    status = game.session.status
    assert status.ignored == ("crate", "decor")
    assert status.unhandled == {"crate": 1}
    game.session.apply(SeekFrame(2), now=True)
    assert 50 not in game.court.hidden, "what is not recorded is left alone"


def test_an_object_whose_text_is_cut_keeps_its_own_through_playback(play):
    game = play(strict=False)
    game.run(3)
    ball = game.court.things[3]
    game.court.step()
    ball.state = long = "far too long for the room that is kept for it"
    game.session.update(game.DT)
    assert [one.id for one in game.session.source.objects(4) if one.cut] == [3]
    before = game.court.state()
    game.session.apply(SeekFrame(2), now=True)
    assert ball.state == long, "it is shown by a stand-in, and nothing is put into it"
    assert 3 in game.session.restorer.stand_ins
    game.session.leave()
    assert game.court.state() == before
    assert game.session.status.cut == {"ball": 1}


def test_leaving_the_with_block_closes_also_when_the_game_raised(tmp_path, play):
    game = play()
    path = tmp_path / "game.ring"
    session = Session(game.court, "1 MiB", handlers=game.session.handlers, path=path)
    with pytest.raises(ZeroDivisionError), session:
        session.update(game.DT)
        session.apply(Enter(), now=True)
        raise ZeroDivisionError
    assert not game.court.paused
    # A file that is closed can be recorded into again.
    with Session(game.court, "1 MiB", handlers=HandlerRegistry(), path=path):
        pass


def test_a_recording_is_closed_although_a_handler_fails_in_putting_back(play, tmp_path):
    class Fragile(FieldHandler):
        broken = False

        def play(self, obj, packet):
            if self.broken:
                raise ZeroDivisionError("can't")
            super().play(obj, packet)

    game, handlers = play(), HandlerRegistry()
    handlers.register("ball", FieldHandler(game.court.things[1]))
    path = tmp_path / "game.ring"
    fragile = Fragile(Crate())
    handlers.register("crate", fragile)
    handlers.ignore("pulse")
    game.court.things[50] = Crate()
    session = Session(game.court, "1 MiB", handlers=handlers, path=path, strict=True)
    for _ in range(3):
        game.court.step()
        session.update(game.DT)
    session.apply(SeekFrame(1), now=True)
    fragile.broken = True
    with pytest.raises(HandlerError, match="can't"):
        session.close()
    assert not game.court.paused
    with Session(game.court, "1 MiB", path=path):
        pass


def test_the_recording_of_a_closed_session_can_be_read_from_its_file(play, tmp_path):
    path = tmp_path / "game.ring"
    game = play(path=path, about={"game": "court", "seed": 7})
    game.session.name(2, "the second")
    game.run(20)
    seen = game.session.source.objects(11)
    game.session.close()
    source = RingSource.open(path)
    assert source.span.newest == 20
    assert source.objects(11) == seen
    assert source.latched(20, 2, Kind.NAME, "") == "the second"
    assert source.latched(20, 0, Kind.WORLD, "")["about"] == {"game": "court", "seed": 7}


def test_objects_that_come_as_columns_are_not_walked(play):
    layout = layout_from_dtype(np.dtype([("hp", "<f8")]))

    def columns():
        ids, hp = np.array([1, 2], np.uint64), np.array([(5.0,), (7.0,)], layout.dtype)
        yield Batch("orc", layout, FieldColumns(ids, np.ones((2, 3)), None, None, None, hp))

    world = FakeWorld(
        {1: "orc", 2: "orc"},
        columns=columns,
        columnar=True,
        can_restore=False,
        conventions=Conventions(up="y", handedness="left", unit="cm"),
    )
    with Session(world, "1 MiB", latch="100 KB") as session:
        session.update(0.1)
        assert world.walks == 0
        decoded = session.source.decoded(1)
        assert [(packet.id, packet.type, message["hp"]) for packet, message in decoded] == [
            (1, "orc", 5.0),
            (2, "orc", 7.0),
        ]
        result = session.source.latched(1, 0, Kind.WORLD, "")["conventions"]
        assert (result["up"], result["handedness"], result["unit"]) == ("y", "left", "cm")
        assert 80_000 < session.status.latch_memory <= 100_000


def test_a_world_needs_only_its_first_three_answers(play):
    class Bare(World):
        def objects(self):
            return []

        def time(self):
            return 0.0

        def find(self, object_id):
            return None

    with Session(Bare(), "1 MiB") as session:
        for _ in range(3):
            session.update(0.1)
        session.check(False, "wrong", focus=3)
        session.update(0.1)
        session.apply(Step(-1))
        session.leave()
        session.update(0.1)
        assert session.source.span.newest == 5
