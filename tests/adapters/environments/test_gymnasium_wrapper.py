"""Environments of Gymnasium: recorded as they are stepped, and unchanged by it."""

import copy
import logging
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")

from gymnasium import spaces  # noqa: E402
from gymnasium.utils.env_checker import check_env  # noqa: E402

from playhead.errors import RecordingError  # noqa: E402
from playhead.playback.commands import Enter, SeekFrame  # noqa: E402, Enter
from playhead.recording_session import record  # noqa: E402

from .outcome_hash import hash_of  # noqa: E402

DT = 1 / 50


class Parts(gymnasium.Env[Any, Any]):
    """Observations and actions of several parts; refuses a step behind the end."""

    observation_space = spaces.Dict(
        picture=spaces.Box(0, 255, (12, 10, 3), np.uint8),
        place=spaces.Tuple((spaces.Discrete(9), spaces.Box(-1, 1, (2,), np.float64))),
    )
    action_space = spaces.Tuple((spaces.Discrete(3), spaces.Box(-1, 1, (2,), np.float32)))

    def __init__(self) -> None:
        self.steps = 9
        self.picture = np.zeros((12, 10, 3), np.uint8)

    def _seen(self) -> Any:
        self.picture[...] = self.np_random.integers(0, 256, self.picture.shape)
        return {"picture": self.picture.copy(), "place": (self.steps, np.array([0.5, -0.5]))}

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        super().reset(seed=seed)
        self.steps = 0
        return self._seen(), {}

    def step(self, action: Any) -> Any:
        if self.steps >= 4:
            raise RuntimeError("the episode is over: call reset()")
        self.steps += 1
        return self._seen(), 0.5, self.steps >= 4, False, {"steps": self.steps}


def outcome(env: Any, steps: int = 300, after_step: Callable[[], None] = lambda: None) -> str:
    """A hash of all that a seeded environment returns."""

    def results() -> Iterator[Any]:
        yield env.reset(seed=3)
        env.action_space.seed(5)
        for _ in range(steps):
            result = env.step(env.action_space.sample())
            yield result
            after_step()
            if result[2] or result[3]:
                yield env.reset()

    return hash_of(results())


@pytest.mark.parametrize(
    "make",
    [
        lambda: gymnasium.make("CartPole-v1"),
        lambda: gymnasium.make("MountainCarContinuous-v0", max_episode_steps=50),
        lambda: gymnasium.make("FrozenLake-v1"),
        Parts,
    ],
)
def test_the_outcome_is_the_same_with_and_without_recording(make):
    plain = outcome(make())
    with record(dt=DT, strict=True) as rec:
        env = rec.wrap(make())
        assert outcome(env) == plain
        assert rec.status.frames > 300
    assert outcome(env) == plain, "it goes on when the recording has ended"


def test_the_librarys_own_checker_is_content():
    def warned(env: Any) -> set[str]:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            check_env(env, skip_render_check=True)
        return {str(one.message) for one in caught}

    with record(dt=DT, strict=True) as rec:
        env = rec.wrap(gymnasium.make("CartPole-v1").unwrapped)
        [result] = warned(env) - warned(gymnasium.make("CartPole-v1").unwrapped)
        assert "is different from the unwrapped version" in result


def test_steps_are_frames_with_all_values_and_episodes_have_marks():
    with record(dt=DT, strict=True) as rec:
        env = rec.wrap(gymnasium.make("CartPole-v1"))
        seen, _ = env.reset(seed=7)
        frames, total = [(seen, None, 0.0)], 0.0
        over = False
        while not over:
            action = env.action_space.sample()
            seen, reward, over, _, _ = env.step(action)
            total += reward
            frames.append((seen, action, total))
        env.reset()
        assert rec.source.span.newest == len(frames) + 1
        for number, (seen, action, total) in enumerate(frames, 1):
            [(packet, result)] = rec.source.decoded(number)
            assert packet.type == "CartPole-v1"
            assert result["observation"].tolist() == seen.tolist()
            assert result["observation"].dtype == seen.dtype
            assert result["step"] == number - 1
            assert result["total_reward"] == total
            assert ("action" in result) is (action is not None)
            assert action is None or result["action"] == action
            assert bool(result["terminated"]) is (number == len(frames))
        steps = len(frames) - 1
        assert [(mark.name, mark.frame, mark.note, mark.object) for mark in rec.source.marks()] == [
            ("episode 1", 1, "seed 7", 1),
            ("episode 1 terminated", steps + 1, f"{steps} steps, reward {steps}", 1),
            ("episode 2", steps + 2, "", 1),
        ]
        assert rec.source.stamp(steps + 1).time == pytest.approx(steps * DT)


def test_parts_have_fields_of_their_own_and_large_arrays_their_bounds(caplog):
    caplog.set_level(logging.INFO, "playhead")
    with record(dt=DT, strict=True) as rec:
        env = rec.wrap(Parts())
        seen, _ = env.reset(seed=1)
        seen, *_ = env.step((2, np.array([0.25, 0.5], np.float32)))
        [(packet, result)] = rec.source.decoded(2)
        assert packet.type == "Parts"
        assert result["action.0"] == 2
        assert result["action.1"].tolist() == [0.25, 0.5]
        assert result["observation.place.0"] == 1
        assert result["observation.place.1"].tolist() == [0.5, -0.5]
        picture = seen["picture"]
        assert result["observation.picture.max"] == picture.max()
        assert result["observation.picture.mean"] == pytest.approx(picture.mean())
    assert len([line for line in caplog.messages if "least, mean and largest" in line]) == 1


def test_a_step_within_a_frame_belongs_to_that_frame():
    with record(dt=DT, strict=True) as rec:
        one, two = rec.wrap(Parts()), rec.wrap(Parts())
        assert rec.wrap(one) is one
        with rec.frame():
            one.reset(seed=1)
            two.reset(seed=2)
        with rec.frame():
            one.step(one.action_space.sample())
            one.step(one.action_space.sample())
            two.step(two.action_space.sample())
        assert rec.source.span.newest == 2
        assert {p.id: int(result["step"]) for p, result in rec.source.decoded(2)} == {1: 2, 2: 1}


def test_a_step_behind_the_end_raises_the_environments_own_error_and_loses_nothing():
    with record(dt=DT, strict=True) as rec:
        env = rec.wrap(Parts())
        env.reset(seed=1)
        for _ in range(4):
            env.step(env.action_space.sample())
        with pytest.raises(RuntimeError, match="the episode is over"):
            env.step(env.action_space.sample())
        assert rec.source.span.newest == 5
        env.reset()
        assert rec.source.span.newest == 6
        assert rec.source.decoded(6)[0][1]["episode"] == 2


def test_looking_at_the_past_changes_no_outcome():
    plain = outcome(gymnasium.make("CartPole-v1"), 40)
    with record(dt=DT, strict=True) as rec:
        env = rec.wrap(gymnasium.make("CartPole-v1"))

        def look_at_the_past() -> None:
            rec.apply(Enter(), now=True)
            rec.apply(SeekFrame(1))
            rec.leave()

        assert outcome(env, 40, look_at_the_past) == plain


def test_a_wrapped_environment_is_an_object_for_every_call():
    with record(dt=DT, strict=True) as rec:
        env = rec.wrap(gymnasium.make("CartPole-v1"))
        env.reset(seed=1)
        with rec.frame():
            env.step(1)
            rec.check(False, "it stands", focus=env)
            rec.watch("angle", 0.5, env)
        assert rec.id_of(env) == 1
        assert rec.source.marks()[-1].object == 1
        assert list(rec.source.watches(2)) == [(1, "angle")]


def test_a_copy_is_not_recorded_and_goes_on_by_itself():
    with record(dt=DT, strict=True) as rec:
        env = rec.wrap(gymnasium.make("CartPole-v1"))
        env.reset(seed=1)
        twin = copy.deepcopy(env)
        assert twin.step(1)[0].tolist() == env.step(1)[0].tolist()
        assert rec.source.span.newest == 2


@pytest.mark.parametrize("thing", [None, 7, object(), "CartPole-v1"])
def test_what_is_no_environment_is_refused(thing):
    with record(dt=DT) as rec, pytest.raises(RecordingError, match="takes environments of Gymn"):
        rec.wrap(thing)


def test_the_environments_of_a_vector_can_be_wrapped_one_by_one():
    with record(dt=DT, strict=True) as rec:
        many = gymnasium.vector.SyncVectorEnv(
            [lambda: rec.wrap(gymnasium.make("CartPole-v1")) for _ in range(2)]
        )
        with rec.frame():
            many.reset(seed=1)
        with rec.frame():
            many.step(many.action_space.sample())
        assert len(rec.source.objects(2)) == 2
        many.close()


def test_an_environment_is_wrapped_not_added():
    with record(dt=DT) as rec, pytest.raises(RecordingError, match=r"env = rec.wrap\(env\)"):
        rec.add(gymnasium.make("CartPole-v1"))


class ScriptedEnvironment(gymnasium.Env[Any, Any]):
    """Says what it is given to say."""

    observation_space = spaces.Box(-1, 1, (2,), np.float64)
    action_space = spaces.Discrete(2)

    def __init__(self, *result: Any) -> None:
        self.told = result

    def reset(self, *, seed: int | None = None, options: Any = None) -> Any:
        return np.zeros(2), {}

    def step(self, action: Any) -> Any:
        return self.told


_ENDLESS: dict[str, Any] = {}
_ENDLESS["more"] = _ENDLESS


@pytest.mark.parametrize(
    "message",
    [
        (np.zeros(2), np.array([1.0, 2.0]), False, False, {}),
        (np.zeros(2), None, False, False, {}),
        (np.zeros(2), 1.0, np.array([True, False]), False, {}),
        (np.zeros(2), 1.0, False, {}),
        (_ENDLESS, 1.0, False, False, {}),
    ],
    ids=["two rewards", "no reward", "two ends", "the step of old", "endless parts"],
)
def test_a_step_that_can_not_be_recorded_is_the_learners_all_the_same(message):
    with record(dt=DT, strict=False) as rec:
        env = rec.wrap(ScriptedEnvironment(*message))
        env.reset()
        assert env.step(0) is env.unwrapped.told
        assert rec.status.frames == 2
        assert rec.status.calls_refused == {"wrap": 1}
