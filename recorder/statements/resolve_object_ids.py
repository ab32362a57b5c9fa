"""Replaces objects in a statement by their ids."""

from collections.abc import Callable
from typing import Any, TypeVar

import msgspec

from ..objects.object_ids import ObjectOrId
from ..packets.trace_types import has_ids, with_ids
from .statement_messages import LogEntry, StatementStruct

_S = TypeVar("_S", bound=StatementStruct)


def names_ids_only(statement: StatementStruct) -> bool:
    """Whether a statement names ids, and no objects."""
    if _owner(statement).__class__ is not int:
        return False
    trace = getattr(statement, "trace", None)
    return trace is None or has_ids(trace)


def with_ids_only(statement: _S, id_of: Callable[[ObjectOrId], int]) -> _S:
    """The same statement with an id for each object that it names; raises what `id_of` does."""
    if names_ids_only(statement):
        return statement
    replaced: Any = statement
    id = id_of(_owner(statement))
    if isinstance(statement, LogEntry):
        line: Any = msgspec.structs.replace(statement.line, object=id)
        replaced = msgspec.structs.replace(replaced, line=line)
    elif hasattr(statement, "agent"):
        replaced = msgspec.structs.replace(replaced, agent=id)
    else:
        replaced = msgspec.structs.replace(replaced, object=id)
    if hasattr(replaced, "trace"):
        replaced = msgspec.structs.replace(replaced, trace=with_ids(replaced.trace, id_of))
    found: _S = replaced
    return found


def _owner(statement: Any) -> Any:
    """The object that a statement is about; 0 where it is about none."""
    if isinstance(statement, LogEntry):
        return statement.line.object
    return statement.agent if hasattr(statement, "agent") else getattr(statement, "object", 0)
