"""A scripted person who plays an adventure to its end with a pad, as somebody does who knows it.

It looks at the game as one looks at the screen, and touches nothing but the pad: it pauses, reads,
pushes no stick quite straight, fights what comes too near, and goes on from the newest saved game
when it has died. No two seeds play alike.
"""

import math
from collections.abc import Callable, Sequence
from random import Random

from .....playback.pad import NEUTRAL, Button, Pad
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
from .human_input import HumanInput
from .navigator import GOING, LOST, THERE, Navigator
from .player_script import PlayerScript, ScriptStep

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


class ScriptedPlayer:
    """Plays a script. Chance is its own: the game's is not touched.

    Args:
        seed: Of how it plays.
    """

    def __init__(self, script: PlayerScript, seed: int) -> None:
        self.script = script
        self._rng = Random(f"person/{seed}")
        self._hands = HumanInput(self._rng)
        self._legs = Navigator(self._rng, self._hands)
        self.at = 0
        """Which of the script's errands is next, counted from 0."""
        self._kept: tuple[SavedGame | None, int] = (None, 0)
        """The newest saved game, and the errand that was next when it was made."""
        self._wait = 40
        """Steps of doing nothing."""
        self._tried = 0
        self._heard = ""
        """Who was talked to for the present errand."""
        self._page = ""
        """What was read last."""
        self._ways: dict[str, Callable[[AdventureState, ScriptStep], str]] = {
            "walk": self._walk, "jump": self._jump, "talk": self._talk, "buy": self._buy,
            "take": self._take, "use": self._use, "shatter": self._shatter, "shoot": self._shoot,
            "fight": self._fight,
        }  # fmt: skip

    @property
    def errand(self) -> ScriptStep | None:
        """What it is about; None at the end of the script."""
        return self.script.errands[self.at] if self.at < len(self.script.errands) else None

    def resume(self, quest: AdventureState) -> None:
        """A saved game was loaded: it is about what the story leaves to do from there."""
        self.at = self.script.reached(quest.level, quest.story, quest.place.area.name)
        self._kept = (quest.slot, self.at)
        self._tried, self._heard = 0, ""
        self._legs.rest()

    def pad(self, quest: AdventureState) -> Pad:
        """What it holds down in this step."""
        if quest.slot is not self._kept[0]:
            self._kept = (quest.slot, self.at)
        if quest.finished:
            return NEUTRAL
        if self._wait > 0:
            self._wait -= 1
        elif quest.menus:
            self._window(quest, quest.menus[-1])
        elif quest.talk is not None:
            self._listen(quest)
        elif quest.hero.dead:
            self._legs.rest()
            if self._hands.tap(Button.START):
                self._pause((0.4, 0.9))
        else:
            self._play(quest)
        return self._hands.pad()

    def pack(self) -> bytes:
        """All that decides what it will press, as bytes."""
        state = (
            self.at, self._kept[1], self._wait, self._tried, self._heard, self._page,
            self._rng.getstate(),
        )  # fmt: skip
        return repr(state).encode() + self._hands.pack() + self._legs.pack()

    # --- playing --------------------------------------------------------------------------------

    def _play(self, quest: AdventureState) -> None:
        hero, errand = quest.hero, self.errand
        if hero.aiming and (errand is None or errand.verb != "shoot"):
            self._hands.tap(TRIGGER)
            return
        if not self._legs.leaping and hero.grounded:
            foe = self._threat(quest)
            if foe is not None:
                self._strike(quest, foe)
                return
        if errand is None:
            return
        if errand.area != quest.place.area.name:
            self._travel(quest, errand.area)
            return
        done = self._ways[errand.verb](quest, errand)
        if done == THERE or self._tried > MANY:
            self._next()
        elif done == LOST:
            self._back()

    def _next(self) -> None:
        self.at += 1
        self._tried, self._heard = 0, ""
        self._legs.rest()
        self._pause(PAUSE)

    def _back(self) -> None:
        """There is no way: do again what led to where the way began."""
        self._legs.rest()
        self._pause((0.5, 1.0))
        errands = self.script.errands
        for before in range(self.at - 1, -1, -1):
            if errands[before].area != errands[self.at].area:
                return
            if errands[before].verb in ("walk", "jump"):
                self.at = before
                return

    def _travel(self, quest: AdventureState, area: str) -> None:
        """Walk out of this area into another."""
        for way in quest.place.area.exits:
            if way.to == area:
                if self._legs.go(quest, way.zone.at, 0.4) == LOST:
                    self._back()
                return

    def _pause(self, seconds: tuple[float, float]) -> None:
        self._wait = round(60 * self._rng.uniform(*seconds))

    # --- what can be done -----------------------------------------------------------------------

    def _walk(self, quest: AdventureState, errand: ScriptStep) -> str:
        return self._legs.go(quest, errand.at, TOUCHING, run=errand.run)

    def _jump(self, quest: AdventureState, errand: ScriptStep) -> str:
        return self._legs.jump(quest, errand.start, errand.at, errand.run_up, errand.run)

    def _talk(self, quest: AdventureState, errand: ScriptStep) -> str:
        if self._heard == errand.what:
            return THERE
        (speaker,) = (one for one in quest.place.speakers if one.name == errand.what)
        return self._before(quest, speaker, Button.A)

    def _buy(self, quest: AdventureState, errand: ScriptStep) -> str:
        """The shop is not open: what is wanted was bought, or whoever sells is asked again."""
        if errand.what in quest.story.items:
            return THERE
        self.at -= 1
        return GOING

    def _take(self, quest: AdventureState, errand: ScriptStep) -> str:
        for treasure in quest.place.treasures:
            if treasure.name == errand.what:
                return self._near(quest, treasure)
        return THERE

    def _near(self, quest: AdventureState, thing: Prop) -> str:
        arrived = self._legs.go(quest, thing.at, TOUCHING, off=1.0)
        return GOING if arrived == THERE else arrived

    def _use(self, quest: AdventureState, errand: ScriptStep) -> str:
        device = self._device(quest, errand.what)
        if device is None or device.state == "on":
            return THERE
        return self._before(quest, device, Button.Y)

    def _shatter(self, quest: AdventureState, errand: ScriptStep) -> str:
        device = self._device(quest, errand.what)
        if device is None:
            return THERE
        arrived = self._legs.go(quest, device.at, 2.2, off=1.0)
        if arrived == THERE and quest.hero.can_special and self._hands.tap(Button.UP):
            self._tried += 1
            return GOING
        return GOING if arrived == THERE else arrived

    def _shoot(self, quest: AdventureState, errand: ScriptStep) -> str:
        hero, device = quest.hero, self._device(quest, errand.what)
        if device is None:
            return THERE
        if not hero.aiming:
            arrived = self._legs.go(quest, errand.start, TOUCHING)
            if arrived == THERE and self._hands.tap(TRIGGER):
                self._pause((0.3, 0.6))
            return GOING if arrived == THERE else arrived
        if self._faces(quest, device.at, AIMING) and hero.rest <= 0.0:
            self._tried += self._hands.tap(Button.X)
        return GOING

    def _before(self, quest: AdventureState, prop: Prop, button: Button) -> str:
        """Stand before somebody or something, look at it, and press a button."""
        arrived = self._legs.go(quest, prop.at, SPEAKING, level=prop.z, off=1.0)
        if arrived == THERE and self._faces(quest, prop.at, FACING) and self._hands.tap(button):
            self._tried += 1
            self._pause((0.2, 0.4))
        return GOING if arrived == THERE else arrived

    def _device(self, quest: AdventureState, name: str) -> Device | None:
        return next((device for device in quest.place.devices if device.name == name), None)

    def _faces(self, quest: AdventureState, at: Point, off: float) -> bool:
        """Whether the player looks there; else it is turned."""
        hero = quest.hero
        if hero.off_front(at) <= off:
            return True
        self._hands.push(math.atan2(at[1] - hero.y, at[0] - hero.x), TURN, sure=True)
        return False

    # --- fighting -------------------------------------------------------------------------------

    def _threat(self, quest: AdventureState) -> Enemy | None:
        """The nearest enemy that must be fought now."""
        hero = quest.hero
        near = [
            foe for foe in quest.place.foes
            if foe.mood is not EnemyState.WANDER and distance(foe.at, hero.at) <= ALARM
            and abs(foe.z - hero.z) <= 1.0
        ]  # fmt: skip
        return min(near, key=lambda foe: distance(foe.at, hero.at), default=None)

    def _fight(self, quest: AdventureState, errand: ScriptStep) -> str:
        boss = quest.place.area.boss
        if boss is not None and boss.name == errand.what:
            foes: Sequence[Enemy] = quest.place.bosses
        else:
            foes = [foe for foe in quest.place.foes if foe.label == errand.what]
        foe = min(foes, key=lambda foe: distance(foe.at, quest.hero.at), default=None)
        return THERE if foe is None else self._strike(quest, foe)

    def _strike(self, quest: AdventureState, foe: Enemy) -> str:
        hero, hands = quest.hero, self._hands
        around = [one for one in quest.place.foes if distance(one.at, hero.at) <= CROWD]
        if len(around) > 1 and hero.can_special and hands.tap(Button.UP):
            return GOING
        away = distance(foe.at, hero.at)
        if away > ARM:
            return self._legs.go(quest, foe.at, ARM - 0.1, level=foe.z, off=1.0)
        self._legs.rest()
        if self._faces(quest, foe.at, math.radians(35)) and hero.rest <= 0.0:
            hands.tap(Button.X)
        return GOING

    # --- windows --------------------------------------------------------------------------------

    def _window(self, quest: AdventureState, menu: Menu) -> None:
        """A screen has the pad."""
        self._legs.rest()
        if menu.screen == screens.TITLE:
            wanted = "continue" if quest.slot is not None else "new game"
            if menu.entries and menu.under == "new game" and wanted == menu.under:
                self.at = 0
            self._pick(menu, wanted, Button.START)
        elif menu.screen == screens.SHOP:
            self._shop(quest, menu)
        elif menu.screen == screens.MENU and quest.hero.dead:
            wanted = "load" if quest.slot is not None else "title"
            self.at = self._kept[1]
            self._pick(menu, wanted, Button.B)
        else:
            self._pick(menu, "", Button.B)

    def _shop(self, quest: AdventureState, menu: Menu) -> None:
        """Buy what the script says, piece by piece, and leave."""
        errand = self.errand
        if errand is not None and errand.verb == "talk" and self._heard == errand.what:
            self._next()
            errand = self.errand
        if errand is None or errand.verb != "buy":
            self._pick(menu, "", Button.B)
        elif errand.what in quest.story.items or self._tried > MANY:
            self._next()
        else:
            self._tried += self._pick(menu, errand.what, Button.B)

    def _pick(self, menu: Menu, entry: str, leaves: Button) -> bool:
        """Move the cursor to an entry and press A; leave a menu that doesn't have it."""
        if entry not in menu.entries:
            button = leaves
        elif menu.under == entry:
            button = Button.A
        else:
            down = menu.entries.index(entry) > menu.cursor
            button = Button.DOWN if down else Button.UP
        if not self._hands.tap(button):
            return False
        self._pause((0.25, 0.6))
        return button is Button.A

    def _listen(self, quest: AdventureState) -> None:
        """Read the page and turn it, or answer."""
        talk, errand = quest.talk, self.errand
        self._legs.rest()
        if talk is None:
            return
        speaker = quest.find(talk.speaker)
        if speaker is not None:
            self._heard = speaker.name
        if talk.menu is not None:
            wished = errand.answers if errand is not None else ()
            offered = talk.menu.entries
            answer = next((one for one in wished if one in offered), offered[0])
            self._pick(talk.menu, answer, Button.A)
        elif talk.window:
            if talk.text != self._page:
                self._page = talk.text
                self._pause((0.3 + 0.008 * len(talk.text), 0.7 + 0.016 * len(talk.text)))
            else:
                self._hands.tap(Button.A)
