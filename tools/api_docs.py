"""Writes docs/api.md from the docstrings of all public names.

    python tools/api_docs.py [--check]

With --check nothing is written; it fails if the file is out of date. Either way it fails where a
public name, method or property has no docstring, and where a name belongs to no group below.
"""

import ast
import enum
import inspect
import re
import sys
import textwrap
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from types import FunctionType, MethodType, ModuleType
from typing import Any, NamedTuple

import playhead as ph
from playhead.bus.messages import message_types as protocol
from playhead.handlers.handler_registry import AnyHandler
from playhead.playback import commands
from playhead.recorder.statements.instrumentation_interface import Color, Scalar

FILE = Path(__file__).parents[1] / "docs" / "api.md"

GROUPS: dict[str, tuple[str, list[str]]] = {
    "Record": (
        "`record` is for ordinary objects, `Session` and `World` for an engine of your own.",
        [
            "record", "RecordingSession", "Session", "World", "Conventions", "StandIn",
            "ObjectOrId", "Instrumentation", "Draw", "NullInstrumentation", "CheckPolicy",
            "UNATTENDED",
            "FailedCheck", "Mark", "ClipPolicy", "PictureSettings", "ClipJob", "SavedClip",
            "ClipAttachment", "BusSettings", "RecordingStatus",
        ],
    ),
    "Describe objects": (
        "A handler says how the objects of one type are recorded and played back.",
        [
            "Handler", "FieldHandler", "check_handler", "HandlerRegistry", "Layout", "Field",
            "layout_from_dtype", "PacketWriter", "Packet", "Batch", "SkeletalPoseHandler",
            "Skeleton",
            "ViewModelHandler", "PlayerHandler", "CameraHandler",
        ],
    ),
    "Agents' decisions": (
        "Why an agent did what it did: recorded with `session.trace`.",
        [
            "DecisionTracer", "DecisionResult", "ConditionResult", "Rejected", "Belief", "TreeNode",
            "AnimationClip", "StateTransition", "TreeTick", "AnimationFrame",
        ],
    ),
    "Test your game": (
        "A game of your own that the playthrough tester plays, and states for its agent.",
        [
            "PlayableGame", "Observation", "ObservedEntity", "PlaythroughAgentStates",
            "PlaythroughAgentState", "PlaythroughAgentContext", "ObservationView", "EntityOnPlan",
            "BossBattleState", "EnemyBattleState",
        ],
    ),
    "Control": (
        "All that moves time is a command, for `session.apply`, `session.send` or a client.",
        ["commands", "PlaybackState", "Mode", "connect", "Client", "PlayheadTime", "Pad", "Button",
            "NEUTRAL",
        ],
    ),
    "Hooks and edits": (
        "Breakpoints, traces and replaced results, and edits of a paused game (docs/hooks.md).",
        ["HookManager", "HookState", "HookDefinition", "EditManager", "AppliedEdit"],
    ),
    "Read back": (
        "What was recorded, from this program or from another one.",
        [
            "open", "Recording", "ObjectSnapshot", "RecordedFailedCheck", "RecordedTransition",
            "TreeSnapshot", "RecordedNode", "NodeChange", "OccurrenceCount", "ReexecutedDecision",
            "NodeResult", "WhyNot", "WhyNotObstacle", "NearestMiss", "RecordedLogLine", "Frame",
            "RecordedFrames", "History", "MultiObjectHistory", "Hit", "RecordingTable",
            "FrameRange", "ObjectRow", "view",
        ],
    ),
    "Errors": ("Each message names the value, the place and what to do.", ["errors"]),
}  # fmt: skip
ALIASES: dict[str, str] = {}
"""Unions, by how they are written out: what the code calls them."""
PLAIN = {"__version__"}
"""Names that need no entry."""
SECTIONS = {"Args:": "Arguments", "Returns:": "Returns", "Raises:": "Raises"}
NOT_THEIRS = (object, dict, tuple, Exception, enum.Enum)
"""Where what a class inherits from is Python's own."""


class Member(NamedTuple):
    """A method, a property or an attribute of a class."""

    name: str
    value: Any
    """What is called; None for what is only looked at."""
    doc: str


# --- what there is --------------------------------------------------------------------------------


def public_members(kind: type, instance: object = None) -> Iterator[Member]:
    """Methods and properties of a class, in the order in which they are written down."""
    seen: set[str] = set()
    for base in kind.__mro__:
        if base in NOT_THEIRS or not base.__module__.startswith("playhead"):
            continue
        for name, value in vars(base).items():
            if name.startswith("_") or name in seen:
                continue
            if isinstance(value, property):
                seen.add(name)
                yield Member(name, None, inspect.getdoc(getattr(kind, name)) or "")
            elif isinstance(value, FunctionType | classmethod | staticmethod):
                seen.add(name)
                yield Member(name, getattr(kind, name), _doc_of(kind, name))
    for name, value in vars(instance).items() if instance is not None else ():
        if not name.startswith("_") and name not in seen and isinstance(value, MethodType):
            yield Member(name, value, inspect.getdoc(value) or "")


def _doc_of(kind: type, name: str) -> str:
    return inspect.getdoc(getattr(kind, name)) or ""


def attributes(kind: type) -> Iterator[tuple[str, str, str]]:
    """Name, type and docstring of the fields of a class, and of what its `__init__` explains."""
    for base in reversed(kind.__mro__):
        if not base.__module__.startswith("playhead") or base in NOT_THEIRS:
            continue
        tree = ast.parse(textwrap.dedent(inspect.getsource(base))).body[0]
        assert isinstance(tree, ast.ClassDef)
        own_methods = [one for one in tree.body if isinstance(one, ast.FunctionDef)]
        yield from _assigned(tree.body, in_class=True)
        for method in own_methods:
            if method.name == "__init__":
                yield from _assigned(method.body, in_class=False)


def _assigned(body: list[ast.stmt], *, in_class: bool) -> Iterator[tuple[str, str, str]]:
    for statement, after in zip(body, [*body[1:], ast.Pass()], strict=True):
        if isinstance(statement, ast.AnnAssign):
            target: ast.expr = statement.target
            type = ast.unparse(statement.annotation)
        elif isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            target, type = statement.targets[0], ""
        else:
            continue
        doc = ""
        if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
            doc = inspect.cleandoc(str(after.value.value))
        if in_class and isinstance(target, ast.Name) and (type or doc):
            name = target.id
        elif not in_class and isinstance(target, ast.Attribute) and doc:
            name = target.attr
        else:
            continue
        if not name.startswith("_") and not type.startswith("ClassVar"):
            yield name, type.strip("'\""), doc


def missing() -> list[str]:
    """Public names, methods and properties without a docstring."""
    found = []
    for name in names():
        value = getattr(ph, name)
        if inspect.isclass(value):
            if not (value.__doc__ or "").strip() or value.__doc__.startswith(f"{name}("):
                found.append(name)
            found += [f"{name}.{one.name}" for one in public_members(value) if not one.doc]
        elif isinstance(value, ModuleType):
            found += [
                f"{name}.{one.__name__}" for one in classes_of(value) if not inspect.getdoc(one)
            ]
        elif not documented(name):
            found.append(name)
    return found


def documented(name: str) -> str:
    """The docstring of a name that is no class: of a function, or below a module's constant."""
    value = getattr(ph, name)
    if inspect.isroutine(value):
        return inspect.getdoc(value) or ""
    module = sys.modules[f"playhead.{ph._HOMES[name]}"]
    body = ast.parse(inspect.getsource(module)).body
    for statement, after in pairwise(body):
        targets = getattr(statement, "targets", None) or [getattr(statement, "target", None)]
        if getattr(targets[0], "id", "") == name and isinstance(after, ast.Expr):
            return inspect.cleandoc(str(ast.literal_eval(after.value)))
    return ""


def names() -> list[str]:
    return [name for _, (_, group) in GROUPS.items() for name in group]


def classes_of(module: ModuleType) -> list[type]:
    """The public classes that a module defines, in its order."""
    return [
        value
        for name, value in vars(module).items()
        if inspect.isclass(value) and value.__module__ == module.__name__ and name[0] != "_"
    ]


# --- how it is written ----------------------------------------------------------------------------


def page() -> str:
    """The whole document."""
    lines = [
        "# All public names",
        "",
        "`import playhead as ph` gives these. This page is made from their docstrings by",
        "`make docs`.",
        "",
        "Lengths are in the game's unit, times in seconds, angles in radians, unless something",
        "else is said. Signatures have `ObjectOrId` for an object of the game or its id,",
        "`Vector` for three numbers (of points also two), `Color` for three or four from 0 to 255,",
        "`#rrggbb` or a name, `Scalar` for a number, a text, a truth value or None, `Command` for",
        "one of `ph.commands`, `AnyHandler` for what records, plays, or both.",
    ]
    for title, (about, group) in GROUPS.items():
        links = ", ".join(f"[{name}](#{name.lower()})" for name in group)
        lines += ["", f"## {title}", "", about, "", links]
        for name in group:
            lines += ["", f"### {name}", "", *entry(name)]
    return "\n".join(lines) + "\n"


def entry(name: str) -> list[str]:
    value = getattr(ph, name)
    if isinstance(value, ModuleType):
        return module_entry(name, value)
    if not inspect.isclass(value):
        doc = described(documented(name))
        return [*code(name, value), "", *doc] if inspect.isroutine(value) else doc
    return class_entry(name, value)


def module_entry(name: str, module: ModuleType) -> list[str]:
    lines = described(inspect.getdoc(module) or "")
    for one in classes_of(module):
        shown = f"{name}.{one.__name__}"
        lines += ["", f"#### {shown}", ""]
        lines += described(inspect.getdoc(one) or "")
        if issubclass(one, Exception):
            bases = " and ".join(f"`{base.__name__}`" for base in one.__bases__)
            lines += ["", f"Is a {bases}."]
        else:
            lines += ["", *code(shown, one), *fields(one)]
    return lines


def class_entry(name: str, kind: type) -> list[str]:
    lines: list[str] = []
    if not getattr(kind, "_is_protocol", False) and not inspect.isabstract(kind):
        lines += [] if issubclass(kind, enum.Enum) else [*code(name, kind), ""]
    lines += described(inspect.getdoc(kind) or "")
    lines += fields(kind)
    with instance_of(kind) as instance:
        for member in public_members(kind, instance):
            lines += ["", f"#### {name}.{member.name}", ""]
            if member.value is not None:
                lines += [*code(member.name, member.value), ""]
            lines += described(member.doc)
    return lines


class instance_of:  # noqa: N801
    """One of a class whose methods are partly those of its parts; None of all others."""

    def __init__(self, kind: type) -> None:
        self._session: ph.Session | None = None
        if kind is ph.Session:
            self._session = ph.Session(_NoWorld(), "1 MiB")

    def __enter__(self) -> object:
        return self._session

    def __exit__(self, *_: object) -> None:
        if self._session is not None:
            self._session.close()


class _NoWorld(ph.World):
    def objects(self) -> list[tuple[int, str, Any]]:
        return []

    def time(self) -> float:
        return 0.0

    def find(self, object_id: int) -> None:
        return None


def fields(kind: type) -> list[str]:
    lines = []
    for name, type, doc in attributes(kind):
        what = f"`{name}`" + (f": `{type}`" if type else "")
        lines.append(f"- {what}" + (f". {' '.join(doc.split())}" if doc else ""))
    return ["", "Attributes:", "", *lines] if lines else []


def code(name: str, value: Callable[..., Any]) -> list[str]:
    """The signature, one argument a line where it is long."""
    of = value.__init__ if inspect.isclass(value) and "__init__" in vars(value) else value
    signature = inspect.signature(of)
    parameters = list(signature.parameters.values())
    if parameters and parameters[0].name in ("self", "cls"):
        parameters = parameters[1:]
    signature = signature.replace(parameters=parameters)
    if inspect.isclass(value):
        signature = signature.replace(return_annotation=inspect.Signature.empty)
    text = name + short(str(signature))
    if len(text) > 96:
        shown = [short(str(parameter)) for parameter in _with_stars(parameters)]
        text = f"{name}(\n" + "".join(f"    {one},\n" for one in shown) + ")"
        if signature.return_annotation is not inspect.Signature.empty:
            text += f" -> {short(inspect.formatannotation(signature.return_annotation))}"
    return ["```python", text, "```"]


def _with_stars(parameters: list[inspect.Parameter]) -> Iterator[Any]:
    starred = False
    for parameter in parameters:
        if parameter.kind is parameter.VAR_POSITIONAL:
            starred = True
        if parameter.kind is parameter.KEYWORD_ONLY and not starred:
            starred = True
            yield "*"
        yield parameter


def short(text: str) -> str:
    """The signature without modules of types, memory addresses and quotes of forward references."""
    text = re.sub(r"\b(?:[a-z_]\w*\.)+(?=[A-Z])", "", text)
    text = re.sub(r"collections\.abc\.|typing\.|os\.", "", text)
    text = re.sub(r"<function <lambda> at 0x\w+>|<(?:built-in )?function (\w+)[^>]*>", r"\1", text)
    text = re.sub(r"<(\w+\.\w+): [^>]*>", r"\1", text)
    text = re.sub(r"((?:: |-> |\[))'([^']*)'", r"\1\2", text)
    text = text.replace("<factory>", "{}").replace("= Ellipsis", "= ...")
    for written, alias in ALIASES.items():
        text = text.replace(written, alias)
    return text


ALIASES |= {
    short(str(alias)): name
    for name, alias in (
        ("Command", commands.Command), ("AnyHandler", AnyHandler),
        ("RequestBody", protocol.RequestBody),
        ("Statement", protocol.Statement), ("ResponseBody", protocol.ResponseBody),
        ("Scalar", Scalar),
        ("Color", Color),
    )
} | {"int | object": "ObjectOrId", "Sequence[float]": "Vector"}  # fmt: skip


def described(doc: str) -> list[str]:
    """A docstring as Markdown: sections as lists, indented text as code."""
    lines: list[str] = []
    section, in_code = "", False
    for line in [*doc.splitlines(), ""]:
        if in_code and line and not line.startswith("    "):
            while not lines[-1]:
                lines.pop()
            lines += ["```", ""]
            in_code = False
        if line in SECTIONS:
            section = SECTIONS[line]
            lines += [f"{section}:", ""]
        elif section and line.startswith("    "):
            lines += _item(section, line, first=lines[-1] == "")
        elif line.startswith("    "):
            lines += [] if in_code else ["```python"]
            in_code = True
            lines.append(line[4:])
        else:
            section = section if not line else ""
            lines.append(line)
    while lines and not lines[-1]:
        lines.pop()
    return [*lines, "```"] if in_code else lines


def _item(section: str, line: str, *, first: bool) -> list[str]:
    text = line[4:]
    named = re.match(r"((?:\w+(?:, )?)+): (.*)", text)
    if not text.startswith(" ") and named and section != "Returns":
        return [f"- `{named[1]}`: {named[2]}"]
    if first and section == "Returns":
        return [text]
    return ["  " + text.strip()] if section != "Returns" else [text.strip()]


# --- the program ----------------------------------------------------------------------------------


def faults() -> list[str]:
    """What is wrong with the names, in words."""
    listed = names()
    found = [f"{name}: without a docstring" for name in missing()]
    found += [
        f"{name}: in no group of tools/api_docs.py" for name in set(ph.__all__) - {*listed, *PLAIN}
    ]
    found += [
        f"{name}: in the groups of tools/api_docs.py, and not public"
        for name in set(listed) - set(ph.__all__)
    ]
    return sorted(found)


def main(arguments: list[str]) -> int:
    wrong = faults()
    if not wrong:
        text = page()
        if "--check" not in arguments:
            FILE.write_text(text, encoding="utf-8")
        elif not FILE.exists() or FILE.read_text(encoding="utf-8") != text:
            wrong = [f"{FILE} is out of date: `make docs` updates it"]
    sys.stderr.writelines(f"{line}\n" for line in wrong)
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
