"""Title screens, menus and pop-ups that are driven by rules."""

from playhead.agents.playthrough.dialogue.screen_skipper import ScreenDriver
from playhead.agents.playthrough.playthrough_settings import parse_settings
from playhead.playback.pads.pad import Button

from ..rows import seen

SETTINGS = parse_settings("""
orders:
  period: 3
  patience: 20
  rules:
    - {screen: title, press: [START, A]}
    - {screen: popup, press: [B], popup: true}
    - {screen: loading, press: []}
""").orders


def driven(order: ScreenDriver, *screens: str) -> list[int | None]:
    pads = [order.step(seen(screen=screen)) for screen in screens]
    return [None if pad is None else pad.held for pad in pads]


def test_the_buttons_of_a_screen_are_pressed_one_after_the_other():
    held = driven(ScreenDriver(SETTINGS), *["title"] * 7)
    assert held == [Button.START, 0, 0, Button.A, 0, 0, Button.START]


def test_without_a_screen_the_pad_is_not_taken():
    order = ScreenDriver(SETTINGS)
    assert driven(order, "", "title", "", "shop") == [None, Button.START, None, None]
    assert order.driven == 1


def test_each_screen_begins_with_its_first_button():
    held = driven(ScreenDriver(SETTINGS), "title", "title", "title", "title", "popup", "title")
    assert held[3:] == [Button.A, Button.B, Button.START]


def test_in_the_playback_only_pop_ups_are_closed():
    assert driven(ScreenDriver(SETTINGS, popups=True), "title", "popup") == [None, Button.B]


def test_a_screen_may_be_waited_for():
    assert driven(ScreenDriver(SETTINGS), "loading", "loading") == [0, 0]


def test_screens_that_never_end_are_noticed():
    order = ScreenDriver(SETTINGS)
    driven(order, *["title"] * 20)
    assert not order.exhausted
    driven(order, "title")
    assert order.exhausted
    driven(order, "")
    assert not order.exhausted
