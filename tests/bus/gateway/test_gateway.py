"""The gateway: who is let in, what is read, and what a tool on it hears."""

import asyncio
import base64
import json
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from websockets.exceptions import InvalidStatus, WebSocketException
from websockets.sync.client import connect

from playhead.bus.gateway import event_feed as feed
from playhead.bus.gateway import gateway as gateway_module
from playhead.bus.gateway import messages_from_game as game_link
from playhead.bus.gateway.gateway import MOST_CONNECTIONS, Gateway
from playhead.bus.gateway.gateway_connection import COMPLAINTS
from playhead.bus.gateway.gateway_settings import GatewaySettings
from playhead.bus.gateway.messages_from_game import GameFrame, GameQueue
from playhead.bus.messages.message import MOST_BYTES, PROTOCOL
from playhead.bus.server import publisher, request_dispatcher
from playhead.bus.server.bus_settings import BusSettings
from playhead.bus.server.service import Service
from playhead.errors import CapacityError, CommandError, RecordingError
from playhead.native import _ring
from playhead.playback.commands import Enter, Step
from playhead.session import Session

from ...games.remote.game import LIMIT, Game, Peer, Served, served
from ...support.fake_world import FakeWorld
from ...support.process import run_process
from ...support.waits import until

TOKEN = "a-token-that-is-long-enough"


@pytest.fixture
def session() -> Iterator[Session]:
    """A Python game on the bus, with frames."""
    bus = BusSettings("tcp://127.0.0.1:*", patience=LIMIT)
    with Session(FakeWorld(tick=0.1), "4 MiB", bus=bus) as session:
        yield session


@contextmanager
def gateway_of(session: Session, *settings: Any, **more: Any) -> Iterator[Gateway]:
    assert isinstance(session.bus, Service)
    chosen = GatewaySettings(*(settings or ("127.0.0.1:0", TOKEN)), **more)
    with closing(Gateway(session.bus, chosen)) as gateway:
        yield gateway


@pytest.fixture
def gateway(session: Session) -> Iterator[Gateway]:
    with gateway_of(session) as gateway:
        yield gateway


def plain_url(gateway: Gateway) -> str:
    return gateway.url.partition("?")[0]


def refused(url: str, **options: Any) -> InvalidStatus:
    with pytest.raises(InvalidStatus) as caught, connect(url, **options):
        pass
    return caught.value


# --- who is let in ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "query",
    [
        "", "?", "?token=", f"?token={TOKEN}x", f"?token={TOKEN[:-1]}", f"?tokens={TOKEN}",
        f"?token={TOKEN.upper()}", "?token=%ff%00", "?token=%C3%A4",
    ],
)  # fmt: skip
def test_without_the_token_nobody_comes_in_or_learns_why(gateway: Gateway, query: str) -> None:
    response = refused(plain_url(gateway) + query).response
    assert response.status_code == 403
    assert response.body == b""
    assert "Server" not in response.headers
    assert gateway.connections == 0


@pytest.mark.parametrize(
    "options",
    [
        {"additional_headers": {"Authorization": f"Bearer {TOKEN}"}},
        {"additional_headers": {"Authorization": f"bearer  {TOKEN}"}},
        {"subprotocols": [f"playhead.{TOKEN}"]},
        {"subprotocols": ["other", f"playhead.{TOKEN}"]},
    ],
)
def test_the_token_may_come_in_a_header(gateway: Gateway, options: dict[str, Any]) -> None:
    with connect(plain_url(gateway), **options) as peer:
        assert peer.subprotocol in (None, f"playhead.{TOKEN}")
        assert json.loads(asked(peer, do="hello", name="t", protocol=[2, 0]))["answer"]["is"] == (
            "welcome"
        )


@pytest.mark.parametrize(
    "options",
    [
        {"additional_headers": {"Authorization": "Bearer wrong"}},
        {"additional_headers": {"Authorization": f"Basic {TOKEN}"}},
        {"subprotocols": [TOKEN]},
        {"subprotocols": ["playhead.wrong"]},
    ],
)
def test_a_wrong_token_in_a_header_is_none(gateway: Gateway, options: dict[str, Any]) -> None:
    assert refused(plain_url(gateway), **options).response.status_code == 403


def test_a_page_from_elsewhere_gets_nothing_even_with_the_token(session: Session) -> None:
    with gateway_of(session, origins=("http://localhost:8000",)) as gateway:
        for origin in (
            "http://evil.example",
            "null",
            "http://localhost:80000",
            "https://localhost:8000",
        ):
            response = refused(gateway.url, origin=origin).response
            assert (response.status_code, response.body) == (403, b"")
        with connect(gateway.url, origin="http://localhost:8000") as peer:
            assert asked(peer, do="hello", name="page", protocol=[2, 0])


def test_no_page_is_let_in_unless_it_is_listed(gateway: Gateway) -> None:
    host = urlsplit(gateway.url).netloc
    assert refused(gateway.url, origin=f"http://{host}").response.status_code == 403


def test_off_loopback_it_does_not_listen_without_tls(session: Session) -> None:
    with pytest.raises(RecordingError, match="--tls-cert"), gateway_of(session, "0.0.0.0:0"):
        pass
    with pytest.raises(RecordingError, match="TLS"), gateway_of(session, "tcp://[::]:0"):
        pass


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("tls")
    certificate, key = folder / "cert.pem", folder / "key.pem"
    run_process(
        "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-keyout", key,
        "-out", certificate, "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1",
        check=True,
    )  # fmt: skip
    return certificate, key


def test_with_tls_it_listens_to_other_machines(
    session: Session, certificate: tuple[Path, Path]
) -> None:
    with gateway_of(session, "0.0.0.0:0", TOKEN, (), *certificate) as gateway:
        assert gateway.url.startswith("wss://")
        trusted = ssl.create_default_context(cafile=str(certificate[0]))
        url = f"wss://127.0.0.1:{gateway.address.port}/"
        with connect(f"{url}?token={TOKEN}", ssl=trusted) as peer:
            assert asked(peer, do="hello", name="far", protocol=[2, 0])
        assert refused(url, ssl=trusted).response.status_code == 403
        unheard = (OSError, EOFError, WebSocketException)
        with pytest.raises(unheard), connect(f"ws{url[3:]}?token={TOKEN}"):
            pass  # in clear text it hears nothing


def test_a_key_that_is_locked_with_a_password_is_refused_as_nobody_is_asked_for_it(
    certificate: tuple[Path, Path], tmp_path: Path
) -> None:
    locked = tmp_path / "locked.pem"
    run_process(
        "openssl", "rsa", "-aes256", "-passout", "pass:secret", "-in", certificate[1], "-out",
        locked, check=True,
    )  # fmt: skip
    settings = GatewaySettings(token=TOKEN, certificate=certificate[0], key=locked)
    with pytest.raises(CommandError, match="the key is locked with a password"):
        settings.tls()


@pytest.mark.parametrize("given", ["certificate", "key", "wrong", "missing"])
def test_half_of_what_tls_needs_is_refused(
    session: Session, certificate: tuple[Path, Path], given: str
) -> None:
    halves: dict[str, tuple[Path | None, Path | None]] = {
        "certificate": (certificate[0], None),
        "key": (None, certificate[1]),
        "wrong": (certificate[1], certificate[0]),
        "missing": (Path("none.pem"), Path("none.pem")),
    }
    with (
        pytest.raises(CommandError, match=r"--tls-key|no certificate"),
        gateway_of(session, "127.0.0.1:0", TOKEN, (), *halves[given]),
    ):
        pass


@pytest.mark.parametrize(
    "token", ["short", "x" * 300, "with spaces in the token", "umläute-are-not-for-urls"]
)
def test_a_token_that_can_not_be_one_is_refused(session: Session, token: str) -> None:
    with pytest.raises(CommandError, match="16 characters"), gateway_of(session, "", token):
        pass


def test_each_gateway_makes_a_token_of_its_own(session: Session) -> None:
    with gateway_of(session, "127.0.0.1:0") as one, gateway_of(session, "127.0.0.1:0") as other:
        assert one.token != other.token
        assert len(one.token) >= 32
        assert refused(one.url.replace(one.token, other.token)).response.status_code == 403


def test_an_address_that_is_taken_is_refused_with_what_to_do(
    gateway: Gateway, session: Session
) -> None:
    with pytest.raises(CapacityError, match=r"127\.0\.0\.1:0"):
        gateway_of(session, f"127.0.0.1:{gateway.address.port}").__enter__()
    with pytest.raises(CommandError, match="address"):
        gateway_of(session, "127.0.0.1:99999").__enter__()


def test_there_are_only_so_many_connections(gateway: Gateway) -> None:
    peers = [Peer(gateway.url) for _ in range(MOST_CONNECTIONS)]
    try:
        assert peers[-1].hello()["is"] == "welcome"
        assert refused(gateway.url).response.status_code == 503
        peers.pop().close()
        assert let_in(gateway)
    finally:
        for peer in peers:
            peer.close()


def let_in(gateway: Gateway) -> bool:
    """Try until there is room."""
    while True:
        try:
            with Peer(gateway.url) as peer:
                return bool(peer.hello()["is"] == "welcome")
        except InvalidStatus as full:
            assert full.response.status_code == 503


def test_what_is_no_handshake_hurts_nobody(gateway: Gateway) -> None:
    for message in (
        b"",
        b"GET /\r\n\r\n",
        b"\x00" * 1000,
        b"POST / HTTP/1.1\r\n\r\n",
        b"A" * 100_000,
    ):
        with socket.create_connection(("127.0.0.1", gateway.address.port)) as stranger:
            stranger.sendall(message)
            stranger.shutdown(socket.SHUT_WR)
            stranger.settimeout(LIMIT)
            try:
                while stranger.recv(1000):
                    pass
            except ConnectionResetError:
                pass  # it was still sending
    with Peer(gateway.url) as peer:
        assert peer.hello()["is"] == "welcome"


# --- what is read -------------------------------------------------------------------------------


def asked(peer: Any, **ask: Any) -> Any:
    peer.send(json.dumps({"origin": "", "sequence": 1, "ask": ask}))
    return peer.recv(timeout=LIMIT)


def test_hello_comes_first_and_gives_a_name(gateway: Gateway) -> None:
    with Peer(gateway.url) as peer:
        for ask in (
            {"do": "snapshot"},
            {"do": "subscribe"},
            {"do": "register_game", "name": "g"},
            {"do": "paused"},
        ):
            assert peer.ask(**ask)["kind"] == "hello"
        welcome = peer.hello("tool")
        assert (welcome["events"], welcome["times"]) == (0, 0)
        peer.origin = "somebody else"
        assert peer.ask(do="snapshot")["kind"] == "hello"
        assert peer.ask(do="subscribe")["kind"] == "hello"


def test_another_version_is_answered_so(gateway: Gateway) -> None:
    with Peer(gateway.url) as peer:
        answer = peer.ask(do="hello", name="new", protocol=[3, 0])
        assert answer["kind"] == "version"
        assert "protocol {}.{}".format(*PROTOCOL) in answer["message"]


@pytest.mark.parametrize(
    "text",
    [
        "", "{", "[]", "null", "12", '"hello"', "{}", '{"origin": 1, "sequence": 1, "ask": {}}',
        '{"origin": "", "sequence": 9, "ask": {"do": "fly"}}',
        '{"origin": "", "sequence": 9, "ask": {"do": "step"}}',
        '{"origin": "", "sequence": 9, "ask": {"do": "step", "frames": "many"}}',
        '{"origin": "", "sequence": 9, "ask": {"do": "step", "frames": 1.5}}',
        '{"origin": "", "sequence": 9, "ask": {"do": "objects", "frame": 1e999}}',
        "[" * 100_000, '{"a":' * 50_000, "\x00", "ü" * 1000,
    ],
)  # fmt: skip
def test_what_is_no_request_is_answered_and_costs_only_itself(gateway: Gateway, text: str) -> None:
    with Peer(gateway.url) as peer:
        peer.hello()
        peer.socket.send(text)
        answer = json.loads(peer.socket.recv(timeout=LIMIT))["answer"]
        kind = "command" if '"frames": ' in text else "malformed"  # a known one, of no sense
        assert (answer["is"], answer["kind"]) == ("error", kind)
        assert peer.ask(do="status")["bus"]["malformed"] == 1


def test_numbers_may_come_as_text_and_as_whole_floats(session: Session, gateway: Gateway) -> None:
    for _ in range(3):
        session.update(0.1)
    with Peer(gateway.url) as peer:
        peer.hello()
        for frame in (2, "2", 2.0):
            assert peer.ask(do="objects", frame=frame)["frame"] == 2


def test_a_text_that_is_too_long_ends_its_connection_and_no_other(gateway: Gateway) -> None:
    with Peer(gateway.url) as good, Peer(gateway.url) as bad:
        good.hello()
        bad.hello()
        fits = {"do": "log", "line": {"text": "x" * (MOST_BYTES - 200)}}
        assert bad.ask(**fits)["is"] == "done"
        bad.socket.send("x" * (MOST_BYTES + 1))
        assert bad.closed() == 1009
        assert good.ask(do="snapshot")["is"] == "snapshot"


def test_a_short_text_of_long_characters_is_measured_in_bytes(gateway: Gateway) -> None:
    with Peer(gateway.url) as bad:
        bad.socket.send("𝄞" * (MOST_BYTES // 4 + 1))
        assert bad.closed() == 1009


def test_a_binary_message_that_is_too_long_ends_the_connection(gateway: Gateway) -> None:
    with Peer(gateway.url) as bad:
        bad.socket.socket.sendall(b"\x82\xff" + (65 << 20).to_bytes(8, "big") + bytes(4))
        assert bad.closed() == 1009
    with Peer(gateway.url) as peer:
        assert peer.hello()["is"] == "welcome"


def test_only_a_game_may_send_frames_and_where_python_runs_there_is_none(gateway: Gateway) -> None:
    with Peer(gateway.url) as peer:
        peer.hello()
        assert "own process" in peer.ask(do="register_game", name="me")["message"]
        assert peer.ask(do="define_type", number=32, name="t")["kind"] == "command"
        peer.socket.send(_ring.image_encode(1, 0.0, 0.0, 0, []))
        assert peer.closed() == 1003


def test_who_hangs_up_is_no_tool_any_more(gateway: Gateway) -> None:
    with Peer(gateway.url) as stays:
        stays.hello("stays")
        stays.ask(do="subscribe", topics=["tools"], time=False)
        with Peer(gateway.url) as goes:
            goes.hello("goes")
        tools = ["", ""]
        while tools != ["stays#1"]:
            tools = stays.next("event")["event"]["tools"]


def test_who_only_listens_is_not_taken_to_be_gone(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gateway_module, "_HEARD_EVERY", 0.02)
    monkeypatch.setattr(request_dispatcher, "SILENT_FOR", 0.4)
    session.update(0.1)
    with gateway_of(session) as gateway, Peer(gateway.url) as peer:
        peer.hello()
        peer.ask(do="subscribe", topics=[], time=True)
        for _ in range(5):  # four a second
            peer.next("mode")
        assert peer.ask(do="snapshot")["tools"] == [peer.origin]


# --- what it answers ----------------------------------------------------------------------------


def test_a_tool_on_the_gateway_moves_the_playhead_and_follows_it(
    session: Session, gateway: Gateway
) -> None:
    for step in range(5):
        session.log(f"step {step}")
        session.update(0.1)
    with Peer(gateway.url) as peer:
        peer.hello()
        assert peer.ask(do="subscribe", topics=["span"], time=True) == {"is": "done"}
        assert peer.next("mode")["frame"] == 5
        sequence = peer.post(do="seek_frame", frame=2)
        while session.live:
            session.update(0.1)
        answer = peer.answer(sequence)
        assert answer["state"]["frame"] == 2
        while (result := peer.next("mode"))["sequence"] != answer["time"]:
            pass
        assert (result["mode"], result["frame"]) == ("paused", 2)
        assert [line["text"] for line in peer.ask(do="statements", frame=2)["log"]] == ["step 1"]
        image = base64.b64decode(peer.ask(do="frame", frame=2)["image"])
        assert _ring.image_stamp(image)[0] == 2


def test_who_reads_slowly_on_the_gateway_hears_of_each_discrete_move(
    session: Session, gateway: Gateway
) -> None:
    for _ in range(200):
        session.update(0.1)
    with Peer(gateway.url) as peer:
        peer.hello()
        assert peer.ask(do="subscribe", topics=[], time=True) == {"is": "done"}
        assert peer.next("mode")["frame"] == 200
        session.apply(Enter(), now=True)
        for _ in range(150):
            session.apply(Step(-1))
        session.leave()
        session.update(0.1)
        heard: list[tuple[str, int]] = []
        while len(heard) < 152:
            result = peer.next("mode")
            if result.get("discrete") and not result.get("repeated"):
                heard.append((result["mode"], result["frame"]))
        steps = [("paused", frame) for frame in range(199, 49, -1)]
        assert heard == [("paused", 200), *steps, ("live", 200)]


def test_a_newcomer_hears_how_things_stand(session: Session, gateway: Gateway) -> None:
    session.update(0.1)
    with Peer(gateway.url) as peer:
        peer.hello()
        for _ in range(3):  # and whoever asks again is told again
            peer.ask(do="subscribe", topics=["span"], time=True)
            peer.heard.clear()
            assert peer.next("event")["event"]["span"][1] == 1
            peer.heard.clear()
            assert peer.next("mode")["frame"] == 1
        peer.ask(do="subscribe", topics=[], time=False)
        wait_for_subscribers(session, "span", False)


def test_events_come_by_topic_until_the_client_unsubscribes(
    session: Session, gateway: Gateway
) -> None:
    with Peer(gateway.url) as peer:
        peer.hello()
        peer.ask(do="subscribe", topics=["log", "mark"], time=False)
        wait_for_subscribers(session, "log")
        session.log("one")
        session.mark("a mark")
        session.update(0.1)
        heard = {}
        while set(heard) != {"log", "mark"}:
            event = peer.next("event")["event"]
            heard[event["what"]] = event
        assert heard["log"]["lines"] == [
            {"text": "one", "file": __file__, "line": heard["log"]["lines"][0]["line"]}
        ]
        assert heard["mark"]["mark"]["name"] == "a mark"
        assert "no topic" in peer.ask(do="subscribe", topics=["log", "gossip"])["message"]
        peer.ask(do="subscribe", topics=["mark"], time=False)
        wait_for_subscribers(session, "log", False)
        peer.heard.clear()
        session.log("two")
        session.mark("another")
        session.update(0.1)
        assert peer.next("event")["event"]["what"] == "mark"


def test_an_event_that_json_can_not_say_is_counted_and_the_next_one_comes(
    session: Session, gateway: Gateway
) -> None:
    assert session.bus is not None
    with Peer(gateway.url) as peer:
        peer.hello()
        peer.ask(do="subscribe", topics=["event"], time=False)
        wait_for_subscribers(session, "event")
        for value in ({None: 1}, "fine"):
            session.event("hit", value)
            session.update(0.1)
        assert peer.next("event")["event"]["events"] == [[0, "hit", "fine"]]
        assert session.bus.status.events_dropped == 1


def wait_for_subscribers(session: Session, topic: str, expected: bool = True) -> None:
    assert session.bus is not None

    def is_wanted() -> bool:
        session.update(0.1)
        return session.bus._publisher.has_subscribers(topic) is expected

    until(is_wanted)


@pytest.fixture
def short_queues(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(publisher, "_EVENTS_QUEUED", 10)
    monkeypatch.setattr(feed, "_QUEUED", 10)


@pytest.mark.usefixtures("short_queues")
def test_a_connection_that_does_not_read_holds_nobody_up(
    session: Session, gateway: Gateway
) -> None:
    with deaf_peer(gateway) as deaf, Peer(gateway.url) as good:
        good.hello()
        message = heard_by(deaf, origin="", sequence=1, ask=hello("deaf"))
        origin = json.loads(message)["answer"]["origin"]
        listen = {"do": "subscribe", "topics": ["log"], "time": True}
        heard_by(deaf, origin=origin, sequence=2, ask=listen)
        wait_for_subscribers(session, "log")
        assert session.bus is not None
        while not session.bus.status.events_dropped:
            session.log("x" * 100_000)
            session.update(0.1)
        assert good.ask(do="snapshot")["is"] == "snapshot"


@contextmanager
def deaf_peer(gateway: Gateway) -> Iterator[socket.socket]:
    """A WebSocket by hand, which reads nothing unless it is told to."""
    at = urlsplit(gateway.url)
    with socket.create_connection((at.hostname or "", at.port or 0), timeout=LIMIT) as line:
        line.sendall((
            f"GET /?{at.query} HTTP/1.1\r\nHost: {at.netloc}\r\nUpgrade: websocket\r\n"
            "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
        ).encode())  # fmt: skip
        while not line.recv(4096).endswith(b"\r\n\r\n"):
            pass
        yield line


def hello(name: str) -> dict[str, Any]:
    return {"do": "hello", "name": name, "protocol": [2, 0]}


def heard_by(line: socket.socket, **request: Any) -> bytes:
    """Send a request and read its short answer."""
    data = json.dumps(request).encode()
    # A text of 126 to 65,535 bytes, masked with nothing.
    padded = data.ljust(126)
    line.sendall(b"\x81\xfe" + len(padded).to_bytes(2, "big") + bytes(4) + padded)
    output = line.recv(1 << 16)
    return output[output.index(b"{") :]


def test_a_flood_of_questions_is_answered_in_order(session: Session, gateway: Gateway) -> None:
    session.update(0.1)
    with Peer(gateway.url) as peer, Peer(gateway.url) as other:
        peer.hello()
        other.hello()
        first = peer.sequence + 1
        for _ in range(3000):
            peer.post(do="objects", frame=1)
        assert other.ask(do="snapshot")["is"] == "snapshot"
        for sequence in range(first, first + 3000):
            message = json.loads(peer.socket.recv(timeout=LIMIT))
            assert message["sequence"] == sequence


def test_closing_the_gateway_hangs_up_and_leaves_the_bus_running(session: Session) -> None:
    with gateway_of(session) as gateway, Peer(gateway.url) as peer:
        peer.hello()
        gateway.close()
        assert peer.closed() == 1001
    with gateway_of(session) as gateway, Peer(gateway.url) as peer:
        assert peer.hello()["is"] == "welcome"


def test_a_flood_of_frames_waits_for_the_recorder_and_is_recorded_completely() -> None:
    with served(memory="4 MiB") as serving, Game(serving.url) as game:
        big = dict.fromkeys(range(1, 2001), (32, 1.0))
        for _ in range(500):  # 40 MB, more than may wait
            game.frame(big)
        assert game.ask(do="log", line={"text": "after"})["is"] == "done"
        assert frames_of(serving) == 500
        assert serving.service.status.frames_refused == 0


def test_a_game_that_nobody_records_is_read_no_further_than_a_bound(session: Session) -> None:
    assert session.bus is not None
    link = GameQueue(lambda: None)
    big, count = bytes(1 << 20), 100
    with (
        closing(Gateway(session.bus, GatewaySettings("127.0.0.1:0"), link)) as gateway,
        Peer(gateway.url) as game, Peer(gateway.url) as other,
    ):  # fmt: skip
        game.hello()
        other.hello()
        game.post(do="register_game", name="g")
        sender = threading.Thread(target=lambda: [game.socket.send(big) for _ in range(count)])
        sender.start()
        for _ in range(300):
            other.ask(do="snapshot")
            assert link.waiting <= game_link.MOST_BYTES // len(big) + 1
        assert sender.is_alive()
        taken = 0
        while taken < count:
            taken += isinstance(link.take(), GameFrame)
        sender.join()


@pytest.mark.slow
def test_a_game_that_reads_no_complaints_gets_only_some_of_them() -> None:
    with served() as serving, deaf_peer(serving.gateway) as game:
        message = heard_by(game, origin="", sequence=1, ask=hello("deaf"))
        origin = json.loads(message)["answer"]["origin"]
        heard_by(game, origin=origin, sequence=2, ask={"do": "register_game", "name": "deaf"})
        (connection,) = serving.gateway._peers
        wrong, sent, full = b"\x82\x8a" + bytes(4 + 10), 0, 0
        with Peer(serving.url) as other:
            other.hello()
            while full < 3:
                game.sendall(wrong * 1000)
                sent += 1000
                while other.ask(do="status")["bus"]["frames_refused"] < sent:
                    pass
                waiting = connection._outbox.qsize()
                assert waiting <= COMPLAINTS
                full += waiting == COMPLAINTS


def frames_of(serving: Served) -> int:
    return serving.session.status.frames


def test_whatever_hinders_the_gateway_from_listening_is_raised_where_it_is_made(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(_: Gateway) -> None:
        raise ArithmeticError("a mistake of ours")

    monkeypatch.setattr(Gateway, "_listen", broken)
    with pytest.raises(ArithmeticError, match="a mistake of ours"), gateway_of(session):
        pass


def test_a_peer_that_does_not_come_to_its_end_in_time_is_not_waited_for() -> None:
    ended: list[str] = []

    async def end(peer: str) -> None:
        try:
            await asyncio.sleep(0.0 if peer == "quick" else LIMIT)
        finally:
            ended.append(peer)

    with asyncio.Runner() as runner:
        runner.run(gateway_module._all(["stuck", "quick"], end, 0.01))
        runner.run(asyncio.sleep(0.0))
        assert ended == ["quick", "stuck"]
