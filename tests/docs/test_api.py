"""docs/api.md: every public name is in it, as its docstring says today."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

import playhead as ph

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("api_docs", ROOT / "tools" / "api_docs.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_public_name_method_and_property_has_a_docstring_and_a_group(tool):
    assert tool.faults() == []


def test_the_page_is_what_the_docstrings_say(tool):
    written = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    assert written == tool.page(), "`make docs` writes docs/api.md again"


def test_what_has_no_docstring_or_no_group_is_named(tool, monkeypatch):
    class Silent:
        def act(self) -> None: ...

    Silent.__module__ = "playhead.silent"
    monkeypatch.setattr(ph, "Mark", Silent)
    assert {"Mark: without a docstring", "Mark.act: without a docstring"} <= set(tool.faults())
    monkeypatch.setattr(ph, "__all__", [*ph.__all__, "Newcomer"])
    assert "Newcomer: in no group of tools/api_docs.py" in tool.faults()


def test_a_docstring_becomes_markdown(tool):
    doc = """Do it.

    More.

        code()

        more()

    Args:
        one: First,
            and more.
        two, three: Others.

    Returns:
        What was done.

    Raises:
        PlayheadError: it can't be done.
    """
    import inspect

    assert tool.described(inspect.cleandoc(doc)) == [
        "Do it.", "", "More.", "", "```python", "code()", "", "more()", "```", "",
        "Arguments:", "", "- `one`: First,", "  and more.", "- `two, three`: Others.", "",
        "Returns:", "", "What was done.", "",
        "Raises:", "", "- `PlayheadError`: it can't be done.",
    ]  # fmt: skip


def test_every_link_of_the_page_leads_to_a_heading(tool):
    import re

    text = tool.page()
    headings = {line.lstrip("# ").lower() for line in text.splitlines() if line.startswith("#")}
    assert set(re.findall(r"\]\(#([\w]+)\)", text)) <= headings
