"""`playhead bridge`: shows a running playhead in PlotJuggler, Rerun or Foxglove."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...runner.terminal.progress_bar import bar
from ...runner.terminal.safe_terminal_output import echo
from .connection_options import FILE, KEYS_HELP, Commands, connected

if TYPE_CHECKING:
    from ...bus.bridges.external_viewer_bridge import Sink
    from ...bus.bridges.rerun import Rerun
    from ...bus.client.client import Client


@click.group(cls=Commands, no_args_is_help=False)
def bridge() -> None:
    """Show the frame of a running playhead in another viewer.

    The bridge follows the service at ENDPOINT until it is interrupted: live, paused, scrubbed,
    what is shown there is the instant of the playhead. A slow viewer skips to the newest.

    \b
    Example:
      playhead bridge plotjuggler 5670
      playhead bridge rerun 5670 --save run.rrd
      playhead bridge foxglove 5670
    """


def bridge_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Options that every bridge has: the endpoint to follow, its keys, and for how long."""
    for parameter in (
        click.option("--seconds", type=click.FloatRange(min=0.0), help="End after that long."),
        click.option("--server", type=FILE, help="The service's public key."),
        click.option("--keys", type=FILE, help=KEYS_HELP),
        click.argument("endpoint"),
    ):
        command = parameter(command)
    return command


@bridge.command()
@bridge_options
@click.option("--bind", default="127.0.0.1:9872", show_default=True, help="Where to listen.")
def plotjuggler(
    endpoint: str, keys: Path | None, server: Path | None, seconds: float | None, bind: str
) -> None:
    """Send the numbers of each instant to PlotJuggler.

    There: Streaming, ZMQ Subscriber, connect to localhost, port 9872, protocol JSON, with the field
    timestamp as time. Its own time tracker can't be moved from outside: where the playhead is
    are the curves playhead/cursor.

    \b
    Example:
      playhead bridge plotjuggler 5670
    """
    from ...bus.bridges.plotjuggler import PlotJuggler

    with connected(endpoint, keys, server, name="PlotJuggler") as client:
        sink = PlotJuggler(bind)
        try:
            echo(f"for PlotJuggler's ZMQ Subscriber: {sink.endpoint}", err=True)
            carry(client, sink, seconds)
        finally:
            sink.close()


@bridge.command()
@bridge_options
@click.option("--viewer", metavar="URL", help="A running viewer; by default this machine's.")
@click.option("--save", type=FILE, help="Write this .rrd file instead.")
@click.option("--all", "everything", is_flag=True, help="First send all frames that are held.")
def rerun(
    endpoint: str,
    keys: Path | None,
    server: Path | None,
    seconds: float | None,
    viewer: str | None,
    save: Path | None,
    everything: bool,
) -> None:
    """Log each instant to a Rerun viewer and move its time cursor there.

    Start the viewer first, with `rerun`. Scrubbing in Rerun itself moves nothing but Rerun.

    A recording's file in place of ENDPOINT, a clip or a ring, is sent as a whole.

    \b
    Example:
      playhead bridge rerun 5670 --all
      playhead bridge rerun 5670 --save run.rrd
      playhead bridge rerun bug.mcap --save bug.rrd
    """
    from ...bus.bridges.rerun import URL, Rerun

    if viewer is not None and save is not None:
        raise click.UsageError("--viewer and --save: give one of them")

    def opened() -> Rerun:
        if save is not None:
            return Rerun.to_file(str(save))
        return Rerun.to_viewer(viewer or URL, complain=lambda text: echo(text, err=True))

    if is_file(endpoint):
        if keys is not None or server is not None or seconds is not None:
            raise click.UsageError(
                f"{endpoint} is a file: --keys, --server and --seconds are for a running game"
            )
        send_file(endpoint, opened, str(save or viewer or URL))
        return
    with connected(endpoint, keys, server, name="Rerun") as client:
        sink = opened()
        try:
            echo(f"to Rerun: {save or viewer or URL}", err=True)
            carry(client, sink, seconds, sink.log if everything else None)
        finally:
            sink.close()


@bridge.command()
@bridge_options
@click.option("--bind", default="127.0.0.1:8765", show_default=True, help="Where to listen.")
def foxglove(
    endpoint: str, keys: Path | None, server: Path | None, seconds: float | None, bind: str
) -> None:
    """Serve each instant to Foxglove, whose play buttons and bar move everybody.

    There: Open connection, Foxglove WebSocket, ws://localhost:8765.

    \b
    Example:
      playhead bridge foxglove 5670
    """
    from ...bus.bridges.foxglove_server import Foxglove

    with connected(endpoint, keys, server, name="Foxglove") as client:
        sink = Foxglove(client, bind)
        try:
            echo(f"for Foxglove: {sink.url}", err=True)
            carry(client, sink, seconds)
        finally:
            sink.close()


def is_file(text: str) -> bool:
    """Whether a recording's file is meant, and no endpoint: it is there, or is named like one."""
    return Path(text).is_file() or text.endswith((".mcap", ".ring"))


def send_file(path: str, opened: "Callable[[], Rerun]", where: str) -> None:
    """Log all frames of a recording's file.

    Args:
        opened: Opens Rerun, once the file is known to be readable.
        where: What it is called in the line at the end.
    """
    from ...bus.bridges.recorded_frame_views import recorded_views
    from ...recording.open_file import open_source

    with open_source(path) as source:
        sink, frames = opened(), 0
        try:
            with bar("sending") as update:
                for view in recorded_views(source, progress=update):
                    sink.log(view)
                    frames += 1
        finally:
            sink.close()
    echo(f"{frames:,} frames of {path} to Rerun: {where}", err=True)


def carry(
    client: "Client", sink: "Sink", seconds: float | None,
    first: Callable[..., object] | None = None,
) -> None:  # fmt: skip
    """Follow a service until interrupted, or for some seconds.

    Args:
        first: Given the pictures of all recorded frames, before that.
    """
    from ...bus.bridges.external_viewer_bridge import Bridge

    carrying = Bridge(client, sink)
    try:
        if first is not None:
            for picture in carrying.held_frames():
                first(picture)
        asyncio.run(carrying.run(seconds))
    except KeyboardInterrupt:
        return
