"""An adventure: one player, areas with height, a story; seeded, stepped 60 times a second.

While a window is open (a menu, a pop-up, a dialogue) the world is paused: the
player and its enemies wait, whatever is in the air comes down, and no time passes for what is
still to come.
"""

import hashlib
import math
import struct
from typing import Protocol

import msgspec

from ....decision_rules import hooks_on
from ....playback.pads.pad import NEUTRAL, Button, Pad, input_of
from ....recorder.statements.instrumentation_interface import NULL_INSTRUMENTATION, Instrumentation
from ..animation.animation_tree import AnimationTreeWriter
from ..entity import STEP, distance, pack_count, wrapped
from . import menu_actions as menu_actions
from .adventure_state import AdventureState
from .debug_drawing import AdventureDrawing
from .world.dialogue import Dialogue
from .world.enemy import Enemy
from .world.enemy_fsm import BLOW_REACH
from .world.enemy_fsm import MAKER as ENEMY_MAKER
from .world.level import AdventureLevel
from .world.player import HEALTH
from .world.player_actions import perform_action

SEED = 7
TOUCH, TALL = 0.8, 1.2
"""Metres, in the plane and in height, at which an item is taken."""
HEALS = {"apple": 30.0}
"""Kinds of items that are eaten at once, and how much health they give."""
KNOCK = 7.0
"""Metres a second that a blow throws the player."""
ASTRAY = 0.6
"""Radians that it may be thrown off the blow's line, either way."""


class PadSource(Protocol):
    """A scripted player: plays while no tool or person holds the pad."""

    def pad(self, adventure: AdventureState) -> Pad:
        """What it holds down in this step."""

    def pack(self) -> bytes:
        """All that decides what it will press, as bytes."""


class Adventure(AdventureState):
    """The game: its state, advanced step by step.

    Args:
        level: What is played.
        seed: Decides where enemies come up and go, pop-ups, and which way blows throw.
        scripted_player: Plays while no one holds the pad; without one no button is pressed.
    """

    def __init__(
        self, level: AdventureLevel, seed: int = SEED,
        instruments: Instrumentation = NULL_INSTRUMENTATION,
        scripted_player: PadSource | None = None,
    ) -> None:  # fmt: skip
        super().__init__(level, seed, instruments)
        self.scripted_player = scripted_player
        self._popup = self._next_popup()
        """Seconds of play until the next pop-up."""
        self._drawing = AdventureDrawing()
        self._animations = AnimationTreeWriter()
        self._mode = ""
        self._enter(level.start.area, level.start.at, level.start.facing)
        if level.title:
            self.menus.append(menu_actions.title(self))
        self._write_views()

    def attach(self, instruments: Instrumentation) -> None:
        """Write traces to these from the next step on; names and present states at once."""
        self.instruments = instruments
        self._drawing = AdventureDrawing()
        self._animations = AnimationTreeWriter()
        for entity in self.entities.values():
            self._introduce(entity)
        self._mode = ""
        self._trace_mode()

    # --- a step ---------------------------------------------------------------------------------

    def step(self, pad: Pad | None = None) -> None:
        """Advance 1/60 s. Without a pad the scripted person plays, if there is one."""
        self.tick += 1
        if pad is None:
            pad = self.scripted_player.pad(self) if self.scripted_player is not None else NEUTRAL
        if self.instruments is not NULL_INSTRUMENTATION:
            self.instruments.input("pad", input_of(pad), object=self.player.id)
        pressed = self.player.read_pad(pad)
        self._take_pad(pad, pressed)
        if self.is_running:
            self._run_world()
        else:
            self._pause_world()
        self.area_state.terrain.space.step(STEP)
        self._after_physics()
        self.camera.follow(self.player)
        self._trace_mode()
        self._write_views()
        self._write_traces()

    def state_hash(self) -> str:
        """A hash of the simulated state and of every view, equal in every process."""
        digest = hashlib.blake2b(digest_size=16)
        numbers = (self.tick, self._ids, self._popup, self.finished)
        digest.update(struct.pack("<2qd?", *numbers))
        digest.update(repr(self.rng.getstate()).encode())
        digest.update(self.story.pack())
        digest.update(self.area_state.pack())
        digest.update(b"-" if self.saved_game is None else msgspec.json.encode(self.saved_game))
        digest.update(self.talk.pack() if self.talk is not None else b"-")
        digest.update(pack_count(len(self.menus)))
        for menu in self.menus:
            digest.update(menu.pack())
        digest.update(self.scripted_player.pack() if self.scripted_player is not None else b"-")
        digest.update(pack_count(len(self.entities)))
        for entity in self.entities.values():
            digest.update(entity.pack())
            digest.update(entity.view.pack())
        return digest.hexdigest()

    def _take_pad(self, pad: Pad, pressed: int) -> None:
        """Hand the pad to a window, a dialogue or the player."""
        if self.menus:
            self.player.idle()
            menu_actions.press(self, self.menus[-1], pressed)
        elif pressed & Button.START and not self.finished:
            self.player.idle()
            self.menus.append(menu_actions.game_menu())
        elif self.talk is not None:
            self.player.idle()
            self.talk.step(pressed)
            if self.talk.over:
                self._end_event(self.talk)
        elif self.finished:
            self.player.idle()
        else:
            perform_action(self, self.player.control(pad, pressed))

    def _run_world(self) -> None:
        now, player, area_state = self.time, self.player, self.area_state
        player.recover()
        for enemy in area_state.spawn(now, player.at, self.rng):
            self._add(enemy)
        for enemy in area_state.all_enemies:
            if enemy.thinks(self.tick):
                hooks = hooks_on(self.instruments, enemy.id, "enemy")
                decision = enemy.think(now, player, area_state.terrain, hooks)
                if self.instruments is not NULL_INSTRUMENTATION:
                    facts = enemy.facts(now, player)
                    self.instruments.trace.decision(
                        enemy.id, "enemy", {**facts._asdict(), "state": enemy.state.value},
                        "" if decision is None else decision.target.value,
                        won="" if decision is None else decision.won, maker=ENEMY_MAKER,
                    )  # fmt: skip
                if decision is not None:
                    decision.trace(
                        self.instruments, enemy.id, "enemy", enemy.state.value,
                        decision.target.value, values=decision.facts._asdict(),
                        beliefs=enemy.beliefs(player.id),
                    )  # fmt: skip
                    if enemy.apply(decision, now):
                        self._blow(enemy)
            enemy.act(self.rng, area_state.terrain)
        popups = self.level.popups
        if popups is None:
            return
        self._popup -= STEP
        if self._popup <= 0.0 and player.grounded and player.knocked <= 0.0 and self.is_running:
            self._popup = self._next_popup()
            self.menus.append(menu_actions.popup(self.rng.choice(popups.texts)))

    def _pause_world(self) -> None:
        area_state = self.area_state
        for enemy in area_state.all_enemies:
            # What will happen happens that much later.
            enemy.since += STEP
            enemy.seen += STEP
            if not enemy.carried():
                enemy.push(0.0, 0.0)
        area_state.coming = [(when + STEP, spawner) for when, spawner in area_state.coming]
        speaker = self._speaker()
        if speaker is not None:
            away = (self.player.x - speaker.at[0], self.player.y - speaker.at[1])
            speaker.turn_to(math.atan2(away[1], away[0]))

    def _after_physics(self) -> None:
        """Fall, land, burn, take what is touched, and walk out."""
        player, area_state = self.player, self.area_state
        if player.settle(area_state.terrain):
            self.notify("landed")
        if area_state.terrain.lava(player.at, player.z) and not player.dead:
            player.hp = 0.0
            self._die("lava")
        for enemy in list(area_state.all_enemies):
            enemy.settle(area_state.terrain)
            if area_state.terrain.lava(enemy.at, enemy.z):
                self.hurt(enemy, enemy.hp)
        if not self.is_running:
            return
        for treasure in area_state.treasures:
            near = distance(treasure.at, player.at) <= TOUCH
            if near and abs(treasure.z - player.z) <= TALL:
                self._pick(treasure.item.name, treasure.item.kind)
                self.notify("taken", treasure.id)
        self._apply_story()
        for way in area_state.area.exits:
            if player.grounded and way.zone.holds(*player.at) and self.story.meets(way.needs):
                self._enter(way.to, way.arrive, way.facing)
                self.saved_game = self._snapshot()
                break

    # --- what happens ---------------------------------------------------------------------------

    def _blow(self, enemy: Enemy) -> None:
        """An enemy's blow lands, or goes past."""
        player = self.player
        if not enemy.reaches(player, BLOW_REACH) or not player.take_damage(enemy.damage):
            return
        away = math.atan2(player.y - enemy.y, player.x - enemy.x)
        player.bounce(wrapped(away + self.rng.uniform(-ASTRAY, ASTRAY)), KNOCK)
        self.log(f"{enemy.name} hits the hero for {enemy.damage:g}")
        if player.dead:
            self._die(enemy.name)

    def _die(self, why: str) -> None:
        self.instruments.mark("hero died", why, object=self.player.id)

    def _pick(self, name: str, kind: str) -> None:
        self.story.pick(self.area_state.area.name, name, kind)
        if kind in HEALS:
            self.story.take(kind)
            self.player.hp = min(HEALTH, self.player.hp + HEALS[kind])
        self.log(f"hero takes {name}")

    # --- events and windows ---------------------------------------------------------------------

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
        self.instruments.mark("event ends", event.id + answer, object=self.player.id)
        self._apply_story()
        self.notify("talked", talk.speaker)
        if event.shop:
            self.menus.append(menu_actions.shop(self))
        if event.ends:
            self.finish()

    def _next_popup(self) -> float:
        popups = self.level.popups
        return 0.0 if popups is None else self.rng.uniform(*popups.every)

    # --- traces ---------------------------------------------------------------------------------

    def _trace_mode(self) -> None:
        mode = self.mode
        if mode != self._mode:
            won = self.event or self.screen or mode
            self.instruments.trace.state(self.player.id, "pad", self._mode, mode, won=won)
            self._mode = mode

    def _write_traces(self) -> None:
        """Draw, watch and check; reads only, so that it may as well be left out."""
        if self.instruments is not NULL_INSTRUMENTATION:
            self._drawing.draw(self, self.instruments, self._animations)
