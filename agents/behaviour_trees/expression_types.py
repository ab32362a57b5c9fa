"""Finds values of the wrong type in expressions, such as a flag that is used as a place."""

import ast
from collections.abc import Iterable, Iterator, Mapping

from ...games.tree_body_interface import TreeValue

_ORDER = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_OF_PLACES = ("distance",)
"""Functions that take places; all others take numbers."""
_ARTICLES = {
    "number": "a number", "flag": "a flag", "text": "a text", "place": "a place", "none": "None",
}  # fmt: skip


def kind_of(value: TreeValue) -> str:
    """What a value is in the words of a format: `number`, `flag`, `text`, `place`; empty if nobody
    knows."""
    if isinstance(value, bool):
        return "flag"
    if isinstance(value, int | float):
        return "number"
    if isinstance(value, str):
        return "text"
    return "place" if isinstance(value, tuple | list) else ""


def misused(text: str, kinds: Mapping[str, str]) -> list[str]:
    """Values that are used as another type than theirs, each reported once.

    A value of unknown type is never reported.

    Args:
        text: An expression that was read without an error.
        kinds: Of each key of the blackboard what it is.
    """
    return list(dict.fromkeys(_misused(ast.parse(text.strip(), mode="eval").body, kinds)))


def _misused(tree: ast.expr, kinds: Mapping[str, str]) -> Iterator[str]:
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(id=key), attr=axis):
                if kinds.get(key, "place") not in ("place", ""):
                    yield f"{key} is {_ARTICLES[kinds[key]]}: it has no {axis}"
            case ast.BinOp(left=left, right=right):
                yield from _wrong((left, right), "number", kinds)
            case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=operand):
                yield from _wrong((operand,), "number", kinds)
            case ast.Call(func=ast.Name(id=name), args=arguments):
                expected = "place" if name in _OF_PLACES else "number"
                yield from _wrong(arguments, expected, kinds)
            case ast.Compare(left=left, ops=signs, comparators=others):
                operands = [left, *others]
                if all(isinstance(sign, _ORDER) for sign in signs):
                    yield from _wrong(operands, "number", kinds)
                else:
                    yield from _never_equal(operands, kinds)


def _wrong(operands: Iterable[ast.expr], expected: str, kinds: Mapping[str, str]) -> Iterator[str]:
    for one in operands:
        kind = _kind(one, kinds)
        # A flag counts as 0 or 1 where a number is wanted.
        if kind not in ("", expected) and (kind, expected) != ("flag", "number"):
            yield f"{ast.unparse(one)} is {_ARTICLES[kind]}, and is used as a {expected}"


def _never_equal(operands: list[ast.expr], kinds: Mapping[str, str]) -> Iterator[str]:
    known = {kind for one in operands if (kind := _kind(one, kinds))}
    if len(known) > 1 and "none" not in known:
        listed = " with ".join(f"{ast.unparse(one)} ({_kind(one, kinds)})" for one in operands)
        yield f"it compares {listed}: they are never equal"


def _kind(node: ast.expr, kinds: Mapping[str, str]) -> str:
    match node:
        case ast.Constant(value=None):
            return "none"
        case ast.Constant(value=bool() | int() | float() | str() as value):
            return kind_of(value)
        case ast.Name(id=key):
            return kinds.get(key, "")
        case ast.UnaryOp(op=ast.Not()) | ast.Compare():
            return "flag"
        case ast.BinOp() | ast.UnaryOp() | ast.Call() | ast.Attribute():
            return "number"
    return ""  # `and` and `or` come to one of their parts
