"""A language model that answers well, badly, late, or not at all."""

import time

import pytest

from playhead.agents.behaviour_trees.language_model.answer_schemas import AgentAnswer
from playhead.agents.behaviour_trees.language_model.chat_endpoint import (
    ChatEndpoint,
    ChatMessage,
    endpoint_from_environment,
)
from playhead.agents.behaviour_trees.language_model.model_dialogue import ask
from playhead.errors import TreeError

from .model_server import ModelServer, completion, model, reply

__all__ = ["model"]

HELLO = [ChatMessage("user", "hello")]
GOOD = {"agent": "guard", "why": "it was said"}


def asked(server: ModelServer, time_out: float = 10.0) -> str:
    return server.endpoint(time_out).ask(HELLO, "x", {"type": "object"})


def test_a_question_carries_the_schema_the_model_and_the_key(model):
    model.answers = ["fine"]
    assert asked(model) == "fine"
    (body,), (headers,) = model.asked, model.headers
    assert body["model"] == "small"
    assert body["response_format"]["json_schema"] == {
        "name": "x", "strict": True, "schema": {"type": "object"},
    }  # fmt: skip
    assert headers["Authorization"] == "Bearer secret"


def test_a_server_that_hangs_or_drips_is_given_up_in_time(model):
    def hangs(handler):
        model.ended.wait(20)

    def drips(handler):
        handler.send_response(200)
        handler.send_header("Content-Length", "100000")
        handler.end_headers()
        while not model.ended.wait(0.05):
            try:
                handler.wfile.write(b" ")
            except OSError:
                return

    for bad in (hangs, drips):
        model.answers = [bad]
        began = time.monotonic()
        with pytest.raises(TreeError, match=r"no whole answer within 0.3 s"):
            asked(model, 0.3)
        assert time.monotonic() - began < 5


@pytest.mark.parametrize(
    ("body", "length", "message"),
    [
        (completion("{}")[:20], 500, "its answer is cut off"),
        (b"not json", None, "this is no chat completion"),
        (b'{"choices": []}', None, "this is no chat completion"),
        (completion('{"a', finish_reason="length"), None, "was cut off at its longest"),
        (completion("", message={"refusal": "I must not"}), None, "refuses: 'I must not'"),
        (completion("  "), None, "is empty"),
        (b" " * 2_000_001, None, "more than 2,000,000 bytes"),
    ],
)
def test_what_is_no_answer_is_an_error_that_says_so(model, body, length, message):
    model.answers = [lambda handler: reply(handler, body, length)]
    with pytest.raises(TreeError, match=message):
        asked(model)


def test_an_error_of_the_server_and_a_missing_server_raise(model):
    model.answers = [lambda handler: handler.send_error(429, "too many")]
    with pytest.raises(TreeError, match="answers 429 too many"):
        asked(model)
    with pytest.raises(TreeError, match="no answer"):
        ChatEndpoint("http://127.0.0.1:9/v1", "m", time_out=2.0).ask(HELLO, "x", {})
    with pytest.raises(TreeError, match="must begin with http"):
        ChatEndpoint("file:///etc/passwd", "m")


def test_a_bad_answer_is_sent_back_with_its_error_and_a_good_second_one_is_taken(model):
    model.answers = ["{oops", GOOD]
    assert ask(model.endpoint(), AgentAnswer, "which?", "guard it").agent == "guard"
    repair = model.asked[1]["messages"]
    assert [one["role"] for one in repair] == ["system", "user", "assistant", "user"]
    assert "it is not of the schema" in repair[-1]["content"]


def test_after_two_bad_answers_it_is_given_up_with_all_that_is_wrong(model):
    model.answers = [{"agent": "x"}, {**GOOD, "more": 1}]
    with pytest.raises(TreeError, match=r"(?s)neither answer.*unknown field `more`"):
        ask(model.endpoint(), AgentAnswer, "which?", "guard it")
    model.answers = [GOOD, GOOD]
    with pytest.raises(TreeError, match="it is taken"):
        ask(model.endpoint(), AgentAnswer, "which?", "guard it", lambda choice: ["it is taken"])


def test_without_an_address_there_is_no_endpoint(model):
    assert endpoint_from_environment({}) is None
    with pytest.raises(TreeError, match="PLAYHEAD_LLM_MODEL is not"):
        endpoint_from_environment({"PLAYHEAD_LLM_URL": model.url})
    found = endpoint_from_environment(
        {"PLAYHEAD_LLM_URL": model.url, "PLAYHEAD_LLM_MODEL": "m"}
    )  # fmt: skip
    model.answers = ["hi"]
    assert found is not None
    assert found.ask(HELLO, "x", {}) == "hi"
    assert "Authorization" not in model.headers[0]
