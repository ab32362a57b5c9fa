"""Tracks which checks fail, so that only the first frame of each failure is reported."""

from types import FrameType

import msgspec

from .check_condition_source import CallSite


class FailedCheck(msgspec.Struct, frozen=True):
    """A check that began to fail: everything a tool needs to go there."""

    message: str
    """The `message` given to `check`."""
    expression: str
    """The source of the condition."""
    object: int
    """The id of the object that it is about; 0 for the world."""
    file: str
    """Where the check is made."""
    line: int
    frame: int = 0
    """The first frame in which it failed."""
    time: float = 0.0
    """Timeline time of that frame, seconds."""
    recorded: bool = True
    """False if the object left no packet in that frame: then the camera stays."""


class CheckCounter:
    """The checks that one call makes about one object."""

    __slots__ = ("count", "object", "site", "step")

    def __init__(self, site: CallSite, object: int) -> None:
        self.site, self.object = site, object
        self.step, self.count = -1, 0
        """How many it has made in which step."""


_Check = tuple[tuple[str, int, int], int, int]
"""A check in a frame: the key of its call, whom it is about, and which one of these it is."""
_MOST_SITES = 4096
_MOST_COUNTERS = 65536
_MOST_FAILING = 1024


class FailedCheckTracker:
    """Knows which checks are failing, so that only the first frame of a failure is marked.

    Checks are distinguished by file, line, column, object, and which call at that site in this
    frame it is. Messages don't count: `f"hp is {hp}"` is another one in every frame.
    """

    def __init__(self) -> None:
        self._counters: dict[tuple[int, int, int], CheckCounter] = {}
        """Keyed by the `id` of the code, the instruction, and the object."""
        self._sites: dict[tuple[int, int], CallSite] = {}
        self._shared: dict[tuple[tuple[str, int, int], int], CheckCounter] = {}
        """The same ones: code that was loaded twice shares one counter."""
        self._step = 0
        self.failing: dict[_Check, int] = {}
        """Checks that were not met when they were made last, and in which frame."""
        self.fresh: list[FailedCheck] = []
        """Checks that began to fail in the frame that is being recorded."""

    def count(self, caller: FrameType, object: int) -> CheckCounter:
        """Count a check, made by the call that a frame is in."""
        counter = self._counters.get((id(caller.f_code), caller.f_lasti, object))
        if counter is None:
            counter = self._new(caller, object)
        if counter.step == self._step:
            counter.count += 1
        else:
            counter.step, counter.count = self._step, 1
        return counter

    def met(self, counter: CheckCounter) -> None:
        """The check that was just counted is met."""
        self.failing.pop((counter.site.key, counter.object, counter.count), None)

    def begins_to_fail(self, counter: CheckCounter, frame: int) -> bool:
        """The check that was just counted is not met; True if that is new in this frame."""
        check = counter.site.key, counter.object, counter.count
        before = self.failing.get(check)
        self.failing[check] = frame
        if len(self.failing) > _MOST_FAILING:
            self.failing = {key: at for key, at in self.failing.items() if at >= frame - 1}
        return before is None or before < frame - 1

    def step_ended(self) -> None:
        """The count of calls at each site starts again."""
        self._step += 1
        if len(self._sites) > _MOST_SITES or len(self._counters) > _MOST_COUNTERS:
            self._counters.clear()
            self._shared.clear()
        if len(self._sites) > _MOST_SITES:  # after their counters, which rely on their code
            self._sites.clear()

    def _new(self, caller: FrameType, object: int) -> CheckCounter:
        code, offset = caller.f_code, caller.f_lasti
        site = self._sites.get((id(code), offset))
        if site is None:
            site = self._sites[id(code), offset] = CallSite(code, offset, caller.f_lineno)
        counter = self._shared.setdefault((site.key, object), CheckCounter(site, object))
        self._counters[id(code), offset, object] = counter
        return counter
