"""A field and its parts are spelled in one way wherever a name is taken or printed."""

import pytest

from playhead.recorder.text.field_paths import field_hint, field_splits, spelled


@pytest.mark.parametrize(
    ("path", "field", "parts"),
    [
        ("hp", "hp", ()),
        ("velocity.x", "velocity", (0,)),
        ("turn.w", "turn", (3,)),
        ("rect[0]", "rect", (0,)),
        ("rect.0", "rect", (0,)),
        ("rect.left", "rect", (0,)),
        ("hit_rect.h", "hit_rect", (3,)),
        ("rect.w", "rect", (2,)),
        ("body.rect.top", "body.rect", (1,)),
        ("joints[3][0]", "joints", (3, 0)),
        ("joints[3].x", "joints", (3, 0)),
    ],
)
def test_a_path_is_read_as_a_field_and_its_part(path, field, parts):
    assert dict(field_splits(path)).get(field) == parts


@pytest.mark.parametrize("path", ["velocity.left", "rect.speed", "rect[-1]", "rect[", "[0]", ".x"])
def test_what_is_no_part_stays_a_whole_name(path):
    assert all(parts == () for _, parts in field_splits(path))


def test_numbers_of_parts_are_printed_in_brackets():
    assert [spelled(one) for one in ("rect.0", "joints.3.0", "velocity.x", "v2.x", "a.0b")] == [
        "rect[0]", "joints[3][0]", "velocity.x", "v2.x", "a.0b",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("path", "hint"),
    [
        (
            "rect.right",
            "the parts of rect are rect[0] to rect[3], also left, top, width and height",
        ),
        ("velocity[7]", "the parts of velocity are velocity[0] to velocity[2]"),
        ("rct", "did you mean 'rect'?"),
        ("hp.x", "did you mean 'hp'?"),
    ],
)
def test_an_unknown_path_is_answered_with_what_there_is(path, hint):
    assert field_hint(path, {"hp": (), "rect": (4,), "velocity": (3,)}) == hint
