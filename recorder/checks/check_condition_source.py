"""The place in a program that makes a check, and the source of the condition that is checked."""

import ast
import linecache
import sys
from collections.abc import Callable
from functools import cached_property
from itertools import islice
from types import CodeType, FrameType


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
