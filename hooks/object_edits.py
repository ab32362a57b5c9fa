"""Edits of the paused game: a field of an object or a key of the blackboard, with undo and redo.

An edit replaces what leaving playback gives back. It is made at the newest frame only: what is
older is recorded, and can't be changed. When the game runs on, each edit that was not undone is
recorded as an input, and marked.
"""

import math
import sys
from collections.abc import Callable
from typing import Any

import msgspec

from ..errors import CommandError
from ..handlers.field_value_conversion import split_path, value_like
from ..handlers.live_field_access import FieldAccess, patched
from ..playback.playback_state import Mode
from ..playback.playhead import Playhead
from ..playback.restore import Restorer
from ..recorder.packets.layouts.plain_value_codec import encode
from ..recorder.recorder import Recorder
from ..recorder.statements.statement_messages import Input, SetMark
from ..recorder.text.name_hint import name_hint
from ..recorder.text.safe_text import safe_text, short_text

MOST_EDITS = 1000
"""Edits that are remembered in one pause."""
BLACKBOARD = "blackboard"


class AppliedEdit(msgspec.Struct, frozen=True, omit_defaults=True):
    """An edit as others see it."""

    object: int
    """Whose field; 0 for a key of the blackboard."""
    name: str
    """The field, or the key."""
    before: Any
    after: Any
    is_key: bool = False
    is_undone: bool = False


class _UndoableEdit:
    def __init__(self, report: AppliedEdit, set: Callable[[Any], object], before: Any, after: Any):
        self.report, self._set = report, set
        self._before, self._after = before, after

    def undo(self) -> None:
        self._set(self._before)

    def redo(self) -> None:
        self._set(self._after)


class ObjectEdits:
    """The edits of one session. For the game's thread, but `reports`.

    Args:
        access: Sets the fields.
        in_step: Whether the game is paused in the middle of a step, at a break.
        on_change: Called when the edits have changed.
    """

    def __init__(
        self, recorder: Recorder, playhead: Playhead, restorer: Restorer, access: FieldAccess, *,
        in_step: Callable[[], bool], on_change: Callable[[], object] = lambda: None,
    ) -> None:  # fmt: skip
        self._recorder, self._playhead, self._restorer = recorder, playhead, restorer
        self._access, self._in_step, self._on_change = access, in_step, on_change
        self._edits: list[_UndoableEdit] = []
        self._undone: list[_UndoableEdit] = []

    @property
    def reports(self) -> list[AppliedEdit]:
        """The edits of this pause, oldest first; after them those that were undone."""
        return [one.report for one in tuple(self._edits)] + [
            msgspec.structs.replace(one.report, is_undone=True)
            for one in reversed(tuple(self._undone))
        ]

    def set_field(self, object: int, field: str, value: Any) -> None:
        """Edit a field of an object.

        Raises:
            CommandError: the game does not stand at its newest frame; there is no such object or
                field; or it can't be set, or not to this value.
        """
        self._check_frame(f"edit {field}")
        access = self._access
        before = access.get(object, field)

        def change(new: Any) -> None:
            access.set(object, field, new)
            if not self._in_step():
                self._keep(object, field)

        if not self._in_step() and not self._restorer.gives_back(object):
            raise CommandError(
                f"edit {field}: a stand-in shows object {object}, and leaving playback does not"
                " give it back, so that an edit would be lost"
            )
        change(value)
        after = access.get(object, field)
        self._add(AppliedEdit(object, field, _plain(before), _plain(after)), change, before, after)

    def set_key(self, key: str, value: Any) -> None:
        """Edit a key of py_trees' blackboard.

        Raises:
            CommandError: the game does not stand at its newest frame; there is no such key; or the
                value is of another kind than its own.
        """
        self._check_frame(f"edit {key}")
        board = getattr(sys.modules.get("py_trees.blackboard"), "Blackboard", None)
        storage: dict[str, Any] = {} if board is None else board.storage
        found = key if key in storage else f"/{key}" if f"/{key}" in storage else None
        if found is None:
            raise CommandError(f"no key {key!r} on the blackboard: {name_hint(key, storage)}")
        name: str = found
        before = storage[name]
        after = value if before is None else value_like(before, value, name)
        if before is None:
            _check_plain(name, value)

        def change(new: Any) -> None:
            storage[name] = new

        change(after)
        self._add(AppliedEdit(0, name, _plain(before), _plain(after), is_key=True), change, before,
                  after)  # fmt: skip

    def undo(self) -> AppliedEdit:
        """Take the newest edit back.

        Raises:
            CommandError: there is none in this pause.
        """
        self._check_frame("undo")
        if not self._edits:
            raise CommandError("undo: nothing was edited since the game was paused")
        edit = self._edits[-1]
        edit.undo()
        self._undone.append(self._edits.pop())
        self._on_change()
        return edit.report

    def redo(self) -> AppliedEdit:
        """Make the edit again that was undone last.

        Raises:
            CommandError: there is none.
        """
        self._check_frame("redo")
        if not self._undone:
            raise CommandError("redo: no edit was undone")
        edit = self._undone[-1]
        edit.redo()
        self._edits.append(self._undone.pop())
        self._on_change()
        return edit.report

    def end(self) -> None:
        """The game runs on: record what was edited."""
        edits, self._edits, self._undone = self._edits, [], []
        if not edits:
            return
        last = {(one.report.object, one.report.name): one.report for one in edits}
        first = {(one.report.object, one.report.name): one.report for one in reversed(edits)}
        for about, report in last.items():
            before = first[about].before
            if before == report.after:
                continue
            what = f"{BLACKBOARD} {report.name}" if report.is_key else report.name
            value = {"field": report.name, "before": before, "after": report.after}
            with self._recorder.refusing("edit"):
                self._recorder.accept(Input(f"edit {what}", value, report.object))
                self._recorder.accept(SetMark(
                    f"edited {what}", f"{short_text(before)} -> {short_text(report.after)}",
                    report.object, "edit",
                ))  # fmt: skip
        self._on_change()

    def _add(
        self, report: AppliedEdit, set: Callable[[Any], object], before: Any, after: Any
    ) -> None:  # fmt: skip
        if len(self._edits) >= MOST_EDITS:
            del self._edits[0]
        self._edits.append(_UndoableEdit(report, set, before, after))
        self._undone.clear()
        self._on_change()

    def _keep(self, object: int, field: str) -> None:
        """Have the restorer give back what the object is now."""
        packet, layout = self._restorer.own_packet(object), self._access.packet_of(object)[1]
        name, _ = split_path(field, [name for name, _, _ in layout.fields])
        self._restorer.edit(patched(packet, layout, name, self._access.get(object, name)))

    def _check_frame(self, what: str) -> None:
        playhead = self._playhead
        if playhead.mode is Mode.LIVE:
            raise CommandError(f"{what}: the game runs: pause it with enter() first")
        if playhead.mode is Mode.PLAYING:
            raise CommandError(f"{what}: recorded frames are being played: pause() first")
        span = self._recorder.source.span
        if span is None:
            raise CommandError(f"{what}: nothing is recorded yet")
        if playhead.frame != span.newest:
            raise CommandError(
                f"{what}: playback is at frame {playhead.frame}, which is recorded and can't be"
                f" changed; only the game as it is now can: seek(frame={span.newest}) first"
            )


def _check_plain(name: str, value: Any) -> None:
    if isinstance(value, float) and not math.isfinite(value):
        raise CommandError(f"{name}: {value!r} is not finite: give a finite number")


def _plain(value: Any) -> Any:
    """A value as it is recorded and sent."""
    value = value.tolist() if hasattr(value, "tolist") else getattr(value, "name", value)
    if isinstance(value, list | tuple) or not isinstance(value, bool | int | float | str | None):
        try:
            return list(value)
        except TypeError:
            pass
    try:
        encode(value)
    except Exception:
        return safe_text(value, 100)
    return value
