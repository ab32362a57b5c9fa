"""Copies of an environment: at any moment, in any mode, each goes on exactly as the original."""

import copy
import pickle
import threading

import cloudpickle
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from playhead.errors import GameError
from playhead.games.arena.fps.learning.vector_env import AimVector
from playhead.games.arena.fps.match.hall_world_adapter import AimWorld
from playhead.games.arena.fps.match.match_control_commands import (
    ClearGame,
    SetOdds,
    SpawnBlock,
    SpawnEnemy,
)
from playhead.games.arena.fps.simulation.round_targets_and_modes import ArenaMode, Target
from playhead.games.arena.fps.simulation.rules import Rules
from playhead.games.arena.pettingzoo_env import AimArena, AimGym
from playhead.session import Session

SHORT = Rules(round_time=1.0, hits=1, enemies=(1, 4))
WAYS = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda env: pickle.loads(pickle.dumps(env)),
    "cloudpickle": lambda env: cloudpickle.loads(cloudpickle.dumps(env)),
}


@pytest.fixture(
    params=[
        pytest.param(way, id=name, marks=[pytest.mark.slow] * (name == "cloudpickle"))
        for name, way in WAYS.items()
    ]
)
def copied(request):
    return request.param


def acts(env, rng):
    return {a: (rng.integers(0, [3, 3, 2]), rng.normal(size=1) * 9) for a in env.agents}


def go_on(env, steps, seed=5):
    """Let everybody do anything, round after round; all that came of it."""
    rng, result = np.random.default_rng(seed), []
    for _ in range(steps):
        if not env.agents:
            result.append([seen.tobytes() for seen in env.reset()[0].values()])
        seen, rewards, over, _, infos = env.step(acts(env, rng))
        result.append([seen[name].tobytes() for name in seen])
        result += [rewards, over, repr(infos), env.state_hash()]
    return result


@pytest.mark.parametrize("mode", list(ArenaMode))
def test_a_copy_goes_on_exactly_as_the_original_from_any_moment(mode, copied):
    env = AimArena(mode, agents=2, rules=SHORT)
    env.reset(seed=4)
    if mode is ArenaMode.TEST:
        env.order(SpawnEnemy(20.0, 20.0))
        env.order(SpawnBlock("attack", 2, 33.0, 33.0))
    # At the beginning, in the middle of a round, as one has ended, and in a later one.
    for steps in (0, 13, 7, 9):
        go_on(env, steps)
        other = copied(env)
        assert other.state_hash() == env.state_hash()
        assert other.agents == env.agents
        assert go_on(other, 25) == go_on(copied(env), 25)


@settings(max_examples=15, deadline=None)
@given(st.lists(st.sampled_from([*WAYS, "step", "reset", "order"]), max_size=12))
def test_copies_of_copies_go_the_same_way(course):
    env = AimArena("train-mix", agents=2, rules=SHORT, seed=8)
    alone = AimArena("train-mix", agents=2, rules=SHORT, seed=8)
    for what in [*course, "reset", "step"]:
        if what in WAYS:
            env = WAYS[what](env)
            continue
        for one in (env, alone):
            if what == "reset":
                one.reset()
            elif what == "order" and one.agents:
                one.send(SetOdds("goto", 3, 0.5))
            elif what == "step" and one.agents:
                go_on(one, 7)
    assert env.state_hash() == alone.state_hash()


def test_a_copy_made_before_the_first_reset_begins_with_the_same_seed(copied):
    env = AimArena("train-mix", agents=2, rules=SHORT, seed=6)
    other = copied(env)
    with pytest.raises(GameError, match="nothing has begun"):
        other.state_hash()
    assert go_on(other, 30) == go_on(env, 30)
    assert other.match.seed == 6


def test_a_copy_shares_nothing_with_the_original(copied):
    env = AimArena("train-goto", agents=1)
    env.reset(seed=1)
    before = env.state_hash()
    other = copied(env)
    go_on(other, 20)
    other.odds[Target.GOTO].set(5, 1.0)
    other.send(SetOdds("goto", 1, 1.0))
    other.close()
    assert env.state_hash() == before
    assert not env.closed
    go_on(env, 3)
    with pytest.raises(GameError, match="has closed"):
        copied(other).reset()


def test_orders_that_were_sent_but_not_carried_out_are_copied(copied):
    env = AimArena("test", agents=1)
    env.reset(seed=1)
    env.send(SpawnEnemy(20.0, 20.0))
    other = copied(env)
    env.send(ClearGame())
    for one in (env, other):
        one.step({"agent_0": ((0, 0, 0), (0.0,))})
    assert [int((one.match.arenas.health > 0).sum()) for one in (env, other)] == [0, 1]


# --- what can't be in two places ------------------------------------------------------------------


def test_a_copy_is_not_recorded_and_nobody_listens_to_it(copied):
    received = []
    with Session(AimWorld(), "4 MiB") as session:
        env = AimArena("train-mix", agents=2, rules=SHORT, record=session)
        early = copied(env)
        env.on_message(lambda message: received.append(message.text))
        env.reset(seed=2)
        go_on(env, 5)
        frame, count = session.source.span.newest, len(received)
        late = copied(env)
        assert early.session is late.session is None
        go_on(early, 30)
        after = go_on(late, 30)
        assert (session.source.span.newest, len(received)) == (frame, count)
        assert after == go_on(env, 30)
        assert session.source.span.newest > frame
        assert len(received) > count


def test_a_copy_can_be_listened_to_and_ends_nothing_of_the_original(copied):
    env = AimArena("train-goto", agents=1, rules=SHORT)
    env.reset(seed=1)
    other, result = copied(env), []
    other.on_message(lambda message: result.append(message.text))
    go_on(other, 20)
    assert result == ["Warning|Result|Lose"]


# --- the start screen -----------------------------------------------------------------------------


class Clock:
    """Seconds that stand still."""

    now = 100.0

    def __call__(self):
        return Clock.now


def test_the_start_screen_is_copied_with_the_seconds_that_are_left(copied, monkeypatch):
    env = AimArena(None, agents=1, clock=Clock(), start_limit=45.0)
    monkeypatch.setattr(Clock, "now", 130.0)
    other = copied(env)
    assert other.start.seconds_left == env.start.seconds_left == 15.0
    other.choose("train-free")
    assert (env.mode, other.mode) == (None, ArenaMode.TRAIN_FREE)
    env.choose("train-goto")
    assert copied(env).mode is ArenaMode.TRAIN_GOTO
    assert other.reset(seed=1)[1]["agent_0"]["target"] == "free"


def test_a_start_screen_of_another_process_counts_by_its_own_clock(monkeypatch):
    env = AimArena(None, agents=1, clock=Clock())
    monkeypatch.setattr(Clock, "now", 110.0)
    sent = pickle.dumps(env)
    monkeypatch.setattr(Clock, "now", 5.0)
    assert pickle.loads(sent).start.seconds_left == 35.0


def test_what_was_not_chosen_in_time_is_too_late_in_the_copy_too(copied, monkeypatch):
    env = AimArena(None, agents=1, clock=Clock())
    monkeypatch.setattr(Clock, "now", 145.0)
    with pytest.raises(GameError, match="no mode was chosen"):
        env.reset()
    with pytest.raises(GameError, match="has closed"):
        copied(env).reset()


def test_it_is_copied_while_one_waits_for_the_choice_which_is_the_waiting_ones_alone(copied):
    env = AimArena(None, agents=1)
    waiting = threading.Thread(target=env.reset, args=(3,))
    waiting.start()
    other = copied(env)
    assert other.mode is None
    env.choose("train-goto")
    waiting.join()
    other.choose("train-goto")
    other.reset(3)
    assert other.state_hash() == env.state_hash()


# --- the other views ------------------------------------------------------------------------------


def follow(name, seen):
    """What the other agent does: it depends on what it sees."""
    return (1, 0, int(seen[7])), (float(seen[8]) % 3,)


def test_the_view_of_one_agent_is_copied_with_its_arena(copied):
    gym = AimGym(AimArena("train-mix", agents=2, rules=SHORT), others=follow)
    gym.reset(seed=3)
    gym.step(((1, 1, 0), (2.0,)))
    other = copied(gym)
    for _ in range(30):
        result = [one.step(((1, 0, 1), (3.0,))) for one in (gym, other)]
        assert np.array_equal(result[0][0], result[1][0])
        assert result[0][1:] == result[1][1:]
        assert gym.arena.state_hash() == other.arena.state_hash()
        if result[0][2]:
            assert np.array_equal(gym.reset()[0], other.reset()[0])
    assert gym.np_random.random() == other.np_random.random()


@pytest.mark.parametrize("mode", [mode for mode in ArenaMode if mode.trains])
def test_many_arenas_are_copied_before_the_beginning_and_in_the_middle(mode, copied):
    many = AimVector(mode, arenas=4, agents=2, rules=SHORT)
    assert np.array_equal(copied(many).reset(seed=1)[0], many.reset(seed=1)[0])
    rng = np.random.default_rng(0)
    for steps in (7, 25):
        other = copied(many)
        for _ in range(steps):
            act = rng.integers(0, [3, 3, 2], (8, 3)), rng.normal(size=(8, 1)) * 9
            result = [one.step(act) for one in (many, other)]
            assert all(np.array_equal(result[0][part], result[1][part]) for part in range(4))
            hashes = [[one.simulation.arenas.state_hash(i) for i in range(4)] for one in
                      (many, other)]  # fmt: skip
            assert hashes[0] == hashes[1]
