"""A tool whose service is not there, is lost and found, is replaced, or is none."""

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import zmq

from playhead.bus.client import client_transport
from playhead.bus.client.client import Client
from playhead.bus.messages.message import PROTOCOL, PlayheadTime
from playhead.bus.messages.message_types import Response
from playhead.bus.messages.msgpack_codec import packed, request_of
from playhead.bus.messages.requests import FindFrame
from playhead.bus.messages.responses import (
    CommandDone,
    ErrorResponse,
    FoundFrame,
    Snapshot,
    Welcome,
)
from playhead.bus.server.bus_settings import BusSettings
from playhead.errors import (
    BusError,
    CommandError,
)

from ..support.waits import until


def test_nobody_there_is_an_error_that_says_what_to_look_at():
    began = time.monotonic()
    with pytest.raises(BusError, match="bus=True") as raised:
        Client("tcp://127.0.0.1:1", timeout=0.1)
    assert "127.0.0.1:1" in str(raised.value)
    assert time.monotonic() - began < 20


@pytest.mark.parametrize("endpoint", ["nonsense nonsense", "*:5670", "127.0.0.1:*", "http://x"])
def test_an_endpoint_that_is_none_is_an_error(endpoint):
    with pytest.raises(CommandError, match="address"):
        Client(endpoint, timeout=0.1)


def test_a_tool_that_did_not_look_for_a_while_has_not_lost_anything(game, tool, monkeypatch):
    monkeypatch.setattr(client_transport, "LOST_AFTER", 0.3)
    monkeypatch.setattr(client_transport, "HELLO_EVERY", 0.1)
    one = game()
    one.run(9)
    client = tool(one)
    changes: list[bool] = []
    client.on_connection(changes.append)
    one.do(lambda: threading.Event().wait(0.6))  # as if it computed something
    assert client.seek(frame=3).frame == 3
    one.do(lambda: threading.Event().wait(0.6))
    client.dispatch(0.2)
    assert changes == []


def test_a_service_that_is_started_again_is_found_and_followed(game, tool):
    first = game()
    first.run(30)
    client = tool(first)
    changes: list[bool] = []
    received: list[tuple[str, int]] = []
    client.on_connection(changes.append)
    client.on_time(lambda time: received.append((time.mode, time.frame)))
    client.on("mark", lambda event: received.append(("mark", event.event.mark.frame)))
    client.seek(frame=9)
    client.dispatch(0.3)
    known = client.welcome.service
    first.close()
    until(lambda: changes == [False], client)
    assert not client.connected
    for call in (client.enter, client.snapshot, lambda: client.origin):
        with pytest.raises(BusError, match="not there"):
            call()
    second = game(bus=BusSettings(first.endpoint))
    second.run(4)
    until(lambda: changes == [False, True], client)
    assert client.welcome.service != known
    until(lambda: received[-1] == ("live", 4), client)
    until(lambda: second.bus._publisher.has_subscribers("mark"), client)

    def marked() -> None:
        second.session.mark("again")
        second.stage.run(1)

    second.do(marked)
    until(lambda: ("mark", 5) in received, client)
    assert client.missed == 0
    assert client.seek(frame=2).frame == 2
    assert second.session.playhead.frame == 2


def test_a_service_that_is_replaced_at_once_is_noticed_too(game, tool):
    first = game()
    first.run(30)
    client = tool(first)
    changes: list[bool] = []
    client.on_connection(changes.append)
    first.close()
    second = game(bus=first.endpoint)
    second.run(3)
    until(lambda: changes == [False, True], client)
    assert client.find(99.0) == 3


def test_no_stale_command_is_carried_out_after_a_restart(game, tool):
    first = game()
    first.run(30)
    client = tool(first)
    first.close()
    with pytest.raises(BusError):
        client.seek(frame=3)  # nobody noticed yet
    second = game(bus=first.endpoint)
    second.run(30)
    until(lambda: client.connected and client.welcome.service == second.bus.name, client)
    assert client.find(99.0) == 30
    second.run(5)
    assert second.session.live
    assert second.world.calls == []


def test_a_request_to_a_replaced_run_does_not_reach_the_next_one(game, tool):
    first = game()
    first.run(30)
    client = tool(first)
    first.close()
    second = game(bus=first.endpoint)
    second.run(30)
    with pytest.raises(BusError, match="the run that this was asked of is gone"):
        client.seek(frame=3)
    assert second.session.live
    assert second.world.calls == []
    assert client.seek(frame=4).frame == 4


def test_a_tool_that_the_service_forgot_says_hello_again_and_is_obeyed(game, tool):
    one = game()
    one.run(3)
    client = tool(one)
    changes: list[bool] = []
    client.on_connection(changes.append)
    one.bus.deliver(
        lambda: [one.bus._dispatcher.forget(peer) for peer in list(one.bus._dispatcher._tools)]
    )
    until(lambda: not one.bus.status.tools)
    assert client.enter().frame == 3
    assert not one.session.live
    until(lambda: changes == [False, True], client)


def test_a_tool_that_only_listens_stays_known(game, tool, monkeypatch):
    from playhead.bus.server import request_dispatcher

    monkeypatch.setattr(request_dispatcher, "SILENT_FOR", 0.6)
    monkeypatch.setattr(client_transport, "KEEP_ALIVE_AFTER", 0.2)
    one = game()
    client = tool(one)
    end = time.monotonic() + 1.5
    until(lambda: time.monotonic() > end, client)
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
                answer = self.answer(request)
                if not isinstance(answer, bytes):
                    answer = packed(
                        Response(origin="stranger", sequence=request.sequence, body=answer)
                    )
                self.router.send_multipart([peer, answer])

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
    other = stranger(lambda request: ErrorResponse("version", says, (2, 0)))
    with pytest.raises(BusError, match=r"2\.0.*1\.0"):
        Client(f"127.0.0.1:{other.port}", timeout=5)


def test_a_service_that_welcomes_in_another_version_is_refused_naming_both(stranger):
    time = PlayheadTime(origin="s", sequence=1, mode="live")
    other = stranger(lambda request: Welcome(
        "tool#1", (3, 1), "s", 1, 2, snapshot=Snapshot(time, None, {})
    ))  # fmt: skip
    with pytest.raises(BusError, match=rf"3\.1.*{PROTOCOL[0]}\.{PROTOCOL[1]}"):
        Client(f"127.0.0.1:{other.port}", timeout=5)


def test_an_answer_of_the_wrong_kind_is_an_error(game, tool):
    one = game()
    one.run(1)
    with pytest.raises(BusError, match="FoundFrame"):
        tool(one).asked(FindFrame(0.0), CommandDone)
    assert tool(one).asked(FindFrame(0.0), FoundFrame).frame == 1


@pytest.mark.parametrize(
    "answer", [b"\xc1 nonsense", FoundFrame(1)], ids=["nonsense", "no welcome"]
)
def test_who_does_not_answer_a_hello_with_a_welcome_is_no_service(stranger, answer):
    other = stranger(lambda request: answer)
    with pytest.raises(BusError, match="no playhead answers there within 0.2 s"):
        Client(f"127.0.0.1:{other.port}", timeout=0.2)
