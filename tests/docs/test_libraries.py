"""The examples of docs/libraries.md: short, run as printed, and with the outcome that they have
without playhead."""

import importlib
import os
import re
import sys
import types
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import Any, NamedTuple

import pytest

os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
os.environ.setdefault("ARCADE_HEADLESS", "true")

import playhead as ph

from .test_code_blocks import ROOT, Block, blocks_of

PAGE = ROOT / "docs" / "libraries.md"
MOST_LINES = 8


class Example(NamedTuple):
    """What an example of the page comes to."""

    outcome: str
    """An expression for all that the example has changed."""
    types: set[str]
    """Of the objects that are recorded in the newest frame."""
    frames: int


EXAMPLES = {
    "cartpole": Example(
        "result, env.unwrapped.state, env.unwrapped.np_random.bit_generator.state",
        {"CartPole-v1"}, 21,
    ),
    "cartpoles": Example(
        "result, [one.unwrapped.state for one in env.unwrapped.envs]", {"CartPole-v1"}, 21
    ),
    "rock_paper_scissors": Example("result, env.unwrapped.state", {"rps_v2"}, 11),
    "connect_four": Example("env.last(), env.unwrapped.board", {"connect_four_v3"}, 13),
    "vec_env": Example(
        "result, [one.unwrapped.state for one in env.unwrapped.envs]", {"CartPole-v1"}, 21
    ),
    "training": Example(
        "[one.detach().numpy().tolist() for one in model.policy.parameters()]",
        {"CartPole-v1"}, 130,
    ),
    "ball": Example(
        "[(one.position, one.velocity, one.angle) for one in space.bodies]", {"Body"}, 60
    ),
    "fall": Example("data.qpos, data.qvel, data.time", {"MujocoBody", "MujocoState"}, 60),
    "coins": Example("[(one.position, one.angle) for one in coins]", {"SpriteCircle"}, 56),
    "coin": Example("coin.rect, len(coins)", {"Sprite"}, 60),
    "guard": Example(
        "root.status, [(one.name, one.status, one.feedback_message) for one in root.children]",
        set(), 20,
    ),
}  # fmt: skip


def name_of(block: Block) -> str:
    """The name of an example's clip, without its suffix."""
    found = re.search(r'"(\w+)\.mcap"', block.code)
    assert found, f"{block} saves no clip"
    return found[1]


BLOCKS = {name_of(block): block for block in blocks_of(PAGE)}
WITH_TORCH = {"training", "vec_env"}
"""Loading it takes longer than all other examples."""


class WithoutPlayhead(types.ModuleType):
    """What an example imports instead: it records nothing, and hands back what it is given."""

    def record(self, *_: Any, **__: Any) -> Any:
        return nullcontext(self)

    def wrap(self, env: Any) -> Any:
        return env

    def frame(self) -> Any:
        return nullcontext()

    def training_callback(self) -> None: ...


def outcome_of(name: str) -> str:
    variables: dict[str, Any] = {"__name__": "example"}
    exec(compile(BLOCKS[name].code, str(BLOCKS[name]), "exec"), variables)
    outcome = repr(eval(EXAMPLES[name].outcome, variables))
    env = variables.get("env", getattr(variables.get("model"), "env", None))
    if env is not None:
        env.close()
    return outcome


def test_every_example_is_in_the_table() -> None:
    assert BLOCKS.keys() == EXAMPLES.keys()


@pytest.mark.parametrize("name", BLOCKS)
def test_an_example_has_at_most_eight_lines_besides_its_imports(name: str) -> None:
    lines = [line for line in BLOCKS[name].code.splitlines() if line.strip()]
    assert len([line for line in lines if not re.match("(import|from) ", line)]) <= MOST_LINES


def libraries_of(name: str) -> list[str]:
    return re.findall(r"^(?:import|from) (\w+)", BLOCKS[name].code, re.M)


@pytest.fixture(scope="module")
def _libraries() -> None:
    """Imports them all: some start threads then, or open sockets, which stay."""
    for library in {one for name in BLOCKS for one in libraries_of(name)}:
        with suppress(ImportError):
            importlib.import_module(library)


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.slow] * (name in WITH_TORCH)) for name in BLOCKS],
)
@pytest.mark.usefixtures("_libraries")
def test_the_outcome_is_the_same_with_and_without_recording(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for library in libraries_of(name):
        pytest.importorskip(library)
    with monkeypatch.context() as patched:
        patched.setitem(sys.modules, "playhead", WithoutPlayhead("playhead"))
        expected = outcome_of(name)
    assert not list(tmp_path.glob("*.mcap"))
    assert outcome_of(name) == expected
    with ph.open(tmp_path / f"{name}.mcap") as run:
        newest = run.span.newest
        assert {one.type for one in run.objects(newest)} == EXAMPLES[name].types
        # One more, if pictures were still being compressed at the end.
        assert newest - EXAMPLES[name].frames in (0, 1)
