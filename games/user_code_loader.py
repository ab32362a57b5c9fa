"""Loads the user's own code by the name that is typed: `package.module:name` or `file.py:name`."""

import importlib
import importlib.util
import os
import sys
import sysconfig
import traceback
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from ..errors import GameError
from ..recorder.text.name_hint import near_name

_LIBRARY_FOLDERS = (
    Path(__file__).resolve().parent.parent,
    *(
        Path(sysconfig.get_path(name)).resolve()
        for name in ("stdlib", "platstdlib", "purelib", "platlib")
    ),
)
"""Where code is that no user wrote. The examples of a checkout are in it, too."""


def own_path(game: str, families: Sequence[str]) -> None:
    """Let games of one's own be found beside oneself: a script's path begins elsewhere."""
    if game.partition(":")[0] not in families:
        sys.path.insert(0, str(Path.cwd()))


def is_file(name: str) -> bool:
    """Whether a name is that of a file, without the name of anything in it."""
    return name.endswith(".py")


def user_object(name: str, what: str, default: str = "") -> Any:
    """What a module or a file calls by a name.

    A file's folder is searched for modules from then on, as if the file were run.

    Args:
        name: `package.module:name` or `file.py:name`.
        what: What errors call it, such as `game`.
        default: The name where none is given.

    Raises:
        GameError: there is no such module or name, or the module can't be loaded.
    """
    alone = is_file(name) or ":" not in name
    module, _, attribute = (name, "", default) if alone else name.rpartition(":")
    if not module or not attribute:
        raise GameError(f"{what} {name!r}: write package.module:name, or file.py:name")
    loaded = _loaded(module, f"{what} {name}")
    if not hasattr(loaded, attribute):
        near = near_name(attribute, [one for one in vars(loaded) if not one.startswith("_")], 0.6)
        hint = f"; did you mean {near!r}?" if near else ""
        if is_file(name):
            hint = f": write {module}:NAME, with the name of what is meant"
        raise GameError(f"{what} {name}: {module} has no {attribute}{hint}")
    return getattr(loaded, attribute)


def _loaded(module: str, where: str) -> ModuleType:
    try:
        return _file_module(Path(module)) if module.endswith(".py") else _module(module)
    except ModuleNotFoundError as error:
        raise GameError(f"{where}: {error}") from error
    except FileNotFoundError:
        raise GameError(
            f"{where}: there is no file {module}; seen from the folder {Path.cwd()}"
        ) from None
    except Exception as error:  # whatever a user's module may raise while it is loaded
        location = user_code_location(error)
        raise GameError(f"{where}: {module} can't be loaded: {error!r}{location}") from error


def user_code_location(error: BaseException) -> str:
    """Where in the user's own code an error arose, as ` (FILE:LINE)`; empty if nowhere."""
    own = [
        entry for entry in traceback.extract_tb(error.__traceback__)
        if os.path.isfile(entry.filename) and not _is_library(Path(entry.filename).resolve())
    ]  # fmt: skip
    return f" ({own[-1].filename}:{own[-1].lineno})" if own else ""


def _is_library(path: Path) -> bool:
    """Whether a file belongs to playhead, to Python or to an installed package."""
    return any(path.is_relative_to(folder) for folder in _LIBRARY_FOLDERS)


def _module(name: str) -> ModuleType:
    return importlib.import_module(name)


def _file_module(path: Path) -> ModuleType:
    """The module of a file, which has the file's name: other files beside it import it as that."""
    path = path.resolve()
    known = sys.modules.get(path.stem)
    if known is not None and Path(getattr(known, "__file__", None) or "").resolve() == path:
        return known
    if not path.is_file():
        raise FileNotFoundError(path)
    if str(path.parent) not in sys.path:
        sys.path.insert(0, str(path.parent))
    # A library may have the file's name: it is not replaced.
    name = path.stem if known is None else f"{path.stem}_{abs(hash(path)):x}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    loaded = sys.modules[name] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(loaded)
    except BaseException:
        del sys.modules[name]
        raise
    return loaded
