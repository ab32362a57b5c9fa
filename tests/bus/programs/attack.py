"""One kind of harm done to a service until it is killed: `attack.py KIND ENDPOINT`.

Says `going` when it has begun.
"""

import contextlib
import itertools
import os
import random
import socket
import struct
import sys

import msgspec
import zmq

from playhead.bus.messages.address import Address
from playhead.bus.messages.message import PROTOCOL
from playhead.bus.messages.message_types import Request
from playhead.bus.messages.msgpack_codec import packed, response_of
from playhead.bus.messages.requests import Call, FindFrame, GetObjects, Hello
from playhead.bus.messages.responses import Welcome
from playhead.playback.commands import Enter, Focus, SeekTime, Show, Step
from playhead.recorder.packets.log_lines import LogLine
from playhead.recorder.statements.statement_messages import LogEntry

KIND, ENDPOINT = sys.argv[1], sys.argv[2]
ADDRESS = Address.of(ENDPOINT)
CHANCE = random.Random(os.getpid())
CONTEXT = zmq.Context()


def going(number: int = 100) -> None:
    if number == 100:
        print("going")


def dealer() -> zmq.Socket:
    made = CONTEXT.socket(zmq.DEALER)
    made.linger = 0
    made.connect(ENDPOINT)
    return made


def hello(made: zmq.Socket) -> Welcome:
    made.send(packed(Request(origin="", sequence=1, body=Hello("attack", PROTOCOL))))
    return response_of(made.recv()).body


def random_bytes() -> None:
    """Not even ZeroMQ: whatever comes to mind, on a bare socket, again and again."""
    signature = b"\xff" + b"\0" * 8 + b"\x7f"
    for number in itertools.count(1):
        try:
            with socket.create_connection((ADDRESS.host, ADDRESS.port), timeout=2) as wire:
                begin = CHANCE.choice(
                    (b"", signature, signature + b"\x03\x01NULL", b"GET / HTTP/1.1")
                )
                wire.sendall(begin + CHANCE.randbytes(CHANCE.randrange(4000)))
        except OSError:
            pass
        going(number)


def half_a_handshake() -> None:
    """Connections that begin as they should and then say nothing more."""
    sockets = []
    for number in range(1, 301):
        wire = socket.create_connection((ADDRESS.host, ADDRESS.port), timeout=2)
        wire.sendall(b"\xff" + b"\0" * 8 + b"\x7f\x03")
        sockets.append(wire)
        going(number)
    sys.stdin.read()


def damaged() -> None:
    """Messages that are cut off, scrambled, of wrong types, in too many parts."""
    made = dealer()
    made.sndhwm = 50
    whole = packed(Request(origin="x", sequence=1, body=LogEntry(LogLine("a line", "info"))))
    for number in itertools.count(1):
        way = number % 6
        if way == 0:
            parts = [whole[: CHANCE.randrange(len(whole))]]
        elif way == 1:
            at = CHANCE.randrange(len(whole))
            parts = [whole[:at] + CHANCE.randbytes(3) + whole[at + 3 :]]
        elif way == 2:
            wrong = {"origin": 3, "sequence": "one", "ask": {"do": ["step"], "frames": {}}}
            parts = [msgspec.msgpack.encode(wrong)]
        elif way == 3:
            parts = [CHANCE.randbytes(5)] * CHANCE.randrange(1, 9)
        elif way == 4:
            parts = [b"\x91" * 50_000]
        else:
            parts = [b"\xdd\xff\xff\xff\xff" + CHANCE.randbytes(20)]
        made.send_multipart(parts)
        while made.poll(0):
            made.recv()
        going(number)


def oversized() -> None:
    """Messages beyond the limit, and ones that are just below it."""
    for number in itertools.count(1):
        made = dealer()
        made.sndtimeo = 500
        try:
            for size in (1 << 20) - 100, (1 << 20) + 1, 64 << 20:
                made.send(b"\xc6" + struct.pack(">I", size - 5) + bytes(size - 5))
        except zmq.Again:
            pass
        made.close()
        going(100 if number == 1 else 0)


def questions() -> None:
    """As many as can be sent, answers read."""
    made = dealer()
    origin = hello(made).origin
    for number in itertools.count(2):
        ask = FindFrame(0.0) if number % 2 else GetObjects(max(1, number // 50))
        made.send(packed(Request(origin=origin, sequence=number, body=ask)))
        while made.poll(0):
            made.recv()
        going(number)


def never_reads() -> None:
    """Asks for much, and never fetches an answer."""
    made = dealer()
    origin = hello(made).origin
    made.sndtimeo = 1000
    for number in itertools.count(2):
        with contextlib.suppress(zmq.Again):
            made.send(packed(Request(origin=origin, sequence=number, body=GetObjects(1))))
        going(number)


def commands() -> None:
    """Focuses and channels: what any tool may send, as fast as it can."""
    made = dealer()
    origin = hello(made).origin
    for number in itertools.count(2):
        ask = Focus(number % 3) if number % 2 else Show(f"channel {number % 200}", number % 3 == 0)
        made.send(packed(Request(origin=origin, sequence=number, body=ask)))
        while made.poll(0):
            made.recv()
        going(number)


def instructions() -> None:
    """Whatever the game serves, and what it does not, with little and with much to hand over."""
    made = dealer()
    origin = hello(made).origin
    for number in itertools.count(2):
        ask = Call("echo" if number % 3 else "nothing", {"a": [number] * (number % 1000)})
        made.send(packed(Request(origin=origin, sequence=number, body=ask)))
        while made.poll(0):
            made.recv()
        going(number)


def restless() -> None:
    """Wants to hear what is published, and not, and again, so that all of it is told again."""
    asking = dealer()
    made = CONTEXT.socket(zmq.SUB)
    made.linger = 0
    made.connect(ADDRESS.at(hello(asking).published).endpoint)
    for number in itertools.count(1):
        made.subscribe("published")
        if number % 10 == 0:
            made.poll(100)
        made.unsubscribe("published")
        while made.poll(0):
            made.recv_multipart()
        going(number)


def statements() -> None:
    """Log lines without end."""
    made = dealer()
    origin = hello(made).origin
    for number in itertools.count(2):
        ask = LogEntry(LogLine("x" * 200), time=0.5 if number % 2 else None)
        made.send(packed(Request(origin=origin, sequence=number, body=ask)))
        while made.poll(0):
            made.recv()
        going(number)


def newcomers() -> None:
    """Ever more tools that say hello and are never heard of again."""
    sockets = []
    for number in itertools.count(1):
        sockets.append(dealer())
        hello(sockets[-1])
        if len(sockets) > 400:
            while sockets:
                sockets.pop().close()
        going(number)


def deaf() -> None:
    """Subscribes to everything, many times over, and never reads."""
    sockets = [dealer()]
    welcome = hello(sockets[0])
    for number in range(1, 31):
        for port in (welcome.events, welcome.times, welcome.published):
            made = CONTEXT.socket(zmq.SUB)
            made.linger, made.rcvhwm, made.rcvbuf = 0, 1, 4096
            made.connect(ADDRESS.at(port).endpoint)
            made.subscribe("")
            sockets.append(made)
        going(100 if number == 30 else 0)
    sys.stdin.read()


def fights() -> None:
    """Moves the playhead to and fro, and answers are read."""
    made = dealer()
    origin = hello(made).origin
    for number in itertools.count(2):
        ask = CHANCE.choice([Enter(), SeekTime(CHANCE.random()), Step(1), Step(-1)])
        made.send(packed(Request(origin=origin, sequence=number, body=ask)))
        made.recv()
        going(number)


ATTACKS = {
    one.__name__: one
    for one in (
        random_bytes, half_a_handshake, damaged, oversized, questions, never_reads, commands,
        statements, instructions, restless, newcomers, deaf, fights,
    )
}  # fmt: skip
ATTACKS[KIND]()
