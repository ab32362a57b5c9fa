"""A tool in Python that a test tells what to do, by lines of JSON: {ask}, {where: sequence}."""

import json
import sys
from typing import Any

import msgspec

from playhead.bus.client.client import Client
from playhead.bus.messages.message import PlayheadTime
from playhead.bus.messages.message_types import RequestBody
from playhead.bus.messages.responses import CommandDone
from playhead.errors import PlayheadError


def main() -> None:
    heard: dict[int, PlayheadTime] = {}
    with Client(sys.argv[1], name="tracer", conflate=False, timeout=30.0) as client:
        client.on_time(lambda now: heard.update({now.sequence: now}), own=True)

        def where(sequence: int) -> dict[str, Any]:
            while sequence not in heard:
                client.dispatch(30.0)
            return {"frame": heard[sequence].frame, "mode": heard[sequence].mode}

        def ask(what: dict[str, Any]) -> Any:
            try:
                result = client.ask(msgspec.convert(what, RequestBody))
            except PlayheadError as error:
                return {"is": "error", "message": str(error)}
            return msgspec.to_builtins(result) if isinstance(result, CommandDone) else {}

        print(json.dumps({"origin": client.origin}), flush=True)
        for line in sys.stdin:
            wanted = json.loads(line)
            message = ask(wanted["ask"]) if "ask" in wanted else where(wanted["where"])
            print(json.dumps(message), flush=True)


if __name__ == "__main__":
    main()
