"""The check for what tests leave behind does find it, and ends what it can."""

import shutil
import sys
from pathlib import Path

import pytest

from .support.process import run_process

PLANTED = """
import os, signal, socket, subprocess, sys, threading
from pathlib import Path

KEPT = []
SLEEP = [sys.executable, "-c", "import time; print(1, flush=True); time.sleep(600)"]

def test_thread():
    KEPT.append(threading.Event())
    threading.Thread(target=KEPT[0].wait, args=(60,), name="forgotten", daemon=True).start()

def test_process():
    KEPT.append(subprocess.Popen(SLEEP, stdout=subprocess.PIPE))
    KEPT[-1].stdout.readline()  # just begun, it has no command line yet
    Path(os.environ["PIDS"]).write_text(str(KEPT[-1].pid))

def test_zombie():
    KEPT.append(subprocess.Popen([sys.executable, "-c", ""], stdout=subprocess.PIPE))
    KEPT[-1].stdout.read()

def test_socket():
    KEPT.append(socket.socket())

def test_timer():
    signal.setitimer(signal.ITIMER_PROF, 1000.0)

def test_tidy(tmp_path):
    signal.setitimer(signal.ITIMER_PROF, 0.0)
    threading.Thread(target=print).start()
    subprocess.run([sys.executable, "-c", ""], check=True)
    socket.socket().close()
    assert Path.cwd() == tmp_path
    assert os.environ["PLAYHEAD"] == "strict"
"""


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="needs Linux's /proc")
def test_leftovers_fail_the_test_that_left_them(
    tmp_path: Path,
) -> None:
    here, folder = Path(__file__).parent, tmp_path / "tests"
    shutil.copytree(here / "support", folder / "support")
    leaks = folder / "support" / "leaks.py"
    leaks.write_text(leaks.read_text().replace("GRACE = 20.0", "GRACE = 0.1"))
    shutil.copy(here / "conftest.py", folder)
    (folder / "test_planted.py").write_text(PLANTED)
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = --import-mode=importlib\n")
    pids = tmp_path / "pids"
    shown = run_process(
        sys.executable, "-m", "pytest", "-q", "-rE", "--disable-warnings", "-p", "no:cacheprovider",
        env={"PIDS": str(pids)},
    ).stdout  # fmt: skip
    assert "6 passed, 5 errors" in shown
    assert "the test left behind: thread 'forgotten'" in shown
    assert f"process {pids.read_text()} ({sys.executable} -c import time" in shown
    assert "ended, not waited for" in shown
    assert "a profiling timer" in shown
    assert "open socket:[" in shown
    assert not Path(f"/proc/{pids.read_text()}").exists()
