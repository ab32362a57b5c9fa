"""`playhead keys`: makes the keys that lock a service which other machines can reach."""

import json
from pathlib import Path

import click

from ...runner.terminal.safe_terminal_output import echo


@click.command()
@click.argument("name")
@click.option(
    "--dir", "folder", type=click.Path(file_okay=False, path_type=Path), default=Path(),
    help="The folder for the two files; by default this one.",
)  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print the files' names as one JSON object.")
def keys(name: str, folder: Path, as_json: bool) -> None:
    """Make a pair of keys: NAME.key to hand out, NAME.key_secret to keep.

    The service and each tool need a pair of their own. Everybody else is not even answered.

    \b
    Example:
      playhead keys studio --dir keys
      playhead keys ann
      playhead run arena:yard --bus tcp://0.0.0.0:5670 --keys keys/studio.key_secret --clients tools
      playhead ctl 10.0.0.5 status --keys ann.key_secret --server studio.key
    """
    from ...bus.messages.encryption_keys import make

    public, secret = make(name, folder)
    if as_json:
        echo(json.dumps({"public": str(public), "secret": str(secret)}))
        return
    echo(f"public   {public}   hand it out")
    echo(f"secret   {secret}   keep it to yourself")
    echo(f"as a service: --keys {secret} --clients FOLDER, with the public key of each tool in it")
    echo(f"as a tool:    --keys {secret} --server FILE, the service's public key")
