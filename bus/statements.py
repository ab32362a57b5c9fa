"""What tools, agents and games in other processes say, handed to the recorder."""

from typing import Any

from ..errors import RecordingError
from ..playback.commands import LARGEST_ID
from ..recorder.marks import Mark
from ..recorder.outside import Outside
from .protocol import Statement
from .sayings import (
    SayAnimation,
    SayDespawn,
    SayDraw,
    SayFact,
    SayLog,
    SayMark,
    SayName,
    SayNodes,
    SayState,
    SayTree,
    SayViolation,
    SayWatch,
)


def record(outside: Outside, statement: Statement) -> None:
    """Have a statement written into the next frame; from any thread.

    Raises:
        RecordingError: it can't be recorded; names what.
    """
    match statement:
        case SayTree() if not outside.has_tree(statement.agent, statement.trace.tree):
            raise undefined(statement)
        case SayState() | SayTree() | SayAnimation():
            outside.trace(
                statement.agent, statement.trace,
                time=statement.time, game_time=statement.game_time,
            )  # fmt: skip
        case SayLog():
            outside.log(
                statement.line, channel=statement.channel,
                time=statement.time, game_time=statement.game_time,
            )  # fmt: skip
        case SayMark():
            about = object_id(statement.object)
            mark = Mark(statement.name, 0, note=statement.note, object=about)
            outside.mark(mark, time=statement.time, game_time=statement.game_time)
        case SayWatch():
            outside.watch(statement.name, statement.value, statement.object)
        case SayName():
            outside.name(statement.object, statement.name)
        case SayFact():
            outside.fact(statement.object, statement.key, statement.value)
        case SayNodes():
            outside.define_tree(statement.agent, statement.tree, statement.nodes)
        case SayDraw():
            _draw(outside, statement)
        case SayDespawn():
            outside.despawn(statement.object)
        case SayViolation():
            raise RecordingError("a failed check stops the game: it is an order, not a statement")


def undefined(tick: SayTree) -> RecordingError:
    """Why a tick is refused whose tree nobody has defined."""
    return RecordingError(
        f"tree {tick.trace.tree!r} of agent {tick.agent} is not defined: say its nodes first, with"
        " define_tree"
    )


def object_id(number: int) -> int:
    """The same number, which is an object's, or 0 for the world.

    Raises:
        RecordingError: it is none.
    """
    if not 0 <= number <= LARGEST_ID:
        raise RecordingError(f"object {number}: ids are from 1 to 2⁶³−1, the world is 0")
    return number


def _draw(outside: Outside, said: SayDraw) -> None:
    draw, points = outside.draw, said.points
    rest: Any = {
        "color": said.color, "object": said.object, "channel": said.channel, "latch": said.latch,
    }  # fmt: skip
    if not points:
        raise RecordingError(f"draw {said.shape!r}: it has no points")
    match said.shape:
        case "line" if len(points) == 2:
            draw.line(points[0], points[1], **rest)
        case "lines" if len(points) % 2 == 0:
            segments = [points[at : at + 2] for at in range(0, len(points), 2)]
            draw.lines(segments, **rest)
        case "sphere":
            draw.sphere(points[0], said.size[0], **rest)
        case "box":
            draw.box(points[0], said.size, angles=said.angles, **rest)
        case "polygon":
            draw.polygon(points, **rest)
        case "text":
            draw.text(points[0], said.text, **rest)
        case _:
            raise RecordingError(
                f"draw {said.shape!r} with {len(points)} points: a line has two, lines have an even"
                " number, and there are also sphere, box, polygon and text"
            )
