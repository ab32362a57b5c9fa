"""Peers of the gateway that end badly, with requests open: nothing of them stays."""

import contextlib
import gc
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from playhead.bus.gateway import gateway as gateway_module
from playhead.bus.gateway.gateway import MOST_CONNECTIONS, Gateway
from playhead.bus.gateway.gateway_connection import GatewayConnection
from playhead.bus.gateway.gateway_settings import GatewaySettings
from playhead.bus.server.bus_settings import BusSettings
from playhead.session import Session

from ..games.remote.game import GUARD, LIMIT, Game, Peer, image, served
from ..support.fake_world import FakeWorld
from ..support.waits import until
from .raw_websocket import RawWebSocket

AT_ONCE = 20.0
"""Seconds that it may take to notice that a peer is gone."""
LARGE = "x" * 200_000


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hanging up is noticed soon, and closing waits for nobody for long."""
    for name in ("_CHECK_EVERY", "_CLOSE_WITHIN", "_FLUSH_WITHIN"):
        monkeypatch.setattr(gateway_module, name, 0.05)


@pytest.fixture
def session() -> Iterator[Session]:
    """A game that takes up no command, with a frame that is long to send."""
    bus = BusSettings("tcp://127.0.0.1:*", patience=10 * LIMIT)
    with Session(FakeWorld(tick=0.1), "4 MiB", bus=bus) as session:
        session.log(LARGE)
        session.update(0.1)
        yield session


@pytest.fixture
def gateway(session: Session) -> Iterator[Gateway]:
    assert session.bus is not None
    with contextlib.closing(Gateway(session.bus, GatewaySettings("127.0.0.1:0"))) as gateway:
        yield gateway


ASKS: dict[str, dict[str, object]] = {
    "short answers": {"do": "snapshot"},
    "long answers": {"do": "statements", "frame": 1},
    "no answers": {"do": "enter"},
    "topics": {"do": "subscribe", "topics": ["log", "span"]},
}
ENDS: dict[str, Callable[[RawWebSocket], None]] = {
    "close": RawWebSocket.close, "reset": RawWebSocket.reset, "half-close": RawWebSocket.half_close,
}  # fmt: skip


@pytest.mark.parametrize("count", [1, 17, 500])
@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("ask", ASKS)
def test_a_peer_that_ends_with_requests_open_leaves_nothing_behind(
    session: Session, gateway: Gateway, ask: str, end: str, count: int
) -> None:
    assert session.bus is not None
    before = handles()
    line = RawWebSocket(gateway.url)
    try:
        for number in range(count):
            line.ask(number + 2, **ASKS[ask])
        ENDS[end](line)
        assert_comes(lambda: gateway.connections == 0)
    finally:
        line.socket.close()
    assert_comes(lambda: session.bus is not None and session.bus.status.tools == ())
    assert_comes(lambda: handles() == before)
    with Peer(gateway.url) as peer:
        assert peer.hello()["is"] == "welcome"


@pytest.mark.parametrize("end", ENDS)
def test_as_many_dead_peers_as_may_connect_keep_nobody_out(gateway: Gateway, end: str) -> None:
    before = connections()
    lines = [RawWebSocket(gateway.url) for _ in range(MOST_CONNECTIONS)]
    try:
        for line in lines:
            for number in range(20):
                line.ask(number + 2, **ASKS["no answers"])
            ENDS[end](line)
        assert_comes(lambda: gateway.connections == 0)
        with Peer(gateway.url) as peer:
            assert peer.hello()["is"] == "welcome"
    finally:
        for line in lines:
            line.socket.close()
    assert_comes(lambda: connections() <= before)


@pytest.mark.parametrize("count", [1, 17, 500])
@pytest.mark.parametrize("ask", ASKS)
def test_closing_does_not_wait_for_who_never_reads(session: Session, ask: str, count: int) -> None:
    assert session.bus is not None
    before = handles()
    gateway = Gateway(session.bus, GatewaySettings("127.0.0.1:0"))
    with contextlib.closing(RawWebSocket(gateway.url).socket) as wire, contextlib.closing(gateway):
        line = RawWebSocket(gateway.url)
        for number in range(count):
            line.ask(number + 2, **ASKS[ask])
        began = time.monotonic()
        gateway.close()
        assert time.monotonic() - began < AT_ONCE
        line.close()
        wire.close()
    assert_comes(lambda: session.bus is not None and session.bus.status.tools == ())
    assert_comes(lambda: handles() == before)


@pytest.mark.parametrize("end", ENDS)
def test_a_game_that_crashes_with_requests_open_makes_room_for_the_next(end: str) -> None:
    with served() as serving:
        for crash in range(3):
            line = RawWebSocket(serving.url)
            try:
                line.ask(2, do="register_game", name="crashes")
                line.ask(
                    3, do="define_type", number=GUARD, name="guard", fields=[["hp", "<f4", []]]
                )
                for number in range(200):
                    line.ask(number + 4, do="frame", frame=1)
                    line.binary(image({7: (GUARD, 1.0)}, number / 10 + crash))
                ENDS[end](line)
                assert_comes(lambda: serving.gateway.connections == 0)
            finally:
                line.socket.close()
        with Game(serving.url) as game:
            game.frame({7: (GUARD, 1.0)})
            assert game.ask(do="log", line={"text": "after"})["is"] == "done"


@pytest.mark.parametrize("end", ["close", "half-close"])
def test_what_a_game_sent_before_it_ended_is_recorded(end: str) -> None:
    with served() as serving:
        line = RawWebSocket(serving.url)
        try:
            line.ask(2, do="register_game", name="ends")
            line.ask(3, do="define_type", number=GUARD, name="guard", fields=[["hp", "<f4", []]])
            for number in range(100):
                line.binary(image({7: (GUARD, 1.0)}, number / 10))
            while line.socket.recv(1 << 16).count(b"done") < 1:
                pass
            ENDS[end](line)
            assert_comes(lambda: serving.gateway.connections == 0)
            assert_comes(lambda: serving.session.status.frames == 100)
        finally:
            line.socket.close()


def test_a_game_that_never_reads_can_be_left_behind() -> None:
    with served(patience=0.1) as serving, contextlib.closing(RawWebSocket(serving.url).socket):
        line = RawWebSocket(serving.url)
        line.ask(2, do="register_game", name="deaf")
        for number in range(500):
            line.ask(
                number + 3, do="define_type", number=GUARD, name="guard", fields=[["hp", "?", []]]
            )
        began = time.monotonic()
    assert time.monotonic() - began < AT_ONCE
    line.close()


def assert_comes(found: Callable[[], bool]) -> None:
    until(found, limit=AT_ONCE)


def handles() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def connections() -> int:
    gc.collect()
    # Not isinstance: that asks each object for its class, and some only warn when asked anything.
    return sum(type(one) is GatewayConnection for one in gc.get_objects())
