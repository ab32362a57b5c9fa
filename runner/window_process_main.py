"""The main program of the process that a game's window runs in; `GameWindow` starts it."""

import os
import sys
from pathlib import Path

import click

from .command_error import CommandFailure


@click.command()
@click.argument("endpoint")
@click.option("--focus", type=int, default=0)
@click.option("--played", is_flag=True)
@click.option("--turns", is_flag=True)
@click.option("--ring", type=click.Path(dir_okay=False, path_type=Path))
def window(endpoint: str, focus: int, played: bool, turns: bool, ring: Path | None) -> None:
    """Show the game at ENDPOINT until the window or standard input is closed."""
    from ..viewer.app.processes.live_window_process import LiveWindow, play

    if played:
        sys.setswitchinterval(0.001)  # a key waits less for the thread that reads the recording
    live_window = LiveWindow(endpoint, focus, played, turns, ring)
    sys.exit(play(live_window, sys.stdin.fileno(), _print_word))


def _print_word(word: str) -> None:
    os.write(sys.stdout.fileno(), f"{word}\n".encode())


def main() -> None:
    """Run the command; an error is printed in one or two lines."""
    try:
        window(standalone_mode=False)
    except Exception as error:
        failure = CommandFailure.of(error)
        failure.print(as_json=False)
        sys.exit(failure.code)


if __name__ == "__main__":
    main()
