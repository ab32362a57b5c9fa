"""A recording: queries about what happened in a game, from a file or from the running game."""

from collections.abc import Iterable, Iterator
from enum import Enum
from typing import Any, overload

from ..errors import CommandError
from ..recorder.statements.instrumentation_interface import Belief
from ..recorder.text.enum_names import text_of
from ..recorder.text.name_hint import name_hint
from .decisions.decision_location import location_of
from .decisions.decision_questions import DecisionQuestions
from .frame_lookup import frame_of, range_of
from .game_event_reader import events_of
from .input_reader import inputs_of
from .log_and_watch_reader import log_lines
from .objects.field_history import FieldReader, History, MultiObjectHistory
from .objects.field_history_of_objects import histories_of
from .objects.object_lookup import ObjectOrId, object_id
from .objects.object_snapshot import ObjectSnapshot, object_list_text, objects_in
from .occurrence_counts import OccurrenceCount, occurrences_of
from .search.find import Hit, Search
from .tables import table_builder
from .tables.recording_table import RecordingTable
from .transition_reader import RecordedTransition, state_at, transitions_of
from .trees.tree_snapshot import (
    NodeChange,
    TreeSnapshot,
    beliefs_at,
    node_changes_of,
    tree_at,
    trees_at,
)


class Recording(DecisionQuestions):
    """What was recorded of a game: ask it what happened. For one thread.

    `playhead.open` gives one of a clip or of a ring file, `Client.recording` one of a running
    game; all answer alike. It only reads: it has questions, and no control of the game.

    - Give an **object** by its id, its name, or anything that has an `id`. A name means the object
      that has it at the instant, or at the end of the stretch; if none has it then, the one that
      had it at another time.
    - Give an **instant** by `frame=`, the number of a frame, or by `at=`, seconds: the newest frame
      at or before that time, to a microsecond. Without both it is the newest frame.
    - Give a **stretch** by `first=` and `last=`, numbers of frames, or by `start=` and `end=`,
      seconds. Both ends belong to it. Without them it is all that is held. What would lie after the
      newest frame is cut off.

    A game that runs records new frames, and old ones are evicted when its memory is full. Each
    question is answered about what is recorded at that moment. Frames that can't be read
    are left out of long answers, logged once, and listed by `damage`.

    All questions raise the same errors.

    Raises:
        EvictedError: the instant is not recorded; the message says what is.
        CommandError: an object, a machine, a field is not there, or several are meant.
        DamagedError: what is asked for can't be read.
        BusError: of a running game: it is gone, or did not answer in time.
    """

    # --- objects ------------------------------------------------------------------------------

    def objects(
        self, frame: int | None = None, *, at: float | None = None, type: str | None = None
    ) -> list[ObjectSnapshot]:
        """The objects of a frame, in the order in which they were recorded.

        Args:
            type: Only those of this type.
        """
        with self._answering():
            source = self._source
            number = frame_of(source, frame, at)
            return objects_in(source, number, type)

    def object(
        self, object: ObjectOrId, frame: int | None = None, *, at: float | None = None
    ) -> ObjectSnapshot:
        """An object as it was in a frame.

        Raises:
            CommandError: it is not in that frame.
        """
        with self._answering():
            source = self._source
            number = frame_of(source, frame, at)
            id = object_id(source, object, number)
            objects = objects_in(source, number)
            for one in objects:
                if one.id == id:
                    return one
            named = object if isinstance(object, int | str) else object.id
            raise CommandError(
                f"object {named!r} is not in frame {number}; there {object_list_text(objects)}"
            )

    @overload
    def history(
        self, object: list[ObjectOrId] | tuple[ObjectOrId, ...], field: str, *,
        first: int | None = None, last: int | None = None, start: float | None = None,
        end: float | None = None, missing: str = "omit",
    ) -> dict[int | str, History]: ...  # fmt: skip
    @overload
    def history(
        self, object: ObjectOrId, field: str, *,
        first: int | None = None, last: int | None = None, start: float | None = None,
        end: float | None = None, missing: str = "omit",
    ) -> History: ...  # fmt: skip
    def history(
        self, object: Any, field: str, *,
        first: int | None = None, last: int | None = None, start: float | None = None,
        end: float | None = None, missing: str = "omit",
    ) -> Any:  # fmt: skip
        """The values of a field over time: `times, values = run.history("guard 7", "hp")`.

        `times` are seconds, (n,); `values` are (n,) numbers or texts, or (n, parts) of a vector.
        Fields are called as their handler named them; parts of a vector by `velocity.x` or
        `velocity[0]`. Every object has `position`, `angles`, `x`, `y`, `z`, `rx`, `ry`, `rz`,
        `visible` and `targetable` besides, unless a field of its own has that name.

        Args:
            object: An object, or a list of them: then a dict of histories comes back, by what was
                given, or by the id of what is neither id nor name.
            missing: `omit`: frames in which the object is absent have no row. `nan`: every
                frame has a row, and where the object is absent its value is NaN.

        Raises:
            CommandError: there is no such object or field; or `nan`, and it is no number.
        """
        if missing not in ("omit", "nan"):
            raise CommandError(f"missing={missing!r}: give 'omit' or 'nan'")
        with self._answering():
            source = self._source
            low, high = range_of(source, first, last, start, end)
            several = isinstance(object, list | tuple)
            objects: list[ObjectOrId] = list(object) if several else [object]
            histories = histories_of(
                source, objects, field, low, high, self._damage, absent_as_nan=missing == "nan"
            )
            return histories if several else next(iter(histories.values()))

    def histories(
        self, field: str, *, type: str | None = None, objects: Iterable[ObjectOrId] | None = None,
        first: int | None = None, last: int | None = None, start: float | None = None,
        end: float | None = None,
    ) -> Iterator[MultiObjectHistory]:  # fmt: skip
        """A field of many objects, streamed: blocks of some frames each, oldest first.

        A block has `frames` (n,), `times` (n,), `ids` (m,) and `values` (n, m), or (n, m, parts)
        of a vector; each of its objects is in each of its frames. Where objects come or go another
        block begins. Not more than one block is in memory at a time.

        Args:
            type: Only objects of this type.
            objects: Only these objects.

        Raises:
            CommandError: no object that is meant has such a field; raised while it is iterated.
        """
        source = self._source
        low, high = range_of(source, first, last, start, end)
        ids = None if objects is None else {object_id(source, one, high) for one in objects}
        return FieldReader(source, field, ids, type).blocks(low, high, self._damage)

    # --- decisions ----------------------------------------------------------------------------

    def transitions(
        self, agent: ObjectOrId | None = None, machine: str | None = None, *,
        to: str | Enum | None = None, source: str | Enum | None = None, first: int | None = None,
        last: int | None = None, start: float | None = None, end: float | None = None,
    ) -> list[RecordedTransition]:  # fmt: skip
        """The transitions of state machines, oldest first, each with its reasons.

        The ones that led to the states at the oldest frame are among them, although their own
        frames were evicted: then their `time` is None. Ask for a stretch to leave them out. One
        that found no room in a full latch area is in the table `traces` alone.

        Args:
            agent: Only of this agent.
            machine: Only of machines of this name.
            to: Only those that led to this state; of an enum its member, too.
            source: Only those that left this state.

        Raises:
            CommandError: there is no such agent, or it has no such machine.
        """
        with self._answering():
            recording = self._source
            low, high = range_of(recording, first, last, start, end)
            id = None if agent is None else object_id(recording, agent, high)
            to, source = text_of(to), text_of(source)
            is_all = first is None and start is None
            return [
                one
                for one in transitions_of(recording, id, machine, low, high, self._damage)
                if to in (None, one.target)
                and source in (None, one.source)
                and (is_all or one.frame >= low)
            ]

    def state(
        self, agent: ObjectOrId, machine: str | None = None, *, frame: int | None = None,
        at: float | None = None,
    ) -> str | None:  # fmt: skip
        """The state that an agent's machine was in; None if it was in none, or was not there.

        Known also when the transition that led to it was evicted long ago.

        Args:
            machine: The machine's name; may be left out where the agent has only one.

        Raises:
            CommandError: the agent has no such machine, or several and none was named.
        """
        with self._answering():
            number = frame_of(self._source, frame, at)
            return state_at(self._source, object_id(self._source, agent, number), machine, number)

    def trees(self, *, frame: int | None = None, at: float | None = None) -> list[tuple[int, str]]:
        """The behaviour trees that are defined at an instant, as (agent, name of the tree)."""
        with self._answering():
            return trees_at(self._source, frame_of(self._source, frame, at))

    def tree(
        self, agent: ObjectOrId, tree: str | None = None, *, frame: int | None = None,
        at: float | None = None,
    ) -> TreeSnapshot:  # fmt: skip
        """A behaviour tree with the statuses that its nodes had when it was ticked last.

        Args:
            tree: The tree's name; may be left out where the agent has only one.

        Raises:
            CommandError: the agent has no such tree then, or several and none was named.
        """
        with self._answering():
            number = frame_of(self._source, frame, at)
            id = object_id(self._source, agent, number)
            return tree_at(self._source, id, tree, number, self._damage)

    def node_changes(
        self, agent: ObjectOrId, tree: str | None = None, node: int | str | None = None, *,
        first: int | None = None, last: int | None = None, start: float | None = None,
        end: float | None = None,
    ) -> list[NodeChange]:  # fmt: skip
        """Where the nodes of a behaviour tree changed their status, oldest first.

        The next change of a node after an instant is `node_changes(…, start=instant)[0]`, and the
        one before it `node_changes(…, end=instant)[-1]`. In the first tick of a stretch every node
        that was ticked counts as changed.

        Args:
            tree: The tree's name; may be left out where the agent has only one.
            node: Only this one: its index, or its name, which several may have.

        Raises:
            CommandError: the agent has no such tree at the stretch's end, or that no such node.
        """
        with self._answering():
            low, high = range_of(self._source, first, last, start, end)
            id = object_id(self._source, agent, high)
            return node_changes_of(self._source, id, tree, node, low, high, self._damage)

    def occurrences(
        self, object: ObjectOrId, *, node: str | int | None = None, tree: str = "",
        transition: str | None = None, rule: str | None = None, machine: str = "",
        field: str | None = None, first: int | None = None, last: int | None = None,
        start: float | None = None, end: float | None = None,
    ) -> OccurrenceCount:  # fmt: skip
        """How often something was decided, when first and last, and its value at the end.

        It is what a hook on the same location (see docs/hooks.md) would have seen in the past.

        Args:
            object: Whose decision it is.
            node: A node of a behaviour tree, by its name or index: how often it was ticked.
            transition: Such as `Patrol -> Chase`: how often it was made; an empty side is any.
            rule: A condition, or the rule of a plan: in how many transitions it won.
            field: How often it changed.
            tree, machine: Which one, where the object has several.

        Raises:
            CommandError: the object has no such node, machine, rule or field.
        """
        location = location_of(
            node=node, tree=tree, transition=transition, rule=rule, machine=machine, field=field
        )
        with self._answering():
            low, high = range_of(self._source, first, last, start, end)
            id = object_id(self._source, object, high)
            return occurrences_of(self._source, id, location, low, high, self._damage)

    def beliefs(
        self, agent: ObjectOrId, *, frame: int | None = None, at: float | None = None
    ) -> tuple[Belief, ...]:
        """An agent's beliefs about others, from its newest decision that has any."""
        with self._answering():
            number = frame_of(self._source, frame, at)
            id = object_id(self._source, agent, number)
            return beliefs_at(self._source, id, number, self._damage)

    # --- all of it ----------------------------------------------------------------------------

    def find(
        self, expression: str, *, objects: Iterable[ObjectOrId] | None = None,
        first: int | None = None, last: int | None = None, start: float | None = None,
        end: float | None = None,
    ) -> Iterator[Hit]:  # fmt: skip
        """The instants at which an expression becomes true, streamed, oldest first.

        `run.find("hp < 50")`, `run.find("guard.state == 'Flee' and changed(target)")`. Names are
        fields, watched values, `state`, `time` and `frame`; docs/recording.md has the language. An
        object is hit again only after the expression was not true of it. A value that is not
        recorded makes a comparison unknown, which is no hit.

        Args:
            objects: Only these objects.

        Raises:
            CommandError: it is no expression, or names what is not recorded; raised at once, or
                while it is iterated where only the frames can tell.
        """
        with self._answering():
            source = self._source
            low, high = range_of(source, first, last, start, end)
            ids = None if objects is None else {object_id(source, one, high) for one in objects}
            return Search(source, expression, low, high, ids, self._damage).hits()

    def table(
        self, name: str, *, type: str | None = None, every: int = 1, first: int | None = None,
        last: int | None = None, start: float | None = None, end: float | None = None,
    ) -> RecordingTable:  # fmt: skip
        """A stretch of the recording as a table: for pandas, Arrow, Parquet, CSV.

        Args:
            name: `frames`, `objects` (a row for each object in each frame), `transitions`,
                `traces`, `checks`, `marks`, `logs`, `watches`, `inputs`, `events` or `phases`.
            type: Of `objects`: only those of this type.
            every: Of `objects`: only every n-th frame.

        Raises:
            CommandError: there is no such table.
        """
        if name not in table_builder.NAMES:
            raise CommandError(f"no table {name!r}: {name_hint(name, table_builder.NAMES)}")
        if isinstance(every, bool) or not isinstance(every, int) or every < 1:
            raise CommandError(f"every={every!r}: give a whole number from 1 on")
        with self._answering():
            source, damage = self._source, self._damage
            low, high = range_of(source, first, last, start, end)
            match name:
                case "frames":
                    return table_builder.frame_table(source, low, high, damage)
                case "objects":
                    return table_builder.object_table(source, low, high, type, every, damage)
                case "transitions":
                    return table_builder.transition_table(
                        self.transitions(first=first, last=last, start=start, end=end)
                    )
                case "traces":
                    return table_builder.trace_table(source, low, high, damage)
                case "checks":
                    return table_builder.check_table(
                        check for check in self.checks if low <= check.frame <= high
                    )
                case "marks":
                    return table_builder.mark_table(source, low, high)
                case "inputs":
                    found = inputs_of(source, None, None, low, high, damage)
                    return table_builder.input_table(found)
                case "events":
                    happened = events_of(source, None, None, low, high, damage)
                    return table_builder.event_table(happened)
                case "phases":
                    return table_builder.phase_table(self.phases(first=low, last=high))
                case "logs":
                    return table_builder.log_table(
                        log_lines(source, low, high, None, None, "", damage)
                    )
            return table_builder.watch_table(source, low, high, damage)
