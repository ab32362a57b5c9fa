"""The state of an adventure, and what changes it: talk, damage, another area."""

from collections.abc import Callable
from random import Random

import numpy as np

from ....errors import GameError
from ....recorder.statements.instrumentation_interface import Instrumentation
from ..animation.animation_tree import walk_at
from ..animation.walk_animation import HUMAN, gait, pose
from ..entity import STEP, Character, Entity
from ..top_down_picture import DOOR, EXIT, LAVA, PIT, RAISED, WALL, GroundBlock, GroundPlan
from ..yaml_nodes import Point
from .follow_camera import FollowCamera
from .menu import Menu
from .saved_game import SavedGame
from .world.current_area import AreaState
from .world.dialogue import Dialogue
from .world.enemy import Enemy
from .world.level import AdventureLevel, Effects, LevelEvent
from .world.player import AdventurePlayer
from .world.props import Speaker
from .world.story_progress import COIN, StoryProgress

_DOWN = {False: PIT, True: LAVA}
"""The colour of a pit, by whether it is of lava."""
USED = 6
"""Ticks for which it is told what was used: three rows of a demo."""


class AdventureState:
    """Player, area, story and windows. Nothing here advances time."""

    def __init__(self, level: AdventureLevel, seed: int, instruments: Instrumentation) -> None:
        self.level = level
        self.game = f"arena:{level.name}"
        self.seed = seed
        self.tick = 0
        self.rng = Random(seed)
        self._ids = 0
        self.story = StoryProgress()
        self.player = AdventurePlayer(self._new_id(), level.start.at, level.start.facing)
        self.camera = FollowCamera(self._new_id(), self.player)
        self.area_state: AreaState
        self.talk: Dialogue | None = None
        self.menus: list[Menu] = []
        """Windows that are open, the upper one last."""
        self.saved_game: SavedGame | None = None
        """The newest saved game of this run: what `continue` and `load` go on from."""
        self._used = "", -USED
        """What was used last, and when."""
        self.finished = False
        self.kills = 0
        """Enemies that were defeated. It decides nothing."""
        self._listeners: list[Callable[[str, int], object]] = []
        self.entities: dict[int, Entity] = {}
        self.instruments = instruments
        self._area_blocks: tuple[str, tuple[GroundBlock, ...]] = ("", ())
        """The area that was drawn last, from above, without its doors."""

    # --- queries --------------------------------------------------------------------------------

    @property
    def plan(self) -> GroundPlan:
        """The present area as it is seen from above."""
        area = self.area_state.area
        if self._area_blocks[0] != area.name:
            self._area_blocks = (
                area.name,
                (
                    *(GroundBlock(pit.at, pit.size, _DOWN[pit.lava]) for pit in area.pits),
                    *(GroundBlock(floor.at, floor.size, RAISED) for floor in area.floors),
                    *(GroundBlock(way.zone.at, way.zone.size, EXIT) for way in area.exits),
                    *(GroundBlock(wall.at, wall.size, WALL) for wall in area.walls),
                ),
            )
        doors = (
            GroundBlock(gate.at, gate.door.size, DOOR)
            for gate in self.area_state.gates
            if gate.state == "closed"
        )
        return GroundPlan(area.size, (*self._area_blocks[1], *doors))

    @property
    def time(self) -> float:
        """Game time in seconds: the steps done so far."""
        return self.tick * STEP

    @property
    def screen(self) -> str:
        """The window that has the whole pad; empty for none."""
        return self.menus[-1].screen if self.menus else ""

    @property
    def event(self) -> str:
        """The id of the event that is played; empty for none."""
        return self.talk.event.id if self.talk is not None else ""

    @property
    def speaker(self) -> str:
        """The name of the partner of the conversation, of the text, or of what was just used;
        empty for none."""
        speaker = self._speaker()
        if speaker is not None:
            return speaker.name
        name, tick = self._used
        return name if self.tick < tick + USED else ""

    def note_use(self, name: str) -> None:
        """The player has used a switch or a shrine."""
        self._used = name, self.tick

    @property
    def selected(self) -> str:
        """What the cursor is on, in a menu or a question; empty without one."""
        if self.menus:
            return self.menus[-1].selected
        question = self.talk.menu if self.talk is not None else None
        return question.selected if question is not None else ""

    @property
    def coins(self) -> int:
        """How many are carried."""
        return self.story.items.get(COIN, 0)

    @property
    def field(self) -> str:
        """The boss's field that the player is in; empty for none."""
        boss = self.area_state.area.boss
        return boss.name if boss is not None and boss.field.holds(*self.player.at) else ""

    @property
    def is_running(self) -> bool:
        """Whether the world goes on: no window is open, and the player is alive and not done."""
        return not (self.menus or self.talk or self.player.dead or self.finished)

    @property
    def mode(self) -> str:
        """What the pad is for just now, in a word."""
        if self.menus:
            return self.screen
        if self.talk is not None:
            return "talk"
        return "dead" if self.player.dead else "finished" if self.finished else "play"

    def find(self, id: int) -> Entity | None:
        """The entity with this id, None if it is gone or never was."""
        return self.entities.get(id)

    def on_event(self, listener: Callable[[str, int], object]) -> Callable[[], None]:
        """Call this with each event and the id of the object that it happens to (0: the player).

        Returns what ends that.
        """
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def notify(self, event: str, object: int = 0) -> None:
        """Call the listeners."""
        for listener in tuple(self._listeners):
            listener(event, object)

    # --- saved games ----------------------------------------------------------------------------

    def saved(self) -> SavedGame:
        """A saved game of the present state.

        Raises:
            GameError: it can't be saved just now.
        """
        if not (self.is_running and self.player.grounded and self.player.knocked <= 0.0):
            raise GameError(f"{self.game} can't be saved now: {self._why_not()}")
        return self._snapshot()

    def restore(self, saved: SavedGame) -> None:
        """Go on from a saved game; windows are closed."""
        self.story = saved.story()
        self._begin(saved.area, saved.at, saved.facing)
        self.player.heading, self.player.pitch = saved.camera
        self.player.hp = saved.hp
        self.camera.jump(self.player)
        self.saved_game = saved
        self._write_views()

    def _why_not(self) -> str:
        if self.mode != "play":
            return f"the game is at {self.mode!r}"
        return "the player is in the air, or knocked back"

    def _snapshot(self) -> SavedGame:
        player, story = self.player, self.story
        return SavedGame(
            self.game, self.area_state.area.name, player.at, player.facing,
            (player.heading, player.pitch), player.hp, tuple(sorted(story.flags)),
            dict(sorted(story.items.items())), tuple(sorted(story.taken)),
        )  # fmt: skip

    # --- what happens ---------------------------------------------------------------------------

    def talk_to(self, speaker: Speaker) -> None:
        """Begin the first of its events whose needs hold."""
        for name in speaker.talker.says:
            event = self.level.events[name]
            if self.story.meets(event.needs):
                self._begin_event(event, speaker)
                return
        self.log(f"{speaker.name} has nothing to say")

    def hurt(self, enemy: Enemy, damage: float) -> None:
        """Take health from an enemy; without any it is gone."""
        enemy.hp = max(0.0, enemy.hp - damage)
        if enemy.hp > 0.0:
            return
        self.area_state.remove(enemy)
        self.forget(enemy)
        self.kills += 1
        self.log(f"{enemy.name} is defeated", enemy.id)
        self.notify("destroyed", enemy.id)
        boss = self.area_state.area.boss
        if boss is not None and enemy.type != "enemy" and not self.area_state.bosses:
            self.story.set(boss.sets)
            self.instruments.mark("boss defeated", boss.name, object=self.player.id)

    def forget(self, entity: Entity) -> None:
        """It is not there any more."""
        del self.entities[entity.id]

    def finish(self) -> None:
        """The game has come to its good end."""
        if not self.finished:
            self.finished = True
            self.instruments.mark("finished", self.level.name, object=self.player.id)

    def change(self, effects: Effects) -> None:
        """Change the story, and what follows from it."""
        self.story.apply(effects)
        self._apply_story()

    def log(self, text: str, object: int = 0) -> None:
        """Log what happened, about the player by default."""
        self.instruments.log(text, object=object or self.player.id, channel="script")

    def _begin_event(self, event: LevelEvent, speaker: Speaker) -> None:
        self.talk = Dialogue(event, speaker.id)
        speaker.state = "talks"
        self.player.aiming = False
        self.instruments.mark("event begins", event.id, object=self.player.id)

    def _speaker(self) -> Speaker | None:
        id = self.talk.speaker if self.talk is not None else 0
        return next((speaker for speaker in self.area_state.speakers if speaker.id == id), None)

    def restart(self) -> None:
        """Begin a new game."""
        self.story = StoryProgress()
        start = self.level.start
        self._begin(start.area, start.at, start.facing)

    # --- changing areas -------------------------------------------------------------------------

    def _begin(self, area: str, at: Point, facing: float) -> None:
        """Be there with nothing open, alive and well."""
        self.talk, self.finished = None, False
        self.menus.clear()
        old = self.player
        player = AdventurePlayer(old.id, at, facing)
        player.view, player.pad, player.down = old.view, old.pad, old.down
        if hasattr(self, "area_state"):
            self.area_state.terrain.space.remove(old.body, old.shape)
        self.player = player
        self._move_in(area, at, facing)

    def _enter(self, area: str, at: Point, facing: float) -> None:
        """Walk into an area."""
        if hasattr(self, "area_state"):
            self.area_state.terrain.space.remove(self.player.body, self.player.shape)
        self._move_in(area, at, facing)
        self.instruments.mark("level", area, object=self.player.id)
        self.notify("entered")

    def _move_in(self, area: str, at: Point, facing: float) -> None:
        self.area_state = AreaState(
            self.level.areas[area], self.story, self.rng, self._new_id, self.time
        )
        player, terrain = self.player, self.area_state.terrain
        terrain.space.add(player.body, player.shape)
        player.stand(at, terrain)
        player.facing, player.jumps, player.aiming = facing, 2, False
        self.camera.jump(player)
        self.entities = {player.id: player, self.camera.id: self.camera}
        for entity in (player, self.camera, *self.area_state.entities):
            self._add(entity)
        self._apply_story()

    def _apply_story(self) -> None:
        """Bring the area to the state that the story asks for."""
        self.area_state.apply_story(self.story)
        there = {treasure.id for treasure in self.area_state.treasures}
        gone = [e.id for e in self.entities.values() if e.type == "item" and e.id not in there]
        for id in gone:
            del self.entities[id]
        for treasure in self.area_state.treasures:
            if treasure.id not in self.entities:
                self._add(treasure)

    def _add(self, entity: Entity) -> None:
        self.entities[entity.id] = entity
        self._introduce(entity)

    def _introduce(self, entity: Entity) -> None:
        self.instruments.name(entity.id, entity.name)
        if isinstance(entity, Enemy):
            state = entity.state.value
            self.instruments.trace.state(entity.id, "enemy", "", state, won="is there")

    def _new_id(self) -> int:
        self._ids += 1
        return self._ids

    # --- views ----------------------------------------------------------------------------------

    def _write_views(self) -> None:
        """Write every view."""
        walkers: list[Character] = [self.player, *self.area_state.all_enemies]
        walk = walk_at(np.array([walker.speed for walker in walkers]))
        phase = np.array([walker.phase for walker in walkers])
        lift = np.array([walker.lift for walker in walkers])
        slump = np.zeros(len(walkers))
        slump[0] = 1.0 if self.player.dead else 0.0
        self.posed = (*walk, slump)
        """How far each clip of the walk counts for the player and each enemy, in their order."""
        matrices = pose(HUMAN, gait(phase, walk, lift, slump))
        for index, walker in enumerate((self.player, *self.area_state.all_enemies)):
            view = walker.view
            view.position = (walker.x, walker.y, walker.z)
            view.angles = (0.0, 0.0, walker.facing)
            view.hp = walker.hp
            view.joints = matrices[index, : walker.joints]
            view.state = walker.state.value if isinstance(walker, Enemy) else self.player.state
        for prop in self.area_state.props:
            prop.show()
        self.camera.show(self.player)
