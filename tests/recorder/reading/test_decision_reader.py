"""Recorded decisions: their inputs are put together, or it is said what is missing."""

import pytest

from playhead.errors import DamagedError
from playhead.recorder.packets.layouts.plain_value_codec import encode_plain
from playhead.recorder.packets.packet_types import PacketType
from playhead.recorder.packets.reexecutable_decisions import DecisionState, DecisionTrace
from playhead.recorder.reading import decision_reader
from playhead.recorder.reading.decision_reader import DecisionReader


def state(decider="mind", number=3):
    return DecisionState(decider, number, ("hp", "ammo"), (10, 5))


def read(trace, latched, reader=None):
    [found] = (reader or DecisionReader()).read(
        [(7, PacketType.DECISION, encode_plain(trace))], latched
    )
    return found.inputs


def test_changed_and_removed_inputs_are_distinguished_from_those_that_stayed():
    trace = DecisionTrace("mind", base=3, changes={0: 9}, removed=(1,), inputs={"fear": 1})
    assert read(trace, lambda *_: [state()]) == {"hp": 9, "fear": 1}


def test_a_decision_whose_complete_inputs_are_gone_is_damage_that_names_them():
    with pytest.raises(DamagedError, match=r"'mind' of object 7 .* record 3, which is not there"):
        read(DecisionTrace("mind", base=3), lambda *_: [state(number=2)])


@pytest.mark.parametrize("fields", [{"changes": {2: 1}}, {"removed": (-1,)}])
def test_a_change_of_an_input_that_there_is_not_is_damage(fields):
    with pytest.raises(DamagedError, match=r"'mind' changes input (2|-1) of 2"):
        read(DecisionTrace("mind", base=3, **fields), lambda *_: [state()])


def test_of_too_many_deciders_the_one_read_longest_ago_is_looked_up_again(monkeypatch):
    monkeypatch.setattr(decision_reader, "_REMEMBERED", 2)
    reader, looked_up = DecisionReader(), []

    def latched(agent, decider):
        looked_up.append(decider)
        return [state(decider)]

    for decider in ("a", "b", "c", "c", "a"):
        read(DecisionTrace(decider, base=3), latched, reader)
    assert looked_up == ["a", "b", "c", "a"]
