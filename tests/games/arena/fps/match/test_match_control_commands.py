"""Test mode's orders: spawn, assign, clear, stay; previews; what is refused; the panel."""

import msgspec
import numpy as np
import pytest

from playhead.errors import GameError
from playhead.games.arena.fps.match.control_command_executor import MOST_ENEMIES
from playhead.games.arena.fps.match.match_control_commands import (
    AskCommand,
    ClearGame,
    FreeMode,
    LockOdds,
    Order,
    SetOdds,
    SpawnBlock,
    SpawnEnemy,
    StayMode,
)
from playhead.games.arena.fps.simulation.round_targets_and_modes import Target


def test_spawning_a_block_gives_its_target(stage):
    play = stage("test")
    for name, target in (("goto", Target.GOTO), ("attack", Target.ATTACK)):
        for difficulty in (1, 2, 3, 4, 5):
            play.match.order(SpawnBlock(name, difficulty, 23.0, 23.0))
            assert play.match.target is target
            (block,) = play.arenas.blocks[0]
            assert block.preset.difficulty == difficulty
            assert block.middle == (23.0, 23.0)
            assert len(play.arenas.enemies_at(0)) == len(block.preset.enemies)
            assert play.see()[1] == block.firebase[0]
            assert play.see()[6] == 30.0
            play.match.order(ClearGame())


def test_presets_of_a_difficulty_take_turns_or_are_asked_for_by_name(stage):
    play = stage("test")
    names = []
    for _ in range(4):
        play.match.order(SpawnBlock("goto", 3, 23.0, 23.0))
        names.append(play.arenas.blocks[0][0].preset.name)
        play.match.order(ClearGame())
    assert names == ["horseshoe", "two halves", "crossing", "horseshoe"]
    play.match.order(SpawnBlock("goto", 3, 23.0, 23.0, preset="crossing"))
    assert play.arenas.blocks[0][0].preset.name == "crossing"
    with pytest.raises(GameError, match="block 'gate' is none for goto of difficulty 3"):
        play.match.order(SpawnBlock("goto", 3, 35.0, 35.0, preset="gate"))


def test_a_target_is_about_the_newest_block_and_older_ones_stay(stage):
    play = stage("test")
    play.match.order(SpawnBlock("attack", 2, 10.0, 35.0))
    play.match.order(SpawnBlock("attack", 1, 35.0, 35.0))
    assert len(play.arenas.blocks[0]) == 2
    home = play.arenas.home[0]
    assert np.array_equal(play.arenas.needed[0], (play.arenas.health[0] > 0) & (home == 1))
    assert (home == 0).sum() == 2


def test_free_mode_stay_mode_and_clear_game(stage):
    play = stage("test")
    with pytest.raises(GameError, match="no enemy to defeat"):
        play.match.order(FreeMode())
    play.match.order(SpawnEnemy(20.0, 20.0))
    assert play.match.target is Target.STAY, "an enemy alone gives no target"
    play.match.order(FreeMode())
    assert play.match.target is Target.FREE
    assert play.see()[6] == 30.0
    play.match.order(SpawnEnemy(25.0, 20.0))
    assert play.arenas.is_target[0].sum() == 2, "who is spawned later is a target too"
    play.match.order(StayMode())
    assert play.match.target is Target.STAY
    assert play.see()[6] == 0.0
    assert len(play.arenas.enemies_at(0)) == 2
    play.match.order(SpawnBlock("goto", 1, 35.0, 35.0))
    play.match.order(ClearGame())
    assert play.match.target is Target.STAY
    assert play.arenas.enemies_at(0) == []
    assert play.arenas.blocks[0] == []


def test_an_enemy_that_is_put_into_an_attacked_block_must_be_defeated_too(stage):
    play = stage("test")
    play.match.order(SpawnBlock("attack", 1, 23.0, 23.0, preset="clearing"))
    play.match.order(SpawnEnemy(19.0, 27.0))
    play.match.order(SpawnEnemy(23.0, 22.0))
    play.match.order(SpawnEnemy(40.0, 40.0))
    assert play.arenas.needed[0, :4].tolist() == [True, True, True, False]
    assert play.arenas.is_target[0, :4].tolist() == [True, False, True, False]
    before = play.arenas.at.copy()
    play.act(steps=50)
    moved = np.abs(play.arenas.at - before)[:, 0, 1:5].max(axis=0)
    assert moved[:3].tolist() == [0, 0, 0]
    assert moved[3] > 0


def test_a_preview_is_what_the_order_will_do_and_changes_nothing(stage):
    play = stage("test")
    order = SpawnBlock("attack", 4, 30.0, 20.0)
    before = play.match.state_hash()
    preview = play.match.preview(order)
    assert play.match.state_hash() == before
    assert preview.refused == ""
    play.match.order(order)
    (block,) = play.arenas.blocks[0]
    assert (preview.walls, preview.enemies) == (block.walls, block.enemies)
    assert (preview.firebase, preview.diameter) == (block.firebase, block.diameter)
    again = play.match.preview(order)
    assert "too close to another block" in again.refused
    assert play.match.preview(SpawnEnemy(5.0, 40.0)).enemies == [(5.0, 40.0)]
    assert play.match.preview(SpawnEnemy(4.5, 23.0)).refused.endswith("stand in a wall")


@pytest.mark.parametrize(
    ("order", "says"),
    [
        (SpawnEnemy(0.2, 10.0), "would not be in the hall"),
        (SpawnEnemy(float("nan"), 10.0), "would not be in the hall"),
        (SpawnEnemy(23.5, 4.5), "would stand in a wall"),
        (SpawnEnemy(1.2, 1.2), "would overlap an agent or an enemy"),
        (SpawnBlock("goto", 1, 4.0, 30.0), "too close to a wall of the hall"),
        (SpawnBlock("goto", 1, float("inf"), 30.0), "too close to a wall of the hall"),
        (SpawnBlock("goto", 1, 23.0, 10.0), "too close to a wall of the hall"),
        (SpawnBlock("goto", 1, 7.0, 7.0), "too close to an agent"),
        (SpawnBlock("free", 1, 23.0, 23.0), "target 'free': blocks are for goto and attack"),
        (SpawnBlock("goto", 6, 23.0, 23.0), "difficulty 6"),
        (SpawnBlock("goto", 1, 23.0, 23.0, preset="none"), "block 'none'"),
    ],
)
def test_what_can_not_be_is_refused_and_nothing_is_done(stage, order, says):
    play = stage("test")
    before = play.match.state_hash()
    with pytest.raises(GameError, match=says):
        play.match.order(order)
    assert play.match.state_hash() == before


def test_a_block_is_not_put_on_an_enemy_and_there_are_only_so_many_of_both(stage):
    play = stage("test")
    play.match.order(SpawnEnemy(23.0, 23.0))
    with pytest.raises(GameError, match="would stand on an enemy"):
        play.match.order(SpawnBlock("goto", 1, 23.0, 23.0))
    points = ((x, y) for x in range(10, 45) for y in range(15, 20))
    free = [at for at in points if not play.match.preview(SpawnEnemy(*map(float, at))).refused]
    for x, y in free[: MOST_ENEMIES - 1]:
        play.match.order(SpawnEnemy(float(x), float(y)))
    with pytest.raises(GameError, match="there are 64 enemies: 64 is the most"):
        play.match.order(SpawnEnemy(40.0, 40.0))


@pytest.mark.parametrize("mode", ["train-free", "train-goto", "train-attack", "train-mix"])
def test_orders_by_hand_are_for_test_mode(stage, mode):
    play = stage(mode)
    before = play.match.state_hash()
    for order in (
        SpawnEnemy(9.0, 9.0),
        SpawnBlock("goto", 1, 9, 9),
        FreeMode(),
        StayMode(),
        ClearGame(),
    ):
        with pytest.raises(GameError, match=f"{mode} gives its targets itself"):
            play.match.order(order)
    assert play.match.state_hash() == before


def test_the_panel_is_changed_by_orders_in_any_mode(stage):
    for mode in ("train-mix", "test"):
        play = stage(mode)
        play.match.order(LockOdds("goto", 1))
        play.match.order(SetOdds("goto", 5, 0.5))
        assert play.match.odds[Target.GOTO].values == pytest.approx((0.2, 0.1, 0.1, 0.1, 0.5))
        play.match.order(LockOdds("goto", 5))
        with pytest.raises(GameError, match="difficulty 5 is locked"):
            play.match.order(SetOdds("goto", 5, 0.1))
        with pytest.raises(GameError, match="blocks are for goto and attack"):
            play.match.order(SetOdds("free", 1, 0.1))


def test_orders_from_elsewhere_are_carried_out_before_the_next_step(stage):
    play = stage("test")
    play.match.send(SpawnBlock("goto", 1, 23.0, 23.0))
    play.match.send(AskCommand())
    play.match.send(SpawnEnemy(0.0, 0.0))
    assert play.match.target is Target.STAY
    play.act()
    assert play.match.target is Target.GOTO
    assert play.messages == [
        "Warning|Command",
        "Error|Order|an enemy at (0, 0) would not be in the hall",
    ]


def test_orders_are_plain_data_that_can_travel():
    for order in (
        SpawnBlock("goto", 1, 2.0, 3.0), SpawnEnemy(1.0, 2.0), FreeMode(), StayMode(), ClearGame(),
        SetOdds("goto", 1, 0.5), LockOdds("attack", 2, False), AskCommand("stop"),
    ):  # fmt: skip
        assert msgspec.json.decode(msgspec.json.encode(order), type=Order) == order
