"""`import playhead as ph`: all public names, each loaded when it is used first."""

import ast
import importlib
import pkgutil
import sys
from pathlib import Path

import pytest

import playhead as ph

from .support.process import run_process

ROOT = Path(ph.__file__).parent
PROMISED = (
    "Session", "World", "Handler", "FieldHandler", "check_handler", "Layout", "Field",
    "Conventions", "Belief", "Rejected", "TreeNode", "CheckPolicy", "UNATTENDED", "ClipPolicy",
    "BusSettings", "PlaybackState", "Instrumentation", "NullInstrumentation", "FailedCheck",
    "Client", "commands", "errors",
)  # fmt: skip


def loaded_by(code: str) -> set[str]:
    """The modules that a program of its own has loaded at its end."""
    shown = run_process(
        sys.executable, "-c", f"{code}\nimport sys; print(*sys.modules)", check=True
    ).stdout
    return set(shown.split())


def test_all_promised_names_are_there_and_listed():
    assert set(PROMISED) <= set(ph.__all__)
    assert set(ph.__all__) <= set(dir(ph))
    for name in ph.__all__:
        assert getattr(ph, name) is not None


def test_a_name_is_the_thing_that_its_module_defines():
    for name, home in ph._HOMES.items():
        assert getattr(ph, name) is getattr(importlib.import_module(f"playhead.{home}"), name)
    assert ph.commands is importlib.import_module("playhead.playback.commands")
    assert ph.errors is importlib.import_module("playhead.errors")


def test_type_checkers_see_the_same_names():
    tree = ast.parse((ROOT / "__init__.py").read_text(encoding="utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    result = {
        alias.asname: (node.module, alias.name)
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    modules = {name: result.pop(name) for name in ph._MODULES}
    assert result == {name: (home, name) for name, home in ph._HOMES.items()}
    for name, (package, module) in modules.items():
        assert f"{package}.{module}".removeprefix("None.") == ph._MODULES[name]


def test_no_module_takes_the_place_of_a_name():
    modules = {found.name for found in pkgutil.iter_modules([str(ROOT)])}
    assert not modules & (set(ph._HOMES) | (set(ph._MODULES) - {"errors"}))


def test_what_is_not_there_is_an_error():
    with pytest.raises(AttributeError, match="'playhead' has no attribute 'Sesion'"):
        ph.Sesion  # noqa: B018
    with pytest.raises(ImportError):
        exec("from playhead import Sesion")


def test_everything_can_be_imported_at_once():
    names: dict = {}
    exec("from playhead import *", names)
    assert set(ph.__all__) <= set(names)


def test_importing_the_package_loads_nothing_else():
    tops = {name.partition(".")[0] for name in loaded_by("import playhead as ph; dir(ph)")}
    others = tops - sys.stdlib_module_names - {name.partition(".")[0] for name in loaded_by("")}
    assert others == {"playhead"}
    assert not {name for name in loaded_by("import playhead") if name.startswith("playhead.")}


def test_a_session_loads_neither_the_bus_nor_qt():
    loaded = loaded_by("import playhead as ph; ph.Session; ph.FieldHandler; ph.commands.Step(1)")
    assert "playhead.session" in loaded
    assert not {"zmq", "PyQt6", "pandas", "gymnasium", "pymunk"} & loaded


@pytest.mark.parametrize("name", ["Belief", "World", "CheckPolicy", "errors"])
def test_a_name_loads_no_more_than_it_needs(name):
    loaded = loaded_by(f"import playhead as ph; ph.{name}")
    assert not {"zmq", "playhead.session", "playhead.bus.client.client"} & loaded
