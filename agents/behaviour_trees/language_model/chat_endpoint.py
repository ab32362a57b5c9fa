"""A language model behind any endpoint that speaks OpenAI's chat completions. Off by default."""

import contextlib
import http.client
import json
import os
import socket
import threading
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ....errors import TreeError

URL, MODEL, KEY = "PLAYHEAD_LLM_URL", "PLAYHEAD_LLM_MODEL", "PLAYHEAD_LLM_KEY"
TIME_OUT = 60.0
MOST_BYTES = 2_000_000
"""The longest answer that is read."""


class ChatMessage(NamedTuple):
    """One turn of a conversation."""

    role: str
    """`system`, `user` or `assistant`."""
    content: str


class ChatEndpoint:
    """Asks a model.

    Args:
        url: The base, such as `http://127.0.0.1:8080/v1`.
        time_out: Seconds for a whole answer, however slowly it drips.
    """

    def __init__(self, url: str, model: str, key: str = "", time_out: float = TIME_OUT) -> None:
        if not url.startswith(("http://", "https://")):
            problem = "must begin with http:// or https://"
            raise TreeError(f"the language model's address {url!r} {problem}")
        self._url = f"{url.rstrip('/')}/chat/completions"
        self._model, self._key, self._time_out = model, key, time_out

    def ask(self, messages: Sequence[ChatMessage], name: str, schema: Mapping[str, Any]) -> str:
        """The model's answer: text that should be JSON of the schema, which nobody has checked.

        Raises:
            TreeError: there is no answer, or it was cut off, or refused.
        """
        asked = {
            "model": self._model,
            "temperature": 0,
            "messages": [message._asdict() for message in messages],
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": name, "strict": True, "schema": schema},
            },
        }
        return self._content(self._fetched(json.dumps(asked).encode()))

    def _fetched(self, body: bytes) -> bytes:
        headers = {"Content-Type": "application/json"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        request = urllib.request.Request(self._url, body, headers)
        late = threading.Event()
        try:
            with urllib.request.urlopen(request, timeout=self._time_out) as response:

                def give_up() -> None:
                    late.set()
                    _shut(response)

                # A socket's own time-out starts again with each byte.
                timer = threading.Timer(self._time_out, give_up)
                timer.daemon = True
                timer.start()
                try:
                    data: bytes = response.read(MOST_BYTES + 1)
                finally:
                    timer.cancel()
                if response.length:
                    raise http.client.IncompleteRead(data, response.length)
        except urllib.error.HTTPError as error:
            with error:
                response_text = error.read(300).decode("utf-8", "replace")
            problem = f"{error.code} {error.reason}: {response_text:.200}"
            raise TreeError(f"{self._url} answers {problem}") from error
        except http.client.IncompleteRead as error:
            why = self._is_late if late.is_set() else "its answer is cut off"
            raise TreeError(f"{self._url}: {why}") from error
        except (OSError, http.client.HTTPException, ValueError) as error:
            reason = getattr(error, "reason", error)
            is_late = late.is_set() or isinstance(reason, TimeoutError)
            why = self._is_late if is_late else f"no answer: {reason}"
            raise TreeError(f"{self._url}: {why}") from error
        if late.is_set():
            raise TreeError(f"{self._url}: {self._is_late}")
        if len(data) > MOST_BYTES:
            raise TreeError(f"{self._url}: its answer has more than {MOST_BYTES:,} bytes")
        return data

    @property
    def _is_late(self) -> str:
        return f"no whole answer within {self._time_out:g} s"

    def _content(self, data: bytes) -> str:
        try:
            choice = json.loads(data)["choices"][0]
            message, ended = choice["message"], choice.get("finish_reason")
            refusal, content = message.get("refusal"), message.get("content")
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            raise TreeError(f"{self._url}: this is no chat completion: {data[:120]!r}") from error
        if refusal:
            raise TreeError(f"the language model refuses: {refusal!r:.200}")
        if ended == "length":
            raise TreeError("the language model's answer was cut off at its longest")
        if not isinstance(content, str) or not content.strip():
            raise TreeError("the language model's answer is empty")
        return content


def endpoint_from_environment(environment: Mapping[str, str] = os.environ) -> ChatEndpoint | None:
    """The endpoint that the environment names; None if it names none.

    Raises:
        TreeError: it names an address, but no model.
    """
    url = environment.get(URL, "")
    if not url:
        return None
    model = environment.get(MODEL, "")
    if not model:
        raise TreeError(f"{URL} is set, but {MODEL} is not: name the model")
    return ChatEndpoint(url, model, environment.get(KEY, ""))


def _shut(response: Any) -> None:
    """Wake up the thread that reads from it."""
    with contextlib.suppress(OSError, AttributeError):
        response.fp.raw._sock.shutdown(socket.SHUT_RDWR)
