"""What the conditions of a state machine look at: found in their code, without calling any.

A condition is a method of a model, or a function. The attributes that it reads are in its
bytecode: `self.fear`, `self.wolf.position`, and those of the model's methods and properties that it
uses. What it reads in other ways, such as by a method of another object, is not found.
"""

import dis
from collections.abc import Iterator
from functools import lru_cache
from inspect import unwrap
from types import CodeType, FunctionType, GetSetDescriptorType, MemberDescriptorType, MethodType
from typing import Any

import numpy as np

Path = tuple[str, ...]
MOST_ITEMS = 256
"""Items of a list or a mapping that is an input; of a longer one nothing is recorded."""
MOST_ATTRIBUTES = 64
"""Attributes of a model that are recorded whether a condition looks at them or not."""
_SCALARS = frozenset((bool, int, float, str, type(None)))
_STORED = GetSetDescriptorType, MemberDescriptorType
_LOADS = frozenset(("LOAD_ATTR", "LOAD_METHOD"))
_DEEPEST = 6
"""Lists within lists, and methods that call methods."""
_UNKNOWN: Any = object()


def own_values(model: Any, without: str) -> dict[str, Any]:
    """The plain values that an object itself holds, by name: an edited condition may look at them.

    Args:
        without: The attribute that holds its state.
    """
    found: dict[str, Any] = {}
    for name, value in getattr(model, "__dict__", {}).items():
        if value.__class__ in _SCALARS and name != without and not name.startswith("_"):
            found[name] = value
            if len(found) == MOST_ATTRIBUTES:
                break
    return found


def add_values_read(condition: Any, model: Any, has_event: bool, found: dict[str, Any]) -> None:
    """Add what a condition reads of a model, by path: `fear`, `wolf.hp`. What is there stays.

    Args:
        condition: As it was given to the machine: the name of an attribute, or a function.
        has_event: It is called with an event, whose `model` this is.
    """
    if isinstance(condition, str):
        _follow(model, (condition,), model, has_event, found, 0)
        return
    function = unwrap(condition) if isinstance(condition, FunctionType | MethodType) else None
    if getattr(function, "__self__", None) is model:
        _add_read(function, model, has_event, found, 0)
    elif isinstance(function, FunctionType) and has_event:
        _add_of_event(function.__code__, 0, model, found, 0)


def _add_read(
    function: Any, model: Any, has_event: bool, found: dict[str, Any], depth: int
) -> None:
    """What a function reads of its first argument, the model."""
    function = unwrap(getattr(function, "__func__", function))
    code = getattr(function, "__code__", None)
    if code is None or depth > _DEEPEST or not code.co_argcount:
        return
    for path in _paths(code, code.co_varnames[0]):
        _follow(model, path, model, False, found, depth + 1)
    if has_event:
        _add_of_event(code, 1, model, found, depth + 1)


def _add_of_event(
    code: CodeType, place: int, model: Any, found: dict[str, Any], depth: int
) -> None:
    if code.co_argcount > place:
        for first, *path in _paths(code, code.co_varnames[place]):
            if first == "model" and path:
                _follow(model, tuple(path), model, False, found, depth)


def _follow(
    owner: Any, path: Path, model: Any, has_event: bool, found: dict[str, Any], depth: int
) -> None:
    """Read along a path as far as a plain value; only stored attributes are read."""
    for length, name in enumerate(path, 1):
        stored = _stored(owner, name)
        if stored is _UNKNOWN:
            if owner is model:
                function = _of_class(model, name)
                if isinstance(function, property):
                    function = function.fget
                if isinstance(function, FunctionType):
                    _add_read(function, model, has_event, found, depth)
            return
        plain = plain_copy(stored)
        if is_plain(plain):
            found.setdefault(".".join(path[:length]), plain)
            return
        owner = stored


def _stored(owner: Any, name: str) -> Any:
    """What an attribute holds, as far as it is stored: in the object, in a slot, in its class."""
    attribute = _of_class(owner, name)
    if isinstance(attribute, _STORED):
        try:
            return attribute.__get__(owner, type(owner))
        except AttributeError:  # an empty slot
            return _UNKNOWN
    if isinstance(attribute, property):
        return _UNKNOWN
    own = getattr(owner, "__dict__", None)
    if own.__class__ is dict and name in own:
        return own[name]
    return _UNKNOWN if hasattr(type(attribute), "__get__") else attribute


def _of_class(owner: Any, name: str) -> Any:
    for kind in type(owner).__mro__:
        if name in kind.__dict__:
            return kind.__dict__[name]
    return _UNKNOWN


def plain_copy(value: Any, depth: int = 0) -> Any:
    """A value as it can be recorded; `is_plain` says of the result whether it can."""
    kind = value.__class__
    if kind in _SCALARS:
        return value
    if isinstance(value, np.generic) and value.ndim == 0:
        return plain_copy(value.item(), _DEEPEST)
    if kind not in (list, tuple, dict) or depth == _DEEPEST or len(value) > MOST_ITEMS:
        return _UNKNOWN
    if kind is dict:
        copied = {
            key: plain_copy(item, depth + 1) for key, item in value.items() if type(key) is str
        }
        is_complete = len(copied) == len(value)
        return copied if is_complete and all(map(is_plain, copied.values())) else _UNKNOWN
    items = [plain_copy(item, depth + 1) for item in value]
    return items if all(map(is_plain, items)) else _UNKNOWN


def is_plain(copied: Any) -> bool:
    """Whether `plain_copy` found a value that can be recorded."""
    return copied is not _UNKNOWN


@lru_cache(maxsize=4096)
def _paths(code: CodeType, name: str) -> tuple[Path, ...]:
    """The attributes that code reads of a variable: each as the names of a chain of dots."""
    return tuple(dict.fromkeys(_all_paths(code, name)))


def _all_paths(code: CodeType, name: str) -> Iterator[Path]:
    chain: list[str] | None = None
    for instruction in dis.get_instructions(code):
        if chain is not None and instruction.opname in _LOADS:
            chain.append(str(instruction.argval))
            continue
        if chain:
            yield tuple(chain)
        chain = [] if _loads(instruction, name) else None
    for part in code.co_consts:  # comprehensions, and functions within
        if isinstance(part, CodeType) and name in part.co_freevars:
            yield from _all_paths(part, name)


def _loads(instruction: dis.Instruction, name: str) -> bool:
    """Whether an instruction leaves a variable on top; newer Pythons load two at once."""
    if not instruction.opname.startswith(("LOAD_FAST", "LOAD_DEREF", "STORE_FAST_LOAD_FAST")):
        return False
    loaded = instruction.argval
    return bool((loaded[-1] if isinstance(loaded, tuple) else loaded) == name)
