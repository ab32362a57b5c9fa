"""The command `playhead`: a table of commands, loaded when used, and how errors are printed."""

import importlib
import os
import sys
import traceback
from collections.abc import Sequence
from typing import NamedTuple

import click

from ..installation import version
from ..runner.command_error import CommandFailure
from ..runner.terminal.safe_terminal_output import echo, logged
from ..runner.terminal.signal_handling import Terminated, terminable
from .bus.connection_options import Commands


class Entry(NamedTuple):
    """Where a command is, and what `playhead --help` says of it without loading it."""

    target: str
    """`module:function`, the module being named from this package on."""
    help: str


COMMANDS = {
    "ask": Entry(
        "recordings.repeat_decision:ask", "Make a recorded decision again, perhaps with an edit."
    ),
    "bridge": Entry("bus.bridge:bridge", "Show a session in PlotJuggler, Rerun or Foxglove."),
    "clip": Entry(
        "recordings.clip_commands:clip", "Facts of clips; check, rescue, trim and export them."
    ),
    "ctl": Entry("bus.ctl:ctl", "Drive any running playhead: pause, step, seek, advance, mark."),
    "demo": Entry(
        "games.showcase:demo", "The main job on the built-in arena: record, fail, scrub back."
    ),
    "demo-record": Entry(
        "agents.demo_record:demo_record", "Record how a person plays, for agents."
    ),
    "demo-edit": Entry(
        "agents.demo_edit:demo_edit", "Cut and join demos, record a stretch of one again."
    ),
    "doctor": Entry("doctor:doctor", "What works here, and what to install for the rest."),
    "find": Entry("recordings.find:find", "When did an expression become true in a recording?"),
    "keys": Entry("bus.keys:keys", "Make the keys that lock a service."),
    "new": Entry("agents.new:new", "Write files to begin with: a tester for your own game."),
    "plan": Entry(
        "agents.plan:plan", "Explicit plans: check them, carry them out, validate each action."
    ),
    "record": Entry("games.record_program:record", "Run a Python program and record it as it is."),
    "replay": Entry("agents.replay_demos:replay", "Play demos again by an agent."),
    "run": Entry("games.run:run", "Run a game under the recorder."),
    "serve": Entry("games.serve_gateway:serve", "Record a game in any language, over a WebSocket."),
    "train": Entry("agents.train:train", "Train the policy that plans may walk by."),
    "tree": Entry(
        "agents.tree_show_export:tree",
        "Behaviour trees: make and run them, see what they decided and why.",
    ),
    "why-not": Entry(
        "recordings.why_not:why_not", "What kept a state, a rule or a branch from coming?"
    ),
    "view": Entry("recordings.view:view", "The viewer, on a clip, a ring, or a running game."),
}


class CommandTable(Commands):
    """A group whose commands are imported one by one: a missing extra breaks only its own."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, _, function = COMMANDS[cmd_name].target.partition(":")
        command = getattr(importlib.import_module(f".{module}", __package__), function)
        assert isinstance(command, click.Command), f"{COMMANDS[cmd_name].target} is no command"
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, COMMANDS[name].help) for name in sorted(COMMANDS)])


@click.group(cls=CommandTable, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version", is_flag=True, expose_value=False, is_eager=True, help="Show the version and exit.",
    callback=lambda ctx, option, value: _print_version(ctx) if value else None,
)  # fmt: skip
@click.option("--debug", is_flag=True, help="Show an error's traceback; can be given anywhere.")
def playhead(debug: bool) -> None:
    """Record a game frame by frame, and scrub back to where it went wrong.

    \b
    Example:
      playhead demo --headless
      playhead run --help
    """


def _print_version(ctx: click.Context) -> None:
    echo(f"playhead {version()}")
    ctx.exit()


def _own(given: list[str]) -> list[str]:
    """The arguments that are playhead's own: those before `--`, and before a recorded program."""
    command = next((at for at, arg in enumerate(given) if not arg.startswith("-")), None)
    if command is not None and given[command] == "record":
        from .games.record_program import program_begins

        return given[: command + 1 + program_begins(given[command + 1 :])]
    return given[: given.index("--")] if "--" in given else given


def main(args: Sequence[str] | None = None) -> None:
    """Run one command line and exit: 0 only on success, errors in one or two plain lines.

    With `--json` among the arguments an error is one object on stdout instead, and with
    `--debug` its traceback goes to stderr as well.
    """
    given = list(sys.argv[1:] if args is None else args)
    options = _own(given)
    debug = "--debug" in options
    arguments = [arg for arg in options if arg != "--debug"] + given[len(options) :]
    try:
        with logged(), terminable():
            code = playhead.main(
                arguments or ["--help"], prog_name="playhead", standalone_mode=False
            )
    except (Exception, KeyboardInterrupt, Terminated) as error:
        failure = CommandFailure.of(error)
        if debug:
            echo("".join(traceback.format_exception(error)).rstrip(), err=True)
        try:
            failure.print(as_json="--json" in options)
        except BrokenPipeError:
            # The pipe's reader is gone. What Python flushes at its end has to go somewhere.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(failure.code)
    if callable(code):  # what the command gives is run when errors and signals are not ours
        code()
        return
    # Outside click's standalone mode an exit code, from `ctx.exit(1)`, comes as the result.
    sys.exit(code if type(code) is int else 0)
