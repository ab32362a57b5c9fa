"""A session on the bus: one `PlayheadTime` for each change, news in order, no tool misses any."""

import itertools
import threading

import msgspec
import pytest
import zmq

from playhead.bus.client.client import Client
from playhead.bus.messages.message import PROTOCOL
from playhead.bus.messages.message_types import TOPICS, Request
from playhead.bus.messages.msgpack_codec import event_of, packed, response_of, time_of
from playhead.bus.messages.requests import (
    Bye,
    FindFrame,
    GetFrame,
    GetSnapshot,
    Hello,
    ReportFailedCheck,
)
from playhead.bus.messages.responses import CommandDone, ErrorResponse, Snapshot
from playhead.bus.server.bus_settings import BusSettings
from playhead.errors import CapacityError, CommandError, RecordingError
from playhead.playback.commands import (
    Enter,
    Focus,
    Leave,
    Loop,
    Pause,
    Play,
    SeekFrame,
    SeekTime,
    Show,
    Step,
)
from playhead.playback.playback_state import Mode, PlaybackState

from ...support.fake_world import DT
from ...support.stage import IMPATIENT, loopback
from ...support.waits import until
from ..peers import LIMIT, both, event, times

# --- being there --------------------------------------------------------------------------------


def test_a_session_serves_a_bus_only_when_asked(game):
    one = game(bus=False)
    assert one.session.bus is None
    one.run(2)
    assert not [thread for thread in threading.enumerate() if "bus" in thread.name]


def test_the_welcome_says_all_that_a_newcomer_needs(game, peer):
    one = game(about={"build": "1.2", "seed": 7})
    one.run(5)
    welcome = peer(one).welcome
    assert welcome.protocol == PROTOCOL
    assert welcome.service == one.bus.name
    assert welcome.game == {"build": "1.2", "seed": 7}
    assert welcome.conventions == one.world.conventions
    assert welcome.snapshot.time.frame == welcome.snapshot.span.newest == 5
    assert set(welcome.snapshot.sequences) == set(TOPICS)
    assert welcome.origin in welcome.snapshot.tools
    assert welcome.events
    assert welcome.times


def test_before_anything_is_recorded_there_is_a_welcome_too(game, peer):
    welcome = peer(game()).welcome
    assert welcome.snapshot.span is None
    assert (welcome.snapshot.time.frame, welcome.snapshot.time.mode) == (0, "live")


def test_an_address_that_is_taken_is_refused_saying_what_to_do(game):
    first = game()
    for _ in range(2):
        with pytest.raises(CapacityError, match="in use") as raised:
            game(bus=first.endpoint)
        assert "another address" in str(raised.value)
        assert first.endpoint in str(raised.value)


def test_an_address_of_another_machine_or_none_is_refused(game):
    with pytest.raises(CommandError, match="ipc"):
        game(bus="ipc:///tmp/x")
    for address in ("0.0.0.0:*", "*:5670", "192.0.2.1"):
        with pytest.raises(RecordingError, match="playhead keys"):
            game(bus=address)


def test_the_same_port_can_be_had_again_when_a_service_has_ended(game, peer):
    first = game()
    endpoint = first.endpoint
    peer(first)
    first.close()
    assert game(bus=endpoint).endpoint == endpoint


def test_an_address_of_ip_version_six_works_too(game, peer):
    try:
        one = game(bus="[::1]:*")
    except CapacityError:
        pytest.skip("this machine has no ::1")
    assert peer(one).ask(GetSnapshot()).tools


# --- requests -----------------------------------------------------------------------------------


def test_each_request_has_one_answer_in_its_order(game, peer):
    one = game()
    one.run(20)
    tool = peer(one)
    asked = [tool.send(FindFrame(frame / 64)) for frame in range(1, 21)]
    result = [tool.answer() for _ in asked]
    assert [answer.sequence for answer in result] == asked
    assert [answer.body.frame for answer in result] == list(range(1, 21))
    assert {answer.origin for answer in result} == {one.bus.name}
    assert not tool.requests.poll(50)


def test_the_same_number_twice_is_two_requests_and_two_answers(game, peer):
    one = game()
    one.run(5)
    tool = peer(one)
    for _ in range(2):
        tool.send(Enter(), sequence=77)
    assert [tool.answer().sequence for _ in range(2)] == [77, 77]


def test_a_tool_with_a_req_socket_is_answered_as_well(game):
    one = game()
    one.run(1)
    with zmq.Context() as context, context.socket(zmq.REQ) as socket:
        socket.linger = 0
        socket.connect(one.endpoint)
        socket.send(packed(Request(origin="", sequence=1, body=Hello("req", PROTOCOL))))
        assert socket.poll(LIMIT)
        origin = response_of(socket.recv()).body.origin
        socket.send(packed(Request(origin=origin, sequence=2, body=FindFrame(0.0))))
        assert socket.poll(LIMIT)
        assert response_of(socket.recv()).body.frame == 1


def test_a_command_is_answered_with_what_really_happened(game, peer):
    one = game()
    one.run(64)
    tool = peer(one)
    first = tool.ask(Enter())
    assert isinstance(first, CommandDone)
    assert (first.state.mode.value, first.state.frame, first.state.clamped) == ("paused", 64, False)
    assert first.state.span.newest == 64
    for ask, frame, clamped in (
        (SeekTime(0.5), 32, False), (SeekTime(0.51), 32, False), (SeekTime(99.0), 64, True),
        (SeekTime(-5.0), 1, True), (SeekFrame(1000), 64, True), (SeekFrame(-4), 1, True),
        (Step(7), 8, False), (Step(-100), 1, True), (Step(3), 4, False),
    ):  # fmt: skip
        shown = tool.ask(ask).state
        assert (shown.frame, shown.clamped, shown.time) == (frame, clamped, frame / 64), ask
    assert tool.ask(Loop(0.25, 500.0)).state.clamped
    shown = tool.ask(Play(2.0)).state
    assert (shown.mode.value, shown.rate, shown.loop) == ("playing", 2.0, (0.25, 500.0))
    shown = tool.ask(Leave()).state
    assert (shown.mode.value, shown.frame) == ("live", None)


@pytest.mark.parametrize(
    ("ask", "kind", "says"),
    [
        ({"do": "seek_mark", "name": "none"}, "command", "there are none"),
        ({"do": "step", "frames": 0}, "command", "frames"),
        ({"do": "play", "rate": 1e9}, "command", "rate"),
        ({"do": "seek_time", "time": float("nan")}, "command", "time"),
        ({"do": "loop", "start": 2.0, "end": 1.0}, "command", "end"),
        ({"do": "focus", "object": -1}, "command", "object"),
        ({"do": "step", "frames": "x"}, "command", "frames"),
        ({"do": "frame", "frame": 99}, "evicted", "99"),
        ({"do": "frame", "frame": 0}, "evicted", "0"),
        ({"do": "find_frame", "time": float("nan")}, "command", "nan"),
        ({"do": "watch", "name": "n", "value": 1.0, "object": -4}, "recording", "-4"),
        ({"do": "nonsense"}, "malformed", "nonsense"),
        ({"do": "register_game", "name": "x"}, "command", "gateway"),
    ],
)
def test_what_can_not_be_done_is_refused_and_nothing_has_changed(game, peer, ask, kind, says):
    one = game()
    one.run(5)
    tool = peer(one)
    before = tool.ask(GetSnapshot()).time
    tool.requests.send(msgspec.msgpack.encode(
        {"origin": tool.origin, "sequence": 50, "ask": ask}
    ))  # fmt: skip
    answer = tool.answer()
    assert answer.sequence == 50
    assert isinstance(answer.body, ErrorResponse), answer
    assert (answer.body.kind, says in answer.body.message) == (kind, True), answer.body
    assert tool.ask(GetSnapshot()).time == before


def test_another_version_is_refused_naming_both(game, peer):
    tool = peer(game(), hello=False)
    answer = tool.ask(Hello("later", (3, 5)))
    assert (answer.kind, answer.protocol) == ("version", PROTOCOL)
    assert "{}.{}".format(*PROTOCOL) in answer.message
    assert "3.5" in answer.message
    tool.requests.send(msgspec.msgpack.encode({
        "sequence": 4, "origin": {"new": 1},
        "ask": {"do": "hello", "protocol": [3, 0], "name": ["a", "list"], "more": True},
    }))  # fmt: skip
    answer = tool.answer()
    assert (answer.body.kind, "3.0" in answer.body.message) == ("version", True)
    assert tool.hello().origin


def test_in_a_debugger_questions_are_answered_and_commands_are_not_carried_out(game, peer):
    one = game(bus=loopback(patience=IMPATIENT))
    one.run(10)
    tool = peer(one)
    with one.in_a_debugger():
        assert tool.ask(FindFrame(1.0)).frame == 10
        assert len(tool.ask(GetFrame(4)).image) > 100
        asked = [tool.send(ask) for ask in (Enter(), Step(-3), ReportFailedCheck("late", 1))]
        number = tool.send(GetSnapshot())
        assert tool.answer().sequence == number, "what only reads does not wait for those"
        result = [tool.answer() for _ in asked]
        assert [answer.sequence for answer in result] == asked
        assert {answer.body.kind for answer in result} == {"busy"}
        assert "debugger" in result[0].body.message
    assert one.session.live
    one.run(3)
    assert one.session.live
    assert not one.session.failed_checks
    assert tool.ask(GetSnapshot()).time.frame == 13
    assert one.bus.status.busy == 3
    assert tool.ask(Enter()).state.frame == 13


def test_a_command_in_the_middle_of_a_step_waits_for_its_end(game, peer):
    one = game()
    one.run(3)
    tool = peer(one)
    in_step, go_on = threading.Event(), threading.Event()

    def middle() -> None:
        one.session.watch("speed", 1.0)  # a frame is open now
        in_step.set()
        go_on.wait(20)

    one.world.during = middle
    running = one.begin(lambda: one.stage.run(1))
    assert in_step.wait(20)
    number = tool.send(Enter())
    assert not tool.requests.poll(30)
    go_on.set()
    running.result(20)
    answer = tool.answer()
    assert (answer.sequence, answer.body.state.frame) == (number, 4)


def test_a_world_that_does_not_stop_answers_busy_and_runs_on(game, peer):
    one = game(bus=loopback(patience=IMPATIENT))
    one.run(3)
    tool = peer(one)
    one.world.halts = False
    with one.running():
        answer = tool.ask(Enter())
        assert answer.kind == "busy"
        one.world.halts = True
        frame = tool.ask(GetSnapshot()).time.frame
        while tool.ask(GetSnapshot()).time.frame < frame + 5:
            assert tool.ask(GetSnapshot()).time.mode == "live"
    assert one.world.calls == [("resume",)]
    assert tool.ask(Enter()).state.mode.value == "paused"


def test_a_world_that_comes_to_a_stand_later_is_entered_then(game, peer):
    one = game()
    one.run(3)
    tool = peer(one)
    one.world.halts = False
    tool.send(Enter())
    one.run(2)
    one.world.halts = True
    one.do(one.session.obey)
    answer = tool.answer().body
    assert (answer.state.mode.value, answer.state.frame) == ("paused", 5)
    assert one.world.calls == [("pause",), ("lock",)]


def test_more_commands_than_may_wait_are_refused_at_once(game, peer):
    from playhead.bus.server.request_dispatcher import MOST_ORDERS

    one = game(bus=BusSettings("tcp://127.0.0.1:*", patience=5.0))
    one.run(2)
    tool, other = peer(one), peer(one)
    with one.in_a_debugger():
        for _ in range(MOST_ORDERS + 20):
            tool.send(Focus(1))
        refused = [tool.answer().body for _ in range(20)]
        assert {answer.kind for answer in refused} == {"busy"}
        assert str(MOST_ORDERS) in refused[0].message
        number = other.send(Focus(2))
    result = [tool.answer().body for _ in range(MOST_ORDERS)]
    assert all(isinstance(answer, CommandDone) for answer in result)
    assert other.answer().sequence == number


def test_who_waits_when_the_game_ends_is_answered_so(game, peer):
    one = game(bus=BusSettings("tcp://127.0.0.1:*", patience=60.0))
    one.run(2)
    tool = peer(one)
    with one.in_a_debugger():
        before = one.bus.status.requests
        number = tool.send(Enter())
        until(lambda: one.bus.status.requests > before)  # or it may never get there
        one._jobs.put(None)
    one._thread.join(20)
    answer = tool.answer()
    assert answer.sequence == number
    assert isinstance(answer.body, CommandDone) or answer.body.kind == "ended"


# --- time ---------------------------------------------------------------------------------------


def test_each_change_of_what_is_shown_is_reported_once_whoever_caused_it(game, peer):
    one = game(memory="4 MiB")
    one.run(64)
    tool, other = peer(one), peer(one)
    heard = other.listen(times=True)
    service = one.bus.name
    expected: list[tuple[str, str, int]] = []

    def then(mode: str, frame: int, origin: str) -> None:
        expected.append((mode, origin, frame))

    tool.ask(Enter())
    then("paused", 64, tool.origin)
    one.do(lambda: one.session.press("Left"))
    then("paused", one.session.playhead.frame, service)
    other.ask(SeekFrame(20))
    then("paused", 20, other.origin)
    other.ask(SeekFrame(20))  # nothing changes
    tool.ask(Pause())
    tool.ask(Step(1))
    then("paused", 21, tool.origin)
    tool.ask(Focus(2))
    then("paused", 21, tool.origin)
    tool.ask(Show("ai", False))
    then("paused", 21, tool.origin)
    tool.ask(Show("ai", False))
    tool.ask(Play(1.0))
    then("playing", 21, tool.origin)
    for frame in (22, 23):
        one.do(lambda: one.session.update(1 / 64))
        then("playing", frame, service)
    one.do(lambda: one.session.update(1 / 640))  # not far enough for the next frame
    tool.ask(Pause())
    then("paused", 23, tool.origin)
    other.ask(Leave())
    then("live", 64, other.origin)
    one.run(2)
    then("live", 65, service)
    then("live", 66, service)
    one.do(lambda: one.session.apply(Enter(), now=True))
    then("paused", 66, service)
    one.do(lambda: one.session.leave())
    then("live", 66, service)

    def check() -> None:
        one.world.step()
        one.session.check(False, "too fast", focus=2)
        one.session.update(1 / 64)

    one.do(check)
    then("live", 67, service)
    then("paused", 67, service)
    other.ask(Leave())
    then("live", 67, other.origin)
    last = one.bus.newest_time()
    result = times(heard, lambda time: time.sequence >= last)
    assert [(time.mode, time.origin, time.frame) for time in result] == expected
    assert [time.sequence for time in result] == list(range(result[0].sequence, last + 1))
    assert all(time.time == time.frame / 64 for time in result)
    assert all(time.game_time == time.time for time in result)


def test_an_answer_names_the_time_that_says_the_same(game, peer):
    one = game()
    one.run(30)
    tool, other = peer(one), peer(one)
    heard = tool.listen(times=True)
    tool.ask(Enter())
    with one.in_a_debugger():  # so that all are carried out before any is answered
        for frame in range(1, 11):
            (tool if frame % 2 else other).send(SeekFrame(frame))
    received = {}
    for frame in range(1, 11):
        answer = (tool if frame % 2 else other).answer().body
        assert answer.state.frame == frame
        received[frame] = answer.time
    last = max(received.values())
    message = {time.frame: time for time in times(heard, lambda time: time.sequence >= last)}
    assert {frame: message[frame].sequence for frame in received} == received
    for frame in received:
        assert message[frame].origin == (tool if frame % 2 else other).origin


def test_live_each_recorded_frame_is_reported(game, peer):
    one = game()
    heard = peer(one).listen(times=True)
    one.run(40)
    result = times(heard, lambda time: time.frame == 40)
    assert [time.frame for time in result] == list(range(1, 41))
    assert [time.time for time in result] == [frame / 64 for frame in range(1, 41)]
    assert {time.mode for time in result} == {"live"}


def test_game_time_is_the_games_own_clock_and_time_the_timeline(game, peer):
    one = game()
    heard = peer(one).listen(times=True)
    one.run(10)
    one.world.seconds = 0.0
    one.run(10)
    result = times(heard, lambda time: time.frame == 20)
    assert [time.epoch for time in result] == [0] * 10 + [1] * 10
    assert [round(time.game_time * 64) for time in result] == [*range(1, 11), *range(1, 11)]
    assert all(a.time <= b.time for a, b in itertools.pairwise(result))
    tool = peer(one)
    tool.ask(SeekFrame(5))
    tool.ask(SeekFrame(15))
    back, forth = times(heard, lambda time: time.frame == 15)
    assert (back.epoch, round(back.game_time * 64)) == (0, 5)
    assert (forth.epoch, round(forth.game_time * 64)) == (1, 5)


def test_the_present_is_repeated_a_few_times_a_second(game, peer):
    one = game()
    one.run(3)
    heard = peer(one).listen(times=True)
    received = []
    while len(received) < 3:
        assert heard.poll(LIMIT)
        received.append(time_of(heard.recv()))
    assert all(time.repeated and time.frame == 3 for time in received)
    assert len({time.sequence for time in received}) == 1


# --- events -------------------------------------------------------------------------------------


def test_the_statements_of_a_frame_are_given_with_the_frame(game, peer):
    one = game()
    one.run(2)
    tool = peer(one)
    heard = tool.listen("trace", "log", "mark")

    def emit_statements() -> None:
        one.session.trace.state(1, "legs", "walk", "run", won="late")
        one.session.log("off we go", level="warning")
        one.session.mark("start", "of it all", object=1)

    one.do(emit_statements)
    one.run(1)
    result = both(heard, 3)
    assert (result["trace"].frame, result["trace"].time) == (3, 3 / 64)
    [row] = result["trace"].traces
    assert (row.agent, row.state.target, row.tree) == (1, "run", None)
    assert result["log"].frame == 3
    assert result["log"].lines[0].text == "off we go"
    mark = result["mark"].mark
    assert (mark.name, mark.frame, mark.time, mark.note, mark.object) == (
        "start", 3, 3 / 64, "of it all", 1,
    )  # fmt: skip


def test_the_span_is_published_while_it_changes(game, peer):
    one = game()
    heard = peer(one).listen("span")
    heard.recv_multipart()
    one.run(9)
    while True:
        assert heard.poll(LIMIT)
        result = event_of(heard.recv_multipart()[1]).event.span
        if result is not None and result.newest == 9:
            break
    assert (result.oldest, result.start, result.end) == (1, 1 / 64, 9 / 64)


def test_who_comes_and_goes_is_reported(game, peer):
    one = game()
    first = peer(one)
    heard = first.listen("tools")
    second = peer(one)
    assert event(heard).event.tools == (first.origin, second.origin)
    second.ask(Bye())
    assert event(heard).event.tools == (first.origin,)


def test_every_trace_of_a_fast_game_is_sent_in_order(game, peer):
    one = game(memory="16 MiB")
    heard = peer(one).listen("trace", "mark")

    def fast() -> None:
        for frame in range(1, 2001):
            one.session.trace.state(1, "legs", "a", str(frame), won="w")
            if frame % 10 == 0:
                one.session.mark(str(frame))
            one.session.update(1 / 64, frame / 64)

    one.do(fast)
    traced, marked = [], []
    while len(traced) < 2000 or len(marked) < 200:
        result = event(heard)
        assert result is not None, (len(traced), len(marked))
        if result.event.__struct_config__.tag == "trace":
            traced.append(result.event.frame)
        else:
            marked.append(result.event.mark.frame)
    assert traced == list(range(1, 2001))
    assert marked == list(range(10, 2001, 10))
    assert one.bus.status.skipped_frames == 0


def test_events_evicted_before_they_were_sent_are_counted(game, peer):
    one = game(memory="64 KiB")
    heard = peer(one).listen("trace")

    def fast() -> None:
        for _frame in range(1, 3001):
            one.session.trace.state(1, "legs", "a", "b", won="w")
            one.world.step()
            one.session.update(1 / 64)

    one.do(fast)
    last, result = 0, 0
    while last < 3000:
        fresh = event(heard)
        assert fresh is not None
        assert fresh.event.frame > last
        last, result = fresh.event.frame, result + 1
    assert result + one.bus.status.skipped_frames == 3000


def test_a_newcomer_misses_nothing(game, peer):
    """As the contract says: subscribe, wait until that is known, ask for the present, compare."""
    one = game(memory="32 MiB")
    one.run(3)
    first = peer(one)
    everything = first.listen("trace")
    session = one.session
    one.world.during = lambda: session.trace.state(1, "legs", "a", "b", won="w")
    joined = []
    with one.running(rate=1000):
        for _ in range(12):
            newcomer = peer(one)
            heard = newcomer.listen("trace")
            present = newcomer.ask(GetSnapshot())
            assert isinstance(present, Snapshot)
            joined.append((heard, present))
            one.run(5)
    one.run(20)
    last = one.session.source.span.newest
    full = {}
    while not full or max(full.values()) < last:
        result = event(everything)
        full[result.sequence] = result.event.frame
    assert list(full) == list(range(min(full), max(full) + 1))
    for heard, present in joined:
        since = present.sequences["trace"]
        got = []
        while not got or got[-1][0] < max(full):
            result = event(heard)
            assert result is not None, f"it ended at {got[-1:]} of {max(full)}"
            if result.sequence > since:
                got.append((result.sequence, result.event.frame))
        assert got == [(number, full[number]) for number in range(since + 1, max(full) + 1)]
        assert present.span.newest <= last


def test_a_mark_that_a_tool_makes_in_playback_can_be_sought_at_once(game, tool):
    one = game()
    one.run(40)
    client = tool(one)
    client.enter()
    client.mark("here", time=10 * DT)
    client.mark("now")
    client.flush()
    client.seek(frame=3)
    assert client.seek(mark="here").frame == 10
    assert client.seek(mark="now").frame == 40
    assert [(mark.name, mark.frame) for mark in client.marks()] == [("here", 10), ("now", 40)]
    client.leave()
    one.run(1)
    assert [(mark.name, mark.frame) for mark in client.marks()] == [("here", 10), ("now", 41)]
    assert client.seek(mark="here").frame == 10


def test_a_message_in_parts_is_counted_and_not_answered(game, peer):
    one = game()
    tool = peer(one)
    tool.requests.send_multipart([b"", b"", b"a request has one part"])
    assert tool.ask(GetSnapshot()).time.mode == "live"  # what comes behind it is answered
    assert one.bus.status.malformed == 1


def test_a_fault_of_the_services_own_is_counted_and_it_serves_on(game_of_balls, monkeypatch):
    one = game_of_balls()
    try:
        expire = one.bus._dispatcher.expire
        broken = iter([ArithmeticError("a mistake of ours")])

        def fail_once():
            for error in broken:
                raise error
            return expire()

        monkeypatch.setattr(one.bus._dispatcher, "expire", fail_once)
        until(lambda: one.bus.status.faults == 1)
        assert one.bus.status.newest_fault == "ArithmeticError: a mistake of ours"
        one.bus.deliver(lambda: [].pop())
        until(lambda: one.bus.status.faults == 2)
        assert one.bus.status.newest_fault == "IndexError: pop from empty list"
        one.run(3)
        with Client(one.endpoint) as client:
            assert client.find(99.0) == 3
    finally:
        one.close()


def test_an_instant_whose_frame_is_gone_is_sent_with_the_epoch_known_last(game, peer):
    one = game(memory="64 KiB")
    tool = peer(one)
    heard = tool.listen(times=True)
    one.run(2000)
    assert one.session.source.span.oldest > 1
    gone = PlaybackState(Mode.PAUSED, 1, DT)
    one.do(lambda: one.bus.moved(gone))
    found = times(heard, lambda time: time.mode == "paused")[-1]
    assert (found.frame, found.time, found.game_time, found.epoch) == (1, DT, DT, 0)


def test_hooks_of_a_client_that_leaves_a_game_that_takes_no_more_are_tried_again(
    game_of_balls, monkeypatch
):
    one = game_of_balls()
    try:
        with Client(one.endpoint) as client:
            client.hooks.trace(1, field="speed")
            take = one.session.take

            def refuse(pending):
                raise CommandError("1024 commands wait already")

            monkeypatch.setattr(one.session, "take", refuse)
        until(lambda: one.bus.status.faults == 1)
        monkeypatch.setattr(one.session, "take", take)
        with Client(one.endpoint):
            until(lambda: not one.session.hooks.report.hooks)
    finally:
        one.close()
