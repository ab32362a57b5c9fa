"""A ring to record into, and rings built otherwise than the installed one."""

import shlex
import shutil
import sys
import sysconfig
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from playhead.native import _ring
from playhead.native.ring import FrameRing

from ..support.process import run_process
from .rings import ring_of
from .tiers.packing import Packing

ROOT = Path(__file__).parents[2]


@pytest.fixture
def ring() -> Iterator[_ring.Ring]:
    """A ring with an open frame; what comes of it is verified."""
    ring = ring_of(1 << 14, 2000)
    ring.begin()
    yield ring
    frame = ring.commit(1.0, 0.0)
    assert ring.verify(frame)


@pytest.fixture(scope="session")
def build_ring(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """A function that compiles the ring with some macros defined.

    It returns a folder, for PYTHONPATH, with a `playhead` that has nothing but this ring.
    """
    compiler = shlex.split(sysconfig.get_config_var("CC") or "cc")
    if shutil.which(compiler[0]) is None or not (ROOT / "native" / "module.c").exists():
        pytest.skip("no C compiler, or no sources, to build another ring with")

    def build(*macros: str) -> Path:
        folder = tmp_path_factory.mktemp("built")
        native = folder / "playhead" / "native"
        ignored = shutil.ignore_patterns("*.so", "__pycache__")
        shutil.copytree(ROOT / "native", native, ignore=ignored)
        for name in ("__init__.py", "errors.py"):
            shutil.copy(ROOT / name, folder / "playhead")
        target = native / f"_ring{sysconfig.get_config_var('EXT_SUFFIX')}"
        flags = [
            "-std=c11",
            "-O2",
            "-fPIC",
            "-fvisibility=hidden",
            "-shared",
            *(f"-D{macro}" for macro in macros),
        ]
        flags += [f"-I{sysconfig.get_path('include')}", f"-I{np.get_include()}"]
        if sys.platform == "darwin":
            flags += ["-undefined", "dynamic_lookup"]
        run_process(
            *compiler,
            *flags,
            *sorted(native.glob("*.c")),
            "-o",
            target,
            check=True,
            env={"LD_PRELOAD": None},
        )
        return folder

    return build


@pytest.fixture
def packing():
    return Packing()


@pytest.fixture
def make_ring():
    made = []

    def make(memory="1 MiB", *, older=0.5, **settings) -> FrameRing:
        made.append(FrameRing(memory, older=older, **settings))
        return made[-1]

    yield make
    for ring in made:
        ring.close()
