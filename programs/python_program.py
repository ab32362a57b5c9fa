"""A Python program, found and run as `python SCRIPT` and `python -m MODULE` do."""

import builtins
import importlib.util
import os
import sys
import types
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from typing import Any

from ..errors import CommandError
from ..recorder.text.name_hint import name_hint

MAIN = "__main__"


class PythonProgram:
    """A script or a module that is going to run as `__main__`.

    Args:
        name: The script's path (a folder or a zip file may have a `__main__.py`), or the name of
            the module.
        is_module: Whether it is a module's name.
        args: What the program finds in `sys.argv` after its own name.

    Raises:
        CommandError: there is no such script.
    """

    def __init__(self, name: str, *, is_module: bool, args: tuple[str, ...] = ()) -> None:
        self.name = name
        self.is_module = is_module
        self._args = args
        self._code: types.CodeType | None = None
        self._main: types.ModuleType | None = None
        if not is_module:
            check_script(name)

    @property
    def stem(self) -> str:
        """A name for its files: of `game/main.py` it is `main`, of `pygame.examples.aliens`
        it is `aliens`."""
        if not self.is_module:
            return Path(self.name).resolve().stem
        parts = self.name.split(".")
        return parts[-2] if parts[-1] == MAIN and len(parts) > 1 else parts[-1]

    def prepare(self) -> None:
        """Set what the program can see of how it was started: `sys.argv` and `sys.path`."""
        sys.argv = ["-m" if self.is_module else self.name, *self._args]
        if getattr(sys.flags, "safe_path", False):
            return  # as Python does with -P: no folder is put in front
        if self.is_module:
            first = os.getcwd()
        elif self._is_archive:
            first = self.name
        else:
            first = os.path.dirname(os.path.realpath(self.name))
        sys.path[0] = first

    def load(self) -> None:
        """Find and compile it; the packages around a module are imported.

        Raises:
            CommandError: there is no such module, or it can't be run.
            SyntaxError: it is no Python.
        """
        self._code, self._main = self._module() if self.is_module else self._script()

    def run(self) -> None:
        """Run it as `__main__`. Its exceptions come out, `SystemExit` among them."""
        assert self._code is not None
        assert self._main is not None
        module, self._main = self._main, None
        sys.modules[MAIN] = module
        names = module.__dict__
        del module  # as with Python itself, only `sys.modules` holds it
        exec(self._code, names)

    def without_runner(self, error: BaseException) -> types.TracebackType | None:
        """The error's traceback from the program's own first line on; None for an error in
        finding or compiling it, as with Python itself."""
        found = error.__traceback__
        while found is not None and found.tb_frame.f_code is not self._code:
            found = found.tb_next
        return found

    @property
    def _is_archive(self) -> bool:
        return PathFinder.find_spec(MAIN, [self.name]) is not None

    def _script(self) -> tuple[types.CodeType, types.ModuleType]:
        if self._is_archive:
            spec = PathFinder.find_spec(MAIN, [self.name])
            assert spec is not None
            return _code_of(spec), _main_of(spec)
        # Its cached bytecode is not used, and none is written: as Python does with scripts.
        path = os.path.abspath(self.name)
        with open(path, "rb") as file:
            code = compile(file.read(), path, "exec", dont_inherit=True)
        loader = SourceFileLoader(MAIN, path)
        return code, _main(__file__=path, __cached__=None, __package__=None, __loader__=loader)

    def _module(self) -> tuple[types.CodeType, types.ModuleType]:
        spec = self._spec(self.name)
        if spec.submodule_search_locations is not None:
            try:
                spec = self._spec(f"{self.name}.{MAIN}")
            except CommandError:
                raise CommandError(
                    f"No module named {self.name}.{MAIN}; {self.name!r} is a package and cannot be"
                    " directly executed"
                ) from None
        code = _code_of(spec)
        sys.argv[0] = spec.origin or self.name
        return code, _main_of(spec)

    def _spec(self, name: str) -> ModuleSpec:
        """Where a module is; imports the packages around it.

        Raises:
            CommandError: there is none of that name.
        """
        try:
            spec = importlib.util.find_spec(name)
        except ModuleNotFoundError as error:
            # A package around it is missing; what such a package misses itself is its own error.
            if error.name is None or not f"{name}.".startswith(f"{error.name}."):
                raise
            spec = None
        except ValueError as error:  # a name such as `a..b`, or a module without a spec
            raise CommandError(f"-m {name}: {error}") from None
        if spec is None:
            raise CommandError(f"No module named {name}")
        return spec


def check_script(name: str) -> None:
    """See that there is a script to be run.

    Raises:
        CommandError: there is none; the error names those of its folder that have a similar name.
    """
    path = Path(name)
    if path.is_dir() and not (path / f"{MAIN}.py").is_file():
        raise CommandError(f"{name}: this folder has no {MAIN}.py that could be run")
    if path.exists():
        return
    folder = path.parent
    scripts = [one.name for one in folder.glob("*.py")] if folder.is_dir() else []
    hint = name_hint(path.name, scripts) if scripts else "there is no script in that folder"
    if importlib.util.find_spec(name.partition(".")[0]) if name.isidentifier() else None:
        hint = f"a module is run by -m {name}"
    raise CommandError(f"{name}: there is no such script; {hint}")


def _code_of(spec: ModuleSpec) -> types.CodeType:
    loader: Any = spec.loader
    get_code = getattr(loader, "get_code", None)
    code = None if get_code is None else get_code(spec.name)
    if code is None:
        raise CommandError(f"No code object available for {spec.name}")
    assert isinstance(code, types.CodeType)
    return code


def _main_of(spec: ModuleSpec) -> types.ModuleType:
    return _main(
        __spec__=spec, __loader__=spec.loader, __file__=spec.origin, __cached__=spec.cached,
        __package__=spec.parent,
    )  # fmt: skip


def _main(**names: Any) -> types.ModuleType:
    """The module `__main__`, with the names that it has from the beginning."""
    module = types.ModuleType(MAIN)
    module.__dict__.update(__builtins__=builtins, **names)
    if sys.version_info < (3, 14):  # since then it is made when it is needed
        module.__annotations__ = {}
    return module
