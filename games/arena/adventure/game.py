"""`arena:village`, `arena:dungeon`: an adventure as a game to run, to play and to save."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ....errors import GameError
from ....handlers.camera_handler import CameraHandler
from ....handlers.field_handler import FieldHandler
from ....handlers.handler_registry import HandlerRegistry
from ....handlers.model_handler import ModelHandler
from ....recorder.statements.instrumentation import Scalar
from ...playable import Observation, Thing
from ..arena_world import ArenaWorld
from ..character_handlers import GuardHandler, YardPlayerHandler
from ..pad_controlled_game import PadControlledGame
from .adventure import SEED, Quest
from .plans.plan_driven_quest import PlanDrivenQuest
from .saved_game import read_saved, write_saved
from .scripted.player_script import load_script, script_path
from .scripted.scripted_player import ScriptedPlayer
from .world.enemy import Enemy
from .world.level import Area, Level, Talker, Zone
from .world.level_loader import level_path, load_level
from .world.player import QuestPlayer
from .world.props import Prop, Speaker

LEVELS = ("village", "dungeon")

COLUMNS: Mapping[str, type] = {
    "hp": float, "coins": float, "aiming": bool, "special": bool, "cursor": str,
    "finished": bool,
}  # fmt: skip


class QuestGame(PadControlledGame, PlanDrivenQuest):
    """An adventure, seeded, deterministic; all of it can be restored.

    Args:
        level: One of `LEVELS`, which a scripted person plays while nobody holds the pad, or a level
            that was read or made elsewhere, where nothing is touched then.
        seed: Decides where enemies come up and go, pop-ups, and which way blows throw.
        title: False begins behind the title screen.

    Raises:
        GameError: there is no such level, or its file is no level.
    """

    columns = COLUMNS

    def __init__(
        self, level: str | Level = "village", *, seed: int | None = None, title: bool = True
    ) -> None:
        seed = SEED if seed is None else seed
        person = None
        if isinstance(level, str):
            if level not in LEVELS:
                raise GameError(f"arena:{level} is unknown: adventures are {', '.join(LEVELS)}")
            name, level = level, load_level(level_path(level))
            person = ScriptedPlayer(load_script(script_path(name), level), seed)
        self._person = person
        self.quest = Quest(level, seed, person=person)
        if not title:
            self.quest.menus.clear()
        self.name = self.quest.game
        self.about: dict[str, Scalar] = {"game": self.name, "seed": seed}
        self.world = ArenaWorld(self.quest)
        self.handlers = quest_handlers(self.quest)

    @property
    def steered(self) -> QuestPlayer:
        return self.quest.hero

    def observe(self) -> Observation:
        quest = self.quest
        hero, place, talk = quest.hero, quest.place, quest.talk
        return Observation(
            (hero.x, hero.y, hero.z),
            hero.facing,
            (hero.heading, hero.pitch),
            message=talk is not None and talk.window,
            in_air=not hero.grounded,
            can_jump=hero.can_jump,
            level=place.area.name,
            event=quest.event,
            screen=quest.screen,
            field=quest.field,
            dead=hero.dead,
            finished=quest.finished,
            enemies=tuple(map(_foe, place.enemies)),
            bosses=tuple(map(_foe, place.bosses)),
            items=tuple(
                Thing(treasure.item.kind, treasure.position, object=treasure.id)
                for treasure in place.treasures
            ),
            extras={
                "hp": hero.hp, "coins": float(quest.coins), "aiming": hero.aiming,
                "special": hero.can_special, "cursor": quest.under,
                "finished": quest.finished,
            },
        )  # fmt: skip

    def save(self, path: Path) -> None:
        write_saved(self.quest.saved(), path)

    def load(self, path: Path) -> None:
        self.quest.restore(read_saved(path, self.quest.level, self.name))
        if self._person is not None:
            self._person.resume(self.quest)


def quest_handlers(quest: Quest) -> HandlerRegistry:
    """Handlers for the types of an adventure. They play views, nothing that is simulated."""
    registry = HandlerRegistry()
    body: dict[str, Any] = {"part": "view", "skeleton": "skeleton"}
    registry.register("player", YardPlayerHandler(quest.hero, **body), channels=("animation",))
    registry.register("camera", CameraHandler(quest.camera, part="view", names=(*_PLAIN, "fov")))
    foe = Enemy(0, "enemy", "enemy", (0.0, 0.0), 0.0, 1.0, 1.0, Zone((0.0, 0.0), (1.0, 1.0)))
    foe.view.joints = quest.hero.view.joints
    for type in ("enemy", "boss", "follower"):
        registry.register(type, GuardHandler(foe, **body), channels=("ai",))
    somebody = Speaker(0, Talker("somebody", (0.0, 0.0), 0.0, ()), Area("nowhere", (1.0, 1.0)))
    registry.register("person", ModelHandler(somebody, **body), channels=("animation",))
    thing = Prop(0, "thing", "thing", (0.0, 0.0), 0.0)
    for type in ("sign", "door", "switch", "shrine", "boulder", "target", "item"):
        registry.register(
            type, FieldHandler(thing, part="view", names=_PLAIN), channels=("script",)
        )
    return registry


def _foe(foe: Enemy) -> Thing:
    return Thing(foe.label, (foe.x, foe.y, foe.z), foe.hp, foe.id)


_PLAIN = ("position", "angles", "visible", "state", "hp")
