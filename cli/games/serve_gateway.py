"""`playhead serve`: records a game in any language that connects to the gateway."""

import json
import signal
from pathlib import Path
from types import FrameType
from typing import Any

import click

from ...agents.replay.replay_state_publisher import REPLAY, ReplayStatePublisher
from ...bus.messages.encryption_keys import ServerKeys, load
from ...bus.server.bus_settings import BusSettings
from ...bus.server.service import Service
from ...errors import CommandError
from ...games.remote.remote_recorder import RemoteRecorder
from ...games.remote.remote_world import RemoteWorld
from ...runner.command_line_session import CommandSession
from ...runner.terminal.safe_terminal_output import echo
from ...session import Session

FILE = click.Path(dir_okay=False, path_type=Path)


@click.command()
@click.option("--memory", default="64 MiB", show_default=True, help="All that the recording gets.")
@click.option(
    "--bind", default="tcp://127.0.0.1:5670", show_default=True, help="Where tools connect."
)
@click.option(
    "--gateway",
    default="127.0.0.1:5671",
    show_default=True,
    help="Where games and browsers connect.",
)
@click.option("--ring", type=click.Path(dir_okay=False), help="Keep the recording in this file.")
@click.option("--token", default="", help="What the gateway asks for, or a file with it.")
@click.option("--origin", "origins", multiple=True, help="A web page that may connect.")
@click.option("--tls-cert", type=FILE, help="The gateway's certificate, for TLS.")
@click.option("--tls-key", type=FILE, help="The certificate's secret key.")
@click.option("--keys", type=FILE, help="This service's NAME.key_secret, to bind off loopback.")
@click.option(
    "--clients",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder with tools' public keys.",
)
@click.option("--json", "as_json", is_flag=True, help="Say all of it as JSON, an object a line.")
def serve(
    memory: str,
    bind: str,
    gateway: str,
    ring: str | None,
    token: str,
    origins: tuple[str, ...],
    tls_cert: Path | None,
    tls_key: Path | None,
    keys: Path | None,
    clients: Path | None,
    as_json: bool,
) -> None:
    """Record a game that connects to the gateway, and let tools scrub it.

    The first line says where tools connect, the second where the game does. Ends at Ctrl-C; a
    second one does not wait for the end. What was recorded stays in the file of --ring, of which
    `playhead clip recover` makes a clip; while it runs, `playhead ctl 5670 save FILE` does.

    \b
    Example:
      playhead serve
      playhead serve --memory '256 MiB' --ring game.ring
      playhead serve --bind 'tcp://127.0.0.1:*' --gateway 127.0.0.1:0 --json
    """
    from ...bus.gateway.gateway import Gateway  # the extra, which only this command needs
    from ...bus.gateway.gateway_settings import GatewaySettings

    world = RemoteWorld()
    settings = BusSettings(bind, lock_of(keys, clients))
    gateway_settings = GatewaySettings(gateway, token_of(token), origins, tls_cert, tls_key)
    gateway_settings.check()  # before anything is opened
    with CommandSession(world, memory, handlers=world.handlers, path=ring, bus=settings) as session:
        service = session.bus
        assert service is not None
        host = RemoteRecorder(session, world, service)
        session.serve(REPLAY, ReplayStatePublisher(session).forward)
        listening = Gateway(service, gateway_settings, host.link)
        try:
            with_signals(host)
            print_addresses(service.endpoint, listening.url, as_json)
            host.run()
        finally:
            listening.close()
        echo(
            json.dumps(description_of(session, service))
            if as_json
            else summary_text(session, service)
        )


def lock_of(keys: Path | None, clients: Path | None) -> ServerKeys | None:
    """The lock of the tools' address; None without keys."""
    if keys is None and clients is None:
        return None
    if keys is None or clients is None:
        raise CommandError("a lock needs both, --keys NAME.key_secret and --clients FOLDER")
    return ServerKeys(load(keys), clients)


def token_of(given: str) -> str:
    """The token itself, or what is in the file of that name."""
    if given and Path(given).is_file():
        return Path(given).read_text().strip()
    return given


def with_signals(host: RemoteRecorder) -> None:
    """Let Ctrl-C and a polite kill end the recording in good order, and a second one at once."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def stop(number: int, frame: FrameType | None) -> None:
        for each, handler in before.items():
            signal.signal(each, handler)
        host.stop()

    for number in before:
        signal.signal(number, stop)


def print_addresses(endpoint: str, url: str, as_json: bool) -> None:
    """Print where it listens, so that a parent process can read it at once: `echo` flushes."""
    if as_json:
        echo(json.dumps({"endpoint": endpoint, "gateway": url}))
    else:
        echo(f"tools     {endpoint}")
        echo(f"games     {url}")


def description_of(session: Session, service: Service) -> dict[str, Any]:
    """What was recorded, in plain values."""
    status, bus, span = session.status, service.status, session.source.span
    return {
        "frames": status.frames,
        "packets": status.packets,
        "seconds": span.end if span else 0.0,
        "seconds_held": status.seconds_held,
        "ring_bytes": status.memory,
        "requests": bus.requests,
        "malformed": bus.malformed,
        "busy": bus.busy,
        "dropped": status.packets_dropped + status.calls_dropped + status.latch_refused,
        "late_dropped": status.late_dropped,
        "frames_refused": bus.frames_refused,
        "frames_dropped": bus.frames_dropped,
        "games_refused": bus.games_refused,
        "events_dropped": bus.events_dropped,
    }


def summary_text(session: Session, service: Service) -> str:
    """The same as a few lines to be read."""
    facts = description_of(session, service)
    return "\n".join([
        f"recorded  {facts['frames']:,} frames, {facts['packets']:,} packets,"
        f" {facts['seconds']:.1f} s; held are the newest {facts['seconds_held']:.1f} s",
        f"refused   {facts['frames_refused']} frames, {facts['games_refused']} games,"
        f" {facts['malformed']} requests that were none",
        f"dropped   {facts['dropped']} packets and calls, {facts['late_dropped']} too late,"
        f" {facts['frames_dropped']} frames in playback",
    ])  # fmt: skip
