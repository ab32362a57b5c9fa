"""Targets by their numbers, and the modes that give them."""

import pytest

from playhead.errors import GameError
from playhead.games.arena.fps.simulation.round_targets_and_modes import ArenaMode, Target, mode_of


def test_targets_have_the_numbers_of_the_observation():
    assert {target.name: int(target) for target in Target} == {
        "FREE": 0, "GOTO": 1, "ATTACK": 2, "DEFENCE": 3, "STAY": 4,
    }  # fmt: skip
    assert [target for target in Target if target.has_block] == [
        Target.GOTO,
        Target.ATTACK,
    ]


def test_training_modes_give_one_target_or_all_three_and_never_defence_or_stay():
    assert {mode: mode.targets for mode in ArenaMode} == {
        ArenaMode.TRAIN_FREE: (Target.FREE,),
        ArenaMode.TRAIN_GOTO: (Target.GOTO,),
        ArenaMode.TRAIN_ATTACK: (Target.ATTACK,),
        ArenaMode.TRAIN_MIX: (Target.FREE, Target.GOTO, Target.ATTACK),
        ArenaMode.TEST: (),
    }
    assert [mode for mode in ArenaMode if not mode.trains] == [ArenaMode.TEST]


def test_a_mode_is_known_by_its_name_and_others_are_refused():
    assert mode_of("train-goto") is ArenaMode.TRAIN_GOTO
    assert mode_of(ArenaMode.TEST) is ArenaMode.TEST
    with pytest.raises(GameError, match=r"mode 'train': choose one of train-free, train-goto"):
        mode_of("train")
