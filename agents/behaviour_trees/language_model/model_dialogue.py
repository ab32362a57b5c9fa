"""Asks a language model one question, checks the answer, and asks again if it is bad."""

from collections.abc import Callable, Sequence
from typing import TypeVar

import msgspec

from ....errors import TreeError
from .answer_schemas import schema_of
from .chat_endpoint import ChatEndpoint, ChatMessage
from .prompts import BASE, REPAIR

T = TypeVar("T", bound=msgspec.Struct)
TRIES = 2
_MOST_SHOWN = 20


def ask(
    endpoint: ChatEndpoint, kind: type[T], question: str, wish: str,
    check: Callable[[T], Sequence[str]] = lambda answer: (),
) -> T:  # fmt: skip
    """The answer of a model to a question, as an object for which nothing is wrong.

    Args:
        wish: What the person wrote.
        check: What is wrong with an answer, beside its shape.

    Raises:
        TreeError: there is no answer; or the second one is bad, too.
    """
    messages = [
        ChatMessage("system", BASE),
        ChatMessage("user", f"{question}\nWhat is wanted: {wish}"),
    ]
    problems: Sequence[str] = ()
    for _ in range(TRIES):
        reply = endpoint.ask(messages, kind.__name__.lower(), schema_of(kind))
        try:
            answer = msgspec.json.decode(reply, type=kind)
        except (msgspec.MsgspecError, RecursionError) as error:
            problems = [f"it is not of the schema: {error}"]
        else:
            problems = check(answer)
            if not problems:
                return answer
        problem_text = "\n".join(problems[:_MOST_SHOWN])
        messages.append(ChatMessage("assistant", reply[:20_000]))
        messages.append(ChatMessage("user", REPAIR.format(problems=problem_text)))
    problem_text = "\n".join(problems[:_MOST_SHOWN])
    raise TreeError(f"neither answer of the language model can be used:\n{problem_text}")
