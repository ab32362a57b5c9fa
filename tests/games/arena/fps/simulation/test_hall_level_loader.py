"""The hall of the level file, its blocks, and files that are none."""

from collections import Counter

import pytest

from playhead.errors import GameError
from playhead.games.arena.fps.simulation.hall_level_loader import (
    DOOMLIKE,
    ROOM,
    load_hall,
    parse_hall,
)
from playhead.games.arena.fps.simulation.round_targets_and_modes import Target
from playhead.games.arena.fps.simulation.rules import SIDE
from playhead.games.arena.fps.simulation.target_block_presets import (
    SIZE,
    TargetBlock,
    boxes_of,
    enemies_of,
)

TEXT = DOOMLIKE.read_text(encoding="utf-8")


def test_the_hall_is_47_wide_and_blocks_are_10_by_10():
    hall = load_hall()
    assert (hall.name, SIDE, SIZE) == ("doomlike", 47.0, 10.0)
    for wall in hall.boxes:
        assert 0 <= wall.x - wall.half_x < wall.x + wall.half_x <= SIDE


def test_each_of_five_difficulties_has_several_presets_for_both_targets():
    hall = load_hall()
    assert set(Counter(preset.difficulty for preset in hall.presets)) == {1, 2, 3, 4, 5}
    for difficulty in (1, 2, 3, 4, 5):
        for target in (Target.GOTO, Target.ATTACK):
            assert len(hall.presets_for(target, difficulty)) >= 3


def test_blocks_get_harder():
    hall = load_hall()

    def mean(measure, difficulty):
        values = [measure(p) for p in hall.presets if p.difficulty == difficulty]
        return sum(values) / len(values)

    areas = [
        mean(lambda p: sum(4 * w.half_x * w.half_y for w in p.walls), level)
        for level in range(1, 6)
    ]
    sizes = [mean(lambda p: p.diameter, level) for level in range(1, 6)]
    assert areas == sorted(areas)
    assert sizes == sorted(sizes, reverse=True)


def test_a_fire_base_is_within_its_block_and_one_to_attack_has_enemies_in_it():
    for preset in load_hall().presets:
        x, y = preset.firebase
        radius = preset.diameter / 2
        assert 1 <= preset.diameter <= SIZE
        assert min(x, y) - radius >= 0
        assert max(x, y) + radius <= SIZE
        assert preset.reachable(0.5)
    for difficulty in range(1, 6):
        for preset in load_hall().presets_for(Target.ATTACK, difficulty):
            assert any(preset.in_firebase(enemy) for enemy in preset.enemies)


def test_presets_differ_in_place_and_size_of_their_fire_base():
    presets = load_hall().presets
    assert len({preset.firebase for preset in presets}) > 4
    assert len({preset.diameter for preset in presets}) > 4


def test_there_are_hundreds_of_places_for_a_block_all_of_them_with_room_around():
    hall = load_hall()
    assert len(hall.corners) > 500
    for corner in hall.corners:
        block = TargetBlock(hall.presets[0], corner)
        assert hall.has_room(block)
        assert min(corner) >= ROOM
        assert max(corner) <= SIDE - SIZE - ROOM


def test_a_plan_becomes_walls_that_cover_just_its_squares():
    for preset in load_hall().presets:
        node = next(
            part for part in TEXT.split("  - name: ") if part.startswith(preset.name + "\n")
        )
        plan = [line.strip() for line in node.split("plan: |\n")[1].splitlines()[:10]]
        for row, line in enumerate(plan):
            for column, letter in enumerate(line):
                point = (column + 0.5, 9 - row + 0.5)
                covered = sum(wall.near(point, 0.0) for wall in preset.walls)
                assert covered == (letter == "#"), (preset.name, point)
                assert (point in preset.enemies) == (letter == "e")
        assert boxes_of(plan) == preset.walls
        assert enemies_of(plan) == preset.enemies


def test_a_block_that_was_put_down_has_its_parts_moved():
    preset = load_hall().preset("gate")
    block = TargetBlock(preset, (20.0, 7.0))
    assert block.middle == (25.0, 12.0)
    assert block.firebase == (25.0, 12.0)
    assert block.enemies == [(24.5, 12.5 + 1), (25.5, 10.5)]
    assert block.holds((20.0, 7.0))
    assert not block.holds((19.9, 7.0))
    assert block.holds((19.9, 7.0), margin=0.2)
    assert block.overlaps(TargetBlock(preset, (30.0, 7.0)), 0.5)
    assert not block.overlaps(TargetBlock(preset, (30.5, 7.0)), 0.5)
    with pytest.raises(GameError, match=r"block 'nonsense': the hall doomlike has clearing, posts"):
        load_hall().preset("nonsense")


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("size: [47, 47]", "size: [40, 40]", r"hall\.yaml:6: size must be \[47, 47\]"),
        ("at: [23.5, 42.5]", "at: [23.5, 46.5]", r":9: the wall at \(23\.5, 46\.5\)"),
        ("height: 3.5", "height: 0", r":9: height is 0"),
        ("difficulty: 1\n", "difficulty: 6\n", "difficulty is 6; it goes from 1 to 5"),
        ("at: [5, 5], diameter: 8", "at: [3, 5], diameter: 8", "reaches beyond its block"),
        ("diameter: 8", "diameter: 0.5", "diameter is 0.5; it goes from 1 to 10"),
        ("      ......e...\n", "      ......e..\n", "10 lines of 10 characters"),
        ("      ......e...\n", "      ......x...\n", "has 'x'; known are # . e"),
        ("      ......e...\n", "", "10 lines of 10 characters"),
        ("name: doomlike", "nome: doomlike", ":5: the hall has no 'nome'"),
        ("blocks:\n", "blocks: [\n", "no YAML"),
    ],
)
def test_a_file_that_is_no_hall_is_refused_with_file_and_line(old, new, says):
    assert old in TEXT
    with pytest.raises(GameError, match=says) as refused:
        parse_hall(TEXT.replace(old, new, 1), "hall.yaml")
    assert str(refused.value).startswith("hall.yaml:")


def test_a_fire_base_that_nobody_can_reach_is_refused():
    walled = "      ..........\n      ...#####..\n      ...#...#..\n" + "      ...#...#..\n" * 3
    walled += "      ...#####..\n" + "      ..........\n" * 3
    text = TEXT.replace("plan: |\n", "plan: |\n" + walled + "  - rest: |\n", 1)
    with pytest.raises(
        GameError, match="no agent can walk to the middle of the fire base of clearing"
    ):
        parse_hall(text.split("  - rest")[0], "hall.yaml")


def test_a_difficulty_without_a_block_that_can_be_attacked_is_refused():
    text = TEXT.replace("difficulty: 5", "difficulty: 4")
    with pytest.raises(GameError, match="no block of difficulty 5 for goto"):
        parse_hall(text, "hall.yaml")


def test_a_file_that_is_not_there_or_empty_is_refused(tmp_path):
    with pytest.raises(GameError, match="can't be read"):
        load_hall(tmp_path / "none.level.yaml")
    with pytest.raises(GameError, match="empty"):
        parse_hall("", "hall.yaml")
