"""Fork safety: objects that a forked child must not use are notified in the child.

A child has the parent's memory, open files and locks, but none of its threads. So the child can't
continue what a thread did, and must neither write into nor release what it shares with the parent.
"""

import logging
import os
import weakref
from typing import Protocol

_log = logging.getLogger("playhead.fork")


class ForkListener(Protocol):
    """Has to behave otherwise in a forked child."""

    def forked(self) -> None:
        """Called in the child, right after the fork, on the one thread that it has."""


def on_fork(listener: ForkListener) -> None:
    """Call `listener.forked()` in every child forked from now on, as long as it exists."""
    _listeners.add(listener)


def _in_child() -> None:
    for listener in list(_listeners):
        try:
            listener.forked()
        except Exception:  # the others are notified all the same
            _log.exception("%s could not be made safe in a forked child", type(listener).__name__)


_listeners: "weakref.WeakSet[ForkListener]" = weakref.WeakSet()
"""Global, because a fork concerns the whole process and a hook of `os` can't be removed."""
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)
