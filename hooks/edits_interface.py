"""The calls that edit a paused game: the same on a session and on a client."""

from abc import ABC, abstractmethod
from typing import Any

from ..recorder.objects.object_ids import ObjectOrId
from ..recorder.text.method_names_in_errors import named_by_method
from .object_edits import AppliedEdit


@named_by_method
class EditManager(ABC):
    """Edits of the paused game at its newest frame: `session.edits`, `client.edits`.

        session.enter()
        session.edits.set("guard 7", "hp", 20)
        session.edits.set_key("/guard/goal", [3.0, 4.0])
        session.edits.undo()
        session.leave()      # the game runs on with what was edited

    When the game runs on each edit is recorded as an input, and marked. Undo and redo reach back to
    where the game was paused.

    All calls raise the same error.

    Raises:
        CommandError: the game runs, or playback is not at its newest frame; what is named
            is not there; or it can't be set, or not to this value.
    """

    @abstractmethod
    def set(self, object: ObjectOrId | str, field: str, value: Any) -> None:
        """Set a field of an object, or a part of one: `hp`, `velocity.x`.

        Args:
            object: The object, its id or its name.
            value: Of the kind that the field holds: a number, a text, a list, a member's name.
        """

    @abstractmethod
    def set_key(self, key: str, value: Any) -> None:
        """Set a key of py_trees' blackboard, such as `/guard/goal`."""

    @abstractmethod
    def undo(self) -> AppliedEdit:
        """Take the newest edit back; returns it."""

    @abstractmethod
    def redo(self) -> AppliedEdit:
        """Make the edit again that was undone last; returns it."""

    @abstractmethod
    def list(self) -> "list[AppliedEdit]":
        """The edits since the game was paused, oldest first, then those that were undone."""
