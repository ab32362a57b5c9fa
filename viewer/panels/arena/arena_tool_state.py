"""What the arena panel and the world panel share: the tool, its ghost, and the orders sent."""

from typing import Any

from ....playback.playback_state import Mode
from ...backends.panel_game_connection import PanelCallResult
from ...backends.playback_backend import LinkState
from ...reader.frame_snapshot import FrameSnapshot
from ...state.panel_controller import PanelController
from ...state.viewer_store import ViewerStore
from ...toolkit.qt import QTimer, pyqtSignal
from .arena_placement_model import (
    NAME,
    ArenaState,
    PlacementGhost,
    PlacementTool,
    arena_state_of,
    odds_key,
    preview_order,
    snapped,
    tools_of,
    with_preview,
)

_PREVIEW_INTERVAL = 400
"""Milliseconds between previews of a ghost that does not move: agents and blocks around it do."""


class ArenaToolState(PanelController):
    """Belongs to a store: `ArenaToolState.of(store)` always returns the same one."""

    chosen = pyqtSignal()
    """A tool was chosen."""
    appeared = pyqtSignal(bool)
    """Emitted once for each recording: whether it is a running arena."""

    def __init__(self, store: ViewerStore) -> None:
        super().__init__(store, NAME, "viewer, orders", "only a running game takes orders")
        self.tool: PlacementTool | None = None
        self.ghost: PlacementGhost | None = None
        """The tool over the ground; None while the mouse is elsewhere."""
        self._state: tuple[FrameSnapshot | None, ArenaState | None] = (None, None)
        """The cached state, and the snapshot that it is of."""
        self._announced: object = None
        """The history for which `appeared` was emitted."""
        self._preview_timer = QTimer(self)
        self._preview_timer.setInterval(_PREVIEW_INTERVAL)
        self._preview_timer.timeout.connect(self._request_preview)
        self._appear_timer = QTimer(self)
        self._appear_timer.setSingleShot(True)
        self._appear_timer.setInterval(0)
        self._appear_timer.timeout.connect(self._appear)
        store.moved.connect(self._on_moved)
        store.status_changed.connect(self._on_status_changed)

    @classmethod
    def of(cls, store: ViewerStore) -> "ArenaToolState":
        """The orders of a store, created on first use."""
        return next((one for one in store.children() if isinstance(one, cls)), None) or cls(store)

    # --- state ----------------------------------------------------------------------------------

    @property
    def state(self) -> ArenaState | None:
        """The arena's state in the shown frame; None if it is no arena."""
        snapshot = self.store.snapshot
        if snapshot is not self._state[0]:
            self._state = snapshot, arena_state_of(snapshot)
        return self._state[1]

    @property
    def blocked(self) -> str:
        """Why no orders can be sent now; empty if they can."""
        store = self.store
        if self.state is None:
            return "This is no arena: `playhead run arena:doomlike` is one"
        if store.backend_state.link is not LinkState.CONNECTED:
            return "Only an arena that runs takes orders: this is what was recorded"
        if store.playback.mode is not Mode.LIVE:
            return "The game is paused: End lets it run on, then it takes orders"
        return ""

    def _on_moved(self) -> None:
        if self.store.snapshot is not None and self._announced is not self.store.history:
            self._announced = self.store.history
            # The window lays out its panels at the first frame: emit after that.
            self._appear_timer.start()
        if self.tool is not None and self.tool not in self._tools():
            self.choose(None)

    def _appear(self) -> None:
        is_running = self.store.backend_state.link is LinkState.CONNECTED
        self.appeared.emit(is_running and self.state is not None)

    def _tools(self) -> list[PlacementTool]:
        state = self.state
        if state is None:
            return []
        tools = tools_of(state)
        if self.tool is not None and self.tool.preset:
            names = state.presets[self.tool.target][self.tool.difficulty - 1]
            tools += [self.tool] if self.tool.preset in names else []
        return tools

    def _on_status_changed(self) -> None:
        if self.tool is not None:
            self._update_preview()

    # --- the tool and its ghost -----------------------------------------------------------------

    def choose(self, tool: PlacementTool | None) -> None:
        """Choose a tool; None puts it away."""
        self.tool, self.error_text = tool, ""
        if tool is None:
            self._preview_timer.stop()
            self.ghost = None
            if self._connection is not None:
                self._connection.cancel_latest()
        elif self.ghost is not None:
            self.ghost = PlacementGhost(tool, self.ghost.at)
            self._update_preview()
        self.changed.emit()
        if tool is not None:
            self.chosen.emit()

    def point(self, at: tuple[float, float] | None) -> None:
        """Move the tool over a point of the ground; None takes it off the ground."""
        if self.tool is None or at is None:
            if self.ghost is not None:
                self.ghost = None
                self._preview_timer.stop()
                self.changed.emit()
            return
        point = snapped(at)
        if self.ghost is None:
            self.ghost = PlacementGhost(self.tool, point)
        elif self.ghost.at == point:
            return
        else:
            self.ghost = self.ghost._replace(at=point)
        self._update_preview()
        self.changed.emit()

    def place(self) -> None:
        """Place what the tool places, at the ghost."""
        if self.ghost is not None:
            self.order(self.ghost.tool.order(*self.ghost.at))

    def _update_preview(self) -> None:
        """Keep asking the game what placing the ghost would do; if it can't answer, say why."""
        if self.ghost is None:
            return
        if self.blocked:
            self._preview_timer.stop()
            self.ghost = PlacementGhost(self.ghost.tool, self.ghost.at, refused=self.blocked)
        else:
            self._preview_timer.start()
            self._request_preview()

    def _request_preview(self) -> None:
        if self.ghost is not None and not self.blocked:
            self._connected().request_latest(preview_order(self.ghost), context=self.ghost)

    # --- orders ---------------------------------------------------------------------------------

    def order(self, order: dict[str, Any]) -> None:
        """Send an order; a message says if it is refused."""
        if self.blocked:
            self.refuse(self.blocked)
        else:
            self._connected().send(order, key=odds_key(order))

    def refuse(self, why: str) -> None:
        """Show why an order is not carried out."""
        self.error_text = why
        self.store.message.emit(why)
        self.changed.emit()

    def _take(self) -> None:
        if self._connection is None:
            return
        _, results = self._connection.take()
        preview: PlacementGhost | None = None
        for result in results:
            if isinstance(result.context, PlacementGhost):
                preview = with_preview(result.context, result.response, result.error)
            else:
                self._show_result(result)
        # A preview that arrives after the game has paused is out of date.
        if preview is not None and not self.blocked:
            self._show_preview(preview)
        self.changed.emit()

    def _show_preview(self, preview: PlacementGhost) -> None:
        ghost = self.ghost
        if ghost is not None and preview.tool == ghost.tool:
            self.ghost = preview._replace(at=ghost.at)
            if preview.at != ghost.at:
                self._request_preview()

    def _show_result(self, result: PanelCallResult) -> None:
        if result.error:
            self.refuse(result.error)
            return
        self.error_text = ""
        if result.command is not None and result.command["order"].startswith("spawn"):
            self._request_preview()  # the new thing is in the ghost's way now

    def close(self) -> None:
        """End the connection to the game. Call it before the store is closed."""
        self._preview_timer.stop()
        self._appear_timer.stop()
        self.store.moved.disconnect(self._on_moved)
        super().close()
