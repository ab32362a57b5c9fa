"""`playhead clip`: what it says of clips, what it makes of them, and its exit codes."""

import csv
import json
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from playhead.cli import main as cli
from playhead.games.arena.game import ArenaGame
from playhead.recorder.checks import UNATTENDED
from playhead.recorder.clips.source import ClipSource
from playhead.recorder.clips.verify import verify
from playhead.session import Session

PLAYHEAD = Path(sys.executable).parent / "playhead"
COMMANDS = ("info", "verify", "recover", "cut", "export")


class Done(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def facts(self) -> Any:
        return json.loads(self.out)


@pytest.fixture
def clip(capsys: pytest.CaptureFixture[str]) -> Callable[..., Done]:
    def run(*args: str | Path) -> Done:
        with pytest.raises(SystemExit) as exit:
            cli.main(["clip", *map(str, args)])
        shown = capsys.readouterr()
        return Done(exit.value.code, shown.out, shown.err)

    return run


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Five seconds of the arena, with a mark at frame 120, as a clip and as a ring's file."""
    folder = tmp_path_factory.mktemp("run")
    with (
        ArenaGame(seed=3) as game,
        Session(
            game.world, "8 MiB", handlers=game.handlers, path=folder / "run.ring",
            about=game.about, on_check=UNATTENDED,
        ) as session,
    ):  # fmt: skip
        game.attach(session)
        for frame in range(1, 301):
            game.step()
            if frame == 120:
                session.mark("half way", "a note")
            session.update(game.dt)
        session.attach("level.json", b"{}", "application/json")
        session.save(folder / "run.mcap")
    return folder


def damaged(run: Path, folder: Path) -> Path:
    """The clip with a broken byte in its middle."""
    data = bytearray((run / "run.mcap").read_bytes())
    data[len(data) // 2] ^= 1
    (folder / "bad.mcap").write_bytes(data)
    return folder / "bad.mcap"


# --- info and verify --------------------------------------------------------------------------


def test_info_has_the_promised_facts(run, clip):
    done = clip("info", run / "run.mcap", "--json")
    assert (done.code, done.err) == (0, "")
    facts = done.facts
    assert {
        "frames", "span", "objects", "agents", "marks", "asserts", "metadata", "bytes", "complete",
    } <= facts.keys()  # fmt: skip
    assert facts["frames"] == 300
    assert (facts["span"]["oldest"], facts["span"]["newest"]) == (1, 300)
    assert facts["span"]["seconds"] == pytest.approx(299 / 60)
    assert {row["type"] for row in facts["objects"]} >= {"guard", "player", "camera"}
    assert [mark["name"] for mark in facts["marks"]] == ["half way"]
    assert facts["metadata"]["about"]["game"] == "arena:yard"
    assert facts["complete"]
    assert facts["path"] == str(run / "run.mcap")


def test_info_reads_well(run, clip, tmp_path):
    done = clip("info", run / "run.mcap")
    assert (done.code, done.err) == (0, "")
    assert "300 frames" in done.out
    assert "span      frames 1 … 300, 0.017 … 5.000 s (5.0 s)" in done.out
    assert "mark      2.000 s, frame 120: half way" in done.out
    assert "file      level.json (application/json, 2 bytes)" in done.out
    assert "damage" not in done.out
    bad = damaged(run, tmp_path)
    bad.write_bytes(bad.read_bytes()[:-5000])
    told = clip("info", bad)
    assert told.code == 0
    assert "damage    byte" in told.out
    assert f"playhead clip recover {bad} OUT" in told.out


def test_verify_says_whether_every_byte_is_right(run, clip, tmp_path):
    done = clip("verify", run / "run.mcap")
    assert (done.code, done.err) == (0, "")
    assert "run.mcap: whole: 300 frames in " in done.out
    bad = damaged(run, tmp_path)
    told = clip("verify", bad)
    assert (told.code, told.err) == (1, "")
    assert "DAMAGED" in told.out
    assert "damage    byte" in told.out
    assert (clip("verify", run / "run.mcap", "--json").facts["ok"]) is True
    facts = clip("verify", bad, "--json")
    assert facts.code == 1
    assert facts.facts["ok"] is False
    assert {"offset", "bytes", "what"} <= facts.facts["problems"][0].keys()


# --- recover ----------------------------------------------------------------------------------


def test_a_rings_file_becomes_a_clip(run, clip, tmp_path):
    done = clip("recover", run / "run.ring", tmp_path / "out.mcap")
    assert (done.code, done.err) == (0, "")
    assert "300 frames are in" in done.out
    assert "lost      0 frames" in done.out
    assert "checked   every byte: it is whole" in done.out
    with ClipSource.open(tmp_path / "out.mcap") as new, ClipSource.open(run / "run.mcap") as old:
        assert new.span == old.span
        assert new.packets(77) == old.packets(77)


def test_a_damaged_clip_is_rescued_and_what_is_lost_is_told(run, clip, tmp_path):
    bad = damaged(run, tmp_path)
    done = clip("recover", bad, tmp_path / "out.mcap", "--json")
    assert (done.code, done.err) == (0, "")
    facts = done.facts
    assert facts["verified"] is True
    assert facts["frames"] + facts["lost"] == 300
    assert facts["lost"] == sum(gap["last"] - gap["first"] + 1 for gap in facts["gaps"]) > 0
    assert verify(tmp_path / "out.mcap").ok
    cut = tmp_path / "cut.mcap"
    cut.write_bytes((run / "run.mcap").read_bytes()[:600_000])
    told = clip("recover", cut, tmp_path / "two.mcap")
    assert told.code == 0
    assert "is cut off" in told.out


def test_recover_exits_with_an_error_if_what_it_made_is_not_whole(run, clip, tmp_path, monkeypatch):
    from playhead.cli import clip as module

    real = module.verify

    def look(path: Path, *rest: Any) -> Any:
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 1
        path.write_bytes(data)
        return real(path, *rest)

    monkeypatch.setattr(module, "verify", look)
    done = clip("recover", run / "run.ring", tmp_path / "out.mcap")
    assert done.code == 1
    assert "IT IS NOT WHOLE" in done.out


def test_nothing_to_recover_is_an_error(clip, tmp_path):
    (tmp_path / "x.mcap").write_bytes(b"nonsense" * 100)
    done = clip("recover", tmp_path / "x.mcap", tmp_path / "out.mcap", "--json")
    assert done.code == 2
    assert done.facts["error"]["kind"] == "damaged"
    assert not (tmp_path / "out.mcap").exists()


# --- cut and export ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ends", "span"),
    [
        (("--from", "2", "--to", "3"), (120, 180)),
        (("--from", "#10", "--to", "#20"), (10, 20)),
        (("--from", "half way"), (120, 300)),
        (("--to", "half way"), (1, 120)),
        (("--from", "-5", "--to", "1e9"), (1, 300)),
    ],
)
def test_a_stretch_is_cut_by_times_frames_and_marks(run, clip, tmp_path, ends, span):
    done = clip("cut", run / "run.mcap", tmp_path / "out.mcap", *ends, "--json")
    assert (done.code, done.err) == (0, "")
    assert done.facts["frames"] == span[1] - span[0] + 1
    assert verify(tmp_path / "out.mcap").ok
    with ClipSource.open(tmp_path / "out.mcap") as source:
        assert (source.span.oldest, source.span.newest) == span
        assert source.clip.attachment("level.json") == b"{}"


def test_tables_are_exported_into_a_folder(run, clip, tmp_path):
    done = clip("export", "csv", run / "run.mcap", tmp_path / "out", "--from", "#5", "--to", "#9")
    assert (done.code, done.err) == (0, "")
    files = {Path(line.split(":")[0]).name for line in done.out.splitlines()}
    assert files == {path.name for path in (tmp_path / "out").iterdir()}
    assert {"objects-guard.csv", "frames.csv", "traces.csv"} <= files
    with (tmp_path / "out" / "frames.csv").open() as file:
        assert [row["frame"] for row in csv.DictReader(file)] == ["5", "6", "7", "8", "9"]


def test_a_file_for_foxglove_is_exported(run, clip, tmp_path):
    done = clip(
        "export", "foxglove", run / "run.mcap", tmp_path / "out.mcap", "--to", "#5", "--json"
    )
    assert (done.code, done.err) == (0, "")
    (file,) = done.facts["files"]
    assert file["bytes"] == (tmp_path / "out.mcap").stat().st_size > 1000


# --- errors -----------------------------------------------------------------------------------


def test_what_is_there_is_replaced_only_by_force(run, clip, tmp_path):
    out = tmp_path / "out.mcap"
    commands = (
        ("recover", run / "run.ring", out),
        ("cut", run / "run.mcap", out),
        ("export", "foxglove", run / "run.mcap", out, "--to", "#3"),
    )
    for command in commands:
        out.write_text("precious")
        done = clip(*command)
        assert done.code == 2
        assert "out.mcap: this is there already: give another name, or say --force" in done.err
        assert out.read_text() == "precious"
        assert clip(*command, "--force").code == 0
        assert out.read_bytes()[:5] == b"\x89MCAP"
    out.unlink()
    out.mkdir()
    (out / "precious").touch()
    assert clip("export", "csv", run / "run.mcap", out, "--to", "#3").code == 2
    assert (out / "precious").exists()


@pytest.mark.parametrize("command", ["info", "verify"])
def test_a_rings_file_is_no_clip_and_the_way_on_is_told(run, clip, command):
    done = clip(command, run / "run.ring")
    assert done.code == 2
    assert "this is a ring's file" in done.err
    assert f"playhead clip recover {run / 'run.ring'} OUT.mcap" in done.err


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("info", "none.mcap"), "none.mcap: can't be read"),
        (("verify", "/etc/hostname"), "neither a ring's file nor a clip"),
        (("cut", "RUN", "x.mcap", "--from", "nowhere"), "'nowhere' is no time"),
        (("cut", "RUN", "x.mcap", "--from", "#301"), "there are the frames 1 to 300"),
        (("cut", "RUN", "x.mcap", "--from", "#9", "--to", "#4"), "ends before it begins"),
        (("cut", "RUN", "no/x.mcap"), "no clip can be made here"),
        (("export", "csv", "RUN", "no/x"), "can't be written"),
        (("export", "xml", "RUN", "x"), "'xml' is not one of"),
        (("info",), "Missing argument"),
    ],
)
def test_a_mistake_is_told_in_plain_lines_and_exits_with_two(run, clip, args, said):
    done = clip(*(str(run / "run.mcap") if arg == "RUN" else arg for arg in args))
    assert (done.code, done.out) == (2, "")
    assert said in done.err
    assert 1 <= len(done.err.splitlines()) <= 2


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_has_its_own_help_with_an_example(clip, name):
    done = clip(name, "--help")
    assert done.code == 0
    assert f"playhead clip {name}" in done.out.partition("Example:")[2]


@pytest.mark.skipif(sys.platform != "linux", reason="needs a terminal of its own")
def test_a_bar_shows_on_a_terminal_and_nowhere_else(run, tmp_path):
    import pty

    main, other = pty.openpty()
    with subprocess.Popen(
        [PLAYHEAD, "clip", "cut", run / "run.mcap", tmp_path / "out.mcap"],
        stdout=subprocess.PIPE, stderr=other,
    ) as process:  # fmt: skip
        os.close(other)
        shown = ""
        with suppress(OSError):  # the other end is closed
            while part := os.read(main, 1 << 16):
                shown += part.decode()
        os.close(main)
        said, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    assert "cutting" in shown
    assert "100%" in shown
    assert "%" not in said.decode()
