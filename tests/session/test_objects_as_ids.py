"""Wherever an object is meant, the object itself is as good as its id."""

import logging
import threading

import pytest

import playhead as ph
from playhead.errors import CommandError, RecordingError
from playhead.playback.commands import Enter
from playhead.recorder.packets.packet_types import Kind


class Guard:
    def __init__(self) -> None:
        self.position = (1.0, 2.0, 3.0)


class Yard(ph.World):
    def __init__(self) -> None:
        self.guards = {5: Guard(), 9: Guard()}
        self.looked_at: int | None = None

    def objects(self):
        return [(id, "guard", guard) for id, guard in self.guards.items()]

    def time(self):
        return 1.0

    def find(self, object_id):
        return self.guards.get(object_id)

    def look_at(self, object_id, position):
        self.looked_at = object_id


class GuardHandler:
    layout = ph.layout_from_dtype([("one", "u1")])

    def size(self, obj):
        return 1

    def record(self, obj, packet):
        packet.position = obj.position
        packet.payload[0] = 1


@pytest.fixture
def yard():
    return Yard()


@pytest.fixture
def session(yard):
    with ph.Session(yard, "1 MiB", handlers={"guard": GuardHandler()}) as session:
        yield session


def statements_about_objects(session, frame=None):
    """All that was said in a frame about objects, as plain values."""
    source = session.source
    frame = source.span.newest if frame is None else frame
    traces = [
        (agent, [belief.object for belief in getattr(trace, "beliefs", ())])
        for agent, trace in source.traces(frame)
    ]
    return {
        "drawn": [one.object for one in source.drawn(frame)],
        "watched": sorted(source.watches(frame)),
        "logged": [line.object for line in source.logs(frame)],
        "traced": traces,
        "named": source.latched(frame, 9, Kind.NAME, ""),
        "fact": source.latched(frame, 9, Kind.FACT, "team"),
        "tree": source.tree(frame, 9, "plan"),
        "marked": [mark.object for mark in source.marks()],
    }


def say_all(session, one, other):
    draw, trace = session.draw, session.trace
    beliefs = [ph.Belief(other, (0.0, 0.0, 0.0), 0.5)]
    draw.line((0, 0, 0), (1, 1, 1), object=one)
    draw.lines([[(0, 0, 0), (1, 1, 1)]], object=one)
    draw.sphere((0, 0, 0), 1.0, object=one)
    draw.box((0, 0, 0), (1, 1, 1), object=one)
    draw.polygon([(0, 0, 0), (1, 0, 0), (0, 1, 0)], object=one)
    draw.text((0, 0, 0), "here", object=one)
    trace.state(one, "mind", "idle", "chase", won="seen", beliefs=beliefs)
    trace.define_tree(one, "plan", [ph.TreeNode("root")])
    trace.tree(one, "plan", ["running"], beliefs=beliefs)
    trace.animation(one, "body", [ph.AnimationClip("walk", 1.0)])
    session.watch("speed", 1.0, one)
    session.log("here", object=one)
    session.name(one, "Nine")
    session.fact(one, "team", "red")
    session.mark("here", object=one)
    session.trigger("soon", post=0.0, object=one)


def test_all_that_is_stated_of_an_object_is_stated_of_its_id(tmp_path):
    received = []
    for by_object in (False, True):
        yard = Yard()
        with ph.Session(
            yard, "1 MiB", handlers={"guard": GuardHandler()},
            clips=ph.ClipPolicy(folder=tmp_path / str(by_object)),
        ) as session:  # fmt: skip
            say_all(session, *((yard.guards[9], yard.guards[5]) if by_object else (9, 5)))
            session.update(0.1)
            received.append(statements_about_objects(session))
    assert received[0] == received[1]
    assert received[0]["drawn"] == [9] * 6
    assert received[0]["traced"] == [(9, [5]), (9, [5]), (9, [])]
    assert received[0]["marked"] == [9, 9]


def test_from_another_thread_an_object_is_looked_up_on_the_games(session, yard):
    asked = []
    objects = yard.objects
    yard.objects = lambda: asked.append(threading.current_thread()) or objects()
    one, other = yard.guards[9], yard.guards[5]
    thread = threading.Thread(target=say_all, args=(session, one, other))
    session.recorder.ids = type(session.recorder.ids).of(yard, lambda: 1)
    session.update(0.1)
    session.trigger = lambda *_, **__: None
    thread.start()
    thread.join()
    session.update(0.1)
    assert set(asked) == {threading.main_thread()}
    assert statements_about_objects(session)["drawn"] == [9] * 6
    assert statements_about_objects(session)["traced"] == [(9, [5]), (9, [5]), (9, [])]
    assert statements_about_objects(session)["logged"] == [9]


def test_a_check_about_an_object_turns_the_camera_to_it(session, yard):
    session.check(False, "it holds", focus=yard.guards[9])
    session.update(0.1)
    assert (session.failed_checks[0].object, yard.looked_at) == (9, 9)
    assert session.playhead.state.focus == 9


def test_a_command_takes_an_object(session, yard):
    session.update(0.1)
    session.apply(Enter(), now=True)
    assert session.apply(ph.commands.Focus(yard.guards[5])).focus == 5
    session.send(ph.commands.Focus(yard.guards[9]))
    session.obey()
    assert session.playhead.state.focus == 9
    with pytest.raises(CommandError, match="focus: .* is not one of the objects that the world"):
        session.apply(ph.commands.Focus(Guard()))


@pytest.mark.parametrize(
    "say",
    [
        lambda session, wrong: session.watch("speed", 1.0, wrong),
        lambda session, wrong: session.log("here", object=wrong),
        lambda session, wrong: session.mark("here", object=wrong),
        lambda session, wrong: session.name(wrong, "Nobody"),
        lambda session, wrong: session.fact(wrong, "team", "red"),
        lambda session, wrong: session.draw.line((0, 0, 0), (1, 1, 1), object=wrong),
        lambda session, wrong: session.trace.state(wrong, "m", "a", "b", won="c"),
        lambda session, wrong: session.trace.state(
            9, "m", "a", "b", won="c", beliefs=[ph.Belief(wrong, (0.0, 0.0, 0.0), 0.0)]
        ),
        lambda session, wrong: session.check(True, "it holds", focus=wrong),
    ],
)
@pytest.mark.parametrize("wrong", [Guard(), True, None, "guard"])
def test_a_stranger_is_refused_clearly_and_costs_that_call_alone(yard, say, wrong, caplog):
    handlers = {"guard": GuardHandler()}
    with (
        ph.Session(yard, "1 MiB", handlers=handlers, strict=True) as session,
        pytest.raises(RecordingError, match="not one of the objects|give an object of the world"),
    ):
        say(session, wrong)
    caplog.clear()
    with ph.Session(yard, "1 MiB", handlers=handlers, strict=False) as session:
        with caplog.at_level(logging.ERROR):
            say(session, wrong)
            say(session, wrong)
        session.update(0.1)
        assert sum(session.status.calls_refused.values()) == 2
        assert len(caplog.messages) == 1
        assert session.source.span.newest == 1


def test_a_check_about_a_stranger_is_made_all_the_same(yard, caplog):
    with ph.Session(yard, "1 MiB", handlers={"guard": GuardHandler()}, strict=False) as session:
        assert session.check(True, "it holds", focus=Guard()) is True
        assert session.check(False, "it holds", focus=Guard()) is False
        session.update(0.1)
        assert [failed.object for failed in session.failed_checks] == [0]
