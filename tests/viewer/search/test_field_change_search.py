"""The search for where a value changes."""

import pytest

from playhead.recorder.clips.clip_source import ClipSource
from playhead.viewer.search.field_change_search import ChangeSearch, same_value


def found(source: ClipSource, field: str, frame: int, direction: int) -> int:
    search = ChangeSearch(1, field, frame, direction)
    for _ in range(10_000):
        answer = search.look(source)
        if answer is not None:
            return answer
    raise AssertionError("the search does not end")


@pytest.mark.parametrize(
    ("frame", "direction", "there"),
    [(10, 1, 64), (64, 1, 128), (100, 1, 128), (250, 1, 256), (256, 1, 0), (100, -1, 64),
     (64, -1, 1), (128, -1, 64), (10, -1, 0)],
)  # fmt: skip
def test_it_leads_to_where_a_field_changes(clip, frame, direction, there):
    with ClipSource.open(clip) as source:
        assert found(source, "hp", frame, direction) == there


def test_it_goes_over_gaps(gapped):
    with ClipSource.open(gapped) as source:
        assert found(source, "hp", 90, 1) == 181
        assert found(source, "hp", 185, -1) == 181


def test_a_field_that_there_is_none_of_never_changes(clip):
    with ClipSource.open(clip) as source:
        assert found(source, "no such field", 10, 1) == 0


def test_values_that_are_no_number_equal_themselves():
    assert same_value(float("nan"), float("nan"))
    assert same_value((1.0, float("nan")), (1.0, float("nan")))
    assert not same_value(1.0, 2.0)
    assert not same_value(None, 0.0)
    assert not same_value(b"a", b"b")
