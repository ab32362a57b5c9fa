"""What comes of a pick in a window: the title, the game's menu, the debug menu, the shop."""

from ....errors import GameError
from ....playback.pad import Button
from .adventure_state import AdventureState
from .menu import DEBUG, LEAVE, MENU, POPUP, SHOP, TITLE, Menu, Pick
from .world.player import HEALTH
from .world.story_progress import COIN

NEW, CONTINUE = "new game", "continue"
RESUME, SAVE, LOAD, CHEATS, TO_TITLE = "resume", "save", "load", "debug", "title"
END_EVENT, HEAL = "end the event", "heal"


def title(quest: AdventureState) -> Menu:
    """The title screen, which Start leaves."""
    return Menu(TITLE, quest.level.name, closes=Button.START)


def game_menu() -> Menu:
    """What Start opens while one plays."""
    return Menu(MENU, "menu", (RESUME, SAVE, LOAD, CHEATS, TO_TITLE))


def shop(quest: AdventureState) -> Menu:
    """All that is sold."""
    return Menu(SHOP, "shop", tuple(goods.kind for goods in quest.level.goods))


def popup(text: str) -> Menu:
    """A window that comes up by itself."""
    return Menu(POPUP, text)


def press(quest: AdventureState, menu: Menu, pressed: int) -> None:
    """Hand the pad to the upper window, and do what was picked."""
    pick: Pick | None = LEAVE
    if menu.screen not in (MENU, DEBUG) or not pressed & Button.START:
        pick = menu.press(pressed)
    if pick is None:
        return
    if pick == LEAVE:
        quest.menus.pop()
        if menu.screen == TITLE and not menu.entries:
            quest.menus.append(Menu(TITLE, quest.level.name, (NEW, CONTINUE), closes=None))
    elif menu.screen == SHOP:
        _buy(quest, pick.entry)
    elif menu.screen == DEBUG:
        _cheat(quest, pick.entry)
    else:
        _choose(quest, pick.entry)


def _choose(quest: AdventureState, entry: str) -> None:
    """An entry of the title's or of the game's menu."""
    if entry == NEW:
        quest.restart()
    elif entry in (CONTINUE, LOAD):
        if quest.slot is None:
            quest.log("nothing was saved yet")
        else:
            quest.restore(quest.slot)
    elif entry == RESUME:
        quest.menus.pop()
    elif entry == SAVE:
        quest.menus.pop()
        try:
            quest.slot = quest.saved()
            quest.log("saved")
        except GameError as error:
            quest.log(str(error))
    elif entry == CHEATS:
        cheats = tuple(cheat.label for cheat in quest.level.debug)
        quest.menus.append(Menu(DEBUG, "debug", (*cheats, END_EVENT, HEAL)))
    elif entry == TO_TITLE:
        quest.menus[:] = [title(quest)]


def _cheat(quest: AdventureState, entry: str) -> None:
    """Force the story on."""
    if entry == END_EVENT:
        if quest.talk is not None:
            quest.talk.end()
    elif entry == HEAL:
        if not quest.hero.dead:
            quest.hero.hp = HEALTH
    else:
        effects = next(cheat.effects for cheat in quest.level.debug if cheat.label == entry)
        quest.change(effects)
    quest.menus.clear()
    quest.log(f"debug: {entry}")


def _buy(quest: AdventureState, kind: str) -> None:
    price = next(goods.price for goods in quest.level.goods if goods.kind == kind)
    if kind in quest.story.items:
        quest.log(f"{kind} is sold out")
    elif not quest.story.take(COIN, price):
        quest.log(f"{kind} costs {price}, there are {quest.coins}")
    else:
        quest.story.give(kind)
        quest.log(f"hero buys {kind} for {price}")
