"""Decisions are recorded as changes, and each is read whole, whatever was evicted meanwhile."""

import logging

from hypothesis import given
from hypothesis import strategies as st

from playhead.recorder.packets.reexecutable_decisions import DecisionMaker
from playhead.recorder.recorder import Recorder

values = st.one_of(
    st.none(), st.booleans(), st.integers(-5, 5), st.floats(), st.text(max_size=3),
    st.lists(st.integers(-2, 2) | st.floats(-1, 1), max_size=3),
)  # fmt: skip
inputs = st.dictionaries(st.sampled_from("abcd"), values, max_size=4)
steps = st.lists(
    st.tuples(st.lists(st.tuples(st.integers(1, 2), st.sampled_from(["x", "y"]), inputs),
                       max_size=3), st.sampled_from([0.1, 0.7]), st.booleans()),
    min_size=1, max_size=12,
)  # fmt: skip
MAKER = DecisionMaker("m:f", {"a": 1})


@given(steps)
def test_every_decision_is_read_as_it_was_stated(story):
    recorder = Recorder("1 MiB", strict=True)
    stated = []
    for decisions, dt, ends in story:
        for agent, decider, given_inputs in decisions:
            recorder.trace.decision(agent, decider, given_inputs, "to", won="by", maker=MAKER)
        if ends:
            recorder.despawn(1)
        recorder.update([], dt)
        stated.append(decisions)
    for frame, decisions in enumerate(stated, 1):
        read = recorder.source.decisions(frame)
        ordered = [(one.agent, one.decider, sorted(one.inputs.items())) for one in read]
        expected = [(agent, decider, sorted(each.items())) for agent, decider, each in decisions]
        assert repr(ordered) == repr(expected)  # as text, since 1, 1.0 and True are equal
        assert all((one.target, one.won) == ("to", "by") for one in read)
    recorder.close()


def test_a_decision_is_complete_although_what_it_differs_from_was_evicted(make_recorder):
    recorder = make_recorder("256 KiB")
    for n in range(4000):
        recorder.trace.decision(1, "brain", {"n": n, "text": "x" * 40, "f": 0.5}, maker=MAKER)
        recorder.update([], 0.01)
    source, span = recorder.source, recorder.source.span
    assert span.oldest > 1
    for frame in range(span.oldest, span.newest + 1):
        (one,) = source.decisions(frame)
        assert one.inputs == {"n": frame - 1, "text": "x" * 40, "f": 0.5}
        assert source.decision_maker(frame, 1, "brain") == MAKER


def test_without_room_to_latch_each_decision_is_complete_by_itself(make_recorder, caplog):
    recorder = make_recorder("64 KiB", latch="1 KiB")
    with caplog.at_level(logging.CRITICAL, "playhead"):
        for n in range(5):
            recorder.trace.decision(1, "brain", {"n": n, "text": "y" * 2000})
            recorder.update([], 0.01)
    assert [one.inputs["n"] for f in range(1, 6) for one in recorder.source.decisions(f)] == [
        0, 1, 2, 3, 4,
    ]  # fmt: skip


def test_decisions_take_a_few_bytes_where_little_changes(make_recorder):
    recorder = make_recorder("4 MiB")
    sizes = []
    for n in range(30):
        recorder.trace.decision(1, "brain", {"n": n, **{f"name {k}": k * 0.5 for k in range(20)}})
        recorder.update([], 0.01)
        rows = recorder.source.packets(n + 1)
        sizes.append(sum(len(one.payload) for one in rows if one.type == ".decision"))
    assert max(sizes[1:]) < 60
