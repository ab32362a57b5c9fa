"""Several arenas as a stable-baselines3 vector environment; needs the extra `rl`."""

import copy
import time
from collections.abc import Iterable, Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt

try:
    from stable_baselines3.common.monitor import Monitor
    from stable_baselines3.common.vec_env import VecEnv
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        f"AimVecEnv needs {error.name}: install it with pip install 'playhead[rl]'", name=error.name
    ) from error

from ....errors import GameError
from ..fps.learning.observation import Tags
from ..fps.learning.vector_env import AimVector
from ..fps.match.training_match import names_of
from ..fps.simulation.round_targets_and_modes import ArenaMode, Target
from ..fps.simulation.simulation import WON
from .observation_action_encoder import (
    TURNS,
    Floats32,
    ObservationActionEncoder,
    checked_frame_skip,
)

_Step = tuple[Floats32, Floats32, npt.NDArray[np.bool_], list[dict[str, Any]]]


class AimVecEnv(VecEnv):  # type: ignore[misc]  # imported without its types
    """stable-baselines3's `VecEnv` over `AimVector`: `num_envs` is arenas × agents.

    Observations and actions are those of `ObservationActionEncoder`. A round is an episode; when
    it ends the next one begins in the same step, and the info of each agent has
    `terminal_observation`; `episode` with the sum of rewards `r`, the steps `l` and the time `t`,
    as a `Monitor` has them; and `is_success`. Rewards are as the arena gives them, up to 999:
    `VecNormalize(env, norm_obs=False)` makes them small.

    With `frame_skip` an action is held for so many steps, and their rewards are added up. Where a
    round ends among them no agent moves in the next one until the next action.

    `seed(n)` applies to the next `reset`, which starts everything over then; without a seed it
    begins the next rounds. There is nothing to render: record an `AimArena` with the same seed.

    Args:
        mode: A training mode.
        turns, direction: See `ObservationActionEncoder`.
        frame_skip: Steps that an action is held for, at most those of a round.
        tags: How tags of rays are written.
        settings: `arenas`, `agents`, `rays`, `rules`, `rewards`, `hall`, `odds`: see `AimVector`.

    Raises:
        GameError: one of the settings makes no sense.
    """

    def __init__(
        self,
        mode: ArenaMode | str = ArenaMode.TRAIN_MIX,
        *,
        turns: Sequence[float] = TURNS,
        direction: bool = False,
        frame_skip: int = 1,
        tags: Tags | str = Tags.ONE_HOT,
        **settings: Any,
    ) -> None:
        self.vector = AimVector(mode, tags=tags, **settings)
        self.features = ObservationActionEncoder(
            self.vector.layout, self.vector.setup.rules, turns=turns, direction=direction
        )
        self.agents = [
            VecAgent(self.vector, arena, agent)
            for arena in range(self.vector.arena_count)
            for agent in range(self.vector.agent_count)
        ]
        """Each environment by itself: what `get_attr` and `env_method` ask."""
        self.frame_skip = checked_frame_skip(frame_skip, self.vector.setup.rules)
        count = self.vector.num_envs
        self._seed: int | None = None
        self._actions: tuple[npt.NDArray[Any], npt.NDArray[Any]] | None = None
        self._returns, self._lengths = np.zeros(count), np.zeros(count, np.int64)
        self._began = time.time()
        super().__init__(count, self.features.observation_space, self.features.action_space)

    def __copy__(self) -> Self:
        return copy.deepcopy(self)

    # --- stepping -------------------------------------------------------------------------------

    def seed(self, seed: int | None = None) -> list[int | None]:
        """Have the next `reset` begin with this seed; returns that of each agent's arena."""
        self._seed = seed
        seeds = [None] * len(self.agents) if seed is None else self.vector.seeds_for(seed)
        return [seeds[agent.arena] for agent in self.agents]

    def reset(self) -> Floats32:
        """Begin the next round everywhere, or start over if a seed was given."""
        seen, _ = self.vector.reset(seed=self._seed)
        self._seed = self._actions = None
        self._returns[:], self._lengths[:] = 0.0, 0
        self._reset_seeds()
        self._reset_options()
        return self.features.observe(seen)

    def step_async(self, actions: npt.NDArray[Any]) -> None:
        """Take the actions, (num_envs, 4) choices; `step_wait` carries them out.

        Raises:
            GameError: they make no sense.
        """
        self._actions = self.features.act(actions)

    def step_wait(self) -> _Step:
        """Advance all agents by `frame_skip` steps.

        Raises:
            GameError: there are no actions to carry out, or they make no sense.
        """
        if self._actions is None:
            raise GameError("step_wait: there are no actions to carry out; step_async() first")
        (keys, turns), self._actions = self._actions, None
        count = len(self.agents)
        total, done = np.zeros(count), np.zeros(count, bool)
        infos: list[dict[str, Any]] = [{} for _ in self.agents]
        self._lengths += 1
        for _ in range(self.frame_skip):
            seen, rewards, over, _, info = self.vector.step((keys, turns))
            total += np.where(done, 0.0, rewards)
            fresh = over & ~done
            if fresh.any():
                keys, turns = np.where(over[:, None], 0, keys), np.where(over[:, None], 0.0, turns)
                for env in np.flatnonzero(fresh).tolist():
                    infos[env] = self._end(env, float(total[env]), info)
                done |= fresh
        self._returns += total
        self._returns[done], self._lengths[done] = 0.0, 0
        return self.features.observe(seen), total.astype(np.float32), done, infos

    def _end(self, env: int, reward: float, info: dict[str, Any]) -> dict[str, Any]:
        """The info of an agent whose round has ended, with this reward in its last step."""
        return {
            "terminal_observation": self.features.observe(info["final_obs"][env]),
            "TimeLimit.truncated": False,
            "is_success": bool(info["result"][env] == WON),
            "episode": {
                "r": round(float(self._returns[env]) + reward, 6),
                "l": int(self._lengths[env]),
                "t": round(time.time() - self._began, 6),
            },
        }

    def close(self) -> None:
        """End it."""
        self.vector.close()

    def get_images(self) -> list[None]:
        """Nothing to be seen: see `AimArena` for how to record."""
        return [None] * len(self.agents)

    # --- one environment by itself --------------------------------------------------------------

    def get_attr(self, attr_name: str, indices: int | Iterable[int] | None = None) -> list[Any]:
        """This attribute of some environments: see `VecAgent`."""
        return [getattr(agent, attr_name) for agent in self._some(indices)]

    def set_attr(
        self, attr_name: str, value: Any, indices: int | Iterable[int] | None = None
    ) -> None:
        """Keep an attribute of your own with some environments.

        Raises:
            GameError: the arenas have one of that name, which is shared.
        """
        for agent in self._some(indices):
            setattr(agent, attr_name, value)

    def env_method(
        self, method_name: str, *method_args: Any,
        indices: int | Iterable[int] | None = None, **method_kwargs: Any,
    ) -> list[Any]:  # fmt: skip
        """Call this method of some environments: see `VecAgent`."""
        return [
            getattr(agent, method_name)(*method_args, **method_kwargs)
            for agent in self._some(indices)
        ]

    def env_is_wrapped(
        self, wrapper_class: type[Any], indices: int | Iterable[int] | None = None
    ) -> list[bool]:
        """Whether a `Monitor` is asked for: `episode` reports what that would."""
        return [issubclass(wrapper_class, Monitor) for _ in self._some(indices)]

    def _some(self, indices: int | Iterable[int] | None) -> "list[VecAgent]":
        if indices is None:
            return self.agents
        numbers = [indices] if isinstance(indices, (int, np.integer)) else indices
        return [self.agents[number] for number in numbers]


class VecAgent:
    """One environment of many: an agent of one of the arenas.

    It has the attributes of its `AimVector` too, which all share, but not its methods, which are
    about all. Attributes of other names may be set.
    """

    render_mode = None
    vector: AimVector
    """All of them."""
    arena: int
    """Which of the arenas it is in."""
    agent: str
    """What it is called there."""

    def __init__(self, vector: AimVector, arena: int, agent: int) -> None:
        self.__dict__.update(vector=vector, arena=arena, agent=names_of(agent + 1)[-1])

    def __getattr__(self, name: str) -> Any:
        # Without a vector this is a copy in the making.
        if name.startswith("_") or "vector" not in self.__dict__:
            raise AttributeError(name)
        shared = getattr(self.vector, name)
        if callable(shared):
            raise AttributeError(f"{name} is about all environments: call env.vector.{name}()")
        return shared

    def __setattr__(self, name: str, value: Any) -> None:
        own = name in ("vector", "arena", "agent") or hasattr(type(self), name)
        if own or hasattr(self.vector, name):
            raise GameError(
                f"set_attr {name!r}: it is the arena's; what can be changed of it can be in"
                " env.vector, for all"
            )
        self.__dict__[name] = value

    @property
    def seed(self) -> int | None:
        """An `AimArena` with this seed goes the same way; None before the first reset."""
        return self.vector.seeds[self.arena] if self.vector.seeds else None

    @property
    def target(self) -> str:
        """What is asked in this round."""
        return Target(int(self.vector.simulation.arenas.target[self.arena])).word

    def state_hash(self) -> str:
        """A hash of the state of this arena, as that of `AimArena.match.arenas`."""
        return self.vector.simulation.arenas.state_hash(self.arena)
