"""A scripted player who knows an adventure and plays it to its end with a pad.

It looks at the game as one looks at the screen, and touches nothing but the pad: it pauses, reads,
pushes no stick quite straight, fights what comes too near, and goes on from the newest saved game
when it has died. No two seeds play alike.
"""

import math
from collections.abc import Callable, Sequence
from random import Random

from .....playback.pads.pad import NEUTRAL, Button, Pad
from ...entity import distance
from ...yaml_nodes import Point
from .. import menu as screens
from ..adventure_state import AdventureState
from ..menu import Menu
from ..saved_game import SavedGame
from ..world.enemy import Enemy
from ..world.enemy_fsm import EnemyState
from ..world.player import TRIGGER
from ..world.props import Device, Prop
from .humanlike_input import HumanInput
from .navigator import GOING, LOST, THERE, Navigator
from .player_script_loader import PlayerScript, ScriptStep

ALARM = 3.2
"""Metres at which an enemy that is after the player is fought."""
ARM = 1.5
"""Metres at which it strikes."""
CROWD = 2.6
"""Metres in which two enemies are worth the special move."""
TOUCHING = 0.5
SPEAKING = 1.4
"""Metres from which people and things are faced."""
FACING = math.radians(14)
AIMING = math.radians(4)
TURN = 0.19
"""How far the stick is pushed to turn on the spot."""
PAUSE = (0.1, 0.7)
"""Seconds between two things that are done."""
MANY = 12
"""How often something is tried that doesn't work before it is left."""


class AdventureScriptedPlayer:
    """Plays a script. Chance is its own: the game's is not touched.

    Args:
        seed: Of how it plays.
    """

    def __init__(self, script: PlayerScript, seed: int) -> None:
        self.script = script
        self._rng = Random(f"person/{seed}")
        self._input = HumanInput(self._rng)
        self._navigator = Navigator(self._rng, self._input)
        self.at = 0
        """Which of the script's errands is next, counted from 0."""
        self._saved_at: tuple[SavedGame | None, int] = (None, 0)
        """The newest saved game, and the errand that was next when it was made."""
        self._wait = 40
        """Steps of doing nothing."""
        self._attempts = 0
        self._talked_to = ""
        """The partner of the conversation for the present errand."""
        self._last_page = ""
        """What was read last."""
        self._verb_methods: dict[str, Callable[[AdventureState, ScriptStep], str]] = {
            "walk": self._walk, "jump": self._jump, "talk": self._talk, "buy": self._buy,
            "take": self._take, "use": self._use, "shatter": self._shatter, "shoot": self._shoot,
            "fight": self._fight,
        }  # fmt: skip

    @property
    def script_step(self) -> ScriptStep | None:
        """What it is about; None at the end of the script."""
        return self.script.steps[self.at] if self.at < len(self.script.steps) else None

    def resume(self, adventure: AdventureState) -> None:
        """A saved game was loaded: it is about what the story leaves to do from there."""
        area = adventure.area_state.area.name
        self.at = self.script.reached(adventure.level, adventure.story, area)
        self._saved_at = (adventure.saved_game, self.at)
        self._attempts, self._talked_to = 0, ""
        self._navigator.rest()

    def pad(self, adventure: AdventureState) -> Pad:
        """What it holds down in this step."""
        if adventure.saved_game is not self._saved_at[0]:
            self._saved_at = (adventure.saved_game, self.at)
        if adventure.finished:
            return NEUTRAL
        if self._wait > 0:
            self._wait -= 1
        elif adventure.menus:
            self._window(adventure, adventure.menus[-1])
        elif adventure.talk is not None:
            self._listen(adventure)
        elif adventure.player.dead:
            self._navigator.rest()
            if self._input.tap(Button.START):
                self._pause((0.4, 0.9))
        else:
            self._play(adventure)
        return self._input.pad()

    def pack(self) -> bytes:
        """All that decides what it will press, as bytes."""
        state = (
            self.at, self._saved_at[1], self._wait, self._attempts, self._talked_to,
            self._last_page, self._rng.getstate(),
        )  # fmt: skip
        return repr(state).encode() + self._input.pack() + self._navigator.pack()

    # --- playing --------------------------------------------------------------------------------

    def _play(self, adventure: AdventureState) -> None:
        player, step = adventure.player, self.script_step
        if player.aiming and (step is None or step.verb != "shoot"):
            self._input.tap(TRIGGER)
            return
        if not self._navigator.leaping and player.grounded:
            enemy = self._threat(adventure)
            if enemy is not None:
                self._strike(adventure, enemy)
                return
        if step is None:
            return
        if step.area != adventure.area_state.area.name:
            self._travel(adventure, step.area)
            return
        done = self._verb_methods[step.verb](adventure, step)
        if done == THERE or self._attempts > MANY:
            self._next()
        elif done == LOST:
            self._back()

    def _next(self) -> None:
        self.at += 1
        self._attempts, self._talked_to = 0, ""
        self._navigator.rest()
        self._pause(PAUSE)

    def _back(self) -> None:
        """There is no way: do again what led to where the way began."""
        self._navigator.rest()
        self._pause((0.5, 1.0))
        steps = self.script.steps
        for before in range(self.at - 1, -1, -1):
            if steps[before].area != steps[self.at].area:
                return
            if steps[before].verb in ("walk", "jump"):
                self.at = before
                return

    def _travel(self, adventure: AdventureState, area: str) -> None:
        """Walk out of this area into another."""
        for way in adventure.area_state.area.exits:
            if way.to == area:
                if self._navigator.go(adventure, way.zone.at, 0.4) == LOST:
                    self._back()
                return

    def _pause(self, seconds: tuple[float, float]) -> None:
        self._wait = round(60 * self._rng.uniform(*seconds))

    # --- what can be done -----------------------------------------------------------------------

    def _walk(self, adventure: AdventureState, step: ScriptStep) -> str:
        return self._navigator.go(adventure, step.at, TOUCHING, run=step.run)

    def _jump(self, adventure: AdventureState, step: ScriptStep) -> str:
        return self._navigator.jump(adventure, step.start, step.at, step.run_up, step.run)

    def _talk(self, adventure: AdventureState, step: ScriptStep) -> str:
        if self._talked_to == step.what:
            return THERE
        (speaker,) = (one for one in adventure.area_state.speakers if one.name == step.what)
        return self._before(adventure, speaker, Button.A)

    def _buy(self, adventure: AdventureState, step: ScriptStep) -> str:
        """The shop is not open: the item was bought, or the seller is asked again."""
        if step.what in adventure.story.items:
            return THERE
        self.at -= 1
        return GOING

    def _take(self, adventure: AdventureState, step: ScriptStep) -> str:
        for treasure in adventure.area_state.treasures:
            if treasure.name == step.what:
                return self._near(adventure, treasure)
        return THERE

    def _near(self, adventure: AdventureState, thing: Prop) -> str:
        arrived = self._navigator.go(adventure, thing.at, TOUCHING, off=1.0)
        return GOING if arrived == THERE else arrived

    def _use(self, adventure: AdventureState, step: ScriptStep) -> str:
        device = self._device(adventure, step.what)
        if device is None or device.state == "on":
            return THERE
        return self._before(adventure, device, Button.Y)

    def _shatter(self, adventure: AdventureState, step: ScriptStep) -> str:
        device = self._device(adventure, step.what)
        if device is None:
            return THERE
        arrived = self._navigator.go(adventure, device.at, 2.2, off=1.0)
        if arrived == THERE and adventure.player.can_special and self._input.tap(Button.UP):
            self._attempts += 1
            return GOING
        return GOING if arrived == THERE else arrived

    def _shoot(self, adventure: AdventureState, step: ScriptStep) -> str:
        player, device = adventure.player, self._device(adventure, step.what)
        if device is None:
            return THERE
        if not player.aiming:
            arrived = self._navigator.go(adventure, step.start, TOUCHING)
            if arrived == THERE and self._input.tap(TRIGGER):
                self._pause((0.3, 0.6))
            return GOING if arrived == THERE else arrived
        if self._faces(adventure, device.at, AIMING) and player.rest <= 0.0:
            self._attempts += self._input.tap(Button.X)
        return GOING

    def _before(self, adventure: AdventureState, prop: Prop, button: Button) -> str:
        """Go in front of a character or a thing, look at it, and press a button."""
        arrived = self._navigator.go(adventure, prop.at, SPEAKING, level=prop.z, off=1.0)
        if arrived == THERE and self._faces(adventure, prop.at, FACING) and self._input.tap(button):
            self._attempts += 1
            self._pause((0.2, 0.4))
        return GOING if arrived == THERE else arrived

    def _device(self, adventure: AdventureState, name: str) -> Device | None:
        devices = adventure.area_state.devices
        return next((device for device in devices if device.name == name), None)

    def _faces(self, adventure: AdventureState, at: Point, off: float) -> bool:
        """Whether the player looks there; else it is turned."""
        player = adventure.player
        if player.angle_off_front(at) <= off:
            return True
        self._input.push(math.atan2(at[1] - player.y, at[0] - player.x), TURN, sure=True)
        return False

    # --- fighting -------------------------------------------------------------------------------

    def _threat(self, adventure: AdventureState) -> Enemy | None:
        """The nearest enemy that must be fought now."""
        player = adventure.player
        near = [
            enemy for enemy in adventure.area_state.all_enemies
            if enemy.state is not EnemyState.WANDER and distance(enemy.at, player.at) <= ALARM
            and abs(enemy.z - player.z) <= 1.0
        ]  # fmt: skip
        return min(near, key=lambda enemy: distance(enemy.at, player.at), default=None)

    def _fight(self, adventure: AdventureState, step: ScriptStep) -> str:
        area_state = adventure.area_state
        boss = area_state.area.boss
        if boss is not None and boss.name == step.what:
            enemies: Sequence[Enemy] = area_state.bosses
        else:
            enemies = [one for one in area_state.all_enemies if one.label == step.what]
        at = adventure.player.at
        enemy = min(enemies, key=lambda enemy: distance(enemy.at, at), default=None)
        return THERE if enemy is None else self._strike(adventure, enemy)

    def _strike(self, adventure: AdventureState, enemy: Enemy) -> str:
        player, human_input = adventure.player, self._input
        enemies = adventure.area_state.all_enemies
        around = [one for one in enemies if distance(one.at, player.at) <= CROWD]
        if len(around) > 1 and player.can_special and human_input.tap(Button.UP):
            return GOING
        away = distance(enemy.at, player.at)
        if away > ARM:
            return self._navigator.go(adventure, enemy.at, ARM - 0.1, level=enemy.z, off=1.0)
        self._navigator.rest()
        if self._faces(adventure, enemy.at, math.radians(35)) and player.rest <= 0.0:
            human_input.tap(Button.X)
        return GOING

    # --- windows --------------------------------------------------------------------------------

    def _window(self, adventure: AdventureState, menu: Menu) -> None:
        """A screen has the pad."""
        self._navigator.rest()
        if menu.screen == screens.TITLE:
            entry = "continue" if adventure.saved_game is not None else "new game"
            if menu.entries and menu.selected == "new game" and entry == menu.selected:
                self.at = 0
            self._pick(menu, entry, Button.START)
        elif menu.screen == screens.SHOP:
            self._shop(adventure, menu)
        elif menu.screen == screens.MENU and adventure.player.dead:
            entry = "load" if adventure.saved_game is not None else "title"
            self.at = self._saved_at[1]
            self._pick(menu, entry, Button.B)
        else:
            self._pick(menu, "", Button.B)

    def _shop(self, adventure: AdventureState, menu: Menu) -> None:
        """Buy what the script says, piece by piece, and leave."""
        step = self.script_step
        if step is not None and step.verb == "talk" and self._talked_to == step.what:
            self._next()
            step = self.script_step
        if step is None or step.verb != "buy":
            self._pick(menu, "", Button.B)
        elif step.what in adventure.story.items or self._attempts > MANY:
            self._next()
        else:
            self._attempts += self._pick(menu, step.what, Button.B)

    def _pick(self, menu: Menu, entry: str, leaves: Button) -> bool:
        """Move the cursor to an entry and press A; leave a menu that doesn't have it."""
        if entry not in menu.entries:
            button = leaves
        elif menu.selected == entry:
            button = Button.A
        else:
            down = menu.entries.index(entry) > menu.cursor
            button = Button.DOWN if down else Button.UP
        if not self._input.tap(button):
            return False
        self._pause((0.25, 0.6))
        return button is Button.A

    def _listen(self, adventure: AdventureState) -> None:
        """Read the page and turn it, or answer."""
        talk, step = adventure.talk, self.script_step
        self._navigator.rest()
        if talk is None:
            return
        speaker = adventure.find(talk.speaker)
        if speaker is not None:
            self._talked_to = speaker.name
        if talk.menu is not None:
            wished = step.answers if step is not None else ()
            offered = talk.menu.entries
            answer = next((one for one in wished if one in offered), offered[0])
            self._pick(talk.menu, answer, Button.A)
        elif talk.window:
            if talk.text != self._last_page:
                self._last_page = talk.text
                self._pause((0.3 + 0.008 * len(talk.text), 0.7 + 0.016 * len(talk.text)))
            else:
                self._input.tap(Button.A)
