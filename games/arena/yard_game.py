"""The arena as a game to run: a level, its world, and handlers for its types."""

from ...errors import GameError
from ...handlers.camera_handler import CameraHandler
from ...handlers.field_handler import FieldHandler
from ...handlers.first_person_model_handler import ViewModelHandler
from ...handlers.handler_registry import HandlerRegistry
from ...recorder.statements.instrumentation_interface import Scalar
from ..playable_interface import Observation
from ..tree_body_interface import PLAYER, TreeBody
from .arena_world_adapter import YardWorld
from .character_handlers import GuardHandler, YardPlayerHandler
from .guard_yard import SEED, Yard
from .guards.guard_tree_interface import GuardBody, YardPlayerBody
from .guards.thrown_stone import ThrownStone
from .pad_controlled_game import PadControlledGame
from .yard_player import Player

LEVELS = ("yard",)


class ArenaGame(PadControlledGame):
    """`arena:LEVEL`, seeded, deterministic; all of it can be restored.

    Args:
        level: One of `LEVELS`.
        guards: How many guards there are.
        flaw: Give one guard the flawed logic that the demo is about.

    Raises:
        GameError: there is no such level, or the number of guards makes no sense.
    """

    def __init__(
        self, level: str = "yard", *, seed: int | None = None, guards: int = 6, flaw: bool = False
    ) -> None:
        if level not in LEVELS:
            raise GameError(
                f"arena:{level} is unknown: the levels are {', '.join(LEVELS)}, village, dungeon,"
                " mountain, doomlike"
            )
        self.name = f"arena:{level}"
        self.levels = (level,)
        seed = SEED if seed is None else seed
        self.about: dict[str, Scalar] = {"game": self.name, "seed": seed, "guards": guards}
        if flaw:
            self.about["flaw"] = True
        self.yard = Yard(seed, guards, flaw)
        self.world = YardWorld(self.yard)
        self.handlers = arena_handlers(self.yard)
        self.tree_bodies = (PLAYER, *(guard.name for guard in self.yard.guards))

    def tree_body(self, name: str) -> TreeBody:
        """The player, or a guard by its name, for a behaviour tree to drive."""
        if name == PLAYER:
            return YardPlayerBody(self, self.yard)
        for guard in self.yard.guards:
            if guard.name == name:
                return GuardBody(self.yard, guard)
        raise GameError(f"{self.name} has no {name!r}: there are {', '.join(self.tree_bodies)}")

    @property
    def steered(self) -> Player:
        return self.yard.player

    def observe(self) -> Observation:
        player, (_, dive, turn) = self.yard.player, self.yard.camera.view.angles
        return Observation(
            (player.x, player.y, 0.0),
            player.facing,
            (turn, -dive),
            level=self.name.partition(":")[2],
        )


def arena_handlers(yard: Yard) -> HandlerRegistry:
    """Handlers for the arena's types. They record and play views, nothing that is simulated."""
    registry = HandlerRegistry()
    registry.register(
        "player",
        YardPlayerHandler(yard.player, part="view", skeleton="skeleton"),
        channels=("animation",),
    )
    registry.register("camera", CameraHandler(yard.camera, part="view", names=_CAMERA))
    registry.register("view_model", ViewModelHandler(
        yard.view_model, part="view", skeleton="skeleton"
    ), channels=("animation",))  # fmt: skip
    for guard in yard.guards[:1]:
        registry.register(
            "guard", GuardHandler(guard, part="view", skeleton="skeleton"), channels=("ai",)
        )
    stone = ThrownStone(0, 0, (0.0, 0.0), 0.0)
    registry.register("stone", FieldHandler(stone, part="view", names=_PLAIN), channels=("fx",))
    return registry


_PLAIN = ("position", "angles", "visible", "state", "hp")
_CAMERA = (*_PLAIN, "fov")
