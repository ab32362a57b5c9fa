"""Adventures as games to run, to play and to save: `arena:village` and other levels."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ....errors import GameError
from ....handlers.camera_handler import CameraHandler
from ....handlers.field_handler import FieldHandler
from ....handlers.handler_registry import HandlerRegistry
from ....handlers.skeletal_pose_handler import SkeletalPoseHandler
from ....recorder.statements.instrumentation_interface import Scalar
from ...playable_interface import Observation, ObservedEntity, OutcomeRule
from ..arena_world_adapter import ArenaWorld
from ..character_handlers import GuardHandler, YardPlayerHandler
from ..pad_controlled_game import PadControlledGame
from .adventure import SEED, Adventure
from .plans.level_randomizer import with_moved_actors
from .plans.plan_driven_adventure import PlanDrivenAdventure
from .saved_game import read_saved, write_saved
from .scripted.player_script_loader import load_script, script_path
from .scripted.scripted_player import AdventureScriptedPlayer
from .world.enemy import Enemy
from .world.level import AdventureLevel, Area, Talker, Zone
from .world.level_loader import level_path, load_level
from .world.player import AdventurePlayer
from .world.props import Prop, Speaker
from .world.story_progress import COIN

LEVELS = ("village", "dungeon", "mountain")

COLUMNS: Mapping[str, type] = {
    "hp": float, "coins": float, "aiming": bool, "special": bool, "cursor": str,
    "finished": bool, "flags": str, "items": str, "speaker": str,
    "held": float,
}  # fmt: skip
OUTCOMES: Mapping[str, OutcomeRule] = {
    "finished": "equal", "flags": "equal", "items": "includes", "coins": "noted",
}  # fmt: skip
"""Coins are only noted: what the demo left lying may be picked up."""


class AdventureGame(PadControlledGame, PlanDrivenAdventure):
    """An adventure, seeded, deterministic; all of it can be restored.

    Args:
        level: One of `LEVELS`, which a scripted person plays while nobody holds the pad, or a level
            that was read or made elsewhere, where nothing is touched then.
        seed: Decides where enemies come up and go, pop-ups, and which way blows throw.
        title: False begins behind the title screen.
        moved_actors: True puts people, signs, switches and shrines elsewhere, as the seed says.

    Raises:
        GameError: there is no such level, or its file is no level.
    """

    columns = COLUMNS
    outcomes = OUTCOMES

    def __init__(
        self,
        level: str | AdventureLevel = "village",
        *,
        seed: int | None = None,
        title: bool = True,
        moved_actors: bool = False,
    ) -> None:
        seed = SEED if seed is None else seed
        scripted_player = None
        if isinstance(level, str):
            if level not in LEVELS:
                raise GameError(f"arena:{level} is unknown: adventures are {', '.join(LEVELS)}")
            name, level = level, load_level(level_path(level))
            scripted_player = AdventureScriptedPlayer(load_script(script_path(name), level), seed)
        if moved_actors:
            level = with_moved_actors(level, seed)
        self._scripted_player = scripted_player
        self.adventure = Adventure(level, seed, scripted_player=scripted_player)
        if not title:
            self.adventure.menus.clear()
        self.name = self.adventure.game
        self.levels = tuple(level.areas)
        self.about: dict[str, Scalar] = {"game": self.name, "seed": seed}
        if moved_actors:
            self.about["moved_actors"] = True
        self.world = ArenaWorld(self.adventure)
        self.handlers = adventure_handlers(self.adventure)

    @property
    def steered(self) -> AdventurePlayer:
        return self.adventure.player

    def observe(self) -> Observation:
        adventure = self.adventure
        player, area_state, talk = adventure.player, adventure.area_state, adventure.talk
        story = adventure.story
        return Observation(
            (player.x, player.y, player.z),
            player.facing,
            (player.heading, player.pitch),
            message=talk is not None and talk.window,
            in_air=not player.grounded,
            can_jump=player.can_jump,
            level=area_state.area.name,
            event=adventure.event,
            screen=adventure.screen,
            field=adventure.field,
            dead=player.dead,
            finished=adventure.finished,
            enemies=tuple(map(_enemy_thing, area_state.enemies)),
            bosses=tuple(map(_enemy_thing, area_state.bosses)),
            items=tuple(
                ObservedEntity(treasure.item.kind, treasure.position, object=treasure.id)
                for treasure in area_state.treasures
            ),
            people=tuple(
                ObservedEntity(one.name, one.position, object=one.id)
                for one in (*area_state.speakers, *area_state.usable)
            ),
            extras={
                "hp": player.hp, "coins": float(adventure.coins), "aiming": player.aiming,
                "special": player.can_special, "cursor": adventure.selected,
                "finished": adventure.finished, "flags": ", ".join(sorted(story.flags)),
                "items": ", ".join(sorted(kind for kind in story.items if kind != COIN)),
                "speaker": adventure.speaker, "held": float(player.pad.held if player.pad else 0),
            },
        )  # fmt: skip

    def save(self, path: Path) -> None:
        write_saved(self.adventure.saved(), path)

    def load(self, path: Path) -> None:
        self.adventure.restore(read_saved(path, self.adventure.level, self.name))
        if self._scripted_player is not None:
            self._scripted_player.resume(self.adventure)


def adventure_handlers(adventure: Adventure) -> HandlerRegistry:
    """Handlers for the types of an adventure. They play views, nothing that is simulated."""
    registry = HandlerRegistry()
    body: dict[str, Any] = {"part": "view", "skeleton": "skeleton"}
    registry.register(
        "player", YardPlayerHandler(adventure.player, **body), channels=("animation",)
    )
    registry.register(
        "camera", CameraHandler(adventure.camera, part="view", names=(*_PLAIN, "fov"))
    )
    enemy = Enemy(0, "enemy", "enemy", (0.0, 0.0), 0.0, 1.0, 1.0, Zone((0.0, 0.0), (1.0, 1.0)))
    enemy.view.joints = adventure.player.view.joints
    for type in ("enemy", "boss", "follower"):
        registry.register(type, GuardHandler(enemy, **body), channels=("ai",))
    somebody = Speaker(0, Talker("somebody", (0.0, 0.0), 0.0, ()), Area("nowhere", (1.0, 1.0)))
    registry.register("person", SkeletalPoseHandler(somebody, **body), channels=("animation",))
    thing = Prop(0, "thing", "thing", (0.0, 0.0), 0.0)
    for type in ("sign", "door", "switch", "shrine", "boulder", "target", "item"):
        registry.register(
            type, FieldHandler(thing, part="view", names=_PLAIN), channels=("script",)
        )
    return registry


def _enemy_thing(enemy: Enemy) -> ObservedEntity:
    return ObservedEntity(enemy.label, (enemy.x, enemy.y, enemy.z), enemy.hp, enemy.id)


_PLAIN = ("position", "angles", "visible", "state", "hp")
