"""Text as the gateway gets it."""

import json

from playhead.bus.messages.json_codec import (
    envelope_of_text,
    request_of_text,
    text_of,
    text_of_packed,
)
from playhead.bus.messages.msgpack_codec import Envelope
from playhead.errors import DamagedError

from . import seeds
from .requests import served

SEEDS = [text_of_packed(request).encode() for request in seeds.requests()]


def one_input(data: bytes) -> None:
    text = data.decode(errors="replace")
    assert isinstance(envelope_of_text(text), Envelope)
    try:
        request = request_of_text(text)
    except DamagedError:
        return
    answer = served(request, text_of)
    answer_facts = json.loads(text_of(answer))
    assert answer_facts["answer"]["is"] == answer.body.__struct_config__.tag
