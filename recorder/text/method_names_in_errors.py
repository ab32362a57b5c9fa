"""The names of calls in errors about wrong arguments: `check()`, without a class."""

from types import FunctionType
from typing import TypeVar

_C = TypeVar("_C", bound=type)


def named_by_method(kind: _C) -> _C:
    """A class whose methods are called on others: errors name `check()`, and not this class.

    Python puts the class that a method was written in before its name, here one that nobody who
    calls it has heard of.
    """
    for name, method in vars(kind).items():
        if isinstance(method, FunctionType) and name[0] != "_":
            method.__qualname__ = name
    return kind
