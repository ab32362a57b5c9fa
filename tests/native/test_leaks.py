"""Nothing is left over: each script counts in a process of its own."""

import sys
import sysconfig
from pathlib import Path

import pytest

from ..support.process import run_process

ISOLATED = Path(__file__).parent / "isolated"


@pytest.mark.leaks
@pytest.mark.parametrize("script", sorted(path.name for path in ISOLATED.glob("leak_*.py")))
def test_nothing_is_leaked(script: str) -> None:
    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        pytest.skip("reference counts mean nothing without the GIL")
    command = [sys.executable, "-X", "faulthandler", str(ISOLATED / script)]
    done = run_process(*command, limit=120)
    assert done.returncode == 0, f"{script} ended with {done.returncode}:\n{done.stderr}"
