"""The guard that comes along: its tree patrols, fights and finds its way back."""

import math

import pytest

from playhead.agents.behaviour_trees.paths.path_search import PathSearch
from playhead.agents.behaviour_trees.tree_agent import TreeAgent
from playhead.agents.behaviour_trees.tree_game_run import body_of, find_workspace, run_tree
from playhead.agents.behaviour_trees.workspace.workspace import Workspace
from playhead.agents.behaviour_trees.workspace.workspace_checker import (
    check_for_body,
    check_workspace,
    load_workspace,
)
from playhead.errors import GameError, TreeError
from playhead.games.arena.guards.guard_tree_interface import map_of_level
from playhead.games.arena.yard_game import ArenaGame
from playhead.recording import open_file


@pytest.fixture(scope="module")
def workspace():
    return load_workspace(find_workspace("yard_guard"))


def test_it_has_no_problems_and_no_warnings():
    read = Workspace(find_workspace("yard_guard"))
    assert check_workspace(read) == []
    assert check_for_body(read, body_of(ArenaGame(), "middle"), "the guard") == []


def test_the_map_leads_around_the_yards_walls_to_every_post():
    yard = ArenaGame().yard
    search = PathSearch(map_of_level(yard.level))
    posts = [point for post in yard.level.guards for point in post.route]
    for post in posts:
        points = search.route(yard.level.player, post)
        assert points is not None, post
        for a, b in zip([yard.level.player, *points], points, strict=False):
            assert yard.ground.clear(a, b, 0.3), (a, b)


@pytest.mark.slow
def test_it_walks_its_round_comes_to_every_post_and_is_recorded(workspace, tmp_path):
    game = ArenaGame(seed=1, guards=6)
    guard = game.yard.guards[2]
    reached = set()

    def look(frame):
        reached.update(n for n, post in enumerate(guard.patrol) if math.dist(post, guard.at) < 0.6)
        return True

    clip = tmp_path / "sentry.mcap"
    outcome = run_tree(workspace, game, "sentry", frames=2400, seed=1, clip=clip, before_step=look)
    assert outcome.failures == {}
    assert reached == {0, 1, 2, 3}
    assert outcome.clip == str(clip)
    with open_file.open(str(clip)) as run:
        newest = run.span.newest
        tree = run.tree(guard.id, "sentry", frame=newest)
        assert tree.frame == newest
        assert tree.nodes[0].status in ("success", "running")
        assert {"is at the post", "walk to the post"} <= {node.name for node in tree.nodes}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["yard_guard", "doom_marine"])
def test_every_leaf_of_the_agents_that_come_along_acts_or_tests(name):
    workspace = load_workspace(find_workspace(name))
    leaves = {child for node in workspace.nodes.values() for child in node.children}
    leaves -= workspace.nodes.keys()
    assert leaves
    assert leaves <= workspace.action_nodes.keys() | workspace.trigger_nodes.keys()


@pytest.mark.slow
def test_the_same_seed_gives_the_same_play(workspace):
    hashes = {
        run_tree(workspace, ArenaGame(seed=5), "guard", frames=300).state_hash for _ in range(2)
    }
    assert len(hashes) == 1


@pytest.mark.slow
def test_it_fights_the_player_and_goes_back_to_its_round(workspace):
    game = ArenaGame(seed=7)
    outcome = run_tree(workspace, game, "guard", frames=1800)
    assert outcome.failures == {}
    assert outcome.actions["hit"] > 20
    assert outcome.actions["walk to the post"] > 100


def test_a_guard_that_is_let_go_thinks_for_itself_again(workspace):
    game = ArenaGame(seed=7)
    guard = game.yard.guards[2]
    with TreeAgent(workspace, "guard", body_of(game, "middle"), answer_after=0.1) as agent:
        for _ in range(30):
            agent.step(game.dt)
            game.step()
        assert guard.orders is not None
    assert guard.orders is None


def test_without_orders_nothing_is_different():
    one, other = ArenaGame(seed=7), ArenaGame(seed=7)
    body_of(one, "middle").release()
    for _ in range(120):
        one.step()
        other.step()
    assert one.state_hash() == other.state_hash()


def test_an_unknown_name_raises_with_the_nearest_one(workspace):
    with pytest.raises(GameError, match="no character called 'midle'.*did you mean 'middle'"):
        body_of(ArenaGame(), "midle")
    with pytest.raises(TreeError, match="no agent 'gard': did you mean 'guard'"):
        run_tree(workspace, ArenaGame(), "gard", frames=1)


@pytest.mark.slow
def test_in_ten_minutes_it_patrols_fights_flees_finds_back_and_is_never_stuck(workspace):
    game = ArenaGame(seed=7)
    guard = game.yard.guards[2]
    posts = dict.fromkeys(range(4), 0)

    def look(frame):
        for number, post in enumerate(guard.patrol):
            if math.dist(post, guard.at) < 0.6:
                posts[number] = frame
        return True

    outcome = run_tree(workspace, game, "guard", frames=36_000, before_step=look)
    assert outcome.failures == {}
    assert {"hit", "run to shelter", "walk to the post", "look around"} <= outcome.actions.keys()
    assert outcome.longest_still < 20.0
    assert min(posts.values()) > 24_000
