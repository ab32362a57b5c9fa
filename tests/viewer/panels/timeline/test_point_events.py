"""Points on a lane: what can be told apart is drawn, and what is grave always is."""

import hypothesis.strategies as st
from hypothesis import given

from playhead.viewer.panels.timeline.point_events import EventLane, PointEvent


def events(rows):
    return [
        PointEvent(time, at, f"event {at}", color, grave=grave)
        for at, (time, color, grave) in enumerate(rows)
    ]


ROWS = st.lists(
    st.tuples(st.floats(0, 10), st.sampled_from(("#111111", "#222222")), st.booleans()),
    max_size=60,
)


@given(ROWS, st.floats(0, 9), st.floats(0.01, 10), st.integers(20, 400))
def test_of_those_that_stand_on_one_another_one_is_drawn_of_each_kind(rows, start, lasts, width):
    made = events(rows)
    drawn = EventLane(made).to_draw(start, start + lasts, width)
    seen = [one for one in made if start <= one.time <= start + lasts]
    assert {one._replace(number=1) for one in drawn} <= set(seen)
    assert sum(one.number for one in drawn) == len(seen)

    def kind(one: PointEvent) -> tuple[int, str, bool]:
        return int((one.time - start) * (width / lasts) / 2), one.color, one.grave

    assert sorted(map(kind, drawn)) == sorted(set(map(kind, seen)))
    # What is grave is drawn last: in front.
    assert [one.grave for one in drawn] == sorted(one.grave for one in drawn)


def test_two_at_one_time_are_drawn_as_one_that_counts_them_and_name_each_other():
    lane = EventLane(events([(1.0, "#1", True), (1.0, "#1", True), (2.0, "#1", True)]))
    assert [one.number for one in lane.to_draw(0.0, 4.0, 400)] == [2, 1]
    assert [one.text for one in lane.others_at(lane.near(1.0, 0.1))] == ["event 1"]
    assert lane.others_at(lane.near(2.0, 0.1)) == []


def test_what_is_near_the_mouse_is_found_and_a_grave_one_first():
    lane = EventLane(events([(1.0, "#1", False), (1.1, "#1", True), (2.0, "#1", False)]))
    assert lane.near(1.0, 0.2).text == "event 1"
    assert lane.near(1.0, 0.05).text == "event 0"
    assert lane.near(1.5, 0.1) is None


def test_a_hundred_thousand_are_no_more_than_the_pixels_hold():
    lane = EventLane(events([(at / 1e4, "#1", False) for at in range(100_000)]))
    assert len(lane.to_draw(0.0, 10.0, 1000)) <= 501
