"""Answers questions about a recording's statements: checks, marks, logs, watches, inputs, …"""

from collections.abc import Iterator

from ..errors import CommandError
from ..recorder.packets.mark import Mark
from ..recorder.packets.named_phases import PhaseSpan
from .failed_check import FailedChecks, RecordedFailedCheck
from .frame_lookup import frame_of, range_of, span_of
from .game_event_reader import RecordedEvent, events_of
from .input_reader import RecordedInput, inputs_of
from .log_and_watch_reader import RecordedLogLine, log_lines, watched_rows
from .objects.field_history import History
from .objects.object_lookup import ObjectOrId, object_id
from .picture_reader import RecordedPicture, pictures_of, recorded_picture
from .recording_base import RecordingBase

_MOST_LISTED = 10


class StatementQuestions(RecordingBase):
    """What a game, its agents and its tools stated, over the frames of a recording."""

    @property
    def checks(self) -> list[RecordedFailedCheck]:
        """The checks that failed, oldest first: `run.checks[0].story` shows what led to it."""
        with self._answering():
            return FailedChecks(
                RecordedFailedCheck(self._source, mark, self.place)
                for mark in self._source.marks()
                if mark.kind == "check"
            )

    @property
    def marks(self) -> list[Mark]:
        """The named instants, oldest first: set by hand, by failed checks, by triggers, …"""
        with self._answering():
            return self._source.marks()

    def logs(
        self, level: str | None = None, object: ObjectOrId | None = None, *, text: str = "",
        first: int | None = None, last: int | None = None, start: float | None = None,
        end: float | None = None,
    ) -> list[RecordedLogLine]:  # fmt: skip
        """The lines of the log, oldest first.

        Args:
            level: Only of this level or a more severe one: `debug`, `info`, `warning`, `error`.
            object: Only about this object; 0 for the world.
            text: Only lines with this in them.

        Raises:
            RecordingError: there is no such level.
        """
        with self._answering():
            low, high, id = self._range_and_id(object, first, last, start, end)
            return list(log_lines(self._source, low, high, level, id, text, self._damage))

    def watches(
        self, object: ObjectOrId, name: str, *, first: int | None = None,
        last: int | None = None, start: float | None = None, end: float | None = None,
    ) -> History:  # fmt: skip
        """A watched value over time, as `history` gives a field; object 0 is the world.

        Raises:
            CommandError: in no frame of the recording was it watched.
        """
        with self._answering():
            source = self._source
            low, high = range_of(source, first, last, start, end)
            id = object_id(source, object, high)
            rows = watched_rows(source, id, name, low, high, self._damage)
            span = span_of(source)
            if not len(rows.frames) and low <= span.oldest and high >= span.newest:
                self._damage.raise_if_all(source, low, high)
                watched = sorted(
                    f"{each!r} of {owner}" for owner, each in source.watches(span.newest)
                )
                raise CommandError(
                    f"watch {name!r}: no such value of object {id} was watched; in the newest frame"
                    f" were {', '.join(watched[:_MOST_LISTED]) or 'none'}"
                )
            return rows.history

    def inputs(
        self, name: str | None = None, object: ObjectOrId | None = None, *,
        first: int | None = None, last: int | None = None, start: float | None = None,
        end: float | None = None,
    ) -> list[RecordedInput]:  # fmt: skip
        """The inputs of the game, frame by frame, oldest first: pads, keys, messages.

        Args:
            name: Only inputs of this name, such as `pad`.
            object: Only those of this object; 0 for the world's.
        """
        with self._answering():
            low, high, id = self._range_and_id(object, first, last, start, end)
            return list(inputs_of(self._source, name, id, low, high, self._damage))

    def events(
        self, name: str | None = None, object: ObjectOrId | None = None, *,
        first: int | None = None, last: int | None = None, start: float | None = None,
        end: float | None = None,
    ) -> list[RecordedEvent]:  # fmt: skip
        """What happened in the game, every single event, oldest first.

        Args:
            name: Only events of this name, such as `hit`.
            object: Only those of this object; 0 for the world's.
        """
        with self._answering():
            low, high, id = self._range_and_id(object, first, last, start, end)
            return list(events_of(self._source, name, id, low, high, self._damage))

    def pictures(
        self, name: str | None = None, *, first: int | None = None, last: int | None = None,
        start: float | None = None, end: float | None = None,
    ) -> Iterator[RecordedPicture]:  # fmt: skip
        """The pictures of the screen, streamed, oldest first: not more than a frame's at a time
        are in memory.

        Args:
            name: Only pictures of this name, such as `screen`.
        """
        source = self._source
        low, high = range_of(source, first, last, start, end)
        return pictures_of(source, name, low, high, self._damage)

    def picture(
        self, frame: int | None = None, *, at: float | None = None, name: str = "screen"
    ) -> RecordedPicture | None:
        """The newest picture of the screen at or before an instant; None if there is none.

        Of a recording without an index of pictures, from before there was one: none within 10 s.

        Args:
            name: Which picture, if the game records several.
        """
        with self._answering():
            source = self._source
            found = source.newest_picture(frame_of(source, frame, at), name)
            return None if found is None else recorded_picture(source, *found)

    def phases(
        self, *, first: int | None = None, last: int | None = None, start: float | None = None,
        end: float | None = None,
    ) -> list[PhaseSpan]:  # fmt: skip
        """The phases of the run, oldest first: those that have frames in the stretch, whole."""
        with self._answering():
            low, high = range_of(self._source, first, last, start, end)
            phases = self._source.phases()
            return [phase for phase in phases if phase.first <= high and phase.last >= low]

    def _range_and_id(
        self, object: ObjectOrId | None, first: int | None, last: int | None,
        start: float | None, end: float | None,
    ) -> tuple[int, int, int | None]:  # fmt: skip
        """The first and the last frame that are meant, and the object's id; None for any object."""
        source = self._source
        low, high = range_of(source, first, last, start, end)
        return low, high, None if object is None else object_id(source, object, high)
