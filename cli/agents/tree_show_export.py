"""`playhead tree`: shows the trees in recordings, and exports and imports Groot's files."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
import msgspec

from ...errors import CommandError
from ...recorder.clips.save_clip import save
from ...recorder.monotonic_timeline import exactly
from ...recorder.packets.trace_types import TreeNode
from ...recorder.recorder import Recorder
from ...recording import open_file
from ...recording.export.groot_export import groot_of
from ...recording.recording import Recording
from ...recording.trees.groot_import import read_groot
from ...recording.trees.tree_snapshot import RecordedNode, TreeSnapshot
from ...recording.trees.tree_text import blackboard_lines, tree_facts, tree_lines
from ...runner.terminal.safe_terminal_output import echo
from ..bus.connection_options import FILE, Commands
from .tree_commands import chat, check, make, run, scan, schemas

AT = click.option("--at", type=float, help="The instant, seconds; by default the end.")
FRAME = click.option("--frame", type=int, help="Or the frame's number.")
AGENT = click.option("--agent", help="Only this agent's, by id or name.")
TREE = click.option("--tree", "name", help="Only the tree of this name.")


@click.group(cls=Commands, no_args_is_help=False)
def tree() -> None:
    """Behaviour trees: make and run them, see what each node decided and why.

    \b
    Example:
      playhead tree check my_workspace
      playhead tree run yard_guard arena:yard --seconds 60 --clip guard.mcap
      playhead tree chat yard_guard arena:yard 'keep watch'
      playhead tree show run.mcap --at 12.5 --agent "guard 7"
      playhead tree export run.mcap guard.xml
    """


@tree.command()
@click.argument("recording", type=click.Path(dir_okay=False))
@AT
@FRAME
@AGENT
@TREE
@click.option("--all", "unfolded", is_flag=True, help="List branches that were not ticked, too.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object a tree.")
def show(
    recording: str, at: float | None, frame: int | None, agent: str | None, name: str | None,
    unfolded: bool, as_json: bool,
) -> None:  # fmt: skip
    """Show the trees in RECORDING, a clip or the ring of a game, as they were at an instant.

    Each node has its status and its feedback. Branches that were not ticked are folded.

    \b
    Example:
      playhead tree show run.mcap --at 12.5
      playhead tree show run.mcap --frame 750 --agent "guard 7" --json
    """
    with open_file.open(recording) as run:
        for one in _trees(run, recording, at, frame, agent, name):
            time = None if one.frame is None else run.frames.number(one.frame).time
            if as_json:
                echo(_json(tree_facts(one, time)))
                continue
            echo([_headline(run, one, time)])
            echo(tree_lines(one, unfolded=unfolded))
            board = [f"  {line}" for line in blackboard_lines(one)]
            echo(["Blackboard", *board] if board else "No blackboard is recorded for it.")


@tree.command()
@click.argument("recording", type=click.Path(dir_okay=False))
@click.argument("out", type=FILE)
@AT
@FRAME
@AGENT
@TREE
def export(
    recording: str, out: Path, at: float | None, frame: int | None, agent: str | None,
    name: str | None,
) -> None:  # fmt: skip
    """Write a tree in RECORDING to OUT, as XML for Groot2 and BehaviorTree.CPP 4.

    What that format can't say is named on stderr.

    \b
    Example:
      playhead tree export run.mcap guard.xml --agent "guard 7"
    """
    with open_file.open(recording) as run:
        found = _trees(run, recording, at, frame, agent, name)
    if len(found) > 1:
        listed = ", ".join(f"{one.tree!r} of object {one.agent}" for one in found)
        raise CommandError(
            f"{recording}: there are several trees: {listed}: give --agent or --tree"
        )
    file = groot_of(found[0].tree, [_defined(node) for node in found[0].nodes])
    out.write_text(file.xml, encoding="utf-8")
    for line in file.unmapped:
        echo([f"not the same in Groot2: {line}"], err=True)
    echo([f"{out}: the tree {found[0].tree!r} with {len(found[0].nodes)} nodes"])


@tree.command("import")
@click.argument("xml", type=click.Path(dir_okay=False, exists=True, path_type=Path))
@click.argument("out", type=FILE, required=False)
@TREE
@click.option("--json", "as_json", is_flag=True, help="Print the nodes as one JSON object.")
def import_(xml: Path, out: Path | None, name: str | None, as_json: bool) -> None:
    """Show the tree in XML, a file of Groot2 or BehaviorTree.CPP 4; with OUT, write a clip of it.

    What playhead has no word for is named on stderr.

    \b
    Example:
      playhead tree import guard.xml guard.mcap
    """
    try:
        read = read_groot(xml.read_bytes(), name)
    except CommandError as error:
        raise CommandError(f"{xml}: {error}") from None
    nodes = tuple(
        RecordedNode(one.name, one.kind, one.parent, "", "", type=one.type, detail=one.detail)
        for one in read.nodes
    )
    shown = TreeSnapshot(0, read.name, None, nodes, {}, ())
    echo(_json(tree_facts(shown, None)) if as_json else tree_lines(shown, unfolded=True))
    for line in read.unmapped:
        echo([f"not the same here: {line}"], err=True)
    if out is not None:
        _write_clip(out, read.name, read.nodes)


def _json(facts: Mapping[str, Any]) -> str:
    """The facts as JSON: bytes of a blackboard in base64, numbers that are none as null."""
    return msgspec.json.encode(facts).decode()


def _write_clip(out: Path, name: str, nodes: tuple[TreeNode, ...]) -> None:
    """A clip of one frame, in which the tree is defined."""
    recorder = Recorder("64 MiB", latch="32 MiB")
    try:
        recorder.trace.define_tree(0, name, nodes)
        recorder.update([])
        save(out, recorder.ring)
    finally:
        recorder.close()


def _trees(
    run: Recording, recording: str, at: float | None, frame: int | None, agent: str | None,
    name: str | None,
) -> list[TreeSnapshot]:  # fmt: skip
    """The trees that are meant, at least one."""
    try:
        if at is None and frame is None:
            frame = run.frames[-1].number
        trees = run.trees(at=at, frame=frame)
        if agent is not None:
            wanted = _agents(run, agent, at, frame)
            trees = [one for one in trees if one[0] in wanted]
        found = [
            run.tree(each, tree, at=at, frame=frame) for each, tree in trees if name in (None, tree)
        ]
    except CommandError as error:
        raise CommandError(f"{recording}: {error}") from None
    if not found:
        trees = run.trees(at=at, frame=frame)
        listed = ", ".join(f"{tree!r} of object {each}" for each, tree in trees)
        raise CommandError(
            f"{recording}: there is no such behaviour tree at that instant: "
            + (
                f"there are {listed}"
                if trees
                else "none is recorded there; rec.add(tree) records one"
            )
        )
    return found


def _agents(run: Recording, agent: str, at: float | None, frame: int | None) -> set[int]:
    """The ids that a number or a name may mean."""
    if agent.isdecimal() and agent.isascii():
        return {int(agent)}
    return {one.id for one in run.objects(frame, at=at) if one.name == agent}


def _defined(node: RecordedNode) -> TreeNode:
    return TreeNode(node.name, node.kind, node.parent, node.type, node.detail)


def _headline(run: Recording, tree: TreeSnapshot, time: float | None) -> str:
    whose = "the world" if not tree.agent else _name(run, tree)
    ticked = "it was not ticked in what is held" if time is None else (
        f"ticked in frame {tree.frame} at {exactly(time)} s"
    )  # fmt: skip
    more = f", the last of {tree.ticks} ticks in it" if tree.ticks > 1 else ""
    return f"{tree.tree} · {whose} · {ticked}{more}"


def _name(run: Recording, tree: TreeSnapshot) -> str:
    names = [one.name for one in run.objects(tree.frame) if one.id == tree.agent]
    return next(filter(None, names), f"object {tree.agent}")


for _command in (check, run, chat, make, scan, schemas):
    tree.add_command(_command)
