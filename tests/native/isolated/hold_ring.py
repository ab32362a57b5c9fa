"""Makes a ring in a file, records one frame, and holds it until a line comes or it is killed."""

import os
import signal
import sys
from pathlib import Path

from playhead.native.ring import FrameRing

ring = FrameRing("64 KiB", path=Path(sys.argv[1]))
ring.begin()
ring.record(1, 1, True, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), b"from another process")
ring.commit(0.0, 0.0)
if "die" in sys.argv:
    os.kill(os.getpid(), signal.SIGKILL)
print("holding", flush=True)
sys.stdin.readline()
ring.close()
