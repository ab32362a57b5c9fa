"""Losses of a recording: latched in it, so that they are known wherever it is opened."""

import msgspec


class RecordedLoss(msgspec.Struct, frozen=True, omit_defaults=True):
    """Something that should have been recorded and was not, or not completely, for one cause."""

    cause: str
    """`no handler`, `handler`, `cut`, `partial`, `not asked`, `room`; or the call that was refused:
    `objects()`, `object id`, `draw`, …"""
    what: str
    """The object type that it is about; empty where it is none."""
    text: str
    """The first of its kind, in words."""
    frame: int = 0
    """The first frame that lacks something for this cause."""
    count: int = 1
    """How often, at least: it is recorded again when it has doubled."""


def loss_text(loss: RecordedLoss) -> str:
    """A loss in a line."""
    return f"{loss.text} ({loss.count:,} or more)" if loss.count > 1 else loss.text
