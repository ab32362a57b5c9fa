"""How playhead was installed: its version, and lines that install more from where one is."""

import importlib.metadata
import json
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable
from importlib.metadata import Distribution, PathDistribution
from pathlib import Path

import pytest

import playhead
from playhead import installation
from playhead.cli import main as cli

from .support.process import run_process

SOURCES = Path(__file__).parents[1]
NOT_SOURCES = (".git", ".venv", "build", "*.so", "__pycache__", "*.egg-info", ".*_cache", "tests")
PROJECT = tomllib.loads((SOURCES / "pyproject.toml").read_text())["project"]


def test_every_extra_of_the_table_is_one_of_the_project() -> None:
    declared = PROJECT["optional-dependencies"]
    assert set(installation.EXTRAS) == set(declared) - {"test", "lint", "fuzz", "all"}


@pytest.mark.parametrize(
    ("module", "extra"),
    [("pymunk", "agents"), ("yaml.parser", "agents"), ("vizdoom", "doom"), ("numpy", None)],
)
def test_a_module_is_traced_to_the_extra_that_brings_it(module: str, extra: str | None) -> None:
    assert installation.extra_with(module) == extra


# --- the line that installs more --------------------------------------------------------------

Install = Callable[..., None]


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Have playhead installed from somewhere, by something."""
    folder = tmp_path / "site" / "playhead-9.8.7.dist-info"
    folder.mkdir(parents=True)
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: playhead\nVersion: 9.8.7\n")

    def found(name: str) -> Distribution:
        assert name == "playhead"
        return PathDistribution(folder)

    def install(direct_url: object = None, by: str = "pip") -> None:
        if direct_url is not None:
            (folder / "direct_url.json").write_text(json.dumps(direct_url))
        (folder / "INSTALLER").write_text(f"{by}\n")
        monkeypatch.setattr(importlib.metadata, "distribution", found)

    return install


def clone(folder: Path) -> Path:
    folder.mkdir()
    (folder / "pyproject.toml").touch()
    return folder


def arguments(line: str) -> list[str]:
    """What follows on `python -m pip install`, of the interpreter that runs."""
    words = shlex.split(line)
    assert words[:4] == [sys.executable, "-m", "pip", "install"]
    return words[4:]


def test_in_an_editable_clone_the_extra_is_added_to_that_folder(installed, tmp_path) -> None:
    folder = clone(tmp_path / "my clone")
    installed({"dir_info": {"editable": True}, "url": folder.as_uri()})
    line = installation.install_line("doom", "viewer")
    assert arguments(line) == ["-e", f"{folder}[doom,viewer]"]
    assert arguments(installation.install_line()) == ["-e", str(folder)]


def test_from_a_folder_that_was_copied_it_is_installed_from_there_again(installed, tmp_path):
    folder = clone(tmp_path / "sources")
    installed({"dir_info": {}, "url": folder.as_uri()})
    assert arguments(installation.install_line("doom")) == [f"{folder}[doom]"]


@pytest.mark.parametrize(
    "url",
    [
        None,
        {"archive_info": {}, "url": "file:///gone/playhead-9.8.7-cp311-linux_x86_64.whl"},
        {"dir_info": {"editable": True}, "url": "file:///gone/clone"},
        ["no", "map"],
    ],
)
def test_from_a_wheel_or_an_index_the_extra_is_added_to_what_is_installed(installed, url) -> None:
    installed(url)
    assert arguments(installation.install_line("doom")) == ["playhead[doom]"]


def test_where_uv_installed_it_uv_installs_more(installed, monkeypatch) -> None:
    monkeypatch.setattr(installation.shutil, "which", lambda name: f"/bin/{name}")
    installed(by="uv")
    assert shlex.split(installation.install_line("doom")) == [
        "uv", "pip", "install", "--python", sys.executable, "playhead[doom]",
    ]  # fmt: skip


@pytest.mark.slow
def test_the_line_for_what_runs_these_tests_is_one_that_pip_takes() -> None:
    words = shlex.split(installation.install_line("gateway"))
    done = run_process(
        *words, "--dry-run", "--no-index", "--no-build-isolation", "--no-deps", "--quiet", limit=100
    )
    assert done.returncode == 0, done.stderr


# --- the version ------------------------------------------------------------------------------


def test_the_package_has_the_version_of_the_project_and_the_command_shows_it(capsys) -> None:
    assert playhead.__version__ == PROJECT["version"]
    with pytest.raises(SystemExit) as exit:
        cli.main(["--version"])
    assert exit.value.code == 0
    assert capsys.readouterr().out == f"playhead {PROJECT['version']}\n"


def test_the_version_is_that_of_the_metadata_and_without_any_that_of_the_sources(
    installed, monkeypatch
) -> None:
    installed()
    installation.version.cache_clear()
    try:
        assert playhead.__version__ == "9.8.7"
        monkeypatch.setattr(installation, "_distribution", lambda: None)
        installation.version.cache_clear()
        assert playhead.__version__ == PROJECT["version"]
        monkeypatch.setattr(installation, "ROOT", Path("/nowhere"))
        installation.version.cache_clear()
        assert playhead.__version__ == installation.UNKNOWN
    finally:
        installation.version.cache_clear()


def test_what_the_package_has_not_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="nonsense"):
        playhead.nonsense  # noqa: B018


# --- building ---------------------------------------------------------------------------------


def build(tmp_path: Path, **environment: str) -> "subprocess.CompletedProcess[str]":
    return run_process(
        sys.executable,
        "setup.py",
        "-q",
        "build_ext",
        "--build-temp",
        tmp_path / "temp",
        "--build-lib",
        tmp_path / "lib",
        cwd=SOURCES,
        env={"PLAYHEAD_WERROR": None, **environment},
        limit=100,
    )


@pytest.mark.skipif(sys.platform == "win32", reason="MSVC is not chosen by CC or PATH")
@pytest.mark.parametrize("environment", [{"CC": "false"}, {"CC": "no-such-cc"}, {"PATH": "/none"}])
def test_without_a_compiler_the_build_says_what_to_install(tmp_path, environment) -> None:
    done = build(tmp_path, **environment)
    assert done.returncode != 0
    last = done.stderr.splitlines()[-1]
    assert last.startswith("error: playhead needs a C compiler, and none works here")
    assert "install" in last
    assert "Traceback" not in done.stderr


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="MSVC is not chosen by CC")
def test_warnings_are_errors_only_where_that_is_asked_for(tmp_path) -> None:
    log, compiler = tmp_path / "log", tmp_path / "cc"
    compiler.write_text(f'#!/bin/sh\necho "$@" >> {log}\nexit 1\n')
    compiler.chmod(0o755)
    build(tmp_path, CC=str(compiler))
    assert "-Wextra" in log.read_text()
    assert "-Werror" not in log.read_text()
    build(tmp_path, CC=str(compiler), PLAYHEAD_WERROR="1")
    assert "-Werror" in log.read_text()


# --- a wheel ----------------------------------------------------------------------------------

FIRST_PROGRAM = """
import sys
import playhead as ph
loaded = set(sys.modules)
assert not {"numpy", "msgspec", "zmq", "playhead.session"} & loaded, loaded
for name in ph.__all__:
    assert getattr(ph, name) is not None, name
import playhead.behaviour_trees, playhead.plans
print(ph.__file__, ph.__version__)
"""


def test_every_module_of_the_root_folder_is_shipped_but_setup(tmp_path) -> None:
    run_process(
        sys.executable, "setup.py", "-q", "build_py", "--build-lib", str(tmp_path),
        cwd=SOURCES, check=True,
    )  # fmt: skip
    shipped = {file.name for file in (tmp_path / "playhead").glob("*.py")}
    assert shipped == {file.name for file in SOURCES.glob("*.py")} - {"setup.py"}


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs a compiler beside pip")
def test_from_a_wheel_all_public_names_are_there_and_load_when_they_are_used(tmp_path) -> None:
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    sources, wheels, site = tmp_path / "sources", tmp_path / "wheels", tmp_path / "site"
    # A copy, since building leaves files beside the sources.
    shutil.copytree(SOURCES, sources, ignore=shutil.ignore_patterns(*NOT_SOURCES))
    run_process(
        *pip,
        "wheel",
        "--no-deps",
        "--no-build-isolation",
        "-w",
        str(wheels),
        str(sources),
        check=True,
        limit=280,
    )
    (wheel,) = wheels.iterdir()
    run_process(
        *pip,
        "install",
        "--no-deps",
        "--no-index",
        "--target",
        str(site),
        str(wheel),
        check=True,
        limit=100,
    )
    shown = run_process(
        sys.executable, "-c", FIRST_PROGRAM, env={"PYTHONPATH": str(site)}, cwd=tmp_path
    )
    assert shown.returncode == 0, shown.stderr
    file, version = shown.stdout.split()
    assert Path(file).parent == site / "playhead"
    assert version == PROJECT["version"]
    assert (site / "playhead" / "py.typed").is_file()
