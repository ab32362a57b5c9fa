"""A hook's condition: an expression of `find`, evaluated on the values of one decision."""

import math
import operator
from collections.abc import Callable
from typing import Any

from ..errors import CommandError, ExpressionError
from ..recording.search.expression import (
    Constant,
    Expression,
    FunctionCall,
    Name,
    Operation,
    calls_in,
    names_in,
    parse,
)

Lookup = Callable[[str], Any]
"""Gives the value of a name; raises KeyError where there is none."""

_FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "abs": abs, "norm": lambda vector: math.hypot(*vector)
}  # fmt: skip
_BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv,
    "%": operator.mod, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
    "==": operator.eq, "!=": operator.ne,
}  # fmt: skip


class HookCondition:
    """A condition on one instant: comparisons, arithmetic, `and`, `or`, `not`, `abs`, `norm`.

    Raises:
        CommandError: it is no expression, or asks for what was before.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        try:
            self._expression = parse(text)
        except ExpressionError as error:
            raise CommandError(f"when{str(error).removeprefix('find')}") from None
        for call in calls_in(self._expression):
            if call.function not in _FUNCTIONS:
                raise CommandError(
                    f"when {text!r}: {call.function}() looks at other instants, and a hook sees"
                    " one: there are abs and norm; `find` has the others"
                )
        self.names = tuple(dict.fromkeys(name.text for name in names_in(self._expression)))

    def holds(self, lookup: Lookup) -> bool:
        """Whether it holds; what can't be compared does not.

        Raises:
            KeyError: there is no value of a name.
        """
        try:
            return bool(_value(self._expression, lookup))
        except (TypeError, ValueError, ArithmeticError):
            return False


def _value(expression: Expression, lookup: Lookup) -> Any:
    match expression:
        case Constant(value=value):
            return value
        case Name():
            return lookup(expression.text)
        case FunctionCall(function=function, arguments=(inner,)):
            return _FUNCTIONS[function](_value(inner, lookup))
        case Operation(operator="and", operands=operands):
            return all(_value(one, lookup) for one in operands)
        case Operation(operator="or", operands=operands):
            return any(_value(one, lookup) for one in operands)
        case Operation(operator="not", operands=(inner,)):
            return not _value(inner, lookup)
        case Operation(operator="neg", operands=(inner,)):
            return -_value(inner, lookup)
        case Operation(operator=sign, operands=(left, right)):
            return _BINARY[sign](_value(left, lookup), _value(right, lookup))
    raise TypeError(f"{expression!r}")
