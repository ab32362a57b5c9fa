"""The examples, run; and the code in the documents, run too."""

import re
from operator import attrgetter
from pathlib import Path

import pytest

import playhead as ph

ROOT = Path(__file__).parents[2]


def test_the_patrol_example_catches_its_guard_and_puts_it_back(load_example):
    failed, before, why, resumed = load_example("patrol").main()
    assert failed.startswith("a guard stays at its post")
    assert before.endswith("patrol")
    assert why == "patrol → wander because bored"
    assert resumed.removeprefix("resumed: ") == failed.partition(": ")[2]


def test_the_handler_in_the_documents_keeps_the_contract():
    text = (ROOT / "docs/recording.md").read_text(encoding="utf-8")
    code = next(block for block in blocks(text) if "class DoorHandler" in block)
    names: dict = {}
    exec(code, names)

    class Door:
        def __init__(self) -> None:
            self.position, self.angle, self.locked = (1.0, 2.0, 0.0), 0.75, True

    packet = ph.check_handler(names["DoorHandler"](), Door())
    assert names["DoorHandler"].layout.decode(packet.payload) == {"angle": 0.75, "locked": True}


def test_every_name_of_the_documents_and_examples_is_public():
    for path in (ROOT / "README.md", *ROOT.glob("docs/*.md"), *ROOT.glob("examples/*.py")):
        text = path.read_text(encoding="utf-8")
        for name in re.findall(r"\bph\.((?:commands\.|errors\.)?[A-Za-z_]\w*)", text):
            assert attrgetter(name)(ph), f"{path.name}: ph.{name}"


def test_examples_import_nothing_from_deeper_than_games_and_agents():
    for path in ROOT.glob("examples/*.py"):
        modules = re.findall(r"^from (playhead\S*)|^import (playhead\S*)", path.read_text(), re.M)
        assert modules, path.name
        for module in (one or other for one, other in modules):
            is_for_all = module in ("playhead", "playhead.plans", "playhead.behaviour_trees")
            assert is_for_all or module.startswith(("playhead.games.", "playhead.agents."))


@pytest.mark.parametrize("document", ["README.md", "docs/recording.md", "docs/arena.md"])
def test_what_the_documents_show_is_python(document):
    text = (ROOT / document).read_text(encoding="utf-8")
    assert blocks(text)
    for block in blocks(text):
        compile(block, document, "exec")


def test_every_file_that_the_documents_link_to_exists():
    for document in (
        "README.md",
        "ARCHITECTURE.md",
        "docs/ring.md",
        "docs/recording.md",
        "docs/arena.md",
    ):
        text = (ROOT / document).read_text(encoding="utf-8")
        for target in re.findall(r"\]\((?!http)([^)#]+)\)", text):
            assert ((ROOT / document).parent / target).exists(), f"{document}: {target}"


def blocks(text: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", text, re.DOTALL)
