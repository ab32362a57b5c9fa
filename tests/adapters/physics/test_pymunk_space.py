"""A space of pymunk in one line: bodies, shapes, and exactly the same outcome."""

import logging
from collections.abc import Iterator
from typing import Any

import pytest

pymunk = pytest.importorskip("pymunk")

from playhead.playback.commands import Enter, SeekFrame  # noqa: E402
from playhead.recording_session import record  # noqa: E402

DT = 1 / 60


class Crate(pymunk.Body):  # type: ignore[misc,unused-ignore]
    """A body of a program's own class, with a field of its own."""

    hp = 100.0


def boxes(**settings: Any) -> Any:
    """A heap of boxes and balls that falls on the ground."""
    space = pymunk.Space()
    space.gravity = (0, -900)
    for name, value in settings.items():
        setattr(space, name, value)
    ground = pymunk.Segment(space.static_body, (-500, 0), (500, 0), 5)
    ground.friction = 1.0
    space.add(ground)
    for number in range(12):
        body = Crate(1, 100) if number % 2 else pymunk.Body(1, 100)
        body.position = (number % 3 * 30 - 30, 40 + 25 * number)
        shape = pymunk.Poly.create_box(body, (20, 20)) if number % 2 else pymunk.Circle(body, 10)
        shape.friction = 0.5
        space.add(body, shape)
    return space


def state(space: Any) -> Any:
    return [
        (body.position, body.angle, body.velocity, body.angular_velocity, body.is_sleeping)
        for body in space.bodies
    ]


def steps_with_looks_at_the_past(rec: Any, space: Any, plain: Any) -> Iterator[tuple[Any, Any]]:
    """Steps both, of which one is recorded. At times it shows frame 5 and leaves playback again,
    and yields the recorded one's state before that, and its state at frame 5."""
    for step in range(200):
        plain.step(DT)
        with rec.frame():
            space.step(DT)
        if step % 40 == 39:
            now = state(space)
            rec.apply(Enter(), now=True)
            rec.apply(SeekFrame(5))
            past = state(space)
            rec.leave()
            yield now, past


def test_the_outcome_is_the_same_with_recording_and_looking_at_the_past():
    plain, space = boxes(), boxes()
    with record(dt=DT, strict=True) as rec:
        rec.add(space)
        rec.add(space)
        for now, past in steps_with_looks_at_the_past(rec, space, plain):
            assert past != now
            assert state(space) == now
        assert state(space) == state(plain)
        assert len(rec.source.objects(200)) == 12


def test_playback_shows_each_body_where_it_was():
    space = boxes()
    with record(dt=DT, strict=True) as rec:
        rec.add(space)
        seen = []
        for _ in range(60):
            with rec.frame():
                space.step(DT)
            seen.append(state(space))
        rec.apply(Enter(), now=True)
        for frame in (1, 30, 59):
            rec.apply(SeekFrame(frame))
            assert state(space) == seen[frame - 1]
        rec.leave()


def test_shapes_are_drawn_those_that_rest_only_once():
    space = boxes()
    with record(dt=DT, strict=True) as rec:
        rec.add(space)
        for _ in range(3):
            with rec.frame():
                space.step(DT)
        drawings = rec.source.drawn(2)
        assert {"static shapes"} == {one.latched for one in drawings if one.latched}
        assert sorted({one.object for one in drawings}) == list(range(13))


def test_bodies_may_come_and_go():
    space = boxes()
    with record(dt=DT, strict=True) as rec:
        rec.add(space)
        with rec.frame():
            space.step(DT)
        gone = next(iter(space.bodies))
        space.remove(gone, *gone.shapes)
        new = pymunk.Body(1, 1)
        space.add(new, pymunk.Circle(new, 5))
        with rec.frame():
            space.step(DT)
        assert [len(rec.source.objects(frame)) for frame in (1, 2)] == [12, 12]
        assert rec.id_of(new) in {one.id for one in rec.source.objects(2)}


@pytest.mark.parametrize("case", ["sleeping", "centre of gravity"])
def test_what_can_not_be_put_back_exactly_is_shown_by_stand_ins(case, caplog):
    def make() -> Any:
        space = boxes(**({"sleep_time_threshold": 0.3} if case == "sleeping" else {}))
        if case != "sleeping":
            list(space.bodies)[3].center_of_gravity = (3, 1)
        return space

    caplog.set_level(logging.WARNING, "playhead")
    plain, space = make(), make()
    with record(dt=DT, strict=True) as rec:
        rec.add(space)
        for now, past in steps_with_looks_at_the_past(rec, space, plain):
            assert past == now, "nothing is set"
        assert state(space) == state(plain)
    assert "stand-ins show its bodies" in caplog.text
