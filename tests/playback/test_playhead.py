"""Where the playhead stands after commands and time."""

import math
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from playhead.errors import CommandError
from playhead.playback.commands import (
    FASTEST,
    RATES,
    Command,
    Enter,
    Focus,
    Leave,
    Loop,
    LoopOff,
    Pause,
    Play,
    SeekFrame,
    SeekMark,
    SeekTime,
    Show,
    Step,
    enters,
)
from playhead.playback.playback_state import Mode, PlaybackState
from playhead.playback.playhead import MOST_HIDDEN

DELTAS = [0, 16, 16, 100, 16]
"""Milliseconds of frames 1 … 5; frame 1 stands at 5 s."""
LIVE, PAUSED, PLAYING = Mode.LIVE, Mode.PAUSED, Mode.PLAYING


@pytest.fixture
def film(fakes: Any) -> Any:
    return fakes.film(DELTAS)


def test_a_new_playhead_is_live_and_shows_no_frame(fakes: Any, film: Any) -> None:
    playhead, _, _ = fakes.playhead(film)
    assert playhead.state == PlaybackState(LIVE, span=film.span)


def test_entering_pauses_at_the_newest_frame(fakes: Any, film: Any) -> None:
    playhead, _, pass_ = fakes.playhead(film)
    shown = playhead.apply(Enter())
    assert (shown.mode, shown.frame, shown.time) == (PAUSED, 5, film.span.end)
    assert pass_(60.0) is None


def test_entering_with_a_time_goes_there_in_one_change(fakes: Any, film: Any) -> None:
    playhead, _, _ = fakes.playhead(film)
    heard: list[PlaybackState] = []
    playhead.on_moved(heard.append)
    assert playhead.apply(Enter(5.02)).frame == 2
    assert [(shown.mode, shown.frame) for shown in heard] == [(PAUSED, 2)]


def test_entering_again_has_no_effect_and_with_a_time_is_a_seek(fakes: Any, film: Any) -> None:
    playhead, _, _ = fakes.playhead(film)
    playhead.apply(SeekFrame(3))
    playhead.apply(Play(-1.0))
    assert playhead.apply(Enter()).frame == 3
    assert playhead.mode is PLAYING
    assert playhead.apply(Enter(5.0)).frame == 1


def test_leaving_when_live_has_no_effect(fakes: Any, film: Any) -> None:
    playhead, _, _ = fakes.playhead(film)
    heard: list[PlaybackState] = []
    playhead.on_moved(heard.append)
    assert playhead.apply(Leave()).mode is LIVE
    assert playhead.apply(Leave()).mode is LIVE
    assert heard == []


def test_leaving_is_live_again_at_normal_speed(fakes: Any, film: Any) -> None:
    playhead, _, pass_ = fakes.playhead(film)
    playhead.apply(Play(-8.0))
    shown = playhead.apply(Leave())
    assert (shown.mode, shown.frame, shown.time, shown.rate) == (LIVE, None, None, 1.0)
    assert pass_(1.0) is None


@pytest.mark.parametrize(
    "command",
    [Enter(), Enter(3.0), Play(), Play(-1.0), Pause(), Step(-1), SeekTime(2.0), SeekFrame(1)],
)
def test_playback_of_nothing_can_be_entered_and_left(fakes: Any, command: Any) -> None:
    playhead, _, pass_ = fakes.playhead(fakes.Source())
    shown = playhead.apply(command)
    assert (shown.mode, shown.frame, shown.time, shown.span) == (PAUSED, None, None, None)
    assert shown.clamped is (command not in (Enter(), Pause()))
    assert pass_(1.0) is None
    assert playhead.apply(Leave()).mode is LIVE


@pytest.mark.parametrize(
    ("command", "frame"),
    [(Pause(), 5), (Step(-2), 3), (SeekFrame(2), 2), (SeekTime(5.0), 1), (Play(-1.0), 5)],
)
def test_commands_that_move_to_a_frame_enter_by_themselves(
    fakes: Any, film: Any, command: Any, frame: int
) -> None:
    playhead, _, _ = fakes.playhead(film)
    shown = playhead.apply(command)
    assert shown.frame == frame
    assert shown.mode is (PLAYING if isinstance(command, Play) else PAUSED)


@pytest.mark.parametrize(
    ("time", "found", "clamped"),
    [(1.5, 1.5, False), (2.4, 1.5, False), (0.2, 1.0, True), (9.0, 2.5, True), (2.5, 2.5, False)],
)
def test_a_seek_finds_the_newest_frame_at_or_before_the_time(
    fakes: Any, time: float, found: float, clamped: bool
) -> None:
    source = fakes.Source()
    for at, delta in [(1.0, 0.0), (1.5, 0.5), (2.5, 1.0)]:
        source.add(at, delta)
    playhead, _, _ = fakes.playhead(source)
    shown = playhead.apply(SeekTime(time))
    assert (shown.time, shown.clamped) == (found, clamped)


@pytest.mark.parametrize("command", [SeekTime(math.nan), Enter(math.nan), Loop(0.0, math.nan)])
def test_a_time_that_is_no_number_is_refused_and_changes_nothing(
    fakes: Any, film: Any, command: Any
) -> None:
    playhead, _, _ = fakes.playhead(film)
    with pytest.raises(CommandError, match="is nan"):
        playhead.apply(command)
    assert playhead.mode is LIVE


@pytest.mark.parametrize(
    ("asked", "shown", "clamped"), [(3, 3, False), (-7, 1, True), (0, 1, True), (10**30, 5, True)]
)
def test_a_frame_number_clamps_to_what_is_recorded(
    fakes: Any, film: Any, asked: int, shown: int, clamped: bool
) -> None:
    playhead, _, _ = fakes.playhead(film)
    answer = playhead.apply(SeekFrame(asked))
    assert (answer.frame, answer.clamped) == (shown, clamped)


def test_a_mark_leads_to_its_frame_and_the_oldest_of_one_name_counts(fakes: Any, film: Any) -> None:
    film.named = [fakes.Mark("door", 2), fakes.Mark("fell", 3), fakes.Mark("fell", 4)]
    playhead, _, _ = fakes.playhead(film)
    assert playhead.apply(SeekMark("fell")).frame == 3
    assert playhead.apply(SeekMark("door")).frame == 2


def test_a_mark_whose_frame_is_gone_leads_to_the_oldest(fakes: Any, film: Any) -> None:
    film.named = [fakes.Mark("door", 1)]
    film.evict()
    playhead, _, _ = fakes.playhead(film)
    shown = playhead.apply(SeekMark("door"))
    assert (shown.frame, shown.clamped) == (2, True)


def test_an_unknown_mark_is_refused_with_the_nearest_name(fakes: Any, film: Any) -> None:
    playhead, _, _ = fakes.playhead(film)
    with pytest.raises(CommandError, match="no mark is named 'dor': there are none"):
        playhead.apply(SeekMark("dor"))
    film.named = [fakes.Mark("door", 2), fakes.Mark("fell", 3)]
    with pytest.raises(CommandError, match="no mark is named 'dor': did you mean 'door'"):
        playhead.apply(SeekMark("dor"))
    with pytest.raises(CommandError, match="'zzz': there are door, fell"):
        playhead.apply(SeekMark("zzz"))
    assert playhead.mode is LIVE


def test_a_seek_while_playing_goes_on_from_there_with_no_time_owed(fakes: Any, film: Any) -> None:
    playhead, clock, pass_ = fakes.playhead(film)
    playhead.apply(SeekFrame(1))
    playhead.apply(Play())
    pass_(0.010)
    clock.now += 5.0
    shown = playhead.apply(SeekFrame(2))
    assert (shown.mode, shown.frame, playhead.carried) == (PLAYING, 2, 0)
    assert playhead.update() is None
    clock.now += 0.016
    assert playhead.update().frame == 3


def test_a_step_moves_by_exactly_that_many_frames_and_clamps(fakes: Any, film: Any) -> None:
    playhead, _, _ = fakes.playhead(film)
    playhead.apply(SeekFrame(3))
    answers = [playhead.apply(Step(n)) for n in (1, -2, -1, -1, 100)]
    assert [(a.frame, a.clamped) for a in answers] == [
        (4, False),
        (2, False),
        (1, False),
        (1, True),
        (5, True),
    ]


def test_a_step_while_playing_stands_still_and_drops_the_remainder(fakes: Any, film: Any) -> None:
    playhead, _, pass_ = fakes.playhead(film)
    playhead.apply(SeekFrame(1))
    playhead.apply(Play())
    pass_(0.040)
    assert playhead.frame == 3
    assert playhead.carried == pytest.approx(0.008)
    shown = playhead.apply(Step(-1))
    assert (shown.mode, shown.frame, playhead.carried) == (PAUSED, 2, 0)


@pytest.mark.parametrize(
    ("milliseconds", "frame", "mode"), [(40, 3, PLAYING), (132, 4, PLAYING), (148, 5, PAUSED)]
)
def test_playing_crosses_frames_by_their_deltas(
    fakes: Any, film: Any, milliseconds: float, frame: int, mode: Mode
) -> None:
    playhead, _, pass_ = fakes.playhead(film)
    playhead.apply(SeekFrame(1))
    playhead.apply(Play())
    shown = pass_(milliseconds / 1000)
    assert (shown.frame, shown.mode) == (frame, mode)


def test_playing_in_reverse_costs_the_present_frames_delta(fakes: Any, film: Any) -> None:
    playhead, _, pass_ = fakes.playhead(film)
    playhead.apply(Play(-1.0))
    assert pass_(0.016).frame == 4
    assert pass_(0.099) is None
    assert pass_(0.001).frame == 3


@pytest.mark.parametrize("rate", [sign * rate for rate in RATES for sign in (1, -1)])
def test_the_rate_multiplies_the_wall_time(fakes: Any, rate: float) -> None:
    playhead, _, pass_ = fakes.playhead(fakes.film([16] * 1001))
    playhead.apply(SeekFrame(501))
    playhead.apply(Play(rate))
    assert pass_(0.016 * 40).frame == 501 + 40 * rate
    assert playhead.carried == 0


def test_several_frames_crossed_in_one_update_are_one_change(fakes: Any) -> None:
    playhead, _, pass_ = fakes.playhead(fakes.film([10] * 100))
    playhead.apply(SeekFrame(1))
    playhead.apply(Play(8.0))
    heard: list[PlaybackState] = []
    playhead.on_moved(heard.append)
    pass_(0.050)
    assert [shown.frame for shown in heard] == [41]


def test_a_change_of_speed_keeps_the_remainder_and_of_direction_drops_it(
    fakes: Any, film: Any
) -> None:
    playhead, _, pass_ = fakes.playhead(film)
    playhead.apply(SeekFrame(1))
    playhead.apply(Play())
    pass_(0.040)
    playhead.apply(Play(2.0))
    pass_(0.001)
    assert playhead.carried == pytest.approx(0.010)
    playhead.apply(Play(-1.0))
    assert pass_(0.015) is None
    assert playhead.carried == pytest.approx(0.015)


def test_time_spent_paused_or_live_does_not_count(fakes: Any, film: Any) -> None:
    playhead, clock, pass_ = fakes.playhead(film)
    clock.now += 1000.0
    playhead.update()
    playhead.apply(SeekFrame(1))
    clock.now += 1000.0
    playhead.update()
    playhead.apply(Play())
    clock.now += 1000.0
    assert playhead.update() is None
    assert pass_(0.010) is None
    playhead.apply(Pause())
    clock.now += 1000.0
    playhead.update()
    playhead.apply(Play())
    assert pass_(0.006).frame == 2


def test_the_clock_is_read_only_in_updates_while_playing(fakes: Any, film: Any) -> None:
    playhead, clock, _ = fakes.playhead(film)
    for command in (Enter(), SeekFrame(1), Step(1), Play(), Play(2.0), Pause(), Leave(), Enter()):
        playhead.apply(command)
    playhead.update()
    assert clock.reads == 0
    playhead.apply(Play(-1.0))
    playhead.update()
    assert clock.reads == 1


def test_a_clock_that_goes_back_moves_nothing(fakes: Any, film: Any) -> None:
    playhead, _, pass_ = fakes.playhead(film)
    playhead.apply(SeekFrame(1))
    playhead.apply(Play())
    assert pass_(-50.0) is None
    assert pass_(0.016).frame == 2


@pytest.mark.parametrize(("rate", "end"), [(1.0, 5), (-1.0, 1)])
def test_played_to_an_end_it_is_paused_there(fakes: Any, film: Any, rate: float, end: int) -> None:
    playhead, _, pass_ = fakes.playhead(film)
    playhead.apply(SeekFrame(3))
    playhead.apply(Play(rate))
    shown = pass_(60.0)
    assert (shown.mode, shown.frame) == (PAUSED, end)
    assert playhead.carried == 0
    assert pass_(60.0) is None


@pytest.mark.parametrize(("rate", "end", "begin"), [(1.0, 5, 1), (-1.0, 1, 5)])
def test_playing_on_at_an_end_stays_and_with_restart_begins_anew(
    fakes: Any, film: Any, rate: float, end: int, begin: int
) -> None:
    playhead, _, _ = fakes.playhead(film)
    playhead.apply(SeekFrame(end))
    shown = playhead.apply(Play(rate))
    assert (shown.mode, shown.frame, shown.clamped) == (PAUSED, end, True)
    shown = playhead.apply(Play(rate, restart=True))
    assert (shown.mode, shown.frame, shown.clamped) == (PLAYING, begin, False)


def test_a_recording_of_one_frame_has_nothing_to_play(fakes: Any) -> None:
    playhead, _, _ = fakes.playhead(fakes.film([0]))
    assert playhead.apply(Play(1.0, restart=True)).mode is PAUSED
    assert playhead.apply(Play(-1.0, restart=True)).frame == 1


def test_a_loop_goes_round_both_ways(fakes: Any) -> None:
    playhead, _, pass_ = fakes.playhead(fakes.film([10] * 10, start=0.0))
    times = [playhead.apply(SeekFrame(n)).time for n in (3, 5)]
    playhead.apply(Loop(*times))
    playhead.apply(SeekFrame(3))
    playhead.apply(Play())
    assert [pass_(0.010).frame for _ in range(5)] == [4, 5, 3, 4, 5]
    playhead.apply(Play(-1.0))
    assert [pass_(0.010).frame for _ in range(5)] == [4, 3, 5, 4, 3]
    assert playhead.mode is PLAYING


@pytest.mark.parametrize(("rate", "begin"), [(1.0, 3), (-1.0, 5)])
def test_playing_outside_of_a_loop_begins_at_its_start(fakes: Any, rate: float, begin: int) -> None:
    playhead, _, _ = fakes.playhead(fakes.film([10] * 10, start=0.0))
    times = [playhead.apply(SeekFrame(n)).time for n in (3, 5)]
    playhead.apply(Loop(*times))
    playhead.apply(SeekFrame(9))
    assert playhead.frame == 9
    playhead.apply(Play(rate))
    assert playhead.update().frame == begin


def test_a_loop_beyond_what_is_recorded_is_met_as_far_as_can_be(fakes: Any, film: Any) -> None:
    playhead, _, pass_ = fakes.playhead(film)
    shown = playhead.apply(Loop(-1.0, 99.0))
    assert (shown.loop, shown.clamped, shown.mode) == ((-1.0, 99.0), True, LIVE)
    playhead.apply(Play())
    assert pass_(0.016).frame == 1
    playhead.apply(Loop(98.0, 99.0))
    assert playhead.update().frame == 5
    assert pass_(60.0) is None
    assert playhead.mode is PLAYING


def test_with_a_loop_the_newest_frame_is_no_end_to_play_from(fakes: Any, film: Any) -> None:
    playhead, _, _ = fakes.playhead(film)
    playhead.apply(Loop(film.span.start, film.span.end))
    for restart in (False, True):
        playhead.apply(SeekFrame(5))
        shown = playhead.apply(Play(1.0, restart=restart))
        assert (shown.mode, shown.frame, shown.clamped) == (PLAYING, 5, False)


def test_without_its_loop_it_plays_to_the_end_again(fakes: Any, film: Any) -> None:
    playhead, _, pass_ = fakes.playhead(film)
    playhead.apply(Loop(5.0, 5.02))
    playhead.apply(SeekFrame(1))
    playhead.apply(Play())
    pass_(10.0)
    assert playhead.frame in (1, 2)
    assert playhead.apply(LoopOff()).loop is None
    assert pass_(10.0).frame == 5


def test_focus_and_channels_move_no_time_and_are_no_change_of_frame(fakes: Any, film: Any) -> None:
    playhead, _, _ = fakes.playhead(film)
    heard: list[PlaybackState] = []
    playhead.on_moved(heard.append)
    assert playhead.apply(Focus(7)).focus == 7
    assert playhead.apply(Show("ai", False)).hidden == {"ai"}
    assert playhead.apply(Show("fx", False)).hidden == {"ai", "fx"}
    assert playhead.apply(Show("ai", True)).hidden == {"fx"}
    assert playhead.apply(Focus(0)).focus == 0
    assert (playhead.mode, heard) == (LIVE, [])


def test_focus_and_hidden_channels_outlast_leaving(fakes: Any, film: Any) -> None:
    playhead, _, _ = fakes.playhead(film)
    for command in (Focus(7), Show("ai", False), Enter(), Leave()):
        shown = playhead.apply(command)
    assert (shown.focus, shown.hidden) == (7, {"ai"})


def test_only_targetable_objects_can_be_focussed(fakes: Any) -> None:
    source = fakes.Source()
    source.add(0.0, 0.0, [fakes.packet(7), fakes.packet(8, type="wall", targetable=False)])
    source.add(1.0, 1.0)
    playhead, _, _ = fakes.playhead(source)
    playhead.apply(SeekFrame(1))
    assert playhead.apply(Focus(7)).focus == 7
    with pytest.raises(CommandError, match=r"object 8 \(wall\) .* not targetable in frame 1"):
        playhead.apply(Focus(8))
    # Of an object without a packet here nothing is known: another frame may hold it.
    assert playhead.apply(Focus(9)).focus == 9


def test_channel_names_from_outside_do_not_pile_up(fakes: Any, film: Any) -> None:
    playhead, _, _ = fakes.playhead(film)
    for n in range(MOST_HIDDEN):
        playhead.apply(Show(f"c{n}", False))
    with pytest.raises(CommandError, match="256 channels are hidden"):
        playhead.apply(Show("one more", False))
    assert len(playhead.apply(Show("c0", False)).hidden) == MOST_HIDDEN


def test_every_change_of_frame_or_mode_is_heard_once(fakes: Any, film: Any) -> None:
    playhead, _, pass_ = fakes.playhead(film)
    heard: list[tuple[Mode, int | None]] = []
    playhead.on_moved(lambda shown: heard.append((shown.mode, shown.frame)))
    there: list[Command] = [
        Enter(),
        Enter(),
        SeekFrame(1),
        SeekFrame(1),
        Step(-1),
        Play(),
        Play(2.0),
    ]
    back: list[Command] = [Pause(), Pause(), Leave(), Leave()]
    for command in there:
        playhead.apply(command)
    pass_(0.008)
    pass_(0.001)
    for command in back:
        playhead.apply(command)
    assert heard == [
        (PAUSED, 5),
        (PAUSED, 1),
        (PLAYING, 1),
        (PLAYING, 2),
        (PAUSED, 2),
        (LIVE, None),
    ]


def test_a_listener_can_stop_listening(fakes: Any, film: Any) -> None:
    playhead, _, _ = fakes.playhead(film)
    heard: list[PlaybackState] = []
    stop = playhead.on_moved(heard.append)
    stop()
    stop()
    playhead.apply(Enter())
    assert heard == []


def test_a_listener_that_moves_the_playhead_leaves_everybody_at_the_newer_frame(
    fakes: Any, film: Any
) -> None:
    playhead, _, _ = fakes.playhead(film)
    heard: list[int | None] = []
    playhead.on_moved(lambda shown: playhead.apply(SeekFrame(2)) if shown.frame == 3 else None)
    playhead.on_moved(lambda shown: heard.append(shown.frame))
    playhead.apply(SeekFrame(3))
    assert heard == [2]


def test_what_a_listener_raises_passes_through_and_the_playhead_has_moved(
    fakes: Any, film: Any
) -> None:
    playhead, _, _ = fakes.playhead(film)

    def refuse(shown: PlaybackState) -> None:
        raise RuntimeError("no")

    stop = playhead.on_moved(refuse)
    with pytest.raises(RuntimeError):
        playhead.apply(SeekFrame(3))
    stop()
    assert playhead.frame == 3


def test_a_shown_frame_that_is_gone_clamps_to_the_oldest(fakes: Any, film: Any) -> None:
    playhead, _, _ = fakes.playhead(film)
    playhead.apply(SeekFrame(1))
    film.evict()
    film.evict()
    assert playhead.update().frame == 3


def test_a_source_that_lost_everything_shows_nothing_and_what_comes_is_shown(
    fakes: Any, film: Any
) -> None:
    playhead, _, _ = fakes.playhead(film)
    playhead.apply(SeekFrame(1))
    playhead.apply(Play())
    film.frames.clear()
    shown = playhead.update()
    assert (shown.mode, shown.frame) == (PAUSED, None)
    film.add(1.0, 0.0)
    assert playhead.update().frame == 1


frames = st.integers(-50, 80)
times = st.one_of(st.floats(-1.0, 9.0), st.sampled_from([math.nan, math.inf]))
rates = st.one_of(
    st.sampled_from([sign * rate for rate in RATES for sign in (1, -1)]),
    st.floats(-FASTEST, FASTEST),
    st.just(math.nan),
)
commands = st.one_of(
    st.builds(Enter, st.one_of(st.none(), times)),
    st.just(Leave()),
    st.just(Leave()),
    st.just(Pause()),
    st.just(LoopOff()),
    st.builds(Play, rates, st.booleans()),
    st.builds(Step, frames),
    st.builds(SeekTime, times),
    st.builds(SeekFrame, frames),
    st.builds(SeekMark, st.sampled_from(["door", "fell", "nothing"])),
    st.builds(Loop, times, times),
    st.builds(Focus, st.integers(-1, 9)),
    st.builds(Show, st.sampled_from(["", "ai", "fx"]), st.booleans()),
)


@pytest.mark.slow
def test_commands_in_any_order_keep_the_playhead_inside_of_what_is_recorded(fakes: Any) -> None:
    class AnyOrder(RuleBasedStateMachine):
        def __init__(self) -> None:
            super().__init__()
            self.source = fakes.Source()
            self.source.named = [fakes.Mark("door", 3), fakes.Mark("fell", 8)]
            self.playhead, self.clock, _ = fakes.playhead(self.source)
            self.heard: tuple[Mode, int | None] = (LIVE, None)
            self.playhead.on_moved(self.hear)
            self.time = 0.0

        def hear(self, shown: PlaybackState) -> None:
            assert (shown.mode, shown.frame) != self.heard
            self.heard = shown.mode, shown.frame

        @rule(deltas=st.lists(st.sampled_from([0.0, 0.016, 0.1]), min_size=1, max_size=10))
        def the_game_runs(self, deltas: list[float]) -> None:
            if self.playhead.mode is not LIVE:
                return
            for delta in deltas:
                self.time += delta
                self.source.add(self.time, delta, [fakes.packet(7, targetable=False)])
            while len(self.source.frames) > 25:
                self.source.evict()
            assert self.playhead.update() is None

        @rule(command=commands)
        def command(self, command: Any) -> None:
            before = self.playhead.state
            try:
                shown = self.playhead.apply(command)
            except CommandError:
                assert self.playhead.state == before
                return
            assert shown == self.playhead.state or shown.clamped
            if before.mode is LIVE and not enters(command):
                assert shown.mode is LIVE

        @rule(seconds=st.floats(-0.1, 2.0))
        def time_passes(self, seconds: float) -> None:
            before = self.playhead.state
            self.clock.now += seconds
            shown = self.playhead.update()
            if before.mode is not PLAYING:
                assert shown is None
            elif shown is not None and shown.loop is None:
                assert (shown.frame - before.frame) * shown.rate >= 0

        @invariant()
        def it_stands_inside(self) -> None:
            shown = self.playhead.state
            span = self.source.span
            assert (shown.mode, shown.frame) == self.heard
            assert (shown.frame is None) == (shown.mode is LIVE or span is None)
            if shown.frame is not None:
                assert span.oldest <= shown.frame <= span.newest
                assert shown.time == self.source.stamp(shown.frame).time
            assert self.playhead.carried >= 0

    run_state_machine_as_test(AnyOrder, settings=settings(max_examples=100))
