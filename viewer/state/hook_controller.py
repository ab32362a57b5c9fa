"""The hooks and edits of what is viewed: what panels offer in their menus, and what came of it."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from ...hooks.hook_definition import HookHit, HookState
from ...hooks.object_edits import AppliedEdit
from ...recording.decisions.decision_location import (
    Location,
    NodeLocation,
    RuleLocation,
    TransitionLocation,
)
from ..backends.hooks_and_edits_connection import HookConnection
from ..toolkit.menu_entries import MenuAction, MenuEntry, Submenu
from ..toolkit.qt import QKeyEvent, QObject, Qt, pyqtSignal
from .viewer_store import ViewerStore

_ONLY_PAST = "Breakpoints and replaced results need the running game; this is a recording"


class HookController(QObject):
    """Belongs to a store: `HookController.of(store)` always returns the same one."""

    changed = pyqtSignal()
    """Hooks were set, changed or removed, or have acted; or the game was edited."""
    acted = pyqtSignal(object)
    """A break has paused the game: its `HookHit`."""
    _notified = pyqtSignal()

    def __init__(self, store: ViewerStore) -> None:
        super().__init__(store)
        self.store = store
        self.hooks: list[HookState] = []
        self.edits: list[AppliedEdit] = []
        """Those of this pause that were not undone."""
        self.undone = 0
        """How many edits can be made again."""
        self.newest: HookHit | None = None
        """The newest break that has paused the game."""
        self._notified.connect(self._take)
        self.connection = HookConnection(store.target, self._notified.emit)
        store.closing.connect(self.close)

    @classmethod
    def of(cls, store: ViewerStore) -> "HookController":
        """The controller of a store, made on first use."""
        return next((one for one in store.children() if isinstance(one, cls)), None) or cls(store)

    def close(self) -> None:
        """End the connection; the hooks that were set here end with it."""
        self.connection.close()

    def _take(self) -> None:
        update = self.connection.take()
        if update.hooks is not None:
            self.hooks = update.hooks.hooks
            self.edits = [one for one in update.hooks.edits if not one.is_undone]
            self.undone = len(update.hooks.edits) - len(self.edits)
            self.changed.emit()
        for hit in update.hits:
            self.newest = hit
            self.acted.emit(hit)
        for text in update.texts:
            self.store.message.emit(text)

    # --- what is set ------------------------------------------------------------------------------

    def on_location(self, object: int, location: Location) -> list[HookState]:
        """The hooks that act on a location, by what it is called."""
        return [
            one for one in self.hooks
            if one.hook.object == object and is_meant(one.hook.location, location)
        ]  # fmt: skip

    def is_hooked(self, object: int, location: Location) -> bool:
        """Whether a hook that may act is on a location."""
        return any(one.state in ("armed", "waiting") for one in self.on_location(object, location))

    def remove(self, hook: HookState) -> None:
        """Take a hook away."""
        self._ask(lambda client: client.hooks.remove(hook.id))

    def switch(self, hook: HookState) -> None:
        """Disable a hook that acts, enable any other."""
        if hook.state in ("armed", "waiting"):
            self._ask(lambda client: client.hooks.disable(hook.id))
        else:
            self._ask(lambda client: client.hooks.enable(hook.id))

    def _ask(self, act: Callable[[Any], object], done: str = "") -> None:
        def do(client: Any, recording: Any) -> str:
            if client is None:
                return _ONLY_PAST
            act(client)
            return done

        self.connection.ask(do)

    # --- edits ------------------------------------------------------------------------------------

    def edit(self, object: int, field: str, value: Any) -> None:
        """Set a field of the paused game."""
        self._ask(lambda client: client.edits.set(object, field, value))

    def edit_key(self, key: str, value: Any) -> None:
        """Set a key of the blackboard of the paused game."""
        self._ask(lambda client: client.edits.set_key(key, value))

    def undo(self) -> None:
        """Take the newest edit back."""
        self._ask(lambda client: client.edits.undo())

    def redo(self) -> None:
        """Make the edit again that was undone last."""
        self._ask(lambda client: client.edits.redo())

    def takes_key(self, event: QKeyEvent) -> bool:
        """Whether a key takes an edit back, or makes one again."""
        if event.modifiers() != Qt.KeyboardModifier.ControlModifier:
            return False
        act = {Qt.Key.Key_Z: self.undo, Qt.Key.Key_Y: self.redo}.get(Qt.Key(event.key()))
        if act is not None:
            act()
        return act is not None

    def edited(self, object: int, name: str) -> AppliedEdit | None:
        """The newest edit of a field or, of object 0, of a key."""
        return next(
            (one for one in reversed(self.edits) if (one.object, one.name) == (object, name)), None
        )

    # --- menus ------------------------------------------------------------------------------------

    def menu(self, object: int, location: Location) -> list[MenuEntry]:
        """What a menu offers for a location of an object."""
        self.connection.watch()
        past: MenuAction = ("How often so far", partial(self._tell_past, object, location))
        if not self.connection.is_live:
            return [Submenu("Hooks", (past, (_ONLY_PAST, lambda: None)))]
        offers: list[MenuAction] = [past]
        named = named_location(location)
        set = partial(self._set, object, named)
        offers.append(("Break before it", partial(set, "break_at")))
        if isinstance(location, NodeLocation | TransitionLocation):
            offers.append(("Break after it", partial(set, "break_at", at="after")))
        offers.append(("Trace it in the log", partial(set, "trace")))
        offers += [
            (label, partial(set, "replace", result=result))
            for label, result in results_of(location)
        ]
        for hook in self.on_location(object, location):
            offers.append((f"Remove hook {hook.id}, {hook.hook.kind}", partial(self.remove, hook)))
        return [Submenu("Hooks", tuple(offers))]

    def _set(self, object: int, location: dict[str, Any], kind: str, **rest: Any) -> None:
        self._ask(lambda client: getattr(client.hooks, kind)(object, **location, **rest))

    def _tell_past(self, object: int, location: Location) -> None:
        self.connection.ask(
            lambda client, recording: (
                f"{location.text}: "
                + recording.occurrences(object, **named_location(location)).text
            )
        )


def is_meant(hooked: Location, location: Location) -> bool:
    """Whether a hook on one location acts on another, judged by names."""
    match hooked, location:
        case NodeLocation(), NodeLocation():
            is_named = (
                hooked.name == location.name if hooked.name else hooked.index == location.index
            )
            return is_named and hooked.tree in ("", location.tree)
        case TransitionLocation(), TransitionLocation():
            return hooked.machine in ("", location.machine) and (
                hooked.matches(location.source, location.target)
            )
        case RuleLocation(), RuleLocation():
            return hooked.name == location.name and hooked.machine in ("", location.machine)
    return hooked == location


def named_location(location: Location) -> dict[str, Any]:
    """A location as the arguments of the calls."""
    match location:
        case NodeLocation():
            return {"node": location.name or location.index, "tree": location.tree}
        case TransitionLocation():
            return {
                "transition": f"{location.source} -> {location.target}", "machine": location.machine
            }  # fmt: skip
        case RuleLocation():
            return {"rule": location.name, "machine": location.machine}
    return {"field": location.field}


def results_of(location: Location) -> Iterable[tuple[str, Any]]:
    """What can be given instead of a decision without typing anything."""
    match location:
        case NodeLocation():
            return [(f"Replace by {one}", one) for one in ("success", "failure", "running")]
        case TransitionLocation():
            return [("Suppress it", None)]
        case RuleLocation():
            return [("Deny it", False), ("Have it hold", True)]
    return ()
