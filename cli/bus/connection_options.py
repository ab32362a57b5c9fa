"""Options that several commands share: the address and keys of a service, files, reports.

Their options may be anywhere on the line, and minus numbers are arguments, not options.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...errors import CommandError
from ...recorder.text.name_hint import name_hint

if TYPE_CHECKING:
    from ...bus.client.client import Client
    from ...bus.messages.encryption_keys import ClientKeys, ServerKeys

KEYS_HELP = "This side's secret key, for what is locked: see playhead keys."


def pass_of(keys: Path | None, server: Path | None) -> "ClientKeys | None":
    """A tool's keys; None if the service is not locked.

    Raises:
        CommandError: one of the two files is missing, or is none with keys.
    """
    from ...bus.messages.encryption_keys import ClientKeys, load, load_public

    if keys is None and server is None:
        return None
    if keys is None or server is None:
        raise CommandError(
            "a locked service takes both: --keys FILE, your own secret key, and --server FILE,"
            " the service's public key"
        )
    return ClientKeys(load(keys), load_public(server))


def lock_of(keys: Path | None, clients: Path | None) -> "ServerKeys | None":
    """A service's keys; None if it is not to be locked.

    Raises:
        CommandError: the file or the folder is missing, or the file is none with keys.
    """
    from ...bus.messages.encryption_keys import ServerKeys, load

    if keys is None and clients is None:
        return None
    if keys is None or clients is None:
        raise CommandError(
            "to lock the service give both: --keys FILE, its own secret key, and --clients FOLDER,"
            " with the public keys of all who may talk to it"
        )
    return ServerKeys(load(keys), clients)


def connected(
    endpoint: str, keys: Path | None, server: Path | None, *, name: str, **rest: Any
) -> "Client":
    """A tool on the bus.

    Raises:
        BusError: no service answers there.
        CommandError: the address is none, or the keys are not there.
    """
    from ...bus.client.client import Client

    return Client(endpoint, name=name, keys=pass_of(keys, server), **rest)


class Commands(click.Group):
    """A group that names the nearest of its commands, and shows each one's whole first sentence."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        names = self.list_commands(ctx)
        if args and not args[0].startswith("-") and args[0] not in names:
            ctx.fail(f"no command {args[0]!r}: {name_hint(args[0], names)}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        rows = []
        for name in self.list_commands(ctx):
            command = self.get_command(ctx, name)
            help = (command.help if command else None) or ""
            rows.append((name, " ".join(help.partition("\n\n")[0].split())))
        with formatter.section("Commands"):
            formatter.write_dl(rows)


# --- how a line is read -----------------------------------------------------------------------


def pulled(args: list[str], flags: Iterable[str], valued: Iterable[str]) -> list[str]:
    """The arguments with these options first, wherever they were; what follows `--` stays."""
    flags, valued = set(flags), set(valued)
    end = args.index("--") if "--" in args else len(args)
    given, rest = iter(args[:end]), args[end:]
    front: list[str] = []
    back: list[str] = []
    for arg in given:
        if arg in flags or ("=" in arg and arg.partition("=")[0] in valued):
            front.append(arg)
        elif arg in valued:
            front += [arg, *([value] if (value := next(given, None)) is not None else [])]
        else:
            back.append(arg)
    return [*front, *back, *rest]


MINUS = {"ignore_unknown_options": True}
"""Context settings of a command whose arguments may begin with a minus sign."""
FILE = click.Path(dir_okay=False, path_type=Path)
"""A file that is read by what it is given to, which says what is wrong with it."""
CLIPS = click.option(
    "--clips", type=click.Path(file_okay=False, path_type=Path), metavar="DIR",
    help="Keep a clip of each failure there.",
)  # fmt: skip
JUNIT = click.option(
    "--junit", type=FILE, metavar="FILE", help="Write a report that CI servers read."
)
JSON_RUNS = click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON object for each run."
)
