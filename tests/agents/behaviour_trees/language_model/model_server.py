"""A stand-in for a language model: a server that answers as a test says, well or badly."""

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from playhead.agents.behaviour_trees.language_model.chat_endpoint import ChatEndpoint

Answer = dict[str, Any] | str | Callable[[BaseHTTPRequestHandler], None]


class ModelServer:
    """Gives out its answers one after another, and keeps what it was asked."""

    def __init__(self) -> None:
        self.answers: list[Answer] = []
        self.asked: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.ended = threading.Event()
        """Set when it is closed: whoever hangs can end."""
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                length = int(self.headers["Content-Length"])
                outer.asked.append(json.loads(self.rfile.read(length)))
                outer.headers.append(dict(self.headers))
                answer = outer.answers.pop(0)
                if callable(answer):
                    answer(self)
                    return
                text = answer if isinstance(answer, str) else json.dumps(answer)
                reply(self, completion(text))

            def log_message(self, *_: Any) -> None:
                """Tests are silent."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def endpoint(self, time_out: float = 10.0) -> ChatEndpoint:
        return ChatEndpoint(self.url, "small", "secret", time_out)

    def close(self) -> None:
        self.ended.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def completion(text: str, **choice: Any) -> bytes:
    message = {"role": "assistant", "content": text}
    made = {"message": message, "finish_reason": "stop", **choice}
    return json.dumps({"choices": [made]}).encode()


def reply(handler: BaseHTTPRequestHandler, body: bytes, length: int | None = None) -> None:
    handler.send_response(200)
    handler.send_header("Content-Length", str(len(body) if length is None else length))
    handler.end_headers()
    handler.wfile.write(body)


@pytest.fixture
def model() -> Iterator[ModelServer]:
    server = ModelServer()
    yield server
    server.close()
