"""Levels: what a file may say, and errors that name the file and the line."""

import math

import pytest

from playhead.errors import GameError
from playhead.games.arena.level import load_level, parse_level

GOOD = """\
name: small
size: [20, 10]
player:
  at: [0, 0]
  facing: 90
walls:
  - {name: box, at: [5, 0], size: [2, 2]}
guards:
  - {name: a, route: [[-5, 0], [-5, 3]]}
waypoints:
  - [0, 3]
  - [0, -3]
"""


def test_the_yard_has_six_posts_and_walls_to_hide_behind():
    level = load_level()
    assert level.name == "yard"
    assert len(level.guards) == 6
    assert len(level.walls) >= 5
    assert any(post.lantern for post in level.guards)


def test_a_small_level_is_read_in_metres_and_radians():
    level = parse_level(GOOD)
    assert level.size == (20.0, 10.0)
    assert level.player == (0.0, 0.0)
    assert level.facing == pytest.approx(math.pi / 2)
    assert level.walls[0].height == 2.5
    assert level.guards[0].route == ((-5.0, 0.0), (-5.0, 3.0))


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("size: [20, 10]", "size: [20]", 2, "two numbers"),
        ("size: [20, 10]", "size: [20, 0]", 2, "more than 0"),
        ("size: [20, 10]", "size: [20, .inf]", 2, "finite number"),
        ("at: [0, 0]", "at: [5, 0.5]", 4, "inside wall box"),
        ("at: [0, 0]", "at: [9.8, 0]", 4, "outside the level"),
        ("facing: 90", "facing: north", 5, "'north'"),
        ("facing: 90", "faceing: 90", 5, "no 'faceing'"),
        ("size: [2, 2]", "size: [2, -2]", 7, "more than 0"),
        ("at: [5, 0]", "at: [50, 0]", 7, "outside the level"),
        ("size: [2, 2]}", "size: [2, 2], height: 0}", 7, "height is 0"),
        ("size: [2, 2]}", "size: [2, 2], size: [2, 2]}", 7, "twice"),
        ("{name: a, route", "{name: [], route", 9, "must be a text"),
        ("[[-5, 0], [-5, 3]]", "[[-5, 0]]", 9, "needs 2 or more"),
        ("[[-5, 0], [-5, 3]]", "{}", 9, "must be a list"),
        ("[-5, 3]]}", "[-5, 3]], lantern: perhaps}", 9, "true or false"),
        ("  - {name: a, route: [[-5, 0], [-5, 3]]}", "  - oak", 9, "must be a mapping"),
        ("  - [0, -3]", "  - [0, -30]", 12, "outside the level"),
        ("name: small\n", "", 1, "lacks 'name'"),
        ("size: [20, 10]", "size: [20, 10", 3, "no YAML"),
    ],
)
def test_an_error_names_the_file_the_line_and_the_trouble(tmp_path, old, new, line, words):
    assert old in GOOD
    path = tmp_path / "bad.level.yaml"
    path.write_text(GOOD.replace(old, new, 1))
    with pytest.raises(GameError) as caught:
        load_level(path)
    message = str(caught.value)
    assert message.startswith(f"{path}:{line}: ")
    assert words in message


def test_an_empty_file_and_odd_characters_are_errors_with_a_line():
    with pytest.raises(GameError, match=r"^x:1: the level is empty"):
        parse_level("", "x")
    with pytest.raises(GameError, match=r"^x:1: "):
        parse_level("a: \x01", "x")


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(GameError, match=r"nowhere\.level\.yaml"):
        load_level(tmp_path / "nowhere.level.yaml")
