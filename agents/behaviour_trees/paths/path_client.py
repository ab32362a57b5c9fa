"""Sends requests to the path search process, and does not wait for it unless asked to."""

import contextlib
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Self

import msgspec

from ....games.tree_body_interface import Place
from ....games.walk_map import WalkMap
from .path_messages import NewMap, PathAnswer, PathRequest, receive, send

TIME_OUT = 5.0
"""Seconds for an answer; the first one waits for the process to start, too."""
RESTARTS = 3
"""So often within `RESTARTS_WITHIN` seconds the process is started again when it has died."""
RESTARTS_WITHIN = 30.0
MOST_OPEN = 256
"""Requests that may be open; of more the oldest are given up."""
_COMMAND = (sys.executable, "-m", f"{__package__}.path_process")


class PathClient:
    """A path search in a process of its own, which is started again when it dies.

    `request` and `answer` return at once, whatever the process does. Close it, or use it as a
    context manager; the process also ends with the one that started it.

    Args:
        time_out: Seconds after which a request is given up.
        clock: Seconds that only grow.
    """

    def __init__(
        self, walk_map: WalkMap, time_out: float = TIME_OUT,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:  # fmt: skip
        self._map, self._time_out, self._clock = walk_map, time_out, clock
        self._open: dict[int, tuple[PathRequest, float]] = {}
        """Requests without an answer, and until when they may have one."""
        self._answers: dict[int, PathAnswer] = {}
        self._arrived: queue.SimpleQueue[tuple[int, PathAnswer | None]] = queue.SimpleQueue()
        """Answers, and None for the end of a process; with the number of the process."""
        self._next = 1
        self._starts: list[float] = []
        self._process: subprocess.Popen[bytes] | None = None
        self._outbox: queue.SimpleQueue[msgspec.Struct | None] = queue.SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._number = 0
        self._start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def pid(self) -> int:
        """The process that searches now; 0 if it was given up."""
        return self._process.pid if self._process is not None else 0

    @property
    def starts(self) -> int:
        """How often a process was started."""
        return self._number

    def request(self, start: Place, goal: Place, *, only_whether: bool = False) -> int:
        """Ask for the way to a place, or only whether there is one; the request's id."""
        asked = PathRequest(self._next, tuple(start), tuple(goal), only_whether)
        self._next += 1
        self._open[asked.id] = (asked, self._clock() + self._time_out)
        while len(self._open) > MOST_OPEN:
            self._settle(PathAnswer(min(self._open), "timed out"))
        if self._process is None:
            self._settle(PathAnswer(asked.id, "lost"))
        else:
            self._outbox.put(asked)
        return asked.id

    def answer(self, id: int) -> PathAnswer | None:
        """The answer to a request, given out once; None while it is open."""
        self._take()
        return self._answers.pop(id, None)

    def wait(self, id: int) -> PathAnswer:
        """The answer to a request, waited for until it has timed out: not for a game that runs."""
        while (answer := self.answer(id)) is None:
            if id not in self._open:
                return PathAnswer(id, "timed out")
            left = self._open[id][1] - self._clock()
            try:
                self._note(*self._arrived.get(timeout=max(0.001, left)))
            except queue.Empty:
                continue
        return answer

    def close(self) -> None:
        """End the process; more than once does no harm."""
        process, self._process = self._process, None
        if process is None:
            return
        self._end(process)

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        self._outbox.put(None)
        process.kill()
        process.wait()
        for thread in self._threads:
            thread.join()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):  # what was not sent is of no use any more
                    stream.close()

    def _start(self) -> None:
        now = self._clock()
        self._starts = [then for then in self._starts if now - then < RESTARTS_WITHIN]
        if len(self._starts) > RESTARTS:
            for id in list(self._open):
                self._settle(PathAnswer(id, "lost"))
            return
        self._starts.append(now)
        self._number += 1
        process = subprocess.Popen(
            _COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self._process = process
        self._outbox = queue.SimpleQueue()
        self._outbox.put(NewMap(self._map))
        for asked, _ in self._open.values():
            self._outbox.put(asked)
        self._threads = [
            threading.Thread(target=_write, args=(process, self._outbox), daemon=True),
            threading.Thread(
                target=_read, args=(process, self._number, self._arrived), daemon=True
            ),
        ]
        for thread in self._threads:
            thread.start()

    def _take(self) -> None:
        """Take what has arrived, and give up what took too long."""
        while True:
            try:
                self._note(*self._arrived.get_nowait())
            except queue.Empty:
                break
        now = self._clock()
        for id in [id for id, (_, until) in self._open.items() if now >= until]:
            self._settle(PathAnswer(id, "timed out"))

    def _note(self, number: int, answer: PathAnswer | None) -> None:
        if answer is not None:
            if answer.id in self._open:
                self._settle(answer)
        elif number == self._number and self._process is not None:
            dead, self._process = self._process, None
            self._end(dead)
            self._start()

    def _settle(self, answer: PathAnswer) -> None:
        self._open.pop(answer.id, None)
        self._answers[answer.id] = answer
        while len(self._answers) > MOST_OPEN:
            del self._answers[min(self._answers)]


def _write(
    process: subprocess.Popen[bytes], outbox: "queue.SimpleQueue[msgspec.Struct | None]"
) -> None:
    """Runs in a thread: a full pipe blocks nothing else."""
    assert process.stdin is not None
    while (message := outbox.get()) is not None:
        try:
            send(process.stdin, message)
        except (OSError, ValueError):
            return  # it has died, which its reader reports


def _read(
    process: subprocess.Popen[bytes], number: int,
    arrived: "queue.SimpleQueue[tuple[int, PathAnswer | None]]",
) -> None:  # fmt: skip
    decoder = msgspec.msgpack.Decoder(PathAnswer)
    assert process.stdout is not None
    try:
        while (data := receive(process.stdout)) is not None:
            arrived.put((number, decoder.decode(data)))
    except (OSError, ValueError, msgspec.MsgspecError):
        pass  # whatever it wrote in its death is no answer
    arrived.put((number, None))
