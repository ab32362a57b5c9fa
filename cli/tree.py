"""`playhead tree`: behaviour trees."""

import click

from .client_options import Commands
from .tree_run import chat, check, make, run, scan, schemas


@click.group(cls=Commands, no_args_is_help=False)
def tree() -> None:
    """Behaviour trees: check a workspace, run its agents in a game, call one by a sentence.

    \b
    Example:
      playhead tree check my_workspace
      playhead tree run yard_guard arena:yard --seconds 60 --clip guard.mcap
      playhead tree chat yard_guard arena:yard 'keep watch'
    """


for _command in (check, run, chat, make, scan, schemas):
    tree.add_command(_command)
