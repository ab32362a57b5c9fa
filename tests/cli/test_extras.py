"""The optional extras: the table agrees with pyproject.toml, and says how to install."""

import tomllib
from pathlib import Path

import pytest

from playhead.cli import extras

PROJECT = Path(__file__).parents[2] / "pyproject.toml"


def test_every_extra_of_the_table_is_one_of_the_project() -> None:
    declared = tomllib.loads(PROJECT.read_text())["project"]["optional-dependencies"]
    assert set(extras.EXTRAS) == set(declared) - {"test", "lint", "fuzz", "all"}


@pytest.mark.parametrize(
    ("module", "extra"),
    [("pymunk", "agents"), ("yaml.parser", "agents"), ("vizdoom", "doom"), ("numpy", None)],
)
def test_a_module_is_traced_to_the_extra_that_brings_it(module: str, extra: str | None) -> None:
    assert extras.extra_with(module) == extra


def test_in_a_checkout_the_extra_is_added_to_the_editable_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extras, "ROOT", tmp_path)
    (tmp_path / "pyproject.toml").touch()
    assert extras.install_line("doom") == f"pip install -e '{tmp_path}[doom]'"


def test_outside_a_checkout_the_extra_comes_from_the_index(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extras, "ROOT", tmp_path)
    assert extras.install_line("doom", "agents") == "pip install 'playhead[doom,agents]'"
