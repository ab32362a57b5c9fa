"""Scrubbing a clip with a gap: what was never copied is stepped over, and never shown."""

from pathlib import Path

import pytest

from playhead.native.ring import FrameRing
from playhead.playback.commands import Enter, Play, SeekFrame, SeekTime, Step
from playhead.playback.playhead import Playhead
from playhead.recorder.clips.clip_source import ClipSource
from playhead.recorder.clips.clip_writer import ClipWriter
from playhead.recorder.recorder import Recorder


@pytest.fixture
def gapped(tmp_path: Path) -> ClipSource:
    """Frames 1 to 5 and 9 to 12, a tenth of a second each."""
    recorder = Recorder("1 MiB")
    for number in range(1, 13):
        recorder.update([], 0.1, number / 10)
    path = tmp_path / "gap.mcap"
    with ClipWriter(path) as writer:
        writer.copy(recorder.source.ring, 1, 5)
        writer.copy(recorder.source.ring, 9, 12)
    recorder.close()
    return ClipSource.open(path)


def test_a_step_leads_over_the_gap_both_ways(gapped: ClipSource) -> None:
    with gapped:
        playhead = Playhead(gapped)
        playhead.apply(SeekFrame(5))
        assert playhead.apply(Step(1)).frame == 9
        assert playhead.apply(Step(-1)).frame == 5
        assert playhead.apply(Step(2)).frame == 10
        assert playhead.apply(Step(-3)).frame == 4


def test_a_step_past_an_end_stops_there_and_says_so(gapped: ClipSource) -> None:
    with gapped:
        playhead = Playhead(gapped)
        playhead.apply(SeekFrame(4))
        shown = playhead.apply(Step(100))
        assert (shown.frame, shown.clamped) == (12, True)
        shown = playhead.apply(Step(-100))
        assert (shown.frame, shown.clamped) == (1, True)


def test_a_frame_in_the_gap_is_not_shown_but_the_one_before_it(gapped: ClipSource) -> None:
    with gapped:
        playhead = Playhead(gapped)
        shown = playhead.apply(SeekFrame(7))
        assert (shown.frame, shown.clamped) == (5, True)
        assert playhead.apply(SeekTime(0.75)).frame == 5


def test_playing_passes_the_gap_in_both_directions(gapped: ClipSource) -> None:
    now = 0.0
    with gapped:
        playhead = Playhead(gapped, clock=lambda: now)
        playhead.apply(Enter(0.1))
        for rate, expected in (
            (1.0, [2, 3, 4, 5, 9, 10, 11, 12]),
            (-1.0, [11, 10, 9, 5, 4, 3, 2, 1]),
        ):
            playhead.apply(Play(rate))
            playhead.update()
            seen = []
            for _ in expected:
                now += 0.1
                playhead.update()
                seen.append(playhead.frame)
            assert seen == expected


def test_a_recording_without_gaps_steps_by_numbers() -> None:
    with FrameRing("64 KiB") as ring:
        assert len(ring) == 0
    recorder = Recorder("64 KiB")
    recorder.update([], 0.1, 0.1)
    assert recorder.source.step(1, 5) == 6
    assert recorder.source.settle(7) == 7
    recorder.close()
