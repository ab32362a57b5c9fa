"""A remote game as a `World`: recorded from the frames it sends, controlled by messages to it."""

import time as clocks
from collections import deque
from collections.abc import Callable, Iterable, Sequence

from ...bus.gateway.messages_from_game import GameConnected, GatewayGame
from ...bus.messages.gateway_messages import (
    AdvanceGame,
    DefineSkeleton,
    DefineType,
    LookAt,
    PauseGame,
    ResumeGame,
)
from ...handlers.handler_registry import HandlerRegistry
from ...native import _ring
from ...playback.commands import Advance
from ...playback.playback_state import Mode, PlaybackState
from ...recorder.handler_interface import FrameImage
from ...recorder.packets.recorded_frame import Packet
from ...recorder.recorder import Recorder
from ...recorder.world_adapter import Conventions, StandIn, World
from .declared_types import RemoteFrame, RemoteTypes
from .playback_display_delta import DisplayDelta

PATIENCE = 0.75
"""Seconds in which a game has to stand still when it is ordered to: less than tools are given."""


class RemoteWorld(World):
    """The objects of the newest frame that the game has sent, and the orders that it is given.

    A game that was asked to pause and does not is recorded no further while playback is on, and
    shown nothing. If it pauses after all, or another game comes, then the newest frame that
    it sent is its state (see `unrecorded`).

    Args:
        clock: Seconds that only count up.
        patience: Seconds in which it has to stand still.
    """

    columnar = True

    def __init__(
        self, clock: Callable[[], float] = clocks.monotonic, patience: float = PATIENCE
    ) -> None:
        self.handlers = HandlerRegistry()
        """Players for all types that were ever declared."""
        self.conventions = Conventions()
        self.dropped = 0
        """Frames that came while playback was on, and were not the newest then."""
        self._clock, self._patience = clock, patience
        self._game: GatewayGame | None = None
        self._types: RemoteTypes | None = None
        self._frame: RemoteFrame | None = None
        """The game's newest frame, as far as is recorded."""
        self._beyond: RemoteFrame | None = None
        """The newest that came in playback."""
        self._living: dict[int, str] | None = {}
        self.can_advance = False
        self._orders: deque[str] = deque()
        """`pause` and `resume`, as ordered and not obeyed yet. To advance is to resume, and to
        pause by itself then; it is ordered to pause all the same, and may report that twice."""
        self._asked = 0.0
        self.runs = 0
        """How often a game was ordered to run on."""
        self._reported_paused = False
        self._stopped = False
        """It was ordered to pause for playback that has not begun."""
        self._advancing = False
        """It was ordered to run for a number of steps, and playback has not begun again."""
        self._apart = False
        """Whether the game does not show playback, since it runs on, or came later."""
        self.unrecorded: RemoteFrame | None = None
        """The state of a game that the session has to rejoin."""
        self._display = DisplayDelta()
        self._look: LookAt | None = None
        self._shown: PlaybackState | None = None
        """Orders that wait until the game reads again."""

    # --- the connection -------------------------------------------------------------------------

    def attach(self, item: GameConnected, recorder: Recorder, live: bool) -> None:
        """A game is there, and has sent nothing so far."""
        self._forget()
        self._game = item.game
        self._types = RemoteTypes(recorder)
        self.can_restore = item.register.can_restore
        self.can_advance = item.register.can_advance
        self.conventions = item.register.conventions
        recorder.describe(self.conventions, {"game": item.register.name, **item.register.about})
        recorder.restart()
        if not live:
            self._apart = True
            self._order_pause()

    def gone(self) -> None:
        """The game is gone, and with it all its objects."""
        self.dropped += self._beyond is not None
        self._forget()

    def _forget(self) -> None:
        self._game = self._types = self._frame = self._beyond = self._look = self._shown = None
        self._living = {}
        self._orders.clear()
        self.can_advance = self._advancing = False
        self._reported_paused = self._stopped = self._apart = False
        self._display.reset()

    @property
    def game(self) -> GatewayGame | None:
        """The connected game; None if there is none."""
        return self._game

    @property
    def types(self) -> RemoteTypes:
        """What the game has declared."""
        assert self._types is not None, "there is no game"
        return self._types

    def declare(self, message: DefineType | DefineSkeleton) -> None:
        """Take up a type or a skeleton; errors as of `RemoteTypes`."""
        if isinstance(message, DefineSkeleton):
            self.types.skeleton(message)
            return
        declared = self.types.declare(message)
        if declared.name not in self.handlers:
            self.handlers.register(declared.name, play=_Player(self._display))

    # --- frames ---------------------------------------------------------------------------------

    def take(self, frame: RemoteFrame) -> None:
        """The game has sent a frame, which is about to be recorded."""
        self._frame, self._living = frame, None
        self._reported_paused = False
        self._runs()

    def hold_frame(self, frame: RemoteFrame) -> None:
        """The game has sent a frame while playback is on."""
        if self._reported_paused:
            self.dropped += 1  # by its own message it is paused
            return
        self._runs()
        self.dropped += self._beyond is not None
        self._beyond = frame

    def take_frame_from_playback(self) -> RemoteFrame | None:
        """The newest frame that came in playback, once that is over: it can be recorded now."""
        frame, self._beyond = self._beyond, None
        return frame

    def _runs(self) -> None:
        """It has sent a frame, so it has obeyed what let it run."""
        while self._orders and self._orders[0] == "resume":
            self._orders.popleft()

    def images(self) -> Iterable[FrameImage]:
        if self._frame is None:
            return
        facts, self.types.facts = self.types.facts, []
        yield FrameImage(self._frame.image, self._frame.types, facts)

    def objects(self) -> Sequence[tuple[int, str, int]]:
        return [(id, type, id) for id, type in self._alive().items()]

    def find(self, object_id: int) -> int | None:
        return object_id if object_id in self._alive() else None

    def time(self) -> float:
        return 0.0 if self._frame is None else self._frame.time

    def _alive(self) -> dict[int, str]:
        if self._living is None:
            assert self._frame is not None
            types = self._frame.types
            self._living = {
                id: types[number].name
                for number, _, _, headers, _ in _ring.image_runs(self._frame.image)
                for id in headers["id"].tolist()
            }
        return self._living

    # --- pausing and running --------------------------------------------------------------------

    def halt(self) -> bool:
        if self._game is None or self._reported_paused:
            return True
        if not self._orders or self._orders[-1] != "pause":
            self._order_pause()
            self._stopped = True
        return self._clock() - self._asked >= self._patience

    def release(self) -> None:
        """Playback was not entered after all, or left in an advance: let a game run on for good
        that was ordered to stand still, or will do so by itself."""
        if self._advancing and self._game is not None:
            self._order_resume(self._game)
            return
        over = self.deadline is not None and self._clock() >= self.deadline
        if self._stopped and self._game is not None and (self._reported_paused or over):
            self._order_resume(self._game)

    @property
    def deadline(self) -> float | None:
        """When patience ends with a game that was ordered to pause; None if none was."""
        if self._game is None or not self._orders or self._orders[-1] != "pause":
            return None
        return self._asked + self._patience

    def _order_pause(self) -> None:
        assert self._game is not None
        self._orders.append("pause")
        self._asked = self._clock()
        self._game.order(PauseGame())

    def paused(self, live: bool) -> bool:
        """The game says that it is paused.

        True if it does so late, or is another game, so that the session has to rejoin it: with
        `unrecorded`, if it has moved since the newest frame that was recorded.
        """
        if self._orders:
            if self._orders[0] == "resume":
                return False  # it has that still before it
            self._orders.popleft()
            if self._orders:
                return False
        self._reported_paused = True
        if live or not self._apart:
            return False
        self._apart = False
        self._display.reset()
        frame, self._beyond = self._beyond, None
        if frame is not None:
            self._frame, self._living = frame, None
        self.unrecorded = frame
        return True

    @property
    def is_paused(self) -> bool:
        """Whether the game reported that it is paused, and was not asked to run since."""
        return self._reported_paused

    def resumed(self) -> None:
        """The game says that it runs."""
        if self._orders and self._orders[0] == "resume":
            self._orders.popleft()

    def pause(self) -> None:
        self._stopped = self._advancing = False
        self._apart = self._game is not None and not self._reported_paused

    def resume(self) -> None:
        if self._stopped and self._game is not None:  # playback has not even begun
            self._order_resume(self._game)
        # Else `follow` orders it, behind what is shown last.

    # --- what is shown --------------------------------------------------------------------------

    def hide(self, object_id: int) -> None:
        self._display.hide(object_id)

    def unhide(self, object_id: int) -> None:
        self._display.unhide(object_id)

    def show_stand_in(self, stand_in: StandIn) -> None:
        self._display.stand_in(stand_in)

    def remove_stand_in(self, object_id: int) -> None:
        self._display.remove_stand_in(object_id)

    def look_at(self, object_id: int, position: tuple[float, float, float]) -> None:
        self._look = LookAt(object_id, position)
        self.catch_up()

    def follow(self, shown: PlaybackState) -> None:
        """The playhead has moved, and all that the game must show is collected: order it."""
        self._shown = shown
        if shown.mode is Mode.LIVE:
            self._run_on(shown)
        else:
            self.catch_up()

    def catch_up(self) -> None:
        """Send the game what it was not sent yet, unless it has not read the last order."""
        if self._game is None or self._apart or self._game.unsent:
            return
        if self._shown is not None:
            self._show(self._game, self._shown)
        if self._look is not None:
            look, self._look = self._look, None
            self._game.order(look)

    def _show(self, game: GatewayGame, shown: PlaybackState) -> None:
        self._shown = None
        frame, time = shown.frame, shown.time
        if frame is None and shown.span is not None:
            frame, time = shown.span.newest, shown.span.end
        if frame is not None and time is not None:
            game.order(*self._display.take(frame, time, self.types.theirs))

    def _run_on(self, shown: PlaybackState) -> None:
        self._look = None
        if self._game is None:
            return
        if not self._apart:
            self._show(self._game, shown)
        steps = sum(one.steps for one in shown.pending if isinstance(one, Advance))
        self._order_resume(self._game, steps)

    def _order_resume(self, game: GatewayGame, steps: int = 0) -> None:
        """Let it run on; for so many steps, or for good."""
        self._shown = None
        self._apart = self._reported_paused = self._stopped = False
        self._advancing = steps > 0
        self._display.reset()
        self.runs += 1
        self._orders.append("resume")
        game.order(AdvanceGame(steps) if steps else ResumeGame())


class _Player:
    """Plays a packet by keeping it for the game."""

    def __init__(self, display: DisplayDelta) -> None:
        self._display = display

    def play(self, obj: int, packet: Packet) -> None:
        self._display.put(packet)
