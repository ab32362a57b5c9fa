"""`playhead ctl`: drives any running playhead, one command a call."""

import json
import os
import re
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...errors import CommandError, RecordingError
from ...recorder.monotonic_timeline import exactly
from ...recorder.text.duration_text import duration_text
from ...recorder.text.name_hint import name_hint
from ...runner.terminal.safe_terminal_output import echo
from .connection_options import (
    FILE,
    KEYS_HELP,
    MINUS,
    Commands,
    pulled,
)
from .ctl_context import CtlContext
from .ctl_hooks_and_edits import COMMANDS
from .playback_state_text import span_facts, time_facts, time_text

if TYPE_CHECKING:
    from ...bus.client.client import Client
    from ...bus.messages.message import PlayheadTime
    from ...bus.messages.response_rows import ClipRow

_FLAGS = ("--json",)
_FRAME = 1.0
"""Seconds in which a game that is live records another frame, or it is stopped in a debugger."""
_VALUED = ("--keys", "--server", "--timeout")


class Ctl(Commands):
    """A group whose options may be anywhere, after the command too."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        options = args[: args.index("--")] if "--" in args else args
        if {"-h", "--help"}.intersection(options):
            named = next((arg for arg in options if arg in self.commands), None)
            echo(self.get_help(ctx) if named is None else self._help_of(named, ctx))
            ctx.exit()
        rest = super().parse_args(ctx, pulled(args, _FLAGS, _VALUED))
        name = ctx.params.get("endpoint")
        if name in self.commands:
            ctx.fail(f"{name} whom? ENDPOINT comes before the command: playhead ctl 5670 {name}")
        return rest

    def _help_of(self, name: str, ctx: click.Context) -> str:
        path = f"{ctx.command_path} ENDPOINT {name}"
        with self.commands[name].make_context(path, [], resilient_parsing=True) as inner:
            return self.commands[name].get_help(inner)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)


@click.group(cls=Ctl, no_args_is_help=False, subcommand_metavar="COMMAND …")
@click.argument("endpoint")
@click.option("--json", "as_json", is_flag=True, help="Print JSON; can be given anywhere.")
@click.option("--keys", type=FILE, help=KEYS_HELP)
@click.option("--server", type=FILE, help="The service's public key.")
@click.option(
    "--timeout", type=click.FloatRange(min=0.01), default=5.0, show_default=True,
    help="Seconds to wait for the service.",
)  # fmt: skip
@click.pass_context
def ctl(
    ctx: click.Context,
    endpoint: str,
    as_json: bool,
    keys: Path | None,
    server: Path | None,
    timeout: float,
) -> None:
    """Drive the playhead that listens at ENDPOINT: a game run with --bus, a service.

    ENDPOINT is tcp://127.0.0.1:5670, or as little of that as 5670. Everybody who is connected
    moves along: the game, the viewer, other tools.

    \b
    Example:
      playhead ctl 5670 enter
      playhead ctl 5670 step -1
      playhead ctl 5670 seek 12.5
      playhead ctl 10.0.0.5 status --keys me.key_secret --server studio.key
    """
    ctx.obj = CtlContext(endpoint, keys, server, timeout, as_json)


# --- what there is ----------------------------------------------------------------------------


@ctl.command()
@click.pass_obj
def status(context: CtlContext) -> None:
    """Print the playhead's position, what is recorded, and who is connected."""
    with context.client() as client:
        present, report, welcome = client.snapshot(), client.status(), client.welcome
    recorder, bus = report.recorder, report.bus
    if context.as_json:
        echo(json.dumps({
            "service": welcome.service,
            "endpoint": bus.endpoint,
            "game": welcome.game,
            "now": time_facts(present.time),
            "span": span_facts(present.span),
            "tools": present.tools,
            "recorder": recorder,
            "bus": {name: getattr(bus, name) for name in bus.__struct_fields__},
        }))  # fmt: skip
        return
    span = present.span
    span_text = "nothing yet"
    if span is not None:
        span_text = (
            f"frames {span.oldest} … {span.newest}, {exactly(span.start)} … {exactly(span.end)} s"
            f" ({duration_text(span.seconds)})"
        )
    about = ", ".join(f"{name} {value}" for name, value in welcome.game.items())
    dropped = recorder["packets_dropped"] + recorder["calls_dropped"]
    for label, value in (
        ("now", time_text(present.time)),
        ("game", about or "says nothing of itself"),
        ("held", span_text),
        ("memory", f"{recorder['bytes_used'] / 2**20:.1f} of {recorder['memory'] / 2**20:.1f} MiB"),
        ("cost", f"{recorder['cost_us_p50']:.0f} µs a frame, {recorder['cost_us_p99']:.0f} (p99)"),
        ("dropped", f"{dropped} while recording, {bus.events_dropped} events of the bus"),
        ("lost", _losses_text(recorder)),
        ("tools", ", ".join(present.tools)),
    ):
        echo([f"{label:<9} {value}"])


def _losses_text(recorder: dict[str, Any]) -> str:
    """What is not recorded, or incomplete, by a service's status."""
    losses = [
        f"{sum(recorder.get(name, {}).values()):,} {what} ({', '.join(sorted(recorder[name]))})"
        for name, what in (
            ("unhandled", "objects without a handler"), ("handler_faults", "failed packets"),
            ("cut", "packets with a text that is cut"), ("partial", "packets not written whole"),
            ("calls_refused", "refused calls"),
        )
        if recorder.get(name)
    ]  # fmt: skip
    muted = sum(map(len, recorder.get("muted", {}).values()))
    return "; ".join(losses + [f"{muted} objects muted"] * bool(muted)) or "nothing"


@ctl.command()
@click.option("--count", type=click.IntRange(min=1), help="End after that many lines.")
@click.pass_obj
def tail(context: CtlContext, count: int | None) -> None:
    """Print each new instant as a line, until interrupted.

    The first is the present one. If the service goes away it is looked for.
    """
    left = [count]

    def print_time(now: "PlayheadTime") -> None:
        if left[0] == 0:
            return
        left[0] = None if left[0] is None else left[0] - 1
        if context.as_json:
            text = json.dumps(time_facts(now))
        else:
            text = f"{time_text(now)}   by {now.origin}"
        echo([text])

    try:
        with context.client(conflate=False) as client:
            client.on_time(print_time, own=True)
            client.dispatch()  # that it is there now is not printed
            client.on_connection(lambda there: _tell_connection(client.endpoint, there))
            while left[0] != 0:
                client.dispatch(1.0)
    except KeyboardInterrupt:
        return
    except BrokenPipeError:
        # The reader of the pipe is gone. What Python still flushes at its end has to go somewhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _tell_connection(endpoint: str, there: bool) -> None:
    if not there:
        echo(f"playhead: {endpoint} is gone: looking for it", err=True)
    else:
        echo(f"playhead: {endpoint} is there", err=True)


# --- moving -----------------------------------------------------------------------------------


@ctl.command(context_settings=MINUS)
@click.argument("time", type=float, required=False)
@click.pass_obj
def enter(context: CtlContext, time: float | None) -> None:
    """Pause the game, at its newest frame or at TIME (seconds)."""
    context.move(lambda client: client.enter(time))


@ctl.command()
@click.pass_obj
def leave(context: CtlContext) -> None:
    """Put everything back and let the game run on."""
    context.move(lambda client: client.leave())


@ctl.command(context_settings=MINUS)
@click.argument("rate", type=float, default=1.0)
@click.option("--restart", is_flag=True, help="At the end already: begin at the other one.")
@click.pass_obj
def play(context: CtlContext, rate: float, restart: bool) -> None:
    """Play what is recorded at RATE: 1 by default, below zero in reverse."""
    context.move(lambda client: client.play(rate, restart=restart))


@ctl.command()
@click.pass_obj
def pause(context: CtlContext) -> None:
    """Stand still at the frame that is shown."""
    context.move(lambda client: client.pause())


@ctl.command(context_settings=MINUS)
@click.argument("n", type=int, default=1)
@click.pass_obj
def step(context: CtlContext, n: int) -> None:
    """Move by N recorded frames: 1 by default, below zero to older ones."""
    context.move(lambda client: client.step(n))


@ctl.command(context_settings=MINUS)
@click.argument("where", required=False)
@click.option("--frame", type=int, help="Go to that frame.")
@click.option("--mark", help="Go to the mark of exactly that name.")
@click.pass_obj
def seek(context: CtlContext, where: str | None, frame: int | None, mark: str | None) -> None:
    """Go to WHERE: a time in seconds, '#FRAME', or the name of a mark.

    A shell takes # for a comment: put it in quotes, or say --frame.

    \b
    Example:
      playhead ctl 5670 seek 12.5
      playhead ctl 5670 seek '#750'
      playhead ctl 5670 seek 'a guard stays at its post'
    """
    if (where is not None) + (frame is not None) + (mark is not None) != 1:
        raise click.UsageError(
            "seek where? One of: a time, '#FRAME' in quotes (a shell takes # for a comment)"
            " or --frame N, a mark's name or --mark NAME"
        )
    if where is not None and re.fullmatch(r"#-?\d+", where):
        frame = int(where[1:])
    at = None if where is None or frame is not None else _number(where)
    if frame is not None:
        context.move(lambda client: client.seek(frame=frame))
    elif at is not None:
        context.move(lambda client: client.seek(at))
    else:
        context.move(lambda client: client.seek(mark=mark or where or ""))


@ctl.command(context_settings=MINUS)
@click.argument("ends", nargs=-1, metavar="FROM TO|off")
@click.pass_obj
def loop(context: CtlContext, ends: tuple[str, ...]) -> None:
    """Play round and round FROM one time TO another (seconds); `off` ends that."""
    if ends == ("off",):
        context.move(lambda client: client.loop(None))
        return
    times = [_number(end) for end in ends]
    match times:
        case [float(start), float(end)]:
            context.move(lambda client: client.loop(start, end))
        case _:
            raise click.UsageError(f"loop {' '.join(ends)}: give two times in seconds, or off")


@ctl.command(context_settings=MINUS)
@click.argument("n", type=int, default=1)
@click.pass_obj
def advance(context: CtlContext, n: int) -> None:
    """Run the paused game for N steps, and stand still again: 1 by default.

    At its newest frame only. Waits until the game is paused again; a failed check ends it early.

    \b
    Example:
      playhead ctl 5670 enter
      playhead ctl 5670 advance 10
    """
    context.move(lambda client: client.advance(n))


# --- what the game offers -----------------------------------------------------------------------


@ctl.command()
@click.argument("name")
@click.argument("argument", metavar="[JSON]", required=False)
@click.pass_obj
def call(context: CtlContext, name: str, argument: str | None) -> None:
    """Have the game do what it serves under NAME, and print its answer as JSON.

    JSON is the argument; without it there is none.

    \b
    Example:
      playhead ctl 5670 call difficulty '{"level": 3}'
    """
    try:
        value = None if argument is None else json.loads(argument)
    except ValueError as error:
        raise click.UsageError(
            f"call {name}: {argument!r} is no JSON ({error}); text has quotes of its own:"
            f" {json.dumps(argument)!r}"
        ) from None
    with context.client() as client:
        result = client.call(name, value)
    echo(json.dumps({"name": name, "result": result} if context.as_json else result))


@ctl.command()
@click.argument("name")
@click.pass_obj
def published(context: CtlContext, name: str) -> None:
    """Print the newest that the game has published under NAME, as JSON."""
    from ...bus.messages.requests import GetPublished
    from ...bus.messages.responses import NewestPublished

    with context.client() as client:
        answer = client.asked(GetPublished(name), NewestPublished)
    newest = answer.published
    if newest is None:
        hint = name_hint(name, answer.names)
        raise CommandError(f"published {name!r}: the game has not published it: {hint}")
    if context.as_json:
        facts = {"name": name, "body": newest.body, "time": newest.time, "frame": newest.frame}
        echo(json.dumps(facts))
    else:
        echo(f"frame {newest.frame:<7} {exactly(newest.time)} s   {json.dumps(newest.body)}")


# --- what is drawn and logged -----------------------------------------------------------------


@ctl.command(context_settings=MINUS)
@click.argument("id", type=click.IntRange(min=0))
@click.pass_obj
def focus(context: CtlContext, id: int) -> None:
    """Show the debug drawings of the object with this ID only; 0 for everybody's."""
    context.move(lambda client: client.focus(id))


@ctl.command()
@click.argument("name")
@click.argument("switch", type=click.Choice(("on", "off")))
@click.pass_obj
def channel(context: CtlContext, name: str, switch: str) -> None:
    """Show or hide a channel's debug drawings."""
    context.move(lambda client: client.show(name, switch == "on"))


@ctl.command()
@click.argument("text")
@click.option("--note", default="", help="More about it.")
@click.option("--focus", "object", type=click.IntRange(min=0), default=0, help="Whom it is about.")
@click.pass_obj
def mark(context: CtlContext, text: str, note: str, object: int) -> None:
    """Name the instant that is shown TEXT, so that it can be sought.

    While the game is paused nothing is recorded: the mark is there once it runs on.
    """
    with context.client() as client:
        now = client.snapshot().time
        if not now.frame:
            raise CommandError(f"mark {text!r}: nothing is recorded yet")
        client.mark(text, note, object=object, time=now.time)
        client.flush()
        if client.refusals:
            raise RecordingError(client.refusals[-1])
        waits = now.mode != "live" or not _is_set(client, text, now.frame)
    if context.as_json:
        facts = {"mark": text, "frame": now.frame, "time": now.time, "waits": waits}
        echo(json.dumps(facts))
        return
    later = ": once the game runs on" if waits else ""
    echo([f"marked   frame {now.frame:<7} {exactly(now.time)} s   {text}{later}"])


@ctl.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--from", "start", type=int, metavar="FRAME", help="The first frame.")
@click.option("--to", "end", type=int, metavar="FRAME", help="The last frame.")
@click.option("--overwrite", is_flag=True, help="Replace a file that is there.")
@click.pass_obj
def save(
    context: CtlContext, file: Path, start: int | None, end: int | None, overwrite: bool
) -> None:
    """Save what is recorded as the clip FILE, on the game's machine, and wait until it is there.

    Works also while the game is stopped in a debugger.

    
    Example:
      playhead ctl 5670 save bug.mcap
      playhead ctl 5670 save bug.mcap --from 300 --to 420
    """
    from ...bus.messages.address import Address

    # On this machine it is a file of the working folder; elsewhere of the game's.
    path = file.absolute() if Address.of(context.endpoint).loopback else file
    with context.client() as client:
        _print_clip(context, client.save(str(path), start, end, overwrite=overwrite))


@ctl.command()
@click.argument("name")
@click.option("--pre", type=click.FloatRange(min=0.0), help="Seconds in front of this instant.")
@click.option("--post", type=click.FloatRange(min=0.0), help="Seconds of game time after it.")
@click.option("--note", default="", help="More about it.")
@click.pass_obj
def trigger(
    context: CtlContext, name: str, pre: float | None, post: float | None, note: str
) -> None:
    """Have the game save a clip of what has just happened and of what comes next.

    Does not wait for it: the game's folder of clips is where it will be.
    """
    with context.client() as client:
        _print_clip(context, client.trigger(name, pre, post, note=note))


def _print_clip(context: CtlContext, clip: "ClipRow") -> None:
    if context.as_json:
        echo(json.dumps({name: getattr(clip, name) for name in clip.__struct_fields__}))
    elif not clip.done:
        echo([f"saving   {clip.name}"])
    else:
        gaps = f", {len(clip.gaps)} gaps" if clip.gaps else ""
        echo(f"saved    {clip.frames} frames, {clip.bytes / 2**20:.1f} MiB{gaps}: {clip.path}")


def _is_set(client: "Client", text: str, frame: int) -> bool:
    """Wait for the frame that takes a mark in, so that it can be sought right afterwards."""
    end = time.monotonic() + _FRAME
    while not any(mark.name == text and mark.frame == frame for mark in client.marks()):
        if time.monotonic() > end:
            return False
        client.dispatch(0.02)
    return True


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


for _command in COMMANDS:
    ctl.add_command(_command)
