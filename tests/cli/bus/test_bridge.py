"""`playhead bridge`: its options and its errors; what the bridges show is tested with them."""

import sys

import pytest

from playhead.cli import main as cli


def bridge(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, str]:
    with pytest.raises(SystemExit) as exit:
        cli.main(["bridge", *args])
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "Traceback" not in shown.err
    return exit.value.code, shown.err


def test_plotjuggler_says_where_it_is_to_connect_and_ends_when_told(played, capsys):
    code, message = bridge(
        capsys, "plotjuggler", played().endpoint, "--bind", "127.0.0.1:*", "--seconds", "0.1"
    )
    assert code == 0
    assert message.startswith("for PlotJuggler's ZMQ Subscriber: tcp://127.0.0.1:")


def test_mistakes_are_reported_in_plain_lines(played, capsys):
    endpoint = played().endpoint
    for args, result in (
        ((), "Missing command"),
        (("blender", "5670"), "no command 'blender'"),
        (("plotjuggler",), "Missing argument 'ENDPOINT'"),
        (("plotjuggler", "no where"), "address 'no where'"),
        (("plotjuggler", endpoint, "--bind", "what is this"), "address 'what is this'"),
        (("plotjuggler", endpoint, "--bind", endpoint), "give another address"),
        (("plotjuggler", endpoint, "--keys", "a.key_secret"), "a locked service takes both"),
    ):
        code, message = bridge(capsys, *args)
        assert code == 2
        assert result in message, args


@pytest.mark.parametrize("kind", ["rerun", "foxglove"])
def test_a_missing_package_is_named_with_the_line_that_installs_it(
    played, capsys, monkeypatch, kind
):
    for name in tuple(sys.modules):  # another test may have imported it, and the bridge with it
        if name.partition(".")[0] == kind or name.startswith("playhead.bus.bridges."):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "meta_path", [Missing(kind), *sys.meta_path])
    code, message = bridge(capsys, kind, played().endpoint)
    assert code == 2
    needs, line = message.splitlines()
    assert needs == f"playhead: this needs {kind}, which is not installed"
    assert "[bridges]" in line


class Missing:
    """A package that is not there."""

    def __init__(self, module: str) -> None:
        self._module = module

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        if name.partition(".")[0] == self._module:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
