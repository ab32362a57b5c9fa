"""The arena as PettingZoo and Gymnasium see it, on the bus, and across processes."""

import sys
import threading
import time
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo import ParallelEnv

from playhead.bus.client.client import Client
from playhead.errors import GameError, PlayheadError
from playhead.games.arena.fps.match.hall_world_adapter import AimWorld
from playhead.games.arena.fps.match.match_control_commands import ClearGame, SpawnBlock, SpawnEnemy
from playhead.games.arena.fps.simulation.block_difficulty_probabilities import (
    DifficultyProbabilities,
)
from playhead.games.arena.fps.simulation.ray_sensor import RaySettings
from playhead.games.arena.fps.simulation.rewards import TERMS, RewardValues
from playhead.games.arena.fps.simulation.round_targets_and_modes import ArenaMode, Target
from playhead.games.arena.fps.simulation.rules import Rules
from playhead.games.arena.pettingzoo_env import AimArena, AimGym
from playhead.session import Session

from ...support.process import Process
from ...support.stage import loopback

with warnings.catch_warnings():
    # Its tests import environments of its own, in a way that it calls deprecated itself.
    warnings.simplefilter("ignore", DeprecationWarning)
    from pettingzoo.test import parallel_api_test, parallel_seed_test

STILL = ((0, 0, 0), (0.0,))
SHORT = Rules(round_time=2.0)


def everybody(env, act=STILL):
    return dict.fromkeys(env.agents, act)


def drive(env, steps, seed=0):
    """Let everybody do anything, round after round; what they saw and were paid."""
    rng = np.random.default_rng(seed)
    seen, _ = env.reset(seed=11)
    result = [np.concatenate(list(seen.values()))]
    for _ in range(steps):
        if not env.agents:
            env.reset()
        act = {a: (rng.integers(0, [3, 3, 2]), rng.normal(size=1) * 6) for a in env.agents}
        seen, rewards, *_ = env.step(act)
        result.append(np.concatenate([*seen.values(), list(rewards.values())]))
    return result


# --- other people's checkers ----------------------------------------------------------------------


@pytest.mark.parametrize("mode", list(ArenaMode))
@pytest.mark.parametrize("agents", [1, 3])
@pytest.mark.parametrize(
    ("rules", "cycles"),
    [({"rules": SHORT}, 100), pytest.param({}, 650, marks=pytest.mark.slow)],
    ids=["short rounds", "usual rounds"],
)
def test_pettingzoos_api_test_passes(mode, agents, rules, cycles, capsys):
    parallel_api_test(AimArena(mode, agents=agents, **rules), num_cycles=cycles)
    assert "Passed" in capsys.readouterr().out


@pytest.mark.slow
def test_pettingzoos_api_test_passes_with_one_hot_tags_and_other_rays():
    rays = {"agent_1": RaySettings(center=3, side=4, reach=30)}
    parallel_api_test(AimArena("train-mix", agents=2, tags="one-hot", rays=rays), num_cycles=650)


@pytest.mark.parametrize("mode", list(ArenaMode))
def test_pettingzoos_seed_test_passes(mode):
    parallel_seed_test(lambda: AimArena(mode, agents=2, rules=SHORT), num_cycles=60)


@pytest.mark.parametrize("mode", list(ArenaMode))
def test_gymnasiums_checker_passes(mode):
    with warnings.catch_warnings():
        # It advises against an action that has no bounds; the mouse has none.
        warnings.filterwarnings("ignore", message=r".*Box action space.*")
        check_env(AimGym(mode=mode), skip_render_check=True)
        check_env(AimGym(AimArena(mode, agents=3), agent="agent_2"), skip_render_check=True)


# --- spaces ---------------------------------------------------------------------------------------


def test_observations_have_51_numbers_or_89_and_stay_within_their_space():
    for tags, length in (("label", 51), ("one-hot", 89)):
        env = AimArena("train-mix", agents=2, tags=tags, rules=SHORT)
        assert isinstance(env, ParallelEnv)
        assert env.observation_space("agent_0").shape == (length,)
        rng = np.random.default_rng(1)
        env.reset(seed=2)
        for _ in range(200):
            if not env.agents:
                env.reset()
            act = {a: (rng.integers(0, [3, 3, 2]), rng.normal(size=1) * 9) for a in env.agents}
            for name, seen in env.step(act)[0].items():
                assert env.observation_space(name).contains(seen)


def test_an_action_is_three_keys_and_an_unbounded_turn():
    env = AimArena(agents=1)
    keys, mouse = env.action_space("agent_0")
    assert keys.nvec.tolist() == [3, 3, 2]
    assert mouse.shape == (1,)
    assert (mouse.low[0], mouse.high[0]) == (-np.inf, np.inf)


def test_rays_are_set_for_each_agent():
    rays = {"agent_1": RaySettings(center=3, side=4, share=0.5, reach=30)}
    env = AimArena("train-free", agents=2, rays=rays)
    seen, _ = env.reset(seed=1)
    assert {name: len(vector) for name, vector in seen.items()} == {"agent_0": 51, "agent_1": 35}
    assert env.observation_space("agent_1").high[-1] == 30
    assert env.layouts["agent_1"].names[-1] == "ray10_distance"
    assert len(env.state()) == 86


# --- rounds ---------------------------------------------------------------------------------------


def test_a_round_is_an_episode_and_what_carries_over_does():
    env = AimArena("train-goto", agents=2, rules=SHORT)
    first, infos = env.reset(seed=3)
    assert infos == {name: {"target": "goto"} for name in ("agent_0", "agent_1")}
    assert first["agent_0"][[8, 10, 11, 12]].tolist() == [1, 1, 1, 0]
    steps = 0
    while env.agents:
        seen, rewards, over, cut, infos = env.step(everybody(env, ((1, 0, 0), (1.5,))))
        steps += 1
        assert not any(cut.values())
    assert steps == 40
    assert over == {"agent_0": True, "agent_1": True}
    assert infos["agent_0"]["result"] == "lose"
    assert infos["agent_0"]["terms"]["lose"] == -999
    assert rewards["agent_0"] == pytest.approx(sum(infos["agent_0"]["terms"].values()))
    assert tuple(infos["agent_0"]["terms"]) == TERMS
    again, _ = env.reset()
    assert np.array_equal(again["agent_0"][8:13], seen["agent_0"][8:13])
    again, _ = env.reset(seed=3)
    assert np.array_equal(again["agent_0"], first["agent_0"])


def test_after_the_end_nobody_acts_and_before_the_start_nobody_can():
    env = AimArena("train-free", agents=2, rules=SHORT)
    with pytest.raises(GameError, match=r"nothing has begun yet: reset\(\) first"):
        env.step(everybody(env))
    env.reset(seed=1)
    while env.agents:
        env.step(everybody(env))
    assert env.step({}) == ({}, {}, {}, {}, {})
    with pytest.raises(GameError, match="none, reset"):
        env.step({"agent_0": STILL, "agent_1": STILL})


@pytest.mark.parametrize(
    ("actions", "says"),
    [
        ({"agent_0": STILL}, "actions of agent_0: agents that act now are agent_0, agent_1"),
        ({"agent_0": STILL, "agent_1": STILL, "x": STILL}, "actions of agent_0, agent_1, x"),
        (
            {"agent_0": STILL, "agent_1": 3},
            "an action is .*forward, right, attack",
        ),
        ({"agent_0": STILL, "agent_1": ((0, 0), (0.0,))}, "an action is"),
        ({"agent_0": STILL, "agent_1": ((0, 0, 2), (0.0,))}, "discrete action 2 of agent 1 is 2"),
        ({"agent_0": STILL, "agent_1": ((0, 0, 0), (np.nan,))}, "of agent 1 is nan"),
    ],
)
def test_actions_that_make_no_sense_are_refused_and_nothing_is_done(actions, says):
    env = AimArena("train-free", agents=2)
    env.reset(seed=1)
    before = env.state_hash()
    with pytest.raises(GameError, match=says):
        env.step(actions)
    assert env.state_hash() == before


def test_settings_are_taken():
    values = RewardValues(move=-2.0)
    env = AimArena("train-goto", agents=1, rewards=values, odds={"goto": [0, 0, 1, 0, 0]}, seed=5)
    env.reset()
    assert env.match.seed == 5
    assert env.match.arenas.blocks[0][0].preset.difficulty == 3
    _, rewards, *_ = env.step({"agent_0": ((1, 0, 0), (0.0,))})
    assert rewards["agent_0"] == -2.0
    env = AimArena(odds={"attack": DifficultyProbabilities([1, 0, 0, 0, 0])})
    assert env.odds[Target.ATTACK].values[0] == 1
    for wrong in ({"mode": "x"}, {"agents": 0}, {"tags": "x"}, {"odds": {"free": [1, 0, 0, 0, 0]}}):
        with pytest.raises(GameError):
            AimArena(**wrong)


# --- modes ----------------------------------------------------------------------------------------


def test_the_mode_is_chosen_once_by_another_thread_while_reset_waits():
    env = AimArena(None, agents=1)
    assert env.mode is None
    chooser = threading.Timer(0.02, env.choose, ("train-goto",))
    chooser.start()
    env.reset(seed=1)
    chooser.join()
    assert env.mode is ArenaMode.TRAIN_GOTO
    with pytest.raises(GameError, match="can't be changed"):
        env.choose("train-free")
    with pytest.raises(GameError, match="can't be changed"):
        AimArena("test").choose("test")


def test_without_a_choice_in_time_the_environment_closes_and_says_so():
    now = [0.0]
    env = AimArena(None, agents=1, clock=lambda: now[0])
    heard = []
    env.on_message(lambda result: heard.append(result.text))
    now[0] = 45.0
    with pytest.raises(GameError, match="no mode was chosen within 45 s"):
        env.reset()
    assert env.closed
    assert heard == [
        "Error|Start|no mode was chosen within 45 s of the start: the environment has closed"
    ]
    with pytest.raises(GameError, match="has closed"):
        env.reset()
    with pytest.raises(GameError, match="no mode was chosen"):
        env.choose("test")


def test_odds_are_set_on_the_start_screen_and_while_it_runs():
    env = AimArena(None, agents=1, rules=SHORT)
    env.odds[Target.GOTO].set(4, 1.0)
    env.choose("train-goto")
    env.reset(seed=1)
    assert env.match.arenas.blocks[0][0].preset.difficulty == 4
    env.odds[Target.GOTO].set(2, 1.0)
    env.step(everybody(env))
    assert env.match.arenas.blocks[0][0].preset.difficulty == 4
    env.reset()
    assert env.match.arenas.blocks[0][0].preset.difficulty == 2


def test_in_test_mode_a_person_gives_the_orders():
    env = AimArena("test", agents=1)
    heard = []
    env.on_message(lambda result: heard.append(result.text))
    seen, infos = env.reset(seed=1)
    assert seen["agent_0"][0] == 4
    assert infos["agent_0"]["target"] == "stay"
    order = SpawnBlock("goto", 1, 23.0, 23.0)
    assert env.preview(order).refused == ""
    env.order(order)
    seen, rewards, over, _, infos = env.step(everybody(env, ((1, 0, 0), (0.0,))))
    assert seen["agent_0"][0] == 1
    assert rewards == {"agent_0": 0.0}
    with pytest.raises(GameError, match="in a wall"):
        env.order(SpawnEnemy(23.5, 4.5))
    env.send(ClearGame())
    env.send(SpawnEnemy(23.5, 4.5))
    for _ in range(700):
        seen, _, over, _, _ = env.step(everybody(env))
        assert over == {"agent_0": False}
    assert seen["agent_0"][0] == 4
    assert heard == ["Error|Order|an enemy at (23.5, 4.5) would stand in a wall"]


def test_a_closed_environment_does_nothing_more():
    env = AimArena("train-free", agents=1)
    env.reset(seed=1)
    env.close()
    env.close()
    assert env.render() is None
    with pytest.raises(GameError, match="closed"):
        env.step({})


# --- Gymnasium ------------------------------------------------------------------------------------


def test_the_view_of_one_agent_gives_what_the_arena_gives():
    plain = AimArena("train-mix", agents=1, rules=SHORT)
    view = AimGym(mode="train-mix", rules=SHORT)
    assert isinstance(view, gymnasium.Env)
    seen, info = view.reset(seed=4)
    result, _ = plain.reset(seed=4)
    assert np.array_equal(seen, result["agent_0"])
    over = False
    while not over:
        act = ((1, 1, 1), (2.0,))
        seen, reward, over, cut, info = view.step(act)
        result, rewards, *_, infos = plain.step({"agent_0": act})
        assert np.array_equal(seen, result["agent_0"])
        assert (reward, info, cut) == (rewards["agent_0"], infos["agent_0"], False)
    with pytest.raises(GameError, match="the round has ended"):
        view.step(STILL)
    view.close()
    assert view.arena.closed


def test_other_agents_are_played_by_what_one_gives():
    asked = []

    def others(name, seen):
        asked.append((name, len(seen)))
        return (1, 0, 0), (0.0,)

    arena = AimArena("train-goto", agents=3)
    view = AimGym(arena, agent="agent_1", others=others)
    view.reset(seed=1)
    view.step(STILL)
    assert asked == [("agent_0", 51), ("agent_2", 51)]
    y = arena.match.arenas.at[1, 0, :3]
    assert y.tolist() == pytest.approx([1.2, 1.0, 1.2])
    with pytest.raises(GameError, match="agent 'x': there are agent_0"):
        AimGym(arena, agent="x")
    with pytest.raises(GameError, match="mode: an arena that is given has its settings"):
        AimGym(arena, mode="test")


# --- recorded, on the bus -------------------------------------------------------------------------


def test_messages_come_as_log_lines_on_the_bus():
    with Session(AimWorld(), "8 MiB", bus=loopback()) as session:
        env = AimArena("train-free", agents=1, rules=SHORT, record=session)
        env.reset(seed=1)
        heard = []
        with Client(session.bus.endpoint, timeout=20) as client:
            client.on("log", lambda event: heard.extend(event.event.lines))
            client.dispatch(0.0)
            limit = time.monotonic() + 20
            while not heard and time.monotonic() < limit:
                if not env.agents:
                    env.reset()
                env.step(everybody(env))
                client.dispatch(0.001)
        assert (heard[0].text, heard[0].level) == ("Warning|Result|Lose", "warning")


class Waiting:
    """An environment on the bus whose mode is not chosen yet, while its `reset` waits."""

    def __init__(self, **settings):
        self.failed, self.env = None, None
        self._settings = settings
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def _run(self):
        with Session(AimWorld(), "8 MiB", bus=loopback()) as session:
            self.env = AimArena(None, agents=1, record=session, **self._settings)
            self.endpoint = session.bus.endpoint
            self._ready.set()
            try:
                self.env.reset(seed=1)
                self.hash = self.env.state_hash()
                self.block = [b.preset.difficulty for b in self.env.match.arenas.blocks[0]]
                source = session.source
                span = source.span
                self.frames = [source.stamp(f).time for f in range(span.oldest, span.newest + 1)]
                self.published_values = {
                    key: result for (_, _, key), result in source.facts(span.newest).items()
                }
            except GameError as error:
                self.failed = error

    def __enter__(self):
        self._thread.start()
        assert self._ready.wait(20)
        return self

    def __exit__(self, *_):
        self.env.close()
        self._thread.join(20)

    def join(self):
        self._thread.join(20)
        assert not self._thread.is_alive()


def test_while_reset_waits_on_the_bus_a_tool_sees_the_start_screen_and_chooses():
    with Waiting(start_limit=600.0) as one, Client(one.endpoint, timeout=20) as tool:
        with pytest.raises(PlayheadError, match="choose a mode first"):
            tool.call("arena", {"order": "clear"})
        tool.call("arena", {"order": "set_odds", "target": "goto", "difficulty": 4, "value": 1})
        assert tool.published("arena").body["choices"] == list(ArenaMode)
        tool.enter()
        with pytest.raises(PlayheadError, match="is paused in playback"):
            tool.call("arena", {"order": "choose", "mode": "train-goto"})
        tool.leave()
        tool.call("arena", {"order": "choose", "mode": "train-goto"})
        one.join()
    assert one.failed is None
    assert one.block == [4]
    assert one.frames == sorted(one.frames)
    assert len(one.frames) > 1
    assert (one.published_values["arena"]["mode"], one.published_values["arena"]["target"]) == (
        "train-goto",
        "goto",
    )


def test_what_is_chosen_on_the_bus_begins_as_if_it_had_been_given():
    plain = AimArena("train-attack", agents=1)
    plain.reset(seed=1)
    with Waiting(start_limit=600.0) as one:
        one.env.choose("train-attack")
        one.join()
    assert one.failed is None
    assert one.hash == plain.state_hash()


def test_on_the_bus_too_the_environment_closes_when_nobody_chooses_in_time():
    now = [0.0]
    with Waiting(clock=lambda: now[0]) as one, Client(one.endpoint, timeout=20) as tool:
        with pytest.raises(PlayheadError, match="choose a mode first"):
            tool.call("arena", {"order": "clear"})
        now[0] = 45.0
        one.join()
    assert "no mode was chosen within 45 s" in str(one.failed)
    assert one.env.closed


def test_a_tool_that_pauses_the_session_holds_the_training_and_lets_it_go_on():
    with Session(AimWorld(), "8 MiB", bus=loopback()) as session:
        env = AimArena("train-free", agents=1, record=session)
        plain = AimArena("train-free", agents=1)
        env.reset(seed=1)
        plain.reset(seed=1)
        stood = threading.Event()
        failed = []

        def tool():
            try:
                with Client(session.bus.endpoint, timeout=20) as client:
                    client.enter()
                    client.step(-3)
                    client.play(4.0)
                    stood.set()
                    client.leave()
            except Exception as error:
                failed.append(error)
                stood.set()

        for _ in range(10):
            env.step(everybody(env))
            plain.step(everybody(plain))
        thread = threading.Thread(target=tool)
        thread.start()
        limit = time.monotonic() + 20
        while (not stood.is_set() or thread.is_alive()) and time.monotonic() < limit:
            if not env.agents:
                env.reset()
                plain.reset()
            env.step(everybody(env))
            plain.step(everybody(plain))
        thread.join(20)
        assert stood.is_set()
        assert not failed
        assert env.state_hash() == plain.state_hash()


# --- the same everywhere --------------------------------------------------------------------------

RUN = """
import hashlib, sys
import numpy as np
from playhead.games.arena.pettingzoo_env import AimArena

steps = int(sys.argv[1])
env = AimArena("train-mix", agents=3)
env.reset(seed=11)
rng = np.random.default_rng(0)
digest = hashlib.blake2b(digest_size=16)
for _ in range(steps):
    if not env.agents:
        env.reset()
    act = {a: (rng.integers(0, [3, 3, 2]), rng.normal(size=1) * 6) for a in env.agents}
    seen, rewards, *_ = env.step(act)
    for name in seen:
        digest.update(seen[name].tobytes() + np.float64(rewards[name]).tobytes())
print(digest.hexdigest(), env.state_hash())
"""


def elsewhere(steps):
    """What two processes come to at once, whose sets and dictionaries are ordered differently."""
    command = (sys.executable, "-W", "error", "-c", RUN, steps)
    with (
        Process(*command, env={"PYTHONHASHSEED": "1"}) as one,
        Process(*command, env={"PYTHONHASHSEED": "2"}) as other,
    ):
        output = [process.end()[1:] for process in (one, other)]
    assert [error for _, error in output] == ["", ""]
    return [hashes for hashes, _ in output]


@pytest.mark.slow
def test_the_same_seed_gives_the_same_observations_and_state():
    one, other = (AimArena("train-mix", agents=3) for _ in range(2))
    for here, there in zip(drive(one, 1500), drive(other, 1500), strict=True):
        assert np.array_equal(here, there)
    assert one.state_hash() == other.state_hash()


@pytest.mark.slow
def test_the_same_seed_gives_the_same_state_in_another_process():
    one, other = elsewhere(600)
    assert one == other != ""
