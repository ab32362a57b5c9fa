"""The thread that reads: requests in, updates out."""

import pytest

from playhead.games.arena.adventure.adventure_game import AdventureGame
from playhead.playback.commands import Play, SeekFrame, SeekMark, SeekTime
from playhead.playback.playback_state import Mode
from playhead.recorder.clips.clip_source import ClipSource
from playhead.recorder.packets.packet_types import Kind
from playhead.recorder.packets.trace_types import StateTransition
from playhead.session import Session
from playhead.viewer.backends.playback_backend import LinkState
from playhead.viewer.reader.history.recording_history import RecordingHistory
from playhead.viewer.search.field_change_search import ChangeSearch

pytest.importorskip("PyQt6.QtWidgets", exc_type=ImportError)


class Listener:
    """Takes update as a window would."""

    def __init__(self, reader) -> None:
        self.reader = reader
        self.history = RecordingHistory()
        self.snapshots, self.messages = [], []
        self.progress = 0.0
        self.playback = self.backend_state = self.error_text = None
        self.surroundings = {}

    def take(self) -> "Listener":
        update = self.reader.take()
        for begun in update.initial_states:
            self.history.begin(*begun)
        for page in update.pages:
            self.history.put(page)
        if update.snapshot is not None:
            self.snapshots.append(update.snapshot)
        self.messages += update.messages
        self.progress = update.progress or self.progress
        self.playback = update.playback or self.playback
        self.backend_state = update.backend_state or self.backend_state
        self.error_text = update.error_text or self.error_text
        if update.surroundings is not None:
            self.surroundings = update.surroundings
        return self


@pytest.fixture
def listen(reader):
    return lambda text: Listener(reader(text))


def test_a_recording_is_read_from_end_to_end(listen, clip, until):
    one = listen(clip)
    until(lambda: one.take().progress >= 1.0)
    assert len(one.history) == 256
    assert [change.frame for change in one.history.changes[1, "guard"]] == [1, 64, 128, 192, 256]


def test_the_shown_frame_is_read_before_the_rest(listen, clip, until):
    one = listen(clip)
    until(lambda: one.take().snapshots)
    assert one.snapshots[0].frame == 160


def test_a_gap_is_gone_over(listen, gapped, until):
    one = listen(gapped)
    until(lambda: one.take().progress >= 1.0)
    assert len(one.history) == 176
    changes = one.history.changes[1, "guard"]
    # The state that began at 128, in the gap, is known from its end on.
    assert [(one.frame, one.trace.target) for one in changes] == [
        (1, "Patrol"), (64, "Chase"), (181, "Patrol"), (192, "Chase"), (256, "Patrol"),
    ]  # fmt: skip


def test_of_many_seeks_the_newest_counts(clip):
    from playhead.viewer.backends.open_target import target_of
    from playhead.viewer.reader.reader_thread import ReaderThread

    reader = ReaderThread(target_of(str(clip)), lambda: None)
    applied = []
    for frame in range(1, 100):
        reader.send(SeekFrame(frame))
    reader.send(SeekTime(2.0))

    class Deck:
        def apply(self, command):
            applied.append(command)

    reader._carry_out(Deck())
    reader.close()
    assert applied == [SeekTime(2.0)]


def test_what_can_t_be_done_is_reported(listen, clip, until):
    one = listen(clip)
    one.reader.send(SeekMark("heer"))
    until(lambda: one.take().messages)
    assert "did you mean 'here'" in one.messages[0]


def test_playing_moves_by_itself(listen, clip, until):
    one = listen(clip)
    one.reader.send(SeekFrame(1))
    one.reader.send(Play(8.0))
    until(lambda: one.take().playback is not None and one.playback.frame == 256)
    until(lambda: one.take().playback.mode is Mode.PAUSED)


def test_what_surrounds_the_playhead_is_read_for_the_selected_object(listen, clip, until):
    one = listen(clip)
    one.reader.select(1)
    until(lambda: len(one.take().surroundings) == 256)
    assert one.surroundings[64].numbers["hp"] == 90.0
    assert one.surroundings[63].numbers["hp"] == 100.0


def test_a_search_leads_to_the_change(listen, clip, until):
    one = listen(clip)
    one.reader.search(ChangeSearch(1, "hp", 100, 1))
    until(lambda: one.take().snapshots and one.snapshots[-1].frame == 128)
    one.reader.search(ChangeSearch(1, "skeleton", 100, 1))
    until(lambda: one.take().messages)
    assert one.messages == ["skeleton does not change any more in that direction"]


def test_a_file_that_can_t_be_read_says_so(listen, tmp_path, until):
    path = tmp_path / "broken.mcap"
    path.write_bytes(b"\x89MCAP0\r\n nothing of use")
    one = listen(path)
    until(lambda: one.take().backend_state is not None)
    assert one.backend_state.link is LinkState.UNREADABLE
    assert "broken.mcap" in one.backend_state.error_text


def test_a_game_that_is_not_there_is_waited_for(listen, until):
    one = listen("127.0.0.1:1")
    until(lambda: one.take().backend_state is not None)
    assert one.backend_state.link is LinkState.NOTHING


def test_a_mistake_is_reported_and_the_thread_lives_on(listen, clip, until, monkeypatch):
    from playhead.viewer.backends.playback_backend import FileBackend

    one = listen(clip)
    until(lambda: one.take().progress >= 1.0)
    monkeypatch.setattr(FileBackend, "update", lambda self: 1 / 0)
    until(lambda: one.take().messages)
    assert "division by zero" in one.messages[0]
    monkeypatch.undo()
    one.reader.send(SeekFrame(3))
    until(lambda: one.take().snapshots[-1].frame == 3)


def test_a_replay_from_a_saved_game_is_in_its_newest_state_from_its_first_frame_on(
    listen, tmp_path, until
):
    """Loading puts the pad from the title to the game in one frame, the first one recorded."""
    saved, path = tmp_path / "game.save", tmp_path / "replay.mcap"
    with AdventureGame("village", title=False) as game:
        game.save(saved)
    with (
        AdventureGame("village") as game,
        Session(game.world, "16 MiB", handlers=game.handlers) as session,
    ):
        game.attach(session)
        game.step()
        game.load(saved)
        for _ in range(30):
            game.step()
            session.update(game.dt)
        session.save(path)
    one = listen(path)
    until(lambda: one.take().progress >= 1.0)
    (key,) = [key for key in one.history.changes if key[1] == "pad"]
    with ClipSource.open(path) as source:
        for frame in range(1, source.span.newest + 1):
            held = source.latched(frame, key[0], Kind.STATE, "pad")
            assert one.history.changes_until(key, frame, 1)[0].trace == held, frame
        results = [trace for _, trace in source.traces(1) if isinstance(trace, StateTransition)]
        assert [trace.target for trace in results] == ["title", "play"]
