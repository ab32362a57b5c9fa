"""What the core does not need it does not load."""

import sys

from ..support.process import run_process

CODE = """
import sys
import playhead.session, playhead.handlers.handler_conformance
loaded = set(sys.modules)
heavy = [m for m in loaded if m.split(".")[0] in ("zmq", "PyQt6", "pyqtgraph", "pymunk", "vizdoom")]
games = [m for m in loaded if m.startswith("playhead.games")]
assert not heavy, heavy
assert not games, games
"""


def test_a_session_loads_no_window_no_socket_and_no_game():
    done = run_process(sys.executable, "-c", CODE)
    assert done.returncode == 0, done.stderr
