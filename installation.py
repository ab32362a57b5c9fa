"""How playhead was installed: its version, its optional extras, and the line that adds one."""

import json
import shlex
import shutil
import subprocess
import sys
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from importlib.metadata import Distribution

ROOT = Path(__file__).resolve().parent
UNKNOWN = "unknown"
"""The version of a copy that was never installed and has no pyproject.toml beside it."""


class Extra(NamedTuple):
    """An optional group of dependencies, as pyproject.toml names it."""

    modules: tuple[str, ...]
    """What it makes importable."""
    gives: str


EXTRAS = {
    "agents": Extra(
        ("pymunk", "yaml", "gymnasium", "py_trees", "transitions", "scipy"),
        "the built-in arena and its agents; environments and behaviour trees to be recorded",
    ),
    "bridges": Extra(("rerun", "foxglove"), "Rerun and Foxglove as viewers"),
    "doom": Extra(("vizdoom",), "ViZDoom as a game"),
    "gamepad": Extra(("pygame",), "gamepads, for games that are played in the viewer"),
    "gateway": Extra(("websockets",), "the gateway for games in other languages, and browsers"),
    "perfetto": Extra(("perfetto",), "traces in Perfetto's own format"),
    "physics": Extra(("mujoco",), "simulations of pymunk and MuJoCo, to be recorded"),
    "pictures": Extra(("simplejpeg",), "pictures of a game's screen in its recording"),
    "rl": Extra(("stable_baselines3",), "learning in the arena, and policies for plans"),
    "tables": Extra(("pandas", "pyarrow"), "tables of a recording for pandas, Arrow and Parquet"),
    "text": Extra(("ruamel", "yaml", "scipy"), "plans, and plans made of written steps"),
    "video": Extra(("av",), "videos of a recording's pictures"),
    "viewer": Extra(("PyQt6", "pyqtgraph", "igraph", "ruamel"), "the desktop viewer"),
}


def extra_with(module: str) -> str | None:
    """The extra that brings `module` or the package around it; None if none does."""
    top = module.partition(".")[0]
    return next((name for name, extra in EXTRAS.items() if top in extra.modules), None)


def install_line(*extras: str) -> str:
    """The command that adds `extras` to this installation; without any, that installs it again.

    It runs from any folder, and for the interpreter that runs now.
    """
    names = f"[{','.join(extras)}]" if extras else ""
    folder, editable = _folder()
    if folder is not None:
        target = f"{folder}{names}"
        return _pip("-e", target) if editable else _pip(target)
    if extras:
        # playhead itself is there already: only what the extra needs is fetched.
        return _pip(f"playhead{names}")
    source = _direct_url().get("url", "playhead")
    return _pip("--force-reinstall", "--no-deps", str(source))


def _folder() -> tuple[Path | None, bool]:
    """The folder with the sources that it was installed from, and whether it runs out of it."""
    found = _direct_url()
    if "dir_info" in found:
        from urllib.parse import urlsplit
        from urllib.request import url2pathname

        folder = Path(url2pathname(urlsplit(str(found.get("url", ""))).path))
        if (folder / "pyproject.toml").is_file():
            return folder, bool(found["dir_info"].get("editable"))
    if _distribution() is None and (ROOT / "pyproject.toml").is_file():
        return ROOT, True
    return None, False


def _direct_url() -> dict[str, Any]:
    """Where it was installed from, as PEP 610 has it; empty if that was an index."""
    found = _distribution()
    with suppress(OSError, ValueError):
        record = json.loads((found.read_text("direct_url.json") if found else None) or "{}")
        if isinstance(record, dict):
            return record
    return {}


def _pip(*arguments: str) -> str:
    """A call of what installs packages for this interpreter, quoted for the shell."""
    found = _distribution()
    installer = (found.read_text("INSTALLER") or "").strip() if found else ""
    command = [sys.executable, "-m", "pip", "install"]
    if installer == "uv" and shutil.which("uv"):
        command = ["uv", "pip", "install", "--python", sys.executable]
    command_line = [*command, *arguments]
    return (
        subprocess.list2cmdline(command_line)
        if sys.platform == "win32"
        else shlex.join(command_line)
    )


def _distribution() -> "Distribution | None":
    # Imported here because it takes as long as numpy's core, and most programs never ask.
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        return distribution("playhead")
    except PackageNotFoundError:
        return None


@cache
def version() -> str:
    """The version, which is in pyproject.toml and from there in the installed metadata."""
    found = _distribution()
    if found is not None:
        return found.version
    import tomllib  # only for a copy that was never installed

    with suppress(OSError, ValueError, KeyError):
        settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
        if settings["project"]["name"] == "playhead":
            return str(settings["project"]["version"])
    return UNKNOWN
