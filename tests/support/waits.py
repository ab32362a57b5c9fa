"""Waiting for what must come true: asked again until it is, with a limit that a slow machine
never reaches."""

import threading
import time
from collections.abc import Callable
from typing import Any, TypeVar

_T = TypeVar("_T")

LIMIT = 90.0
"""Seconds after which something that should have happened at once is taken for lost."""
PAUSE = 0.005
"""Seconds between two questions."""


def until(
    found: Callable[[], _T],
    client: Any = None,
    *,
    limit: float = LIMIT,
    describe: Callable[[], object] = lambda: "",
) -> _T:
    """Ask until the answer is true; returns it.

    Args:
        found: What is asked.
        client: A tool on the bus: what comes to it is dispatched meanwhile.
        limit: Seconds to wait.
        describe: How things stand, for the message if it never comes true.

    Raises:
        AssertionError: it did not come true in time.
    """
    end = time.monotonic() + limit
    while not (result := found()):
        assert time.monotonic() < end, f"it did not come true within {limit:g} s: {describe()}"
        rest(client)
    return result


def rest(client: Any = None, seconds: float = PAUSE) -> None:
    """Leave the processor to others for a moment."""
    if client is None:
        threading.Event().wait(seconds)
    else:
        client.dispatch(max(seconds, 0.02))
