"""Finds the function that makes an agent's decisions, as it is now or in an edited file."""

import ast
import importlib
import importlib.util
import itertools
import site
import sys
import sysconfig
from bdb import BdbQuit
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol, cast

from ...errors import CommandError, PlayheadError
from ...recorder.fault_counts import error_text
from ...recorder.packets.reexecutable_decisions import DecisionMaker, DecisionResult
from ...recorder.statements.decision_maker_reference import DECIDERS, digest_of
from ...recorder.text.name_hint import name_hint
from .code_time_limit import time_limit

Inputs = Mapping[str, Any]
Decider = Callable[[Inputs], DecisionResult]
"""Makes a decision from its inputs. It may raise anything."""


class TransitionDecider(Protocol):
    """A decider that knows all transitions of its machine, also those that were never tried."""

    @property
    def transition_names(self) -> Sequence[tuple[str, str, str]]:
        """Each transition's trigger, source and target."""


_numbers = itertools.count(1)
_PACKAGE = __name__.partition(".")[0]


class DeciderModule(Protocol):
    """A module whose function makes deciders, and that takes edits of its own kind."""

    @staticmethod
    def edited_settings(settings: Any, file: Path) -> Any:
        """The settings of a decider after an edit.

        Raises:
            PlayheadError: the file is no edit of such a decider.
        """


def decider_of(
    maker: DecisionMaker, edit: Path | None = None, seconds: float | None = None, *,
    is_trusted: bool = False,
) -> Decider:  # fmt: skip
    """What makes a decision now; with an edit what would make it then.

    Args:
        edit: A file, or a folder, that replaces what the decider was made from.
        seconds: How long loading may take.
        is_trusted: The person who asks has named who decides: no recording has.

    Raises:
        CommandError: it can't be found, loaded or made.
    """
    if maker.kind not in DECIDERS:
        raise CommandError(
            f"this version knows no decider {maker.kind!r}: {name_hint(maker.kind, DECIDERS)}"
        )
    what = str(edit or (maker.settings["function"] if _names_function(maker) else maker.kind))
    with time_limit(seconds, f"loading {what}"), refused(f"{what} can't be loaded"):
        module = importlib.import_module(f"{_PACKAGE}.{DECIDERS[maker.kind]}")
        settings = maker.settings
        if isinstance(settings, dict):  # a recording may say neither of these
            settings = {**settings, "edit": "", "is_trusted": is_trusted}
        if edit is not None:
            if not edit.exists():
                raise CommandError(f"{edit}: there is no such file")
            if hasattr(module, "edited_settings"):
                settings = cast(DeciderModule, module).edited_settings(settings, edit)
            else:
                module = edited_module(module, edit)
        factory = member(module, "decider", str(edit or module.__name__))
        decider: Decider = factory(settings)
    return decider


def call(decider: Decider, inputs: Inputs, what: str, seconds: float | None) -> DecisionResult:
    """Have a decision made.

    Raises:
        CommandError: it raised an error, or took too long.
    """
    with time_limit(seconds, what), refused(f"{what} raised an error"):
        return decider(inputs)


def edited_module(module: ModuleType, file: Path) -> ModuleType:
    """A file as a second module beside the one that it is an edited copy of.

    Raises:
        CommandError: it is no Python file.
    """
    if file.suffix != ".py":
        raise CommandError(
            f"{file}: what {module.__name__} decides is edited in Python: give an edited copy of"
            f" {module.__file__}"
        )
    return loaded(file, f"{module.__name__}_edited_{next(_numbers)}")


def loaded(file: Path, name: str) -> ModuleType:
    """A Python file as a module of this name; whatever it raises is raised."""
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise CommandError(f"{file} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # its dataclasses and enums look for themselves there
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def function_of(text: str, file: str = "", *, is_trusted: bool = False) -> Any:
    """What `module:function` names.

    A recording may come from anywhere, and may name any function. So what it names is called only
    if it is a program's own: nothing of Python, and nothing that is installed.

    Args:
        file: The source file of a program that was started itself: its module is `__main__`.
        is_trusted: The person who asks has named it.

    Raises:
        CommandError: there is no such module, or it has no such function, or it is not to be called
            because of a recording.
    """
    module_name, _, name = text.rpartition(":")
    if not module_name or not name:
        raise CommandError(f"{text!r}: write MODULE:FUNCTION, such as my_game.ai:choose")
    if "<" in name:
        raise CommandError(
            f"{text}: a lambda, or a function within a function, can't be found again: put it at"
            " the top of a module and give it a name"
        )
    if module_name.endswith(".py") and is_trusted:
        return member(loaded(Path(module_name), f"{Path(module_name).stem}_asked"), name, text)
    if module_name == "__main__":
        return member(_main_module(file), name, file)
    if not is_trusted and not _is_own_code(module_name):
        raise CommandError(
            f"the recording names {text}, which is no code of yours: to have it called all the same"
            f" give --maker {text} (in Python maker={text!r})"
        )
    return member(importlib.import_module(module_name), name, module_name)


def _is_own_code(module_name: str) -> bool:
    """Whether a module is neither Python's nor an installed one. Nothing of it is executed."""
    top = module_name.partition(".")[0]
    if top in sys.stdlib_module_names or top in sys.builtin_module_names:
        return False
    try:
        spec = importlib.util.find_spec(top)
    except (ImportError, ValueError):
        return True  # importing it will say what is wrong
    if spec is None:
        return True
    places = [spec.origin] if spec.origin else list(spec.submodule_search_locations or ())
    installed = [Path(path) for path in {*sysconfig.get_paths().values(), *site.getsitepackages()}]
    here = Path.cwd()
    return all(
        Path(place).is_relative_to(here)
        or not any(Path(place).is_relative_to(path) for path in installed if path != here)
        for place in places
    )


def _names_function(maker: DecisionMaker) -> bool:
    return isinstance(maker.settings, dict) and "function" in maker.settings


def member(module: Any, name: str, where: str) -> Any:
    """A member of a module by its name, `Class.method` too.

    Raises:
        CommandError: there is none.
    """
    found = module
    for part in name.split("."):
        if not hasattr(found, part):
            known = [one for one in vars(module) if not one.startswith("_")]
            raise CommandError(f"{where} has no {name!r}: {name_hint(name, known)}")
        found = getattr(found, part)
    if not callable(found):
        raise CommandError(f"{where}: {name} is no function, but a {type(found).__name__}")
    return found


def changed_since(maker: DecisionMaker) -> str:
    """That the source file is not as it was when it was recorded; empty if it is, or unknown."""
    if not maker.digest or digest_of(maker.file) == maker.digest:
        return ""
    there = "has changed since then" if Path(maker.file).exists() else "is not there any more"
    return f"the code {there}: {maker.file}"


@contextmanager
def refused(what: str) -> Iterator[None]:
    """Within it an error of the user's code becomes one that says what could not be done.

    Raises:
        CommandError: instead of anything but playhead's own errors.
    """
    try:
        yield
    except (PlayheadError, BdbQuit):  # the user has left the debugger
        raise
    except SystemExit as error:
        raise CommandError(f"{what}: it tried to end the program") from error
    except Exception as error:
        raise CommandError(f"{what}: {error_text(error)}{_place(error)}") from error


def _place(error: Exception) -> str:
    """Where in the user's file an error was raised."""
    if isinstance(error, SyntaxError):
        return ""  # its text has that
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return ""
    return f" (in {trace.tb_frame.f_code.co_filename}, line {trace.tb_lineno})"


def _main_module(file: str) -> ModuleType:
    """The program that was started, as a module: only if that does not start it again."""
    path = Path(file)
    if not path.is_file():
        raise CommandError(f"the program {file!r}, which decided, is not there any more")
    source = path.read_text(encoding="utf-8")
    is_guarded = any(
        isinstance(one, ast.If) and "__name__" in ast.unparse(one.test)
        for one in ast.parse(source, file).body
    )
    if not is_guarded:
        raise CommandError(
            f"{file}: the function that decides is in the program itself, and loading it would run"
            " it: put the function into a module of its own, or the program's start below"
            " `if __name__ == '__main__':`"
        )
    name = f"{path.stem}_as_module"
    found = sys.modules.get(name)
    return found if found is not None and found.__file__ == file else loaded(path, name)
