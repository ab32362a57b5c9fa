"""Doom as a game that people and agents play: the real engine, seen by `observe`."""

import math

import pytest

pytest.importorskip("vizdoom")

from playhead.errors import GameError
from playhead.games.doom.doom_game import PAUSE, DoomRun
from playhead.games.game_catalog import open_game
from playhead.games.playable_interface import DemoColumns, Playable, Saves
from playhead.playback.pads.pad import NEUTRAL, Button, Pad

AHEAD = Pad(left=(0.0, 1.0))


def play(game, tics, pad=None):
    game.hold(pad)
    for _ in range(tics):
        game.step()
    return game.observe()


def play_until(game, wanted, tics, pad=None):
    game.hold(pad)
    for _ in range(tics):
        game.step()
        if wanted(game.observe()):
            return game.observe()
    pytest.fail(f"it has not come to that within {tics} tics: {game.observe()}")


def test_it_is_all_that_can_be_played():
    with open_game("doom:map01", seed=3, skill=1) as game:
        assert isinstance(game, Playable)
        assert isinstance(game, DemoColumns)
        assert isinstance(game, Saves)
        assert game.about == {"game": "doom:map01", "seed": 3, "skill": 1}
        seen = game.observe()
        assert seen.level == "map01"
        assert set(seen.extras) == set(game.columns)
        for name, kind in game.columns.items():
            assert isinstance(seen.extras[name], kind)
        assert seen.extras["health"] == 100.0
        assert not seen.extras["exited"]


def test_a_skill_that_there_is_not_is_refused():
    with pytest.raises(GameError, match="skill 6 is not in 1"):
        open_game("doom:map01", skill=6)


@pytest.mark.slow
def test_skills_put_other_monsters_there():
    counts = []
    for skill in (1, 3, 4):
        with DoomRun("map01", skill=skill) as game:
            counts.append(len(game.game.objects.of_kinds("Monster")))
    assert counts[0] < counts[1] < counts[2]


def test_the_left_stick_goes_along_the_players_axes_and_the_right_one_turns():
    with DoomRun("map01") as game:
        start = play(game, 20, NEUTRAL)
        ahead = play(game, 12, AHEAD)
        assert ahead.position[0] > start.position[0] + 50  # it looks east
        assert ahead.position[1] == pytest.approx(start.position[1], abs=1)
        stopped = play(game, 12, NEUTRAL)
        assert play(game, 5, NEUTRAL).position == pytest.approx(stopped.position, abs=0.5)
        turned = play(game, 9, Pad(right=(-1.0, 0.0)))
        assert turned.facing == pytest.approx(math.radians(45), abs=0.01)
        assert turned.camera[0] == turned.facing
        right = play(game, 8, Pad(left=(1.0, 0.0)))
        off = math.atan2(
            *reversed([a - b for a, b in zip(right.position, turned.position, strict=True)][:2])
        )
        assert off == pytest.approx(math.radians(-45), abs=0.05)


def test_a_button_that_is_held_shoots():
    with DoomRun("map01") as game:
        play(game, 20, NEUTRAL)
        ammo = play(game, 1, NEUTRAL).extras["ammo"]
        assert play(game, 60, Pad(held=int(Button.A))).extras["ammo"] < ammo


@pytest.mark.slow
def test_enemies_are_those_that_live_and_can_be_seen():
    with DoomRun("map01", seed=3, skill=3) as game:
        seen, hidden = set(), 0
        game.hold(None)
        for _ in range(500):
            game.step()
            result = game.observe().enemies
            seen |= {(thing.label, thing.object) for thing in result}
            hidden = max(hidden, len(game.game.objects.of_kinds("Monster")) - len(result))
            for thing in result:
                assert game.game.objects.type_of(thing.object) == thing.label
                assert not thing.label.startswith("Dead")
        assert seen
        assert hidden > 5  # behind walls
        now = game.observe()
        dead = {
            id for id, name in game.game.objects.types_by_id().items() if name.startswith("Dead")
        }
        assert dead & {id for _, id in seen}
        assert not dead & {thing.object for thing in now.enemies}


@pytest.mark.slow
def test_the_scripted_person_plays_to_the_exit_and_the_end_is_reported_for_a_second():
    with DoomRun("map01", seed=3, skill=1) as game:
        end = play_until(game, lambda seen: seen.finished, 6000)
        assert end.extras["exited"]
        assert not end.dead
        assert game.pad.held == 0 or game.pad.holds(Button.X)
        start = (-192.0, -192.0)
        assert math.dist(end.position[:2], start) > 300
        assert game.game.ended == "the map ended"
        shown = game.state_hash()
        player = game.player
        for _ in range(PAUSE - 1):
            game.step()
            assert game.observe() == end
            assert game.pad == NEUTRAL
            assert (game.state_hash(), game.player) == (shown, player)
        game.step()
        assert game.player != player
        again = game.observe()
        assert not again.finished
        assert again.position[:2] == start


@pytest.mark.slow
def test_who_dies_is_told_dead_where_that_was_and_then_begins_anew(tmp_path):
    with DoomRun("map01", seed=3, skill=5) as game:
        before = play(game, 300)
        game.save(tmp_path / "early.save")
        end = play_until(game, lambda seen: seen.dead, 3000, NEUTRAL)
        assert not end.finished
        assert game.game.ended == "the player died"
        # Whoever looks into it sees the world in which that was.
        found = game.game.objects.find(game.player)
        assert tuple(found["position"].tolist()) == pytest.approx(end.position)
        assert {thing.object for thing in before.enemies} <= set(game.game.objects.ids.tolist())
        with pytest.raises(GameError, match="can't be saved"):
            game.save(tmp_path / "late.save")
        game.load(tmp_path / "early.save")
        assert not play(game, 1, NEUTRAL).dead
        end = play_until(game, lambda seen: seen.dead, 3000, NEUTRAL)
        assert not play(game, PAUSE, NEUTRAL).dead


@pytest.mark.slow
def test_a_saved_game_has_all_as_it_was_in_another_process_too(tmp_path):
    path = tmp_path / "a game.save"
    with DoomRun("map01", seed=3) as game:
        play(game, 200)
        game.save(path)
        saved = play(game, 1, NEUTRAL)
        ids, episode = set(game.game.objects.ids.tolist()), game.game.episode
        play(game, 100)
        game.load(path)
        back = play(game, 1, NEUTRAL)
        assert game.game.episode == episode + 1
        assert not ids & set(game.game.objects.ids.tolist())
        assert game.player in game.game.objects.ids
    with DoomRun("map01", seed=4) as other:
        other.load(path)
        there = play(other, 1, NEUTRAL)
    for seen in (back, there):
        assert math.dist(seen.position, saved.position) < 20
        assert seen.facing == pytest.approx(saved.facing, abs=0.2)
        assert seen.extras["health"] == pytest.approx(saved.extras["health"], abs=30)
        assert seen.extras["kills"] == saved.extras["kills"]


def test_what_is_no_saved_game_leaves_the_game_as_it_is(tmp_path):
    (tmp_path / "no.save").write_bytes(b"hello")
    with DoomRun("map01", seed=3) as game:
        before = game.state_hash()
        with pytest.raises(GameError, match=r"no\.save"):
            game.load(tmp_path / "no.save")
        with pytest.raises(GameError, match="no/such"):
            game.save(tmp_path / "no/such/a.save")
        assert game.state_hash() == before
        play(game, 5)


@pytest.mark.slow
def test_the_person_of_a_seed_plays_the_same_run_twice():
    runs = []
    for _ in range(2):
        with DoomRun("map01", seed=5, skill=3) as game:
            runs.append([(play(game, 10).position, game.pad) for _ in range(40)])
    assert runs[0] == runs[1]


def test_in_a_deathmatch_the_others_are_enemies():
    with DoomRun("deathmatch") as game:
        seen = play(game, 40)
        assert len(seen.enemies) >= 5
        assert game.player not in {thing.object for thing in seen.enemies}
        assert {thing.label for thing in seen.enemies} == {"DoomPlayer"}
        assert "exited" not in game.columns
