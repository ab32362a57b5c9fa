"""Saved games: what was saved is there again, and what is none is refused with its reason."""

import json

import pytest

from playhead.errors import GameError
from playhead.games.arena.adventure.adventure_game import AdventureGame
from playhead.games.playable_interface import Saves
from playhead.playback.pads.pad import Button

from .conftest import Driver


def saved_village(tmp_path, village):
    village.be("forest", (3.0, -12.0), 30.0, flags=("asked", "raven shot"), items={"lamp": 1})
    assert village.walk(3.0, -11.0)
    path = tmp_path / "game.json"
    village.game.save(path)
    return path


def test_a_game_can_be_saved_and_loaded(village):
    assert isinstance(village.game, Saves)


def test_a_saved_game_puts_back_place_flags_items_and_what_was_taken(tmp_path, village):
    assert village.walk(-4.0, -14.0)
    assert village.adventure.coins == 1
    village.adventure.story.set("asked")
    path = tmp_path / "game.json"
    village.game.save(path)
    before = village.game.observe()
    with AdventureGame("village", seed=99) as game:
        game.load(path)
        after = game.observe()
        assert (after.level, after.position, after.facing) == (
            before.level, before.position, before.facing,
        )  # fmt: skip
        assert after.screen == ""
        assert game.adventure.story.flags == {"asked"}
        assert game.adventure.coins == 1
        assert "coin by the road" not in {t.name for t in game.adventure.area_state.treasures}
        assert len(after.items) == len(before.items)
        again = tmp_path / "again.json"
        game.save(again)
        assert again.read_bytes() == path.read_bytes()


def test_two_games_that_load_the_same_go_on_the_same(tmp_path, village):
    path = saved_village(tmp_path, village)
    hashes = set()
    for _ in range(2):
        driver = Driver(AdventureGame("village", seed=5))
        driver.game.load(path)
        driver.hold(200, left=(1.0, 0.3))
        hashes.add(driver.game.state_hash())
    assert len(hashes) == 1


def test_what_stands_on_a_ledge_stands_there_again(tmp_path, village):
    village.be("village", (-5.0, 3.0))
    assert village.player.z == 0.3
    path = tmp_path / "game.json"
    village.game.save(path)
    village.be("village", (0.0, 0.0))
    village.game.load(path)
    assert village.player.z == 0.3


def test_nothing_is_saved_in_the_air_nor_while_a_window_is_open(tmp_path, village):
    village.hold(2, held=int(Button.B))
    with pytest.raises(GameError, match="in the air"):
        village.game.save(tmp_path / "a.json")
    village.wait(60)
    village.tap(Button.START)
    with pytest.raises(GameError, match="menu"):
        village.game.save(tmp_path / "a.json")
    assert list(tmp_path.iterdir()) == []


def test_a_place_where_nothing_can_be_written_is_named(tmp_path, village):
    with pytest.raises(GameError, match="nowhere"):
        village.game.save(tmp_path / "nowhere" / "a.json")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"game": "arena:dungeon"}, "arena:dungeon"),
        ({"area": "attic"}, "no area 'attic'"),
        ({"at": [1000.0, 0.0]}, "outside forest"),
        ({"at": [1.0]}, "at"),
        ({"hp": 0}, "hp is 0"),
        ({"hp": 1e9}, "hp is"),
        ({"hp": "much"}, "hp"),
        ({"items": {"coin": -1}}, "items"),
        ({"taken": ["forest/the moon"]}, "the moon"),
        ({"format": 2}, "format is 2"),
        ({"flags": 3}, "flags"),
        ({"extra": 1}, "extra"),
    ],
)
def test_what_is_no_saved_game_is_refused_and_changes_nothing(tmp_path, village, change, words):
    path = saved_village(tmp_path, village)
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    before = village.game.state_hash()
    with pytest.raises(GameError) as caught:
        village.game.load(path)
    assert str(path) in str(caught.value)
    assert words in str(caught.value)
    assert village.game.state_hash() == before


@pytest.mark.parametrize("text", [b"", b"{", b"[]", b"\xff\xfe", b"[" * 100_000, b" " * (2 << 20)])
def test_what_is_no_json_is_refused(tmp_path, village, text):
    path = tmp_path / "game.json"
    path.write_bytes(text)
    with pytest.raises(GameError, match="no saved game"):
        village.game.load(path)


def test_a_file_that_is_not_there_is_named(tmp_path, village):
    with pytest.raises(GameError, match="gone"):
        village.game.load(tmp_path / "gone.json")
