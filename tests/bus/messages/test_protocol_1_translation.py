"""Peers of version 1 beside those of version 2: each is spoken to in its own words."""

import json
from typing import Any

import msgspec
import pytest
import zmq
from websockets.sync.client import connect

from playhead.bus.gateway.gateway import Gateway
from playhead.bus.gateway.gateway_settings import GatewaySettings
from playhead.bus.messages import message_types as protocol
from playhead.bus.messages import protocol_1_translation as protocol_1
from playhead.bus.messages.address import Address
from playhead.bus.messages.json_codec import request_of_text
from playhead.bus.messages.message import PlayheadTime
from playhead.bus.messages.message_types import Response
from playhead.bus.messages.msgpack_codec import packed, request_of
from playhead.bus.messages.responses import Snapshot, Welcome
from playhead.errors import DamagedError
from playhead.playback.commands import Leave
from playhead.recorder.checks.failed_check_tracker import FailedCheck

from ...support.waits import LIMIT


class OldTool:
    """A tool of version 1 on ZeroMQ, which knows nothing of playhead's modules."""

    def __init__(self, endpoint: str) -> None:
        self.address = Address.of(endpoint)
        self.context: zmq.Context[Any] = zmq.Context()
        self.sockets: list[Any] = []
        self.requests = self._open(zmq.DEALER, self.address.endpoint)
        self.count = 0
        self.origin = ""
        self.welcome = self.ask(do="hello", name="old", protocol=[1, 4])
        self.origin = self.welcome["origin"]

    def _open(self, kind: int, endpoint: str) -> Any:
        socket = self.context.socket(kind)
        socket.linger, socket.rcvtimeo = 0, int(1000 * LIMIT)
        socket.connect(endpoint)
        self.sockets.append(socket)
        return socket

    def ask(self, **ask: Any) -> Any:
        self.count += 1
        message = {"origin": self.origin, "sequence": self.count, "ask": ask}
        self.requests.send(msgspec.msgpack.encode(message))
        answer = msgspec.msgpack.decode(self.requests.recv())
        assert answer["sequence"] == self.count
        return answer["answer"]

    def listen(self, port: str, topic: str) -> Any:
        """Subscribe; returns what receives the next event."""
        socket = self._open(zmq.SUB, self.address.at(self.welcome[port]).endpoint)
        socket.subscribe(topic)

        def event() -> Any:
            name, data = socket.recv_multipart()
            assert name.decode() == topic
            return msgspec.msgpack.decode(data)["event"]

        return event

    def close(self) -> None:
        for socket in self.sockets:
            socket.close(linger=0)
        self.context.term()


@pytest.fixture
def one(game):
    one = game()
    one.run(3)
    return one


@pytest.fixture
def old(one):
    old = OldTool(one.bus.endpoint)
    yield old
    old.close()


def test_each_is_welcomed_and_answered_in_its_own_words(one, old, tool):
    new = tool(one)
    assert old.welcome["protocol"] == [1, 4]
    assert {"present", "told"} <= set(old.welcome)
    assert new.welcome.protocol == protocol.PROTOCOL
    shown = old.ask(do="enter")
    assert (shown["is"], shown["shown"]["frame"]) == ("shown", 3)
    assert new.state.frame == 3
    assert old.ask(do="follow")["shown"]["mode"] == "live"
    present = old.ask(do="present")
    assert present["is"] == "present"
    assert {"check", "told"} <= set(present["sequences"])
    assert [row[0] for row in old.ask(do="stamps", start=1, end=3)["stamps"]] == [1, 2, 3]
    assert old.ask(do="said", frame=1)["is"] == "said"
    assert old.ask(do="find", time=0.0)["is"] == "found"
    assert "told" in old.ask(do="status")["bus"]
    assert old.ask(do="step")["kind"] == "malformed"
    assert old.ask(do="step", frames=0)["protocol"] == [1, 4]


def test_a_wrong_request_in_old_words_is_answered_with_its_mistake(one, old):
    assert "unknown field `wrong`" in old.ask(do="present", wrong=1)["message"]
    result = old.ask(do="pad", held="x")
    assert "Expected `int`, got `str`" in result["message"]
    assert (result["kind"], result["protocol"]) == ("malformed", [1, 4])


def test_each_hears_of_a_failed_check_once_and_in_its_own_words(one, old, tool):
    new, heard = tool(one), []
    new.on("failed_check", lambda event: heard.append(event.event.failed_check.message))
    event = old.listen("events", "check")
    one.do(lambda: None)
    while not all(map(one.bus._publisher.has_subscribers, ("check", "failed_check"))):
        new.dispatch(0.01)
    one.do(lambda: one.bus.check_failed(FailedCheck("too fast", "", 2, "agent.py", 17)))
    result = event()
    assert (result["what"], result["violation"]["message"]) == ("check", "too fast")
    while not heard:
        new.dispatch(0.01)
    assert heard == ["too fast"]


def test_each_hears_what_is_published_under_its_own_topic(one, old, tool):
    new = tool(one)
    one.do(lambda: one.session.publish("panel", {"lives": 3}))
    event = old.listen("told", "told")
    result = event()
    assert (result["what"], result["name"], result["body"]) == ("told", "panel", {"lives": 3})
    asked = old.ask(do="told", name="panel")
    assert (asked["is"], asked["told"]["what"], asked["told"]["body"]) == (
        "told", "told", {"lives": 3},
    )  # fmt: skip
    assert new.published("panel").body == {"lives": 3}


def test_an_old_tool_calls_what_the_game_serves(one, old):
    one.do(lambda: one.session.serve("double", lambda number: 2 * number))
    assert old.ask(do="instruct", name="double", body=4) == {"is": "instructed", "result": 8}


def test_an_old_page_and_a_new_one_share_a_gateway(one):
    gateway = Gateway(one.bus, GatewaySettings("127.0.0.1:0"))
    try:
        with connect(gateway.url) as page, connect(gateway.url) as newer:

            def say(socket: Any, origin: str, ask: dict[str, Any]) -> Any:
                socket.send(json.dumps({"origin": origin, "sequence": 1, "ask": ask}))
                while "answer" not in (result := json.loads(socket.recv(LIMIT))):
                    pass
                return result["answer"]

            old = say(page, "", {"do": "hello", "name": "old", "protocol": [1, 0]})
            new = say(newer, "", {"do": "hello", "name": "new", "protocol": [2, 0]})
            assert (old["protocol"], new["protocol"]) == ([1, 4], [2, 0])
            assert not old.get("told")
            assert not new.get("published")
            for socket, welcome in ((page, old), (newer, new)):
                gossip = say(socket, welcome["origin"], {"do": "listen", "topics": ["gossip"]})
                assert (gossip["kind"], gossip["protocol"]) == ("command", welcome["protocol"])
            listen = {"do": "listen", "topics": ["check"], "time": False}
            assert say(page, old["origin"], listen) == {"is": "done"}
            assert say(newer, new["origin"], {"do": "enter"})["is"] == "state"
            assert say(page, old["origin"], {"do": "leave"})["is"] == "shown"
            one.do(lambda: one.bus.check_failed(FailedCheck("too fast", "", 2, "agent.py", 17)))
            assert json.loads(page.recv(LIMIT))["event"]["violation"]["object"] == 2
    finally:
        gateway.close()


@pytest.mark.parametrize(
    "ask",
    [
        {"do": "present"}, {"do": "said", "frame": 1}, {"do": "stamps", "start": 1, "end": 2},
        {"do": "find", "time": 1.0}, {"do": "told", "name": "x"}, {"do": "follow"},
        {"do": "versions", "frame": 1, "object": 2, "kind": 3, "key": 4},
        {"do": "check_failed", "message": "m"}, {"do": "save", "path": "a.mcap"},
        {"do": "trigger", "name": "t"}, {"do": "instruct", "name": "x", "body": [1]},
        {"do": "listen", "topics": ["told"]}, {"do": "game", "name": "g"},
        {"do": "type", "number": 32, "name": "t"}, {"do": "pad", "held": 3},
        {"do": "skeleton", "type": 32, "number": 0, "name": "s", "joints": [], "parents": []},
    ],
    ids=lambda ask: ask["do"],
)  # fmt: skip
def test_every_old_request_is_understood_from_everybody(ask):
    message = {"origin": "a#1", "sequence": 1, "ask": ask}
    request = request_of(msgspec.msgpack.encode(message))
    assert request_of_text(json.dumps(message)) == request
    assert request_of(packed(request)) == request


def test_the_old_words_are_those_that_the_page_lists():
    from .test_message_types import DOCUMENT

    table = DOCUMENT.split("## Version 1")[1]
    for old, new in protocol_1._REQUESTS.items():
        assert f"`{old}`" in table, old
        assert f"`{new}`" in table, new


@pytest.mark.parametrize("ask", [{"do": "present", "wrong": 1}, {"do": ["present"]}, {"do": None}])
def test_what_makes_no_sense_in_old_words_is_refused_as_in_new_ones(ask):
    with pytest.raises(DamagedError):
        request_of(msgspec.msgpack.encode({"origin": "a", "sequence": 1, "ask": ask}))


def test_a_response_of_version_1_differs_in_words_only():
    now = PlayheadTime(origin="s", sequence=3, mode="live")
    body = Welcome("a#1", protocol.PROTOCOL, "s", 1, 2, Snapshot(now, None, {"failed_check": 4}))
    old = protocol_1.response_values(protocol_1.Response1(origin="s", sequence=1, body=body))
    new = msgspec.to_builtins(Response(origin="s", sequence=1, body=body))
    assert old["answer"]["present"]["sequences"] == {"check": 4}
    assert old["answer"]["present"]["time"] == new["answer"]["snapshot"]["time"]
    assert request_of(msgspec.msgpack.encode(
        {"origin": "a", "sequence": 1, "ask": {"do": "follow"}}
    )).body == Leave()  # fmt: skip
