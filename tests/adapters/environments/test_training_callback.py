"""A model of stable-baselines3 that learns with the recording's callback: recorded, unchanged."""

from typing import Any

import pytest

from playhead.recording_session import record

from ...support.late_import import imported_at_use
from .outcome_hash import hash_of

gymnasium = pytest.importorskip("gymnasium")
sb3 = imported_at_use("stable_baselines3")
pytestmark = pytest.mark.slow

DT = 1 / 50


def model_of(env: Any, algorithm: str = "PPO") -> Any:
    settings = {
        "PPO": {"n_steps": 32, "batch_size": 32, "n_epochs": 1},
        "DQN": {"learning_starts": 16, "buffer_size": 100},
    }[algorithm]
    return getattr(sb3, algorithm)("MlpPolicy", env, seed=1, device="cpu", **settings)


def weights(model: Any) -> str:
    return hash_of(one.detach().numpy().tolist() for one in model.policy.parameters())


@pytest.mark.parametrize("algorithm", ["PPO", "DQN"])
def test_the_weights_are_the_same_with_and_without_and_losses_are_curves(algorithm):
    plain = model_of(gymnasium.make("CartPole-v1"), algorithm)
    plain.learn(64)
    with record(dt=DT, strict=True) as rec:
        model = model_of(gymnasium.make("CartPole-v1"), algorithm)
        model.learn(64, callback=rec.training_callback())
        assert weights(model) == weights(plain)
        with rec.frame():
            pass  # the last losses were logged after the last step
        assert rec.status.frames == 1 + 64 + 1
        names = {name for _, name in rec.source.watches(66)}
        assert "train/loss" in names
        assert "rollout/ep_rew_mean" in names


def test_the_steps_are_recorded_as_by_a_wrapper():
    with record(dt=DT, strict=True) as rec, record(dt=DT, strict=True) as wrapping:
        model_of(gymnasium.make("CartPole-v1")).learn(64, callback=rec.training_callback())
        env = sb3.common.vec_env.DummyVecEnv([lambda: gymnasium.make("CartPole-v1")])
        model_of(wrapping.wrap(sb3.common.vec_env.VecMonitor(env))).learn(64)
        for frame in range(1, 66):
            ((packet, values),) = rec.source.decoded(frame)
            ((_, expected),) = wrapping.source.decoded(frame)
            assert packet.type == "CartPole-v1"
            assert repr(values) == repr(expected)


def test_an_environment_that_is_wrapped_is_recorded_once():
    with record(dt=DT, strict=True) as rec:
        model = model_of(rec.wrap(gymnasium.make("CartPole-v1")))
        model.learn(32, callback=rec.training_callback())
        assert len(rec.source.objects(rec.source.span.newest)) == 1
        steps = [rec.source.decoded(frame)[0][1]["step"] for frame in range(1, 8)]
        assert steps == list(range(7))


def test_without_a_recording_a_model_learns_as_well(monkeypatch):
    monkeypatch.setenv("PLAYHEAD", "off")
    with record(dt=DT) as rec:
        model = model_of(gymnasium.make("CartPole-v1"))
        model.learn(32, callback=rec.training_callback())
    assert model.num_timesteps == 32


def test_callbacks_of_one_model_record_into_the_same_objects_and_each_step_once():
    with record(dt=DT, strict=True) as rec:
        model = model_of(gymnasium.make("CartPole-v1"))
        model.learn(32, callback=rec.training_callback())
        model.learn(32, callback=rec.training_callback(), reset_num_timesteps=False)
        assert rec.status.frames == 1 + 64
        model.learn(32, callback=[rec.training_callback(), rec.training_callback()])
        newest = rec.source.span.newest
        assert newest == 1 + 64 + 1 + 32  # a training from the start begins with a reset
        assert len(rec.source.objects(newest)) == 1
