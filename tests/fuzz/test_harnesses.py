"""The fuzzers' harnesses hold for their own seeds, and for those with a little damage."""

import subprocess
import sys
from pathlib import Path

import pytest

from ..support.process import run_process

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = """
import importlib, random, sys
module = importlib.import_module("fuzz." + sys.argv[1])
chance = random.Random(0)
for seed in module.SEEDS:
    module.one_input(seed)
for _ in range(3000):
    data = bytearray(chance.choice(module.SEEDS))
    for _ in range(chance.randrange(4)):
        at = chance.randrange(len(data) + 1)
        data[at : at + chance.randrange(3)] = chance.randbytes(chance.randrange(4))
    module.one_input(bytes(data))
print(len(module.SEEDS))
"""


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return run_process(sys.executable, *arguments, env={"PYTHONPATH": str(ROOT)}, limit=120)


@pytest.mark.parametrize(
    ("name", "least"),
    [
        ("requests", 30),
        ("messages", 5),
        ("gateway_json", 30),
        ("frame_images", 4),
        pytest.param("demos", 12, marks=pytest.mark.slow),
        pytest.param("expressions", 30, marks=pytest.mark.slow),
    ],
)
def test_a_harness_holds_for_its_seeds_and_their_like(name: str, least: int) -> None:
    done = run("-c", SCRIPT, name)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) >= least


def test_every_ask_of_the_protocol_has_a_seed_that_is_a_request() -> None:
    script = (
        "from fuzz import seeds\n"
        "from playhead.bus.messages.message_types import RequestBody\n"
        "from playhead.bus.messages.msgpack_codec import request_of\n"
        "from typing import get_args\n"
        "seen = {type(request_of(seed).body) for seed in seeds.requests()}\n"
        "assert seen == set(get_args(RequestBody))\n"
    )
    done = run("-c", script)
    assert done.returncode == 0, done.stderr


def test_an_unknown_harness_is_refused_by_name() -> None:
    done = run("-m", "fuzz.run", "nonsense")
    assert done.returncode == 2
    assert "nonsense" in done.stderr
    assert "frame_images" in done.stderr
