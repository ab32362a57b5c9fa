"""Paths over a graph: the cheapest one, from any of some starts to any of some goals."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.games.shortest_paths import PathGraph, graph_of_steps
from playhead.games.walk_map import steps_between

NODES = 7
EDGES = st.dictionaries(
    st.tuples(st.integers(0, NODES - 1), st.integers(0, NODES - 1)).filter(lambda e: e[0] != e[1]),
    st.integers(1, 9), max_size=25,
)  # fmt: skip


def graph_of(edges):
    sources, targets = (np.array([edge[end] for edge in edges], int) for end in (0, 1))
    return PathGraph(NODES, sources, targets, np.array(list(edges.values()), float))


def relaxed(edges, starts):
    """The costs by Bellman's and Ford's algorithm."""
    costs = [starts.get(node, math.inf) for node in range(NODES)]
    for _ in range(NODES):
        for (source, target), cost in edges.items():
            costs[target] = min(costs[target], costs[source] + cost)
    return costs


@given(
    EDGES,
    st.dictionaries(st.integers(0, NODES - 1), st.integers(0, 5), max_size=3),
    st.lists(st.integers(0, NODES - 1), max_size=3),
    st.sampled_from([0.5, 6.0, math.inf]),
)
def test_a_path_goes_along_edges_and_none_is_cheaper_whatever_was_guessed(
    edges, starts, goals, guess
):
    path = graph_of(edges).path(starts, goals, guess)
    costs = relaxed(edges, starts)
    best = min((costs[goal] for goal in goals), default=math.inf)
    if path is None:
        assert best == math.inf
        return
    assert path[0] in starts
    assert path[-1] in goals
    assert starts[path[0]] + sum(edges[step] for step in pairwise(path)) == best


@given(EDGES, st.sets(st.integers(0, NODES - 1), max_size=3))
def test_the_costs_are_those_from_the_nearest_start(edges, starts):
    assert graph_of(edges).costs_from(starts).tolist() == relaxed(edges, dict.fromkeys(starts, 0))


def test_the_cells_of_a_grid_are_as_far_apart_as_their_steps_are_long():
    free = np.array([[True, True, True], [True, False, True], [True, True, True]])
    graph = graph_of_steps(steps_between(free))
    assert graph.path({0: 0.0}, [8]) in ([0, 1, 2, 5, 8], [0, 3, 6, 7, 8])
    assert graph.costs_from([0])[8] == 4.0


def test_a_step_costs_what_the_cell_costs_that_it_leads_to_also_when_searched_backwards():
    steps, pace = steps_between(np.ones((1, 3), bool)), np.array([[1.0, 5.0, 2.0]])
    assert graph_of_steps(steps, pace).costs_from([0]).tolist() == [0.0, 5.0, 7.0]
    assert graph_of_steps(steps, pace, backwards=True).costs_from([2]).tolist() == [7.0, 2.0, 0.0]


def test_a_long_way_round_is_found_on_a_large_map():
    free = np.ones((200, 200), bool)
    free[100, :-1] = False
    path = graph_of_steps(steps_between(free)).path({0: 0.0}, [free.size - 200])
    assert path is not None
    assert max(node % 200 for node in path) == 199


@pytest.mark.parametrize(("starts", "goals"), [({}, [1]), ({0: 0.0}, [])])
def test_without_a_start_or_a_goal_there_is_no_path(starts, goals):
    assert graph_of({(0, 1): 1}).path(starts, goals) is None


def test_of_paths_that_cost_the_same_the_one_over_lower_nodes_is_taken():
    edges = dict.fromkeys([(0, 3), (0, 1), (0, 2), (3, 4), (2, 4), (1, 4)], 1)
    assert graph_of(edges).path({0: 0.0}, [4]) == [0, 1, 4]
    grid = graph_of_steps(steps_between(np.ones((3, 3), bool)))
    assert grid.path({0: 0.0}, [5]) == [0, 1, 5]
