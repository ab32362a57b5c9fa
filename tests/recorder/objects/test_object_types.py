"""The types of a recording: each layout has a number, and what can't be one is refused."""

import pytest

from playhead.errors import HandlerError
from playhead.recorder.objects import object_types
from playhead.recorder.packets.layouts.layout import layout_from_dtype

NUMBER = layout_from_dtype([("value", "<f8")])


def test_more_types_than_there_are_numbers_are_refused_and_known_ones_go_on(recorder, monkeypatch):
    known = recorder.declare("imp", NUMBER)
    monkeypatch.setattr(object_types, "MOST_TYPES", 2)
    with pytest.raises(HandlerError, match="type 'orc': there are 2 types already"):
        recorder.declare("orc", NUMBER)
    assert recorder.declare("imp", NUMBER) == known


def test_a_name_that_can_not_be_recorded_is_refused_with_the_reason(recorder):
    with pytest.raises(HandlerError, match=r"^type '\\ud800': .* surrogates not allowed"):
        recorder.declare("\ud800", NUMBER)
