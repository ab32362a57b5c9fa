"""The repository root is the package `playhead`: recorder/ is playhead.recorder."""

import os
import sys
from glob import glob

import numpy
from setuptools import Extension, setup
from setuptools.command.build_py import build_py

FOLDERS = (
    "native",
    "recorder",
    "recorder.clips",
    "recorder.saving",
    "handlers",
    "playback",
    "bus",
    "bus.bridges",
    "games",
    "games.arena",
    "games.arena.aim",
    "games.arena.quest",
    "games.doom",
    "games.remote",
    "viewer",
    "viewer.models",
    "viewer.docks",
    "testing",
    "agents",
    "agents.playthrough",
    "agents.playthrough.states",
    "agents.replaying",
    "cli",
)
ROOT_MODULES = ("__init__", "session", "errors")


class BuildPy(build_py):
    """Of the root folder ship only ROOT_MODULES: not setup.py, not a conftest.py."""

    def find_package_modules(self, package, package_dir):
        modules = super().find_package_modules(package, package_dir)
        return [m for m in modules if package != "playhead" or m[1] in ROOT_MODULES]


WINDOWS = sys.platform == "win32"
SANITIZE = bool(os.environ.get("PLAYHEAD_SANITIZE"))
COMPILE = (
    ["/std:c11", "/experimental:c11atomics", "/O2"]
    if WINDOWS
    else ["-std=c11", "-O3", "-Wall", "-Wextra", "-Werror", "-fvisibility=hidden"]
)
LINK = []
if SANITIZE:
    COMPILE += ["-O1", "-g", "-UNDEBUG", "-fno-omit-frame-pointer", "-fsanitize=address,undefined"]
    LINK += ["-fsanitize=address,undefined"]

setup(
    include_package_data=False,
    packages=["playhead", *(f"playhead.{folder}" for folder in FOLDERS)],
    package_dir={"playhead": "."},
    package_data={
        "playhead": ["py.typed"],
        "playhead.native": ["*.pyi"],
        "playhead.games.arena": ["levels/*.yaml"],
        "playhead.agents": ["demos/*/*.csv", "demos/*/*.save"],
        "playhead.agents.playthrough": ["settings/*.yaml"],
    },
    cmdclass={"build_py": BuildPy},
    ext_modules=[
        Extension(
            "playhead.native._ring",
            sources=["native/ring.c"],
            depends=sorted(glob("native/*.h")),
            include_dirs=[numpy.get_include()],
            define_macros=[("NPY_NO_DEPRECATED_API", "NPY_2_0_API_VERSION")],
            extra_compile_args=COMPILE,
            extra_link_args=LINK,
        ),
        Extension(
            "playhead.native._strokes",
            sources=["native/strokes.c"],
            extra_compile_args=COMPILE,
            extra_link_args=LINK,
        ),
    ],
)
