"""A tool's end: follow, move, ask, say; echoes, losses, other loops."""

import asyncio
import contextlib
import inspect
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import zmq

from playhead.bus import line
from playhead.bus.answers import Failed, Found, Moved, Present, Welcome
from playhead.bus.asks import GetFind
from playhead.bus.client import Client
from playhead.bus.message import PROTOCOL, Time
from playhead.bus.protocol import Answer
from playhead.bus.settings import BusSettings
from playhead.bus.wire import packed, request_of
from playhead.errors import (
    BusError,
    BusyError,
    CommandError,
    EvictedError,
    RecordingError,
)
from playhead.playback.command import SeekFrame
from playhead.playback.shown import Mode
from playhead.recorder.instruments import Belief, Rejected
from playhead.recorder.kinds import Kind
from playhead.recorder.traces import (
    AnimationClip,
    AnimationTrace,
    StateTrace,
    TreeNode,
    TreeTrace,
)

DT = 1 / 64
STATE = StateTrace("legs", "walk", "run", "late")


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
    assert client.seek_frame(9999).clamped
    assert client.loop(0.25, 0.5).loop == (0.25, 0.5)
    assert client.play(-2.0, restart=True).rate == -2.0
    assert client.pause().mode is Mode.PAUSED
    assert client.loop_off().loop is None
    assert client.focus(2).focus == 2
    assert client.show("ai", False).hidden == {"ai"}
    assert client.go_live().mode is Mode.LIVE
    client.mark("here")
    client.flush()
    one.run(1)
    one.run(4)
    shown = client.seek_mark("here")
    assert shown.frame == 65
    assert client.leave().mode is Mode.LIVE
    assert one.session.live


def test_a_tool_asks_what_is_recorded(game, tool):
    one = game(about={"build": "1"})
    one.do(lambda: one.session.name(2, "Anna"))
    one.run(10)
    client = tool(one, name="asker")
    assert client.origin.startswith("asker#")
    assert client.origin in client.present().tools == client.status().bus.tools
    assert client.welcome.game == {"build": "1"}
    assert client.find(5 / 64) == 5
    rows = {row.id: row for row in client.objects(5)}
    assert rows[2].name == "Anna"
    assert rows[2].type == "ball"
    assert rows[2].values["position"] == pytest.approx([2 + 2 * 5 / 64, 0.0, 0.0])
    assert rows[2].values["state"] == "rolling"
    assert client.frame(5).image[:8] == (5).to_bytes(8, "little")
    assert {row.name for row in client.types(5).types} >= {"ball", ".line", ".text"}
    assert client.said(5).traces == []
    assert client.marks() == []
    assert client.status().recorder["frames"] == 10


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda client: client.seek_mark("none"), CommandError),
        (lambda client: client.seek(float("nan")), CommandError),
        (lambda client: client.step(0), CommandError),
        (lambda client: client.frame(999), EvictedError),
        (lambda client: client.objects(-1), (EvictedError, CommandError)),
        (lambda client: client.find(float("nan")), CommandError),
        (lambda client: client.on("nonsense", print), CommandError),
        (lambda client: client.trace(1, "no trace"), RecordingError),
    ],
)
def test_what_can_not_be_done_is_the_same_error_as_in_the_game(game, tool, call, error):
    one = game()
    one.run(5)
    client = tool(one)
    with pytest.raises(error):
        call(client)
    assert client.find(1.0) == 5


def test_a_game_in_a_debugger_can_be_asked_but_not_moved(game, tool):
    one = game()
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


def test_a_follower_is_told_the_present_first_and_then_each_change(game, tool, bus):
    one = game()
    one.run(30)
    client, mover = tool(one), tool(one)
    told: list[Time] = []
    client.follow(told.append)
    assert told == [], "not within another call"
    client.dispatch(1.0)
    assert [time.frame for time in told] == [30]
    for frame in (3, 9, 4):
        mover.seek_frame(frame)
        bus.until(lambda frame=frame: told[-1].frame == frame, client)
    assert [time.frame for time in told] == [30, 3, 9, 4]
    assert {time.origin for time in told[1:]} == {mover.origin}


def test_a_tool_does_not_hear_its_own_echo_unless_it_asks(game, tool, bus):
    one = game()
    one.run(30)
    client, other = tool(one), tool(one)
    told: list[int] = []
    echoes: list[int] = []
    client.seek_frame(2)
    client.follow(lambda time: told.append(time.frame))
    client.follow(lambda time: echoes.append(time.frame), own=True)
    client.dispatch(1.0)
    assert told == echoes == [2], "the present is told whoever caused it"
    for frame in (5, 6):
        client.seek_frame(frame)
        bus.until(lambda frame=frame: echoes[-1] == frame, client)
    other.seek_frame(7)
    bus.until(lambda: told[-1] == 7, client)
    assert told == [2, 7]
    assert echoes == [2, 5, 6, 7]
    assert client.time.frame == 7


def test_a_second_follower_does_not_make_the_first_hear_things_twice(game, tool):
    one = game()
    one.run(3)
    client = tool(one)
    first: list[int] = []
    second: list[int] = []
    client.follow(lambda time: first.append(time.frame))
    client.dispatch(0.5)
    client.follow(lambda time: second.append(time.frame))
    client.dispatch(0.5)
    assert (first, second) == ([3], [3])


def test_a_tool_that_wants_every_instant_gets_every_one_in_order(game, tool, bus):
    one = game()
    client = tool(one, conflate=False)
    told: list[Time] = []
    client.follow(told.append, own=True)
    one.run(60)
    bus.until(lambda: told and told[-1].frame == 60, client)
    frames = [time.frame for time in told if time.frame]
    assert frames == list(range(1, 61))
    assert [time.sequence for time in told] == list(range(told[0].sequence, told[-1].sequence + 1))


def test_a_slow_tool_hears_of_the_newest_instant(game, tool, bus):
    one = game()
    one.run(1)
    client = tool(one)
    told: list[int] = []
    client.follow(lambda time: told.append(time.frame))
    client.dispatch(0.5)
    one.run(500)
    bus.until(lambda: told[-1] == 501, client)
    assert len(told) < 50, "it would run behind"


def test_callbacks_run_in_dispatch_only_and_may_use_the_client(game, tool, bus):
    one = game()
    one.run(20)
    client, other = tool(one), tool(one)
    told: list[Any] = []

    def jump(event: Any) -> None:
        told.append(client.seek_frame(event.event.mark.frame).frame)

    client.on("mark", jump)
    client.dispatch(0.3)
    other.mark("there", time=7 / 64)
    other.flush()
    one.run(1)
    for _ in range(20):
        client.find(1.0)
    assert told == []
    bus.until(lambda: told, client)
    assert told == [7]


def test_what_a_callback_raises_comes_out_of_dispatch_and_nothing_is_lost(game, tool, bus):
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
        one._steps(1)

    for _ in range(3):
        one.do(talk)

    def hear() -> bool:
        with contextlib.suppress(RuntimeError):
            client.dispatch(0.05)
        return len(frames) == 3

    bus.until(hear)
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


def test_gaps_in_what_was_told_are_counted(game, tool, bus):
    one = game()
    client = tool(one)
    heard: list[int] = []
    client.on("log", lambda event: heard.append(event.sequence))
    client.dispatch(0.3)
    tell = one.bus._publisher

    def say(*sequences: int) -> None:
        from playhead.bus.happenings import Logged

        for sequence in sequences:
            tell._sequences["log"] = sequence - 1
            tell.tell("log", Logged(1, 0.0, []))

    one.do(lambda: say(1, 2, 5, 9))
    bus.until(lambda: len(heard) == 4, client)
    assert (heard, client.missed) == ([1, 2, 5, 9], 5)


# --- saying -------------------------------------------------------------------------------------


def test_what_a_tool_says_is_in_the_frame_of_its_instant(game, tool):
    one = game()
    one.run(10)
    client = tool(one)
    state = StateTrace(
        "legs", "walk", "run", "late", ("tired",), (Rejected("swim", "no water"),),
        {"speed": 2.5}, (Belief(3, (1.0, 2.0, 3.0), 0.5, "seen"),), "brain.py", 7,
    )  # fmt: skip
    client.define_tree(1, "mind", (TreeNode("root", "selector"), TreeNode("go", parent=0)))
    client.name(2, "Anna")
    client.fact(2, "hat", {"colour": "red"})
    client.watch("speed", 2.5, 2)
    client.trace(1, state, time=4 / 64)
    client.trace(1, TreeTrace("mind", ("success", "running")), game_time=5 / 64)
    client.trace(1, AnimationTrace("body", (AnimationClip("walk", 1.0),)))
    client.log("what a day", level="warning", object=2, time=6 / 64)
    client.mark("there", "of note", object=2, time=3 / 64)
    client.flush()
    assert list(client.refusals) == []
    one.run(1)
    [row] = client.said(4).traces
    assert (row.agent, row.state.target, row.state.beliefs, row.state.file) == (
        1, "run", state.beliefs, "brain.py",
    )  # fmt: skip
    assert [row.tree.statuses for row in client.said(5).traces] == [("success", "running")]
    said = client.said(11)
    assert [row.animation.clips[0].name for row in said.traces] == ["walk"]
    assert said.watches == [(2, "speed", 2.5)]
    [logged] = client.said(6).log
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


def test_what_was_refused_is_kept_and_the_rest_is_recorded(game, tool):
    one = game()
    one.run(2)
    client = tool(one)
    client.watch("fine", 1.0)
    client.watch("wrong", 1.0, object=-2)
    client.trace(1, STATE, time=1.0, game_time=1.0)
    client.flush()
    assert len(client.refusals) == 2
    assert "-2" in client.refusals[0]
    assert "game_time" in client.refusals[1]
    one.run(1)
    assert client.said(3).watches == [(0, "fine", 1.0)]


def test_thousands_of_statements_arrive(game, tool, bus):
    one = game(memory="16 MiB")
    one.run(1)
    client = tool(one)
    with one.running():
        for number in range(3000):
            client.trace(1, StateTrace("legs", "a", str(number), "w"))
        client.flush()
        span = bus.until(lambda: client.present().span)
        last = span.newest + 1
        bus.until(lambda: client.present().span.newest > last)
    status = client.status()
    assert status.recorder["calls_dropped"] == 0
    frames = range(status.recorder["frames"] + 1 - status.recorder["frames_held"], last + 1)
    targets = [row.state.target for frame in frames for row in client.said(frame).traces]
    assert targets == [str(number) for number in range(3000)]


def test_an_agent_in_another_process_is_placed_by_the_games_clock_however_late(
    game, tool, program, bus
):
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
    bus.until(lambda: len(changed) == 3, client)
    assert changed == [[7], [3], [9]]
    assert {
        frame: [row.state.target for row in client.said(frame).traces] for frame in range(1, 14)
        if client.said(frame).traces
    } == {3: ["walk"], 7: ["run"], 9: ["jump"]}  # fmt: skip
    assert [line.text for line in client.said(3).log] == ["to walk"]
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


def test_what_is_older_than_anything_held_is_counted(game, tool):
    one = game(memory="64 KiB")
    one.run(2000)
    client = tool(one)
    assert client.present().span.oldest > 10
    client.trace(1, STATE, time=1 / 64)
    client.log("too late", time=0.0)
    client.flush()
    one.run(1)
    assert client.status().recorder["late_dropped"] == 2


def test_in_playback_what_is_said_waits_until_the_game_runs_on(game, tool):
    one = game()
    one.run(5)
    client = tool(one)
    client.enter()
    client.mark("later", time=3 / 64)
    client.flush()
    assert client.marks() == []
    client.leave()
    one.run(1)
    assert [(mark.name, mark.frame) for mark in client.marks()] == [("later", 3)]


def test_a_check_in_a_tool_pauses_the_game_with_expression_file_and_line(game, tool, bus):
    one = game()
    one.run(20)
    client, other = tool(one), tool(one)
    told: list[Any] = []
    other.on("check", lambda event: told.append(event.event.violation))
    other.dispatch(0.3)
    speed = 9
    assert client.check(speed < 10, "fine")
    assert not client.check(speed < 3, "too fast", focus=2, time=12 / 64)
    line = here() - 1
    one.run(1)
    bus.until(lambda: told, other)
    [violation] = told
    assert (violation.message, violation.object, violation.frame, violation.time) == (
        "too fast", 2, 12, 12 / 64,
    )  # fmt: skip
    assert (violation.expression, violation.file, violation.line) == ("speed < 3", __file__, line)
    assert one.session.playhead.frame == 12


# --- being lost and found -----------------------------------------------------------------------


def test_nobody_there_is_an_error_that_says_what_to_look_at():
    began = time.monotonic()
    with pytest.raises(BusError, match="bus=True") as raised:
        Client("tcp://127.0.0.1:1", timeout=0.1)
    assert "127.0.0.1:1" in str(raised.value)
    assert time.monotonic() - began < 5


@pytest.mark.parametrize("endpoint", ["nonsense nonsense", "*:5670", "127.0.0.1:*", "http://x"])
def test_an_endpoint_that_is_none_is_an_error(endpoint):
    with pytest.raises(CommandError, match="address"):
        Client(endpoint, timeout=0.1)


def test_a_tool_that_did_not_look_for_a_while_has_not_lost_anything(game, tool, monkeypatch):
    monkeypatch.setattr(line, "LOST_AFTER", 0.3)
    monkeypatch.setattr(line, "HELLO_EVERY", 0.1)
    one = game()
    one.run(9)
    client = tool(one)
    changes: list[bool] = []
    client.on_connection(changes.append)
    one.do(lambda: threading.Event().wait(0.6))  # as if it computed something
    assert client.seek_frame(3).frame == 3
    one.do(lambda: threading.Event().wait(0.6))
    client.dispatch(0.2)
    assert changes == []


def test_a_service_that_is_started_again_is_found_and_followed(game, tool, bus):
    first = game()
    first.run(30)
    client = tool(first)
    changes: list[bool] = []
    told: list[tuple[str, int]] = []
    client.on_connection(changes.append)
    client.follow(lambda time: told.append((time.mode, time.frame)))
    client.on("mark", lambda event: told.append(("mark", event.event.mark.frame)))
    client.seek_frame(9)
    client.dispatch(0.3)
    known = client.welcome.service
    first.close()
    bus.until(lambda: changes == [False], client)
    assert not client.connected
    for call in (client.enter, client.present, lambda: client.origin):
        with pytest.raises(BusError, match="not there"):
            call()
    second = game(bus=BusSettings(first.endpoint))
    second.run(4)
    bus.until(lambda: changes == [False, True], client)
    assert client.welcome.service != known
    bus.until(lambda: told[-1] == ("live", 4), client)
    bus.until(lambda: second.bus._publisher.wanted("mark"), client)

    def marked() -> None:
        second.session.mark("again")
        second._steps(1)

    second.do(marked)
    bus.until(lambda: ("mark", 5) in told, client)
    assert client.missed == 0
    assert client.seek_frame(2).frame == 2
    assert second.session.playhead.frame == 2


def test_a_service_that_is_replaced_at_once_is_noticed_too(game, tool, bus):
    first = game()
    first.run(30)
    client = tool(first)
    changes: list[bool] = []
    client.on_connection(changes.append)
    first.close()
    second = game(bus=first.endpoint)
    second.run(3)
    bus.until(lambda: changes == [False, True], client)
    assert client.find(99.0) == 3


def test_no_stale_command_is_carried_out_after_a_restart(game, tool, bus):
    first = game()
    first.run(30)
    client = tool(first)
    first.close()
    with pytest.raises(BusError):
        client.seek_frame(3)  # nobody noticed yet
    second = game(bus=first.endpoint)
    second.run(30)
    bus.until(lambda: client.connected and client.welcome.service == second.bus.name, client)
    assert client.find(99.0) == 30
    second.run(5)
    assert second.session.live
    assert second.world.calls == []


def test_what_is_asked_of_a_run_that_was_replaced_does_not_reach_the_next(game, tool, bus):
    first = game()
    first.run(30)
    client = tool(first)
    first.close()
    second = game(bus=first.endpoint)
    second.run(30)
    with pytest.raises(BusError, match="the run that this was asked of is gone"):
        client.seek_frame(3)
    assert second.session.live
    assert second.world.calls == []
    assert client.seek_frame(4).frame == 4


def test_a_tool_that_the_service_forgot_says_hello_again_and_is_obeyed(game, tool, bus):
    one = game()
    one.run(3)
    client = tool(one)
    changes: list[bool] = []
    client.on_connection(changes.append)
    one.bus.deliver(lambda: [one.bus._board.forget(peer) for peer in list(one.bus._board._tools)])
    bus.until(lambda: not one.bus.status.tools)
    assert client.enter().frame == 3
    assert not one.session.live
    bus.until(lambda: changes == [False, True], client)


def test_a_tool_that_only_listens_stays_known(game, tool, monkeypatch, bus):
    from playhead.bus import switchboard

    monkeypatch.setattr(switchboard, "SILENT_FOR", 0.6)
    monkeypatch.setattr(line, "STAY", 0.2)
    one = game()
    client = tool(one)
    end = time.monotonic() + 1.5
    bus.until(lambda: time.monotonic() > end, client)
    assert one.bus.status.tools == (client.origin,)


class Stranger:
    """A service of another version, in a thread: answers each request as it is told."""

    def __init__(self, answer: Callable[[Any], Any]) -> None:
        self.context = zmq.Context()
        self.router = self.context.socket(zmq.ROUTER)
        self.port = self.router.bind_to_random_port("tcp://127.0.0.1")
        self.answer = answer
        self.stopping = False
        self.thread = threading.Thread(target=self._run)
        self.thread.start()

    def _run(self) -> None:
        while not self.stopping:
            if self.router.poll(20):
                peer, data = self.router.recv_multipart()
                request = request_of(data)
                self.router.send_multipart([peer, packed(Answer(
                    origin="stranger", sequence=request.sequence, answer=self.answer(request)
                ))])  # fmt: skip

    def close(self) -> None:
        self.stopping = True
        self.thread.join()
        self.router.close(linger=0)
        self.context.term()


@pytest.fixture
def stranger() -> Iterator[Callable[..., Stranger]]:
    made: list[Stranger] = []

    def make(answer: Callable[[Any], Any]) -> Stranger:
        made.append(Stranger(answer))
        return made[-1]

    yield make
    for one in made:
        one.close()


def test_a_service_of_another_version_is_refused_naming_both(stranger):
    says = "this service speaks protocol 2.0, you speak 1.0"
    other = stranger(lambda request: Failed("version", says, (2, 0)))
    with pytest.raises(BusError, match=r"2\.0.*1\.0"):
        Client(f"127.0.0.1:{other.port}", timeout=5)


def test_a_service_that_welcomes_in_another_version_is_refused_naming_both(stranger):
    time = Time(origin="s", sequence=1, mode="live")
    other = stranger(lambda request: Welcome(
        "tool#1", (3, 1), "s", 1, 2, present=Present(time, None, {})
    ))  # fmt: skip
    with pytest.raises(BusError, match=rf"3\.1.*{PROTOCOL[0]}\.{PROTOCOL[1]}"):
        Client(f"127.0.0.1:{other.port}", timeout=5)


def test_an_answer_of_the_wrong_kind_is_an_error(game, tool):
    one = game()
    one.run(1)
    with pytest.raises(BusError, match="Found"):
        tool(one).asked(GetFind(0.0), Moved)
    assert tool(one).asked(GetFind(0.0), Found).frame == 1


# --- other loops --------------------------------------------------------------------------------


def test_an_asyncio_loop_hears_at_once(game, tool):
    one = game()
    one.run(10)
    client, mover = tool(one), tool(one)

    async def follow() -> list[tuple[int, float]]:
        told: list[tuple[int, float]] = []
        fresh = asyncio.Event()

        def hear(time_: Time) -> None:
            told.append((time_.frame, time.monotonic()))
            fresh.set()

        client.follow(hear)
        detach = client.attach()
        await asyncio.wait_for(fresh.wait(), 20)
        for frame in (3, 7, 5, 2, 8, 1, 9):
            fresh.clear()
            await asyncio.to_thread(mover.seek_frame, frame)
            sent = time.monotonic()
            await asyncio.wait_for(fresh.wait(), 20)
            assert told[-1][0] == frame
            told[-1] = (frame, told[-1][1] - sent)
        detach()
        return told

    told = asyncio.run(follow())
    assert [frame for frame, _ in told] == [10, 3, 7, 5, 2, 8, 1, 9]
    waited = sorted(seconds for _, seconds in told[1:])
    assert waited[len(waited) // 2] < 0.05, "it waits for the timer, not for the sockets"


def test_asyncio_goes_on_after_a_restart_and_ends_when_the_client_does(game, tool):
    first = game()
    first.run(10)
    client = tool(first)

    async def follow() -> None:
        changes: asyncio.Queue[Any] = asyncio.Queue()
        client.on_connection(changes.put_nowait)
        client.attach()
        client.follow(lambda time: changes.put_nowait(time.frame))
        assert await asyncio.wait_for(changes.get(), 20) == 10
        await asyncio.to_thread(first.close)
        assert await asyncio.wait_for(changes.get(), 20) is False
        second = await asyncio.to_thread(game, bus=first.endpoint)
        await asyncio.to_thread(second.run, 3)
        assert await asyncio.wait_for(changes.get(), 20) is True
        while await asyncio.wait_for(changes.get(), 20) != 3:
            pass
        client.close()
        await asyncio.sleep(0.25)

    asyncio.run(follow())


def test_a_qt_loop_hears_by_socket_notifiers(game, tool, monkeypatch):
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    core = pytest.importorskip("PyQt6.QtCore", exc_type=ImportError)
    pytest.importorskip("PyQt6.QtWidgets", exc_type=ImportError)
    from playhead.viewer.app import application

    one = game()
    one.run(10)
    client, mover = tool(one), tool(one)
    app = application()  # the one that the viewer's tests share: Qt can't bear two in a process
    told: list[int] = []
    frames = [3, 7, 5, 2, 8]

    def hear(time: Time) -> None:
        told.append(time.frame)
        if time.frame == 8:
            app.quit()

    client.follow(hear)

    def turn() -> None:
        while client.dispatch():
            pass

    notifiers = []
    for handle in client.handles:
        notifiers.append(core.QSocketNotifier(handle, core.QSocketNotifier.Type.Read))
        notifiers[-1].activated.connect(turn)
    timer = core.QTimer()
    timer.timeout.connect(turn)
    timer.start(100)
    give_up = core.QTimer()
    give_up.setSingleShot(True)
    give_up.timeout.connect(app.quit)
    give_up.start(20_000)
    turn()

    def move() -> None:
        for frame in frames:
            before = len(told)
            mover.seek_frame(frame)
            end = time.monotonic() + 5
            while len(told) == before and time.monotonic() < end:
                threading.Event().wait(0.002)

    thread = threading.Thread(target=move)
    thread.start()
    app.exec()
    thread.join()
    for notifier in notifiers:
        notifier.setEnabled(False)
    timer.stop()
    assert told == [10, *frames]


def test_a_command_can_be_given_as_it_is(game, tool):
    one = game()
    one.run(5)
    assert tool(one).apply(SeekFrame(2)).frame == 2
