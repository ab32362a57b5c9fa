"""The language of `Recording.find`: what an expression may say, as a tree.

It is a small part of Python's expressions, read by Python's own parser and then translated, node by
node, into the classes here. What is not listed is refused, and nothing is ever executed.
"""

import ast
from typing import NamedTuple, TypeAlias

from ...errors import ExpressionError
from ...recorder.text.field_paths import spelled
from ...recorder.text.name_hint import name_hint

MOST_CHARACTERS = 1000
"""The longest expression: Python's parser is never given more."""
MOST_DEPTH = 100
"""How deep an expression may be nested."""
FUNCTIONS = {
    "changed": (1, 1), "previous": (1, 1), "entered": (1, 2), "left": (1, 2), "state": (1, 1),
    "event": (1, 1), "node": (1, 2), "abs": (1, 1), "norm": (1, 1),
}  # fmt: skip
"""How many arguments each function takes, at least and at most."""
TEXT_ARGUMENTS = frozenset(("entered", "left", "state", "event", "node"))
"""The functions whose arguments are names in quotes."""


class Constant(NamedTuple):
    """A number, text, True or False."""

    value: float | str | bool
    column: int = 0
    """As in a `Name`."""


class Name(NamedTuple):
    """A field, a watched value or `state`, `time`, `frame`; with whose it is, if given."""

    path: str
    """Without the object; parts that are numbers follow a dot here, as in `rect.0`."""
    scope: str = ""
    """The object's name, or a type; empty for whichever objects have it."""
    column: int = 0
    """Its position in the text, counted from 1."""

    @property
    def text(self) -> str:
        """As it was written, but for quotes."""
        path = spelled(self.path)
        return f"{self.scope}.{path}" if self.scope else path


class FunctionCall(NamedTuple):
    """One of `FUNCTIONS` of something."""

    function: str
    arguments: "tuple[Expression, ...]"
    scope: str = ""
    column: int = 0
    """As in a `Name`."""


class Operation(NamedTuple):
    """Arithmetic, a comparison, `and`, `or`, `not`: an operator and what it is applied to."""

    operator: str
    """`+ - * / % neg`, `< <= > >= == !=`, `and or not`."""
    operands: "tuple[Expression, ...]"
    column: int = 0
    """As in a `Name`."""


Expression: TypeAlias = Constant | Name | FunctionCall | Operation

_OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Mod: "%", ast.USub: "neg",
    ast.Not: "not", ast.And: "and", ast.Or: "or", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">",
    ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
}  # fmt: skip


def parse(text: str) -> Expression:
    """An expression as a tree.

    Raises:
        ExpressionError: it is no text, too long, no expression, or says what the language does not
            have. The message names the place.
    """
    if not isinstance(text, str) or not text.strip():
        raise ExpressionError(f"find {text!r}: give an expression such as 'hp < 50'")
    if len(text) > MOST_CHARACTERS:
        raise ExpressionError(
            f"find: an expression of {len(text):,} characters; at most {MOST_CHARACTERS:,} are read"
        )
    text = " ".join(text.splitlines()).strip()
    try:
        tree = ast.parse(text, mode="eval").body
    except SyntaxError as error:
        column = error.offset or len(text) + 1  # Python has no place for an end that is missing
        raise ExpressionError(
            f"find {text!r}: {error.msg} at character {column}{_advice(text)}", column
        ) from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise ExpressionError(f"find {text!r}: it can't be read: {error}") from None
    if _is_deeper(tree, 2 * MOST_DEPTH):  # Python's tree has a node between any two of ours
        raise ExpressionError(f"find {text!r}: it is nested more than {MOST_DEPTH} levels deep")
    return _translated(tree, text)


def place_in(text: str, column: int) -> str:
    """Where something is in an expression, for an error's text."""
    return f"character {column} of {text!r}" if column else repr(text)


def required_states(expression: Expression, *, field: bool = False) -> frozenset[str]:
    """States of which one must be entered, or be held, wherever an expression holds; none if it
    may hold without any.

    `state == 'Flee' and hp < 50` requires `Flee`.

    Args:
        field: Whether objects have a field that is called `state`, which says nothing of machines.
    """
    match expression:
        case FunctionCall(function="entered", arguments=(Constant(value=str() as name), *_)):
            return frozenset((name,))
        case Operation(operator="==", operands=(left, right)):
            for one, other in ((left, right), (right, left)):
                is_machine = is_state(one) and not (field and isinstance(one, Name))
                if is_machine and isinstance(other, Constant) and isinstance(other.value, str):
                    return frozenset((other.value,))
        case Operation(operator="and", operands=operands):
            return next((
                states for one in operands if (states := required_states(one, field=field))
            ), frozenset())  # fmt: skip
        case Operation(operator="or", operands=operands):
            each = [required_states(one, field=field) for one in operands]
            return frozenset().union(*each) if all(each) else frozenset()
    return frozenset()


def states_in(expression: Expression) -> list[tuple[str, int]]:
    """The names of states that an expression compares with, or has entered or left; where."""
    match expression:
        case FunctionCall(
            function="entered" | "left", arguments=(Constant(value=str() as name) as one, *_)
        ):
            return [(name, one.column)]
        case Operation(operator="==" | "!=", operands=(left, right)) if is_state(left) or is_state(
            right
        ):
            return [
                (one.value, one.column)
                for one in (left, right)
                if isinstance(one, Constant) and isinstance(one.value, str)
            ]
        case FunctionCall(arguments=inner) | Operation(operands=inner):
            return [state for one in inner for state in states_in(one)]
    return []


def is_state(expression: Expression) -> bool:
    """Whether an expression is the state of a machine."""
    match expression:
        case Name(path="state") | FunctionCall(function="state"):
            return True
    return False


def names_in(expression: Expression) -> list[Name]:
    """Every name in an expression, in the order of the text."""
    match expression:
        case Name():
            return [expression]
        case FunctionCall(arguments=inner) | Operation(operands=inner):
            return [name for one in inner for name in names_in(one)]
    return []


def frames_before(expression: Expression) -> int:
    """How many frames before a frame decide whether an expression holds in it."""
    match expression:
        case FunctionCall(function=function, arguments=inner):
            own = 1 if function in ("changed", "previous") else 0
            return own + max(map(frames_before, inner), default=0)
        case Operation(operands=inner):
            return max(map(frames_before, inner), default=0)
    return 0


def calls_in(expression: Expression) -> list[FunctionCall]:
    """Every call in an expression."""
    match expression:
        case FunctionCall(arguments=inner):
            return [expression, *(call for one in inner for call in calls_in(one))]
        case Operation(operands=inner):
            return [call for one in inner for call in calls_in(one)]
    return []


def _is_deeper(tree: ast.AST, most: int) -> bool:
    level: list[ast.AST] = [tree]
    for _ in range(most):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        if not level:
            return False
    return True


def _translated(node: ast.expr, text: str) -> Expression:
    column = _column(node, text)
    match node:
        case ast.Constant(value=bool() | str() as value):
            return Constant(value, column)
        case ast.Constant(value=int() | float() as number):
            return Constant(_finite(number, node, text), column)
        case ast.Name() | ast.Attribute() | ast.Subscript():
            scope, path = _path(node, text)
            return Name(path, scope, column)
        case ast.UnaryOp(op=ast.UAdd(), operand=inner):
            return _translated(inner, text)
        case ast.UnaryOp(op=op, operand=inner) if type(op) in _OPERATORS:
            return Operation(_OPERATORS[type(op)], (_translated(inner, text),), column)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            pair = _translated(left, text), _translated(right, text)
            return Operation(_OPERATORS[type(op)], pair, column)
        case ast.BoolOp(op=op, values=values):
            parts = tuple(_translated(one, text) for one in values)
            return Operation(_OPERATORS[type(op)], parts, column)
        case ast.Compare(left=left, ops=ops, comparators=others):
            return _comparison(node, left, ops, others, text)
        case ast.Call():
            return _call(node, text)
    raise _refused(node, text, "is not part of the language")


def _comparison(
    node: ast.expr, left: ast.expr, ops: list[ast.cmpop], others: list[ast.expr], text: str
) -> Expression:
    parts = [_translated(one, text) for one in (left, *others)]
    steps: list[Expression] = []
    for op, low, high in zip(ops, parts, parts[1:], strict=False):
        if type(op) not in _OPERATORS:
            raise _refused(node, text, "compares by what is not < <= > >= == !=")
        steps.append(Operation(_OPERATORS[type(op)], (low, high), low.column))
    return steps[0] if len(steps) == 1 else Operation("and", tuple(steps), steps[0].column)


def _call(node: ast.Call, text: str) -> FunctionCall:
    scope, function = _path(node.func, text)
    if function not in FUNCTIONS:
        raise _refused(node, text, f"calls {function!r}: {name_hint(function, FUNCTIONS)}")
    low, high = FUNCTIONS[function]
    if node.keywords or not low <= len(node.args) <= high:
        count = str(low) if low == high else f"{low} or {high}"
        raise _refused(node, text, f"has other arguments than {function} takes: {count}")
    arguments = tuple(_translated(one, text) for one in node.args)
    if function in TEXT_ARGUMENTS:
        for one in arguments:
            if not isinstance(one, Constant) or not isinstance(one.value, str):
                raise _refused(node, text, f"needs texts in quotes, as in {function}('Flee')")
    elif scope:
        raise _refused(node, text, f"puts {scope!r} before a function: put it before the name")
    return FunctionCall(function, arguments, scope, _column(node, text))


def _path(node: ast.expr, text: str) -> tuple[str, str]:
    """Whose, and what: `"guard 7".velocity.x` is ("guard 7", "velocity.x").

    A name in front of a dot is part of the path here; whether it is an object is decided where the
    recording is known.
    """
    parts: list[str] = []
    inner = node
    while True:
        match inner:
            case ast.Attribute(value=value, attr=attribute):
                parts.append(attribute)
                inner = value
            case ast.Subscript(value=value, slice=ast.Constant(value=int() as index)) if (
                index >= 0 and not isinstance(index, bool)
            ):
                parts.append(str(index))
                inner = value
            case ast.Name(id=name):
                return "", ".".join((name, *reversed(parts)))
            case ast.Constant(value=str() as name) if parts and name:
                return name, ".".join(reversed(parts))
            case _:
                raise _refused(inner, text, "is no name")


def _finite(number: float, node: ast.expr, text: str) -> float:
    try:
        value = float(number)
    except OverflowError:
        raise _refused(node, text, "is too large a number") from None
    if value in (float("inf"), float("-inf")):
        raise _refused(node, text, "is too large a number")
    return value


def _column(node: ast.AST, text: str) -> int:
    """A node's position, counted in characters from 1; Python counts bytes."""
    before = text.encode("utf-8", "surrogatepass")[: getattr(node, "col_offset", 0)]
    return len(before.decode("utf-8", "ignore")) + 1


def _advice(text: str) -> str:
    """What to write instead of what other languages have."""
    for sign, word in (("&&", "and"), ("||", "or"), ("!", "not")):
        if sign in text.replace("!=", ""):
            return f": write {word!r} for {sign!r}"
    return ""


def _refused(node: ast.AST, text: str, why: str) -> ExpressionError:
    column = _column(node, text)
    piece = ast.get_source_segment(text, node) or text[column - 1 : column + 19]
    return ExpressionError(f"find: {piece!r}, {place_in(text, column)}, {why}", column)
