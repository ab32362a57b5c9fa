"""What is behind a game, and tools: instructions in, what is published out."""

import json
import threading
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test

from playhead.bus.client.client import Client
from playhead.bus.messages.events import ValuePublished
from playhead.bus.messages.plain_values import MOST_BODY, MOST_NAMES
from playhead.bus.messages.requests import GetPublished
from playhead.bus.messages.responses import NewestPublished
from playhead.bus.server.bus_settings import BusSettings
from playhead.bus.server.rpc_registry import MOST_HANDED
from playhead.errors import (
    BusError,
    BusyError,
    CapacityError,
    CommandError,
    EvictedError,
    GameError,
    RecordingError,
)
from playhead.playback.commands import Enter

from ..support.waits import LIMIT, until

SHORT = BusSettings("tcp://127.0.0.1:*", patience=0.2)


@pytest.fixture
def game(game):
    """Games that take their time, so that a busy machine makes none of them `busy`."""
    patient = BusSettings("tcp://127.0.0.1:*", patience=LIMIT)
    return lambda *args, **rest: game(*args, **{"bus": patient, **rest})


# --- instructions -------------------------------------------------------------------------------


def test_the_game_does_what_a_tool_wants_on_its_own_thread(game, tool):
    one = game()
    one.run(3)
    threads = []

    def double(body):
        threads.append(threading.current_thread().name)
        return {"twice": [*body["of"], *body["of"]], "at": one.session.source.span.newest}

    one.do(lambda: one.session.serve("double", double))
    client = tool(one)
    assert client.call("double", {"of": [1, "ä", None, 2.5, True]}) == {
        "twice": [1, "ä", None, 2.5, True] * 2, "at": 3,
    }  # fmt: skip
    assert threads == ["the game"]


def test_it_does_so_while_it_is_paused(game, tool):
    one = game()
    one.run(3)
    one.do(lambda: one.session.serve("mode", lambda body: one.session.playhead.mode.value))
    client = tool(one)
    assert client.call("mode") == "live"
    one.run(1)  # what an instruction may have changed is in a frame before playback begins
    client.seek(frame=2)
    assert client.call("mode") == "paused"
    assert client.snapshot().time.frame == 2
    one.do(lambda: one.session.serve("go on", lambda body: one.session.leave().mode.value))
    assert client.call("go on") == "live"
    assert one.session.live


def test_a_waiting_game_is_woken_by_it(game, tool):
    one = game()
    one.run(3)
    one.session.on_order = lambda: None  # only `wait` takes orders up now
    served = threading.Event()

    def serve(body):
        served.set()
        return 7

    one.do(lambda: (one.session.serve("a", serve), one.session.apply(Enter(), now=True)))
    waiting = one.begin(lambda: one.session.wait(LIMIT))
    assert tool(one).call("a") == 7
    assert served.is_set()
    assert waiting.result(LIMIT) is True


@pytest.mark.parametrize(
    ("raised", "kind", "says"),
    [
        (CommandError("level 9: there are 3"), CommandError, "^level 9: there are 3$"),
        (RecordingError("no"), RecordingError, "^no$"),
        (EvictedError("gone"), EvictedError, "^gone$"),
        (GameError("no seat is free"), GameError, "^no seat is free$"),
        (KeyError("to"), GameError, r"^call 'a': KeyError\('to'\)$"),
        (ZeroDivisionError("x" * 9999), GameError, "^call 'a': ZeroDivisionError"),
        (RecursionError(), GameError, "RecursionError"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_it_raises_is_the_tools_error_and_the_game_goes_on(game, tool, raised, kind, says):
    one = game(strict=True)
    one.run(3)

    def fail(body):
        raise raised

    one.do(lambda: one.session.serve("a", fail))
    client = tool(one)
    with pytest.raises(kind, match=says) as caught:
        client.call("a")
    assert len(str(caught.value)) < 1000
    faults = one.session.recorder.faults
    if kind is type(raised):
        assert not faults.calls
    else:
        assert faults.calls == {"call 'a'": 1}
        assert type(raised).__name__ in faults.newest
    assert one.run(2) == 5


def test_an_answer_that_can_not_be_encoded_is_an_error_for_the_tool_only(game, tool):
    one = game(strict=True)
    one.run(1)
    one.do(lambda: one.session.serve("odd", lambda body: object()))
    one.do(lambda: one.session.serve("large", lambda body: "x" * (MOST_HANDED + 1)))
    client = tool(one)
    with pytest.raises(RecordingError, match="call 'odd': the game's answer: this is"):
        client.call("odd")
    with pytest.raises(CapacityError, match="call 'large'"):
        client.call("large")
    one.do(lambda: one.session.serve("most", lambda body: "x" * (MOST_HANDED - 5)))
    assert len(client.call("most")) == MOST_HANDED - 5
    assert one.run(1) == 2


def test_an_unknown_name_is_given_with_those_that_are_served(game, tool):
    one = game()
    one.run(1)
    client = tool(one)
    with pytest.raises(CommandError, match="there are none"):
        client.call("panel")
    one.do(lambda: one.session.serve("difficulty", lambda body: body))
    with pytest.raises(CommandError, match="there is only difficulty"):
        client.call("panel")


def test_what_can_not_be_handed_over_never_leaves_the_tool(game, tool):
    one = game()
    one.run(1)
    heard = []
    one.do(lambda: one.session.serve("a", heard.append))
    client = tool(one)
    with pytest.raises(RecordingError, match="call 'a': its argument: this is not pl"):
        client.call("a", {"x": object()})
    with pytest.raises(CapacityError, match="call 'a'"):
        client.call("a", "x" * (MOST_HANDED + 1))
    client.call("a", "x" * (MOST_HANDED - 5))
    assert len(heard) == 1
    assert client.status().bus.malformed == 0


def test_a_game_in_a_debugger_is_busy_and_never_does_it_later(game, tool):
    one = game(bus=SHORT)
    one.run(1)
    heard = []
    one.do(lambda: one.session.serve("a", heard.append))
    client = tool(one)
    with one.in_a_debugger():
        with pytest.raises(BusyError, match="did not take this up"):
            client.call("a", 1)
        one.session.publish("seen", "standing")
        assert client.published("seen").body == "standing"
    client.call("a", 2)
    assert heard == [2]


def test_a_long_one_is_waited_for_as_long_as_the_tool_likes(game, tool):
    one = game(bus=SHORT)
    one.run(1)
    go_on = threading.Event()
    one.do(lambda: one.session.serve("long", lambda body: go_on.wait(LIMIT)))
    client = tool(one)
    with pytest.raises(BusError, match=r"no answer within 0\.4 s"):
        client.call("long", timeout=0.4)  # longer than the game may take to take it up
    go_on.set()
    assert client.call("long") is True


def test_each_of_many_tools_gets_its_own_answer(game, tool):
    one = game()
    one.run(1)
    one.do(lambda: one.session.serve("echo", lambda body: body))
    clients = [tool(one) for _ in range(3)]
    answered: dict[int, list[Any]] = {}

    def ask(client: Client, own: int) -> None:
        answered[own] = [client.call("echo", [own, number]) for number in range(30)]

    threads = [
        threading.Thread(target=ask, args=(client, own)) for own, client in enumerate(clients)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LIMIT)
    assert answered == {own: [[own, number] for number in range(30)] for own in range(3)}


# --- what is published --------------------------------------------------------------------------


def test_the_newest_is_asked_for_with_the_frame_that_it_was_published_at(game, tool):
    one = game()
    client = tool(one)
    one.do(lambda: one.session.publish("panel", {"lives": 3}))
    assert client.published("panel") == ValuePublished("panel", {"lives": 3}, 0.0, 0)
    one.run(4)
    one.do(lambda: one.session.publish("panel", {"lives": 2}))
    assert client.published("panel") == ValuePublished("panel", {"lives": 2}, 4 / 64, 4)
    assert client.published("other") is None
    assert client.asked(GetPublished("other"), NewestPublished).names == ("panel",)
    assert client.snapshot().sequences["published"] == 2


def test_a_listener_hears_each_and_first_what_there_is(game, tool):
    one = game()
    one.run(2)
    one.do(lambda: one.session.publish("a", 1))
    client, calls = tool(one), []
    client.on("published", lambda event: calls.append((event.event.name, event.event.body)))
    until(lambda: calls, client)
    assert calls == [("a", 1)]
    for number in range(2, 6):
        one.do(lambda number=number: one.session.publish("a", number))
        until(lambda number=number: calls[-1] == ("a", number), client)
    assert calls == [("a", number) for number in range(1, 6)]
    later: list[Any] = []
    client.on("published", lambda event: later.append(event.event.body))
    client.dispatch()
    assert later == [5]
    assert len(calls) == 5, "who listened before is told the same twice"
    assert client.missed == 0


def test_who_dispatches_seldom_hears_only_the_newest_of_each_name(game, tool):
    one = game()
    one.run(1)
    client, result = tool(one), []
    client.on("published", lambda event: result.append((event.event.name, event.event.body)))
    one.do(lambda: one.session.publish("a", "first"))
    until(lambda: result, client)
    for number in range(100):
        one.do(lambda number=number: one.session.publish("a", number))
        one.do(lambda number=number: one.session.publish("b", -number))
    heard_before = len(result)
    until(lambda: ("a", 99) in result and ("b", -99) in result, client)
    assert len(result) - heard_before < 100
    assert dict(result) == {"a": 99, "b": -99}  # of each name the one that was heard last
    assert client.missed == 0


def test_a_callback_that_instructs_the_game_hears_what_came_meanwhile(game, tool):
    one = game()
    one.run(1)
    client, result = tool(one), []

    def act(event):
        result.append(event.event.body)
        client.call("act", event.event.body)

    def answer(body):
        if body < 5:
            one.session.publish("seen", body + 1)

    one.do(lambda: one.session.serve("act", answer))
    client.on("published", act)
    one.do(lambda: one.session.publish("seen", 0))
    until(lambda: result and result[-1] == 5, client)
    assert result == [0, 1, 2, 3, 4, 5]


def test_after_the_service_is_back_the_newest_is_heard_again(game, tool):
    first = game()
    first.run(1)
    first.do(lambda: first.session.publish("a", "old"))
    client, result = tool(first), []
    client.on("published", lambda event: result.append(event.event.body))
    until(lambda: result, client)
    first.close()
    until(lambda: not client.connected, client)
    again = game(bus=first.endpoint)
    again.run(1)
    again.do(lambda: again.session.publish("a", "new"))
    until(lambda: client.connected and result[-1] == "new", client)
    assert result == ["old", "new"]


def test_what_makes_no_sense_is_raised_when_strict_and_else_counted(game):
    strict, lenient = game(strict=True), game(strict=False)
    alone = game(strict=True, bus=False)
    for one in (strict, alone):
        for name, body, error in (
            ("a", object(), RecordingError),
            ("", 1, RecordingError),
            ("a", "x" * MOST_BODY, CapacityError),
        ):
            with pytest.raises(error, match="^publish "):
                one.session.publish(name, body)
    for number in range(MOST_NAMES):
        strict.session.publish(f"n{number}", number)
    with pytest.raises(CapacityError, match="'more'"):
        strict.session.publish("more", 1)
    lenient.session.publish("a", object())
    lenient.session.publish("", 1)
    assert lenient.session.recorder.faults.calls == {"publish": 2}
    assert "''" in lenient.session.recorder.faults.newest


def test_without_a_bus_a_session_takes_both_and_does_nothing(game):
    alone = game(bus=False)
    alone.do(lambda: alone.session.serve("a", lambda body: body))
    alone.run(1)
    alone.do(lambda: alone.session.publish("a", {"x": 1}))


def test_who_never_reads_costs_neither_the_game_nor_the_marks_of_others(game, tool):
    one = game()
    one.run(1)
    deaf, client = tool(one, name="deaf"), tool(one)
    result, marks = [], []
    deaf.on("published", lambda event: None)
    client.on("published", lambda event: result.append(event.event.body[0]))
    client.on("mark", lambda event: marks.append(event.event.mark.name))
    one.do(lambda: one.session.publish("a", [-1]))
    until(lambda: result, client)
    body = "x" * (MOST_BODY // 8)
    for number in range(2000):  # 64 MB
        one.do(lambda number=number: one.session.publish("a", [number, body]))
        if number % 50 == 0:
            client.dispatch()
    assert client.status().bus.published_dropped
    one.do(lambda: one.session.mark("still heard"))
    one.run(1)
    until(lambda: marks == ["still heard"] and result[-1] == 1999, client)
    assert result == sorted(result)


# --- from another process -----------------------------------------------------------------------


def test_a_player_in_another_process_sees_what_was_published_and_acts_on_it(game, program):
    one = game()
    one.run(1)
    published: dict[int, tuple[int, float, Any]] = {}
    acts: list[dict[str, Any]] = []
    last = 300
    newest = threading.Event()

    def act(body):
        acts.append(body)
        if body["n"] == last:
            newest.set()
        return "go on" if body["n"] < last else "end"

    one.do(lambda: one.session.serve("act", act))
    player = program("player", one.endpoint)
    assert player.line() == "ready"

    def step(number):
        one.stage.run(1)
        span = one.session.source.span
        body = {"n": number, "things": [{"id": id, "at": [id * 0.5] * 3} for id in range(number)]}
        published[number] = (span.newest, span.end, body)
        one.session.publish("seen", body)

    for number in range(1, last + 1):
        one.do(lambda number=number: step(number))
    assert newest.wait(LIMIT), "it never saw the newest"
    assert player.line() == "ended"
    assert player.wait() == 0
    numbers = [act["n"] for act in acts]
    assert numbers == sorted(set(numbers)), "it went back, or acted twice on the same"
    for act in acts:
        assert (act["frame"], act["time"], act["all"]) == published[act["n"]]


def test_a_player_that_is_killed_in_the_midst_of_it_leaves_the_game_as_it_was(game, program, tool):
    one = game()
    one.run(1)
    acts = threading.Event()
    one.do(lambda: one.session.serve("act", lambda body: acts.set() or "go on"))
    player = program("player", one.endpoint)
    assert player.line() == "ready"
    one.do(lambda: one.session.publish("seen", {"n": 1}))
    assert acts.wait(LIMIT)
    player.kill()
    for number in range(50):
        one.do(lambda number=number: one.session.publish("seen", {"n": number}))
    assert one.run(5) == 6
    client = tool(one)
    assert client.published("seen").body == {"n": 49}
    assert client.call("act") == "go on"


# --- whatever the order -------------------------------------------------------------------------

NAMES = st.sampled_from(("a", "b", "c"))
BODIES = st.recursive(
    st.none() | st.integers(-(2**63), 2**63) | st.floats(allow_nan=False) | st.text("xyzä"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("kl"), inner, max_size=3),
    max_leaves=6,
)


class Either(RuleBasedStateMachine):
    """A game that serves and publishes, a tool that is slow and one that listens later."""

    make_game: Any

    def __init__(self) -> None:
        super().__init__()
        self.game = type(self).make_game()
        self.game.run(1)
        self.client = Client(self.game.endpoint, timeout=LIMIT)
        self.published: dict[str, list[Any]] = {}
        self.frames: dict[str, int] = {}
        self.served: dict[str, int] = {}
        self.heard: dict[str, list[int]] = {}
        self.count = 0
        self.client.on("published", lambda event: self.hear(event.event))

    def hear(self, published_value: ValuePublished) -> None:
        number, body = published_value.body
        assert self.published[published_value.name][number] == body
        heard = self.heard.setdefault(published_value.name, [])
        assert not heard or number > heard[-1]
        heard.append(number)

    @rule(name=NAMES, body=BODIES)
    def publish(self, name: str, body: Any) -> None:
        bodies = self.published.setdefault(name, [])
        bodies.append(body)
        result = [len(bodies) - 1, body]
        self.frames[name] = self.game.session.source.span.newest
        self.game.do(lambda: self.game.session.publish(name, result))

    @rule(name=NAMES)
    def ask(self, name: str) -> None:
        result, bodies = self.client.published(name), self.published.get(name)
        if bodies is None:
            assert result is None
        else:
            assert result is not None
            assert result.body == [len(bodies) - 1, bodies[-1]]
            assert result.frame == self.frames[name]

    @rule(name=NAMES)
    def serve(self, name: str) -> None:
        self.count += 1
        self.served[name] = number = self.count
        self.game.do(lambda: self.game.session.serve(name, lambda body: [number, body]))

    @rule(name=NAMES, body=BODIES)
    def call(self, name: str, body: Any) -> None:
        if name in self.served:
            assert self.client.call(name, body) == [self.served[name], body]
            if self.game.session.live:
                self.game.run(1)  # what it may have changed is in a frame before a pause
        else:
            with pytest.raises(CommandError) as caught:
                self.client.call(name, body)
            assert all(there in str(caught.value) for there in self.served)

    @rule()
    def step(self) -> None:
        if self.game.session.live:
            self.game.run(1)
        else:
            self.client.leave()

    @rule()
    def pause(self) -> None:
        self.client.enter()

    @rule()
    def dispatch(self) -> None:
        self.client.dispatch()

    def teardown(self) -> None:
        try:
            end = [(name, len(bodies) - 1) for name, bodies in self.published.items()]
            for _ in range(int(10 * LIMIT)):
                if all(self.heard.get(name, [-1])[-1] == number for name, number in end):
                    return
                self.client.dispatch(0.1)
            raise AssertionError(f"{self.heard} of {end}")
        finally:
            self.client.close()
            self.game.close()


@pytest.mark.slow
def test_in_whatever_order_every_name_ends_with_its_newest(game):
    class Case(Either):
        make_game = staticmethod(game)

    run_state_machine_as_test(Case, settings=settings(max_examples=25, stateful_step_count=25))


# --- over the gateway ---------------------------------------------------------------------------


@pytest.fixture
def page(game):
    """A page on the gateway of a game: `(game, say, hear)`."""
    websockets = pytest.importorskip("websockets.sync.client")
    from playhead.bus.gateway.gateway import Gateway
    from playhead.bus.gateway.gateway_settings import GatewaySettings

    one = game()
    one.run(2)
    gateway = Gateway(one.bus, GatewaySettings("127.0.0.1:0", "a-token-that-is-long-enough"))
    with websockets.connect(gateway.url) as peer:
        origin, count = "", 0

        def say(**ask):
            nonlocal origin, count
            count += 1
            peer.send(json.dumps({"origin": origin, "sequence": count, "ask": ask}))
            while True:
                result = json.loads(peer.recv(LIMIT))
                if result.get("sequence") == count and "answer" in result:
                    return result["answer"]

        def hear():
            return json.loads(peer.recv(LIMIT))["event"]

        welcome = say(do="hello", name="page", protocol=[2, 0])
        origin = welcome["origin"]
        assert not welcome.get("published")
        yield one, say, hear
    gateway.close()


def test_a_page_instructs_the_game_and_gets_its_answer_or_error(page):
    one, say, _ = page
    one.do(lambda: one.session.serve("echo", lambda body: {"got": body}))
    body = {"a": [1, 2.5, None, True, "ä"], "large": 2**60}
    assert say(do="call", name="echo", argument=body) == {
        "is": "result", "result": {"got": {**body, "large": str(2**60)}},
    }  # fmt: skip
    assert say(do="call", name="echo")["result"] == {"got": None}
    error = say(do="call", name="ecko", argument=1)
    assert (error["is"], error["kind"]) == ("error", "command")
    assert "did you mean 'echo'?" in error["message"]
    assert say(do="call", name=3)["kind"] == "malformed"


def test_a_page_asks_for_what_is_published_and_hears_it(page):
    one, say, hear = page
    one.do(lambda: one.session.publish("panel", {"lives": 3}))
    result = {
        "what": "published",
        "name": "panel",
        "body": {"lives": 3},
        "time": 2 / 64,
        "frame": 2,
    }
    for name, newest in (("panel", result), ("x", None)):
        answer = {"is": "published", "published": newest, "names": ["panel"]}
        assert say(do="published", name=name) == answer
    assert say(do="subscribe", topics=["published"], time=False) == {"is": "done"}
    assert hear() == result
    one.do(lambda: one.session.publish("panel", {"lives": 2}))
    while (heard := hear()) == result:
        pass
    assert heard["body"] == {"lives": 2}
    # Who listens again is told the newest again.
    assert say(do="subscribe", topics=["published"], time=False) == {"is": "done"}
    assert hear()["body"] == {"lives": 2}
