"""JSON with numbers that no double holds."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from playhead.bus.messages.json_codec import (
    EXACT,
    envelope_of_text,
    request_of_text,
    text_of,
    text_of_packed,
)
from playhead.bus.messages.message_types import Request, Response
from playhead.bus.messages.msgpack_codec import packed
from playhead.bus.messages.response_rows import ObjectRow
from playhead.bus.messages.responses import FrameBytes, ObjectList
from playhead.errors import DamagedError
from playhead.playback.commands import Focus
from playhead.recorder.statements.statement_messages import ObjectFact, ObjectName

IDS = st.integers(0, 2**63 - 1) | st.integers(EXACT - 2, EXACT + 2)
TEXTS = st.text() | st.sampled_from(
    ['"', "\\", '\\"', ":12345678901234567890,", "[9007199254740993]"]
)
FLOATS = st.floats(allow_nan=False, allow_infinity=False)
WHOLE = IDS | st.integers(-(2**63), 2**64 - 1)
PLAIN = st.recursive(
    WHOLE | TEXTS | FLOATS | st.booleans(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=20,
)  # fmt: skip


def quoted(value: Any) -> Any:
    """A value as the gateway says it."""
    if isinstance(value, bool):
        return value
    if isinstance(value, int) and abs(value) > EXACT:
        return str(value)
    if isinstance(value, dict):
        return {key: quoted(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [quoted(one) for one in value]
    return value


@given(PLAIN, TEXTS)
def test_whole_numbers_beyond_doubles_are_text_and_all_else_is_as_it_was(
    value: Any, origin: str
) -> None:
    request = Request(origin=origin, sequence=1, body=ObjectFact(7, "key", value))
    for text in (text_of(request), text_of_packed(packed(request))):
        message = json.loads(text)
        assert message["ask"]["value"] == quoted(value)
        assert message["origin"] == origin


@given(IDS)
def test_an_id_comes_back_from_text_as_it_went(object: int) -> None:
    for ask in (Focus(object), ObjectName(object, "Bob")):
        request = Request(origin="a", sequence=2, body=ask)
        assert request_of_text(text_of(request)) == request


def test_bytes_are_base64() -> None:
    answer = Response(origin="s", sequence=1, body=FrameBytes(1, 0.0, 0.0, 0, b"\0\xff"))
    assert json.loads(text_of(answer))["answer"]["image"] == "AP8="


def test_what_json_can_not_say_is_an_error_that_says_so() -> None:
    row = ObjectRow(1, "t", (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), {"tail": {(1, 2): 3}})
    with pytest.raises(DamagedError, match="JSON"):
        text_of(Response(origin="s", sequence=1, body=ObjectList(1, [row])))


def test_what_is_no_number_is_null() -> None:
    row = ObjectRow(1, "t", (float("nan"), float("inf"), 0.0), (0.0, 0.0, 0.0), {})
    answer = Response(origin="s", sequence=1, body=ObjectList(1, [row]))
    assert json.loads(text_of(answer))["answer"]["objects"][0]["position"] == [None, None, 0.0]


@given(st.text() | PLAIN.map(lambda value: msgspec.json.encode(value).decode()))
def test_any_text_is_a_request_or_damaged_and_has_an_envelope(text: str) -> None:
    with pytest.raises(DamagedError, match="characters"):
        request_of_text(text)
    assert isinstance(envelope_of_text(text).sequence, int)


def test_a_refused_request_keeps_its_number() -> None:
    text = '{"origin": "a#1", "sequence": "12", "ask": {"do": "fly"}}'
    assert envelope_of_text(text).sequence == 12


def test_a_request_of_version_1_that_is_none_in_todays_words_either_is_refused():
    text = '{"from": "a", "n": 1, "ask": {"do": "find", "time": "soon"}}'
    with pytest.raises(DamagedError, match=f"a message of {len(text)} characters: .*ask"):
        request_of_text(text)
