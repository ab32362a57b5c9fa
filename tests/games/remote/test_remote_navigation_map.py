"""The navigation map of a game elsewhere: a way over its grid or mesh, and what is none refused."""

import pytest

from playhead.errors import GameError
from playhead.games.remote.remote_navigation_map import navigation_map

GRID = {"rows": [".....", ".###.", ".#.#.", ".###."], "origin": [10, 20, 1], "cell": 2}
MESH = {
    # Two squares side by side, and one apart.
    "vertices": [
        [0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [2, 0, 1], [2, 1, 1], [5, 5, 0], [6, 5, 0],
        [6, 6, 0],
    ],
    "triangles": [[0, 1, 2], [0, 2, 3], [1, 4, 2], [4, 5, 2], [6, 7, 8]],
}  # fmt: skip


def test_a_way_over_a_grid_goes_around_walls_and_names_only_its_turns():
    ground = navigation_map(GRID)
    assert ground is not None
    way = ground.path((10, 26, 1), (18, 26, 1), 0.5)
    assert way is not None
    assert [one.position for one in way] == [(10, 20, 1), (18, 20, 1), (18, 26, 1)]


def test_what_is_enclosed_or_off_the_grid_has_no_way():
    ground = navigation_map(GRID)
    assert ground is not None
    assert ground.path((10, 20, 1), (14, 24, 1), 0.5) is None
    assert ground.path((10, 20, 1), (90, 20, 1), 0.5) is None


def test_a_way_over_a_mesh_goes_over_the_edges_between_its_triangles():
    ground = navigation_map(MESH)
    assert ground is not None
    way = ground.path((0.2, 0.8, 0), (1.8, 0.8, 1), 0.5)
    assert way is not None
    assert [one.position for one in way] == [
        (0.5, 0.5, 0.0), (1.0, 0.5, 0.0), (1.5, 0.5, 0.5), (1.8, 0.8, 1),
    ]  # fmt: skip
    assert ground.path((0.2, 0.8, 0), (5.9, 5.5, 0), 0.5) is None


def test_a_game_that_knows_no_map_has_none():
    assert navigation_map(None) is None


@pytest.mark.parametrize(
    ("served", "message"),
    [
        ({"rows": ["..", "..."]}, "rows of one length"),
        ({"rows": [".."], "cell": 0}, "a cell over 0"),
        ({"rows": []}, "rows of one length"),
        ({"vertices": [[0, 0, 0]], "triangles": [[0, 1, 2]]}, "vertices that are there"),
        ([1, 2], "this is no navigation map"),
    ],
)
def test_what_is_no_map_is_refused(served, message):
    with pytest.raises(GameError, match=message):
        navigation_map(served)
