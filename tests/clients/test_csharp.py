"""Tests of clients/csharp: its example under Mono against a real gateway."""

import json
import random
import shutil
import struct
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from ..support.process import run_process
from .support.control_promises import ControlPromises
from .support.promises import Alone, Example, ProcessRun, Promises
from .support.speaking import Speaking, framed, image, mutated, order

SOURCE = Path(__file__).parents[2] / "clients" / "csharp"

pytestmark = pytest.mark.skipif(
    shutil.which("mcs") is None or shutil.which("mono") is None, reason="mono is not installed"
)


def compiled(to: Path, *sources: Path) -> list[str]:
    """A program, and how to run it."""
    run_process(
        "mcs",
        "-langversion:7",
        "-warn:4",
        "-warnaserror",
        f"-out:{to}",
        *sources,
        check=True,
        limit=120,
    )
    return ["mono", str(to)]


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    program = tmp_path_factory.mktemp("csharp") / "balls.exe"
    sources = sorted((SOURCE / "Playhead").glob("*.cs"))
    return compiled(program, *sources, SOURCE / "example" / "Balls.cs")


@pytest.fixture(scope="module")
def alone(example: list[str]) -> Alone:
    return Alone.of([*example, "--steps", "600"])


@pytest.fixture
def play(example: list[str], alone: Alone) -> Iterator[Example]:
    with Example(example, alone) as play:
        yield play


@pytest.mark.slow
class TestPromises(Promises):
    pass


@pytest.mark.slow
class TestControlPromises(ControlPromises):
    pass


# --- what no gateway says -----------------------------------------------------------------------


def guard_image() -> bytes:
    """A frame in which the guard stands elsewhere."""
    data = bytearray(image([1], size=40, type=33))
    struct.pack_into("<4dfi", data, 160, 3.0, 4.0, 0.0, 1.5, 77.0, 1)
    return bytes(data)


def test_hostile_orders_never_harm_the_game(example: list[str]) -> None:
    """Fifteen hundred broken orders and images, and then a whole one is carried out."""
    choice = random.Random(11)
    row = {"id": str(2**62), "type": "x\n", "position": [1, 2, 3], "angles": [0, 0, 0]}
    whole = order(hide=[5, "9007199254740993"], unhide=[7], stand_ins=[row])
    pad = order(order="pad", player=1, left=[0.5, -1], right_trigger=1, buttons=16383, holder="me")
    call = order(order="call", call=7, name="guard.heal", argument={"health": [{}, 1.5, None]})
    with Speaking() as service:
        run = ProcessRun([*example, "--url", service.url, "--steps", "100000"],
                         stderr=subprocess.DEVNULL)  # fmt: skip
        try:
            service.welcome()
            run.next("recording")
            service.say(framed(1, order(order="pause")))
            service.hear(b'"paused"')
            for _ in range(1500):
                if choice.random() < 0.5:
                    service.say(framed(1, mutated(choice, whole)) + framed(2, guard_image()))
                else:
                    service.say(framed(1, whole) + framed(2, mutated(choice, guard_image())))
                service.say(framed(1, mutated(choice, choice.choice((pad, call)))))
            deep = (b"[" * 100_000, b'{"order":' * 1000, b"", b"\xff", b"nul", b"1e999")
            service.say(b"".join(framed(1, text) for text in deep))
            text = order(frame=777)
            pieces = framed(1, text[:9], end=False) + framed(9, b"?") + framed(0, text[9:])
            service.say(pieces + framed(2, guard_image()))
            while (shown := run.next("shown"))["frame"] != 777:
                pass
            service.say(framed(1, json.dumps({"order": {"order": "resume"}}).encode()))
            assert run.next("resumed")["step"] == shown["step"]
        finally:
            run.kill()


@pytest.mark.parametrize(
    "message",
    [b"\xc1\x01x", b"\x81\x81abcdx", b"\x80\x00", b"\x09\x00", b"\x82\x7f" + b"\xff" * 8,
     b"\x82\x7f\0\0\0\0\x7f\0\0\0", b"\x88\x02\x03\xe8"],
)  # fmt: skip
def test_what_is_no_websocket_ends_the_connection_and_gives_the_game_back(
    example: list[str], message: bytes
) -> None:
    with Speaking() as service:
        run = ProcessRun([*example, "--url", service.url, "--steps", "100000"],
                         stderr=subprocess.DEVNULL)  # fmt: skip
        try:
            service.welcome()
            run.next("recording")
            service.say(framed(1, order(order="pause")))
            paused = run.next("paused")
            service.say(framed(1, order(hide=[1])) + framed(2, guard_image()))
            assert run.next("shown")["objects"] != paused["objects"]
            service.say(message)
            resumed = run.next("resumed")
            assert (resumed["state"], resumed["objects"]) == (paused["state"], paused["objects"])
            service.welcome()
            run.next("recording")
        finally:
            run.kill()
