"""`playhead doctor`: versions, the compiled ring, the display and the extras of this machine."""

import importlib
import importlib.metadata
import json
import os
import platform
import shutil
import sys
from collections.abc import Iterable
from typing import Any, NamedTuple

import click

from ..installation import EXTRAS, install_line, version
from ..runner.terminal.safe_terminal_output import echo
from ..viewer_process import why_no_display

CORE = ("numpy", "msgspec", "click", "zmq", "mcap", "lz4")
RING = "playhead.native._ring"
DISTRIBUTIONS = {
    "yaml": "PyYAML", "zmq": "pyzmq", "rerun": "rerun-sdk", "foxglove": "foxglove-sdk",
    "pygame": "pygame-ce", "ruamel": "ruamel.yaml",
}  # fmt: skip
"""Where a module and what one installs for it are called differently."""


class Component(NamedTuple):
    """One thing looked at: whether it works here, and if not, why and what to do."""

    name: str
    works: bool
    detail: str
    fix: str = ""


WITHOUT_WINDOW = "Without a window: run and demo --headless, view --screenshot FILE.png"


@click.command()
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of lines.")
@click.pass_context
def doctor(ctx: click.Context, as_json: bool) -> None:
    """Say what works on this machine, and the one line that installs the rest.

    Exits 0 if the core works, whatever extras are missing.

    \b
    Example:
      playhead doctor
      playhead doctor --json
    """
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")  # or importing it prints a line
    core = [*map(look_at_module, CORE), look_at_ring()]
    extras = [look_at_extra(name) for name in EXTRAS]
    display = look_at_display()
    healthy = all(part.works for part in core)
    if as_json:
        facts = {
            "playhead": version(),
            "python": platform.python_version(),
            "executable": sys.executable,
            "platform": platform.platform(),
            "healthy": healthy,
            "core": as_facts(core),
            "display": as_facts([display])[display.name],
            "extras": as_facts(extras),
        }
        echo(json.dumps(facts))
    else:
        python = f"Python {platform.python_version()} ({sys.executable})"
        echo(f"playhead {version_of('playhead')}, {python}, {platform.platform()}")
        for title, parts in (("core", core), ("display", [display]), ("extras", extras)):
            echo(f"\n{title}")
            for line in lines_of(parts):
                echo(line)
    if not healthy:
        ctx.exit(1)


def look_at_module(name: str) -> Component:
    """Import a module as a game would, and say its version or why it can't be."""
    try:
        importlib.import_module(name)
    except Exception as error:  # what a broken install raises is not only ImportError
        return Component(name, False, reason(error), install_line())
    return Component(name, True, version_of(DISTRIBUTIONS.get(name, name)))


def look_at_ring() -> Component:
    """The compiled extension: whether it loads, and which of the processor's features it uses."""
    try:
        ring = importlib.import_module(RING)
        features = ring.features()
    except Exception as error:
        return Component("ring", False, reason(error), f"{install_line()} (needs a C compiler)")
    return Component("ring", True, f"compiled; {features}")


def look_at_extra(name: str) -> Component:
    """Whether all that an extra brings can be imported."""
    parts = [look_at_module(module) for module in EXTRAS[name].modules]
    broken = [part for part in parts if not part.works]
    if broken:
        detail = f"{EXTRAS[name].gives}: {'; '.join(part.detail for part in broken)}"
        return Component(name, False, detail, install_line(name))
    versions = ", ".join(f"{part.name} {part.detail}" for part in parts)
    return Component(name, True, f"{EXTRAS[name].gives}: {versions}")


def look_at_display() -> Component:
    """Whether a window can be shown. Everything but windows works without a display."""
    why = why_no_display()
    if not why:
        for variable in ("WAYLAND_DISPLAY", "DISPLAY"):
            if name := os.environ.get(variable):
                return Component("display", True, f"{variable}={name}")
        return Component("display", True, "the desktop's own")
    virtual = shutil.which("Xvfb")
    if virtual:
        detail = f"{why}, but Xvfb is here ({virtual}): use xvfb-run. {WITHOUT_WINDOW}"
        return Component("display", False, detail)
    detail = f"{why}, and no Xvfb. {WITHOUT_WINDOW}"
    return Component("display", False, detail, "apt-get install xvfb")


def version_of(distribution: str) -> str:
    """The installed version, or `not installed` where only the sources are."""
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


def reason(error: Exception) -> str:
    """An import error's first line."""
    return (str(error).splitlines() or [type(error).__name__])[0]


def as_facts(parts: Iterable[Component]) -> dict[str, dict[str, Any]]:
    """The parts by name, for `--json`; `fix` is null where nothing needs to be done."""
    return {
        part.name: {"works": part.works, "detail": part.detail, "fix": part.fix or None}
        for part in parts
    }


def lines_of(parts: Iterable[Component]) -> Iterable[str]:
    """One line for each part, and one with what to do about it."""
    for part in parts:
        yield f"  {'ok' if part.works else '--':<4}{part.name:<9} {part.detail}"
        if part.fix:
            yield f"      {'':<9} {part.fix}"
