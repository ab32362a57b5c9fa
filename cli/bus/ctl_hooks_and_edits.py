"""`playhead ctl … hook` and `… edit`: take hold of the decisions of a running game."""

import json
from typing import TYPE_CHECKING, Any

import click
import msgspec

from ...errors import CommandError
from ...recorder.text.how_often_in_words import how_often
from ...recording.objects.object_lookup import shown_name_at
from ...runner.terminal.safe_terminal_output import echo
from .connection_options import MINUS
from .ctl_context import CtlContext

if TYPE_CHECKING:
    from collections.abc import Callable

    from ...bus.client.client import Client
    from ...hooks.hook_definition import HookState
    from ...hooks.object_edits import AppliedEdit

_LOCATION = (
    click.option("--node", help="A node of its behaviour tree: a name, or '#INDEX'."),
    click.option("--tree", default="", help="Which tree, if it has several."),
    click.option("--transition", metavar="'A -> B'", help="An empty side is any state."),
    click.option("--rule", help="A condition of its decision table, or a rule of a plan."),
    click.option("--machine", default="", help="Which machine, if it has several."),
    click.option("--field", help="A recorded field, such as hp or velocity.x."),
)
_WHEN = (
    click.option("--when", default="", help="Only where this holds, such as 'hp < 50'."),
    click.option(
        "--times", type=click.IntRange(min=0), default=0, help="How often it acts; 0: always."
    ),
)


def _located(command: Any) -> Any:
    for option in reversed(_LOCATION):
        command = option(command)
    return click.argument("object", metavar="OBJECT")(command)


def _limited(command: Any) -> Any:
    for option in reversed(_WHEN):
        command = option(command)
    return command


def _location(given: dict[str, Any]) -> dict[str, Any]:
    """The location of the options, as the calls take it; the rest stays in `given`."""
    location = {name: given.pop(name) for name in (
        "node", "tree", "transition", "rule", "machine", "field"
    )}  # fmt: skip
    node = location["node"]
    if node is not None and node.startswith("#") and node[1:].isdecimal():
        location["node"] = int(node[1:])
    return location


def _object(text: str) -> int | str:
    return int(text) if text.isdecimal() and text.isascii() else text


def _value(text: str) -> Any:
    """A value as it is typed: JSON, or else the text itself."""
    try:
        return json.loads(text)
    except ValueError:
        return text


class HookGroup(click.Group):
    """The commands in the order in which they are read."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)


@click.group(cls=HookGroup)
def hook() -> None:
    """Set breakpoints and other hooks on what an object decides.

    OBJECT is a name or an id. A hook stays until it is removed, or the game ends.

    \b
    Example:
      playhead ctl 5670 hook break 'guard 7' --transition 'Patrol -> Chase'
      playhead ctl 5670 hook trace 'guard 7' --field hp --when 'hp < 50'
      playhead ctl 5670 hook replace 'guard 7' --node 'door is open' success
      playhead ctl 5670 hook list
    """


@hook.command("break", context_settings=MINUS)
@_located
@click.option("--after", is_flag=True, help="After the decision, not before it.")
@_limited
@click.pass_obj
def break_(context: CtlContext, /, object: str, after: bool, **given: Any) -> None:
    """Pause the game where this is decided, at the end of that frame."""
    location = _location(given)
    _set(context, lambda client: client.hooks.break_at(
        _object(object), at="after" if after else "before", keep=True, **location, **given
    ), object, location)  # fmt: skip


@hook.command(context_settings=MINUS)
@_located
@_limited
@click.pass_obj
def trace(context: CtlContext, /, object: str, **given: Any) -> None:
    """Write a line into the game's log each time, with the values."""
    location = _location(given)
    _set(context, lambda client: client.hooks.trace(
        _object(object), keep=True, **location, **given
    ), object, location)  # fmt: skip


@hook.command(context_settings=MINUS)
@_located
@click.argument("result")
@click.option("--delay", type=click.FloatRange(min=0), default=0.0, help="Running first: seconds.")
@_limited
@click.pass_obj
def replace(context: CtlContext, /, object: str, result: str, delay: float, **given: Any) -> None:
    """Give RESULT instead: success, failure, running; a state, or stay; true, false; a value."""
    location = _location(given)
    value = None if location["transition"] is not None and result == "stay" else result
    if location["rule"] is not None or location["field"] is not None:
        value = _value(result)
    _set(context, lambda client: client.hooks.replace(
        _object(object), result=value, delay=delay, keep=True, **location, **given
    ), object, location)  # fmt: skip


@hook.command(context_settings=MINUS)
@_located
@click.argument("results", nargs=-1, required=True)
@click.option("--repeat", is_flag=True, help="Begin again after the last one.")
@click.option("--when", default="", help="Only where this holds, such as 'hp < 50'.")
@click.pass_obj
def mock(
    context: CtlContext,
    /,
    object: str,
    results: tuple[str, ...],
    repeat: bool,
    when: str,
    **given: Any,
) -> None:
    """Give RESULTS, one each time; then the game decides itself again."""
    location = _location(given)
    if location.pop("transition") is not None:
        raise CommandError("mock: a transition has no list of answers: replace it")
    values = results if location["node"] is not None else tuple(map(_value, results))
    _set(context, lambda client: client.hooks.mock(
        _object(object), results=values, repeat=repeat, when=when, keep=True, **location
    ), object, {**location, "transition": None})  # fmt: skip


@hook.command()
@_located
@click.pass_obj
def past(context: CtlContext, /, object: str, **given: Any) -> None:
    """Say how often this has happened in the recording, when first and last, and how it is in the
    newest frame, also while the game shows an older one."""
    location = _location(given)
    with context.client() as client:
        found = client.recording.occurrences(_object(object), **location)
    if context.as_json:
        echo(json.dumps(msgspec.to_builtins(found)))
    else:
        echo([f"{found.location.text}: {found.text}"])


@hook.command("list")
@click.pass_obj
def list_(context: CtlContext) -> None:
    """List the hooks that are set, and what each has done."""
    with context.client() as client:
        _print(context, client)


@hook.command()
@click.argument("id", type=int)
@click.pass_obj
def remove(context: CtlContext, id: int) -> None:
    """Take a hook away."""
    _change(context, lambda client: client.hooks.remove(id))


@hook.command()
@click.pass_obj
def clear(context: CtlContext) -> None:
    """Remove all hooks, those of other tools too."""
    _change(context, lambda client: client.hooks.clear())


@hook.command()
@click.argument("id", type=int)
@click.pass_obj
def enable(context: CtlContext, id: int) -> None:
    """Let a hook act again; it counts from 0."""
    _change(context, lambda client: client.hooks.enable(id))


@hook.command()
@click.argument("id", type=int)
@click.pass_obj
def disable(context: CtlContext, id: int) -> None:
    """Keep a hook, without letting it act."""
    _change(context, lambda client: client.hooks.disable(id))


def _set(
    context: CtlContext, set: "Callable[[Client], HookState]", object: str, location: dict[str, Any]
) -> None:  # fmt: skip
    """Set a hook; say what it would have seen, and what it waits for."""
    with context.client() as client:
        report = set(client)
        text = _text(report, client)
        try:
            before = client.recording.occurrences(_object(object), **location).text
        except CommandError:
            before = "unknown"
    if context.as_json:
        echo(json.dumps({**msgspec.to_builtins(report), "past": before}))
        return
    echo([text, f"  so far   {before}"])


def _change(context: CtlContext, change: "Callable[[Client], None]") -> None:
    with context.client() as client:
        change(client)
        _print(context, client)


def _print(context: CtlContext, client: "Client") -> None:
    reports = client.hooks.list()
    if context.as_json:
        echo(json.dumps([msgspec.to_builtins(report) for report in reports]))
    else:
        echo([_text(report, client) for report in reports] or ["no hook is set"])


def _name(client: "Client", object: int) -> str:
    """What an object is called now."""
    source = client.recording.source
    if not object:
        return "the world"
    return (
        "" if source.span is None else shown_name_at(source, source.span.newest, object)
    ) or f"object {object}"


def _text(report: "HookState", client: "Client") -> str:
    spec = report.hook
    whose = _name(client, spec.object)
    what = f"{report.id:>3}  {spec.kind:<8} {spec.location.text} of {whose}"
    if spec.when:
        what += f" when {spec.when}"
    hits = how_often(report.hits) if report.hits else "not yet"
    since = f", last in frame {report.last}: {report.text}" if report.last else ""
    note = f": {report.note}" if report.note else ""
    return f"{what}   {report.state}{note}, {hits}{since}"


@click.command(context_settings=MINUS)
@click.argument("object")
@click.argument("field")
@click.argument("value")
@click.pass_obj
def edit(context: CtlContext, object: str, field: str, value: str) -> None:
    """Set FIELD of OBJECT to VALUE in the paused game, at its newest frame.

    OBJECT is a name or an id, VALUE is JSON or a text. The game runs on with it.

    \b
    Example:
      playhead ctl 5670 enter
      playhead ctl 5670 edit 'guard 7' hp 20
      playhead ctl 5670 undo
    """
    _edit(context, lambda client: client.edits.set(_object(object), field, _value(value)))


@click.command("edit-key", context_settings=MINUS)
@click.argument("key")
@click.argument("value")
@click.pass_obj
def edit_key(context: CtlContext, key: str, value: str) -> None:
    """Set KEY of the blackboard to VALUE in the paused game, at its newest frame."""
    _edit(context, lambda client: client.edits.set_key(key, _value(value)))


@click.command()
@click.pass_obj
def undo(context: CtlContext) -> None:
    """Take the newest edit of this pause back."""
    _edit(context, lambda client: client.edits.undo())


@click.command()
@click.pass_obj
def redo(context: CtlContext) -> None:
    """Make the edit again that was undone last."""
    _edit(context, lambda client: client.edits.redo())


def _edit(context: CtlContext, change: "Callable[[Client], object]") -> None:
    with context.client() as client:
        change(client)
        edits = client.edits.list()
        lines = [
            f"{'undone' if edit.is_undone else 'edited':<8} {edit.name}{_whose(edit, client)}"
            f": {edit.before} -> {edit.after}"
            for edit in edits
        ]
    if context.as_json:
        echo(json.dumps([msgspec.to_builtins(edit) for edit in edits]))
        return
    echo(lines or ["nothing is edited"])


def _whose(edit: "AppliedEdit", client: "Client") -> str:
    return "" if edit.is_key else f" of {_name(client, edit.object)}"


COMMANDS = (hook, edit, edit_key, undo, redo)
