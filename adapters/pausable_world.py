"""Worlds of games in this process: what playback asked them for, until it is left."""

from abc import abstractmethod
from typing import Protocol

from ..recorder.world_adapter import StandIn, World


class PausableWorld(World):
    """Remembers whether it is paused, whether the input is locked, and the stand-ins."""

    def __init__(self) -> None:
        self.paused = False
        self.input_locked = False
        self.stand_ins: dict[int, StandIn] = {}
        """What is shown in place of recorded objects that are gone, by id."""

    def pause(self) -> None:
        self.paused = True

    def resume(self) -> None:
        self.paused = False

    def lock_input(self, locked: bool) -> None:
        self.input_locked = locked

    def show_stand_in(self, stand_in: StandIn) -> None:
        self.stand_ins[stand_in.id] = stand_in

    def remove_stand_in(self, object_id: int) -> None:
        self.stand_ins.pop(object_id, None)


class View(Protocol):
    """How an object is shown, as far as it is hidden."""

    visible: bool


class ViewWorld(PausableWorld):
    """A world whose objects have views. Playback hides a view, and never touches the object."""

    def __init__(self) -> None:
        super().__init__()
        self._hidden: dict[int, bool] = {}
        """Whether each hidden object was visible before."""

    @abstractmethod
    def view_of(self, object_id: int) -> View | None:
        """The view of a living object; None if there is no such object."""

    def hide(self, object_id: int) -> None:
        view = self.view_of(object_id)
        if view is not None:
            # Hidden twice, it is still the first answer that has to come back.
            self._hidden.setdefault(object_id, view.visible)
            view.visible = False

    def unhide(self, object_id: int) -> None:
        view = self.view_of(object_id)
        if view is not None and object_id in self._hidden:
            view.visible = self._hidden.pop(object_id)
