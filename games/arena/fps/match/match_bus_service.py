"""Serves a match on the bus: publishes its state, and carries out orders of tools."""

from collections.abc import Callable, Mapping
from typing import Any, Protocol, runtime_checkable

import msgspec
import numpy as np

from .....errors import GameError
from ..simulation.block_difficulty_probabilities import DIFFICULTIES, DifficultyProbabilities
from ..simulation.hall_level_loader import HallMap
from ..simulation.round_targets_and_modes import BLOCK_TARGETS, ArenaMode, Target, mode_of
from ..simulation.rules import ENEMY_RADIUS, SIDE
from ..simulation.target_block_presets import SIZE
from .hall_world_adapter import AimWorld
from .match_control_commands import AskPreview, ChooseMode, Request
from .mode_selection_screen import chosen_already
from .training_match import Match

NAME = "arena"
"""What is served, published, and recorded as a fact of the world."""


@runtime_checkable
class Switchable(Protocol):
    """What a match can be served by: a `Session`."""

    def serve(self, name: str, handler: Callable[[Any], Any]) -> None:
        """Have `handler` answer what tools send under a name, in the game's thread."""

    def publish(self, name: str, body: Any) -> None:
        """Publish a value to all tools, and to those that connect later."""

    def fact(self, object: int, key: str, value: Any) -> None:
        """Record a statement that stays true until the next one."""


class MatchServer:
    """Carries orders from tools on the bus to a match.

    Args:
        world: What the match is shown in: while it is in playback, nothing can be ordered.
        session: The session that is on the bus.
    """

    def __init__(self, match: Match, world: AimWorld, session: Switchable) -> None:
        self._match, self._world, self._session = match, world, session
        self._published: tuple[object, ...] = ()
        session.serve(NAME, self.answer)

    def publish_changes(self) -> None:
        """Publish and record the state, if it has changed."""
        match = self._match
        panels = panels_of(match.odds)
        changes = (match.target, _enemies(match), len(match.arenas.blocks[0]), panels)
        if changes != self._published:
            self._published = changes
            state = match_state(match)
            self._session.publish(NAME, state)
            self._session.fact(0, NAME, state)

    def answer(self, body: Any) -> dict[str, Any]:
        """Carry out what a tool sends: an order, or `{"order": "preview", "of": an order}`.

        Returns the preview, or else the state afterwards.

        Raises:
            GameError: it is no order or can't be done, and nothing was.
        """
        request = request_of(body, self._world)
        match request:
            case AskPreview(of):
                preview: dict[str, Any] = msgspec.to_builtins(self._match.preview(of)._asdict())
                return preview
            case ChooseMode(mode):
                raise chosen_already(mode_of(mode), self._match.mode)
        self._match.order(request)
        return match_state(self._match)


def request_of(body: Any, world: AimWorld) -> Request:
    """What a tool has sent.

    Raises:
        GameError: it is no order, or the world is in playback.
    """
    try:
        request: Request = msgspec.convert(body, Request)
    except msgspec.ValidationError as error:
        raise GameError(f"order {body!r}: {error}") from None
    if world.paused:
        raise GameError("the game is paused in playback: let it run on, then order")
    return request


def match_state(match: Match) -> dict[str, Any]:
    """The state of a match and what can be ordered, in plain data.

    `mode`; `by_hand`, whether targets are given by orders; `target`, the present one; `drawn`, the
    targets whose blocks are drawn by the `odds`; `odds` by target, `values` and `locked` of each
    difficulty; `presets` by target, the names for each difficulty; how many `enemies` and `blocks`
    there are; the `hall`'s and a `block`'s side and an `enemy`'s radius, metres.
    """
    return {
        "mode": match.mode.value,
        "by_hand": not match.mode.trains,
        "target": match.target.word,
        "drawn": drawn(match.mode),
        "enemies": _enemies(match),
        "blocks": len(match.arenas.blocks[0]),
        **panel(match.odds, match.setup.hall),
    }


def drawn(mode: ArenaMode) -> list[str]:
    """The targets of a mode whose blocks are drawn by the odds."""
    return [target.word for target in mode.targets if target.has_block]


def panel(odds: Mapping[Target, DifficultyProbabilities], hall: HallMap) -> dict[str, Any]:
    """The part of it that is there before a round is: odds, presets and sizes."""
    return {
        "odds": {
            target.word: {
                "values": list(odds[target].values), "locked": list(odds[target].locked),
            }
            for target in BLOCK_TARGETS
        },
        "presets": {
            target.word: [
                [preset.name for preset in hall.presets_for(target, difficulty)]
                for difficulty in DIFFICULTIES
            ]
            for target in BLOCK_TARGETS
        },
        "hall": SIDE, "block": SIZE, "enemy": ENEMY_RADIUS,
    }  # fmt: skip


def panels_of(odds: Mapping[Target, DifficultyProbabilities]) -> tuple[object, ...]:
    """All settings that an order may change: equal if none was changed."""
    return tuple((odds[target].values, odds[target].locked) for target in BLOCK_TARGETS)


def _enemies(match: Match) -> int:
    return int(np.count_nonzero(match.arenas.health[0]))
