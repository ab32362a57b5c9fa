"""The state of an arena, the ghost of what would be placed, and the rows of the arena panel."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.viewer.panels.arena.arena_control_rows import (
    ArenaRowKind,
    Probability,
    menu_entries_of,
    rows_of,
)
from playhead.viewer.panels.arena.arena_placement_model import (
    ENEMY,
    ArenaState,
    DifficultyOdds,
    PlacementGhost,
    PlacementPreview,
    PlacementTool,
    arena_state_of,
    ground_at,
    lock_order,
    odds_key,
    odds_order,
    outline,
    snapped,
    tools_of,
    with_preview,
)
from playhead.viewer.scene.view_camera import ViewCamera

FIFTHS = (0.2,) * 5
OPEN = (False,) * 5
NAMES = tuple((f"a{n}", f"b{n}") for n in range(1, 6))


def arena_state(**changes):
    values = {
        "mode": "test", "by_hand": True, "target": "stay", "drawn": (),
        "odds": {"goto": DifficultyOdds(FIFTHS, OPEN), "attack": DifficultyOdds(FIFTHS, OPEN)},
        "presets": {"goto": NAMES, "attack": NAMES},
        "enemies": 1, "blocks": 2, "block": 10.0, "enemy": 0.5,
    }  # fmt: skip
    return ArenaState(**{**values, **changes})


def rows(state, tool=None, error_text="", blocked=""):
    return rows_of(state, tool, error_text, blocked)


MODES = ("train-free", "train-goto", "train-attack", "train-mix", "test")


def starting(**changes):
    values = {
        "mode": "", "by_hand": False, "target": "", "drawn": ("goto", "attack"), "enemies": 0,
        "blocks": 0, "choices": MODES, "seconds_left": 38,
    }  # fmt: skip
    return arena_state(**{**values, **changes})


# --- the start screen -----------------------------------------------------------------------------


def test_the_start_screen_has_the_modes_the_time_that_is_left_and_the_probabilities():
    listed = rows(starting())
    assert [row.summary for row in listed[:4]] == [
        "Choose a mode: it stays for the whole run",
        "train-free train-goto train-attack",
        "train-mix test",
        "38 s left, then the game ends by itself",
    ]
    assert [row.kind for row in listed[:4]] == [
        ArenaRowKind.HEADING,
        ArenaRowKind.CHIPS,
        ArenaRowKind.CHIPS,
        ArenaRowKind.TEXT,
    ]
    chips = [cell for row in listed for cell in row.cells if cell.chooses]
    assert [cell.action for cell in chips] == [{"order": "choose", "mode": mode} for mode in MODES]
    assert not any(cell.on for cell in chips)
    assert chips[1].help == "choose train-goto: it can't be changed later"
    assert [row.is_start_screen for row in listed[:4]] == [False, True, True, False]
    odds = [row for row in listed if row.kind is ArenaRowKind.ODDS]
    assert [row.cells[0].action[:2] for row in odds] == [
        (target, difficulty) for target in ("goto", "attack") for difficulty in (1, 2, 3, 4, 5)
    ]


def test_errors_on_the_start_screen_are_listed_below_the_modes():
    plain = rows(starting())
    wrong = rows(starting(), None, "it was refused", "it stands still")
    assert wrong[:4] == plain[:4]
    assert [row.summary for row in wrong[4:6]] == ["it stands still", "it was refused"]
    assert wrong[6:] == plain[4:]


def test_the_menu_of_the_start_screen_chooses_a_mode():
    ordered = []
    entries = menu_entries_of(starting(), None, ordered.append)
    assert [label for label, _ in entries] == [f"Choose {mode}" for mode in MODES]
    entries[3][1]()
    assert ordered == [{"order": "choose", "mode": "train-mix"}]
    assert starting().unordered == ""
    assert tools_of(starting()) == []


def test_a_chosen_mode_begins_without_the_start_screen():
    chosen = starting(mode="train-goto", drawn=("goto",), choices=(), seconds_left=0)
    assert [row.summary for row in rows(chosen)][:3] == [
        "train-goto begins",
        "train-goto gives its targets itself: that stays so",
        "How likely the next goto block is",
    ]
    assert not any(row.is_start_screen for row in rows(chosen))


# --- the state ------------------------------------------------------------------------------------


def test_the_state_is_read_from_the_frame_and_a_malformed_one_is_none():
    import msgspec

    values = msgspec.to_builtins(arena_state())
    frame = SimpleNamespace(facts={(0, "arena"): {**values, "hall": 47.0}})
    assert arena_state_of(frame) == arena_state()
    assert arena_state_of(SimpleNamespace(facts={})) is None
    assert arena_state_of(SimpleNamespace(facts={(0, "arena"): {**values, "odds": 7}})) is None
    assert arena_state_of(None) is None
    assert arena_state().summary == "test · target stay · 1 enemy, 2 blocks"


def test_tools_are_an_enemy_and_a_block_of_each_difficulty_and_none_where_a_mode_gives_targets():
    tools = tools_of(arena_state())
    assert tools[0] == PlacementTool(ENEMY)
    assert tools[1:] == [PlacementTool(t, d) for t in ("goto", "attack") for d in (1, 2, 3, 4, 5)]
    assert tools_of(arena_state(by_hand=False)) == []


def test_tools_locks_and_probabilities_become_orders():
    assert PlacementTool(ENEMY).order(1.0, 2.0) == {"order": "spawn_enemy", "x": 1.0, "y": 2.0}
    assert PlacementTool("attack", 4, "gate").order(1.0, 2.0) == {
        "order": "spawn_block", "target": "attack", "difficulty": 4, "x": 1.0, "y": 2.0,
        "preset": "gate",
    }  # fmt: skip
    assert lock_order(arena_state(), "goto", 2)["locked"] is True
    locked = arena_state(odds={"goto": DifficultyOdds(FIFTHS, (False, True, False, False, False))})
    assert lock_order(locked, "goto", 2)["locked"] is False
    assert odds_order("goto", 2, 0.4) == {
        "order": "set_odds", "target": "goto", "difficulty": 2, "value": 0.4,
    }  # fmt: skip


def test_changes_of_one_probability_have_one_key():
    assert odds_key(odds_order("goto", 1, 0.1)) == odds_key(odds_order("goto", 1, 0.2))
    assert odds_key(odds_order("goto", 1, 0.1)) != odds_key(odds_order("goto", 2, 0.1))
    assert odds_key(odds_order("goto", 1, 0.1)) != odds_key(odds_order("attack", 1, 0.1))
    assert odds_key({"order": "free"}) is None


# --- the ghost ------------------------------------------------------------------------------------


@given(
    across=st.floats(0, 600), down=st.floats(0, 400), top=st.booleans(),
    azimuth=st.floats(-math.pi, math.pi), elevation=st.floats(0.2, 1.5),
    distance=st.floats(2, 200), x=st.floats(-50, 50), y=st.floats(-50, 50),
)  # fmt: skip
def test_the_ground_under_a_pixel_projects_to_that_pixel(
    across, down, top, azimuth, elevation, distance, x, y
):
    camera = ViewCamera()
    camera.top, camera.azimuth, camera.elevation = top, azimuth, elevation
    camera.distance, camera.centre = distance, np.array([x, y, 0.0])
    view = camera.view(600, 400)
    point = ground_at(view, across, down)
    if point is not None:
        pixels, front, _ = view.project((*point, 0.0))
        assert front[0]
        assert pixels[0] == pytest.approx((across, down), abs=0.01)
    else:
        assert not top, "from above the ground is everywhere"


def test_there_is_no_ground_in_the_sky():
    camera = ViewCamera()
    camera.elevation = 0.05
    view = camera.view(600, 400)
    assert ground_at(view, 300, 5) is None
    assert ground_at(view, 300, 395) is not None


def test_the_middle_of_the_picture_is_the_middle_of_the_camera():
    camera = ViewCamera()
    camera.centre = np.array([23.0, 12.0, 0.0])
    assert ground_at(camera.view(640, 480), 320, 240) == pytest.approx((23.0, 12.0))


def test_points_snap_to_a_grid_of_five_centimetres():
    assert snapped((1.234, -0.026)) == (1.25, -0.05)


PREVIEW = PlacementPreview(
    walls=((20.0, 20.0, 1.0, 2.0),), enemies=((21.0, 22.0),), firebase=(23.0, 23.0), diameter=4.0,
    refused="",
)  # fmt: skip


def extent(lines):
    points = lines.reshape(-1, 3)
    return points.min(axis=0).tolist(), points.max(axis=0).tolist()


def test_the_ghost_of_a_block_without_a_preview_is_its_square():
    bare = outline(PlacementGhost(PlacementTool("goto", 1), (23.0, 25.0)), arena_state())
    assert extent(bare) == ([18.0, 20.0, 0.0], [28.0, 30.0, 0.0])
    assert len(bare) == 4


def test_a_preview_moves_with_the_mouse():
    tool = PlacementTool("goto", 1)
    there = outline(PlacementGhost(tool, (23.0, 23.0), (23.0, 23.0), PREVIEW), arena_state())
    moved = outline(PlacementGhost(tool, (26.0, 22.0), (23.0, 23.0), PREVIEW), arena_state())
    assert np.allclose(moved, there + np.array([3.0, -1.0, 0.0]))
    assert extent(there)[1][2] == 2.0, "walls are high"
    assert len(there) == 4 + 12 + (32 + 32 + 4) + 32, "square, a wall, an enemy, the fire base"


def test_the_ghost_of_an_enemy_is_its_body():
    lines = outline(PlacementGhost(PlacementTool(ENEMY), (5.0, 6.0)), arena_state())
    low, high = extent(lines)
    assert low[:2] == pytest.approx([4.5, 5.5])
    assert high[:2] == pytest.approx([5.5, 6.5])


def test_a_ghost_is_known_only_at_the_point_of_its_preview():
    ghost = PlacementGhost(PlacementTool(ENEMY), (5.0, 6.0), (5.0, 6.0))
    assert ghost.is_known
    assert not ghost._replace(at=(5.0, 6.05)).is_known


ANSWER = {"walls": [], "enemies": [[1.0, 2.0]], "firebase": None, "diameter": 0.0, "refused": ""}


def test_a_ghost_takes_the_game_s_preview_of_its_point():
    ghost = PlacementGhost(PlacementTool(ENEMY), (4.0, 1.0))
    seen = with_preview(ghost, {**ANSWER, "refused": "in a wall"}, "")
    assert (seen.at, seen.asked, seen.refused) == ((4.0, 1.0), (4.0, 1.0), "in a wall")
    assert seen.preview == PlacementPreview((), ((1.0, 2.0),), None, 0.0, "in a wall")


@pytest.mark.parametrize(
    ("response", "error", "refused"),
    [({"walls": 3}, "", "makes no sense"), (None, "", "makes no sense"),
     (None, "no such block", "no such block")],
)  # fmt: skip
def test_a_preview_that_failed_is_refused_with_the_reason(response, error, refused):
    seen = with_preview(PlacementGhost(PlacementTool(ENEMY), (1.0, 1.0)), response, error)
    assert seen.preview is None
    assert seen.is_known
    assert refused in seen.refused


# --- the panel ------------------------------------------------------------------------------------


def test_test_mode_has_orders_and_tools():
    summaries = [row.summary for row in rows(arena_state())]
    assert summaries == [
        "test · target stay · 1 enemy, 2 blocks",
        "order\tFreeMode [StayMode] ClearGame",
        "place\tenemy",
        "goto block\t1 2 3 4 5",
        "attack block\t1 2 3 4 5",
    ]


def test_the_chosen_tool_is_marked_and_its_presets_are_listed():
    listed = rows(arena_state(), PlacementTool("attack", 2, "b2"))
    assert [row.summary for row in listed[4:]] == ["attack block\t1 [2] 3 4 5", "in turn a2 [b2]"]
    assert listed[5].cells[0].action == PlacementTool("attack", 2)
    assert rows(arena_state(), PlacementTool(ENEMY))[-1].title == "attack block", (
        "an enemy has no presets"
    )


@pytest.mark.parametrize(
    ("mode", "drawn"),
    [("train-goto", ("goto",)), ("train-attack", ("attack",)), ("train-mix", ("goto", "attack"))],
)
def test_a_training_mode_shows_the_probabilities_of_its_blocks_and_takes_no_orders(mode, drawn):
    locked = (False, True, False, False, False)
    odds = dict.fromkeys(("goto", "attack"), DifficultyOdds((0.5, 0.2, 0.1, 0.1, 0.1), locked))
    listed = rows(arena_state(mode=mode, by_hand=False, drawn=drawn, odds=odds))
    assert listed[1].title == f"{mode} gives its targets itself: that stays so"
    assert not any(row.kind is ArenaRowKind.CHIPS for row in listed)
    shares = [row.cells[0].action for row in listed if row.kind is ArenaRowKind.ODDS]
    assert [(one.target, one.difficulty) for one in shares] == [
        (target, difficulty) for target in drawn for difficulty in range(1, 6)
    ]
    assert shares[1] == Probability(drawn[0], 2, 0.2, True)
    lock = next(row for row in listed if row.kind is ArenaRowKind.ODDS and row.cells[1].on).cells[1]
    assert lock.action == {
        "order": "lock_odds", "target": drawn[0], "difficulty": 2, "locked": False,
    }  # fmt: skip
    assert "unlocks" in lock.help


def test_free_training_has_no_probabilities_and_says_so():
    listed = rows(arena_state(mode="train-free", by_hand=False))
    assert listed[-1].title == "Its rounds have no blocks, so no probabilities"


def test_errors_are_listed_at_the_top_once_each():
    listed = rows(arena_state(), None, "too close", "it stands")
    assert [row.title for row in listed if row.kind is ArenaRowKind.ERROR] == [
        "it stands",
        "too close",
    ]
    assert [row.title for row in rows(arena_state(), None, "a", "a")[1:3]] == ["a", "order"]


def test_the_menu_has_every_preset_and_order():
    chosen, ordered = [], []
    found = dict(menu_entries_of(arena_state(), chosen.append, ordered.append))
    assert len(found) == 1 + 2 * 5 * 3 + 3
    found["Enemy"]()
    found["Attack block|Difficulty 3|In turn"]()
    found["Goto block|Difficulty 5|B5"]()
    assert chosen == [
        PlacementTool(ENEMY),
        PlacementTool("attack", 3),
        PlacementTool("goto", 5, "b5"),
    ]
    found["FreeMode"]()
    found["ClearGame"]()
    assert ordered == [{"order": "free"}, {"order": "clear"}]
    assert menu_entries_of(arena_state(by_hand=False), chosen.append, ordered.append) == []
