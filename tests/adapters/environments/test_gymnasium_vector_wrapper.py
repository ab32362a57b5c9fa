"""Vector environments of Gymnasium: each of their environments is an object, none is changed."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")

from gymnasium.vector import AutoresetMode, SyncVectorEnv  # noqa: E402

from playhead.recording_session import record  # noqa: E402

from .outcome_hash import hash_of  # noqa: E402
from .test_gymnasium_wrapper import Parts  # noqa: E402

DT = 1 / 50


def cart_poles(mode: AutoresetMode = AutoresetMode.NEXT_STEP, count: int = 3) -> Any:
    return SyncVectorEnv(
        [lambda: gymnasium.make("CartPole-v1") for _ in range(count)], autoreset_mode=mode
    )


def outcome(env: Any, steps: int = 120) -> str:
    """A hash of all that a seeded vector environment returns."""

    def results() -> Iterator[Any]:
        yield env.reset(seed=3)
        env.action_space.seed(5)
        for _ in range(steps):
            yield env.step(env.action_space.sample())

    return hash_of(results())


@pytest.mark.parametrize(
    "make",
    [
        lambda: cart_poles(AutoresetMode.NEXT_STEP),
        lambda: cart_poles(AutoresetMode.SAME_STEP),
        lambda: gymnasium.make_vec("CartPole-v1", 4, vectorization_mode="vector_entry_point"),
        lambda: SyncVectorEnv([Parts, Parts]),
    ],
    ids=["next step", "same step", "one class for all", "parts"],
)  # fmt: skip
def test_the_outcome_is_the_same_with_and_without_recording(make):
    plain = outcome(make())
    with record(dt=DT, strict=True) as rec:
        env = rec.wrap(make())
        assert rec.wrap(env) is env
        assert outcome(env) == plain
        assert rec.status.frames == 121
        assert len(rec.source.objects(1)) == env.num_envs
    assert outcome(env) == plain, "it goes on when the recording has ended"


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
def test_each_environment_has_its_own_episodes_and_totals(mode):
    with record(dt=DT, strict=True) as rec:
        env = rec.wrap(cart_poles(mode))
        observations, _ = env.reset(seed=1)
        env.action_space.seed(1)
        totals, ended, restarted = np.zeros(3), np.zeros(3, bool), np.zeros(3, bool)
        for frame in range(2, 100):
            restarted = ended if mode is AutoresetMode.NEXT_STEP else np.zeros(3, bool)
            actions = env.action_space.sample()
            observations, rewards, terminated, truncated, infos = env.step(actions)
            if mode is AutoresetMode.SAME_STEP:
                totals[ended] = 0.0
            totals = np.where(restarted, 0.0, totals + rewards)
            ended = terminated | truncated
            for packet, values in rec.source.decoded(frame):
                number = packet.id - 1
                assert packet.type == "CartPole-v1"
                assert values["total_reward"] == totals[number]
                assert bool(values["terminated"]) == terminated[number]
                if not restarted[number]:
                    assert values["action"] == actions[number]
                final = mode is AutoresetMode.SAME_STEP and ended[number]
                seen = infos["final_obs"][number] if final else observations[number]
                assert values["observation"].tolist() == seen.tolist()
        assert set(rec.source.names(99).values()) == {
            f"CartPole-v1 {number}" for number in range(3)
        }
        assert rec.source.decoded(99)[0][1]["episode"] > 2


def test_an_episodes_end_is_an_event_of_its_environment():
    with record(dt=DT, strict=True) as rec:
        env = rec.wrap(cart_poles())
        env.reset(seed=1)
        ended = []
        for frame in range(2, 60):
            _, _, terminated, _, _ = env.step(np.zeros(3, np.int64))
            ended += [(frame, number + 1) for number in np.flatnonzero(terminated)]
        assert len(ended) > 3
        events = [
            (frame, object)
            for frame in range(1, 60)
            for object, name, _ in rec.source.events(frame)
            if name == "episode ended"
        ]
        assert events == ended
