"""The windows of an adventure and their entries: title, game menu, debug menu, shop."""

from ....errors import GameError
from ....playback.pads.pad import Button
from .adventure_state import AdventureState
from .menu import DEBUG, LEAVE, MENU, POPUP, SHOP, TITLE, Menu, Pick
from .world.player import HEALTH
from .world.story_progress import COIN

NEW, CONTINUE = "new game", "continue"
RESUME, SAVE, LOAD, CHEATS, TO_TITLE = "resume", "save", "load", "debug", "title"
END_EVENT, HEAL = "end the event", "heal"


def title(adventure: AdventureState) -> Menu:
    """The title screen, which Start leaves."""
    return Menu(TITLE, adventure.level.name, closes=Button.START)


def game_menu() -> Menu:
    """What Start opens while one plays."""
    return Menu(MENU, "menu", (RESUME, SAVE, LOAD, CHEATS, TO_TITLE))


def shop(adventure: AdventureState) -> Menu:
    """All that is sold."""
    return Menu(SHOP, "shop", tuple(goods.kind for goods in adventure.level.goods))


def popup(text: str) -> Menu:
    """A window that comes up by itself."""
    return Menu(POPUP, text)


def press(adventure: AdventureState, menu: Menu, pressed: int) -> None:
    """Hand the pad to the upper window, and carry out the picked entry."""
    pick: Pick | None = LEAVE
    if menu.screen not in (MENU, DEBUG) or not pressed & Button.START:
        pick = menu.press(pressed)
    if pick is None:
        return
    if menu.screen == POPUP or (menu.screen == TITLE and pick.entry in ("", NEW)):
        adventure.notify("dismissed")
    if pick == LEAVE:
        adventure.menus.pop()
        if menu.screen == TITLE and not menu.entries:
            adventure.menus.append(Menu(TITLE, adventure.level.name, (NEW, CONTINUE), closes=None))
    elif menu.screen == SHOP:
        _buy(adventure, pick.entry)
    elif menu.screen == DEBUG:
        _cheat(adventure, pick.entry)
    else:
        _choose(adventure, pick.entry)


def _choose(adventure: AdventureState, entry: str) -> None:
    """An entry of the title's or of the game's menu."""
    if entry == NEW:
        adventure.restart()
    elif entry in (CONTINUE, LOAD):
        if adventure.saved_game is None:
            adventure.log("nothing was saved yet")
        else:
            adventure.restore(adventure.saved_game)
    elif entry == RESUME:
        adventure.menus.pop()
    elif entry == SAVE:
        adventure.menus.pop()
        try:
            adventure.saved_game = adventure.saved()
            adventure.log("saved")
        except GameError as error:
            adventure.log(str(error))
    elif entry == CHEATS:
        cheats = tuple(cheat.label for cheat in adventure.level.debug)
        adventure.menus.append(Menu(DEBUG, "debug", (*cheats, END_EVENT, HEAL)))
    elif entry == TO_TITLE:
        adventure.menus[:] = [title(adventure)]


def _cheat(adventure: AdventureState, entry: str) -> None:
    """Force the story on."""
    if entry == END_EVENT:
        if adventure.talk is not None:
            adventure.talk.end()
    elif entry == HEAL:
        if not adventure.player.dead:
            adventure.player.hp = HEALTH
    else:
        effects = next(cheat.effects for cheat in adventure.level.debug if cheat.label == entry)
        adventure.change(effects)
    adventure.menus.clear()
    adventure.log(f"debug: {entry}")


def _buy(adventure: AdventureState, kind: str) -> None:
    price = next(goods.price for goods in adventure.level.goods if goods.kind == kind)
    if kind in adventure.story.items:
        adventure.log(f"{kind} is sold out")
    elif not adventure.story.take(COIN, price):
        adventure.log(f"{kind} costs {price}, there are {adventure.coins}")
    else:
        adventure.story.give(kind)
        adventure.log(f"hero buys {kind} for {price}")
        adventure.notify(f"bought {kind}")
