"""Level files of adventures: what they may say, and errors that name the file and the line."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playhead.errors import GameError
from playhead.games.arena.adventure.world.level import LEVELS, Need
from playhead.games.arena.adventure.world.level_loader import level_path, load_level, parse_level

GOOD = """\
name: small
start: {area: hall, at: [0, 0], facing: 90}
goods: [{kind: lamp, price: 3}]
debug:
  - {label: open, sets: [gate open]}
popups: {every: [5, 9], texts: [hello]}
events:
  - id: hello
    needs: [not gate open, has lamp]
    pages: [one, two]
    question: well?
    options:
      - {label: "no"}
      - {label: "yes", sets: [gate open], takes: [lamp]}
areas:
  - name: hall
    size: [20, 10]
    walls: [{name: box, at: [5, 0], size: [2, 2]}]
    floors: [{name: ledge, at: [-6, 0], size: [2, 2], top: 1}]
    pits: [{name: hole, at: [0, -3], size: [2, 1], depth: 1, lava: true}]
    doors: [{name: gate, at: [0, 4], size: [2, 0.5], needs: [gate open]}]
    people: [{name: ann, at: [2, 2], facing: -90, says: [hello]}]
    signs: [{name: sign, at: [-2, 2], says: [hello]}]
    fixtures: [{kind: switch, name: lever, at: [-3, 0], sets: lever up}]
    items: [{name: first coin, kind: coin, at: [1, 1], needs: [lever up]}]
    enemies: [{label: rat, at: [0, 0], size: [4, 4], count: [1, 2]}]
    boss: {name: ogre, at: [-2, -2], field: {at: [0, 0], size: [6, 6]}, sets: ogre dead}
    exits: [{name: out, at: [9, 0], size: [1, 1], to: hall, arrive: [0, 0]}]
"""


@pytest.mark.parametrize("name", ["village", "dungeon"])
def test_the_levels_that_come_along_are_read(name):
    level = load_level(level_path(name))
    assert level.name == name
    assert level_path(name).parent == LEVELS


def test_the_village_has_all_that_a_playthrough_needs():
    level = load_level(level_path("village"))
    assert level.title
    assert level.popups is not None
    assert list(level.areas) == ["village", "forest", "hollow"]
    assert any(event.options for event in level.events.values())
    assert any(event.shop for event in level.events.values())
    assert level.areas["hollow"].boss.followers > 0
    kinds = {fixture.kind for area in level.areas.values() for fixture in area.fixtures}
    assert {"boulder", "target", "shrine"} <= kinds
    tops = {floor.top for floor in level.areas["village"].floors}
    assert {1.0, 2.9} <= tops


def test_a_small_level_is_read_in_metres_and_radians():
    level = parse_level(GOOD)
    hall = level.areas["hall"]
    assert level.start.facing == pytest.approx(math.pi / 2)
    assert hall.walls[0].top == 2.5
    assert hall.walls[0].wall
    assert not hall.floors[0].wall
    assert hall.pits[0].lava
    assert level.events["hello"].needs == (
        Need("gate open", expected=False),
        Need("lamp", item=True),
    )
    assert hall.people[0].facing == pytest.approx(-math.pi / 2)
    assert hall.signs[0].sign
    assert hall.boss.hp == 300.0


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("area: hall, at: [0, 0]", "area: cellar, at: [0, 0]", 2, "no area 'cellar'"),
        ("at: [0, 0], facing: 90", "at: [5, 0.5], facing: 90", 2, "box"),
        ("at: [0, 0], facing: 90", "at: [-6, 1.2], facing: 90", 2, "ledge"),
        ("at: [0, 0], facing: 90", "at: [99, 0], facing: 90", 2, "outside"),
        ("at: [0, 0], facing: 90", "at: [0, 4.1], facing: 90", 2, "door gate"),
        ("price: 3", "price: 2.5", 3, "whole number"),
        ("price: 3", "price: -1", 3, "whole number"),
        ("every: [5, 9]", "every: [9, 5]", 6, "the least first"),
        ("every: [5, 9]", "every: [0, 5]", 6, "at least 1 s"),
        ("texts: [hello]", "texts: []", 6, "needs 1 or more"),
        ("has lamp]", "has lamb]", 9, "gives an item 'lamb'"),
        ("[not gate open,", "[not gate opened,", 9, "sets the flag 'gate opened'"),
        ("[not gate open,", "[not,", 9, "write a flag"),
        ("    pages: [one, two]\n    question: well?\n", "    question: well?\n", 7, ""),
        ("    question: well?\n", "", 8, "a question and options, or neither"),
        ('{label: "no"}', '{label: "yes"}', 13, "one label"),
        ("takes: [lamp]", "takes: [rope]", 14, "nothing gives such an item"),
        ("sets: [gate open], takes", "sets: [has gate], takes", 14, "no `not` or `has`"),
        ("size: [20, 10]", "size: [20, 1000]", 17, "the most is"),
        ("at: [5, 0], size: [2, 2]}", "at: [5, 0], size: [2, 2], height: 0}", 18, "more than 0"),
        ("top: 1}", "top: -1}", 19, "more than 0"),
        ("depth: 1, lava: true", "depth: 1, lava: hot", 20, "true or false"),
        (
            "depth: 1, lava: true}]",
            "depth: 1}, {name: b, at: [0, -1.8], size: [2, 1], depth: 1}]",
            20, "within 0.5 m of pit hole",
        ),
        ("size: [2, 0.5], needs: [gate open]", "size: [2, 0.5], needs: []", 21, "to open"),
        ("says: [hello]}]\n    signs", "says: [bye]}]\n    signs", 22, "no such event"),
        ("at: [2, 2], facing", "at: [4.9, 1.2], facing", 22, "box"),
        ("kind: switch", "kind: lever", 24, "known are switch"),
        ("sets: lever up", "sets: lever up, up: -1", 24, "below the ground"),
        ("{name: first coin, kind: coin, at: [1, 1], needs: [lever up]}",
         "{name: a, kind: coin, at: [1, 1]}, {name: a, kind: coin, at: [2, 1]}", 25, "two items"),
        ("at: [1, 1]", "at: [11, 1]", 25, "outside"),
        ("count: [1, 2]", "count: [1, 1000]", 26, "whole numbers up to"),
        ("count: [1, 2]", "count: [1, 1.5]", 26, "whole numbers up to"),
        ("count: [1, 2]", "count: [1, 2], within: -3", 26, "below 0"),
        ("sets: ogre dead", "sets: ogre dead, followers: -1", 27, "whole number"),
        ("to: hall", "to: attic", 28, "no area 'attic'"),
        ("to: hall, arrive: [0, 0]", "to: hall, arrive: [5, 0]", 28, "box"),
        ("name: small\n", "", 1, "lacks 'name'"),
        ("    walls:", "    wails:", 18, "no 'wails'"),
        ("size: [20, 10]", "size: [20, 10", 18, "no YAML"),
    ],
)  # fmt: skip
def test_an_error_names_the_file_the_line_and_the_trouble(tmp_path, old, new, line, words):
    assert old in GOOD
    path = tmp_path / "bad.level.yaml"
    path.write_text(GOOD.replace(old, new, 1))
    if not words:
        load_level(path)
        return
    with pytest.raises(GameError) as caught:
        load_level(path)
    message = str(caught.value)
    assert message.startswith(f"{path}:{line}: ")
    assert words in message


def test_two_areas_or_events_of_one_name_are_refused():
    area = GOOD[GOOD.index("  - name: hall") :]
    with pytest.raises(GameError, match=r"^x:29: there are two areas 'hall'"):
        parse_level(GOOD + area, "x")
    with pytest.raises(GameError, match=r"^x:15: there are two events 'hello'"):
        parse_level(GOOD.replace("areas:\n", "  - {id: hello, pages: [x]}\nareas:\n"), "x")


def test_more_heights_than_there_are_bits_are_refused():
    floors = "".join(
        f"      - {{name: f{n}, at: [0, 0], size: [1, 1], top: {n + 1}}}\n" for n in range(30)
    )
    text = GOOD.replace("    floors: [{name: ledge, at: [-6, 0], size: [2, 2], top: 1}]\n",
                        f"    floors:\n{floors}")  # fmt: skip
    with pytest.raises(GameError, match="different heights"):
        parse_level(text)


def test_an_empty_file_and_one_that_is_not_there_are_named(tmp_path):
    with pytest.raises(GameError, match=r"^x:1: the level is empty"):
        parse_level("", "x")
    with pytest.raises(GameError, match=r"nowhere\.level\.yaml"):
        load_level(tmp_path / "nowhere.level.yaml")


LINES = GOOD.splitlines()
BITS = st.sampled_from(
    ["", "[", "}", ": ", "- ", "null", ".nan", "-1", "1e400", "x", "[[1]]", "{}"]
)


@settings(max_examples=150)
@given(st.integers(0, len(LINES) - 1), st.integers(0, 60), st.integers(0, 30), BITS, st.booleans())
def test_a_damaged_file_is_a_level_or_an_error_with_a_line(line, at, length, bit, drop):
    lines = list(LINES)
    text = lines[line]
    lines[line] = text[:at] + bit + text[at + length :]
    if drop:
        del lines[line]
    try:
        level = parse_level("\n".join(lines), "x")
    except GameError as error:
        file, number, _ = str(error).split(":", 2)
        assert file == "x"
        assert 1 <= int(number) <= len(lines) + 1
    else:
        assert level.areas


@given(st.text(max_size=80))
def test_no_text_breaks_the_reader(text):
    try:
        parse_level(text, "x")
    except GameError as error:
        assert str(error).startswith("x:")
