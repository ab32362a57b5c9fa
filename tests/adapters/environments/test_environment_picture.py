"""Environments that render are recorded with their picture, and behave as without it."""

import pytest

gymnasium = pytest.importorskip("gymnasium")
pytest.importorskip("pygame")
pytest.importorskip("simplejpeg")

import playhead as ph  # noqa: E402
from playhead.adapters.environments.environment_picture import renderer_of  # noqa: E402
from playhead.recording_session import record  # noqa: E402

from .outcome_hash import hash_of  # noqa: E402


def outcome(env, steps=60):
    def results():
        yield env.reset(seed=3)
        env.action_space.seed(5)
        for _ in range(steps):
            result = env.step(env.action_space.sample())
            yield result
            if result[2] or result[3]:
                yield env.reset()

    return hash_of(results())


@pytest.mark.parametrize("name", ["CartPole-v1", "MountainCar-v0", "Acrobot-v1"])
def test_an_outcome_is_the_same_with_and_without_pictures(name, tmp_path):
    plain = outcome(gymnasium.make(name))
    with record(None, tmp_path / "run.mcap", dt=1 / 50) as rec:
        env = rec.wrap(gymnasium.make(name, render_mode="rgb_array"))
        assert outcome(env) == plain
        env.close()
    with ph.open(tmp_path / "run.mcap") as run:
        pictures = list(run.pictures())
    assert pictures
    assert {one.name for one in pictures} == {"screen"}
    assert pictures[0].pixels().std() > 1  # something is to be seen


def test_only_what_renders_arrays_has_a_picture():
    for mode, has in ((None, False), ("rgb_array", True), ("rgb_array_list", True)):
        env = gymnasium.make("CartPole-v1", render_mode=mode)
        assert (renderer_of(env) is not None) is has
        env.close()
    assert renderer_of(object()) is None


def test_of_environments_that_are_stepped_together_the_first_one_is_seen(tmp_path):
    envs = gymnasium.make_vec(
        "CartPole-v1", num_envs=2, vectorization_mode="sync", render_mode="rgb_array"
    )
    with record(None, tmp_path / "run.mcap", dt=1 / 50) as rec:
        env = rec.wrap(envs)
        env.reset(seed=1)
        for _ in range(5):
            env.step(env.action_space.sample())
        env.close()
    with ph.open(tmp_path / "run.mcap") as run:
        assert list(run.pictures())


def test_a_second_environment_has_a_name_of_its_own(tmp_path):
    with record(None, tmp_path / "run.mcap", dt=1 / 50) as rec:
        made = [
            rec.wrap(gymnasium.make(name, render_mode="rgb_array"))
            for name in ("CartPole-v1", "MountainCar-v0")
        ]
        for env in made:
            env.reset(seed=1)
            env.close()
    with ph.open(tmp_path / "run.mcap") as run:
        assert {one.name for one in run.pictures()} == {"screen", "MountainCar-v0"}


def test_a_renderer_that_fails_costs_its_pictures_alone(tmp_path):
    env = gymnasium.make("CartPole-v1", render_mode="rgb_array")

    def render():
        raise RuntimeError("no display")

    env.unwrapped.render = render
    with record(None, tmp_path / "run.mcap", dt=1 / 50, strict=False) as rec:
        wrapped = rec.wrap(env)
        wrapped.reset(seed=1)
        for _ in range(10):
            wrapped.step(0)
        assert rec.status.frames == 11
        assert rec.status.calls_refused == {"picture": 1}
    env.close()
