"""What was read of a game that is gone."""

import contextlib

import pytest

from playhead.errors import BusError, EvictedError
from playhead.playback.commands import Play, SeekFrame, SeekMark, SeekTime, Step
from playhead.playback.playhead import Playhead
from playhead.viewer.backends.live_backend import LiveBackend
from playhead.viewer.backends.open_target import open_file
from playhead.viewer.backends.playback_backend import frame_page
from playhead.viewer.backends.remote_frame_cache import CachedFrames, CachedSource, CachingSource
from playhead.viewer.reader.frame_snapshot import SnapshotReader


@pytest.fixture
def source(ring):
    backend = open_file(ring)
    yield backend.source
    backend.close()


def kept_of(source, *frames) -> CachedFrames:
    cache = CachedFrames()
    raw = source._frames
    for frame in frames:
        cache.put(frame, _image(source, frame), raw.latched_all(frame))
    return cache


def _image(source, frame) -> bytes:
    return bytes(source.ring.image(frame))


EVERY_OTHER = range(101, 200, 2)


def test_a_cached_frame_reads_as_it_did(source):
    cache = CachedSource(kept_of(source, *EVERY_OTHER), list(source.marks()))
    one, other = SnapshotReader(cache).read(151), SnapshotReader(source).read(151)
    assert set(one.objects) == set(other.objects)
    assert one.objects[1].packet == other.objects[1].packet
    assert one.states == other.states
    assert one.watches == other.watches
    assert frame_page(cache, 151).lines == frame_page(source, 151).lines


def test_the_playhead_passes_over_what_is_missing(source):
    cache = CachedSource(kept_of(source, *EVERY_OTHER), list(source.marks()))
    now = 0.0
    playhead = Playhead(cache, clock=lambda: now)
    assert playhead.apply(SeekFrame(150)).frame == 149
    assert playhead.apply(Step(2)).frame == 153
    assert playhead.apply(Step(-1)).frame == 151
    assert playhead.apply(SeekFrame(500)).frame == 199
    assert playhead.apply(Step(3)).frame == 199
    assert playhead.apply(SeekTime(0.0)).frame == 101
    assert playhead.apply(SeekMark("here")).frame == 119
    playhead.apply(SeekFrame(101))
    playhead.apply(Play(1.0))
    playhead.update()
    now = 0.5  # half a second of the game, though half of its frames are missing
    assert playhead.update().frame == 133


def test_no_more_is_kept_than_there_is_room_for(source):
    whole = kept_of(source, *range(1, 60))
    size = whole._bytes
    small = CachedFrames(size // 4)
    for frame in range(1, 60):
        small.put(frame, _image(source, frame), source._frames.latched_all(frame))
    assert small._bytes <= size // 4
    assert small.ids[-1] == 59
    assert small.ids == list(range(small.ids[0], 60))
    with pytest.raises(EvictedError, match="frame 1 "):
        small.packets(1)


def test_what_is_shown_live_is_kept_and_can_be_scrubbed_when_the_game_is_gone(live):
    game = live()
    backend = LiveBackend(game.endpoint)
    try:
        reader = SnapshotReader(backend.source)
        frames = []
        while len(frames) < 8:
            backend.update()
            newest = backend.source.span
            if newest is not None and newest.newest not in frames:
                frames.append(reader.read(newest.newest).frame)
        assert isinstance(backend.source, CachingSource)
        game.close()
        while not backend.backend_state.since:
            with contextlib.suppress(BusError):  # until it is sure that nobody answers
                backend.update()
        assert isinstance(backend.source, CachedSource)
        assert backend.state.frame == frames[-1]
        assert backend.apply(SeekFrame(frames[2])).frame == frames[2]
        assert SnapshotReader(backend.source).read(frames[2]).objects
    finally:
        backend.close()
