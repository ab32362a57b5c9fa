"""A ring written on one machine is whole on another, whatever instructions either has."""

import json
import os
import platform
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ...support.process import run_process

pytestmark = [
    pytest.mark.skipif(os.name != "posix", reason="built with the flags of a POSIX compiler"),
    pytest.mark.skipif(platform.machine() != "x86_64", reason="the instructions are x86's"),
]


def one_ring(work: str, path: Path, package: Path | None = None) -> dict[str, Any]:
    environment = {}
    if package:
        environment["PYTHONPATH"] = str(package)
    done = run_process(
        sys.executable,
        "-m",
        "isolated.one_ring",
        work,
        path,
        cwd=Path(__file__).parents[1],
        limit=120,
        env=environment,
    )
    assert done.returncode == 0, done.stderr
    result: dict[str, Any] = json.loads(done.stdout)
    return result


@pytest.mark.slow
@pytest.mark.parametrize(
    ("supported", "features"),
    [
        ("0", "portable"),
        pytest.param("(*(feature)=='s')", "crc32c, sse2 streaming", marks=pytest.mark.slow),
    ],
    ids=["no instructions", "no wide stores"],
)
def test_rings_go_from_machine_to_machine(
    supported: str, features: str, build_ring: Callable[..., Path], tmp_path: Path
) -> None:
    other = build_ring(f"__builtin_cpu_supports(feature)={supported}")
    assert one_ring("write", tmp_path / "theirs", other)["features"] == features
    assert one_ring("write", tmp_path / "ours")["wrong"] == []
    for path, package in (("theirs", None), ("ours", other), ("theirs", other)):
        result = one_ring("check", tmp_path / path, package)
        assert result["wrong"] == [], (path, result)
        assert result["frames"] > 20
