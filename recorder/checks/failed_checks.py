"""Failed checks: what is known of each, and which failure is the first in a row."""

import ast
import linecache
import sys
from collections.abc import Callable
from functools import cached_property
from itertools import islice
from types import CodeType, FrameType

import msgspec


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


class CheckPolicy(msgspec.Struct, frozen=True):
    """What a failed check does, at the end of its frame and in this order, beside its mark."""

    pause: bool = True
    """Enter playback at the frame in which it failed."""
    camera: bool = True
    """Look at the object."""
    notify: bool = True
    """Notify tools and listeners."""
    hint: bool = True
    """Say in the log how to open the recording. False where it does not last: then whoever asked
    for the run says which clips are kept."""


UNATTENDED = CheckPolicy(pause=False, camera=False)
"""For runs that nobody watches: mark, notify, and go on."""
UNKEPT = CheckPolicy(pause=False, camera=False, hint=False)
"""The same, for runs whose recording is gone afterwards; clips of failures may be kept."""


class CallSite:
    """One call in a program that makes checks; a line may have several.

    Args:
        code: What makes the call.
        offset: Where the call is in its instructions, in bytes.
        line: The line that the call begins in.
    """

    def __init__(self, code: CodeType, offset: int, line: int) -> None:
        self.code = code  # kept, so that no other code gets its `id` meanwhile
        self.file, self.line = code.co_filename, line
        self._span = _span_of(code, offset)
        # Without columns (`python -X no_debug_ranges`) calls in a line differ by their instruction.
        column = -1 - offset if self._span is None else self._span[1]
        self.key = (self.file, self.line, column)
        """Identifies the call among all others, also after its code was loaded again."""

    @cached_property
    def expression(self) -> str:
        """The source of the call's condition; of the call, or else of the line, if unclear."""
        call = _call_in(self.file, self._span) if self._span else _only_check(self.file, self.line)
        if call is None:
            return linecache.getline(self.file, self.line).strip()
        condition = _condition_of(call)
        return ast.unparse(call if condition is None else condition)


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


class CheckLog:
    """Knows which checks are failing, so that only the first frame of a failure is marked.

    Checks are distinguished by file, line, column, object, and which call at that site in this
    frame it is. Messages don't count: `f"hp is {hp}"` is another one in every frame.
    """

    def __init__(self) -> None:
        self._counters: dict[tuple[int, int, int], CheckCounter] = {}
        """By the `id` of the code, the instruction, and the object."""
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


caller: Callable[[int], FrameType] = sys._getframe
"""The frame of the code `depth` calls above where this is called; itself no call to be paid for."""


def expression_at(frame: FrameType) -> str:
    """The source of the condition that the call which a frame is in was given."""
    return CallSite(frame.f_code, frame.f_lasti, frame.f_lineno).expression


def _span_of(code: CodeType, offset: int) -> tuple[int, int, int, int] | None:
    """First line, first column, last line, last column of an instruction, columns in bytes."""
    found = next(islice(code.co_positions(), offset // 2, None), (None,) * 4)
    start, end, first, last = found
    if start is None or end is None or first is None or last is None:
        return None
    return start, first, end, last


def _call_in(file: str, span: tuple[int, int, int, int]) -> ast.Call | None:
    """The call in some lines of a file; None if the file is missing or differs."""
    start, first, end, last = span
    lines = [linecache.getline(file, number).encode() for number in range(start, end + 1)]
    lines[-1] = lines[-1][:last]  # before the first one is cut, which may be the same
    lines[0] = lines[0][first:]
    try:
        # In brackets, as lines that go on need no more than that.
        found = ast.parse(b"(" + b"".join(lines) + b")", mode="eval").body
    except (SyntaxError, ValueError):
        return None
    return found if isinstance(found, ast.Call) else None


def _only_check(file: str, line: int) -> ast.Call | None:
    """The only check that begins in a line; None if there are several, or none is to be seen."""
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError):
        return None
    calls = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and _name(node) == "check"
        and line in (node.lineno, node.func.end_lineno)
    ]
    return calls[0] if len(calls) == 1 else None


def _condition_of(call: ast.Call) -> ast.expr | None:
    """What a check was given; None if the call is none to be seen as one."""
    if _name(call) != "check":
        return None
    named = (one.value for one in call.keywords if one.arg == "condition")
    condition = call.args[0] if call.args else next(named, None)
    return None if isinstance(condition, ast.Starred) else condition


def _name(call: ast.Call) -> str:
    function = call.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
