"""A tool in ten lines: it prints each move of the playhead, and each failed check."""

import sys

import playhead as ph

if __name__ == "__main__":
    with ph.Client(*sys.argv[1:2]) as client:  # default: the address of `playhead run … --bus`
        client.on_time(lambda now: print(now.mode, now.frame, f"{now.time:.3f} s", flush=True))
        client.on("failed_check", lambda event: print(event.event, flush=True))
        client.run()
