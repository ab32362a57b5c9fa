"""The loop of a game under a session: live, recorded, paused, and live again."""

import threading

import pytest

from playhead.errors import RecordingError
from playhead.playback.commands import Enter, Leave, Play, SeekFrame, SeekTime, Step
from playhead.playback.playback_state import Mode


def test_a_live_game_is_recorded_frame_by_frame(play):
    game = play()
    game.run(5)
    span = game.session.source.span
    assert (span.oldest, span.newest) == (1, 5)
    assert [stamp.time for stamp in game.session.source.stamps(1, 5)] == [
        n * game.DT for n in range(1, 6)
    ]
    assert sorted(packet.id for packet in game.session.source.objects(5)) == [1, 2, 3, 9]
    assert game.session.status.frames == 5


def test_entering_stands_still_at_the_newest_and_resuming_runs_on(play):
    game = play()
    game.run(10)
    before = game.court.state()
    shown = game.session.apply(Enter(), now=True)
    assert (shown.mode, shown.frame) == (Mode.PAUSED, 10)
    assert not game.session.live
    assert game.court.paused
    shown = game.session.leave()
    assert (shown.mode, shown.frame) == (Mode.LIVE, None)
    assert game.session.live
    assert game.court.state() == before
    game.run(1)
    assert game.newest == 11


def test_the_world_shows_the_frame_that_was_sought(play):
    game = play()
    seen = {}
    for frame in range(1, 41):
        game.run(1)
        seen[frame] = {id: vars(game.court.things[id]).copy() for id in (1, 2, 3)}
    for frame in (7, 40, 1, 23, 22):
        game.session.apply(SeekFrame(frame), now=True)
        assert {id: vars(game.court.things[id]) for id in (1, 2, 3)} == seen[frame]
    game.session.apply(SeekTime(12.5 * game.DT))
    assert vars(game.court.things[2]) == seen[12][2]
    game.session.leave()
    assert vars(game.court.things[2]) == seen[40][2]


def test_following_is_being_live_again(play):
    game = play()
    game.run(3)
    game.session.apply(Step(-2), now=True)
    assert game.session.leave().mode is Mode.LIVE
    assert game.session.live


def test_a_request_in_mid_frame_takes_effect_at_its_end_and_that_frame_is_recorded(play):
    game = play()
    game.run(4)
    answers = []

    def stop_here():
        game.session.draw.line((0, 0, 0), (1, 1, 1), object=2)
        answers.append(game.session.apply(Enter()).pending)
        answers.append(game.session.live)

    game.court.during = stop_here
    game.run(1)
    assert answers == [(Enter(),), True]
    assert not game.session.live
    assert game.session.playhead.state.frame == game.newest == 5
    (drawn,) = game.session.source.drawn(5)
    assert (drawn.kind, drawn.object) == ("line", 2)
    # All of the step is in the frame, also what moved after the request.
    recorded = {packet.id: packet.position for packet in game.session.source.objects(5)}
    assert recorded[3] == game.court.things[3].position == (3.0 + 5 * 3 * game.DT, 5 * 0.5 / 64, 0)


def test_a_step_back_that_was_asked_for_in_mid_frame_counts_from_that_frame(play):
    game = play()
    game.run(4)

    def back_two():
        game.session.log("here")
        game.session.apply(Step(-2))

    game.court.during = back_two
    game.run(1)
    assert (game.newest, game.session.playhead.frame) == (5, 3)


def test_a_request_from_another_thread_in_mid_frame_takes_effect_at_its_end(play):
    game = play()
    game.run(4)
    live = []

    def ask_from_outside():
        game.session.draw.sphere((0, 0, 0), 1.0)
        thread = threading.Thread(target=game.session.send, args=(Enter(),))
        thread.start()
        thread.join(10)
        live.append(game.session.live)

    game.court.during = ask_from_outside
    game.run(1)
    assert live == [True]
    assert not game.session.live
    assert game.session.playhead.frame == game.newest == 5
    assert [drawn.kind for drawn in game.session.source.drawn(5)] == ["sphere"]


def test_leaving_in_mid_frame_while_live_does_nothing(play):
    game = play()

    def leave():
        game.session.log("here")
        assert game.session.apply(Leave()).mode is Mode.LIVE

    game.court.during = leave
    game.run(3)
    assert game.newest == 3


def test_an_empty_ring_can_be_entered_and_left(play):
    game = play()
    before = game.court.state()
    shown = game.session.apply(Enter(), now=True)
    assert (shown.mode, shown.frame, shown.span) == (Mode.PAUSED, None, None)
    for command in (Step(-1), SeekTime(3.0), SeekFrame(7), Play(1.0)):
        assert game.session.apply(command).frame is None
        game.session.update(1.0)
    assert game.court.paused
    game.session.leave()
    assert game.court.state() == before
    game.run(2)
    assert game.newest == 2


def test_in_playback_nothing_can_be_recorded(play):
    game = play()
    game.run(5)
    before = game.session.status
    game.session.apply(Enter(), now=True)
    game.session.draw.line((0, 0, 0), (1, 1, 1))
    game.session.log("too late")
    game.session.watch("speed", 1.0)
    game.session.mark("too late")
    game.session.trace.state(1, "m", "a", "b", won="x")
    assert game.session.check(False, "too late") is False
    with pytest.raises(RecordingError, match="in playback"):
        game.session.recorder.update(game.court.objects(), game.DT)
    game.session.update(game.DT)
    status = game.session.status
    assert (status.frames, status.packets) == (before.frames, before.packets)
    assert (status.bytes_used, status.latch_used) == (before.bytes_used, before.latch_used)
    assert sum(status.calls_refused.values()) == 6
    assert game.session.failed_checks == []
    game.session.leave()
    game.run(1)
    assert sorted(packet.type for packet in game.session.source.packets(6)) == [
        *["ball"] * 3,
        "pulse",
    ]
    assert game.session.source.marks() == []


def test_in_playback_nothing_is_evicted(play):
    game = play("64 KiB")
    while game.session.source.span is None or game.session.source.span.oldest < 50:
        game.run(1)
    span, accounts = game.session.source.span, game.session.recorder.ring.accounts
    game.session.apply(SeekFrame(span.oldest), now=True)
    for n in range(500):
        game.session.draw.text((0, 0, 0), "more and more" * 20)
        game.session.send(Step(-1 if n % 2 else 1))
        game.session.update(1.0)
    assert game.session.source.span == span
    assert game.session.recorder.ring.accounts == accounts
    game.session.leave()
    game.run(1)
    assert game.session.source.span.oldest > span.oldest


def test_input_is_locked_in_playback_and_unlocked_after(play):
    game = play()
    game.run(3)
    assert not game.court.locked
    game.session.apply(Enter(), now=True)
    assert game.court.locked
    game.session.apply(Step(-1))
    assert game.court.locked
    game.session.leave()
    assert not game.court.locked


def test_keys_drive_the_scrub_in_playback_and_are_the_games_own_while_live(play):
    game = play()
    game.run(30)
    session = game.session
    assert not session.press("Left")
    assert session.live
    session.apply(Enter(), now=True)
    for key, frame in (
        ("Left", 29), ("Left", 28), ("Right", 29), ("Shift+Left", 19), ("Shift+Right", 29),
        ("Home", 1), ("End", 30),
    ):  # fmt: skip
        assert session.press(key)
        assert session.playhead.frame == frame, key
        assert session.source.stamp(frame).time == session.playhead.state.time
    assert not session.press("F12")
    assert session.press("J")
    session.update(10 * game.DT)
    assert session.playhead.frame == 20
    assert session.press("J")
    session.update(5 * game.DT)
    assert session.playhead.frame == 10
    assert session.press("K")
    session.update(5.0)
    assert session.playhead.frame == 10
    assert session.press("End")
    assert not session.live
    assert session.press("End")
    assert session.live


@pytest.fixture
def film(play):
    """Frames 1 … 5 with the deltas 0, 16, 16, 100, 16 ms, in playback at the first."""
    game = play()
    time = 10.0
    for milliseconds in (0, 16, 16, 100, 16):
        time += milliseconds / 1000
        game.court.step()
        game.session.update(milliseconds / 1000, time)
    game.session.apply(SeekFrame(1), now=True)
    return game.session


@pytest.mark.parametrize(
    ("milliseconds", "frame", "carried"), [(40, 3, 8), (132, 4, 0), (148, 5, 0)]
)
def test_in_playback_dt_is_real_time_spent_by_the_recorded_deltas(
    film, milliseconds, frame, carried
):
    film.apply(Play(1.0))
    film.update(milliseconds / 1000)
    assert film.playhead.frame == frame
    assert film.playhead.carried == pytest.approx(carried / 1000, abs=1e-9)


def test_a_hitch_takes_as_long_backward_as_forward(film):
    film.apply(SeekFrame(5))
    film.apply(Play(-1.0))
    film.update(0.016)
    assert film.playhead.frame == 4
    film.update(0.099)
    assert film.playhead.frame == 4
    film.update(0.001)
    assert film.playhead.frame == 3


def test_many_small_updates_lead_as_far_as_one_big_one(film):
    film.apply(Play(1.0))
    for _ in range(131):
        film.update(0.001)
    assert film.playhead.frame == 3
    film.update(0.001)
    assert film.playhead.frame == 4


def test_while_paused_real_time_moves_nothing(film):
    film.update(10.0)
    assert film.playhead.frame == 1
    film.apply(Play(2.0))
    film.update(0.008)
    assert film.playhead.frame == 2


def test_what_plays_shows_each_frame_in_the_world(play):
    game = play()
    game.run(64)
    positions = {
        frame: {packet.id: packet.position for packet in game.session.source.objects(frame)}
        for frame in range(1, 65)
    }
    game.session.apply(SeekFrame(1), now=True)
    game.session.apply(Play(1.0))
    for frame in range(2, 65):
        game.session.update(game.DT)
        assert game.session.playhead.frame == frame
        assert game.court.things[3].position == positions[frame][3]
    assert game.session.playhead.state.mode is Mode.PAUSED
