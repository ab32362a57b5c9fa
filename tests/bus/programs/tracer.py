"""An agent in a process of its own: `tracer.py ENDPOINT`.

For each line `TIME TARGET` it says that its legs went to that state at that game time, and then
`done`. It ends at the end of its input.
"""

import sys

from playhead.bus.client.client import Client

with Client(sys.argv[1], name="tracer", timeout=20) as client:
    print("ready")
    for line in sys.stdin:
        when, target = line.split()
        client.trace.state(1, "legs", "?", target, won="thought", game_time=float(when))
        client.log(f"to {target}", game_time=float(when))
        client.flush()
        print("done")
