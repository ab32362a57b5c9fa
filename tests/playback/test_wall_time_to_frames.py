"""Wall time turned into frames by the stored deltas."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.errors import CommandError
from playhead.playback.wall_time_to_frames import Scrubber

DELTAS = [0, 16, 16, 100, 16]
"""Milliseconds of f0 … f4, which are frames 1 … 5 here."""
deltas = st.lists(st.integers(0, 120), min_size=2, max_size=30)


def run(source: Any, frame: int, *milliseconds: float, around: bool = False) -> tuple[int, float]:
    """The frame and the carried milliseconds after these updates, over the whole source."""
    scrubber, span = Scrubber(source), source.span
    for step in milliseconds:
        moved = scrubber.advance(frame, step / 1000, span.oldest, span.newest, around=around)
        frame = moved.frame
    return frame, round(scrubber.carried * 1000, 6)


@pytest.mark.parametrize(
    ("milliseconds", "frame", "carried"),
    [(15.9, 0, 15.9), (16, 1, 0), (40, 2, 8), (131, 2, 99), (132, 3, 0), (148, 4, 0), (9e6, 4, 0)],
)
def test_forward_costs_the_next_frames_delta(
    fakes: Any, milliseconds: float, frame: int, carried: float
) -> None:
    assert run(fakes.film(DELTAS), 1, milliseconds) == (frame + 1, carried)


@pytest.mark.parametrize(
    ("milliseconds", "frame", "carried"),
    [(-15, 4, 15), (-16, 3, 0), (-115, 3, 99), (-116, 2, 0), (-132, 1, 0), (-148, 0, 0)],
)
def test_backward_costs_the_present_frames_delta(
    fakes: Any, milliseconds: float, frame: int, carried: float
) -> None:
    assert run(fakes.film(DELTAS), 5, milliseconds) == (frame + 1, carried)


def test_a_hitch_while_recording_is_as_long_in_playback_both_ways(fakes: Any) -> None:
    film = fakes.film(DELTAS)
    assert run(film, 3, 99.9)[0] == 3
    assert run(film, 3, 100)[0] == 4
    assert run(film, 4, -99.9)[0] == 4
    assert run(film, 4, -100)[0] == 3


def test_the_remainder_is_carried_from_update_to_update(fakes: Any) -> None:
    assert run(fakes.film(DELTAS), 1, *[8.0] * 5) == (3, 8)
    assert run(fakes.film(DELTAS), 1, *[0.1] * 400) == (3, 8)


def test_a_change_of_direction_drops_the_remainder(fakes: Any) -> None:
    assert run(fakes.film(DELTAS), 1, 40, -15) == (3, 15)
    assert run(fakes.film(DELTAS), 1, 40, -16) == (2, 0)


def test_clearing_drops_the_remainder(fakes: Any) -> None:
    scrubber = Scrubber(fakes.film(DELTAS))
    scrubber.advance(1, 0.040, 1, 5)
    scrubber.clear()
    assert scrubber.carried == 0


def test_an_end_drops_the_remainder_and_is_reported(fakes: Any) -> None:
    scrubber = Scrubber(fakes.film(DELTAS))
    assert scrubber.advance(4, 0.015, 1, 5) == (4, 0, False)
    assert scrubber.advance(4, 7.0, 1, 5) == (5, 1, True)
    assert scrubber.carried == 0
    assert scrubber.advance(5, 7.0, 1, 5) == (5, 0, True)
    assert scrubber.advance(2, -7.0, 1, 5) == (1, 1, True)
    assert scrubber.carried == 0


def test_no_time_moves_nothing_even_where_frames_cost_nothing(fakes: Any) -> None:
    assert run(fakes.film([0, 0, 0]), 2, 0.0) == (2, 0)


def test_two_frames_with_one_time_are_passed_together(fakes: Any) -> None:
    film = fakes.film([0, 16, 0, 0, 16])
    assert run(film, 1, 16) == (4, 0)
    assert run(film, 1, 20) == (4, 4)
    assert run(film, 5, -16) == (2, 0)


def test_frames_that_all_cost_nothing_lead_to_the_end(fakes: Any) -> None:
    assert run(fakes.film([0] * 500), 1, 1.0) == (500, 0)
    assert run(fakes.film([0] * 500), 500, -1.0) == (1, 0)


def test_a_loop_of_frames_that_cost_nothing_ends(fakes: Any) -> None:
    assert run(fakes.film([0, 0, 0]), 2, 5.0, around=True) == (2, 0)
    assert run(fakes.film([0]), 1, -5.0, around=True) == (1, 0)


def test_around_the_step_between_the_ends_costs_the_newests_delta_both_ways(fakes: Any) -> None:
    film = fakes.film([0, 10, 20, 30])
    assert run(film, 4, 29.0, around=True) == (4, 29)
    assert run(film, 4, 30.0, around=True) == (1, 0)
    assert run(film, 1, -29.0, around=True) == (1, 29)
    assert run(film, 1, -30.0, around=True) == (4, 0)


def test_many_laps_cost_no_more_work_than_two(fakes: Any) -> None:
    film = fakes.film([0, 10, 20, 30])
    assert run(film, 1, 90_000_000_015.0, around=True) == (2, 5)
    assert film.looks <= 8


def test_the_work_is_in_the_number_of_frames_crossed(fakes: Any) -> None:
    film = fakes.film([10] * 5000)
    assert run(film, 2000, 70) == (2007, 0)
    assert film.looks == 8


def test_clock_noise_below_a_nanosecond_moves_no_boundary(fakes: Any) -> None:
    # 0.1 + 0.2 is more than 0.3, and 1e6 + 0.016 - 1e6 is less than 0.016.
    film = fakes.film([0, 16, 16])
    film.frames[2] = film.frames[2]._replace(
        stamp=film.stamp(2)._replace(delta=1e6 + 0.016 - 1e6 + 1e-12)
    )
    assert run(film, 1, 16) == (2, 0)
    assert run(fakes.film([0, 100, 200, 300]), 1, 0.1 * 3000) == (3, 0)


@pytest.mark.parametrize("delta", [math.nan, math.inf, -1.0])
def test_a_damaged_delta_neither_stops_nor_traps_the_scrub(fakes: Any, delta: float) -> None:
    film = fakes.film([0, 16, 16])
    film.frames[2] = film.frames[2]._replace(stamp=film.stamp(2)._replace(delta=delta))
    assert run(film, 1, 16) == (3, 0)


@pytest.mark.parametrize("seconds", [math.nan, math.inf, -math.inf])
def test_a_time_that_is_no_number_is_refused(fakes: Any, seconds: float) -> None:
    with pytest.raises(CommandError, match="can't scrub by"):
        Scrubber(fakes.film(DELTAS)).advance(1, seconds, 1, 5)


@given(deltas=deltas, data=st.data())
def test_there_and_back_over_one_stretch_takes_the_same_time(
    fakes: Any, deltas: list[int], data: st.DataObject
) -> None:
    film = fakes.film(deltas)
    a = data.draw(st.integers(1, len(deltas)))
    b = data.draw(st.integers(a, len(deltas)))
    cost = sum(deltas[a:b])  # frame n has deltas[n - 1]
    if not cost:
        return
    # Where neighbours cost nothing both ways go on over them.
    assert run(film, a, cost)[0] >= b
    assert run(film, b, -cost)[0] <= a
    assert run(film, a, cost - 1)[0] < b or not deltas[b - 1]
    assert run(film, b, 1 - cost)[0] > a or not deltas[a]
    if all(deltas):
        assert run(film, a, cost) == (b, 0)
        assert run(film, b, -cost) == (a, 0)


@given(deltas=deltas, steps=st.lists(st.integers(1, 90), min_size=1, max_size=20))
def test_how_the_time_is_cut_into_updates_makes_no_difference(
    fakes: Any, deltas: list[int], steps: list[int]
) -> None:
    film = fakes.film(deltas)
    assert run(film, 1, *steps) == run(film, 1, sum(steps))
    assert run(film, len(deltas), *(-s for s in steps)) == run(film, len(deltas), -sum(steps))
