"""The examples, run; and the code in the documents, run too."""

import importlib.util
import re
import struct
from pathlib import Path

import pytest

from playhead.handlers.check import check_handler
from playhead.recorder.layout import layout_of

ROOT = Path(__file__).parents[2]


def test_the_patrol_example_catches_its_guard_and_puts_it_back():
    spec = importlib.util.spec_from_file_location("patrol", ROOT / "examples/patrol.py")
    assert spec is not None
    assert spec.loader is not None
    patrol = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(patrol)
    failed, before, why, resumed = patrol.main()
    assert failed.startswith("a guard stays at its post")
    assert before.endswith("patrol")
    assert why == "patrol → wander because bored"
    assert resumed.removeprefix("resumed: ") == failed.partition(": ")[2]


def test_the_handler_in_the_documents_keeps_the_contract():
    text = (ROOT / "docs/recording.md").read_text(encoding="utf-8")
    code = next(block for block in blocks(text) if "class DoorHandler" in block)
    names: dict = {"layout_of": layout_of, "struct": struct}
    exec(code, names)

    class Door:
        def __init__(self) -> None:
            self.position, self.angle, self.locked = (1.0, 2.0, 0.0), 0.75, True

    packet = check_handler(names["DoorHandler"](), Door())
    assert names["DoorHandler"].layout.decode(packet.payload) == {"angle": 0.75, "locked": True}


@pytest.mark.parametrize("document", ["README.md", "docs/recording.md"])
def test_what_the_documents_show_is_python(document):
    text = (ROOT / document).read_text(encoding="utf-8")
    assert blocks(text)
    for block in blocks(text):
        compile(block, document, "exec")


def test_every_file_that_the_documents_link_to_exists():
    for document in ("README.md", "ARCHITECTURE.md", "docs/ring.md", "docs/recording.md"):
        text = (ROOT / document).read_text(encoding="utf-8")
        for target in re.findall(r"\]\((?!http)([^)#]+)\)", text):
            assert ((ROOT / document).parent / target).exists(), f"{document}: {target}"


def blocks(text: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", text, re.DOTALL)
