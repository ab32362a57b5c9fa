"""Fork safety: objects that a forked child must not use are notified in the child.

A child has the parent's memory, its open files and its locks, but none of its threads. So it can't
go on with what a thread does, and must not write into, or give up, what it shares with the parent.
"""

import logging
import os
import weakref
from typing import Protocol

_log = logging.getLogger("playhead.fork")


class InheritedByFork(Protocol):
    """Something that a forked child has to treat otherwise."""

    def forked(self) -> None:
        """Called in the child, right after the fork, on the one thread that it has."""


def on_fork(one: InheritedByFork) -> None:
    """Have `one.forked()` called in every child forked from here on, as long as `one` is there."""
    _listeners.add(one)


def _in_child() -> None:
    for one in list(_listeners):
        try:
            one.forked()
        except Exception:  # the others are notified all the same
            _log.exception("%s could not be made safe in a forked child", type(one).__name__)


_listeners: "weakref.WeakSet[InheritedByFork]" = weakref.WeakSet()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)
