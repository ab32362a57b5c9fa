"""Recorded animation trees: what is kept of them, what popped, and what is stacked."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.recorder.packets.trace_types import AnimationClip, AnimationFrame
from playhead.viewer.panels.animation.animation_model import (
    POP,
    clips_at,
    colors_of,
    pop_beside,
    stack_of,
    unchanged_text,
    words,
)
from playhead.viewer.reader.history.animation_history import Blends, TreeShape
from playhead.viewer.reader.history.growable_array import GrowableArray

from ...animated_recording import BLEND, DT, FRAMES, HOP, LANDS, STILL
from ...animated_recording import clips_at as danced


def trace(*clips):
    return AnimationFrame("body", tuple(clips), "game/anim.py", 7)


def two(share, note="why"):
    """A root with two clips that make up 1."""
    return trace(
        AnimationClip("root", 1.0), AnimationClip("a", share, 2.0, 0.25, note, 0),
        AnimationClip("b", 1.0 - share, parent=0),
    )  # fmt: skip


@pytest.fixture
def times():
    column = GrowableArray()
    for frame in range(1, FRAMES + 1):
        column.put(frame, frame * DT)
    return column


@pytest.fixture
def blends():
    made = Blends()
    for frame in range(1, STILL):
        made.put(frame, trace(*danced(frame)))
    return made


def test_a_tree_is_listed_from_top_to_bottom_with_parents_before_children(blends, times):
    rows = clips_at(blends, times, 10)
    assert [(row.name, row.depth, row.inner) for row in rows] == [
        ("body", 0, True), ("idle", 1, False), ("walk", 1, False), ("hop", 1, False),
    ]  # fmt: skip
    assert [row.last for row in rows] == [(True,), (True, False), (True, False), (True, True)]
    walk = rows[2]
    assert (walk.rate, walk.criteria) == (1.5, "from 1 m/s")
    assert walk.time == pytest.approx(0.3)


def test_children_that_stand_apart_in_the_list_are_gathered_below_their_parent():
    shape = TreeShape(("x", "y", "x1", "y1", "lost"), (-1, -1, 0, 1, 9))
    assert [shape.names[at] for at in shape.order] == ["x", "x1", "y", "y1", "lost"]
    assert [shape.names[at] for at in shape.leaves] == ["x1", "y1", "lost"]


def test_clips_of_one_name_are_distinguished_by_their_place():
    shape = TreeShape(("l", "r", "walk", "walk", "walk"), (-1, -1, 0, 1, 1))
    assert len(set(shape.paths)) == 5
    assert shape.paths[2] == (("l", 0), ("walk", 0))
    assert shape.paths[4] == (("r", 0), ("walk", 1))


def test_a_blend_is_no_pop_and_a_jump_is_one(blends, times):
    for frame in range(BLEND, BLEND + 17):
        assert not any(row.pops for row in clips_at(blends, times, frame)), frame
    popped = {row.name: row.change for row in clips_at(blends, times, HOP) if row.pops}
    assert popped == {"walk": -1.0, "hop": 1.0}
    assert not any(row.pops for row in clips_at(blends, times, HOP + 1))


def test_a_clip_that_leaves_the_tree_while_it_counts_pops_too(blends, times):
    gone = clips_at(blends, times, LANDS)[-1]
    assert (gone.name, gone.gone, gone.change, gone.pops) == ("hop", True, -1.0, True)
    assert "hop" not in [row.name for row in clips_at(blends, times, LANDS + 1)]


def test_the_threshold_lies_above_the_fastest_blend_and_below_half(times):
    made = Blends()
    for frame, share in enumerate((0.0, POP - 0.01, 2 * POP, 0.2), 1):
        made.put(frame, two(share))
    flags = [any(row.pops for row in clips_at(made, times, frame)) for frame in (1, 2, 3, 4)]
    assert flags == [False, False, True, True]


def test_what_changed_while_frames_are_missing_is_no_pop():
    made, times = Blends(), GrowableArray()
    for frame, share in ((1, 0.0), (5, 1.0), (6, 0.0)):
        made.put(frame, two(share))
        times.put(frame, float(frame))
    assert not any(row.pops for row in clips_at(made, times, 5))
    assert any(row.pops for row in clips_at(made, times, 6))
    assert [pop.frame for pop in stack_of(made, times, 0.0, 9.0).pops] == [6, 6]


def test_a_tree_that_is_not_stated_again_holds_and_says_how_old_it_is(blends, times):
    blend = blends.at(FRAMES)
    assert blend.frame == STILL - 1
    assert unchanged_text(blend, times, FRAMES * DT) == "unchanged for 0.89 s, since 00:03.109"
    assert unchanged_text(blends.at(9), times, 9 * DT) == ""
    assert not any(row.change for row in clips_at(blends, times, STILL))
    assert (blend.file, blend.line) == ("game/anim.py", 7)


def test_before_the_first_one_there_is_nothing(times):
    made = Blends()
    assert clips_at(made, times, 5) == []
    made.put(8, two(0.5))
    assert made.at(7) is None
    assert clips_at(made, times, 7) == []
    assert not clips_at(made, times, 8)[1].pops


def test_a_stack_has_a_step_for_each_tree_and_its_pops(blends, times):
    stack = stack_of(blends, times, 1.5, 2.6)
    assert stack.names == ("idle", "walk", "hop")
    assert len(stack.edges) == len(stack.shares) + 1
    assert (stack.edges[0], stack.edges[-1]) == (1.5, 2.6)
    assert np.allclose(stack.shares.sum(axis=1), 1.0)
    assert stack.at(1.75) == {"walk": 1.0}
    assert stack.at(HOP * DT) == {"hop": 1.0}
    assert stack.at(HOP * DT - 0.001) == {"walk": 1.0}
    assert {(pop.frame, pop.name) for pop in stack.pops} == {
        (HOP, "walk"), (HOP, "hop"), (LANDS, "walk"), (LANDS, "hop"),
    }  # fmt: skip
    assert stack.most == 1.0


def test_a_stack_ends_where_the_recording_ends_and_holds_to_there(blends, times):
    stack = stack_of(blends, times, 3.5, 7.5)
    assert (stack.edges[0], stack.edges[-1]) == (3.5, FRAMES * DT)
    assert stack.at(3.9) == {"walk": 1.0}
    assert stack.at(5.0) == {}
    assert stack.pops == []


def test_what_is_laid_over_the_rest_makes_the_stack_higher(times):
    made = Blends()
    made.put(1, trace(AnimationClip("a", 1.0), AnimationClip("b", 0.5)))
    assert stack_of(made, times, 0.0, 1.0).most == 1.5
    empty = stack_of(Blends(), GrowableArray(), 0.0, 1.0)
    assert (empty.names, empty.most, empty.at(0.5)) == ((), 1.0, {})


def test_one_walks_from_pop_to_pop(blends, times):
    assert pop_beside(blends, times, 1, 1) == HOP
    assert pop_beside(blends, times, HOP, 1) == LANDS
    assert pop_beside(blends, times, LANDS, 1) is None
    assert pop_beside(blends, times, FRAMES, -1) == LANDS
    assert pop_beside(blends, times, LANDS, -1) == HOP
    assert pop_beside(blends, times, HOP, -1) is None


def test_a_pop_is_found_over_the_edges_of_what_is_searched_at_once():
    made, times = Blends(), GrowableArray()
    for frame in range(1, 3003):
        times.put(frame, frame / 60)
        made.put(frame, two(1.0 if frame >= 1001 else 0.0))
    assert pop_beside(made, times, 1, 1) == 1001
    assert pop_beside(made, times, 3002, -1) == 1001
    assert pop_beside(made, times, 1000, 1) == 1001
    assert pop_beside(made, times, 1001, 1) is None


def test_no_two_clips_of_a_tree_share_a_colour_and_each_keeps_its_own():
    names = ["idle", "walk", "run", "strike", "throw", "lie", "aim", "hit"]
    result = colors_of(names)
    assert len(set(result.values())) == len(names)
    assert colors_of(names[::-1]) == result
    assert len(colors_of([f"clip {number}" for number in range(40)])) == 40


def test_a_clip_in_words_says_all_of_it(blends, times):
    rows = clips_at(blends, times, HOP)
    assert words(rows[3]) == "  hop  1.00  ×2.00  at 0.50  (a beat)  POP +1.00"


frames = st.integers(1, 60)


@given(st.lists(st.tuples(frames, st.floats(0, 1, width=32)), max_size=60), frames, frames)
def test_whatever_is_put_in_any_order_the_newest_at_or_before_a_frame_holds(puts, cut, asked):
    made, model = Blends(), {}
    for frame, share in puts:
        made.put(frame, two(share, f"share {share}"))
        model[frame] = share
    for dropped in (False, True):
        if dropped:
            made.drop_before(cut)
            held_there = max((at for at in model if at <= cut), default=0)
            model = {at: share for at, share in model.items() if at >= held_there}
        known = [at for at in model if at <= asked]
        blend = made.at(asked)
        if not known:
            assert blend is None
        else:
            assert blend.frame == max(known)
            assert blend.numbers[0, 1] == model[max(known)]
            assert blend.criteria[1] == f"share {model[max(known)]}"
        assert made.frames.tolist() == sorted(model)


def test_a_long_session_that_forgets_keeps_no_more_than_it_holds():
    made = Blends()
    for frame in range(1, 5001):
        made.put(frame, two(frame % 2))
        if frame > 100:
            made.drop_before(frame - 100)
    assert len(made) <= 102
    assert len(made._rows) <= 2 * len(made) + 64
    assert made.at(4950).numbers[0, 1] == 0.0
