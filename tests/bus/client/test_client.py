"""A tool's end: follow, move, ask, say; echoes, losses, other loops."""

import contextlib
import inspect
import threading
from typing import Any

import numpy as np
import pytest

from playhead.bus.client import subscriptions
from playhead.bus.client.client import Client
from playhead.bus.messages.events import (
    EventsRecorded,
    InputsRecorded,
    PhaseStarted,
    PictureRecorded,
)
from playhead.bus.messages.message import PlayheadTime
from playhead.bus.messages.requests import GetPicture
from playhead.bus.messages.responses import FoundPicture
from playhead.bus.server.bus_settings import BusSettings
from playhead.errors import (
    BusError,
    BusyError,
    CommandError,
    EvictedError,
)
from playhead.playback.commands import SeekFrame
from playhead.playback.playback_state import Mode
from playhead.recorder.packets.packet_types import Kind
from playhead.recorder.packets.picture_validation import MOST_BYTES
from playhead.recorder.packets.trace_types import (
    AnimationClip,
    AnimationFrame,
    StateTransition,
    TreeNode,
    TreeTick,
)
from playhead.recorder.statements.instrumentation_interface import Belief, Rejected
from playhead.recorder.statements.statement_messages import (
    AnimationStatement,
    SetMark,
    TransitionStatement,
    TreeTickStatement,
)

from ...support.pictures import picture_bytes
from ...support.stage import IMPATIENT, loopback
from ...support.waits import until

DT = 1 / 64
STATE = StateTransition("legs", "walk", "run", "late")


def here() -> int:
    """The line that this is called from."""
    return inspect.currentframe().f_back.f_lineno


# --- asking and moving --------------------------------------------------------------------------


def test_a_tool_moves_the_playhead_and_hears_what_really_happened(game, tool):
    one = game()
    one.run(64)
    client = tool(one)
    assert (client.enter().frame, client.enter(0.5).frame) == (64, 32)
    assert client.step(-2).frame == 30
    assert client.seek(0.25).frame == 16
    assert client.seek(frame=9999).clamped
    assert client.loop(0.25, 0.5).loop == (0.25, 0.5)
    assert client.play(-2.0, restart=True).rate == -2.0
    assert client.pause().mode is Mode.PAUSED
    assert client.loop(None).loop is None
    assert client.focus(2).focus == 2
    assert client.show("ai", False).hidden == {"ai"}
    assert client.leave().mode is Mode.LIVE
    client.mark("here")
    client.flush()
    one.run(1)
    one.run(4)
    shown = client.seek(mark="here")
    assert shown.frame == 65
    assert client.leave().mode is Mode.LIVE
    assert one.session.live


def test_a_tool_asks_what_is_recorded(game, tool):
    one = game(about={"build": "1"})
    one.do(lambda: one.session.name(2, "Anna"))
    one.run(10)
    client = tool(one, name="asker")
    assert client.origin.startswith("asker#")
    assert client.origin in client.snapshot().tools == client.status().bus.tools
    assert client.welcome.game == {"build": "1"}
    assert client.find(5 / 64) == 5
    rows = {row.id: row for row in client.objects(5)}
    assert rows[2].name == "Anna"
    assert rows[2].type == "ball"
    assert rows[2].values["position"] == pytest.approx([2 + 2 * 5 / 64, 0.0, 0.0])
    assert rows[2].values["state"] == "rolling"
    assert client.frame(5).image[:8] == (5).to_bytes(8, "little")
    assert {row.name for row in client.types(5).types} >= {"ball", ".line", ".text"}
    assert client.statements(5).traces == []
    assert client.marks() == []
    assert client.status().recorder["frames"] == 10


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda client: client.seek(mark="none"), CommandError),
        (lambda client: client.seek(float("nan")), CommandError),
        (lambda client: client.step(0), CommandError),
        (lambda client: client.frame(999), EvictedError),
        (lambda client: client.objects(-1), (EvictedError, CommandError)),
        (lambda client: client.find(float("nan")), CommandError),
        (lambda client: client.on("nonsense", print), CommandError),
    ],
)
def test_what_can_not_be_done_is_the_same_error_as_in_the_game(game, tool, call, error):
    one = game()
    one.run(5)
    client = tool(one)
    with pytest.raises(error):
        call(client)
    assert client.find(1.0) == 5


def test_a_frame_or_a_mark_given_as_a_time_raises_and_names_the_right_call(game, tool):
    with pytest.raises(CommandError, match=r"time is '#20'; give seconds.*\(frame=.*\(mark="):
        tool(game()).seek("#20")


def test_a_game_in_a_debugger_can_be_asked_but_not_moved(game, tool):
    one = game(bus=loopback(patience=IMPATIENT))
    one.run(5)
    client = tool(one)
    with one.in_a_debugger():
        with pytest.raises(BusyError, match="debugger"):
            client.enter()
        assert len(client.objects(3)) == 3
        assert client.connected
        client.dispatch()
    one.run(2)
    assert one.session.live
    assert client.enter().frame == 7


def test_an_answer_that_does_not_come_is_an_error_and_the_next_one_is_right(game, tool):
    one = game(bus=BusSettings("tcp://127.0.0.1:*", patience=30.0))
    one.run(5)
    client = tool(one, timeout=0.2)
    with one.in_a_debugger(), pytest.raises(BusError, match="no answer"):
        client.enter()
    assert client.find(4 / 64) == 4, "the late answer is nobody's"


# --- following ----------------------------------------------------------------------------------


def test_a_follower_gets_the_present_state_first_and_then_each_change(game, tool):
    one = game()
    one.run(30)
    client, mover = tool(one), tool(one)
    times: list[PlayheadTime] = []
    client.on_time(times.append)
    assert times == [], "not within another call"
    client.dispatch(1.0)
    assert [time.frame for time in times] == [30]
    for frame in (3, 9, 4):
        mover.seek(frame=frame)
        until(lambda frame=frame: times[-1].frame == frame, client)
    assert [time.frame for time in times] == [30, 3, 9, 4]
    assert {time.origin for time in times[1:]} == {mover.origin}


def test_a_tool_does_not_hear_its_own_echo_unless_it_asks(game, tool):
    one = game()
    one.run(30)
    client, other = tool(one), tool(one)
    calls: list[int] = []
    echoes: list[int] = []
    client.seek(frame=2)
    assert client.time.frame == 2, "a command has led there when it returns"
    client.on_time(lambda time: calls.append(time.frame))
    client.on_time(lambda time: echoes.append(time.frame), own=True)
    client.dispatch(1.0)
    assert calls == echoes == [2], "the present is told whoever caused it"
    for frame in (5, 6):
        client.seek(frame=frame)
        until(lambda frame=frame: echoes[-1] == frame, client)
    other.seek(frame=7)
    until(lambda: calls[-1] == 7, client)
    assert calls == [2, 7]
    assert echoes == [2, 5, 6, 7]
    assert client.time.frame == 7


def test_a_second_follower_does_not_make_the_first_hear_things_twice(game, tool):
    one = game()
    one.run(3)
    client = tool(one)
    first: list[int] = []
    second: list[int] = []
    client.on_time(lambda time: first.append(time.frame))
    client.dispatch(0.5)
    client.on_time(lambda time: second.append(time.frame))
    client.dispatch(0.5)
    assert (first, second) == ([3], [3])


def test_a_tool_that_wants_every_instant_gets_every_one_in_order(game, tool):
    one = game()
    client = tool(one, conflate=False)
    times: list[PlayheadTime] = []
    client.on_time(times.append, own=True)
    one.run(60)
    until(lambda: times and times[-1].frame == 60, client)
    frames = [time.frame for time in times if time.frame]
    assert frames == list(range(1, 61))
    assert [time.sequence for time in times] == list(
        range(times[0].sequence, times[-1].sequence + 1)
    )


def test_a_slow_tool_hears_of_the_newest_instant(game, tool):
    one = game()
    one.run(1)
    client = tool(one)
    received: list[int] = []
    client.on_time(lambda time: received.append(time.frame))
    client.dispatch(0.5)
    one.run(500)
    until(lambda: received[-1] == 501, client)
    assert len(received) < 50, "it would run behind"


def test_a_slow_tool_with_the_default_settings_hears_of_each_discrete_move(game, tool):
    one = game()
    one.run(40)
    slow, mover = tool(one), tool(one)
    times: list[PlayheadTime] = []
    slow.on_time(times.append)
    slow.dispatch(0.5)
    times.clear()
    moves = [mover.enter(), *(mover.step(-1) for _ in range(5)), mover.seek(frame=7), mover.leave()]
    one.run(300)  # which pass by themselves
    moves += [mover.enter(), mover.seek(frame=9)]
    until(lambda: times and times[-1].frame == 9, slow)
    heard = [(time.mode, time.frame) for time in times if time.discrete]
    assert heard == [
        (shown.mode.value, 40 if shown.frame is None else shown.frame) for shown in moves
    ]
    assert sum(not time.discrete for time in times) < 30, "it would run behind"
    assert slow.missed == 0


def test_more_moves_than_may_wait_are_counted(game, tool, monkeypatch):
    monkeypatch.setattr(subscriptions, "_MOST_QUEUED", 10)
    one = game()
    one.run(40)
    slow, mover = tool(one), tool(one)
    times: list[PlayheadTime] = []
    slow.on_time(times.append)
    slow.dispatch(0.5)
    mover.enter()
    for _ in range(30):
        last = mover.step(-1)
    until(lambda: times and times[-1].frame == last.frame, slow)
    assert [time.frame for time in times[-10:]] == list(range(19, 9, -1))
    assert slow.missed == 31 - (len(times) - 1)


def test_callbacks_run_in_dispatch_only_and_may_use_the_client(game, tool):
    one = game()
    one.run(20)
    client, other = tool(one), tool(one)
    received: list[Any] = []

    def jump(event: Any) -> None:
        received.append(client.seek(frame=event.event.mark.frame).frame)

    client.on("mark", jump)
    client.dispatch(0.3)
    other.mark("there", time=7 / 64)
    other.flush()
    one.run(1)
    for _ in range(20):
        client.find(1.0)
    assert received == []
    until(lambda: received, client)
    assert received == [7]


def test_what_a_callback_raises_comes_out_of_dispatch_and_nothing_is_lost(game, tool):
    one = game()
    one.run(1)
    client = tool(one)
    frames: list[int] = []

    def broken(event: Any) -> None:
        frames.append(event.event.frame)
        raise RuntimeError("broken")

    client.on("log", broken)
    client.dispatch(0.3)

    def talk() -> None:
        one.session.log("x")
        one.stage.run(1)

    for _ in range(3):
        one.do(talk)

    def hear() -> bool:
        with contextlib.suppress(RuntimeError):
            client.dispatch(0.05)
        return len(frames) == 3

    until(hear)
    assert frames == [2, 3, 4]


def test_the_tools_own_loop_ends_after_some_time_or_when_it_is_closed(game, tool):
    one = game()
    client = tool(one)
    client.run(0.05)
    client.on("tools", lambda event: client.close())
    newcomer = threading.Timer(0.05, lambda: Client(one.endpoint, timeout=20).close())
    newcomer.start()
    client.run(20)
    newcomer.join()
    with pytest.raises(BusError, match="closed"):
        client.dispatch()
    client.close()


def test_missed_events_are_counted(game, tool):
    one = game()
    client = tool(one)
    heard: list[int] = []
    client.on("log", lambda event: heard.append(event.sequence))
    client.dispatch(0.3)
    publisher = one.bus._publisher

    def say(*sequences: int) -> None:
        from playhead.bus.messages.events import LinesLogged

        for sequence in sequences:
            publisher._sequences["log"] = sequence - 1
            publisher.publish("log", LinesLogged(1, 0.0, []))

    one.do(lambda: say(1, 2, 5, 9))
    until(lambda: len(heard) == 4, client)
    assert (heard, client.missed) == ([1, 2, 5, 9], 5)


# --- saying -------------------------------------------------------------------------------------


def test_what_a_tool_says_is_in_the_frame_of_its_instant(game, tool):
    one = game()
    one.run(10)
    client = tool(one)
    state = StateTransition(
        "legs", "walk", "run", "late", ("tired",), (Rejected("swim", "no water"),),
        {"speed": 2.5}, (Belief(3, (1.0, 2.0, 3.0), 0.5, "seen"),), "brain.py", 7,
    )  # fmt: skip
    client.trace.define_tree(1, "mind", (TreeNode("root", "selector"), TreeNode("go", parent=0)))
    client.name(2, "Anna")
    client.fact(2, "hat", {"colour": "red"})
    client.watch("speed", 2.5, 2)
    client.emit(TransitionStatement(1, state, time=4 / 64))
    client.emit(TreeTickStatement(1, TreeTick("mind", ("success", "running")), game_time=5 / 64))
    client.emit(AnimationStatement(1, AnimationFrame("body", (AnimationClip("walk", 1.0),))))
    client.log("what a day", level="warning", object=2, time=6 / 64)
    client.mark("there", "of note", object=2, time=3 / 64)
    client.flush()
    assert list(client.refusals) == []
    one.run(1)
    [row] = client.statements(4).traces
    assert (row.agent, row.state.target, row.state.beliefs, row.state.file) == (
        1, "run", state.beliefs, "brain.py",
    )  # fmt: skip
    assert [row.tree.statuses for row in client.statements(5).traces] == [("success", "running")]
    statements = client.statements(11)
    assert [row.animation.clips[0].name for row in statements.traces] == ["walk"]
    assert statements.watches == [(2, "speed", 2.5)]
    [logged] = client.statements(6).log
    assert (logged.text, logged.level, logged.object, logged.file) == (
        "what a day", "warning", 2, __file__,
    )  # fmt: skip
    [mark] = client.marks()
    assert (mark.name, mark.frame, mark.time, mark.note, mark.object) == (
        "there", 3, 3 / 64, "of note", 2,
    )  # fmt: skip
    assert {row.id: row.name for row in client.objects(11)}[2] == "Anna"
    source = one.session.source
    assert [node.name for node in source.tree(11, 1, "mind")] == ["root", "go"]
    assert source.latched(11, 2, Kind.FACT, "hat") == {"colour": "red"}


def test_inputs_and_phases_go_over_the_bus_both_ways(game, tool):
    one = game()
    one.run(2)
    client = tool(one)
    heard = []
    for topic in ("input", "phase"):
        client.on(topic, lambda event: heard.append(event.event))
    client.dispatch(0.3)
    client.input("pad", {"A": True, "left x": 0.5}, object=2)
    client.phase("boss fight")
    client.flush()
    assert list(client.refusals) == []
    one.run(2)
    until(lambda: len(heard) == 2, client)
    given = next(one for one in heard if isinstance(one, InputsRecorded))
    began = next(one for one in heard if isinstance(one, PhaseStarted))
    assert (given.frame, given.inputs) == (3, [(2, "pad", {"A": True, "left x": 0.5})])
    assert (began.frame, began.time, began.name) == (3, 3 / 64, "boss fight")
    statements = client.statements(3)
    assert statements.inputs == [(2, "pad", {"A": True, "left x": 0.5})]
    assert (statements.phase, client.statements(4).phase, client.statements(2).phase) == (
        "boss fight",
    ) * 2 + ("",)
    [row] = client.recording.inputs("pad", 2)
    assert (row.frame, row.value) == (3, {"A": True, "left x": 0.5})
    assert [(phase.name, phase.first) for phase in client.recording.phases()] == [("boss fight", 3)]


def test_events_and_pictures_go_over_the_bus_both_ways(game, tool):
    one = game()
    one.run(2)
    client = tool(one)
    heard = []
    for topic in ("event", "picture"):
        client.on(topic, lambda event: heard.append(event.event))
    client.dispatch(0.3)
    jpeg = picture_bytes(size=20_000)
    client.event("hit", {"damage": 3}, object=2)
    client.event("hit")
    client.picture(jpeg, width=640, height=360)
    client.flush()
    assert list(client.refusals) == []
    one.run(3)
    until(lambda: len(heard) == 2, client)
    assert heard == [
        EventsRecorded(3, 3 / 64, [(2, "hit", {"damage": 3}), (0, "hit", None)]),
        PictureRecorded(3, 3 / 64, "screen", "jpeg", 640, 360),
    ]
    assert client.statements(3).events == heard[0].events
    assert [event.name for event in client.recording.events()] == ["hit", "hit"]
    assert client.ask(GetPicture(5)) == FoundPicture(3, "screen", "jpeg", 640, 360, jpeg)
    assert client.ask(GetPicture(2)) == FoundPicture(0)
    with pytest.raises(EvictedError):
        client.ask(GetPicture(99))
    assert client.recording.picture(4).data == jpeg
    assert client.recording.picture(2) is None
    assert [shown.frame for shown in client.recording.pictures()] == [3]
    client.event("hit", object=-1)
    client.picture(b"")
    client.picture(jpeg, format="gif")
    client.picture(picture_bytes(size=MOST_BYTES + 1))
    assert [result.split(":")[0] for result in client.refusals] == ["event"] + 3 * ["picture"]


def test_a_client_collects_what_is_wrong_and_raises_nothing(game, tool):
    one = game()
    one.run(1)
    client = tool(one)
    client.watch("speed", "fast")
    client.input("pad", 1, object=-1)
    client.input("pad", object())
    client.trace.state(one, "legs", "a", "b", won="c")
    client.log("x", level="loud")
    client.draw.line((0,), (1, 1, 1))
    client.mark("x", time=float("nan"))
    client.emit(TransitionStatement(1, "no trace"))
    client.emit("no statement")
    client.watch("fine", 1.0)
    client.flush()
    causes = [result.split(":")[0] for result in client.refusals]
    assert causes == [
        "watch", "input", "input", "trace", "log", "draw", "mark", "trace", "emit",
    ]  # fmt: skip
    one.run(1)
    assert client.statements(2).watches == [(0, "fine", 1.0)]


def test_a_tool_does_nothing_in_the_games_own_name(game, tool):
    one = game()
    one.do(lambda: one.session.name(2, "Bob"))
    one.run(1)
    client = tool(one)
    client.despawn(2)
    client.emit(SetMark("false alarm", kind="check"))
    client.emit(SetMark("epoch 7", kind="epoch"))
    client.flush()
    assert len(client.refusals) == 3
    assert "only the game can end it" in client.refusals[0]
    assert "'check'" in client.refusals[1]
    one.run(2)
    assert one.session.source.names(3) == {2: "Bob"}
    assert client.marks() == []
    client.despawn(1)
    client.flush()
    assert "despawn 1: this object is the game's own" in client.refusals[3]
    client.name(99, "a tool's own")
    client.flush()
    one.run(1)
    client.despawn(99)
    client.flush()
    one.run(1)
    assert len(client.refusals) == 4
    assert one.session.source.names(5) == {2: "Bob"}


def test_refused_statements_are_listed_and_the_rest_is_recorded(game, tool):
    one = game()
    one.run(2)
    client = tool(one)
    client.watch("fine", 1.0)
    client.watch("wrong", 1.0, object=-2)
    client.emit(TransitionStatement(1, STATE, time=1.0, game_time=1.0))
    client.flush()
    assert len(client.refusals) == 2
    assert "-2" in client.refusals[0]
    assert "game_time" in client.refusals[1]
    one.run(1)
    assert client.statements(3).watches == [(0, "fine", 1.0)]


def test_thousands_of_statements_arrive(game, tool):
    one = game(memory="16 MiB")
    one.run(1)
    client = tool(one)
    with one.running():
        for number in range(3000):
            client.emit(TransitionStatement(1, StateTransition("legs", "a", str(number), "w")))
        client.flush()
        span = until(lambda: client.snapshot().span)
        last = span.newest + 1
        until(lambda: client.snapshot().span.newest > last)
    status = client.status()
    assert status.recorder["calls_dropped"] == 0
    frames = range(status.recorder["frames"] + 1 - status.recorder["frames_held"], last + 1)
    targets = [row.state.target for frame in frames for row in client.statements(frame).traces]
    assert targets == [str(number) for number in range(3000)]


def test_an_agent_in_another_process_is_placed_by_the_games_clock_however_late(game, tool, program):
    one = game()
    one.run(10)
    agent = program("tracer", one.endpoint)
    assert agent.line() == "ready"
    client = tool(one)
    changed: list[list[int]] = []
    client.on("changed", lambda event: changed.append(event.event.frames))
    client.dispatch(0.3)
    for frame, target in ((7, "run"), (3, "walk"), (9, "jump")):
        agent.say(f"{frame / 64} {target}")
        assert agent.line() == "done"
        one.run(1)
    until(lambda: len(changed) == 3, client)
    assert changed == [[7], [3], [9]]
    assert {
        frame: [row.state.target for row in client.statements(frame).traces]
        for frame in range(1, 14)
        if client.statements(frame).traces
    } == {3: ["walk"], 7: ["run"], 9: ["jump"]}  # fmt: skip
    assert [line.text for line in client.statements(3).log] == ["to walk"]
    source = one.session.source
    states = [
        one.do(lambda at=at: source.latched(at, 1, Kind.STATE, "legs"))
        for at in (2, 3, 6, 7, 8, 9, 13)
    ]
    assert [state and state.target for state in states] == [
        None, "walk", "walk", "run", "run", "jump", "jump",
    ]  # fmt: skip
    agent.say("-5.0 fly")
    assert agent.line() == "done"
    one.run(1)
    assert client.status().recorder["late_dropped"] == 2


def test_what_is_older_than_any_recorded_frame_is_counted(game, tool):
    one = game(memory="64 KiB")
    one.run(2000)
    client = tool(one)
    assert client.snapshot().span.oldest > 10
    client.emit(TransitionStatement(1, STATE, time=1 / 64))
    client.log("too late", time=0.0)
    client.flush()
    one.run(1)
    assert client.status().recorder["late_dropped"] == 2


def test_statements_made_in_playback_are_recorded_when_the_game_runs_on(game, tool):
    one = game()
    one.run(5)
    client = tool(one)
    client.enter()
    client.mark("later", time=3 / 64)
    client.flush()
    # A mark is known at once, at its frame, and recorded with the next one.
    assert [(mark.name, mark.frame) for mark in client.marks()] == [("later", 3)]
    assert one.session.source.marks() == []
    client.leave()
    one.run(1)
    assert [(mark.name, mark.frame) for mark in client.marks()] == [("later", 3)]


def test_a_check_in_a_tool_pauses_the_game_with_expression_file_and_line(game, tool):
    one = game()
    one.run(20)
    client, other = tool(one), tool(one)
    received: list[Any] = []
    other.on("failed_check", lambda event: received.append(event.event.failed_check))
    other.dispatch(0.3)
    speed = 9
    assert client.check(speed < 10, "fine")
    assert not client.check(speed < 3, "too fast", focus=2, time=12 / 64)
    line = here() - 1
    one.run(1)
    until(lambda: received, other)
    [violation] = received
    assert (violation.message, violation.object, violation.frame, violation.time) == (
        "too fast", 2, 12, 12 / 64,
    )  # fmt: skip
    assert (violation.expression, violation.file, violation.line) == ("speed < 3", __file__, line)
    assert one.session.playhead.frame == 12


def test_a_command_can_be_given_as_it_is(game, tool):
    one = game()
    one.run(5)
    assert tool(one).apply(SeekFrame(2)).frame == 2


def test_pixels_that_a_tool_gives_are_recorded_as_soon_as_they_are_compressed(game, tool):
    one = game()
    client = tool(one)
    client.picture(np.full((6, 8), 128, np.uint8), name="front")
    [picture] = until(lambda: one.session.source.pictures(one.run(1)), client).values()
    assert (picture.name, picture.format, picture.width, picture.height) == ("front", "jpeg", 8, 6)
