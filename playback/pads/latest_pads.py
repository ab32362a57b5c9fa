"""The newest pad of each player, passed from other threads to the game's."""

import math
import threading
import time
from collections.abc import Callable, Collection
from typing import Any

import msgspec

from ...errors import CommandError
from ...native.fork_safety import on_fork
from .pad import NEUTRAL, PLAYERS, ButtonTaps, Pad, checked, input_of

SILENT_FOR = 1.0
"""Seconds after which a pad that is not confirmed is released: its holder may be gone."""


class PadState(msgspec.Struct, frozen=True):
    """A pad, and who holds it."""

    pad: Pad
    origin: str = ""
    """The holder: a tool's name on the bus; empty for the game itself."""
    sequence: int = 0
    """The holder's own count, by which one finds out which of its pads a step was played with."""
    time: float | None = None
    """Timeline seconds of the instant that it was decided on, if it was on one."""


class _Slot:
    """One player's pad, and the buttons pressed since the game read it last."""

    def __init__(self) -> None:
        self.newest: PadState | None = None
        self.confirmed_at = 0.0
        self.taps = ButtonTaps()
        self.frame = -1
        self.in_frame: PadState | None = None
        """What the game got in that frame: within one it does not change."""


class LatestPads:
    """The pads that tools and people hold. `get` is for the game's thread, all else for any.

    The newest pad of a player is held until the next one; until its holder is gone, or silent for
    `SILENT_FOR` seconds while holding something; or until playback begins: then all are let go. A
    button or trigger that is pressed and let go again between two steps is down in the next one.

    Args:
        frame: The number of the frame that is being recorded.
        clock: Seconds that only count up.
        record: Records an input: its name and value.
    """

    def __init__(
        self, frame: Callable[[], int], *, clock: Callable[[], float] = time.monotonic,
        record: Callable[[str, Any], object] = lambda name, value: None,
    ) -> None:  # fmt: skip
        self._frame = frame
        self._record = record
        self._clock = clock
        self._lock = threading.Lock()
        self._slots: dict[int, _Slot] = {}
        self._is_suspended = False
        self.on_change: Callable[[], object] = lambda: None
        """Called, by whichever thread, when another pad is held, or none any more."""
        on_fork(self)

    def forked(self) -> None:
        """This is a forked child: the thread that held the lock may not be here."""
        self._lock = threading.Lock()

    # --- for the game ---------------------------------------------------------------------------

    def take(self, player: int = 0) -> None:
        """Take this player's pad from now on: it can be held."""
        with self._lock:
            self._slots.setdefault(_player(player), _Slot())

    def get(self, player: int = 0) -> Pad | None:
        """A player's pad in this step; None if it was never held.

        From the first call on the game takes this player's pad, as with `take`.
        """
        state = self.state(player)
        return None if state is None else state.pad

    def state(self, player: int = 0) -> PadState | None:
        """Like `get`, with whose pad it is."""
        frame = self._frame()
        with self._lock:
            slot = self._slots.setdefault(_player(player), _Slot())
            is_first = slot.frame != frame
            if is_first:
                slot.frame, slot.in_frame = frame, self._current(slot)
            state, suspended = slot.in_frame, self._is_suspended
        if (
            is_first and state is not None and not suspended
        ):  # then there is no step to record it in
            self._record(f"pad {player}" if player else "pad", input_of(state.pad))
        return state

    # --- for a game in another process -----------------------------------------------------------

    @property
    def players(self) -> tuple[int, ...]:
        """Whose pads are taken."""
        with self._lock:
            return tuple(self._slots)

    def newest(self, player: int) -> tuple[PadState | None, float | None]:
        """A player's pad now, and the seconds until it is released without a confirmation."""
        with self._lock:
            slot = self._slots[player]
            state = self._confirmed(slot)
            if state is None or state.pad == NEUTRAL:
                return state, None
            return state, max(slot.confirmed_at + SILENT_FOR - self._clock(), 0.001)

    def pressed(self, player: int) -> PadState:
        """What a player holds, with what was pressed since the last call and let go again."""
        with self._lock:
            state = self._current(self._slots[player])
            return PadState(NEUTRAL) if state is None else state

    def refuse_all(self) -> None:
        """Accept no player's pad any more: the game is gone."""
        with self._lock:
            self._slots.clear()

    def _current(self, slot: _Slot) -> PadState | None:
        newest = self._confirmed(slot)
        if newest is None:
            return None
        pad = slot.taps.add_to(newest.pad)
        return newest if pad == newest.pad else msgspec.structs.replace(newest, pad=pad)

    def _confirmed(self, slot: _Slot) -> PadState | None:
        newest = slot.newest
        if newest is None or newest.pad == NEUTRAL:
            return newest
        if self._clock() - slot.confirmed_at > SILENT_FOR:
            newest = slot.newest = msgspec.structs.replace(newest, pad=NEUTRAL)
        return newest

    def set_suspended(self, suspended: bool) -> None:
        """Playback has begun, and the game's input is locked; or it has ended."""
        with self._lock:
            self._is_suspended = suspended
            for slot in self._slots.values():
                slot.frame = -1
                self._let_go(slot)
        self.on_change()

    # --- for those who hold them ----------------------------------------------------------------

    def hold(
        self, pad: Pad, player: int = 0, *,
        origin: str = "", sequence: int = 0, time: float | None = None,
    ) -> None:  # fmt: skip
        """Hold a pad from the next step on, instead of the one before.

        Raises:
            CommandError: its values make no sense, playback is on, or the game does not take the
                pad of this player.
        """
        if time is not None and not math.isfinite(time):
            raise CommandError(f"time {time!r}: give timeline seconds, or none")
        state = PadState(checked(pad), origin, sequence, time)
        with self._lock:
            slot = self._slots.get(_player(player))
            if slot is None:
                players = ", ".join(map(str, sorted(self._slots)))
                what = f"only those of players {players}" if players else "no pads"
                raise CommandError(f"pad of player {player}: the game here, if any, takes {what}")
            if self._is_suspended:
                raise CommandError(
                    "the game is paused: pads are ignored while playback is on; `leave` lets"
                    " it run on"
                )
            slot.taps.note(NEUTRAL if slot.newest is None else slot.newest.pad, pad)
            slot.newest, slot.confirmed_at = state, self._clock()
        self.on_change()

    def release_others(self, origins: Collection[str]) -> None:
        """Release the pads of all but these holders and the game itself."""
        with self._lock:
            for slot in self._slots.values():
                if slot.newest is not None and slot.newest.origin not in ("", *origins):
                    self._let_go(slot)
        self.on_change()

    @staticmethod
    def _let_go(slot: _Slot) -> None:
        slot.taps.clear()
        if slot.newest is not None:
            slot.newest = msgspec.structs.replace(slot.newest, pad=NEUTRAL)


def _player(player: int) -> int:
    if not 0 <= player < PLAYERS:
        raise CommandError(f"player {player}: pads are counted from 0 to {PLAYERS - 1}")
    return player
