"""The options that put a game on the bus: an address, and the keys that lock it."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ...errors import CommandError
from .connection_options import FILE, lock_of

if TYPE_CHECKING:
    from ...bus.server.bus_settings import BusSettings

_C = TypeVar("_C", bound=Callable[..., Any])


class BusCommand(click.Command):
    """A command with `--bus [ADDRESS]`: what follows is the address only if it is one."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        from ...bus.messages.address import Address

        for at, arg in enumerate(args):
            if arg == "--":
                break
            if arg == "--bus" and at + 1 < len(args):
                try:
                    Address.of(args[at + 1])
                except CommandError:
                    # An option without its value would take whatever comes next, say the game.
                    args = [*args[:at], "--bus=", *args[at + 1 :]]
                break
        return super().parse_args(ctx, args)


def bus_options(command: _C) -> _C:
    """Give a `BusCommand` the options `--bus`, `--keys` and `--clients`."""
    for option in (
        click.option(
            "--clients", type=click.Path(file_okay=False, path_type=Path),
            help="With --bus: the folder with the public keys of all who may talk to it.",
        ),
        click.option("--keys", type=FILE, help="With --bus: its secret key: see playhead keys."),
        click.option(
            "--bus", is_flag=False, flag_value="", metavar="[ADDRESS]",
            help="Be on the bus, at tcp://127.0.0.1:5670 or at another address.",
        ),
    ):  # fmt: skip
        command = option(command)
    return command


def settings_of(bus: str | None, keys: Path | None, clients: Path | None) -> "BusSettings | None":
    """What the three options say; None without `--bus`.

    Raises:
        CommandError: keys without a bus, or one of two.
    """
    from ...bus.server.bus_settings import BusSettings

    lock = lock_of(keys, clients)
    if bus is None:
        if lock is not None:
            raise CommandError("--keys and --clients lock the bus: say --bus, too")
        return None
    return BusSettings(bus, lock)
