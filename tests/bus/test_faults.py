"""What may go wrong, by accident or on purpose, and that it costs nobody else anything.

After each of these the service lives and answers the next tool at once, what was dropped is in its
status, and the game goes on at the pace that it has when other programs keep the machine as busy.
"""

import json
import os
import re
import signal
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import zmq

from playhead.bus.client.client import Client
from playhead.bus.messages.address import Address
from playhead.bus.messages.encryption_keys import ClientKeys, ServerKeys, load, load_public, make
from playhead.bus.messages.message import PROTOCOL
from playhead.bus.messages.message_types import Request
from playhead.bus.messages.msgpack_codec import packed
from playhead.bus.messages.requests import GetSnapshot, Hello
from playhead.bus.messages.responses import CommandDone
from playhead.bus.server.bus_settings import BusSettings
from playhead.errors import BusError, CapacityError, CommandError, RecordingError
from playhead.playback.commands import SeekFrame

from ..support.waits import until

ATTACKERS = 2
FRAMES = 200
"""Frames whose times are taken, with and without."""
RATE = 200.0
MEASURES = ("median", "p99")
"""Seconds that frames take. The least of three measurements counts."""
SLOWER = 5.0
"""How many times as long a frame may take, with processors that others use as well …"""
FLOOR = 0.012
"""… or seconds, whatever is more: less than a frame at 60 Hz."""


@pytest.fixture
def measured(program: Callable[..., Any]) -> Iterator[Any]:
    """A game in a process of its own that times its frames."""
    return Measured(program)


class Measured:
    def __init__(self, program: Callable[..., Any]) -> None:
        self.start = program
        self.game = program("game", "tcp://127.0.0.1:*", RATE, 50)
        self.endpoint = self.game.line()

    def times(self) -> dict[str, Any]:
        self.game.say("start")
        pause = threading.Event()
        result: dict[str, Any] = {"frames": 0}
        while result["frames"] < FRAMES:
            pause.wait((FRAMES - result["frames"]) / RATE)
            self.game.say("report")
            result = json.loads(self.game.line())
        return result

    def against(
        self, name: str, *arguments: object, enough: Callable[[dict[str, Any]], bool]
    ) -> dict[str, Any]:
        """Frame times while programs run against it: the least of up to three measurements."""
        programs = [self.start(name, *arguments) for _ in range(ATTACKERS)]
        for one in programs:
            assert one.line() == "going"
        times = self.times()
        # Other programs of the machine can only make frames longer; an attack that does is at work
        # in each of the measurements.
        for _ in range(2):
            if enough(times):
                break
            again = self.times()
            times |= {measure: min(times[measure], again[measure]) for measure in MEASURES}
        assert all(one.poll() is None for one in programs), "an attacker has given up"
        self.answers()
        for one in programs:
            one.kill()
        return times

    def answers(self) -> Any:
        with Client(self.endpoint, timeout=20) as client:
            return client.status().bus

    def memory(self) -> int:
        """Bytes of the game that are in memory."""
        pages = Path(f"/proc/{self.game.pid}/statm").read_text().split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")

    def end(self) -> None:
        self.game.say("end")
        assert self.game.line() == "ended"
        assert self.game.wait() == 0


def keeps_its_pace(calm: dict[str, Any], attacked: dict[str, Any]) -> bool:
    return all(attacked[measure] <= max(SLOWER * calm[measure], FLOOR) for measure in MEASURES)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "counted"),
    [
        pytest.param("random_bytes", None, id="random bytes"),
        pytest.param("damaged", "malformed", id="truncated messages, wrong types"),
        pytest.param("questions", "requests", id="floods: valid questions"),
        pytest.param("commands", "requests", id="floods: commands"),
        pytest.param("deaf", None, id="subscribers that never read"),
        pytest.param("half_a_handshake", None, id="half a handshake"),
        pytest.param("oversized", None, id="oversized messages"),
        pytest.param("never_reads", "requests", id="answers never read"),
        pytest.param("statements", "requests", id="floods: statements"),
        pytest.param("instructions", "requests", id="floods: instructions"),
        pytest.param("restless", "published", id="restless subscribers"),
        pytest.param("newcomers", "requests", id="floods: newcomers"),
        pytest.param("fights", "requests", id="fights over the cursor"),
    ],
)
def test_under_attack_the_service_answers_and_the_game_keeps_its_pace(kind, counted, measured):
    before = measured.memory()
    calm = measured.against("busy", enough=lambda times: True)
    attacked = measured.against(
        "attack", kind, measured.endpoint, enough=lambda times: keeps_its_pace(calm, times)
    )
    status = measured.answers()
    if counted is not None:
        assert getattr(status, counted) > 100
    assert status.faults == 0, status.newest_fault
    assert measured.memory() - before < 200 << 20
    measured.end()
    if kind == "fights":  # then it stands still, and shows a frame each time
        return
    assert attacked["live"]
    assert keeps_its_pace(calm, attacked), f"{attacked} against {calm}"


def test_messages_that_are_too_large_end_their_connection_only(game, tool):
    one = game()
    one.run(3)
    client = tool(one)
    with zmq.Context() as context:
        rude = context.socket(zmq.DEALER)
        rude.linger = 0
        rude.connect(one.endpoint)
        monitor = rude.get_monitor_socket(zmq.EVENT_DISCONNECTED)
        rude.send(b"x" * (2 << 20))
        assert monitor.poll(20_000), "it was taken"
        rude.disable_monitor()
        monitor.close()
        rude.close()
    assert client.find(99.0) == 3


def test_random_bytes_on_every_port_change_nothing(game, tool):
    one = game()
    one.run(3)
    client = tool(one)
    welcome = client.welcome
    for port in (Address.of(one.endpoint).port, welcome.events, welcome.times):
        for data in (b"", b"\0" * 100, b"GET / HTTP/1.1\r\n\r\n", b"\xff" * 5000, os.urandom(3000)):
            with socket.create_connection(("127.0.0.1", port), timeout=20) as wire:
                wire.sendall(data)
    assert client.find(99.0) == 3
    heard: list[int] = []
    client.on_time(lambda time: heard.append(time.frame))
    one.run(1)
    client.dispatch(5.0)
    assert heard


def test_wrong_types_in_every_field_are_answered_by_name(game):
    import msgspec

    one = game()
    one.run(1)
    with zmq.Context() as context, context.socket(zmq.DEALER) as wire:
        wire.linger = 0
        wire.connect(one.endpoint)
        whole = {
            "origin": "",
            "sequence": 7,
            "ask": {"do": "hello", "name": "x", "protocol": [2, 0]},
        }
        for field in ("origin", "sequence", "ask", "name", "protocol"):
            for wrong in (None, -1.5, {}, [], True, {"do": "hello"}, "x" * 10, b"\xff"):
                result = {**whole, "ask": {**whole["ask"]}}
                (result if field in result else result["ask"])[field] = wrong
                if (field, wrong) in (("origin", "x" * 10), ("name", "x" * 10)):
                    continue
                wire.send(msgspec.msgpack.encode(result))
                assert wire.poll(20_000)
                answer = msgspec.msgpack.decode(wire.recv())
                assert answer["sequence"] == (0 if field == "sequence" else 7)
                assert answer["answer"]["is"] == "error"
                assert answer["answer"]["kind"] == "malformed"
                assert field in answer["answer"]["message"] or field == "ask"


@pytest.mark.slow
def test_subscribers_that_never_read_lose_events_and_the_loss_is_shown(game, tool):
    one = game(memory="4 MiB")
    client = tool(one)
    with zmq.Context() as context, context.socket(zmq.SUB) as lazy:
        lazy.linger, lazy.rcvhwm, lazy.rcvbuf = 0, 1, 4096
        lazy.connect(Address.of(one.endpoint).at(client.welcome.events).endpoint)
        lazy.subscribe("log")
        heard: list[int] = []
        client.on("log", lambda event: heard.append(event.event.frame))
        client.dispatch(0.3)

        def talk() -> None:
            for _ in range(20):
                for _ in range(20):
                    one.session.log("x" * 1000)
                one.stage.run(1)

        frames = 0
        while not client.status().bus.events_dropped:
            frames += 20
            assert frames < 20_000, "nothing was dropped"
            one.do(talk)
            while client.dispatch():
                pass
        while len(heard) < frames and client.dispatch(2.0):
            pass
        assert heard == list(range(1, frames + 1)), "who reads misses nothing"


@pytest.mark.parametrize("number", [1, pytest.param(5, marks=pytest.mark.slow)])
def test_clients_that_die_in_mid_command_take_nothing_along(number, game, tool, program):
    one = game(memory="4 MiB")
    one.run(50)
    for _ in range(number):
        dying = [program("attack", "fights", one.endpoint) for _ in range(2)]
        for each in dying:
            assert each.line() == "going"
        for each in dying:
            os.kill(each.pid, signal.SIGKILL)
            each.wait()
        client = tool(one)
        assert client.seek(frame=7).frame == 7
        assert client.snapshot().time.frame == 7
        client.leave()
        one.run(2)
    until(lambda: not one.bus.status.faults)


def test_a_tool_that_dies_right_after_it_asked_is_answered_into_nothing(game, tool):
    one = game()
    one.run(5)
    with one.in_a_debugger():
        for _ in range(5):
            with zmq.Context() as context, context.socket(zmq.DEALER) as wire:
                wire.connect(one.endpoint)
                wire.send(packed(Request(origin="", sequence=1, body=Hello("x", PROTOCOL))))
                assert wire.poll(20_000)
                wire.recv()
                wire.send(packed(Request(origin="x#1", sequence=2, body=GetSnapshot())))
    assert tool(one).enter().frame == 5


def test_ten_tools_fight_over_the_cursor_and_all_see_the_same(game, tool):
    one = game(memory="4 MiB")
    one.run(100)
    watcher = tool(one, conflate=False)
    seen: list[Any] = []
    watcher.on_time(seen.append)
    watcher.dispatch(0.5)
    watcher_sequence = watcher.time.sequence
    received: dict[tuple[str, int], list[int]] = {}
    lock = threading.Lock()
    problems: list[BaseException] = []

    def fight(number: int) -> None:
        try:
            with Client(one.endpoint, name=f"fighter {number}", timeout=20) as client:
                for turn in range(15):
                    frame = 1 + (number * 37 + turn * 11) % 100
                    answer = client.asked(SeekFrame(frame), CommandDone)
                    assert answer.state.frame == frame
                    with lock:
                        received.setdefault((client.origin, frame), []).append(answer.time)
        except BaseException as error:
            problems.append(error)

    threads = [threading.Thread(target=fight, args=(number,)) for number in range(10)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        watcher.dispatch(0.02)
    for thread in threads:
        thread.join()
    assert problems == []
    last = one.bus.newest_time()
    until(lambda: seen[-1].sequence == last, watcher)
    fresh = [time for time in seen if time.sequence > watcher_sequence]
    assert [time.sequence for time in fresh] == list(range(watcher_sequence + 1, last + 1))
    message = {time.sequence: time for time in fresh}
    assert {(time.origin, time.frame) for time in fresh} <= set(received)
    for (_, frame), numbers in received.items():  # perhaps another had gone there just before
        assert {message[number].frame for number in numbers} == {frame}
    assert one.session.playhead.frame == fresh[-1].frame
    tools = [tool(one) for _ in range(3)]
    assert {client.time.frame for client in tools} == {fresh[-1].frame}


def test_two_services_on_one_port_are_refused_also_from_another_process(game, tool, program):
    one = game()
    one.run(2)
    second = program("game", one.endpoint, 60, 1)
    assert second.line() == ""
    assert second.wait() != 0
    with pytest.raises(CapacityError, match=re.escape(one.endpoint)):
        game(bus=one.endpoint)
    assert tool(one).find(99.0) == 2


# --- keys ---------------------------------------------------------------------------------------


class Locked:
    """A service's keys, those of a tool that it knows, and of one that it does not."""

    def __init__(self, folder: Path) -> None:
        self.clients = folder / "clients"
        self.clients.mkdir()
        _, service = make("service", folder)
        public, listed = make("listed", folder)
        _, unlisted = make("unlisted", folder)
        _, other = make("other", folder)
        (self.clients / public.name).write_bytes(public.read_bytes())
        self.lock = ServerKeys(load(service), self.clients)
        self.server = load_public(service)
        self.right = ClientKeys(load(listed), self.server)
        self.unlisted = ClientKeys(load(unlisted), self.server)
        self.wrong_server = ClientKeys(load(listed), load_public(other))


@pytest.fixture
def locked(tmp_path: Path) -> Locked:
    return Locked(tmp_path)


def settings(locked: Locked, address: str = "tcp://127.0.0.1:*") -> BusSettings:
    return BusSettings(address, locked.lock)


def test_the_right_key_works_for_everything(game, tool, locked):
    one = game(bus=settings(locked))
    one.run(20)
    client = tool(one, keys=locked.right, name="mine")
    received: list[int] = []
    marks: list[str] = []
    client.on_time(lambda time: received.append(time.frame), own=True)
    client.on("mark", lambda event: marks.append(event.event.mark.name))
    client.dispatch(0.3)
    client.mark("through the lock")
    client.flush()
    one.run(1)
    until(lambda: marks, client)
    assert client.seek(frame=7).frame == 7
    until(lambda: received[-1] == 7, client)


def test_off_loopback_it_works_with_keys(game, tool, locked):
    one = game(bus=settings(locked, "0.0.0.0:*"))
    one.run(3)
    port = Address.of(one.endpoint).port
    client = tool(f"127.0.0.1:{port}", keys=locked.right)
    assert client.find(99.0) == 3


@pytest.mark.parametrize("keys", ["none", "unlisted", "wrong_server"])
def test_an_unlisted_client_or_a_wrong_key_is_not_answered_and_others_are(keys, game, tool, locked):
    one = game(bus=settings(locked))
    one.run(3)
    known = tool(one, keys=locked.right)
    with pytest.raises(BusError, match="keys right"):
        Client(one.endpoint, keys=getattr(locked, keys, None), timeout=0.7)
    assert one.bus.status.tools == (known.origin,)
    assert known.find(99.0) == 3
    assert one.bus.status.requests == 2


@pytest.mark.parametrize("mechanism", [b"NULL", b"PLAIN", b"CURVE"])
def test_wrong_key_nothing_is_revealed(mechanism, game, tool, locked):
    one = game(bus=settings(locked), about={"secret": "the moon"})
    one.run(3)
    known = tool(one, keys=locked.right)
    for port in (Address.of(one.endpoint).port, known.welcome.events, known.welcome.times):
        heard = b""
        with socket.create_connection(("127.0.0.1", port), timeout=20) as wire:
            greeting = b"\xff" + b"\0" * 8 + b"\x7f\x03\x01" + mechanism.ljust(20, b"\0")
            heard += wire.recv(10)  # it begins by itself
            wire.sendall(greeting.ljust(64, b"\0"))
            ready = b"\x05READY\x0bSocket-Type\x00\x00\x00\x06DEALER"
            hello = (
                b"\x05HELLO\x01\x00"
                + b"\0" * 72
                + os.urandom(32)
                + struct.pack(">Q", 1)
                + b"x" * 80
            )
            wire.settimeout(0.5)
            for command in (b"", ready, hello, ready):
                try:
                    if command:
                        wire.sendall(b"\x04" + bytes([len(command)]) + command)
                    while more := wire.recv(4096):
                        heard += more
                except (TimeoutError, ConnectionError):
                    continue
        # ZeroMQ's own greeting and, at most, the word that something is wrong.
        assert heard[:1] == b"\xff"
        assert len(heard) <= 64 + 32
        for word in (b"READY", b"WELCOME", b"ROUTER", b"PUB", one.bus.name.encode(), b"moon"):
            assert word not in heard


def test_what_is_sent_can_not_be_read_on_the_way(game, tool, locked):
    one = game(bus=settings(locked), about={"secret": "the moon"})
    one.run(3)
    address = Address.of(one.endpoint)
    heard: list[bytes] = []
    listener = socket.create_server(("127.0.0.1", 0))
    stop = threading.Event()

    def carry(here: socket.socket, there: socket.socket) -> None:
        here.settimeout(0.05)
        while not stop.is_set():
            try:
                data = here.recv(65536)
            except TimeoutError:
                continue
            except OSError:
                return
            if not data:
                return
            heard.append(data)
            there.sendall(data)

    def relay() -> None:
        here, _ = listener.accept()
        there = socket.create_connection((address.host, address.port))
        with here, there:
            threads = [
                threading.Thread(target=carry, args=pair) for pair in ((here, there), (there, here))
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()

    relaying = threading.Thread(target=relay)
    relaying.start()
    with zmq.Context() as context, context.socket(zmq.DEALER) as wire:
        wire.linger = 0
        for name, value in locked.right.client_options.items():
            setattr(wire, name, value)
        wire.connect(f"tcp://127.0.0.1:{listener.getsockname()[1]}")
        wire.send(packed(Request(origin="", sequence=1, body=Hello("spy story", PROTOCOL))))
        assert wire.poll(20_000)
        assert b"the moon" in wire.recv()
    stop.set()
    relaying.join()
    listener.close()
    passed = b"".join(heard)
    assert len(passed) > 500
    assert b"moon" not in passed
    assert b"spy story" not in passed


@pytest.mark.parametrize("address", ["0.0.0.0:*", "*:*", "[::]:*", "tcp://192.0.2.7:5670"])
def test_off_loopback_without_keys_is_refused_saying_how(address, game):
    with pytest.raises(RecordingError) as raised:
        game(bus=address)
    assert "playhead keys" in str(raised.value)
    assert address in str(raised.value)


def test_a_lock_without_anybodys_key_is_refused_and_leaves_nothing_open(game, tmp_path):
    _, service = make("service", tmp_path)
    empty = tmp_path / "clients"
    empty.mkdir()
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(3):
        with pytest.raises(CommandError, match="public keys"):
            game(bus=BusSettings("127.0.0.1:*", ServerKeys(load(service), empty)))
    assert len(os.listdir("/proc/self/fd")) <= before + 3
