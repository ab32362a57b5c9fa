"""The garbage collector passes over what all tests share."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_FREEZE, _UNFREEZE = gc.freeze, gc.unfreeze
_MANY = 30_000
"""Objects that a full collection looks through in some ten milliseconds."""
_full = 0
"""Full collections so far."""


def pass_over_all_there_is() -> None:
    """What is there now stays to the end: the collector does not look at it again.

    A window of the viewer freezes what it has read, and unfreezes all there is when it goes: in
    this process it does not, or each collection after the first window would take half a second.
    """
    gc.collect()
    _FREEZE()
    gc.freeze = gc.unfreeze = _nothing


def pass_over_what_has_come() -> None:
    """The same between two tests, once what tests have imported and cached since is a lot."""
    global _full
    full = gc.get_stats()[2]["collections"]
    if full != _full and len(gc.get_objects()) > _MANY:
        pass_over_all_there_is()
        full += 1
    _full = full


@contextmanager
def freezing_as_ever() -> Iterator[None]:
    """For a while, what freezes and unfreezes does; nothing is frozen at its beginning."""
    gc.freeze, gc.unfreeze = _FREEZE, _UNFREEZE
    gc.unfreeze()
    try:
        yield
    finally:
        gc.unfreeze()
        pass_over_all_there_is()


def _nothing() -> None:
    """Does nothing."""
