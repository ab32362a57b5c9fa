"""What the search popup offers for find in time: an expression that was typed, and its names."""

import re
from collections.abc import Callable
from typing import NamedTuple

from ...errors import ExpressionError
from ...recording.objects.field_path import HEADER_FIELDS, field_names
from ...recording.search.expression import Name, parse
from ...recording.search.expression_completion import Vocabulary, completions
from ..reader.frame_snapshot import FrameSnapshot
from ..reader.history.recording_history import RecordingHistory
from .fuzzy_search import SearchItem

Find = Callable[[str], object]
"""Searches for an expression."""
_LOOKS_LIKE_ONE = re.compile(r"[<>=()]|\b(and|or|not)\b|^\w+\.\w*$|^[\"']")
_NO_EXPRESSION = ">@!#"
_PATH = re.compile(r"[^\W\d]\w*(\.\w+)*")
_MOST_OBJECTS = 1000


class TypedExpression(NamedTuple):
    """What was made of a text as an expression."""

    items: list[SearchItem]
    """What it may be, or become, first what is typed."""
    error_text: str = ""
    """Why it is none …"""
    error_column: int = 0
    """… and where, from 1; 0 for nowhere."""


NOTHING = TypedExpression([])


def vocabulary_of(snapshot: FrameSnapshot | None, history: RecordingHistory) -> Vocabulary:
    """The names that expressions over a recording can have, as far as they are known."""
    fields: dict[str, list[str]] = {}
    objects: dict[str, str] = {}
    if snapshot is not None:
        for group in snapshot.objects.groups:
            own = [name for name in field_names(group.layout) if _PATH.fullmatch(name)]
            known = fields.setdefault(group.type, [])
            names = dict.fromkeys((*own, *HEADER_FIELDS[:4]))
            known += [name for name in names if name not in known]
            for id in group.ids[:_MOST_OBJECTS]:
                name = snapshot.paths.get(id) or snapshot.names.get(id)
                objects[name or str(id)] = group.type
    return Vocabulary(
        fields, objects,
        sorted({name for _, name in history.series}),
        history.states,
        sorted({machine for _, machine in history.changes}),
        sorted(history.game_events.by_name),
    )  # fmt: skip


def named_entries(words: Vocabulary, find: Find) -> list[SearchItem]:
    """Fields, watched values, states and events by name: each is found where it changes, is
    entered, happens."""
    made: list[SearchItem] = []
    types: dict[str, list[str]] = {}
    for type, names in words.fields.items():
        for name in names:
            types.setdefault(name, []).append(type)
    for name, having in types.items():
        made.append(_item("field", name, f"changed({name})", "find where it changes",
                          f"field of {', '.join(having[:3])}", find))  # fmt: skip
    made += [
        _item("field", name, f"changed({name})", "find where it changes", "watched value", find)
        for name in words.watches
        if _PATH.fullmatch(name)
    ]
    made += [
        _item("state", name, f"entered({_quoted(name)})", "find where it is entered", "state", find)
        for name in words.states
    ]
    made += [
        _item("event", name, f"event({_quoted(name)})", "find where it happens", "event", find)
        for name in words.events
    ]
    return made


def typed_expression(text: str, cursor: int, words: Vocabulary, find: Find) -> TypedExpression:
    """An expression that is being typed: to be searched for, completed, or mended."""
    expression = text.strip()
    if not expression or expression[0] in _NO_EXPRESSION:
        return NOTHING
    completing = [
        SearchItem("complete", one.word, f"put in {one.word}", lambda: None, one.note,
                   becomes=(one.text, one.cursor))
        for one in completions(text, cursor, words)
    ]  # fmt: skip
    try:
        parsed = parse(expression)
    except ExpressionError as error:
        if not _LOOKS_LIKE_ONE.search(expression):
            return NOTHING
        column = error.column + len(text) - len(text.lstrip()) if error.column else 0
        return TypedExpression(completing, str(error), column)
    if isinstance(parsed, Name) and not parsed.scope and "." not in parsed.path:
        return NOTHING  # a word: what it may be is among the entries by name
    if not _LOOKS_LIKE_ONE.search(expression):
        return NOTHING
    item = SearchItem("find", expression, "find in time", lambda: find(expression), "find in time")
    return TypedExpression([item, *completing])


def _item(kind: str, name: str, expression: str, does: str, note: str, find: Find) -> SearchItem:
    return SearchItem(kind, name, f"{does}: {expression}", lambda: find(expression), note)


def _quoted(text: str) -> str:
    """A text as an expression takes it."""
    quote = '"' if '"' not in text else "'"
    return f"{quote}{text}{quote}"
