"""The service that the clients' tests talk to."""

import json
from typing import Any

from websockets.sync.client import connect


def test_a_service_says_where_games_and_tools_connect(service: Any) -> None:
    with service.client() as tool:
        assert tool.snapshot().span is None
    with connect(service.url) as game:
        hello = {"do": "hello", "name": "game", "protocol": [2, 0]}
        game.send(json.dumps({"origin": "", "sequence": 1, "ask": hello}))
        assert json.loads(game.recv(timeout=5))["answer"]["is"] == "welcome"
    assert service.stop()["frames"] == 0
