"""Calls a function in several processes at once; the results come in the order of the calls."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

from .replay_per_seed import Throttle
from .worker_pool import START, Send, WorkerDeath, WorkerPool

T = TypeVar("T")
_HEARTBEAT = 0.5
"""Seconds from one sign of life to the next."""


class _FunctionCall(NamedTuple):
    number: int
    function: Callable[..., Any]
    arguments: tuple[Any, ...]


class _Result(NamedTuple):
    value: Any


def ordered_calls(
    function: Callable[..., T], arguments: Sequence[tuple[Any, ...]], jobs: int,
    died: Callable[[tuple[Any, ...], WorkerDeath], T],
) -> Iterator[T]:  # fmt: skip
    """What comes of a function called with each of these arguments, in their order.

    A single job is done in this process. Else each is done in one of `jobs` processes, which may
    crash or hang: then `died` says what comes of its call instead, and the others go on.

    Args:
        function: One of a module. It is called with a keyword `before_step` too, which it calls
            before each step of a game, so that one sees that it does not hang.

    Raises:
        Exception: what the function raises.
    """
    if jobs == 1 or len(arguments) == 1:
        for those in arguments:
            yield function(*those, before_step=lambda: True)
        return
    with WorkerPool(_carry_out, min(jobs, len(arguments))) as pool:
        for number, those in enumerate(arguments):
            pool.submit(_FunctionCall(number, function, those))
        done: dict[int, T] = {}
        following = 0
        for event in pool.events():
            call: _FunctionCall = event.task
            if event.kind == "failed":
                raise event.value
            if event.kind == "died":
                done[call.number] = died(call.arguments, event.value)
            elif isinstance(event.value, _Result):
                done[call.number] = event.value.value
            while following in done:
                yield done.pop(following)
                following += 1


def _carry_out(call: _FunctionCall, send: Send) -> None:
    """Do it, in a process of its own."""
    throttle = Throttle(_HEARTBEAT)

    def alive() -> bool:
        if throttle.due():
            send(None, START)
        return True

    send(_Result(call.function(*call.arguments, before_step=alive)), START)
