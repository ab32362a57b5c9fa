"""Columns by frame, against a plain dictionary."""

import hypothesis.strategies as st
from hypothesis import given

from playhead.viewer.reader.history.growable_array import GrowableArray

FRAMES = st.integers(1, 60)


@given(st.lists(st.tuples(st.sampled_from(("put", "put", "put", "drop")), FRAMES, FRAMES)))
def test_it_holds_what_a_dictionary_would_in_order_of_frames(steps):
    column, model = GrowableArray(), {}
    for what, frame, value in steps:
        if what == "put":
            column.put(frame, value)
            model[frame] = value
        else:
            column.drop_before(frame)
            model = {at: known for at, known in model.items() if at >= frame}
        assert column.frames.tolist() == sorted(model)
        assert column.values.tolist() == [model[at] for at in sorted(model)]
        older = [at for at in model if at <= frame]
        assert column.at(frame) == (model[max(older)] if older else None)
        assert column.has(frame) == (frame in model)
