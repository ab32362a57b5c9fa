"""The ids in a statement, where a game may have given its objects instead."""

from collections.abc import Callable
from typing import Any, TypeVar

import msgspec

from ..object_ids import ObjectRef
from ..packets.decision_traces import has_ids, with_ids
from .statements import LogEntry, StatementStruct

_S = TypeVar("_S", bound=StatementStruct)


def names_ids_only(statement: StatementStruct) -> bool:
    """Whether a statement names ids, and no objects."""
    said: Any = statement
    if _owner(said).__class__ is not int:
        return False
    trace = getattr(said, "trace", None)
    return trace is None or has_ids(trace)


def with_ids_only(statement: _S, id_of: Callable[[ObjectRef], int]) -> _S:
    """The same statement with an id for each object that it names; raises what `id_of` does."""
    said: Any = statement
    if names_ids_only(statement):
        return statement
    id = id_of(_owner(said))
    if isinstance(said, LogEntry):
        line: Any = msgspec.structs.replace(said.line, object=id)
        said = msgspec.structs.replace(said, line=line)
    elif hasattr(said, "agent"):
        said = msgspec.structs.replace(said, agent=id)
    else:
        said = msgspec.structs.replace(said, object=id)
    if hasattr(said, "trace"):
        said = msgspec.structs.replace(said, trace=with_ids(said.trace, id_of))
    found: _S = said
    return found


def _owner(said: Any) -> Any:
    """The object that a statement is about; 0 where it is about none."""
    if isinstance(said, LogEntry):
        return said.line.object
    return said.agent if hasattr(said, "agent") else getattr(said, "object", 0)
