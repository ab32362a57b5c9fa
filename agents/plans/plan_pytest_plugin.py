"""The pytest plug-in that collects `*.plan.yaml` files as tests.

Each plan is carried out in the game that it names. Clips of failures are kept as of any other test
(see `docs/testing.md`). Nothing else of playhead is loaded before there is such a file.
"""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from ...testing.recordings_of_tests import RecordingFixtures

SUFFIX = ".plan.yaml"


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> "PlanModule | None":
    if file_path.name.endswith(SUFFIX):
        module: PlanModule = PlanModule.from_parent(parent, path=file_path)
        return module
    return None


class PlanModule(pytest.File):
    """A plan's file, which holds one test."""

    def collect(self) -> "Iterator[PlanItem]":
        item: PlanItem = PlanItem.from_parent(self, name=self.path.name.removesuffix(SUFFIX))
        yield item


class PlanItem(pytest.Item):
    """Carrying out a plan."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        self._recordings: RecordingFixtures
        self._open = ExitStack()

    def setup(self) -> None:
        from ...testing.plugin import recordings_of

        self._recordings = self._open.enter_context(recordings_of(self))

    def runtest(self) -> None:
        from ...errors import PlanError
        from ...games.game_catalog import open_game
        from .execution.run_plan_in_game import run_plan
        from .plan_file import load_plan

        __tracebackhide__ = True
        file = load_plan(self.path, strict=False)
        if not file.plan.game:
            raise PlanError(f"{self.path}: the plan names no game: write `game:` in it")
        with open_game(file.plan.game) as game:
            session = self._recordings.open(game.world, handlers=game.handlers, about=game.about)
            game.attach(session)  # so that a plan refused before the first step leaves a clip, too
            run_plan(file, game, session=session, opened_as=file.plan.game)

    def teardown(self) -> None:
        self._open.close()

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """A failed check or a faulty plan is shown without playhead's own code."""
        from ...errors import PlayheadError

        if isinstance(excinfo.value, PlayheadError | pytest.fail.Exception):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, 0, f"plan {self.name}"
