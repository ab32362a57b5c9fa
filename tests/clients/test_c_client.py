"""Tests of clients/c: its example against a real gateway, and against what no gateway says."""

import base64
import itertools
import json
import os
import random
import shutil
import socket
import struct
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from ..support.process import run_process
from .support.control_promises import ControlPromises
from .support.promises import Alone, Example, ProcessRun, Promises
from .support.speaking import NONE, Speaking, framed, image, mutated, order

SOURCE = Path(__file__).parents[2] / "clients" / "c"
WARNINGS = ("-Wall", "-Wextra", "-Wshadow", "-Wpointer-arith", "-Wconversion", "-Werror")

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")


STRICT = (
    *("-std=c99", "-pedantic", "-O0", "-g"),
    *("-fsanitize=address,undefined", "-fno-sanitize-recover=all"),
)


def compiled(
    to: Path,
    *options: str,
    source: Path = SOURCE / "example_game.c",
    libraries: tuple[str, ...] = (),
) -> Path:
    """The example, compiled with these options."""
    run_process(
        os.environ.get("CC", "gcc"),
        *options,
        *WARNINGS,
        "-I",
        SOURCE,
        source,
        "-o",
        to,
        *libraries,
        check=True,
        limit=120,
    )
    return to


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example with everything that looks for mistakes."""
    return compiled(tmp_path_factory.mktemp("c") / "example", *STRICT)


@pytest.fixture(scope="module")
def alone(example: Path) -> Alone:
    return Alone.of([example, "--steps", "600"])


@pytest.fixture
def play(example: Path, alone: Alone) -> Iterator[Example]:
    with Example([example], alone) as play:
        yield play


class TestPromises(Promises):
    pass


@pytest.mark.slow
class TestControlPromises(ControlPromises):
    pass


@pytest.mark.slow
@pytest.mark.parametrize("standard", ["c99", "c11", "c17"])
def test_the_header_compiles_without_warnings(standard: str, tmp_path: Path) -> None:
    compiled(tmp_path / "example", f"-std={standard}", "-pedantic", "-O2", "-Wstrict-prototypes")


@pytest.mark.skipif(shutil.which("g++") is None, reason="g++ is not installed")
def test_the_header_compiles_as_cpp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "game.cpp"
    source.write_text('#define PLAYHEAD_IMPLEMENTATION\n#include "playhead.h"\nint main() {}\n')
    monkeypatch.setenv("CC", "g++")
    compiled(tmp_path / "game", "-std=c++17", "-pedantic", "-fsyntax-only", source=source)


# --- what no gateway says -----------------------------------------------------------------------


class Met(NamedTuple):
    """What became of a conversation."""

    applied: int
    """Packets that were put back."""
    error: bool
    dropped: bool


Converse = Callable[[list[bytes]], list[Met]]


@pytest.fixture(scope="module")
def converse(tmp_path_factory: pytest.TempPathFactory) -> Converse:
    """Hands bytes to the client as if they came from its service."""
    source = Path(__file__).with_name("hostile.c")
    program = compiled(tmp_path_factory.mktemp("hostile") / "hostile", *STRICT, source=source)

    def converse(conversations: list[bytes]) -> list[Met]:
        given = b"".join(struct.pack("<I", len(one)) + one for one in conversations)
        done = run_process(program, input=given, text=False, limit=120)
        assert done.returncode == 0, done.stderr.decode(errors="replace")
        rows = [line.split() for line in done.stdout.decode().splitlines()]
        return [Met(int(a), b == "1", c == "1") for a, b, c in rows]

    return converse


ROW = {"id": str(2**62), "type": "thi\n\U0001f3ae", "position": [1, -2.5e-3, 3],
       "angles": [0, 0, 0], "visible": False}  # fmt: skip
GOOD = framed(1, order(hide=[7, "9007199254740993"], unhide=[7], stand_ins=[ROW] * 3)) + framed(
    2, image([7, 8, 9])
)


@pytest.mark.slow
def test_a_complete_order_is_carried_out_also_in_pieces(converse: Converse) -> None:
    text, data = order(hide=[7]), image([7, 8, 9])
    pieces = framed(1, text[:20], end=False) + framed(9, b"are you there") + framed(0, text[20:])
    pieces += framed(2, data[:50], end=False) + framed(0, b"", end=False) + framed(0, data[50:])
    assert converse([GOOD, pieces]) == [Met(3, False, False)] * 2


@pytest.mark.slow
def test_a_damaged_image_puts_nothing_back(converse: Converse) -> None:
    """Every header field with a number that leads astray."""
    places = {"runs": (48, "<Q"), "bytes": (64, "<Q"), "count": (80, "<I"), "run": (96, "<I"),
              "packets": (100, "<I"), "stride": (104, "<I"), "size": (108, "<I")}  # fmt: skip
    conversations = []
    for at, form in places.values():
        whole = image([7, 8, 9])
        for value in (0, 1, 2, 8, 23, 2**31, 2**32 - 8, NONE - 7, NONE):
            value &= 2 ** (8 * struct.calcsize(form)) - 1
            if struct.unpack_from(form, whole, at)[0] != value:
                data = bytearray(whole)
                struct.pack_into(form, data, at, value)
                conversations.append(framed(1, order()) + framed(2, bytes(data)))
    whole = image([7, 8, 9])
    conversations += [framed(1, order()) + framed(2, whole[:size]) for size in range(0, 300, 7)]
    # A shorter size is another layout, which is not put back either.
    assert {met.applied for met in converse(conversations)} == {0}


@pytest.mark.slow
def test_packets_that_are_not_as_declared_are_left_alone(converse: Converse) -> None:
    strange = [image([7], size=16), image([7], size=32), image([7], type=33), image([7], type=9)]
    met = converse([framed(1, order()) + framed(2, data) for data in strange])
    assert met == [Met(0, True, False)] * 4


@pytest.mark.parametrize(
    "message",
    [b"{" * 100_000, b"[" * 100_000, b'{"order":' * 1000, b'{"order": {"order": "show"', b"\xff",
     b"", b"nul", b'{"order": {"order": "show", "image": true}} {}', b'{"order": "\\u12'],
)  # fmt: skip
def test_what_is_no_json_is_reported_and_passed_over(converse: Converse, message: bytes) -> None:
    assert converse([framed(1, message) + GOOD]) == [Met(3, True, False)]


@pytest.mark.parametrize(
    "bytes_",
    [b"\xc1\x01x", b"\x81\x81abcdx", b"\x83\x00", b"\x80\x00", b"\x09\x00", b"\x89\x7e\x00\x7e",
     b"\x82\x7f" + b"\xff" * 8, b"\x82\x7f\0\0\0\0\x7f\0\0\0", b"\x88\x02\x03\xe8"],
)  # fmt: skip
def test_what_is_no_websocket_ends_the_connection(converse: Converse, bytes_: bytes) -> None:
    """Reserved bits, masks, unknown opcodes, lengths that would need all memory; a close."""
    (met,) = converse([bytes_ + GOOD])
    assert met.dropped
    # Being dropped while it is paused gives the game its own state back: its newest frame's.
    assert met.applied == 0


CONTROL = b"".join(
    framed(1, order(**said))
    for said in (
        {"order": "call", "call": 3, "name": "f", "argument": {"x": [1, -2e3], "y": True}},
        {"order": "advance", "steps": 2},
        {"order": "pad", "player": 1, "left": [0.5, -1], "right_trigger": 0.25, "buttons": 3},
        {"order": "pause"},
        {"order": "resume"},
    )
)


@pytest.mark.parametrize(
    "message",
    [
        {"order": "pad", "player": 1, "left": [1e300, -1e300], "buttons": 2**40, "right": [1]},
        {"order": "pad", "player": 0, "left": 7, "left_trigger": -5, "right_trigger": 5},
        {"order": "call", "name": "f", "argument": "\n\U0001f3ae\x00"},
        {"order": "call", "call": "x", "name": "f" * 1000},
        {"order": "call", "call": 1, "name": "f", "argument": [[1e308, None]] * 90_000},
        {"order": "advance", "steps": -1},
        {"order": "advance", "steps": 2**63},
    ],
)
def test_strange_orders_to_a_game_that_is_played_are_reported_or_passed_over(
    converse: Converse, message: dict[str, Any]
) -> None:
    (met,) = converse(
        [CONTROL + framed(1, order(**message)) + framed(1, order(order="pause")) + GOOD]
    )
    assert (met.applied, met.dropped) == (3, False)


def test_a_pad_of_a_player_who_is_not_taken_is_reported(converse: Converse) -> None:
    players = (2, 2**63, "x", -1)
    met = converse([framed(1, order(order="pad", player=player)) for player in players])
    assert [one.error for one in met] == [True, True, False, False]  # no number: player 0


def test_mutated_conversations_never_harm_the_game(converse: Converse) -> None:
    """Four thousand of them, under the address and undefined-behaviour sanitizers."""
    choice = random.Random(7)
    answer = {"origin": "s", "sequence": 3, "answer": {"is": "error", "kind": "x", "message": "no"}}
    base = GOOD + framed(1, json.dumps(answer).encode()) + framed(9, b"ping") + GOOD
    looked = order(order="look_at", object=7, position=[1e300, -1e-300, 12345678901234567890123])
    base += framed(1, looked) + CONTROL + GOOD
    conversations = [mutated(choice, base) for _ in range(4000)]
    met = converse(conversations)
    assert len(met) == len(conversations)
    assert {True, False} == {one.dropped for one in met}


def test_what_it_states_reaches_the_service_as_it_was_given(tmp_path: Path) -> None:
    """Inputs and events of every kind; what is no JSON, or no number, is dropped and told."""
    source = Path(__file__).with_name("stating.c")
    program = compiled(tmp_path / "stating", *STRICT, source=source)
    with Speaking() as service:
        run = ProcessRun([program, service.url])
        try:
            service.welcome()
            message = service.step()
            end = run.next("end")
        finally:
            run.kill()
    stated = [(one["name"], one["value"]) for one in message if one["do"] in ("input", "event")]
    assert stated == [
        ("number", -0.1), ("text", 'a "b"\n?\u00e9'), ("bool", True), ("json", [1, {"a": None}]),
        ("map", {"left x": 0.5, "A": True, "who": "me", "list": [1, 2]}), ("empty", {}),
        ("hit", {"by": 7}), ("door", None),
    ]  # fmt: skip
    (hit,) = [one for one in message if one.get("name") == "hit"]
    assert hit["object"] == str(2**60)
    (phase,) = [one for one in message if one["do"] == "phase"]
    assert (phase["name"], Path(phase["file"]).name) == ("boss", "stating.c")
    assert phase["line"] > 1
    pictures = [one for one in message if one["do"] == "picture"]
    assert [base64.b64decode(one["data"]) for one in pictures] == [
        bytes(range(256))[:size] for size in range(5)
    ]
    assert {key: pictures[0][key] for key in ("format", "width", "height", "name")} == {
        "format": "webp", "width": 640, "height": 480, "name": "map",
    }  # fmt: skip
    assert [one["body"] for one in message if one["do"] == "publish"] == [{"level": 3}]
    assert end["dropped"] == end["errors"] == 7


def ended(peer: socket.socket) -> bool:
    """Whether the next that comes is the connection's end."""
    try:
        return peer.recv(1 << 16) == b""
    except ConnectionResetError:
        return True


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 403 Forbidden\r\n\r\n",
        b"HTTP/1.1 101 Switching\r\nSec-WebSocket-Accept: AAAAAAAAAAAAAAAAAAAAAAAAAAA=\r\n\r\n",
        b"SSH-2.0-OpenSSH_9\r\n\r\n",
        b"HTTP/1.1 101 Switching\r\n" + b"x" * 10_000,
        b"",
    ],
)
def test_what_is_no_gateway_is_tried_again(example: Path, answer: bytes) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(30)
        url = f"ws://127.0.0.1:{server.getsockname()[1]}/?token=x"
        game = ProcessRun([example, "--url", url, "--steps", "5"], stderr=subprocess.DEVNULL)
        try:
            for _ in range(2):
                peer, _ = server.accept()
                with peer:
                    peer.settimeout(30)
                    assert peer.recv(1 << 16).startswith(b"GET /?token=x HTTP/1.1\r\n")
                    peer.sendall(answer)
                    if answer:  # it hangs up without having said anything
                        assert ended(peer)
        finally:
            game.kill()


@pytest.mark.slow
def test_a_service_that_does_not_read_costs_frames_but_never_the_one_it_stands_at(
    tmp_path: Path,
) -> None:
    """Every frame is sent or counted, in order, and a delta tells of what is missing before it."""
    source = Path(__file__).with_name("slow.c")
    program = compiled(tmp_path / "slow", *STRICT, source=source)
    with Speaking() as service:
        run = ProcessRun([program, service.url])
        try:
            service.welcome()
            assert run.next("full")["waiting"] <= 4096 + (1 << 20)
            service.say(framed(1, order(order="pause")))
            frames = service.hear(b'"paused"')
            end = run.next("end")
        finally:
            run.kill()
    stamps = [struct.unpack_from("<2d", frame, 24) for frame in frames]
    assert stamps[-1][0] == end["step"]
    assert end["dropped"] >= 49
    assert (len(stamps), len(stamps) + end["dropped"]) == (end["frames"], end["step"])
    for (before, _), (at, delta) in itertools.pairwise(stamps):
        assert at - before == delta
