"""Runs commands of playhead as processes that end when the viewer ends, however that ends."""

_BOOT = """
import os, sys, threading

def watch():
    # Its input ends when the viewer does, however that ends. Unbuffered: a buffer that is being
    # read when the interpreter ends would abort it.
    while os.read(0, 4096):
        pass
    os._exit(0)

threading.Thread(target=watch, daemon=True).start()
from playhead.cli.main import main
main(sys.argv[1:])
"""


def child_arguments(*arguments: str) -> list[str]:
    """What Python is given to run such a command: its input must be a pipe that stays open."""
    return ["-c", _BOOT, *arguments]
