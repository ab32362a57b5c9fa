"""A game that records into a ring file until it is killed: `guard_game.py RING FRAMES`.

Says its bus's endpoint when so many frames are recorded; each line that it reads has it go on for
so many more.
"""

import sys

from playhead.bus.server.bus_settings import BusSettings
from tests.recording.guards import Guards, play, session_of

world = Guards()
session = session_of(world, path=sys.argv[1], bus=BusSettings("tcp://127.0.0.1:*"))
play(session, world, int(sys.argv[2]))
assert session.bus is not None
print(session.bus.endpoint, flush=True)
for line in sys.stdin:
    play(session, world, int(line))
    print(world.steps, flush=True)
