"""Validates statements: the same checks for calls, tools and games in other processes."""

from collections.abc import Callable
from enum import Enum
from numbers import Integral
from struct import error as struct_error
from typing import Any

from ...errors import RecordingError
from ..channel_switches import checked_channel
from ..monotonic_timeline import seconds
from ..packets.draw_primitives import PACK, packed_color, shape_of
from ..packets.layouts.plain_value_codec import decode, encode
from ..packets.log_lines import checked_level
from ..packets.picture_validation import checked_picture
from ..packets.trace_types import checked_statuses
from .statement_messages import (
    AgentDecision,
    AnimationStatement,
    Despawn,
    Drawing,
    GameEvent,
    Input,
    LogEntry,
    ObjectFact,
    ObjectName,
    Phase,
    Picture,
    PlacedStatement,
    SetMark,
    Statement,
    TransitionStatement,
    TreeDefinition,
    TreeTickStatement,
    WatchedValue,
)


def validate(statement: Statement) -> None:
    """See that a statement whose fields have the right types makes sense.

    Raises:
        RecordingError: it can't be recorded; the message says why.
    """
    check = _CHECKS.get(statement.__class__)
    if check is None:
        raise RecordingError(f"{statement!r:.100} is no statement")
    check(statement)
    if isinstance(statement, PlacedStatement):
        _check_instant(statement)


def check_plain(statement: Statement) -> None:
    """Check that the value of a statement from another process is plain, as the protocol demands.

    Raises:
        RecordingError: it is not.
    """
    if isinstance(statement, ObjectFact | Input | GameEvent):
        values = [statement.value]
    elif isinstance(statement, TreeTickStatement):
        trace = statement.trace
        values = [trace.blackboard, trace.entries]
        values += [value for one in trace.accesses for value in (one.before, one.after)]
    elif isinstance(statement, AgentDecision):
        values = [statement.inputs, statement.outcome]
        values += [statement.maker.settings] if statement.maker is not None else []
    else:
        return
    try:
        for value in values:
            _check_value(value)
    except RecursionError:
        raise RecordingError("value: its lists and maps are nested too deeply") from None


def _check_value(value: Any) -> None:
    if isinstance(value, dict):
        for key, item in value.items():
            if not isinstance(key, str):
                raise RecordingError(f"value: key {key!r:.100}: maps have text keys")
            _check_value(item)
    elif isinstance(value, list | tuple):
        for item in value:
            _check_value(item)
    elif value is not None and not isinstance(value, str | int | float):
        raise RecordingError(
            f"value: {value!r:.100} is not plain: give numbers, text, true, false, nil, lists and"
            " maps of them"
        )


def copied(statement: Statement) -> tuple[Statement, int]:
    """A copy that other code can't change, with fields of the right types; and its size in bytes.

    Raises:
        RecordingError: a field is of another type, or holds what is no plain value.
    """
    kind: Any = statement.__class__
    if kind not in _CHECKS:
        raise RecordingError(f"{statement!r:.100} is no statement")
    payload = encode(statement, kind)
    return decode(payload, kind), len(payload)


def object_id(number: Any) -> int:
    """The same number, which is an object's, or 0 for the world.

    Raises:
        RecordingError: it is none.
    """
    is_integer = isinstance(number, Integral) and not isinstance(number, bool)
    if not is_integer or not 0 <= number < 1 << 63:
        raise RecordingError(
            f"object {number!r:.100}: ids are whole numbers from 1 to 2⁶³−1, the world is 0"
        )
    return int(number)


def ended_id(number: Any) -> int:
    """The same number, which is an object's that can end.

    Raises:
        RecordingError: it is none, or the world's: with that all that readers must know would end.
    """
    id = object_id(number)
    if not id:
        raise RecordingError("object 0 is the world, which does not end: give an object's id")
    return id


def not_a_number(name: str, value: Any) -> RecordingError:
    """The error for a watched value that is no number."""
    if isinstance(value, Enum):
        advice = "trace.state() records a machine's state; watch the member's value if that is one"
    else:
        advice = "watch a number, or log() a text"
    return RecordingError(f"watch {name!r}: {value!r:.100} is no number: {advice}")


def _check_instant(statement: PlacedStatement) -> None:
    time, game_time = statement.time, statement.game_time
    if time is not None and game_time is not None:
        raise RecordingError(f"time {time!r} and game_time {game_time!r}: give one of them")
    if time is not None:
        seconds(time, "time")
    if game_time is not None:
        seconds(game_time, "game_time")


def _check_agent(
    statement: TransitionStatement | AnimationStatement | TreeDefinition | AgentDecision,
) -> None:
    object_id(statement.agent)


def _check_object(
    statement: WatchedValue | SetMark | ObjectName | ObjectFact | Input | GameEvent,
) -> None:
    object_id(statement.object)


def _check_despawn(statement: Despawn) -> None:
    ended_id(statement.object)


def _check_tick(statement: TreeTickStatement) -> None:
    object_id(statement.agent)
    checked_statuses(statement.trace)


def _check_channel(statement: LogEntry | Drawing) -> None:
    if statement.channel is not None:
        checked_channel(statement.channel)


def _check_line(statement: LogEntry) -> None:
    object_id(statement.line.object)
    checked_level(statement.line.level)
    _check_channel(statement)


def _check_drawing(statement: Drawing) -> None:
    object_id(statement.object)
    _check_channel(statement)
    shape = shape_of(statement)
    color = packed_color(statement.color)
    try:
        PACK[shape.type](color, 0, statement.line, *shape.numbers)
    except (struct_error, OverflowError) as error:
        raise RecordingError(f"draw {statement.shape!r}: {error}") from None


_CHECKS: dict[type, Callable[[Any], None]] = {
    TransitionStatement: _check_agent,
    TreeTickStatement: _check_tick,
    AnimationStatement: _check_agent,
    TreeDefinition: _check_agent,
    AgentDecision: _check_agent,
    WatchedValue: _check_object,
    LogEntry: _check_line,
    SetMark: _check_object,
    Drawing: _check_drawing,
    ObjectName: _check_object,
    ObjectFact: _check_object,
    Despawn: _check_despawn,
    Input: _check_object,
    Phase: lambda statement: None,
    GameEvent: _check_object,
    Picture: checked_picture,
}
