"""What somebody typed: a clip, a ring, or an address."""

import pytest

from playhead.errors import CommandError, DamagedError
from playhead.playback.commands import Leave, SeekFrame
from playhead.playback.playback_state import Mode
from playhead.viewer.backends.open_target import is_same, open_file, target_of
from playhead.viewer.backends.playback_backend import LinkState

from ..yard import FAILS


def test_a_clip_opens_where_a_check_failed_first(clip):
    backend = target_of(str(clip)).open()
    assert (backend.state.frame, backend.state.mode) == (FAILS, Mode.PAUSED)
    assert backend.backend_state.link is LinkState.FILE
    backend.close()


def test_a_clip_has_no_game_to_be_let_go(clip):
    backend = open_file(clip)
    assert backend.apply(Leave()).frame == 256
    assert backend.state.mode is Mode.PAUSED
    backend.close()


def test_the_newest_end_of_a_ring_can_be_followed(ring):
    backend = open_file(ring)
    assert backend.backend_state.link is LinkState.GROWING
    backend.apply(SeekFrame(200))
    shown = backend.apply(Leave())
    assert (shown.mode, shown.frame) == (Mode.LIVE, 256)
    backend.close()


@pytest.mark.parametrize("text", ["missing.mcap", "/nowhere/game.ring", "what is this", "a:b:c"])
def test_what_is_nothing_is_refused_with_its_name(text):
    with pytest.raises(CommandError, match=text):
        target_of(text)


@pytest.mark.parametrize(
    ("text", "title"),
    [(None, "tcp://127.0.0.1:5670"), ("5671", "tcp://127.0.0.1:5671"),
     ("tcp://10.0.0.5:5670", "tcp://10.0.0.5:5670")],
)  # fmt: skip
def test_addresses_wait_for_their_game(text, title):
    target = target_of(text)
    assert (target.title, target.waits) == (title, True)


def test_files_that_are_neither_are_damaged(tmp_path):
    other = tmp_path / "notes.txt"
    other.write_text("hello")
    with pytest.raises(DamagedError, match="neither a clip nor a ring"):
        target_of(str(other)).open()


def test_what_is_missing_at_the_end_of_a_clip_is_reported_in_words(clip, tmp_path):
    cut = tmp_path / "cut.mcap"
    cut.write_bytes(clip.read_bytes()[:-5000])
    backend = target_of(str(cut)).open()
    try:
        assert backend.backend_state.error_text.startswith("The file is cut off or damaged: ")
        assert "What could be saved goes to 00:0" in backend.backend_state.error_text
    finally:
        backend.close()


def test_a_target_says_where_it_is_for_links(clip, monkeypatch):
    monkeypatch.chdir(clip.parent)
    assert target_of(clip.name).location == str(clip)
    assert target_of("5671").location == "tcp://127.0.0.1:5671"


def test_one_file_has_many_names(clip, tmp_path):
    other = tmp_path / "other.mcap"
    other.symlink_to(clip)
    assert is_same(str(clip), str(other))
    assert is_same("tcp://127.0.0.1:1", "tcp://127.0.0.1:1")
    assert not is_same("tcp://127.0.0.1:1", str(clip))
    assert not is_same(str(clip), str(tmp_path / "none.mcap"))


def test_a_check_that_fails_in_a_game_that_writes_a_ring_is_reported(tmp_path):
    from playhead.recorder.checks.check_policy import UNATTENDED
    from playhead.session import Session

    from ..yard import handlers, make_yard, record

    world, path = make_yard(), tmp_path / "game.ring"
    with Session(
        world, "2 MiB", handlers=handlers(), path=path, on_check=UNATTENDED
    ) as session:  # fmt: skip
        record(session, world, 100)
        backend = open_file(path)
        backend.marks()
        assert backend.failed_checks() == []
        record(session, world, 100)
        backend.marks()
        (reported,) = backend.failed_checks()
        failed = reported.violation
        assert (failed.frame, failed.object, reported.is_paused) == (FAILS, 2, False)
        assert failed.file.endswith("yard.py")
        backend.marks()
        assert backend.failed_checks() == []
        backend.close()
