"""What holds for every test: strict mode, a folder of its own, and nothing left behind."""

import gc
import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis.internal.conjecture import providers

from .support.collector import pass_over_all_there_is, pass_over_what_has_come
from .support.fixtures import make_stage, start_process  # noqa: F401 (fixtures of all tests)
from .support.leaks import Running

# Set before any test module is imported, and inherited by the processes that tests start.
os.environ["PLAYHEAD"] = "strict"

# Threads for products of matrices are no use to us, and each process that loads numpy would start
# some: they spin for a tenth of a second, a thousand times in a run.
for _library in ("OPENBLAS", "OMP", "MKL"):
    os.environ.setdefault(f"{_library}_NUM_THREADS", "1")

# A run that began under nohup, or in the background of a shell, was told to ignore these signals,
# and so would be all that it starts: then nothing that tests send would end a program.
for _ignored in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
    if signal.getsignal(_ignored) is signal.SIG_IGN:
        signal.signal(
            _ignored,
            signal.default_int_handler if _ignored is signal.SIGINT else signal.SIG_DFL,
        )

# The default tries the same examples each time: a red run can be repeated, also elsewhere.
settings.register_profile("ci", derandomize=True, deadline=None, print_blob=True)
settings.register_profile("thorough", max_examples=2000, deadline=None, print_blob=True)
if os.environ.get("PLAYHEAD_THOROUGH") == "1":
    settings.load_profile("thorough")
else:
    settings.load_profile("ci")
    # Hypothesis mixes in the constants of all modules of ours that are loaded, which are others in
    # each process of a parallel run: then a test would fail here and pass there.
    if hasattr(providers, "_get_local_constants"):
        providers._get_local_constants = lambda: providers._local_constants


# Imports and the list of tests make hundreds of thousands of objects, and all of them stay: while
# they are made, the collector would look through them a hundred times and find nothing.
gc.disable()


def pytest_collection_finish() -> None:
    """Thousands of tests and all modules stay to the end: the collector need not look at them again
    and again, which costs tests that call it, and long ones, more than all else they do."""
    pass_over_all_there_is()
    gc.enable()


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test writes without saying where does not land in the sources, nor at home.

    Viewers that it starts neither read the person's settings nor are found by other tests.
    """
    monkeypatch.chdir(tmp_path)
    home = tmp_path.with_name(f"{tmp_path.name}-home")
    monkeypatch.setenv("PLAYHEAD_CONFIG", str(home / "config"))
    monkeypatch.setenv("PLAYHEAD_VIEWERS", str(home / "viewers"))
    # Else each model of stable-baselines3 leaves a folder in /tmp.
    monkeypatch.setenv("SB3_LOGDIR", str(home / "models"))


@pytest.fixture(autouse=True)
def nothing_is_left_behind() -> Iterator[None]:
    """Fail a test that leaves a thread (a timer is one), a child process or an open socket.

    What fixtures of a wider scope started before is theirs to end.
    """
    before = Running.now()
    yield
    if left := before.left():
        pytest.fail(f"the test left behind: {'; '.join(left)}", pytrace=False)
    pass_over_what_has_come()
