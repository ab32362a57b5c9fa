"""`playhead doctor` tells the truth of this machine, and of machines that lack something."""

import json
import sys
from types import SimpleNamespace

import numpy
import pytest
from click.testing import CliRunner

from playhead.cli import doctor as cli
from playhead.cli.games.run import run
from playhead.cli.games.showcase import demo
from playhead.cli.recordings.view import view
from playhead.installation import EXTRAS, Extra

from ..support.process import run_process

WORKING = cli.Component("ring", True, "compiled")


@pytest.fixture
def one_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    """To import the libraries of all extras would take seconds, and some leave threads behind."""
    extras = {"doom": Extra(("no_such_module_anywhere",), "a game")}
    monkeypatch.setattr(cli, "EXTRAS", extras)


@pytest.mark.usefixtures("one_extra")
def test_a_working_core_exits_with_zero_whatever_extras_are_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cli, "look_at_ring", lambda: WORKING)
    shown = CliRunner().invoke(cli.doctor, ["--json"])
    assert shown.exit_code == 0, shown.output
    facts = json.loads(shown.output)
    assert facts["healthy"] is True
    assert facts["core"]["numpy"] == {"works": True, "detail": numpy.__version__, "fix": None}
    assert facts["extras"]["doom"]["works"] is False
    assert "no_such_module_anywhere" in facts["extras"]["doom"]["detail"]
    assert "[doom]" in facts["extras"]["doom"]["fix"]


@pytest.mark.usefixtures("one_extra")
def test_a_ring_that_does_not_load_exits_with_one_and_says_why(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cli, "RING", "playhead.native.no_such_ring")
    shown = CliRunner().invoke(cli.doctor)
    assert shown.exit_code == 1
    line = next(line for line in shown.output.splitlines() if "no_such_ring" in line)
    assert line.startswith("  --  ring ")
    assert "needs a C compiler" in shown.output


@pytest.mark.slow
def test_the_real_machine_is_described_by_a_real_process() -> None:
    script = "from playhead.cli.main import main; main(['doctor', '--json'])"
    shown = run_process(sys.executable, "-c", script, limit=120)
    facts = json.loads(shown.stdout)
    assert shown.returncode == (0 if facts["healthy"] else 1)
    assert facts["python"].split(".") == list(map(str, sys.version_info[:3]))
    assert set(facts["core"]) == {"numpy", "msgspec", "click", "zmq", "mcap", "lz4", "ring"}
    assert set(facts["extras"]) == set(EXTRAS)


def test_a_ring_that_loads_says_what_it_uses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, cli.RING, SimpleNamespace(features=lambda: "crc32 by SSE4.2"))
    assert cli.look_at_ring() == cli.Component("ring", True, "compiled; crc32 by SSE4.2")


def test_a_module_that_breaks_in_its_import_is_not_called_working(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(name: str) -> None:
        raise OSError("libGL.so.1: cannot open shared object file\nmore of it")

    monkeypatch.setattr("importlib.import_module", broken)
    part = cli.look_at_module("vizdoom")
    assert not part.works
    assert part.detail == "libGL.so.1: cannot open shared object file"


def test_wayland_is_named_before_x(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.delenv("QT_QPA_PLATFORM", raising=False)
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-0")
    display = cli.look_at_display()
    assert display.works
    assert display.detail == "WAYLAND_DISPLAY=wayland-0"


@pytest.mark.parametrize(
    ("found", "words"), [("/usr/bin/Xvfb", "Xvfb is here (/usr/bin/Xvfb)"), (None, "no Xvfb")]
)
def test_without_a_display_the_virtual_one_is_looked_for(
    found: str | None, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setattr("shutil.which", lambda name: found)
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    display = cli.look_at_display()
    assert not display.works
    assert words in display.detail
    assert "run and demo --headless, view --screenshot" in display.detail
    for command, option in ((run, "--headless"), (demo, "--headless"), (view, "--screenshot")):
        assert any(option in one.opts for one in command.params), "what it advises is there"
