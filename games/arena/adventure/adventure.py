"""An adventure: one player, areas with height, a story; seeded, stepped 60 times a second.

While a window is open (a menu, a pop-up, something that is said) the world stands still: the
player and its enemies wait, whatever is in the air comes down, and no time passes for what is
still to come.
"""

import hashlib
import math
import struct
from collections.abc import Callable
from random import Random
from typing import Protocol

import msgspec
import numpy as np

from ....errors import GameError
from ....playback.pad import NEUTRAL, Button, Pad, input_of
from ....recorder.statements.instrumentation import NULL_INSTRUMENTATION, Instrumentation
from ..animation.animation_tree import AnimationTreeState, walk_at
from ..animation.walk_animation import HUMAN, gait, pose
from ..entity import STEP, Entity, Walker, distance, pack_count, wrapped
from ..yaml_nodes import Point
from . import menu_actions as windows
from .debug_drawing import QuestDrawing
from .follow_camera import QuestCamera
from .menu import Menu
from .saved_game import SavedGame
from .world.area_state import AreaState
from .world.dialogue import Dialogue
from .world.enemy import Enemy
from .world.enemy_fsm import BLOW_REACH
from .world.level import Effects, Event, Level
from .world.player import HEALTH, QuestPlayer
from .world.player_actions import do
from .world.props import Speaker
from .world.story_progress import COIN, StoryProgress

SEED = 7
TOUCH, TALL = 0.8, 1.2
"""Metres, in the plane and in height, at which an item is taken."""
HEALS = {"apple": 30.0}
"""Kinds of items that are eaten at once, and how much health they give."""
KNOCK = 7.0
"""Metres a second that a blow throws the player."""
ASTRAY = 0.6
"""Radians that it may be thrown off the blow's line, either way."""


class Scripted(Protocol):
    """A scripted person, who plays while nobody holds the pad."""

    def pad(self, quest: "Quest") -> Pad:
        """What it holds down in this step."""

    def pack(self) -> bytes:
        """All that decides what it will press, as bytes."""


class Quest:
    """The game.

    Args:
        level: What is played.
        seed: Decides where enemies come up and go, pop-ups, and which way blows throw.
        person: Who plays while nobody holds the pad; without one nothing is touched.
    """

    def __init__(
        self, level: Level, seed: int = SEED, instruments: Instrumentation = NULL_INSTRUMENTATION,
        person: Scripted | None = None,
    ) -> None:  # fmt: skip
        self.level = level
        self.game = f"arena:{level.name}"
        self.seed = seed
        self.person = person
        self.tick = 0
        self.rng = Random(seed)
        self._ids = 0
        self.story = StoryProgress()
        self.hero = QuestPlayer(self._new_id(), level.start.at, level.start.facing)
        self.camera = QuestCamera(self._new_id(), self.hero)
        self.place: AreaState
        self.talk: Dialogue | None = None
        self.menus: list[Menu] = []
        """Windows that are open, the upper one last."""
        self.slot: SavedGame | None = None
        """The newest saved game of this run: what `continue` and `load` go on from."""
        self.finished = False
        self.kills = 0
        """Enemies that were defeated. It decides nothing."""
        self._listeners: list[Callable[[str, int], object]] = []
        self._popup = self._next_popup()
        """Seconds of play until the next pop-up."""
        self.entities: dict[int, Entity] = {}
        self.instruments = instruments
        self._drawing = QuestDrawing()
        self._animations = AnimationTreeState()
        self._mode = ""
        self._enter(level.start.area, level.start.at, level.start.facing)
        if level.title:
            self.menus.append(windows.title(self))
        self._show()

    # --- what others ask ------------------------------------------------------------------------

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
    def under(self) -> str:
        """What the cursor is on, in a menu or a question; empty without one."""
        if self.menus:
            return self.menus[-1].under
        question = self.talk.menu if self.talk is not None else None
        return question.under if question is not None else ""

    @property
    def coins(self) -> int:
        """How many are carried."""
        return self.story.items.get(COIN, 0)

    @property
    def field(self) -> str:
        """The boss's field that the player stands in; empty for none."""
        boss = self.place.area.boss
        return boss.name if boss is not None and boss.field.holds(*self.hero.at) else ""

    @property
    def live(self) -> bool:
        """Whether the world goes on: no window is open, and the player is alive and not done."""
        return not (self.menus or self.talk or self.hero.dead or self.finished)

    @property
    def mode(self) -> str:
        """What the pad is for just now, in a word."""
        if self.menus:
            return self.screen
        if self.talk is not None:
            return "talk"
        return "dead" if self.hero.dead else "finished" if self.finished else "play"

    def find(self, id: int) -> Entity | None:
        """The entity with this id, None if it is gone or never was."""
        return self.entities.get(id)

    def attach(self, instruments: Instrumentation) -> None:
        """Say everything to these from the next step on; names and present states at once."""
        self.instruments = instruments
        self._drawing = QuestDrawing()
        self._animations = AnimationTreeState()
        for entity in self.entities.values():
            self._introduce(entity)
        self._mode = ""
        self._tell_mode()

    def on_event(self, listener: Callable[[str, int], object]) -> Callable[[], None]:
        """Call this with whatever happens and the id of whom it happens to (0 for the player).

        Returns what ends that.
        """
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    def tell(self, event: str, object: int = 0) -> None:
        """Say to whoever listens what has happened."""
        for listener in tuple(self._listeners):
            listener(event, object)

    # --- saved games ----------------------------------------------------------------------------

    def saved(self) -> SavedGame:
        """A saved game of how things stand.

        Raises:
            GameError: it can't be saved just now.
        """
        if not (self.live and self.hero.grounded and self.hero.knocked <= 0.0):
            raise GameError(f"{self.game} can't be saved now: {self._why_not()}")
        return self._snapshot()

    def restore(self, saved: SavedGame) -> None:
        """Go on from a saved game; windows are closed."""
        self.story = saved.story()
        self._begin(saved.area, saved.at, saved.facing)
        self.hero.heading, self.hero.pitch = saved.camera
        self.hero.hp = saved.hp
        self.camera.jump(self.hero)
        self.slot = saved
        self._show()

    def _why_not(self) -> str:
        if self.mode != "play":
            return f"the game is at {self.mode!r}"
        return "the player is in the air, or knocked back"

    def _snapshot(self) -> SavedGame:
        hero, story = self.hero, self.story
        return SavedGame(
            self.game, self.place.area.name, hero.at, hero.facing, (hero.heading, hero.pitch),
            hero.hp, tuple(sorted(story.flags)), dict(sorted(story.items.items())),
            tuple(sorted(story.taken)),
        )  # fmt: skip

    # --- a step ---------------------------------------------------------------------------------

    def step(self, pad: Pad | None = None) -> None:
        """Advance 1/60 s. Without a pad the scripted person plays, if there is one."""
        self.tick += 1
        if pad is None:
            pad = self.person.pad(self) if self.person is not None else NEUTRAL
        if self.instruments is not NULL_INSTRUMENTATION:
            self.instruments.input("pad", input_of(pad), object=self.hero.id)
        pressed = self.hero.feel(pad)
        self._take_pad(pad, pressed)
        if self.live:
            self._run_world()
        else:
            self._hold_world()
        self.place.terrain.space.step(STEP)
        self._settle()
        self.camera.follow(self.hero)
        self._tell_mode()
        self._show()
        self._report()

    def state_hash(self) -> str:
        """A hash of the simulated state and of every view, equal in every process."""
        digest = hashlib.blake2b(digest_size=16)
        numbers = (self.tick, self._ids, self._popup, self.finished)
        digest.update(struct.pack("<2qd?", *numbers))
        digest.update(repr(self.rng.getstate()).encode())
        digest.update(self.story.pack())
        digest.update(self.place.pack())
        digest.update(b"-" if self.slot is None else msgspec.json.encode(self.slot))
        digest.update(self.talk.pack() if self.talk is not None else b"-")
        digest.update(pack_count(len(self.menus)))
        for menu in self.menus:
            digest.update(menu.pack())
        digest.update(self.person.pack() if self.person is not None else b"-")
        digest.update(pack_count(len(self.entities)))
        for entity in self.entities.values():
            digest.update(entity.pack())
            digest.update(entity.view.pack())
        return digest.hexdigest()

    def _take_pad(self, pad: Pad, pressed: int) -> None:
        """Give the pad to whatever has it."""
        if self.menus:
            self.hero.idle()
            windows.press(self, self.menus[-1], pressed)
        elif pressed & Button.START and not self.finished:
            self.hero.idle()
            self.menus.append(windows.game_menu())
        elif self.talk is not None:
            self.hero.idle()
            self.talk.step(pressed)
            if self.talk.over:
                self._end_event(self.talk)
        elif self.finished:
            self.hero.idle()
        else:
            do(self, self.hero.control(pad, pressed))

    def _run_world(self) -> None:
        now, hero, place = self.time, self.hero, self.place
        hero.recover()
        for foe in place.spawn(now, hero.at, self.rng):
            self._add(foe)
        for foe in place.foes:
            if foe.thinks(self.tick):
                decision = foe.think(now, hero, place.terrain)
                if decision is not None:
                    decision.trace(
                        self.instruments, foe.id, "enemy", foe.mood.value, decision.target.value,
                        values=decision.facts._asdict(), beliefs=foe.beliefs(hero.id),
                    )  # fmt: skip
                    if foe.heed(decision, now):
                        self._blow(foe)
            foe.act(self.rng, place.terrain)
        popups = self.level.popups
        if popups is None:
            return
        self._popup -= STEP
        if self._popup <= 0.0 and hero.grounded and hero.knocked <= 0.0 and self.live:
            self._popup = self._next_popup()
            self.menus.append(windows.popup(self.rng.choice(popups.texts)))

    def _hold_world(self) -> None:
        place = self.place
        for foe in place.foes:
            # What will happen happens that much later.
            foe.since += STEP
            foe.seen += STEP
            if not foe.carried():
                foe.push(0.0, 0.0)
        place.coming = [(when + STEP, spawner) for when, spawner in place.coming]
        speaker = self._speaker()
        if speaker is not None:
            away = (self.hero.x - speaker.at[0], self.hero.y - speaker.at[1])
            speaker.turn_to(math.atan2(away[1], away[0]))

    def _settle(self) -> None:
        """Fall, land, burn, take what is touched, and walk out."""
        hero, place = self.hero, self.place
        if hero.settle(place.terrain):
            self.tell("landed")
        if place.terrain.lava(hero.at, hero.z) and not hero.dead:
            hero.hp = 0.0
            self._die("lava")
        for foe in list(place.foes):
            foe.settle(place.terrain)
            if place.terrain.lava(foe.at, foe.z):
                self.hurt(foe, foe.hp)
        if not self.live:
            return
        for treasure in place.treasures:
            near = distance(treasure.at, hero.at) <= TOUCH
            if near and abs(treasure.z - hero.z) <= TALL:
                self._pick(treasure.item.name, treasure.item.kind)
                self.tell("taken", treasure.id)
        self._heed_story()
        for way in place.area.exits:
            if hero.grounded and way.zone.holds(*hero.at) and self.story.meets(way.needs):
                self._enter(way.to, way.arrive, way.facing)
                self.slot = self._snapshot()
                break

    # --- what happens ---------------------------------------------------------------------------

    def talk_to(self, speaker: Speaker) -> None:
        """Begin the first of its events whose needs hold."""
        for name in speaker.talker.says:
            event = self.level.events[name]
            if self.story.meets(event.needs):
                self._begin_event(event, speaker)
                return
        self.log(f"{speaker.name} has nothing to say")

    def hurt(self, foe: Enemy, damage: float) -> None:
        """Take health from an enemy; without any it is gone."""
        foe.hp = max(0.0, foe.hp - damage)
        if foe.hp > 0.0:
            return
        self.place.remove(foe)
        self.forget(foe)
        self.kills += 1
        self.log(f"{foe.name} is defeated", foe.id)
        self.tell("destroyed", foe.id)
        boss = self.place.area.boss
        if boss is not None and foe.type != "enemy" and not self.place.bosses:
            self.story.set(boss.sets)
            self.instruments.mark("boss defeated", boss.name, object=self.hero.id)

    def forget(self, entity: Entity) -> None:
        """It is not there any more."""
        del self.entities[entity.id]

    def finish(self) -> None:
        """The game has come to its good end."""
        if not self.finished:
            self.finished = True
            self.instruments.mark("finished", self.level.name, object=self.hero.id)

    def change(self, effects: Effects) -> None:
        """Change the story, and what follows from it."""
        self.story.apply(effects)
        self._heed_story()

    def log(self, text: str, object: int = 0) -> None:
        """Say what happened, of the player unless told otherwise."""
        self.instruments.log(text, object=object or self.hero.id, channel="script")

    def _blow(self, foe: Enemy) -> None:
        """An enemy's blow lands, or goes past."""
        hero = self.hero
        if not foe.reaches(hero, BLOW_REACH) or not hero.suffer(foe.damage):
            return
        away = math.atan2(hero.y - foe.y, hero.x - foe.x)
        hero.bounce(wrapped(away + self.rng.uniform(-ASTRAY, ASTRAY)), KNOCK)
        self.log(f"{foe.name} hits the hero for {foe.damage:g}")
        if hero.dead:
            self._die(foe.name)

    def _die(self, why: str) -> None:
        self.instruments.mark("hero died", why, object=self.hero.id)

    def _pick(self, name: str, kind: str) -> None:
        self.story.pick(self.place.area.name, name, kind)
        if kind in HEALS:
            self.story.take(kind)
            self.hero.hp = min(HEALTH, self.hero.hp + HEALS[kind])
        self.log(f"hero takes {name}")

    # --- events and windows ---------------------------------------------------------------------

    def _begin_event(self, event: Event, speaker: Speaker) -> None:
        self.talk = Dialogue(event, speaker.id)
        speaker.state = "talks"
        self.hero.aiming = False
        self.instruments.mark("event begins", event.id, object=self.hero.id)

    def _end_event(self, talk: Dialogue) -> None:
        speaker = self._speaker()
        if speaker is not None:
            speaker.state = "waits"
        self.talk = None
        event = talk.event
        self.story.apply(event.effects)
        if talk.answer is not None:
            self.story.apply(talk.answer.effects)
        answer = f" ({talk.answer.label})" if talk.answer is not None else ""
        self.instruments.mark("event ends", event.id + answer, object=self.hero.id)
        self._heed_story()
        self.tell("talked", talk.speaker)
        if event.shop:
            self.menus.append(windows.shop(self))
        if event.ends:
            self.finish()

    def _speaker(self) -> Speaker | None:
        id = self.talk.speaker if self.talk is not None else 0
        return next((speaker for speaker in self.place.speakers if speaker.id == id), None)

    def _next_popup(self) -> float:
        popups = self.level.popups
        return 0.0 if popups is None else self.rng.uniform(*popups.every)

    def restart(self) -> None:
        """Begin a new game."""
        self.story = StoryProgress()
        start = self.level.start
        self._begin(start.area, start.at, start.facing)

    # --- going from place to place --------------------------------------------------------------

    def _begin(self, area: str, at: Point, facing: float) -> None:
        """Be there with nothing open, alive and well."""
        self.talk, self.finished = None, False
        self.menus.clear()
        old = self.hero
        hero = QuestPlayer(old.id, at, facing)
        hero.view, hero.pad, hero.down = old.view, old.pad, old.down
        if hasattr(self, "place"):
            self.place.terrain.space.remove(old.body, old.shape)
        self.hero = hero
        self._move_in(area, at, facing)

    def _enter(self, area: str, at: Point, facing: float) -> None:
        """Walk into an area."""
        if hasattr(self, "place"):
            self.place.terrain.space.remove(self.hero.body, self.hero.shape)
        self._move_in(area, at, facing)
        self.instruments.mark("level", area, object=self.hero.id)
        self.tell("entered")

    def _move_in(self, area: str, at: Point, facing: float) -> None:
        self.place = AreaState(
            self.level.areas[area], self.story, self.rng, self._new_id, self.time
        )
        hero, terrain = self.hero, self.place.terrain
        terrain.space.add(hero.body, hero.shape)
        hero.stand(at, terrain)
        hero.facing, hero.jumps, hero.aiming = facing, 2, False
        self.camera.jump(hero)
        self.entities = {hero.id: hero, self.camera.id: self.camera}
        for entity in (hero, self.camera, *self.place.entities):
            self._add(entity)
        self._heed_story()

    def _heed_story(self) -> None:
        """Have the place look as the story wants it."""
        self.place.heed(self.story)
        there = {treasure.id for treasure in self.place.treasures}
        gone = [e.id for e in self.entities.values() if e.type == "item" and e.id not in there]
        for id in gone:
            del self.entities[id]
        for treasure in self.place.treasures:
            if treasure.id not in self.entities:
                self._add(treasure)

    def _add(self, entity: Entity) -> None:
        self.entities[entity.id] = entity
        self._introduce(entity)

    def _introduce(self, entity: Entity) -> None:
        self.instruments.name(entity.id, entity.name)
        if isinstance(entity, Enemy):
            mood = entity.mood.value
            self.instruments.trace.state(entity.id, "enemy", "", mood, won="is there")

    def _new_id(self) -> int:
        self._ids += 1
        return self._ids

    # --- what is to be seen ---------------------------------------------------------------------

    def _show(self) -> None:
        """Write every view."""
        walkers: list[Walker] = [self.hero, *self.place.foes]
        walk = walk_at(np.array([walker.speed for walker in walkers]))
        phase = np.array([walker.phase for walker in walkers])
        lift = np.array([walker.lift for walker in walkers])
        slump = np.zeros(len(walkers))
        slump[0] = 1.0 if self.hero.dead else 0.0
        self.posed = (*walk, slump)
        """How far each clip of the walk counts for the player and each enemy, in their order."""
        matrices = pose(HUMAN, gait(phase, walk, lift, slump))
        for index, walker in enumerate((self.hero, *self.place.foes)):
            view = walker.view
            view.position = (walker.x, walker.y, walker.z)
            view.angles = (0.0, 0.0, walker.facing)
            view.hp = walker.hp
            view.joints = matrices[index, : walker.joints]
            view.state = walker.mood.value if isinstance(walker, Enemy) else self.hero.state
        for prop in self.place.props:
            prop.show()
        self.camera.show(self.hero)

    def _tell_mode(self) -> None:
        mode = self.mode
        if mode != self._mode:
            won = self.event or self.screen or mode
            self.instruments.trace.state(self.hero.id, "pad", self._mode, mode, won=won)
            self._mode = mode

    def _report(self) -> None:
        """Draw, watch and check; reads only, so that it may as well be left out."""
        if self.instruments is not NULL_INSTRUMENTATION:
            self._drawing.draw(self, self.instruments, self._animations)
