"""The story: flags and items, and conditions on them."""

from hypothesis import given
from hypothesis import strategies as st

from playhead.games.arena.adventure.world.level import Effects, Need
from playhead.games.arena.adventure.world.story_progress import StoryProgress


def test_conditions_ask_for_flags_and_items_and_for_their_lack():
    story = StoryProgress()
    flag, lamp, dark = Need("asked"), Need("lamp", item=True), Need("lamp", True, False)
    assert story.lacking((flag, lamp, dark)) == (flag, lamp)
    story.apply(Effects(sets=("asked",), gives=("lamp",)))
    assert story.lacking((flag, lamp, dark)) == (dark,)
    assert story.meets((flag, lamp))
    assert [str(need) for need in (flag, lamp, dark)] == ["asked", "has lamp", "not has lamp"]


def test_a_flag_is_no_item_of_the_same_name():
    story = StoryProgress()
    story.set("lamp")
    assert not story.meets((Need("lamp", item=True),))


def test_nothing_is_taken_where_there_is_too_little():
    story = StoryProgress()
    story.give("coin", 2)
    version = story.version
    assert not story.take("coin", 3)
    assert story.items == {"coin": 2}
    assert story.version == version
    assert story.take("coin", 2)
    assert story.items == {}


def test_a_switch_turns_its_flag_round():
    story = StoryProgress()
    assert story.toggle("open")
    assert not story.toggle("open")
    assert story.flags == set()


@given(st.permutations(["a", "b", "c", "d"]))
def test_bytes_don_t_depend_on_the_order_of_deeds(names):
    story, other = StoryProgress(), StoryProgress()
    for name in names:
        story.set(name)
        story.pick("area", name, name)
    for name in sorted(names):
        other.set(name)
        other.pick("area", name, name)
    assert story.pack() == other.pack()
    assert not story.lies("area", "a")
    assert story.lies("elsewhere", "a")
