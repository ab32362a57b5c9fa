"""`playhead clip`: what it says of clips, what it makes of them, and its exit codes."""

import csv
import json
import os
import random
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from playhead.games.arena.yard_game import ArenaGame
from playhead.recorder.checks.check_policy import UNATTENDED
from playhead.recorder.clips.clip_source import ClipSource
from playhead.recorder.clips.clip_writer import ClipAttachment
from playhead.recorder.clips.save_clip import save
from playhead.recorder.clips.verify_clip import verify
from playhead.recorder.recorder import Recorder
from playhead.recorder.statements.statement_messages import SetMark
from playhead.session import Session

from ...support.process import PLAYHEAD, Process

COMMANDS = ("info", "verify", "recover", "cut", "export")


@pytest.fixture
def clip(run_here) -> Callable[..., Any]:
    return lambda *args: run_here("clip", *args)


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
    assert "span      frames 1 … 300, 0.016667 … 5.000 s (4.98 s)" in done.out
    assert "mark      2.000 s, frame 120: half way" in done.out
    assert "file      level.json (application/json, 2 bytes)" in done.out
    assert "damage" not in done.out
    bad = damaged(run, tmp_path)
    bad.write_bytes(bad.read_bytes()[:-5000])
    result = clip("info", bad)
    assert result.code == 0
    assert "damage    byte" in result.out
    assert f"playhead clip recover {bad} OUT" in result.out


def test_verify_says_whether_every_byte_is_right(run, clip, tmp_path):
    done = clip("verify", run / "run.mcap")
    assert (done.code, done.err) == (0, "")
    assert "run.mcap: whole: 300 frames in " in done.out
    bad = damaged(run, tmp_path)
    result = clip("verify", bad)
    assert (result.code, result.err) == (1, "")
    assert "DAMAGED" in result.out
    assert "damage    byte" in result.out
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


def test_a_damaged_clip_is_rescued_and_what_is_lost_is_reported(run, clip, tmp_path):
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
    result = clip("recover", cut, tmp_path / "two.mcap")
    assert result.code == 0
    assert "is cut off" in result.out


def test_recover_exits_with_an_error_if_what_it_made_is_not_whole(run, clip, tmp_path, monkeypatch):
    from playhead.cli.recordings import clip_commands as module

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


@pytest.mark.slow
def test_a_trace_for_perfetto_and_parquet_files_are_exported(run, clip, tmp_path):
    pytest.importorskip("pyarrow")
    done = clip("export", "perfetto", run / "run.mcap", tmp_path / "out.json", "--to", "#5")
    assert done.code == 0
    assert json.loads((tmp_path / "out.json").read_text())["traceEvents"]
    done = clip("export", "parquet", run / "run.mcap", tmp_path / "out", "--json")
    assert done.code == 0
    files = {Path(one["path"]).name for one in done.facts["files"]}
    assert {"frames.parquet", "objects-guard.parquet"} <= files


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


def test_a_marks_long_name_takes_one_short_line_of_info(clip, tmp_path):
    recorder = Recorder("1 MiB")
    recorder.emit(SetMark("m" * 20_000))
    recorder.update([], 0.1)
    save(tmp_path / "long.mcap", recorder.ring)
    recorder.close()
    (line,) = (
        line for line in clip("info", tmp_path / "long.mcap").out.splitlines() if "mmm" in line
    )
    assert len(line) < 300
    assert line.endswith("m …")
    assert len(clip("info", tmp_path / "long.mcap", "--json").facts["marks"][0]["name"]) == 20_000


@pytest.mark.parametrize("command", ["info", "verify"])
def test_a_rings_file_is_no_clip_and_the_way_on_is_reported(run, clip, command):
    done = clip(command, run / "run.ring")
    assert done.code == 2
    assert "this is a ring's file" in done.err
    assert f"playhead clip recover {run / 'run.ring'} OUT.mcap" in done.err


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("info", "none.mcap"), "none.mcap: can't be read"),
        (("verify", "/etc/hostname"), "neither a ring's file nor a clip"),
        (("cut", "RUN", "x.mcap", "--from", "nowhere"), "'nowhere' is no time"),
        (("cut", "RUN", "x.mcap", "--from", "#301"), "the recording has the frames 1 to 300"),
        (("cut", "RUN", "x.mcap", "--from", "#9", "--to", "#4"), "ends before it begins"),
        (("cut", "RUN", "no/x.mcap"), "no/x.mcap: there is no folder"),
        (("export", "csv", "RUN", "no/x"), "no/x: there is no folder"),
        (("export", "foxglove", "RUN", "no/x.mcap"), "no/x.mcap: there is no folder"),
        (("recover", "RUN", "no/x.mcap"), "no/x.mcap: there is no folder"),
        (("export", "xml", "RUN", "x"), "'xml' is not one of"),
        (("info",), "Missing argument"),
        (("infos", "RUN"), "no command 'infos': did you mean 'info'?"),
        (("info", "folder"), "folder: this is a folder: name a clip or a ring in it"),
        (("info", "random.ring"), "random.ring: this is neither a ring's file nor a clip"),
        (("verify", "random.mcap"), "random.mcap: this is no clip"),
        (("cut", "empty.ring", "x.mcap"), "empty.ring: the file is empty"),
        (("info", "noframe.mcap"), "noframe.mcap: not one frame of this clip can be read"),
        (("cut", "noframe.mcap", "x.mcap"), "noframe.mcap: not one frame of this clip"),
        (("export", "csv", "noframe.mcap", "x"), "noframe.mcap: not one frame of this clip"),
        (("recover", "noframe.mcap", "x.mcap"), "noframe.mcap: no chunk of it is whole"),
        (("cut", "RUN", "x.mcap", "--from", "4", "--to", "3"), "--from 4: that is behind --to 3"),
        (("cut", "RUN", "x.mcap", "--from", "999"), "run.mcap ends at "),
        (("cut", "RUN", "x.mcap", "--to", "-9"), "run.mcap begins at "),
    ],
)
def test_a_mistake_is_reported_in_plain_lines_and_exits_with_two(
    run, clip, args, message, tmp_path
):
    whole = bytearray((run / "run.mcap").read_bytes())
    whole[200:-300] = bytes(byte ^ 0x5A for byte in whole[200:-300])
    (tmp_path / "noframe.mcap").write_bytes(whole)
    (tmp_path / "folder").mkdir()
    (tmp_path / "empty.ring").touch()
    for name in ("random.ring", "random.mcap"):
        (tmp_path / name).write_bytes(random.Random(7).randbytes(5000))
    done = clip(*(str(run / "run.mcap") if arg == "RUN" else arg for arg in args))
    assert (done.code, done.out) == (2, "")
    assert message in done.err
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
    with Process(
        PLAYHEAD, "clip", "cut", run / "run.mcap", tmp_path / "out.mcap", stderr=other
    ) as process:
        os.close(other)
        shown = ""
        with suppress(OSError):  # the other end is closed
            while part := os.read(main, 1 << 16):
                shown += part.decode()
        os.close(main)
        code, message, _ = process.end()
    assert code == 0
    assert "cutting" in shown
    assert "100%" in shown
    assert "%" not in message


def test_names_never_steer_the_terminal(clip, tmp_path):
    harm = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202ename\nplayhead: all is well"
    recorder = Recorder("1 MiB", about={"game": harm})
    recorder.watch(harm, 1.0)
    recorder.emit(SetMark(harm, note=harm))
    recorder.update([], 0.5)
    save(tmp_path / "x.mcap", recorder.ring, attachments=[ClipAttachment(harm, b"", harm)])
    recorder.close()
    cut = ("cut", "x.mcap", "y.mcap", "--from")
    for args in (
        ("info", "x.mcap"), ("verify", "x.mcap"), (*cut, harm), (*cut, "\x1b[2J"),
        ("info", "\x1b[2J"),
    ):  # fmt: skip
        done = clip(*args)
        for text in (done.out, done.err):
            assert not set("\x1b\x07\x9b\u202e").intersection(text)
            assert "\nplayhead: all is well" not in text
    assert "\\x1b]0;owned" in clip("info", "x.mcap").out
