"""Stars and eyes are there again when a recording of the same game is opened."""

import json

import pytest

pytest.importorskip("PyQt6.QtWidgets", exc_type=ImportError)

from playhead.recorder.checks.check_policy import UNATTENDED
from playhead.recorder.clips.save_clip import save
from playhead.session import Session
from playhead.viewer.state.game_preferences import Eyes, SavedPreferences
from playhead.viewer.state.shared_pins_and_histories import PanelContext

from ..yard import Walker, handlers, make_yard, record


def yard(path, game: str, *, more: int = 0):
    """A clip of a game with a name, perhaps with some more walkers."""
    world = make_yard()
    for id in range(3, 3 + more):
        world.things[id] = Walker(float(id))
    about = {"game": game} if game else {}
    with Session(
        world, "4 MiB", handlers=handlers(), on_check=UNATTENDED, about=about
    ) as session:  # fmt: skip
        record(session, world, 64)
        save(path, session.source.ring)
    return path


def test_stars_and_a_hidden_object_are_there_again_with_another_clip_of_the_game(
    window, tmp_path, until
):
    first = window(yard(tmp_path / "one.mcap", "yard"))
    PanelContext.of(first.store).star("walker", "hp")
    first.store.hide(frozenset((2,)))
    first.close()
    second = window(yard(tmp_path / "two.mcap", "yard", more=2))
    assert PanelContext.of(second.store).pins.stars == {"walker": ("hp",)}
    assert second.store.hidden == {2}
    assert "1 object is hidden, as when" in second.status.left.text()
    # Who is shown again stays so, now and the next time.
    second.store.hide(frozenset())
    PanelContext.of(second.store).star("walker", "hp")
    second.close()
    third = window(tmp_path / "one.mcap")
    assert third.store.hidden == frozenset()
    assert PanelContext.of(third.store).pins.facts == {"stars": {}}


def test_of_another_game_and_of_one_without_a_name_nothing_is_known(window, tmp_path):
    first = window(yard(tmp_path / "one.mcap", "yard"))
    PanelContext.of(first.store).star("walker", "hp")
    first.close()
    other = window(yard(tmp_path / "other.mcap", "dungeon"))
    assert PanelContext.of(other.store).pins.stars == {}
    nameless = window(yard(tmp_path / "nameless.mcap", ""))
    PanelContext.of(nameless.store).star("walker", "state")
    assert set(json.loads((other.settings.path.parent / "games.json").read_text())) == {"yard"}


def test_a_type_that_is_hidden_is_so_when_more_of_it_come(window, tmp_path):
    first = window(yard(tmp_path / "one.mcap", "yard"))
    first.store.hide(frozenset((1, 2)))
    first.close()
    second = window(yard(tmp_path / "two.mcap", "yard", more=2))
    assert second.store.hidden == {1, 2, 3, 4}


def test_pictures_neither_look_nor_keep(window, tmp_path):
    first = window(yard(tmp_path / "one.mcap", "yard"), remember=False)
    PanelContext.of(first.store).star("walker", "hp")
    first.store.hide(frozenset((1,)))
    assert not (first.settings.path.parent / "games.json").exists()


def test_a_file_that_makes_no_sense_is_left_alone_and_reported(
    window, tmp_path, settings_of_its_own
):
    settings_of_its_own.mkdir()
    path = settings_of_its_own / "games.json"
    path.write_text("[1]")
    made = window(yard(tmp_path / "one.mcap", "yard"))
    PanelContext.of(made.store).star("walker", "hp")
    assert "stars and eyes are not kept" in made.status.left.text()
    assert path.read_text() == "[1]"


def test_kept_facts_of_wrong_kinds_are_left_out(tmp_path):
    eyes = Eyes()
    eyes.take({"types": ["walker", 3], "objects": [["walker", "north"], ["x"], 7, ["a", 1]]})
    assert eyes.facts == {"types": ["walker"], "objects": [["walker", "north"]]}
    for nonsense in (None, 3, [], {"types": 1, "objects": "x"}):
        eyes.take(nonsense)
        assert not eyes


def test_the_games_that_were_changed_longest_ago_go(tmp_path):
    saved = SavedPreferences(tmp_path)
    for number in range(105):
        saved.keep(f"game {number}", {"stars": {}})
    saved.keep("game 6", {"stars": {"a": ["b"]}})
    preferences = json.loads(saved.path.read_text())
    assert len(preferences) == 100
    assert "game 4" not in preferences
    assert list(preferences)[-1] == "game 6"
