"""The tree of numbers, and the files that fill it."""

import re
from pathlib import Path

import msgspec
import pytest

from playhead.agents.playthrough.playthrough_settings import (
    DEFAULTS,
    FOLDER,
    load_settings,
    parse_settings,
    settings_for,
)
from playhead.errors import GameError


def test_the_numbers_of_the_playthrough_tester_are_the_defaults():
    settings = load_settings()
    assert settings.moving.interval == 5
    assert settings.pad_replay.frames == 15
    assert settings.bosses.exit == "move_checkpoint"


def test_a_games_file_says_only_what_is_otherwise_there(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("engine: {kind: unity}\nbosses:\n  fight: {range: 12}\n")
    mine, usual = load_settings(path), load_settings()
    assert mine.engine.kind == "unity"
    assert mine.engine.sticks == usual.engine.sticks
    assert mine.bosses.fight.range == 12.0
    assert mine.bosses.fight.attack == usual.bosses.fight.attack
    assert mine.moving == usual.moving


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("moving:\n  intervall: 5", "<settings>:2: moving has no 'intervall'; known are"),
        ("speed: 5", "<settings>:1: the settings has no 'speed'"),
        ("moving:\n  idle: 1\n  interval: many", "<settings>:3: moving.interval: Expected `int`"),
        ("moving:\n  interval: 0", "<settings>:2: moving.interval: Expected `int` >= 1"),
        ("\nengine:\n  kind: quake", "<settings>:3: engine.kind: Invalid enum value 'quake'"),
        ("keys: {attack: Q}", "<settings>:1: keys.attack: Invalid enum value 'Q'"),
        ("keys: 5", "<settings>:1: keys must be a mapping"),
        ("moving: {idle: 1, idle: 2}", "moving gives 'idle' twice"),
        ("pad_replay:\n  starts:\n    - {press: [A]}", "<settings>:3: pad_replay.starts[0] has no"),
        ("pad_replay:\n  starts:\n    - {pressed: [A]}", "pad_replay.starts[0] lacks 'name'"),
        ("route: .nan", "<settings>:1: route: Expected `float` > 0.0"),
        ("route: [", "<settings>:1: no YAML"),
        ("- 5", "<settings>:1: the settings must be a mapping"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_named_with_its_line(text, message):
    with pytest.raises(GameError) as error:
        parse_settings(text)
    assert message in str(error.value)


def test_a_missing_file_raises(tmp_path):
    with pytest.raises(GameError, match=r"none\.yaml"):
        load_settings(tmp_path / "none.yaml")


def test_a_game_without_a_file_has_the_defaults():
    assert settings_for("nobody:knows") == load_settings()


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.yaml")), ids=lambda path: path.stem)
def test_every_file_that_comes_along_can_be_read(path):
    assert load_settings(path).moving.interval >= 1


def test_every_default_states_its_reason_or_belongs_to_one_that_does():
    lines = Path(DEFAULTS).read_text().splitlines()
    numbers = [line for line in lines if re.match(r"  +\w+: [\d.]+ *(#.*)?$", line)]
    reasons = [line for line in numbers if "#" in line]
    assert len(numbers) > 50
    assert len(reasons) > 0.6 * len(numbers)


def test_the_tree_goes_through_yaml_unchanged():
    usual = load_settings()
    text = msgspec.yaml.encode(usual).decode()
    assert parse_settings(text) == usual


@pytest.mark.parametrize(
    "text",
    [
        "pad_replay: {frames: 8, lead: 8}",
        "pad_replay: {frames: 8, starts: [{name: jump, pressed: [B], lead: 12}]}",
    ],
)
def test_a_replay_that_would_end_before_its_moment_is_refused(text):
    with pytest.raises(GameError, match=r"a lead of (8|12) rows \(\w+\) ends before the moment"):
        parse_settings(text)
    parse_settings(text.replace("frames: 8", "frames: 13"))
