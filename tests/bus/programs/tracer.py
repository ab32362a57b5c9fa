"""An agent in a process of its own: `tracer.py ENDPOINT`.

For each line `TIME TARGET` it says that its legs went to that state at that game time, and then
`done`. It ends at the end of its input.
"""

import sys

from playhead.bus.client import Client
from playhead.recorder.traces import StateTrace

with Client(sys.argv[1], name="tracer", timeout=20) as client:
    print("ready")
    for line in sys.stdin:
        when, target = line.split()
        client.trace(1, StateTrace("legs", "?", target, "thought"), game_time=float(when))
        client.log(f"to {target}", game_time=float(when))
        client.flush()
        print("done")
