"""Conditions and values as workspaces write them: `enemy_distance < 3 and not tired`.

They are a small subset of Python's expressions, parsed by Python's own parser. What is not listed
here is refused. Nothing is executed as Python.
"""

import ast
import math
import operator
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from ...errors import TreeError
from ...games.tree_body_interface import TreeValue

MOST_CHARACTERS = 500
MOST_DEPTH = 40
Values = Mapping[str, TreeValue]
_Evaluate = Callable[[Values], Any]

FUNCTIONS: dict[str, tuple[Callable[..., Any], int, int]] = {
    "abs": (abs, 1, 1), "min": (min, 2, 9), "max": (max, 2, 9), "round": (round, 1, 1),
    "sin": (math.sin, 1, 1), "cos": (math.cos, 1, 1), "atan2": (math.atan2, 2, 2),
    "hypot": (math.hypot, 2, 2), "sqrt": (math.sqrt, 1, 1),
    "turned": (lambda angle: math.remainder(angle, math.tau), 1, 1),
    "distance": (lambda a, b: math.dist(a[:2], b[:2]), 2, 2),
}  # fmt: skip
"""Each with its least and its largest number of arguments. `turned` brings an angle to −π … π."""
_ARITHMETIC: dict[type[ast.AST], Callable[..., Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
    ast.Div: operator.truediv, ast.Mod: operator.mod, ast.USub: operator.neg,
    ast.UAdd: operator.pos,
}  # fmt: skip
_COMPARISONS: dict[type[ast.AST], Callable[..., Any]] = {
    ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt, ast.GtE: operator.ge,
    ast.Eq: operator.eq, ast.NotEq: operator.ne,
}  # fmt: skip
_OFF: dict[type[ast.AST], Callable[[float, float], float]] = {
    ast.Lt: lambda one, other: one - other, ast.LtE: lambda one, other: one - other,
    ast.Gt: lambda one, other: other - one, ast.GtE: lambda one, other: other - one,
}  # fmt: skip
"""The distance of each of these comparisons from being true."""


class TextComparison(NamedTuple):
    """A key that is compared with a text: `enemy == "Imp"`."""

    key: str
    text: str


class Expression:
    """An expression that was read.

    Raises:
        TreeError: it is none; the message names the place in it.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        tree = _parsed(text)
        self._evaluate = _compiled(tree, text)
        self._distance = _distance(tree, text, negated=False)
        names = (node for node in ast.walk(tree) if isinstance(node, ast.Name))
        functions = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
        self.keys = frozenset(node.id for node in names if id(node) not in functions)
        """The keys of the blackboard that it reads."""
        self.comparisons = tuple(_text_comparisons(tree))

    def value(self, values: Values) -> Any:
        """What it comes to.

        Raises:
            TreeError: a key is not there, or what it is can't be used so.
        """
        try:
            return self._evaluate(values)
        except (TypeError, ValueError, ArithmeticError) as error:
            raise TreeError(f"{self.text!r} with {self.shown(values)}: {error}") from error

    def shown(self, values: Values) -> str:
        """The keys that it reads with what they are: `ammo = 0, enemy_distance = 12.3`."""
        return ", ".join(f"{key} = {_short(values[key])}" for key in sorted(self.keys))

    def why_not(self, values: Values) -> str:
        """Why it does not hold; empty if it does."""
        if self.value(values):
            return ""
        return f"not {self.text}: {self.shown(values)}" if self.keys else f"not {self.text}"

    def lacks(self, values: Values) -> float:
        """How far it is from holding: 0 if it holds, by the comparison that is farthest off;
        infinite where a yes or no is missing."""
        try:
            return max(0.0, self._distance(values))
        except (TypeError, ValueError, ArithmeticError, TreeError):
            return math.inf


def _parsed(text: str) -> ast.expr:
    if not text.strip():
        raise TreeError("the expression is empty: write one such as 'health < 30'")
    if len(text) > MOST_CHARACTERS:
        raise TreeError(f"an expression of {len(text)} characters; {MOST_CHARACTERS} are read")
    try:
        return ast.parse(text.strip(), mode="eval").body
    except SyntaxError as error:
        where = f" at character {error.offset}" if error.offset else ""
        raise TreeError(f"{text!r}: {error.msg}{where}") from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise TreeError(f"{text!r:.80}: it can't be read: {error}") from None


def _compiled(node: ast.expr, text: str, depth: int = 0) -> _Evaluate:
    if depth > MOST_DEPTH:
        raise TreeError(f"{text!r:.80}: it is nested more than {MOST_DEPTH} levels deep")

    def inner(one: ast.expr) -> _Evaluate:
        return _compiled(one, text, depth + 1)

    match node:
        case ast.Constant(value=bool() | int() | float() | str() | None as value):
            return lambda values: value
        case ast.Name(id=key):
            return lambda values: values[key]
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            one = inner(operand)
            return lambda values: not one(values)
        case ast.UnaryOp(op=sign, operand=operand) if type(sign) in _ARITHMETIC:
            return _numbers(_ARITHMETIC[type(sign)], [inner(operand)])
        case ast.BinOp(left=left, op=sign, right=right) if type(sign) in _ARITHMETIC:
            return _numbers(_ARITHMETIC[type(sign)], [inner(left), inner(right)])
        case ast.BoolOp(op=sign, values=parts):
            all_of = [inner(part) for part in parts]
            if isinstance(sign, ast.And):
                return lambda values: all(part(values) for part in all_of)
            return lambda values: any(part(values) for part in all_of)
        case ast.Compare(left=left, ops=signs, comparators=others):
            return _comparison([inner(left), *map(inner, others)], signs, node, text)
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
            return _call(name, [inner(one) for one in arguments], node, text)
        case ast.Attribute(value=ast.Name(id=key), attr="x" | "y" | "z" as axis):
            axis_index = "xyz".index(axis)
            return lambda values: _axis(values[key], axis_index)
    raise _refused(node, text, f"{ast.unparse(node)[:40]} is not of this language")


def _distance(node: ast.expr, text: str, *, negated: bool) -> Callable[[Values], float]:
    """Measures how far an expression is from being true; negated: from being false."""
    match node:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return _distance(operand, text, negated=not negated)
        case ast.BoolOp(op=sign, values=parts):
            each = [_distance(part, text, negated=negated) for part in parts]
            farthest = isinstance(sign, ast.And) is not negated
            choose = max if farthest else min
            return lambda values: choose(one(values) for one in each)
        case ast.Compare(left=left, ops=[sign], comparators=[right]) if type(sign) in _OFF:
            one, other = _compiled(left, text), _compiled(right, text)
            off = _OFF[type(sign)]
            direction = -1.0 if negated else 1.0
            return lambda values: direction * off(_number(one(values)), _number(other(values)))
    holds = _compiled(node, text)
    return lambda values: 0.0 if bool(holds(values)) is not negated else math.inf


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{_short(value)} is no number")
    return float(value)


def _numbers(function: Callable[..., Any], operands: list[_Evaluate]) -> _Evaluate:
    def evaluate(values: Values) -> Any:
        given = [operand(values) for operand in operands]
        for one in given:
            if not isinstance(one, int | float):
                raise TypeError(f"{_short(one)} is no number")
        return function(*given)

    return evaluate


def _comparison(
    operands: list[_Evaluate], signs: list[ast.cmpop], node: ast.expr, text: str
) -> _Evaluate:
    compared = [_COMPARISONS.get(type(sign)) for sign in signs]
    if None in compared:
        raise _refused(node, text, "compare by < <= > >= == !=")

    def evaluate(values: Values) -> bool:
        left = operands[0](values)
        for compare, operand in zip(compared, operands[1:], strict=True):
            right = operand(values)
            assert compare is not None
            if not compare(left, right):
                return False
            left = right
        return True

    return evaluate


def _call(name: str, arguments: list[_Evaluate], node: ast.expr, text: str) -> _Evaluate:
    if name not in FUNCTIONS:
        raise _refused(node, text, f"there is no function {name!r}: use {', '.join(FUNCTIONS)}")
    function, least, most = FUNCTIONS[name]
    if not least <= len(arguments) <= most:
        needs = str(least) if least == most else f"{least} to {most}"
        raise _refused(node, text, f"{name} takes {needs} values, not {len(arguments)}")
    return lambda values: function(*[one(values) for one in arguments])


def _axis(value: TreeValue, axis_index: int) -> float:
    if not isinstance(value, tuple | list) or len(value) <= axis_index:
        raise TypeError(f"{_short(value)} has no {'xyz'[axis_index]}")
    return value[axis_index]


def _text_comparisons(tree: ast.AST) -> Iterator[TextComparison]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.Compare):
            continue
        sides = [node.left, *node.comparators]
        for one, other in ((a, b) for a in sides for b in sides if a is not b):
            match one, other:
                case ast.Name(id=key), ast.Constant(value=str() as text):
                    yield TextComparison(key, text)


def _refused(node: ast.expr, text: str, why: str) -> TreeError:
    return TreeError(f"{text!r}: {why}, at character {node.col_offset + 1}")


def _short(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, tuple):
        return f"({', '.join(_short(one) for one in value)})"
    return f"{value!r:.60}"
