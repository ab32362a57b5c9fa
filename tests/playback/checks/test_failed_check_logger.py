"""The log of a failed check, also where its frame or its recording can't be had."""

import logging

from playhead.playback.checks.failed_check_logger import CheckLogger, view_command
from playhead.recorder.checks.failed_check_tracker import FailedCheck
from playhead.recorder.reading.frame_source import FrameSource
from playhead.recorder.recorder_off import WHY_NOTHING, NoFrames


def test_of_a_frame_that_is_gone_the_message_is_logged_with_the_reason(caplog):
    caplog.set_level(logging.ERROR, "playhead")
    log = CheckLogger(FrameSource(NoFrames()), lambda: "run.mcap")
    failed = FailedCheck("alive", "hp > 0", 7, "game.py", 3, frame=9, time=0.5)
    log.report(failed, paused=False, clip=None)
    [record] = caplog.records
    first, reason, opens = record.getMessage().split("\n")
    assert (first, reason.strip()) == ("CHECK FAILED: alive", WHY_NOTHING)
    assert opens == f"  open it     {view_command('run.mcap', failed)}"


def test_a_path_that_no_link_can_hold_is_given_as_it_is():
    failed = FailedCheck("alive", "hp > 0", 7, "game.py", 3, frame=9)
    assert view_command("/runs/a.mcap", failed).endswith("/runs/a.mcap#frame=9&focus=7'")
    assert view_command("no\0file.mcap", failed) == "playhead view 'no\0file.mcap'"
