"""The interface of a game that `playhead run` and agents can run."""

from typing import Protocol, Self

from ..errors import GameError, PlayheadError
from ..handlers.handler_registry import HandlerRegistry
from ..recorder.statements.instrumentation_interface import Instrumentation, Scalar
from ..recorder.world_adapter import World


class Game(Protocol):
    """A game that is stepped from outside. A context manager: leaving it ends the game."""

    name: str
    """What it is called on the command line, such as `arena:yard`."""
    dt: float
    """Seconds of game time in one step."""
    world: World
    handlers: HandlerRegistry
    about: dict[str, Scalar]
    """Plain values that describe this run: seed, settings."""

    def attach(self, instruments: Instrumentation) -> None:
        """Draw, trace, watch, log and check through these from now on."""

    def step(self) -> None:
        """Advance one step; unless a pad is held (see `Playable`) a scripted person plays."""

    def state_hash(self) -> str:
        """A hash of everything that decides how the game goes on."""

    def close(self) -> None:
        """End the game; again without effect."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...


def step_game(game: Game) -> None:
    """Let a game make one step.

    Raises:
        GameError: the game's own code raised; the message names the game and its error.
    """
    try:
        game.step()
    except PlayheadError:
        raise
    except Exception as error:
        raise GameError(f"{game.name} raised {error!r}") from error
