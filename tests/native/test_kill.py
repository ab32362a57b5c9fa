"""A writer that is killed leaves all of its finished frames behind, whole.

And the proof that this test can fail: a ring built with a planted fault is caught by it.
"""

import json
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="writers are forked to be killed")

HERE = Path(__file__).parent
ROOT = HERE.parents[1]


def kill_writers(folder: Path, *options: str, package: Path | None = None) -> dict[str, Any]:
    """Runs the script and returns what it says; `package` holds another `playhead` to use."""
    environment = dict(os.environ)
    if package:
        environment["PYTHONPATH"] = str(package)
    done = subprocess.run(
        [sys.executable, "-m", "isolated.kill_writers", str(folder), *options],
        cwd=HERE,
        capture_output=True,
        text=True,
        timeout=280,
        env=environment,
    )
    assert done.returncode == 0, done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    return told


@pytest.mark.parametrize("kills", [52, pytest.param(200, marks=pytest.mark.slow)])
def test_whenever_a_writer_is_killed_all_its_finished_frames_are_whole(
    kills: int, tmp_path: Path
) -> None:
    told = kill_writers(tmp_path, "--kills", str(kills))
    assert told["wrong"] == []
    assert told["kills"] == kills
    assert told["recorded"] > kills * 0.8, "most writers were killed before they recorded"
    assert told["frames"] > 10 * kills


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a `playhead` whose ring overwrites before it says what it evicted."""
    compiler = shlex.split(sysconfig.get_config_var("CC") or "cc")
    if shutil.which(compiler[0]) is None or not (ROOT / "native" / "ring.c").exists():
        pytest.skip("no C compiler, or no sources, to build the planted fault with")
    folder = tmp_path_factory.mktemp("planted")
    native = folder / "playhead" / "native"
    shutil.copytree(ROOT / "native", native, ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    for name in ("__init__.py", "errors.py"):
        shutil.copy(ROOT / name, folder / "playhead")
    include = [f"-I{sysconfig.get_path('include')}", f"-I{np.get_include()}"]
    target = native / f"_ring{sysconfig.get_config_var('EXT_SUFFIX')}"
    flags = ["-std=c11", "-O2", "-fPIC", "-shared", "-DPLAYHEAD_PLANT_LATE_TAIL"]
    if sys.platform == "darwin":
        flags += ["-undefined", "dynamic_lookup"]
    subprocess.run(
        [*compiler, *flags, *include, str(native / "ring.c"), "-o", str(target)],
        check=True,
        # A sanitizer that runs these tests is not meant for the compiler.
        env={name: value for name, value in os.environ.items() if name != "LD_PRELOAD"},
    )
    return folder


def test_a_tail_that_is_published_too_late_is_caught(planted: Path, tmp_path: Path) -> None:
    told = kill_writers(tmp_path, "--kills", "300", "--until-wrong", package=planted)
    assert told["wrong"], f"{told['kills']} kills and the planted fault went unnoticed"
