"""Wrappers that record PettingZoo's multi-agent environments. Imports pettingzoo."""

import copy
from collections.abc import Callable
from typing import Any

from pettingzoo.utils.env import AECEnv, ParallelEnv
from pettingzoo.utils.wrappers import BaseParallelWrapper, BaseWrapper

from .environment_recorder import EnvironmentRecord
from .recorded_environment import EnvironmentHost, RecordedEnvironment, StepRecorder, end_text


class AgentRecords:
    """The objects of an environment's agents, and the marks and events of its episodes.

    An agent gets its object when it appears for the first time, since agents may come later.
    """

    def __init__(self, host: EnvironmentHost, type: str, env: Any) -> None:
        self.steps = StepRecorder(host, env, type)
        self._host, self._type = host, type
        self._records: dict[Any, tuple[EnvironmentRecord, int]] = {}
        self._episode = 0
        self._is_over = True

    def of(self, agent: Any) -> EnvironmentRecord:
        """What is recorded of an agent."""
        found = self._records.get(agent)
        if found is None:
            found = self._records[agent] = self._host.add_record(self._type, str(agent))
            if not self._is_over:
                found[0].begin()
        return found[0]

    def begin(self, agents: Any, seed: int | None) -> None:
        """An episode begins."""
        self._episode += 1
        self._is_over = False
        for agent in agents:
            self.of(agent).begin()
        self.steps.mark(f"episode {self._episode}", "" if seed is None else f"seed {seed}")

    def rewarded(self, agent: Any, reward: Any, terminated: Any, truncated: Any) -> None:
        """An agent was given a reward, and may have ended by it."""
        record = self.of(agent)
        had_ended = record.has_ended
        record.rewarded(reward, terminated, truncated)
        if record.has_ended and not had_ended:
            value = {
                "episode": self._episode, "end": end_text(terminated),
                "steps": record["step"], "reward": record["total_reward"],
            }  # fmt: skip
            self.steps.event("agent ended", value, self._records[agent][1])

    def end_if_over(self, agents: Any) -> None:
        """Mark the end of the episode if no agent is left."""
        if agents or self._is_over:
            return
        self._is_over = True
        totals = (
            f"{agent} {record['total_reward']:g}" for agent, (record, _) in self._records.items()
        )
        self.steps.mark(
            f"episode {self._episode} over", f"rewards: {', '.join(totals)}"[:_LONGEST_NOTE]
        )


class ParallelSteps:
    """Records all steps of a parallel environment. Keeps no reference to it."""

    def __init__(self, env: "ParallelEnv[Any, Any, Any]", host: EnvironmentHost) -> None:
        self.agents = AgentRecords(host, _name(env), env)

    def reset(self, call: Callable[[], Any], env: Any, seed: int | None) -> Any:
        """Reset the environment by `call`."""

        def record(result: Any) -> None:
            observations, _ = result
            self.agents.begin(env.agents, seed)
            for agent, observation in observations.items():
                self.agents.of(agent).observed(observation)

        return self.agents.steps.run(call, record, 0.0)

    def step(self, call: Callable[[], Any], env: Any, actions: dict[Any, Any]) -> Any:
        """Make a step of all agents by `call`."""

        def record(result: Any) -> None:
            agents = self.agents
            observations, rewards, terminated, truncated, _ = result
            for agent, action in actions.items():
                agents.of(agent).acted(action)
            for agent, observation in observations.items():
                agents.of(agent).observed(observation)
            for agent, reward in rewards.items():
                agents.rewarded(agent, reward, terminated.get(agent), truncated.get(agent))
            agents.end_if_over(env.agents)

        return self.agents.steps.run(call, record, None)


class AECSteps:
    """Records the steps of an environment in which agents take turns. It does not hold it."""

    def __init__(self, env: "AECEnv[Any, Any, Any]", host: EnvironmentHost) -> None:
        self.agents = AgentRecords(host, _name(env), env)

    def reset(self, call: Callable[[], Any], env: Any, seed: int | None) -> None:
        """Reset the environment by `call`."""
        self.agents.steps.run(call, lambda _: self.agents.begin(env.agents, seed), 0.0)

    def observed(self, agent: Any, observation: Any) -> None:
        """The program asked what an agent observes."""
        host = self.agents.steps.host
        if not host.closed:
            with host.recorder.refusing("wrap"):
                self.agents.of(agent).observed(observation)

    def step(self, call: Callable[[], Any], env: Any, action: Any) -> None:
        """Make the step of the agent whose turn it is by `call`."""

        def record(_: None) -> None:
            agents = self.agents
            if action is not None:  # None ends the turn of an agent that has ended
                agents.of(acting).acted(action)
            for agent, reward in env.rewards.items():
                agents.rewarded(
                    agent, reward, env.terminations.get(agent), env.truncations.get(agent)
                )
            agents.end_if_over(env.agents)

        acting = getattr(env, "agent_selection", None)
        self.agents.steps.run(call, record, None)


class RecordingParallelWrapper(RecordedEnvironment, BaseParallelWrapper[Any, Any, Any]):  # type: ignore[misc]  # has no types
    """Records each step of a parallel environment, and changes none of them.

    Each agent is an object of the recording. A copy of the environment is not recorded.
    """

    def __init__(self, env: "ParallelEnv[Any, Any, Any]", host: EnvironmentHost) -> None:
        super().__init__(env)
        self.recording_host = host
        self._steps = ParallelSteps(env, host)

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        return self._steps.reset(lambda: self.env.reset(seed=seed, options=options), self.env, seed)

    def step(self, actions: dict[Any, Any]) -> Any:
        return self._steps.step(lambda: self.env.step(actions), self.env, actions)

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return copy.deepcopy(self.env, memo)


class RecordingAECWrapper(RecordedEnvironment, BaseWrapper[Any, Any, Any]):  # type: ignore[misc]  # has no types
    """Records each agent's step of an environment in which agents take turns, and changes none.

    Each agent is an object of the recording, and each call of `step` a frame. Of observations those
    are recorded that the program asks for, by `last` or `observe`: they are in the frame of the
    step after that.
    """

    def __init__(self, env: "AECEnv[Any, Any, Any]", host: EnvironmentHost) -> None:
        super().__init__(env)
        self.recording_host = host
        self._steps = AECSteps(env, host)

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        self._steps.reset(lambda: self.env.reset(seed=seed, options=options), self.env, seed)

    def observe(self, agent: Any) -> Any:
        observation = self.env.observe(agent)
        self._steps.observed(agent, observation)
        return observation

    def step(self, action: Any) -> None:
        self._steps.step(lambda: self.env.step(action), self.env, action)

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return copy.deepcopy(self.env, memo)


def _name(env: Any) -> str:
    """What the agents' type is called: as the environment's metadata names it."""
    name = getattr(env, "metadata", {}).get("name")
    return str(name) if name else type(env.unwrapped).__name__


_LONGEST_NOTE = 200
