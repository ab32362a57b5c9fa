"""Environments of several agents: each agent is an object, and no outcome changes."""

import copy
import warnings
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("pettingzoo")
pytest.importorskip("pygame")

from pettingzoo.classic.connect_four import connect_four
from pettingzoo.classic.rps import rps
from pettingzoo.classic.tictactoe import tictactoe

from playhead.errors import RecordingError
from playhead.games.arena.pettingzoo_env import AimArena
from playhead.recording_session import record

from .outcome_hash import hash_of

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # the checkers import an environment by its old name
    from pettingzoo.test import api_test, parallel_api_test

DT = 1 / 10


def turns_outcome(env: Any, seed: int = 3) -> str:
    """A hash of all that a seeded environment, in which agents take turns, returns."""

    def results() -> Iterator[Any]:
        env.reset(seed=seed)
        for agent in env.possible_agents:
            env.action_space(agent).seed(seed)
        for agent in env.agent_iter():
            observation, reward, terminated, truncated, info = env.last()
            yield agent, observation, reward, terminated, truncated, info
            mask = observation["action_mask"] if isinstance(observation, dict) else None
            ended = terminated or truncated
            env.step(None if ended else env.action_space(agent).sample(mask))

    return hash_of(results())


def steps_outcome(env: Any, steps: int = 30, seed: int = 3) -> str:
    """A hash of all that a seeded environment, in which all agents act at once, returns."""

    def results() -> Iterator[Any]:
        yield env.reset(seed=seed)
        for agent in env.possible_agents:
            env.action_space(agent).seed(seed)
        for _ in range(steps):
            if not env.agents:
                break
            yield env.step({agent: env.action_space(agent).sample() for agent in env.agents})

    return hash_of(results())


@pytest.mark.parametrize("make", [connect_four.env, tictactoe.env, rps.env])
def test_an_outcome_in_turns_is_the_same_with_and_without_recording(make):
    plain = turns_outcome(make())
    with record(dt=DT, strict=True) as rec:
        env = rec.wrap(make())
        assert rec.wrap(env) is env
        assert turns_outcome(env) == plain
        assert turns_outcome(env) == plain, "a second episode"
        marks = [mark.name for mark in rec.source.marks()]
    assert marks == ["episode 1", "episode 1 over", "episode 2", "episode 2 over"]
    assert turns_outcome(env) == plain, "it goes on when the recording has ended"


@pytest.mark.parametrize("make", [rps.parallel_env, AimArena])
def test_an_outcome_of_steps_is_the_same_with_and_without_recording(make):
    plain = steps_outcome(make())
    with record(dt=DT, strict=True) as rec:
        env = rec.wrap(make())
        assert rec.wrap(env) is env
        assert steps_outcome(env) == plain
        assert len(rec.source.objects(rec.source.span.newest)) == len(env.possible_agents)


def test_the_librarys_own_checkers_are_content():
    with warnings.catch_warnings(), record(dt=DT, strict=True) as rec:
        warnings.simplefilter("ignore")  # they warn about the unwrapped environments, too
        api_test(rec.wrap(connect_four.env()), num_cycles=20)
        parallel_api_test(rec.wrap(rps.parallel_env()), num_cycles=20)


def test_each_turn_is_a_frame_with_the_action_and_all_rewards():
    with record(dt=DT, strict=True) as rec:
        env = rec.wrap(connect_four.env())
        env.reset(seed=1)
        for column in (0, 1, 0, 1, 0, 1, 0):
            env.last()
            env.step(column)
        last = rec.source.span.newest
        names = rec.source.names(last)
        by_name = {names[packet.id]: values for packet, values in rec.source.decoded(last)}
        assert by_name["player_0"]["total_reward"] == 1
        assert by_name["player_1"]["total_reward"] == -1
        assert [by_name[name]["step"] for name in ("player_0", "player_1")] == [4, 3]
        assert by_name["player_0"]["action"] == 0
        assert by_name["player_1"]["action"] == 1
        assert bool(by_name["player_0"]["terminated"])


def test_a_copy_is_not_recorded():
    with record(dt=DT, strict=True) as rec:
        env = rec.wrap(AimArena())
        env.reset(seed=1)
        actions = {agent: env.action_space(agent).sample() for agent in env.agents}
        copied = copy.deepcopy(env)
        assert repr(copied.step(actions)) == repr(env.step(actions))
        assert rec.source.span.newest == 2


def test_an_environment_of_several_agents_is_wrapped_not_added():
    with record(dt=DT) as rec:
        for env in (rps.env(), rps.parallel_env()):
            with pytest.raises(RecordingError, match=r"env = rec.wrap\(env\)"):
                rec.add(env)


def test_an_environments_own_error_is_raised_and_nothing_is_lost():
    with record(dt=DT, strict=True) as rec:
        env = rec.wrap(connect_four.env())
        env.reset(seed=1)
        with pytest.raises(AssertionError, match="not in action space"):
            env.step(99)
        env.reset(seed=1)
        env.step(3)
        assert rec.source.span.newest == 3
