"""A folder is small enough to be read at a glance, and says which question it answers."""

import ast
from pathlib import Path

import pytest

import playhead

ROOT = Path(playhead.__file__).parent
MOST = 16
"""Modules in a folder: a folder that needs more answers two questions."""


def folders() -> list[Path]:
    """All packages of the product, and all folders of tests."""
    packages = [file.parent for file in ROOT.rglob("__init__.py") if file.parent != ROOT]
    tests = {file.parent for file in (ROOT / "tests").rglob("test_*.py")}
    shipped = [
        folder
        for folder in packages
        if not {".venv", "build", "tests"} & set(folder.relative_to(ROOT).parts)
    ]
    return sorted({*shipped, *tests})


def test_no_folder_has_more_modules_than_a_reader_takes_in_at_once() -> None:
    found = folders()
    assert len(found) > 100
    modules = {
        str(folder.relative_to(ROOT)): len(
            [
                file
                for file in folder.glob("*.py")
                if file.name not in ("__init__.py", "conftest.py")
            ]
        )
        for folder in found
    }
    assert {name: count for name, count in modules.items() if count > MOST} == {}


@pytest.mark.parametrize(
    "folder",
    [each for each in folders() if "tests" not in each.parts],
    ids=lambda each: str(each.relative_to(ROOT)),
)
def test_every_package_says_what_it_is_for(folder: Path) -> None:
    assert ast.get_docstring(ast.parse((folder / "__init__.py").read_text("utf-8")))
