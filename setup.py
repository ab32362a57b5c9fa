"""The repository root is the package `playhead`: recorder/ is playhead.recorder."""

import os
import sys
import sysconfig
import tempfile
from glob import glob

import numpy
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py
from setuptools.errors import PlatformError

ROOT = os.path.dirname(os.path.abspath(__file__))
PARTS = (
    "native", "recorder", "handlers", "playback", "recording", "hooks", "adapters", "bus", "runner",
    "games", "programs",
    "viewer", "testing", "agents", "cli",
)  # fmt: skip
"""The folders that are shipped, each with all packages in it."""
FOLDERS = tuple(
    os.path.relpath(folder, ROOT).replace(os.sep, ".")
    for part in PARTS
    for folder, _, files in sorted(os.walk(os.path.join(ROOT, part)))
    if "__init__.py" in files
)
NOT_SHIPPED = ("setup", "conftest")


class BuildPy(build_py):
    """Ships every module of the root folder but NOT_SHIPPED."""

    def find_package_modules(self, package, package_dir):
        modules = super().find_package_modules(package, package_dir)
        return [m for m in modules if package != "playhead" or m[1] not in NOT_SHIPPED]


class BuildExt(build_ext):
    """Where nothing can be compiled at all, say what to install instead of how it failed."""

    def build_extensions(self):
        try:
            super().build_extensions()
        except Exception as error:  # of this setuptools or that, or of the system
            missing = self.missing()
            if missing:
                raise PlatformError(f"{missing} ({str(error)[:80]})") from None
            raise

    def run(self):
        try:
            super().run()
        except PlatformError as error:
            if not WINDOWS or "Visual C++" not in str(error):
                raise
            # Without MSVC it is not even tried.
            raise PlatformError(no_compiler()) from None

    def missing(self):
        """What is to be installed, in words; empty if a program can be compiled."""
        if not self.compiles("int main(void) { return 0; }\n"):
            return no_compiler()
        if not self.compiles("#include <Python.h>\nint main(void) { return 0; }\n"):
            return no_headers()
        return ""

    def compiles(self, program):
        with tempfile.TemporaryDirectory() as folder:
            source = os.path.join(folder, "probe.c")
            with open(source, "w", encoding="ascii") as file:
                file.write(program)
            try:
                self.compiler.compile(
                    [source], output_dir=folder, include_dirs=[sysconfig.get_path("include")]
                )
            except Exception:
                return False
            return True


def no_compiler():
    """What to install for a C compiler on this system."""
    reason = "playhead needs a C compiler, and none works here"
    if os.environ.get("CC"):
        reason += f" (CC is {os.environ['CC']!r})"
    if WINDOWS:
        how = (
            "winget install Microsoft.VisualStudio.2022.BuildTools, with the workload"
            " 'Desktop development with C++'"
        )
    elif sys.platform == "darwin":
        how = "xcode-select --install"
    else:
        how = (
            "as root on Debian or Ubuntu: apt-get install gcc libc6-dev;"
            " on Fedora: dnf install gcc; on Arch: pacman -S gcc; on Alpine: apk add gcc musl-dev"
        )
    return f"{reason}. Install one: {how}. Then install playhead again."


def no_headers():
    """What to install for this Python's headers."""
    python = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    return (
        f"playhead needs the headers of {sys.executable}, and there is no Python.h in"
        f" {sysconfig.get_path('include')}. Install them: as root on Debian or Ubuntu:"
        f" apt-get install {python}-dev; on Fedora: dnf install python3-devel."
    )


WINDOWS = sys.platform == "win32"
STRICT = bool(os.environ.get("PLAYHEAD_WERROR"))
"""Warnings are errors in lint and CI alone: another compiler than ours may warn of more."""
SANITIZE = bool(os.environ.get("PLAYHEAD_SANITIZE"))
COMPILE = (
    ["/std:c11", "/experimental:c11atomics", "/O2"]
    if WINDOWS
    else ["-std=c11", "-O3", "-Wall", "-Wextra", "-fvisibility=hidden"]
)
VECTORS = [] if WINDOWS else ["-fno-math-errno", "-fno-trapping-math"]
"""Floating-point errno and signals are unused: without them square roots become vectors."""
if STRICT:
    COMPILE.append("/WX" if WINDOWS else "-Werror")
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
        "playhead.viewer.toolkit": ["*.pyi"],
        "playhead.games.arena": ["levels/*.yaml"],
        "playhead.agents": ["demos/*/*.csv", "demos/*/*.save"],
        "playhead.cli.agents": ["tester_template/*"],
        "playhead.agents.playthrough": ["settings/*.yaml"],
        "playhead.agents.behaviour_trees": ["shipped/*/*/*"],
        "playhead.agents.plans": ["shipped/*.yaml"],
        "playhead.agents.plans.policy": ["shipped/*.npz"],
        "playhead.agents.plans.text": ["data/*.txt", "data/*.npz"],
    },
    cmdclass={"build_py": BuildPy, "build_ext": BuildExt},
    ext_modules=[
        Extension(
            "playhead.native._ring",
            sources=sorted(glob("native/*.c")),
            depends=sorted(glob("native/*.h")),
            include_dirs=[numpy.get_include()],
            define_macros=[("NPY_NO_DEPRECATED_API", "NPY_2_0_API_VERSION")],
            extra_compile_args=COMPILE,
            extra_link_args=LINK,
        ),
        Extension(
            "playhead.viewer.toolkit._raster",
            sources=sorted(glob("viewer/toolkit/*.c")),
            depends=sorted(glob("viewer/toolkit/*.h")),
            extra_compile_args=COMPILE + VECTORS,
            extra_link_args=LINK,
        ),
    ],
)
