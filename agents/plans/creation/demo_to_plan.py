"""Converts demos to a plan: the playthrough agent follows them, and its actions are recorded."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ....errors import PlanError
from ....games.game_catalog import open_game
from ....recorder.checks.check_policy import UNATTENDED
from ....session import Session
from ...playthrough.playthrough_settings import settings_for
from ...replay.agent_factory import playthrough
from ...replay.demos.demo_files import DemoFile, read_demos
from ...replay.game_description import columns_of, levels_of, outcomes_of
from ...replay.local_replay_game import LocalGame
from ...replay.menu_driver import drive
from ...replay.replay_batch import BatchSettings, ReplayBatch
from ..execution.run_plan_in_game import MEMORY
from ..plan_file import PlanFile
from .plan_recorder import RecordingSettings
from .play_to_plan_recorder import PlayToPlanRecorder


def plan_of_demos(
    demos: Sequence[Path], game: str, settings: RecordingSettings | None = None, *,
    seed: int | None = None, **rest: Any,
) -> PlanFile:  # fmt: skip
    """Play demos in a game, one after another, and record what is done.

    Args:
        rest: What else the game's factory takes.

    Raises:
        PlanError: a demo can't be played to its end, so that there is no plan of it.
        CommandError: there are no demos, or one has nothing to begin with.
        RecordingError, DamagedError: a demo can't be read, or is none.
        GameError: the game can't be started, or can't be driven by plans.
    """
    with open_game(game, seed=seed, **rest) as opened:
        play = PlayToPlanRecorder(opened, settings)
        files = read_demos(demos, columns_of(opened), levels_of(opened), outcomes_of(opened))
        agent = settings_for(opened.name)
        batch = ReplayBatch(files, playthrough(agent), BatchSettings(orders=agent.orders))
        session = Session(opened.world, MEMORY, handlers=opened.handlers, on_check=UNATTENDED)
        try:
            # A failure is reported by its error.
            session.on_failed_check(lambda failed: None)
            opened.attach(session)
            port = LocalGame(play.game, session)
            if agent.orders is not None:
                # Who carries out the plan begins before these screens, wherever the demo does.
                drive(port.next, agent.orders, opened.name)
            report = batch.lap(port)
        finally:
            play.recorder.close()
            session.close()
        if report is None:
            raise PlanError("no plan: the game broke while the demo was played")
        failed = next((one for one in report.demos if not one.finished), None)
        if failed is not None:
            why = failed.failure.message if failed.failure is not None else failed.status
            raise PlanError(f"no plan of {failed.demo}: its demo was not played to its end: {why}")
        return play.recorder.plan(game, _comment(files, play.recorder.seconds))


def _comment(files: Sequence[DemoFile], seconds: float) -> str:
    names = ", ".join(file.path.name for file in files)
    description = f"From {names}, {seconds:.1f} s of play."
    if files[0].start.is_file():
        description += f"\nIt begins where {files[0].start.name} does."
    return description
