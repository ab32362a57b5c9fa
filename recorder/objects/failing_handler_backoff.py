"""Mutes objects whose handlers keep failing: they are not recorded for a while.

This bounds the cost of a broken handler in three ways. An object that failed in a few successive
frames is muted, longer each time. Only some muted objects are tried again in a frame. Once some
objects of a type have failed in a frame, the others of this type are skipped in that frame.
"""

from collections.abc import Iterable, Set

FIRST_MUTING = 32
"""Frames for which an object is muted first; twice as many after each failed attempt, …"""
LONGEST_MUTING = 1024
"""… up to this many."""
MOST_FAILING = 1024
"""Objects whose failures are remembered. Any beyond them are tried in every frame."""
MOST_ATTEMPTS = 8
"""Muted objects that are tried again in one frame; the others wait for the next one."""
MOST_FAILURES = 64
"""Objects of a type that may fail in one frame; then its others are skipped in that frame."""
BATCH = 0
"""Used as the object's id where all objects of a type failed in one call, as a batch."""

Key = tuple[str, int]
"""Type and id of an object."""


class _FailureStreak:
    """How an object has been failing."""

    __slots__ = ("frame", "muted_for", "streak", "until")

    def __init__(self) -> None:
        self.frame = -1
        """The newest frame that it failed in."""
        self.streak = 0
        """Frames in a row."""
        self.muted_for = 0
        """Frames that it is muted for; 0 while it is not muted."""
        self.until = 0
        """The frame in which it is to be tried again."""


class HandlerMuting:
    """The objects that fail, and when each of them is tried again. For one thread.

    Args:
        after: Frames in a row in which an object may fail before it is muted; None for never.
    """

    def __init__(self, after: int | None) -> None:
        self.skipped: set[Key] = set()
        """The objects that are skipped in the frame that is being recorded."""
        self._after = after
        self._failing: dict[Key, _FailureStreak] = {}
        self._failures: dict[str, int] = {}
        self._frame = 0

    @property
    def muted(self) -> dict[str, tuple[int, ...]]:
        """The muted objects' ids by type; `BATCH` among them if the type's batch is muted."""
        found: dict[str, list[int]] = {}
        for (type, id), failing in tuple(self._failing.items()):
            if failing.muted_for:
                found.setdefault(type, []).append(id)
        return {type: tuple(sorted(ids)) for type, ids in sorted(found.items())}

    def begin(self, frame: int) -> None:
        """A frame begins to be recorded: work out which objects are skipped in it."""
        self._frame = frame
        self._failures.clear()
        self.skipped.clear()
        attempts = 0
        for key, failing in self._failing.items():
            if not failing.muted_for:
                continue
            attempts += failing.until <= frame
            if failing.until > frame or attempts > MOST_ATTEMPTS:
                self.skipped.add(key)

    def failed(self, type: str, id: int) -> bool:
        """An object, or a batch, failed in this frame; True if it is muted by that."""
        failing = self._failing.get((type, id))
        if failing is None:
            # There are only so many types: their batches always have room.
            if self._after is None or (len(self._failing) >= MOST_FAILING and id != BATCH):
                return False
            failing = self._failing[type, id] = _FailureStreak()
        if failing.frame == self._frame:
            return False
        failing.streak = failing.streak + 1 if failing.frame == self._frame - 1 else 1
        failing.frame = self._frame
        was_muted = failing.muted_for > 0
        if was_muted:
            failing.muted_for = min(2 * failing.muted_for, LONGEST_MUTING)
        elif self._after is not None and failing.streak >= self._after:
            failing.muted_for = FIRST_MUTING
        failing.until = self._frame + 1 + failing.muted_for
        return failing.muted_for > 0 and not was_muted

    def is_too_much(self, type: str) -> bool:
        """Count a failing object of a type: True if that was the last that may fail in a frame."""
        self._failures[type] = count = self._failures.get(type, 0) + 1
        return count == MOST_FAILURES

    def __contains__(self, key: object) -> bool:
        """Whether anything is remembered of an object."""
        return key in self._failing

    def end(self, present: Set[Key] | None, off: Iterable[str] = ()) -> None:
        """The frame's objects are written: forget who did not fail, and who is gone.

        Args:
            present: Those of the failing that exist; None if that is not known.
            off: Types that were skipped as a whole.
        """
        skipped_types = {type for type, count in self._failures.items() if count >= MOST_FAILURES}
        skipped_types.update(off)
        for key, failing in tuple(self._failing.items()):
            has_ended = present is not None and key[1] != BATCH and key not in present
            was_tried = key not in self.skipped and key[0] not in skipped_types
            if has_ended or (was_tried and failing.frame != self._frame):
                del self._failing[key]

    def forget(self, type: str, id: int | None = None) -> None:
        """Try an object again, or all objects of a type, as if they had never failed."""
        for key in tuple(self._failing):
            if key[0] == type and id in (None, key[1]):
                del self._failing[key]

    def __bool__(self) -> bool:
        return bool(self._failing)
