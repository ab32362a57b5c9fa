"""What is seen in playback: drawings, the hidden, stand-ins; and all of it put right."""

import pytest

from playhead.errors import CommandError
from playhead.games.game_catalog import open_game
from playhead.playback.commands import Enter, Focus, SeekFrame, Show, Step
from playhead.session import Session


def visible(session, frame):
    """The texts of a frame that are to be shown now."""
    shown = session.playhead.state
    names = session.source.channel_names(frame)
    texts = []
    for drawn in session.source.drawn(frame):
        channels = [name for bit, name in names.items() if drawn.channels & bit] or [None]
        if any(shown.draws(drawn.object, channel) for channel in channels):
            texts.append(drawn.values["text"])
    return texts


@pytest.fixture
def arena():
    """The yard after 600 frames under a session, and the session."""
    with (
        open_game("arena:yard", seed=3) as game,
        Session(game.world, "16 MiB", handlers=game.handlers, about=game.about) as session,
    ):
        game.attach(session)
        for _ in range(600):
            game.step()
            session.update(game.dt)
        yield game, session


@pytest.fixture
def drawing(play):
    """A game that draws in frame 3 only, from one place, and has run to frame 6."""
    game = play()
    live = {}

    def draw():
        if game.court.steps == 3:
            draw = game.session.draw
            draw.text((0, 0, 0), "world")
            draw.text((0, 0, 0), "world fx", channel="fx")
            draw.text((0, 0, 0), "one", object=1)
            draw.text((0, 0, 0), "one ai", object=1, channel="ai")
            draw.text((0, 0, 0), "two ai", object=2, channel="ai")

    game.court.during = draw
    for frame in range(1, 7):
        game.run(1)
        live[frame] = visible(game.session, frame)
    game.live = live
    return game


EVERYTHING = ["world", "world fx", "one", "one ai", "two ai"]


def test_a_drawing_is_shown_live_in_its_own_frame_and_in_no_other(drawing):
    assert drawing.live == {1: [], 2: [], 3: EVERYTHING, 4: [], 5: [], 6: []}


def test_a_drawing_is_shown_when_its_frame_is_scrubbed_to_and_in_no_other(drawing):
    for frame in (5, 3, 2, 3, 4, 1):
        shown = drawing.session.apply(SeekFrame(frame), now=True)
        assert visible(drawing.session, shown.frame) == drawing.live[frame]


def test_with_an_object_in_focus_only_it_and_the_world_are_drawn(drawing):
    drawing.session.apply(SeekFrame(3), now=True)
    drawing.session.apply(Focus(1))
    assert visible(drawing.session, 3) == ["world", "world fx", "one", "one ai"]
    drawing.session.apply(Focus(2))
    assert visible(drawing.session, 3) == ["world", "world fx", "two ai"]
    drawing.session.apply(Focus(0))
    assert visible(drawing.session, 3) == EVERYTHING


def test_a_channel_that_is_switched_off_in_playback_is_hidden_and_still_recorded(drawing):
    drawing.session.apply(SeekFrame(3), now=True)
    drawing.session.apply(Show("ai", False))
    assert visible(drawing.session, 3) == ["world", "world fx", "one"]
    drawing.session.apply(Focus(1))
    drawing.session.apply(Show("fx", False))
    assert visible(drawing.session, 3) == ["world", "one"]
    drawing.session.apply(Show("ai", True))
    assert visible(drawing.session, 3) == ["world", "one", "one ai"]


def test_what_stays_drawn_can_be_hidden_with_its_channel_too(play):
    game = play()
    game.session.draw.text((0, 0, 0), "walls", latch="walls", channel="map")
    game.run(3)
    assert visible(game.session, 3) == ["walls"]
    game.session.apply(Show("map", False))
    assert visible(game.session, 3) == []


def test_what_is_not_targetable_can_not_be_focused(play):
    game = play()
    game.court.things[2].targetable = False
    game.run(1)
    game.session.apply(Enter(), now=True)
    with pytest.raises(CommandError, match="not targetable"):
        game.session.apply(Focus(2))
    assert game.session.apply(Focus(1)).focus == 1


def test_objects_that_came_later_are_hidden_at_earlier_frames(play):
    game = play()
    game.run(5)
    game.spawn(20)
    game.run(5)
    game.session.apply(SeekFrame(7), now=True)
    assert 20 not in game.session.restorer.hidden
    assert game.court.things[20].visible
    game.session.apply(SeekFrame(5))
    assert 20 in game.session.restorer.hidden
    assert not game.court.things[20].visible
    game.session.apply(SeekFrame(6))
    assert game.court.things[20].visible


def test_objects_that_are_gone_are_shown_by_stand_ins(play):
    game = play()
    game.run(5)
    game.spawn(20, (1.0, 2.0, 3.0), velocity=(0.0, 0.0, 64.0))
    game.run(3)
    del game.court.things[20]
    game.run(3)
    game.session.apply(SeekFrame(10), now=True)
    assert 20 not in game.court.stand_ins
    game.session.apply(SeekFrame(8))
    stand_in = game.court.stand_ins[20]
    assert (stand_in.type, stand_in.position) == ("ball", (1.0, 2.0, 6.0))
    game.session.apply(Step(-1))
    assert game.court.stand_ins[20].position == (1.0, 2.0, 5.0)
    game.session.apply(SeekFrame(5))
    assert 20 not in game.court.stand_ins


def test_a_type_that_nobody_plays_is_shown_by_stand_ins_and_its_objects_are_hidden(play):
    game = play()
    game.run(4)
    game.session.apply(SeekFrame(2), now=True)
    assert game.court.stand_ins[9].type == "pulse"
    assert game.session.restorer.hidden == {9}
    assert game.court.things[9].beats == 4


def test_visibility_is_recorded_and_shown(play):
    game = play()
    game.run(2)
    game.court.things[1].visible = False
    game.run(2)
    game.court.things[1].visible = True
    game.run(2)
    recorded = {
        frame: packet.visible
        for frame in range(1, 7)
        for packet in game.session.source.objects(frame)
        if packet.id == 1
    }
    assert recorded == {1: True, 2: True, 3: False, 4: False, 5: True, 6: True}
    for frame in (3, 5, 4, 1):
        game.session.apply(SeekFrame(frame), now=True)
        assert game.court.things[1].visible is recorded[frame]


def test_a_stand_in_is_as_visible_as_the_object_was(play):
    game = play()
    game.spawn(20, visible=False)
    game.run(1)
    game.court.things[20].visible = True
    game.run(1)
    del game.court.things[20]
    game.run(1)
    game.session.apply(SeekFrame(1), now=True)
    assert not game.court.stand_ins[20].visible
    game.session.apply(SeekFrame(2))
    assert game.court.stand_ins[20].visible


def test_leaving_puts_everything_right(play):
    game = play()
    game.run(5)
    game.spawn(20)
    game.run(5)
    del game.court.things[1]
    game.court.things[2].visible = False
    game.run(5)
    before = game.court.state()
    for frame in (1, 7, 12, 3):
        game.session.apply(SeekFrame(frame), now=True)
        assert game.court.state() != before
    game.session.leave()
    assert game.court.state() == before
    assert game.session.restorer.stand_ins == {}
    assert game.session.restorer.hidden == set()


def test_a_world_that_can_not_restore_is_shown_by_stand_ins_alone(play):
    game = play()
    game.court.can_restore = False
    game.run(6)
    balls = repr(game.court.things)
    game.session.apply(SeekFrame(2), now=True)
    assert repr(game.court.things) == balls
    assert set(game.court.stand_ins) == {1, 2, 3, 9}
    assert game.court.stand_ins[3].position == (3.0 + 2 * 3 * game.DT, 1 / 64, 0.0)
    game.session.leave()
    assert game.court.stand_ins == {}


@pytest.mark.slow
def test_in_the_arena_stones_come_and_go_while_one_scrubs(arena):
    game, session = arena
    entities = game.yard.entities
    frames = range(session.source.span.oldest, session.source.span.newest + 1)
    stones = {
        frame: {p.id for p in session.source.objects(frame) if p.type == "stone"}
        for frame in frames
    }
    assert len(set().union(*stones.values())) > 3
    before = game.state_hash()
    for frame in (*frames[::17], *frames[::-23]):
        session.apply(SeekFrame(frame), now=True)
        gone = {id for id in stones[frame] if id not in entities}
        late = {id for id in entities if game.yard.find(id).type == "stone"} - stones[frame]
        assert set(game.world.stand_ins) == gone
        assert session.restorer.hidden == late
    session.leave()
    assert game.state_hash() == before
