"""A VecEnv of stable-baselines3: recorded while a model learns in it, and unchanged."""

import copy
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from playhead.recording_session import record

from ...support.late_import import imported_at_use
from .outcome_hash import hash_of

gymnasium = pytest.importorskip("gymnasium")
sb3 = imported_at_use("stable_baselines3")
pytestmark = pytest.mark.slow

DT = 1 / 50


def cart_poles(count: int = 3) -> Any:
    env = sb3.common.vec_env.DummyVecEnv(
        [lambda: gymnasium.make("CartPole-v1") for _ in range(count)]
    )
    env.seed(3)
    return env


def outcome(env: Any, steps: int = 120) -> str:
    def results() -> Iterator[Any]:
        yield env.reset()
        actions = np.random.default_rng(5)
        for _ in range(steps):
            yield env.step(actions.integers(0, 2, env.num_envs))

    return hash_of(results())


def test_the_outcome_is_the_same_with_and_without_recording():
    plain = outcome(cart_poles())
    with record(dt=DT, strict=True) as rec:
        env = rec.wrap(cart_poles())
        assert rec.wrap(env) is env
        assert outcome(env) == plain
        assert rec.status.frames == 121


def test_the_last_observation_of_an_episode_and_its_end_are_recorded():
    with record(dt=DT, strict=True) as rec:
        env = rec.wrap(sb3.common.vec_env.VecMonitor(cart_poles()))
        env.reset()
        for frame in range(2, 80):
            observations, _, dones, infos = env.step(np.ones(3, np.int64))
            for packet, values in rec.source.decoded(frame):
                number = packet.id - 1
                assert packet.type == "CartPole-v1"
                assert bool(values["terminated"]) == dones[number]
                info, seen = infos[number], observations[number]
                last = info["terminal_observation"] if dones[number] else seen
                assert values["observation"].tolist() == last.tolist()
                if dones[number]:
                    assert values["total_reward"] == info["episode"]["r"]
        assert rec.source.decoded(79)[0][1]["episode"] > 3


def test_a_copy_is_not_recorded():
    with record(dt=DT, strict=True) as rec:
        env = rec.wrap(cart_poles())
        env.reset()
        copied = copy.deepcopy(env)
        copied.step(np.zeros(3, np.int64))
        assert rec.source.span.newest == 1


def test_a_model_learns_in_it_as_it_does_without():
    def learned(env: Any) -> Any:
        model = sb3.PPO("MlpPolicy", env, seed=1, n_steps=64, batch_size=64, device="cpu")
        model.learn(256)
        return [one.detach().numpy().tolist() for one in model.policy.parameters()]

    plain = learned(cart_poles(2))
    with record(dt=DT, strict=True) as rec:
        assert learned(rec.wrap(cart_poles(2))) == plain
        assert rec.status.frames == 129
