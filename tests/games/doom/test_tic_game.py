"""The real engine: its determinism, its ways to die, and that it leaves nothing behind."""

import gc
import os
import signal
import sys
import tempfile
from pathlib import Path

import msgspec
import numpy as np
import pytest

pytest.importorskip("vizdoom")

from playhead.errors import CommandError, GameError
from playhead.games.doom.doom_world_adapter import DoomWorld
from playhead.games.doom.engine import shared_memory_cleanup as shared_memory
from playhead.games.doom.scenario import SCENARIOS, Scenario
from playhead.games.doom.tic_game import DoomGame

from ...support.process import Process
from ...support.waits import until

FATAL = Scenario(
    name="basic",
    config="basic.cfg",
    map="map01",
    # This map has no place for deathmatch to start at: the engine ends with a fatal error.
    args=("-host 1", "-deathmatch"),
)
SHORT = msgspec.structs.replace(SCENARIOS["deathmatch"], name="short", episode_tics=60)


@pytest.fixture(autouse=True)
def folders(tmp_path, monkeypatch):
    """Temporary folders go where the test can look for leftovers; the user's folder is another."""
    scratch, home = tmp_path / "scratch", tmp_path / "home"
    scratch.mkdir()
    home.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    monkeypatch.chdir(home)
    yield
    assert not list(scratch.iterdir())
    assert not list(home.iterdir())


def members(group):
    """The processes of a group that still run: a zombie waits for its parent, not for us."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            pid, rest = stat.read_text().split(" (", 1)
        except OSError:
            continue
        state, _parent, its_group = rest.rsplit(")", 1)[1].split()[:3]
        if int(its_group) == group and state not in "ZX":
            found.append(int(pid))
    return found


def engine_of(group):
    (engine,) = (pid for pid in members(group) if command_of(pid) == "vizdoom")
    return engine


def command_of(pid):
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


def leaves_nothing(group, shared):
    return until(lambda: not members(group) and not any(file.exists() for file in shared))


def hashes(scenario, tics, seed=7):
    """The hash of each tic, half of them played by the script and half by given actions."""
    with DoomGame(scenario, seed=seed) as game:
        kept = [game.state_hash()]
        for tic in range(tics):
            given = {
                "MOVE_FORWARD": 1.0, "MOVE_FORWARD_BACKWARD_DELTA": 25.0, "MOVE_RIGHT": tic % 2,
                "TURN_LEFT_RIGHT_DELTA": 4.0 - tic % 9, "ATTACK": tic % 5 == 0,
            }  # fmt: skip
            action = [given.get(button, 0.0) for button in game.scenario.buttons]
            game.step(action if tic % 70 < 35 else None)
            kept.append(game.state_hash())
    return kept


@pytest.mark.slow
@pytest.mark.parametrize("scenario", ["deathmatch", "map01"])
def test_one_seed_and_the_same_actions_are_the_same_run(scenario):
    one = hashes(scenario, 700)
    assert one == hashes(scenario, 700)
    assert len(set(one)) > 600


@pytest.mark.slow
def test_another_seed_is_another_run():
    assert hashes("deathmatch", 60, seed=7) != hashes("deathmatch", 60, seed=8)


def test_ids_are_never_0_nor_twice_in_a_tic_and_types_stand_together():
    with DoomGame("deathmatch") as game:
        for _ in range(200):
            game.step()
            objects = game.objects
            assert objects.ids.all()
            assert len(np.unique(objects.ids)) == len(objects)
            assert (np.diff(objects.types.astype(int)) >= 0).all()
            assert np.abs(objects.records["angles"]).max() <= 2 * np.pi


def test_a_dead_player_keeps_its_id_and_comes_back_with_another():
    with DoomGame("deathmatch") as game:
        first = game.self_id
        seen = {first: {game.objects.type_of(first)}}
        tics = [game.tic]
        for _ in range(120):
            game.step()
            tics.append(game.tic)
            for id, name in game.objects.types_by_id().items():
                seen.setdefault(id, set()).add(name)
        assert {"DoomPlayer", "DeadDoomPlayer"} <= seen[first]
        assert game.objects.type_of(first) == "DeadDoomPlayer"
        assert game.self_id != first
        assert game.objects.type_of(game.self_id) == "DoomPlayer"
        own = game.objects.find(game.self_id)
        assert own["position"][:2].tolist() == [game.variables["x"], game.variables["y"]]
    assert tics == list(range(1, 122))


@pytest.mark.slow
def test_a_player_that_the_engine_leaves_dead_is_respawned():
    lying = msgspec.structs.replace(
        SCENARIOS["deathmatch"], name="lying", args=("-host 1", "-deathmatch")
    )
    idle = [0.0] * len(lying.buttons)
    with DoomGame(lying) as game:
        first = game.self_id
        for _ in range(120):
            game.step(idle)
        assert game.objects.type_of(first) == "DeadDoomPlayer"
        assert game.objects.type_of(game.self_id) == "DoomPlayer"


@pytest.mark.slow
def test_an_episode_that_ends_begins_again_with_time_and_with_new_ids():
    with DoomGame(SHORT) as game:
        earlier, ends = set(), []
        for _ in range(150):
            before, shown, over = game.time, game.state_hash(), game.ended
            earlier |= set(game.objects.ids.tolist())
            game.step()
            if game.ended:
                ends.append((game.episode, game.ended))
                assert (game.time, game.state_hash()) == (before, shown)
            elif over:
                assert game.time < before
                assert not earlier & set(game.objects.ids.tolist())
            else:
                assert game.time == pytest.approx(before + 1 / 35)
        assert ends == [(1, "its time was up"), (2, "its time was up")]
        assert list(game.objects.names).count("DoomPlayer") == 1
        players = [n for n in game.objects.types_by_id().values() if n.endswith("DoomPlayer")]
        assert len(players) > 7
    assert hashes(SHORT, 150) == hashes(SHORT, 150)


@pytest.mark.slow
def test_the_map_has_each_line_once_and_reading_it_does_not_disturb_the_game():
    with DoomGame("map01") as game, DoomGame("map01") as undisturbed:
        assert game.lines.shape == (len(game.blocking), 2, 3)
        assert len(game.lines) > 1000
        assert 0 < game.blocking.sum() < len(game.blocking)
        seen = {frozenset(map(tuple, line[:, :2].tolist())) for line in game.lines}
        assert len(seen) == len(game.lines)
        for _ in range(20):
            game.step()
            undisturbed.step()
        assert game.state_hash() == undisturbed.state_hash()


def test_an_action_that_does_not_fit_is_refused_and_the_game_goes_on():
    with DoomGame("map01") as game:
        for action in ([1.0], [float("nan")] * len(game.scenario.buttons)):
            with pytest.raises(CommandError, match="MOVE_FORWARD"):
                game.step(action)
        game.step()
        assert game.tic == 2


def test_a_scenario_that_kills_the_engine_is_an_error_and_this_process_lives(monkeypatch):
    removed = set()
    remove = shared_memory.remove
    monkeypatch.setattr(
        shared_memory, "remove", lambda files: (removed.update(files), remove(files))
    )
    with pytest.raises(GameError) as caught:
        DoomGame(FATAL)
    assert "doom:basic" in str(caught.value)
    assert "SIGSEGV" in str(caught.value)
    assert "last words" in str(caught.value)
    assert removed
    assert not any(file.exists() for file in removed)


def test_what_the_engine_refuses_is_an_error_with_its_words():
    with pytest.raises(GameError, match=r"doom:lost: the start failed: .*no-such\.cfg"):
        DoomGame(Scenario(name="lost", config="no-such.cfg", map="map01"))
    with pytest.raises(GameError, match="skill 6"):
        DoomGame("map01", skill=6)


def test_an_engine_that_is_killed_is_an_error_and_leaves_nothing():
    game = DoomGame("deathmatch")
    game.step()
    group, shared = game.pid, shared_memory.mapped_by(game.pid)
    os.kill(group, signal.SIGKILL)
    with pytest.raises(GameError, match=r"doom:deathmatch: the step after tic 2 .*SIGKILL"):
        game.step()
    assert shared
    assert leaves_nothing(group, shared)
    assert game.closed
    with pytest.raises(GameError, match="closed"):
        game.step()
    game.close()


@pytest.mark.parametrize("stopped", ["the engine", "its owner"])
def test_silence_is_an_error_and_leaves_nothing(stopped):
    game = DoomGame("map01", time_out=10.0)
    group, shared = game.pid, shared_memory.mapped_by(game.pid)
    game._process._time_out = 0.3
    os.kill(engine_of(game.pid) if stopped == "the engine" else group, signal.SIGSTOP)
    with pytest.raises(GameError, match=r"no answer within 0\.3 s"):
        game.step()
    assert leaves_nothing(group, shared)


def test_closing_twice_does_no_harm_and_leaves_nothing():
    with DoomGame("deathmatch") as game:
        group, shared = game.pid, shared_memory.mapped_by(game.pid)
        assert engine_of(group) in members(group)
        game.close()
    game.close()
    assert leaves_nothing(group, shared)
    with pytest.raises(GameError, match="closed"):
        game.step()


def test_a_game_that_is_forgotten_is_ended():
    game = DoomGame("map01")
    group, shared = game.pid, shared_memory.mapped_by(game.pid)
    del game
    gc.collect()
    assert leaves_nothing(group, shared)


PARENT = """
import sys, time
from playhead.games.doom.tic_game import DoomGame

game = DoomGame("deathmatch")
print(game.pid, flush=True)
sys.stdin.readline()
game.step()
"""


@pytest.mark.parametrize("hung", [False, True])
def test_an_engine_does_not_outlive_a_killed_parent(hung, folders):
    env = {"PYTHONPATH": os.pathsep.join(sys.path), "TMPDIR": tempfile.gettempdir()}
    with Process(sys.executable, "-c", PARENT, talks=True, env=env) as parent:
        group = int(parent.line())
        shared = shared_memory.mapped_by(group)
        assert shared
        if hung:
            # Neither the engine nor its owner can notice anything now.
            for pid in (engine_of(group), group):
                os.kill(pid, signal.SIGSTOP)
        parent.send_signal(signal.SIGKILL)
        parent.wait()
    assert leaves_nothing(group, shared)
    assert until(lambda: not list(Path(tempfile.gettempdir()).iterdir()))


def test_an_engine_does_not_outlive_its_killed_owner():
    game = DoomGame("map01")
    group, shared = game.pid, shared_memory.mapped_by(game.pid)
    os.kill(group, signal.SIGKILL)
    assert leaves_nothing(group, shared)
    game.close()


def test_a_world_on_the_real_engine_finds_its_own_objects():
    with DoomGame("map01") as game:
        world = DoomWorld(game)
        world.step()
        for id, kind, record in world.objects():
            assert kind == game.objects.type_of(id)
            assert world.find(id) == record
        assert world.time() == 2 / 35
