"""The optional extras: what each brings, and the one line that installs it."""

from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent


class Extra(NamedTuple):
    """An optional group of dependencies, as pyproject.toml names it."""

    modules: tuple[str, ...]
    """What it makes importable."""
    gives: str


EXTRAS = {
    "agents": Extra(("pymunk", "yaml"), "the built-in arena and its agents"),
    "bridges": Extra(("rerun", "foxglove"), "Rerun and Foxglove as viewers"),
    "doom": Extra(("vizdoom",), "ViZDoom as a game"),
    "gamepad": Extra(("pygame",), "gamepads, for games that are played in the viewer"),
    "gateway": Extra(("websockets",), "the gateway for games in other languages, and browsers"),
    "viewer": Extra(("PyQt6",), "the desktop viewer"),
}


def extra_with(module: str) -> str | None:
    """The extra that brings `module` or the package around it; None if none does."""
    top = module.partition(".")[0]
    return next((name for name, extra in EXTRAS.items() if top in extra.modules), None)


def install_line(*extras: str) -> str:
    """The command that adds `extras`: into a checkout's editable install, or from the index."""
    names = f"[{','.join(extras)}]" if extras else ""
    if (ROOT / "pyproject.toml").is_file():
        return f"pip install -e '{ROOT}{names}'"
    return f"pip install 'playhead{names}'"
