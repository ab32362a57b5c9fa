"""Searches a recording for the instants at which an expression becomes true."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from ...errors import CommandError, DamagedError, EvictedError, ExpressionError
from ...recorder.reading.frame_source import FrameSource
from ...recorder.text.field_paths import field_hint
from ...recorder.text.name_hint import name_hint, near_name
from ..log_and_watch_reader import frames_in
from ..objects.field_path import HEADER_FIELDS, HEADER_SHAPES, FieldPath, field_shapes
from ..objects.object_lookup import id_in_shown_name, names_over_time, object_id, shown_name
from ..recording_damage import DamageLog
from . import column_operations
from .column_operations import Column
from .columns_from_readers import column_of
from .expression import (
    TEXT_ARGUMENTS,
    Constant,
    Expression,
    FunctionCall,
    Name,
    Operation,
    calls_in,
    frames_before,
    names_in,
    parse,
    place_in,
    required_states,
    states_in,
)
from .expression_name_readers import (
    EventValues,
    FieldValues,
    ObjectValues,
    StateHistory,
    StateValues,
    TransitionValues,
    ValueReader,
    WatchedValues,
    first_possible,
)
from .tree_node_values import TreeNodeValues

_WINDOWS = 32, 256
"""Frames that are read at once, at first and at most: few at first, so that a hit comes soon."""
_INDEXED_WINDOWS = 256, 8192
"""The same where frames need not be unpacked."""
_CLOCK = ("time", "frame")

Term: TypeAlias = Name | FunctionCall
"""What has values of its own in a recording."""


class Hit(NamedTuple):
    """An instant at which an expression became true of an object."""

    frame: int
    time: float
    """Seconds on the timeline."""
    object: int
    """Its id; 0 is the world."""
    name: str
    """What the object is called then: its name, or its type and id, as in `Coin 3`; empty for the
    world, and for an agent without a name that is no object."""
    values: dict[str, Any]
    """What the expression's names were, as it spells them; those that were recorded."""


class FoundHits(NamedTuple):
    """What was found up to a frame, after what was found before."""

    last: int
    """The newest frame that was looked at."""
    hits: list[Hit]


class _Scope(NamedTuple):
    """The object that a name is about."""

    ids: frozenset[int] | None = None
    type: str | None = None

    @property
    def is_one(self) -> bool:
        return self.ids is not None and len(self.ids) == 1


class _Window(NamedTuple):
    """Some frames, and the values of every term in them."""

    frames: Sequence[int]
    times: npt.NDArray[np.float64]
    ids: list[int]
    values: dict[Term, Column]


class Search:
    """One expression over one recording; `hits` gives what it finds.

    Args:
        text: The expression: see docs/recording.md.
        first, last: The frames to look through.
        ids: Only these objects; None for all.
        names: What objects are called, as `names_over_time` gives it; None to read that.

    Raises:
        CommandError: it is no expression, or is about an object or type that is not recorded.
    """

    def __init__(
        self, source: FrameSource, text: str, first: int, last: int,
        ids: Collection[int] | None, damage: DamageLog,
        names: Mapping[int, list[tuple[int, str]]] | None = None,
    ) -> None:  # fmt: skip
        self._source, self._damage = source, damage
        self._text = " ".join(text.splitlines()).strip() if isinstance(text, str) else ""
        self._first, self._last = first, last
        self._only = None if ids is None else frozenset(ids)
        self._layouts = {
            type: layout
            for frame in {first, last}
            for type in source.recorded_types(frame)
            if (layout := source.layout(frame, type)) is not None
        }
        self._names = names_over_time(source) if names is None else names
        self._types: dict[int, str] = {}
        """The types of objects without a name, as far as they were looked up."""
        self._states: StateHistory | None = None
        self._expression = self._resolved(parse(text))
        self._places = _terms(self._expression)
        self._scopes = {term: self._scope_of(term) for term in self._places}
        terms = [term for term in self._scopes if not _is_clock(term)]
        if not terms:
            raise CommandError(f"find {text!r}: it names nothing that is recorded of an object")
        self._subject = self._subject_of(terms)
        self._without_values = set(terms)
        self._overlap = 1 + frames_before(self._expression)
        """Frames of a window that were in the one before it: enough to know the newest of them."""
        self._first_read = self._first_possible()
        self._readers = {term: self._readers_of(term) for term in terms}
        self._is_indexed = len(terms) == len(self._scopes) and all(
            isinstance(reader, StateValues | TransitionValues)
            for readers in self._readers.values()
            for reader in readers
        )

    def hits(self) -> Iterator[Hit]:
        """The hits, oldest first; those of one frame by object.

        Raises:
            CommandError: a name of the expression was found nowhere, or the values do not fit
                the operators. Raised while it is iterated.
        """
        for found in self.windows():
            yield from found.hits

    def windows(self, largest: int | None = None) -> Iterator[FoundHits]:
        """The hits, some frames at a time, so that a caller can do other things in between.

        Args:
            largest: How many frames are read at a time at most, where they must be unpacked.

        Raises:
            CommandError: as `hits`.
        """
        overlapping = 0
        for frames in self._windows(largest):
            window = self._read(frames)
            hits = list(self._hits_in(window, overlapping)) if window.ids else []
            overlapping = self._overlap
            yield FoundHits(frames[-1], hits)
        self._refuse_unknown()

    # --- names --------------------------------------------------------------------------------

    def _resolved(self, expression: Expression) -> Expression:
        """The same with `guard.hp` split into an object and its field."""
        match expression:
            case Name(path=path, scope="") if path not in _CLOCK and not self._is_field(path):
                head, dot, rest = path.partition(".")
                if dot and self._is_object(head):
                    return expression._replace(scope=head, path=rest)
                return expression
            case FunctionCall(arguments=inner):
                return expression._replace(arguments=tuple(map(self._resolved, inner)))
            case Operation(operands=inner):
                return expression._replace(operands=tuple(map(self._resolved, inner)))
        return expression

    def _is_object(self, text: str) -> bool:
        if text in self._layouts or text in self._object_names():
            return True
        return id_in_shown_name(text, self._layouts) is not None

    def _object_names(self) -> set[str]:
        return {name for names in self._names.values() for _, name in names if name}

    def _is_field(self, path: str, type: str | None = None) -> bool:
        field = FieldPath(path)
        if not self._layouts:
            return path.partition(".")[0] in HEADER_FIELDS
        return any(
            field.column(layout) is not None
            for name, layout in self._layouts.items()
            if type in (None, name)
        )

    def _scope_of(self, term: Term) -> _Scope:
        if not term.scope:
            return _Scope()
        ids = {
            id for id, names in self._names.items() if any(name == term.scope for _, name in names)
        }
        if ids:
            return _Scope(ids=frozenset(ids))
        if term.scope in self._layouts:
            return _Scope(type=term.scope)
        shown = id_in_shown_name(term.scope, self._layouts)
        if shown is not None:
            return _Scope(ids=frozenset((object_id(self._source, shown, self._last),)))
        if term.scope == "world":
            return _Scope(ids=frozenset((0,)))
        if term.scope.isdecimal() and term.scope.isascii():
            return _Scope(ids=frozenset((object_id(self._source, int(term.scope), self._last),)))
        known = sorted(self._object_names() | set(self._layouts))
        raise ExpressionError(
            f"find: {term.scope!r}, {place_in(self._text, self._places[term])}, is no object and no"
            f" type of this recording: {name_hint(term.scope, known)}",
            self._places[term],
        )

    def _subject_of(self, terms: list[Term]) -> _Scope:
        """The objects whose hits are searched; names of one other object go with each."""
        scopes = list(dict.fromkeys(self._scopes[term] for term in terms))
        several = [scope for scope in scopes if not scope.is_one]
        if len(several) > 1 and _Scope() in several:
            several = [scope for scope in several if scope != _Scope()]
        if len(several) > 1:
            raise CommandError(
                f"find {self._text!r}: it is about several kinds of objects at once: name single"
                " objects, as in 'hp < 50 and \"the player\".hp > 0'"
            )
        return several[0] if several else scopes[0]

    def _readers_of(self, term: Term) -> list[ValueReader]:
        source, damage, scope = self._source, self._damage, self._scopes[term]
        if isinstance(term, FunctionCall):
            texts = [one.value for one in term.arguments if isinstance(one, Constant)]
            machine = str(texts[1]) if len(texts) > 1 else None
            match term.function:
                case "node":
                    return [TreeNodeValues(source, str(texts[0]), machine, damage)]
                case "event":
                    return [EventValues(source, str(texts[0]), damage)]
                case "state":
                    return [StateValues(self._state_history(), str(texts[0]))]
                case _:
                    return [TransitionValues(
                        self._state_history(), str(texts[0]), machine,
                        leaving=term.function == "left",
                    )]  # fmt: skip
        if self._is_field(term.path, scope.type):
            return [FieldValues(source, term.path, scope.ids, scope.type, damage)]
        if term.path == "state":
            return [StateValues(self._state_history(), None)]
        return [WatchedValues(source, term.path, damage)]

    def _state_history(self) -> StateHistory:
        if self._states is None:
            self._states = StateHistory(self._source, self._first_read, self._last, self._damage)
        return self._states

    def _refuse_unknown(self) -> None:
        for term in self._without_values:
            if isinstance(term, Name) and term.path != "state":
                fields: dict[str, tuple[int, ...]] = {}
                for layout in self._layouts.values():
                    fields |= field_shapes(layout)
                known = dict(sorted(fields.items())) | HEADER_SHAPES | {"state": ()}
                known |= dict.fromkeys(self._watched_names(), ())
                raise ExpressionError(
                    f"find: {term.text!r}, {place_in(self._text, self._places[term])}, is no field"
                    f" and no watched value in these frames: {field_hint(term.path, known)}",
                    self._places[term],
                )
            for reader in self._readers.get(term, ()):
                if isinstance(reader, TreeNodeValues):
                    self._refuse_unknown_node(term, reader)
        if self._states is not None:
            self._refuse_unknown_states(set(self._states.state_names()))

    def _refuse_unknown_node(self, term: Term, reader: TreeNodeValues) -> None:
        near = near_name(reader.node, sorted(reader.known_nodes - {reader.node}))
        if near:
            raise ExpressionError(
                f"find: {reader.node!r}, {place_in(self._text, self._places[term])}, is no node"
                f" that was ticked: did you mean {near!r}?",
                self._places[term],
            )

    def _refuse_unknown_states(self, known: set[str]) -> None:
        """A state that no agent was in is no error, unless it is a misspelt one."""
        named = states_in(self._expression)
        if self._first_read > self._first and any(name not in known for name, _ in named):
            history = StateHistory(self._source, self._first, self._last, self._damage)
            history.read_until(self._last)
            known |= set(history.state_names())
        for name, column in named:
            near = near_name(name, sorted(known))
            if name not in known and near:
                raise ExpressionError(
                    f"find: {name!r}, {place_in(self._text, column)}, is no state that anybody was"
                    f" in: did you mean {near!r}?",
                    column,
                )

    def _watched_names(self) -> list[str]:
        try:
            return sorted({name for _, name in self._source.watches(self._last)})
        except (DamagedError, EvictedError):
            return []

    def _first_possible(self) -> int:
        """The first frame that must be looked at: where the expression holds only in some states,
        one near the first transition that has one of them in it."""
        states = required_states(self._expression, field=self._is_field("state"))
        if not states:
            return self._first
        first = first_possible(self._source, states, self._first, self._last)
        return max(self._first, first - self._overlap)

    # --- windows ------------------------------------------------------------------------------

    def _windows(self, most: int | None) -> Iterator[list[int]]:
        """Frames to be read at once, oldest first; each begins with the last ones before it."""
        size, largest = _INDEXED_WINDOWS if self._is_indexed else _WINDOWS
        if most is not None and not self._is_indexed:
            size, largest = min(size, most), min(largest, most)
        frames: list[int] = []
        begun = False
        for frame in frames_in(self._source, self._first_read, self._last):
            frames.append(frame)
            if len(frames) >= size + self._overlap:
                yield self._looked_at(frames)
                frames, begun = frames[-self._overlap :], True
                size = min(2 * size, largest)
        if len(frames) > (self._overlap if begun else 0):
            yield self._looked_at(frames)

    def _looked_at(self, frames: list[int]) -> list[int]:
        """Where only states are asked for, nothing changes but at transitions and right after."""
        if not self._is_indexed or self._states is None:
            return frames
        self._states.read_until(frames[-1])
        low, high = frames[0], frames[-1]
        # The frames that the next window begins with, and those that this one begins with.
        overlapping = {*frames[: self._overlap], *frames[-self._overlap :]}
        for changes, _ in self._states.changes.values():
            for frame in changes:
                if low <= frame <= high:
                    overlapping.update(range(frame, frame + self._overlap + 1))
        return [frame for frame in frames if frame in overlapping]

    def _read(self, frames: list[int]) -> _Window:
        subject, source = self._subject, self._source
        found: dict[Term, list[ObjectValues]] = {}
        for term, readers in self._readers.items():
            scope = self._scopes[term]
            found[term] = [
                row
                for reader in readers
                for row in reader.read(frames)
                if (scope.ids is None or row.object in scope.ids)
                and (self._only is None or row.object in self._only or self._goes_along(term))
            ]
            if found[term]:
                self._without_values.discard(term)
        ids = sorted(
            {row.object for term, rows in found.items() if not self._goes_along(term)
             for row in rows}
        )  # fmt: skip
        if subject.type is not None:
            visible = FieldValues(source, "visible", None, subject.type, self._damage)
            of_type = {row.object for row in visible.read(frames)}
            ids = [id for id in ids if id in of_type]
        times = np.array([self._time(frame) for frame in frames])
        values = {
            term: column_of(rows, len(frames), ids, _text(term), alone=self._goes_along(term))
            for term, rows in found.items()
        }  # fmt: skip
        for term in self._scopes:
            if _is_clock(term):
                row = times if isinstance(term, Name) and term.path == "time" else frames
                column = np.array(row, np.float64)[:, None]
                values[term] = Column(column, np.isfinite(column))
        return _Window(frames, times, ids, values)

    def _goes_along(self, term: Term) -> bool:
        """Whether a term is about one object that the hits are not about."""
        scope = self._scopes[term]
        return scope.is_one and scope != self._subject

    def _time(self, frame: int) -> float:
        try:
            return self._source.time(frame)
        except EvictedError:
            return float("nan")

    # --- evaluation ---------------------------------------------------------------------------

    def _hits_in(self, window: _Window, overlapping: int) -> Iterator[Hit]:
        """The hits after the first `overlapping` frames, which the window before has answered."""
        shape = len(window.frames), len(window.ids)
        outcome = self._truth(self._expression, window)
        holds = np.broadcast_to(outcome.values & outcome.known, shape)
        begins = holds.copy()
        begins[1:] &= ~holds[:-1]
        begins[:overlapping] = False
        for row, place in np.argwhere(begins).tolist():
            frame, id = window.frames[row], window.ids[place]
            yield Hit(
                frame, float(window.times[row]), id, self._name(id, frame),
                self._values_at(window, row, place),
            )  # fmt: skip

    def _name(self, id: int, frame: int) -> str:
        names = [name for since, name in self._names.get(id, ()) if since <= frame]
        if names and names[-1]:
            return names[-1]
        if id and id not in self._types:
            self._types[id] = ""  # an agent that is no object
            with self._damage.skipping(frame):
                self._types.update((one.id, one.type) for one in self._source.objects(frame))
        type = self._types.get(id)
        return shown_name("", type, id) if type else ""

    def _values_at(self, window: _Window, row: int, column_index: int) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for name in names_in(self._expression):
            column = window.values[_key(name)]
            at = min(row, len(column.known) - 1), min(column_index, column.known.shape[1] - 1)
            if column.known[at]:
                value = column.values[at]
                values[name.text] = (
                    column.texts[int(value)] if column.texts is not None else value.tolist()
                )
        return values

    def _value(self, expression: Expression, window: _Window) -> Column:
        match expression:
            case Constant(value=value):
                return column_operations.constant(value)
            case Name():
                return window.values[_key(expression)]
            case FunctionCall(function="changed", arguments=(inner,)):
                return column_operations.changed(self._value(inner, window), len(window.frames))
            case FunctionCall(function="previous", arguments=(inner,)):
                return column_operations.previous(self._value(inner, window), len(window.frames))
            case FunctionCall(function="abs" | "norm", arguments=(inner,)):
                column = self._value(inner, window)
                with self._at(inner):
                    return column_operations.norm(column, _text(inner))
            case FunctionCall():
                return window.values[_key(expression)]
            case Operation(operator="and", operands=operands):
                return column_operations.conjunction([self._truth(one, window) for one in operands])
            case Operation(operator="or", operands=operands):
                return column_operations.disjunction([self._truth(one, window) for one in operands])
            case Operation(operator="not", operands=(inner,)):
                column = self._truth(inner, window)
                return column._replace(values=~column.values)
            case Operation(operator="neg", operands=(inner,)):
                column = self._value(inner, window)
                with self._at(inner):
                    return column_operations.calculated(
                        "-", column_operations.constant(0.0), column, _text(inner)
                    )
            case Operation(operator=operator, operands=(left, right)):
                pair = self._value(left, window), self._value(right, window)
                with self._at(expression):
                    if operator in ("+", "-", "*", "/", "%"):
                        return column_operations.calculated(operator, *pair, _text(expression))
                    return column_operations.compared(operator, *pair, _text(expression))
        raise AssertionError(expression)

    def _truth(self, expression: Expression, window: _Window) -> Column:
        column = self._value(expression, window)
        with self._at(expression):
            return column_operations.truth(column, _text(expression))

    @contextmanager
    def _at(self, expression: Expression) -> Iterator[None]:
        """Add the place in the expression to the message of an error from within."""
        try:
            yield
        except CommandError as error:
            place = place_in(self._text, expression.column)
            raise ExpressionError(f"{error} ({place})", expression.column) from None


def _terms(expression: Expression) -> dict[Term, int]:
    """What has values of its own in an expression, and where each is named first."""
    own = [call for call in calls_in(expression) if not any(names_in(one) for one in call.arguments)
           and call.function in TEXT_ARGUMENTS]  # fmt: skip
    named: list[Term] = [*names_in(expression), *own]
    terms: dict[Term, int] = {}
    for term in named:
        terms.setdefault(_key(term), term.column)
    return terms


def _key(term: Term) -> Term:
    """The same wherever it is named: what is named twice is read once."""
    return term._replace(column=0)


def _is_clock(term: Term) -> bool:
    return isinstance(term, Name) and not term.scope and term.path in _CLOCK


def _text(expression: Expression) -> str:
    match expression:
        case Constant(value=value):
            return repr(value)
        case Name():
            return expression.text
        case FunctionCall(function=function, arguments=inner):
            return f"{function}({', '.join(map(_text, inner))})"
        case Operation(operator="neg" | "not" as operator, operands=(inner,)):
            return f"{'-' if operator == 'neg' else 'not '}{_text(inner)}"
        case Operation(operator=operator, operands=inner):
            return f" {operator} ".join(map(_text, inner))
    return ""
