"""The recorder assert: what a failed check says, and which failure is the first of a row."""

import ast
import linecache
import sys
from types import FrameType

import msgspec

from .primitives import Site


class Violation(msgspec.Struct, frozen=True):
    """A check that began to fail: everything a tool needs to go there."""

    message: str
    expression: str
    """The source of the condition."""
    object: int
    """Whom it is about; 0 for the world."""
    file: str
    line: int
    frame: int = 0
    """The first violating frame."""
    time: float = 0.0
    """Timeline time of that frame, seconds."""
    recorded: bool = True
    """False if the object left no packet in that frame: then the camera stays."""


class CheckPolicy(msgspec.Struct, frozen=True):
    """What a failed check does, at the end of its frame and in this order, beside its mark."""

    pause: bool = True
    """Enter playback at the violating frame."""
    camera: bool = True
    """Look at the object."""
    notify: bool = True
    """Tell everybody who listens."""


UNATTENDED = CheckPolicy(pause=False, camera=False)
"""For runs that nobody watches: mark, tell, and go on."""


class CheckLog:
    """Knows which checks are failing, so that only the first frame of a failure is marked."""

    def __init__(self) -> None:
        self._failing: dict[tuple[Site, int], int] = {}
        self.fresh: list[Violation] = []
        """Checks that began to fail in the frame that is being recorded."""

    def passed(self, site: Site, object: int) -> None:
        if self._failing:
            self._failing.pop((site, object), None)

    def failed(self, site: Site, object: int, frame: int) -> bool:
        """Note a failure in a frame; True if the check did not fail in the frame before."""
        before = self._failing.get((site, object))
        self._failing[site, object] = frame
        return before is None or before < frame - 1

    def forget_before(self, frame: int) -> None:
        """Drop checks that were not made since this frame."""
        if len(self._failing) > 1024:
            self._failing = {key: at for key, at in self._failing.items() if at >= frame}


def caller(depth: int) -> FrameType:
    """The frame of the code `depth` calls above the caller of this function's caller."""
    return sys._getframe(depth + 1)


def expression_at(frame: FrameType) -> str:
    """The source of the first argument of the call that a frame is in; the line if unclear."""
    file, line = frame.f_code.co_filename, frame.f_lineno
    fallback = linecache.getline(file, line).strip()
    positions = list(frame.f_code.co_positions())
    start, end, _, _ = positions[frame.f_lasti // 2]
    if start is None or end is None:
        return fallback
    lines = [linecache.getline(file, number) for number in range(start, end + 1)]
    try:
        tree = ast.parse("".join(lines).strip())
    except SyntaxError:
        return fallback
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and node.args and _name(node) == "check":
            return ast.unparse(node.args[0])
    return fallback


def _name(call: ast.Call) -> str:
    function = call.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
