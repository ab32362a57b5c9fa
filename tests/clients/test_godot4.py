"""The client for Godot 4: every script is GDScript 2, and it has all that the tested one has."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
GODOT_3, GODOT_4 = (ROOT / "clients" / name / "playhead" for name in ("godot", "godot4"))
SCRIPTS = sorted(path.name for path in GODOT_3.glob("*.gd"))
GONE = re.compile(
    r"\b(Pool\w+Array|Reference|Spatial|KinematicBody(2D)?|RigidBody|StaticBody|Quat|setget|yield"
    r"|onready var|export var|funcref|OS\.get_ticks\w*|deg2rad|rad2deg|TYPE_REAL|pause_mode"
    r"|to_utf8\(|xform\(|subarray\(|trait|get_camera\(|PhysicsServer|Physics2DServer)(?!\w)"
)
"""What Godot 4 has no more, or not under this name."""


def functions(path: Path) -> dict[str, list[str]]:
    """The functions of a script that other scripts may call, and their parameters."""
    text = re.sub(r"\(\s*\n\s*", "(", path.read_text())
    found = re.findall(r"^(?:static )?func ([a-z]\w*)\((.*?)\)(?: ->|:)", text, re.M | re.S)
    return {
        name: [one.split(":")[0].split("=")[0].strip() for one in parameters.split(",")]
        for name, parameters in found
    }


def test_both_clients_have_the_same_scripts():
    assert sorted(path.name for path in GODOT_4.glob("*.gd")) == SCRIPTS


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_is_gdscript_2(name):
    parser = pytest.importorskip("gdtoolkit.parser").parser
    parser.parse((GODOT_4 / name).read_text(), gather_metadata=False)


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_uses_nothing_that_godot_4_has_no_more(name):
    code = "\n".join(line.partition("#")[0] for line in (GODOT_4 / name).read_text().splitlines())
    assert GONE.findall(code) == []


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_offers_what_the_one_for_godot_3_does(name):
    assert functions(GODOT_4 / name) == functions(GODOT_3 / name)


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_says_the_same_on_the_wire(name):
    """Requests, keys and formats are texts, and are the same in both."""

    def texts(path: Path) -> set[str]:
        return set(re.findall(r'"((?:[^"\\]|\\.)*)"', path.read_text()))

    added = texts(GODOT_4 / name) - texts(GODOT_3 / name)
    lost = texts(GODOT_3 / name) - texts(GODOT_4 / name)
    for text in added | lost:
        assert not re.match(r"^(do|is|ask|[<|][a-z]\d|\?)$", text)
    if name in ("statements.gd", "frame_writer.gd", "packet_format.gd", "pads.gd", "drawing.gd"):
        assert added == lost == set()
