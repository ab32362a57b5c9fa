"""Calls a function when a module has been imported, and before anybody can use it."""

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

Patch = Callable[[ModuleType], object]


class ImportHooks:
    """A finder at the front of `sys.meta_path`, for modules that are to be patched.

    It finds nothing itself: it asks the other finders, and has the loader that they give call
    the patch after the module has run. Nothing is imported for its sake.

    Args:
        patches: What patches each module, by its name. It is called once, with the module.
        refused: Called with the name of a module whose patch failed, and the error. The module
            itself is imported nevertheless.
    """

    def __init__(
        self, patches: Mapping[str, Patch], refused: Callable[[str, Exception], object]
    ) -> None:
        self._patches = dict(patches)
        self._refused = refused

    def install(self) -> None:
        """Patch those that are imported already, and all others when they are."""
        for name in list(self._patches):
            module = sys.modules.get(name)
            if module is not None:
                self._patch(module, self._patches.pop(name))
        sys.meta_path.insert(0, self)

    def remove(self) -> None:
        """Patch no more modules; those that are patched stay so."""
        if self in sys.meta_path:
            sys.meta_path.remove(self)

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The spec of a module that is to be patched, whose loader will call the patch."""
        patch = self._patches.get(name)
        if patch is None:
            return None
        for finder in sys.meta_path:
            find = None if finder is self else getattr(finder, "find_spec", None)
            spec: ModuleSpec | None = None if find is None else find(name, path, target)
            if spec is not None:
                self._hook(spec, patch)
                return spec
        return None

    def _hook(self, spec: ModuleSpec, patch: Patch) -> None:
        """Have the loader call the patch; an attribute of its own hides its method so long."""
        loader: Any = spec.loader
        original = getattr(loader, "exec_module", None)
        if original is None:
            return

        def exec_module(module: ModuleType) -> None:
            del loader.exec_module
            original(module)
            if self._patches.pop(spec.name, None) is not None:
                self._patch(module, patch)

        try:
            loader.exec_module = exec_module
        except AttributeError as error:  # a loader without attributes of its own
            self._refused(spec.name, error)

    def _patch(self, module: ModuleType, patch: Patch) -> None:
        try:
            patch(module)
        except Exception as error:  # a version of the library that looks otherwise
            self._refused(module.__name__, error)
