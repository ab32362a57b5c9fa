"""The client in JavaScript under Node: what it says of the place that something was said at."""

import json
import shutil
from pathlib import Path

import pytest

from ..support.process import run_process

PROGRAM = Path(__file__).parent / "programs" / "says.mjs"
CLIENT = Path(__file__).parents[2] / "clients" / "js" / "playhead.js"


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_a_page_s_address_is_recorded_without_the_token_in_it(tmp_path: Path) -> None:
    done = run_process("node", PROGRAM, CLIENT, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "SECRET" not in done.stdout
    log, check, trace = (json.loads(line) for line in done.stdout.splitlines())
    for message in (log["line"], check, trace["trace"]):
        assert message["file"].endswith("/page.mjs")
        assert message["line"] == 1


def test_a_runtime_without_a_websocket_gets_advice_how_to_get_one(node: list[str]) -> None:
    program = f"import {{ Playhead }} from {str(CLIENT)!r}; new Playhead('', {{ WebSocket: null }})"
    done = run_process(node[0], "--input-type=module", "-e", program)
    assert done.returncode != 0
    assert "node before 22 needs --experimental-websocket" in done.stderr
