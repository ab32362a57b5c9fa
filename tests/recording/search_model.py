"""The plain way to answer an expression: object by object, frame by frame, in Python."""

from typing import Any

from playhead.recording.search.expression import Constant, Expression, FunctionCall, Name, Operation

UNKNOWN = object()
_COMPARE = {
    "<": lambda a, b: a < b, "<=": lambda a, b: a <= b, ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b, "==": lambda a, b: a == b, "!=": lambda a, b: a != b,
}  # fmt: skip


def value(expression: Expression, rows: list[dict[str, Any]], at: int) -> Any:
    """What an expression is of one object in the row `at`, where `rows` are its values by name."""
    if at < 0:
        return UNKNOWN
    match expression:
        case Constant(value=constant):
            return constant
        case Name(path=path):
            return rows[at].get(path, UNKNOWN)
        case FunctionCall(function="previous", arguments=(inner,)):
            return value(inner, rows, at - 1)
        case FunctionCall(function="changed", arguments=(inner,)):
            now, before = value(inner, rows, at), value(inner, rows, at - 1)
            return UNKNOWN if UNKNOWN in (now, before) else now != before
        case FunctionCall(function="abs", arguments=(inner,)):
            now = value(inner, rows, at)
            return UNKNOWN if now is UNKNOWN else abs(now)
        case Operation(operator="not", operands=(inner,)):
            now = value(inner, rows, at)
            return UNKNOWN if now is UNKNOWN else not now
        case Operation(operator="neg", operands=(inner,)):
            now = value(inner, rows, at)
            return UNKNOWN if now is UNKNOWN else -now
        case Operation(operator="and" | "or" as operator, operands=operands):
            values = [value(one, rows, at) for one in operands]
            decided = operator == "or"
            if any(one is not UNKNOWN and bool(one) == decided for one in values):
                return decided
            return UNKNOWN if UNKNOWN in values else not decided
        case Operation(operator="+" | "-" as operator, operands=(left, right)):
            pair = value(left, rows, at), value(right, rows, at)
            if UNKNOWN in pair:
                return UNKNOWN
            return pair[0] + pair[1] if operator == "+" else pair[0] - pair[1]
        case Operation(operator=operator, operands=(left, right)):
            pair = value(left, rows, at), value(right, rows, at)
            return UNKNOWN if UNKNOWN in pair else _COMPARE[operator](*pair)
    raise AssertionError(expression)


def hits(expression: Expression, tracks: dict[int, list[dict[str, Any]]]) -> list[tuple[int, int]]:
    """Frames (from 1 on) and objects at which it becomes true.

    Args:
        tracks: By object, its values by name in each frame; an empty dict where it is absent.
    """
    found = []
    for object, rows in tracks.items():
        before = False
        for at in range(len(rows)):
            now = value(expression, rows, at)
            holds = now is not UNKNOWN and bool(now)
            if holds and not before:
                found.append((at + 1, object))
            before = holds
    return sorted(found)
