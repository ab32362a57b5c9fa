"""Train an agent to walk to its target, and save its best and its worst round as clips.

    pip install 'playhead[rl,viewer]'
    python examples/learn_to_aim.py                # 400,000 steps of the arena
    playhead view out/learn_to_aim/worst.mcap      # or best.mcap

In the viewer, Space plays and the arrow keys step. Each reward term is a watched value.
"""

import argparse
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from stable_baselines3 import PPO
from stable_baselines3.common.vec_env import VecNormalize

import playhead as ph
from playhead.games.arena.fps.match.hall_world_adapter import AimWorld
from playhead.games.arena.fps.simulation.block_difficulty_probabilities import (
    DifficultyProbabilities,
)
from playhead.games.arena.fps.simulation.ray_sensor import RaySettings
from playhead.games.arena.fps.simulation.rewards import RewardValues
from playhead.games.arena.fps.simulation.round_targets_and_modes import Target
from playhead.games.arena.pettingzoo_env import AimArena, AimGym
from playhead.games.arena.rl.gym import FeatureWrapper
from playhead.games.arena.rl.sb3_vec_env import AimVecEnv

MODE, ARENAS, ROUNDS, GAMMA = "train-goto", 64, 200, 0.99
SIGHT = RaySettings(view=170, reach=15)
REWARDS = RewardValues(in_area=0.0)  # else waiting in the fire base is worth more than winning
CHOICES: dict[str, Any] = {"turns": (-5, 0, 5), "direction": True}


class Round(NamedTuple):
    """A round that was played."""

    won: bool
    reward: float
    seed: int
    """Of an arena that begins with it."""
    actions: list[Any]


def arenas(count: int, **more: Any) -> AimVecEnv:
    return AimVecEnv(MODE, arenas=count, rays=SIGHT, rewards=REWARDS, **CHOICES, **more)


def beginner(seed: int) -> PPO:
    """A model that has learned nothing yet."""
    torch.set_num_threads(1)  # the network is small: more would wait for each other
    # The mazes of difficulty 5 would take most of the time; it is judged with them all the same.
    odds = {Target.GOTO: DifficultyProbabilities((0.1, 0.25, 0.3, 0.35, 0.0))}
    env = VecNormalize(arenas(ARENAS, odds=odds), norm_obs=False, gamma=GAMMA)
    return PPO(
        "MlpPolicy", env, n_steps=125, batch_size=250, n_epochs=5, learning_rate=5e-4, gamma=GAMMA,
        ent_coef=0.005, policy_kwargs={"net_arch": [128, 128]}, seed=seed, device="cpu",
    )  # fmt: skip


def learn(model: PPO, steps: int) -> None:
    """Learn for about so many steps of the arena."""
    model.learn(steps)


def play(model: PPO, count: int, seed: int = 1_000_000) -> list[Round]:
    """Play a round in each of so many arenas that it has not learned in."""
    env = arenas(count)
    seeds, seen = env.seed(seed), env.reset()
    actions: list[list[Any]] = [[] for _ in range(count)]
    rounds: dict[int, Round] = {}
    with torch.random.fork_rng([]):  # learning goes on as if no round had been played
        torch.manual_seed(seed)
        while len(rounds) < count:
            chosen, _ = model.predict(seen)
            seen, _, _, infos = env.step(chosen)
            for arena in set(range(count)) - set(rounds):
                actions[arena].append(chosen[arena])
                if infos[arena]:
                    won, reward = infos[arena]["is_success"], infos[arena]["episode"]["r"]
                    rounds[arena] = Round(won, reward, int(seeds[arena] or 0), actions[arena])
    return list(rounds.values())


def record(played: Round, path: Path) -> None:
    """Play a round again, exactly as it was, and save it as a clip."""
    with ph.Session(AimWorld(), "64 MiB") as session:
        arena = AimArena(
            MODE, agents=1, tags="one-hot", rays=SIGHT, rewards=REWARDS, record=session
        )
        env = FeatureWrapper(AimGym(arena), **CHOICES)
        env.reset(seed=played.seed)
        for action in played.actions:
            env.step(action)
        session.save(path, overwrite=True)


def wins(rounds: list[Round]) -> float:
    return float(np.mean([one.won for one in rounds]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=400_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--folder", type=Path, default=Path("out/learn_to_aim"))
    given = parser.parse_args()
    model, start = beginner(given.seed), time.monotonic()
    print(f"before: {wins(play(model, ROUNDS)):.2f} of the rounds are won")
    learn(model, given.steps)
    rounds = play(model, ROUNDS)
    print(f"after {given.steps:,} steps: {wins(rounds):.2f}, {time.monotonic() - start:.0f} s")
    given.folder.mkdir(parents=True, exist_ok=True)
    for name, choose in (("best", max), ("worst", min)):
        record(choose(rounds, key=lambda one: one.reward), given.folder / f"{name}.mcap")
        print(f"playhead view {given.folder / name}.mcap")


if __name__ == "__main__":
    main()
