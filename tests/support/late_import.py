"""Large libraries are imported by the first test that uses them, not while tests are listed."""

import importlib
import importlib.util
from typing import Any

import pytest


def imported_at_use(name: str) -> Any:
    """A library of which a test module needs attributes only once its tests run.

    Each process of a parallel run lists all tests, and runs a part of them: what it imports for the
    rest is time and memory for nothing. torch alone takes two seconds.

    The module that calls this is skipped where the library is not installed.
    """
    if importlib.util.find_spec(name) is None:
        pytest.skip(f"{name} is not installed", allow_module_level=True)
    return _ImportedAtUse(name)


class _ImportedAtUse:
    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith("_"):  # pytest asks whether a name of a test module is a test
            raise AttributeError(attribute)
        module = importlib.import_module(self._name)
        try:
            return getattr(module, attribute)
        except AttributeError:  # a module in it
            return _ImportedAtUse(f"{self._name}.{attribute}")
