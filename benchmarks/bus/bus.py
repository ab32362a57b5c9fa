"""The bus: how soon another tool stands where one has gone, and what it costs the game's frame.

Measured between processes, so in wall-clock time, one thing at a time; medians of single moves.
"""

import statistics
import time
from contextlib import ExitStack
from multiprocessing.connection import Connection

import zmq

from playhead.bus.client.client import Client
from playhead.session import Session

from ..support.report_table import Line
from ..support.timing import Size, Times
from .bus_worker_processes import Clock, echo, follower, game, process, received, watcher

RATE = 60.0
"""Frames a second of the live game."""
MOVES = 25
"""Moves in a round."""
FOLLOWERS = (0, 1, 10)
BREATH = 0.002
"""Seconds between two measurements, so that each meets processes that sleep."""


def measure(size: Size) -> list[Line]:
    return [*_moves(size), *_frames(size)]


# --- a move -------------------------------------------------------------------------------------


def _moves(size: Size) -> list[Line]:
    rounds: dict[str, list[float]] = {"bare": [], "answer": [], "seek": []}
    with ExitStack() as stack:
        bare = stack.enter_context(_Bare())
        served = stack.enter_context(process(game, RATE))
        endpoint = received(served)
        seen = stack.enter_context(process(watcher, endpoint))
        assert received(seen) == "follows"
        client = stack.enter_context(Client(endpoint, name="mover"))
        live = [_live_seek(client, seen) for _ in range(2 * size.rounds)]
        heard = _live_frames(client, seen, 2 * size.rounds)
        client.enter()
        for _ in range(size.rounds):
            moved = [_seek(client, seen, 10 + number) for number in range(MOVES)]
            rounds["bare"].append(statistics.median(bare.trip() for _ in range(MOVES)))
            rounds["seek"].append(statistics.median(come for come, _ in moved))
            rounds["answer"].append(statistics.median(answered for _, answered in moved))
    times = Times({name: [1e9 * seconds for seconds in taken] for name, taken in rounds.items()})
    paused = times.ns("seek") / 1e6
    return [
        Line("a seek, until another tool has it", paused, "ms", 1.0),
        Line(
            "the same ÷ a bare round trip", times.ratio("seek", "bare"), "×", 2.0,
            f"DEALER and ROUTER {times.ns('bare') / 1e3:.0f} µs",
        ),
        Line(
            "a seek, until it is answered", times.ns("answer") / 1e6, "ms", note=
            f"{times.ratio('answer', 'bare'):.1f} × a bare round trip",
        ),
        Line(
            f"a seek in a game at {RATE:g} Hz, until another tool has it",
            1e3 * _share(live, 0.95), "ms", 1e3 / RATE + paused,
            f"95 of 100; median {1e3 * statistics.median(live):.1f} ms",
        ),
        Line("a recorded frame, until a tool has it", 1e3 * statistics.median(heard), "ms"),
    ]  # fmt: skip


def _share(taken: list[float], share: float) -> float:
    return sorted(taken)[int(share * (len(taken) - 1))]


class _Bare:
    """A round trip to a process that does nothing else."""

    def __enter__(self) -> "_Bare":
        self._stack = ExitStack()
        endpoint = received(self._stack.enter_context(process(echo)))
        context = self._stack.enter_context(zmq.Context())
        self._socket = self._stack.enter_context(context.socket(zmq.DEALER))
        self._socket.connect(endpoint)
        self.trip()
        return self

    def trip(self) -> float:
        time.sleep(BREATH)
        began = time.monotonic()
        self._socket.send(bytes(80))
        self._socket.recv()
        return time.monotonic() - began

    def __exit__(self, *_: object) -> None:
        self._stack.close()


def _seek(client: Client, seen: Connection, frame: int) -> tuple[float, float]:
    """Seconds until another tool stood at that frame, and until this one was answered."""
    time.sleep(BREATH)
    began = time.monotonic()
    client.seek(frame=frame)
    answered = time.monotonic() - began
    while True:
        for at, mode, _, when in received(seen):
            if (at, mode) == (frame, "paused"):
                return when - began, answered


def _live_seek(client: Client, seen: Connection) -> float:
    come, _ = _seek(client, seen, 7)
    client.leave()
    time.sleep(3.7 / RATE)  # so that moves meet all parts of a frame
    while seen.poll():
        seen.recv()
    return come


def _live_frames(client: Client, seen: Connection, frames: int) -> list[float]:
    """Seconds from a frame's end until a tool heard of it."""
    heard: list[float] = []
    while len(heard) < frames:
        heard += [when - at for _, mode, at, when in received(seen) if mode == "live"]
    client.dispatch()
    return heard[:frames]


# --- a frame ------------------------------------------------------------------------------------


def _frames(size: Size) -> list[Line]:
    updates = max(4 * size.frames, 10)
    names = ["without", *(f"{number} followers" for number in FOLLOWERS)]
    with ExitStack() as stack:
        sessions = {"without": stack.enter_context(Session(Clock(), "4 MiB"))}
        for name, number in zip(names[1:], FOLLOWERS, strict=True):
            session = Session(Clock(), "4 MiB", bus="tcp://127.0.0.1:*")
            sessions[name] = stack.enter_context(session)
            assert session.bus is not None
            started = [
                stack.enter_context(process(follower, session.bus.endpoint)) for _ in range(number)
            ]
            for one in started:
                assert received(one) == "follows"
        rounds: dict[str, list[float]] = {name: [] for name in names}
        for _ in range(size.rounds):
            for name, session in sessions.items():
                rounds[name].append(1e9 * _update(session, updates))
    times = Times(rounds)
    return [
        Line(
            f"the bus in a game's frame, {name}",
            max(times.ns(name) - times.ns("without"), 1.0) / 1e3, "µs", 50.0,
            f"a frame without {times.ns('without') / 1e3:.1f} µs",
        )
        for name in names[1:]
    ]  # fmt: skip


def _update(session: Session, updates: int) -> float:
    """Seconds of one update, the median of some."""
    taken = []
    for _ in range(updates):
        time.sleep(BREATH / 2)
        began = time.perf_counter()
        session.update(1 / RATE)
        taken.append(time.perf_counter() - began)
    return statistics.median(taken)
