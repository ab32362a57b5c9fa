"""`playhead record`: runs a program that knows nothing of playhead, and records it."""

import os
from collections.abc import Callable
from ctypes.util import find_library
from pathlib import Path

import click

from ...adapters.output_path_and_summary import checked_path
from ...errors import CommandError
from ...programs.python_program import PythonProgram
from ...programs.python_script_runner import ProgramRun
from ...programs.unmodified_program_recorder import ProgramOptions
from ...recording_session import checked_step
from ...runner.terminal.safe_terminal_output import echo
from ..bus.bus_server_options import BusCommand, bus_options, settings_of


class RecordCommand(BusCommand):
    """A command whose own options end where the program begins: at its path, or at `-m`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        begin = program_begins(args)
        own, program = args[:begin], args[begin:]
        if program[:1] == ["-m"] or program[:1] == ["--"]:
            own, program = [*own, *program[:1]], program[1:]
        elif program and program[0].startswith("-m"):
            own, program = [*own, "-m"], [program[0][2:], *program[1:]]
        if own[-1:] == ["-m"]:
            if not program:
                raise click.UsageError("-m needs the name of a module", ctx)
            own, ctx.obj = own[:-1], True
        if own[-1:] == ["--"]:
            own = own[:-1]
        return super().parse_args(ctx, [*own, "--", *program])


def program_begins(args: list[str]) -> int:
    """Where in the arguments of `playhead record` the program begins: at `-m`, `--`, or the first
    argument that is neither an option nor the value of one."""
    valued = _option_names(lambda option: not option.is_flag)
    at = 0
    while at < len(args):
        arg = args[at]
        if arg == "--" or not arg.startswith("-") or arg == "-" or arg.startswith("-m"):
            break
        at += 1
        if arg == "--bus":
            at += at < len(args) and is_address(args[at])
        elif arg in valued:
            at += 1
    return min(at, len(args))


@click.command(cls=RecordCommand)
@click.argument("program", nargs=-1, type=click.UNPROCESSED, metavar="SCRIPT.py|-m MODULE [ARGS]…")
@click.option(
    "--out", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE",
    help="The clip; by default NAME.mcap in this folder, after the program. A clip that is there is"
    " kept as NAME.1.mcap. With the suffix .ring the ring file is kept instead.",
)  # fmt: skip
@click.option(
    "--seconds", type=click.FloatRange(min=0, min_open=True),
    help="End the program after this real time.",
)  # fmt: skip
@click.option(
    "--frames", type=click.IntRange(min=1), help="End the program after so many frames."
)  # fmt: skip
@click.option(
    "--dt", type=float,
    help="The length of each step, seconds, such as 0.0167. By default that of the simulation or"
    " the environment, else the real time between two pictures.",
)  # fmt: skip
@click.option("--memory", default="64 MiB", show_default=True, help="All that the recording gets.")
@click.option(
    "--headless", is_flag=True,
    help="Without a window and sound, for pygame, arcade and MuJoCo.",
)  # fmt: skip
@click.option("--verbose", is_flag=True, help="Say what is recognised as soon as it is.")
@bus_options
@click.pass_context
def record(
    ctx: click.Context,
    program: tuple[str, ...],
    out: Path | None,
    seconds: float | None,
    frames: int | None,
    dt: float | None,
    memory: str,
    headless: bool,
    verbose: bool,
    bus: str | None,
    keys: Path | None,
    clients: Path | None,
) -> Callable[[], None]:
    """Run a Python program as python itself does, and record it without a change to it.

    Recorded are the windows and sprites of pygame, windows of arcade, spaces of pymunk,
    simulations of MuJoCo, and environments of Gymnasium and PettingZoo. At its end the command
    says on stderr what it recognised, what not, and how to open the recording. What follows the
    program's name is the program's own. Its exit code and its traceback are as without playhead.

    \b
    Example:
      playhead record game.py
      playhead record --seconds 20 -m pygame.examples.aliens
      playhead record --out fall.mcap --headless game.py --level 3
    """
    if not program:
        raise click.UsageError("name a program: a script, or -m and a module", ctx)
    name, *args = program
    if dt is not None:
        checked_step(dt)
    found = PythonProgram(name, is_module=bool(ctx.obj), args=tuple(args))
    path = checked_path(Path(f"{found.stem}.mcap") if out is None else out)
    assert path is not None
    options = ProgramOptions(path, dt, memory, settings_of(bus, keys, clients) or False, frames)
    checked_path(options.ring)
    if headless:
        set_headless()
    run = ProgramRun(
        found, options, seconds=seconds, is_verbose=verbose,
        tell=lambda line: echo([f"playhead: {line}"], err=True),
    )  # fmt: skip
    run.load()
    behind = sorted(_option_names().intersection(args))
    if behind:
        echo(
            f"playhead: {', '.join(behind)} stands behind {name}, so it is the program's own: write"
            f" playhead's options before {name}", err=True,
        )  # fmt: skip
    return run.run


def _option_names(which: Callable[[click.Option], bool] = lambda option: True) -> set[str]:
    """The options of `playhead record`, as they are typed."""
    options = (one for one in record.params if isinstance(one, click.Option))
    return {name for option in options if which(option) for name in option.opts}


def set_headless() -> None:
    """Have libraries make no window and no sound, where they can do without."""
    os.environ["SDL_VIDEODRIVER"] = os.environ["SDL_AUDIODRIVER"] = "dummy"
    os.environ["ARCADE_HEADLESS"] = "true"
    if find_library("EGL") is not None:
        os.environ.setdefault("MUJOCO_GL", "egl")


def is_address(text: str) -> bool:
    """Whether something is an address of the bus."""
    from ...bus.messages.address import Address

    try:
        Address.of(text)
    except CommandError:
        return False
    return True
