"""What the arena's panel and the world share: the tool, its ghost, and orders under way."""

from collections.abc import Callable
from functools import partial
from typing import Any

from ....playback.playback_state import Mode
from ...backends.panel_client import GameClient, game_client
from ...backends.playback_backend import LinkState
from ...reader.frame_snapshot import FrameSnapshot
from ...state.viewer_store import ViewerStore
from ...toolkit.qt import QObject, QTimer, pyqtSignal
from .arena_connection import ArenaConnection, OrderResult
from .arena_model import (
    ArenaState,
    PlacementGhost,
    PlacementTool,
    arena_state_of,
    snapped,
    tools_of,
)

_AGAIN = 400
"""Milliseconds after which a ghost that stays where it is is asked about again: others move."""


class ArenaOrders(QObject):
    """Belongs to a store: `ArenaOrders.of(store)` always returns the same one."""

    changed = pyqtSignal()
    """The tool, its ghost, or what was refused."""
    chosen = pyqtSignal()
    """A tool was taken up: hands are wanted on the world."""
    appeared = pyqtSignal(bool)
    """Whether what is viewed is a running arena: emitted once for each recording."""
    _notified = pyqtSignal()

    def __init__(self, store: ViewerStore) -> None:
        super().__init__(store)
        self.store = store
        self.tool: PlacementTool | None = None
        self.ghost: PlacementGhost | None = None
        self.error_text = ""
        """Why the newest order was refused; empty if it was not."""
        self.connect: Callable[[], GameClient] = partial(
            game_client, store.target, "viewer, orders", "only a running game takes orders"
        )
        self._connection: ArenaConnection | None = None
        self._state: tuple[FrameSnapshot | None, ArenaState | None] = (None, None)
        self._told_of: object = None
        self._again = QTimer(self)
        self._again.setInterval(_AGAIN)
        self._again.timeout.connect(self._ask)
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(0)
        self._later.timeout.connect(self._appear)
        self._notified.connect(self._take)
        store.moved.connect(self._moved)
        store.status_changed.connect(self._stood)

    @classmethod
    def of(cls, store: ViewerStore) -> "ArenaOrders":
        """The orders of a store, created on first use."""
        return next((one for one in store.children() if isinstance(one, cls)), None) or cls(store)

    # --- state ----------------------------------------------------------------------------------

    @property
    def state(self) -> ArenaState | None:
        """The arena's state in the frame that is shown; None if it is no arena."""
        snapshot = self.store.snapshot
        if snapshot is not self._state[0]:
            self._state = snapshot, arena_state_of(snapshot)
        return self._state[1]

    @property
    def blocked(self) -> str:
        """Why nothing can be ordered now; empty if it can be."""
        store = self.store
        if self.state is None:
            return "This is no arena: `playhead run arena:doomlike` is one"
        if store.backend_state.link is not LinkState.CONNECTED:
            return "Only an arena that runs takes orders: this is what was recorded"
        if store.playback.mode is not Mode.LIVE:
            return "The game stands still: End lets it run on, then it takes orders"
        return ""

    def _moved(self) -> None:
        if self.store.snapshot is not None and self._told_of is not self.store.history:
            self._told_of = self.store.history
            # Whoever arranges panels does it with the first frame: be behind that.
            self._later.start()
        if self.tool is not None and self.tool not in self._tools():
            self.choose(None)

    def _appear(self) -> None:
        running = self.store.backend_state.link is LinkState.CONNECTED
        self.appeared.emit(running and self.state is not None)

    def _tools(self) -> list[PlacementTool]:
        state = self.state
        if state is None:
            return []
        tools = tools_of(state)
        if self.tool is not None and self.tool.preset:
            names = state.presets[self.tool.target][self.tool.difficulty - 1]
            tools += [self.tool] if self.tool.preset in names else []
        return tools

    def _stood(self) -> None:
        if self.tool is not None:
            self._look()

    # --- the tool and its ghost -----------------------------------------------------------------

    def choose(self, tool: PlacementTool | None) -> None:
        """Take a tool up, or put it away."""
        self.tool, self.error_text = tool, ""
        if tool is None:
            self._again.stop()
            self.ghost = None
            if self._connection is not None:
                self._connection.ask(None)
        elif self.ghost is not None:
            self.ghost = PlacementGhost(tool, self.ghost.at)
            self._look()
        self.changed.emit()
        if tool is not None:
            self.chosen.emit()

    def point(self, at: tuple[float, float] | None) -> None:
        """The tool is held over this point of the ground; None for nowhere."""
        if self.tool is None or at is None:
            if self.ghost is not None:
                self.ghost = None
                self._again.stop()
                self.changed.emit()
            return
        there = snapped(at)
        if self.ghost is None:
            self.ghost = PlacementGhost(self.tool, there)
        elif self.ghost.at == there:
            return
        else:
            self.ghost = self.ghost._replace(at=there)
        self._look()
        self.changed.emit()

    def place(self) -> None:
        """Put down what is held, where it is."""
        if self.ghost is not None:
            self.order(self.ghost.tool.order(*self.ghost.at))

    def _look(self) -> None:
        """Learn what the ghost would be."""
        if self.ghost is None:
            return
        if self.blocked:
            self._again.stop()
            self.ghost = PlacementGhost(self.ghost.tool, self.ghost.at, refused=self.blocked)
        else:
            self._again.start()
            self._ask()

    def _ask(self) -> None:
        if self.ghost is not None and not self.blocked:
            self._orders().ask(self.ghost)

    # --- orders ---------------------------------------------------------------------------------

    def order(self, order: dict[str, Any]) -> None:
        """Send an order; a message says if it is refused."""
        if self.blocked:
            self.refuse(self.blocked)
        else:
            self._orders().send(order)

    def refuse(self, why: str) -> None:
        """Say why something is not done."""
        self.error_text = why
        self.store.message.emit(why)
        self.changed.emit()

    def _orders(self) -> ArenaConnection:
        if self._connection is None:
            self._connection = ArenaConnection(self.connect, self._notified.emit)
        return self._connection

    def _take(self) -> None:
        if self._connection is None:
            return
        done, seen = self._connection.take()
        for one in done:
            self._say(one)
        ghost = self.ghost
        # An answer that was on its way when the game stopped says nothing of how it is now.
        blocked = bool(self.blocked)
        if seen is not None and ghost is not None and seen.tool == ghost.tool and not blocked:
            self.ghost = seen._replace(at=ghost.at)
            if seen.at != ghost.at:
                self._ask()
        self.changed.emit()

    def _say(self, done: OrderResult) -> None:
        if done.error:
            self.refuse(done.error)
            return
        self.error_text = ""
        if done.order["order"].startswith("spawn"):
            self._ask()  # where it stands now, nothing else can

    def close(self) -> None:
        """End what goes to the game. Close it before its store."""
        self._again.stop()
        self._later.stop()
        self.store.moved.disconnect(self._moved)
        self._notified.disconnect()
        line, self._connection = self._connection, None
        if line is not None:
            line.close()
