"""Windows with a cursor: whatever is pressed, the cursor is on an entry."""

from hypothesis import given
from hypothesis import strategies as st

from playhead.games.arena.adventure.menu import LEAVE, Menu, Pick
from playhead.playback.pads.pad import Button

PRESSES = st.lists(
    st.sampled_from([0, Button.UP, Button.DOWN, Button.LEFT, Button.X, Button.Y, Button.LB])
)
NAMES = st.lists(st.text(min_size=1, max_size=8), min_size=1, max_size=6, unique=True)


@given(NAMES, PRESSES)
def test_a_cursor_goes_up_and_down_and_stays_on_an_entry(names, presses):
    menu, at = Menu("menu", "m", tuple(names)), 0
    for pressed in presses:
        assert menu.press(int(pressed)) is None
        at += (pressed == Button.DOWN) - (pressed == Button.UP)
        at = min(max(at, 0), len(names) - 1)
        assert menu.selected == names[at]
    assert menu.press(Button.A) == Pick(names[at])


@given(NAMES, PRESSES)
def test_b_leaves_wherever_the_cursor_is(names, presses):
    menu = Menu("shop", "s", tuple(names))
    for pressed in presses:
        menu.press(int(pressed))
    assert menu.press(Button.B) == LEAVE


def test_what_has_no_entries_can_only_be_closed():
    menu = Menu("popup", "hello")
    assert menu.selected == ""
    assert menu.press(Button.A | Button.DOWN | Button.START) is None
    assert menu.press(Button.B) == LEAVE


def test_a_question_can_not_be_left():
    menu = Menu("", "really?", ("no", "yes"), closes=None)
    assert menu.press(Button.B) is None
    assert menu.press(Button.DOWN | Button.A) == Pick("yes")


def test_two_menus_that_differ_pack_differently():
    menus = [Menu("shop", "s", ("a", "b")), Menu("shop", "s", ("a", "c")), Menu("shop", "s")]
    moved = Menu("shop", "s", ("a", "b"))
    moved.press(Button.DOWN)
    assert len({menu.pack() for menu in (*menus, moved)}) == 4
