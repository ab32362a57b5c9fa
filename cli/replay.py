"""`playhead replay`: demos are played again, one after another, by an agent."""

import json
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import click

from ..agents.replay.demo_files import read_demos, shipped
from ..agents.replay.game_server import columns_of
from ..agents.replay.replay_batch import BatchSettings, ReplayBatch
from ..agents.replay.replay_outcome import RunReport, of_facts
from ..errors import CommandError, GameError
from ..games.game_catalog import FAMILIES
from ..runner.realtime_loop import AGENT
from ..runner.replay_games import GameRequest, OpenGame, ReplayGames, own_path
from ..runner.terminal.progress_bar import bar
from ..runner.terminal.signal_handling import Terminated
from ..runner.terminal.terminal_output import echo
from ..runner.terminal.text_table import table_lines
from .bus_options import BusCommand, bus_options, settings_of
from .client_options import FILE, connected
from .run import HIDDEN, can_have_window

FAILED = 1
"""The exit code if any demo was not played to its end."""
_HEAD = ("seed", "lap", "demo", "result", "time", "row", "recoveries", "transitions")


@click.command(cls=BusCommand)
@click.argument("what", nargs=-1, metavar="GAME [DEMO.csv …]")
@click.option(
    "--times", type=int, default=1, show_default=True, help="Play the whole set so often."
)
@click.option("--seed", type=int, help="Decides everything that is left to chance.")
@click.option("--seeds", metavar="A..B", help="Play the set once for each seed from A to B.")
@click.option(
    "--latency", type=int, default=0, show_default=True, metavar="N",
    help="Delay each pad by 0 to N communication frames.",
)  # fmt: skip
@click.option("--lost", type=float, default=0.0, help="The share of pads that never arrive.")
@click.option("--skill", type=int, help="doom: how hard it is, 1 to 5.")
@click.option(
    "--settings", "numbers", type=FILE, metavar="YAML",
    help="The agent's numbers; those of the game by default.",
)  # fmt: skip
@click.option("--memory", default="64 MiB", show_default=True, help="All that the recording gets.")
@click.option(
    "--clips", type=click.Path(file_okay=False, path_type=Path), metavar="DIR",
    help="Keep a clip of each failure there.",
)  # fmt: skip
@click.option("--outside", is_flag=True, help="The agent plays from a process of its own.")
@click.option("--connect", metavar="ENDPOINT", help="Play in a game that runs with --bus.")
@click.option(
    "--patience", type=float, default=5.0, show_default=True,
    help="Seconds after which a game in another process that says nothing has failed.",
)  # fmt: skip
@click.option("--headless", is_flag=True, help="Without a window.")
@bus_options
@click.option("--server", type=FILE, help="With --connect: the service's public key.")
@click.option(
    "--pause/--no-pause", default=None,
    help="With a window or --bus: whether a failure stops the game; by default if anybody watches.",
)  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object for each run.")
def replay(**options: Any) -> None:
    """Play demos again in GAME, one after another, and say what came of it.

    Demos are CSV files of `playhead demo-record`; where none is named, those that come along with
    the game are played: arena:village and doom:map01 have some. An agent follows them through the
    game, fights and fetches by its own rules, and gets back on the way when it is stuck. What
    begins where the one before ended is played on from there; else the saved game beside the demo
    is loaded. A failure is a failed check: with a viewer connected the game stands still there,
    --clips keeps what led to it. The exit code is 1 if any demo was not played to its end.

    With a display the game runs in the viewer, with a panel to choose demos, to skip and to start
    again. With --headless, or without a display, all is played as fast as the game goes.

    \b
    Example:
      playhead replay arena:village
      playhead replay arena:village village.csv
      playhead replay arena:village one.csv two.csv --times 3 --headless --json
      playhead replay arena:village village.csv --seeds 1..100 --latency 2 --clips failures
      playhead replay doom:map01 map01.csv --skill 2 --headless
      playhead replay arena:village village.csv --outside
      playhead replay --connect 5670 village.csv
    """
    with bar("replaying") as update:
        command = _ReplayCommand(options, lambda share: update(round(1000 * share), 1000))
        try:
            reports = command.all()
        except (KeyboardInterrupt, Terminated):
            command.print_finished_runs()
            raise
    if not options["as_json"]:
        echo(table(reports))
    if any(not report.finished for report in reports):
        click.get_current_context().exit(FAILED)


class _ReplayCommand:
    """One command line, carried out."""

    def __init__(self, options: dict[str, Any], on_progress: Callable[[float], object]) -> None:
        self._options = options
        self._on_progress = on_progress
        what: tuple[str, ...] = options["what"]
        self._connect: str | None = options["connect"]
        if self._connect is None and not what:
            raise click.UsageError("write GAME DEMO.csv …")
        self._game = "" if self._connect is not None else what[0]
        if self._game.endswith(".csv"):
            raise click.UsageError(f"{self._game} is no game: write GAME DEMO.csv …")
        self._paths = [Path(path) for path in what[0 if self._connect is not None else 1 :]]
        if not self._paths and self._connect is None:
            self._paths = _shipped(self._game)
        self._seeds = seeds_of(options["seed"], options["seeds"])
        self._done = 0
        self._reports: list[RunReport] = []
        self._batch: ReplayBatch | None = None
        """One for all seeds: its report is of all that was played."""
        if self._paths:
            read_demos(self._paths)  # their mistakes are reported before a game is started

    def all(self) -> list[RunReport]:
        """Play everything; what came of each run."""
        if self._connect is not None:
            self._replay_connected(self._connect)
            return self._reports
        own_path(self._game, list(FAMILIES))
        with closing(ReplayGames(self._game_request())) as games:
            for seed in self._seeds:
                if self._options["outside"]:
                    self._replay_in_other_process(games, seed)
                else:
                    self._replay_here(games, seed)
                self._done += 1
                if games.ended:
                    break
        return self._reports

    def print_finished_runs(self) -> None:
        """Print the table of all runs that ended; with --json each was printed as it ended."""
        if self._reports and not self._options["as_json"]:
            echo(table(self._reports))

    def _game_request(self) -> GameRequest:
        options = self._options
        settings = {} if options["skill"] is None else {"skill": options["skill"]}
        window = not options["headless"] and can_have_window(locked=options["keys"] is not None)
        at = settings_of(options["bus"], options["keys"], options["clients"])
        if options["pause"] is not None and at is None and not window:
            raise click.UsageError(
                "--pause and --no-pause need a window or --bus: nobody could let it run on"
            )
        if at is None and (window or options["outside"]):
            at = settings_of(HIDDEN, None, None)
        return GameRequest(
            self._game, settings, options["memory"], at, window, options["pause"],
            options["bus"] is not None,
        )  # fmt: skip

    # --- in this process ------------------------------------------------------------------------

    def _replay_here(self, games: ReplayGames, seed: int | None) -> None:
        begun, again = False, True
        while again:
            with games.game(seed) as opened:
                if self._batch is None:
                    self._batch = self._make_batch(opened.game.name, columns_of(opened.game))
                if not begun:
                    self._batch.queue.start()
                    begun = True
                again = self._play_laps(games, opened, self._batch, seed)

    def _play_laps(
        self, games: ReplayGames, opened: OpenGame, batch: ReplayBatch, seed: int | None
    ) -> bool:
        """Play the set in a game; returns whether to go on in a new one."""
        game_port = games.game_port(opened, batch)
        queue, fresh = batch.queue, True
        while True:
            if queue.running and not fresh and not (game_port.can_load and batch.can_repeat):
                return True
            while queue.begin_lap():
                self._report(batch.lap(game_port, seed))
                fresh = False
                if queue.lap < queue.times and not (game_port.can_load and batch.can_repeat):
                    return True
            queue.reset()
            batch.publish()
            last = seed == self._seeds[-1]
            if not last or not game_port.wait_until(lambda: queue.running):
                return False

    def _make_batch(self, game: str, columns: dict[str, type]) -> ReplayBatch:
        from ..agents.playthrough.playthrough_settings import load_settings, settings_for
        from ..agents.replay.agent_factory import playthrough

        options = self._options
        numbers = options["numbers"]
        settings = settings_for(game) if numbers is None else load_settings(numbers)
        demos = read_demos(self._paths or _shipped(game), columns)
        requests = BatchSettings(
            options["latency"], options["lost"], options["clips"], settings.orders,
            settings.screens.column, self._progress,
        )  # fmt: skip
        return ReplayBatch(demos, playthrough(settings), requests, times=options["times"])

    def _progress(self, share: float) -> None:
        self._on_progress((self._done + share) / len(self._seeds))

    def _report(self, report: RunReport) -> None:
        self._reports.append(report)
        for outcome in report.demos:
            if outcome.trouble:
                echo(f"playhead: {outcome.trouble}", err=True)
        if self._options["as_json"]:
            echo(json.dumps(report.facts))

    # --- in two processes -----------------------------------------------------------------------

    def _replay_connected(self, endpoint: str) -> None:
        from ..agents.replay.remote_game import RemoteGame

        options = self._options
        if options["seeds"] is not None:
            raise click.UsageError("--seeds starts games: it can't be had with --connect")
        with connected(
            endpoint, options["keys"], options["server"], name=AGENT, timeout=options["patience"]
        ) as client:
            game_port = RemoteGame(client, patience=options["patience"])
            batch = self._make_batch(game_port.name, game_port.columns)
            if options["times"] > 1 and not (game_port.can_load and batch.can_repeat):
                raise CommandError(
                    f"--times {options['times']}: there is no saved game to begin again from"
                )
            game_port.on_request = batch.handle_request
            with closing(game_port):
                batch.queue.start()
                while batch.queue.begin_lap():
                    self._report(batch.lap(game_port, self._seeds[0]))
                batch.queue.reset()
                batch.publish()

    def _replay_in_other_process(self, games: ReplayGames, seed: int | None) -> None:
        options = self._options
        command = ["replay", *map(str, self._paths), "--json", "--times", str(options["times"])]
        command += [] if seed is None else ["--seed", str(seed)]
        for name in ("latency", "lost", "patience"):
            command += [f"--{name}", str(options[name])]
        if options["numbers"] is not None:
            command += ["--settings", str(options["numbers"])]
        if options["clips"] is not None:
            command += ["--clips", str(options["clips"].absolute())]
        with games.game(seed) as opened:
            code, output = games.run_other_process(opened, command)
        found = [json.loads(line) for line in output.splitlines() if line.startswith("{")]
        wrong = next((one["error"] for one in found if "error" in one), None)
        if wrong is not None:
            raise GameError(str(wrong["message"]))
        reports = [of_facts(one) for one in found]
        if not reports and not games.ended:
            raise GameError(f"the agent's process ended with exit code {code} and printed nothing")
        for report in reports:
            self._report(report)


def _shipped(game: str) -> list[Path]:
    found = shipped(game)
    if not found:
        raise CommandError(
            f"no demos of {game} come along, as for arena:village and doom:map01:"
            " name at least one file, such as village.csv"
        )
    return found


def seeds_of(seed: int | None, seeds: str | None) -> Sequence[int | None]:
    """The seeds of `--seed` or `--seeds`.

    Raises:
        CommandError: they make no sense.
    """
    if seeds is None:
        return [seed]
    if seed is not None:
        raise click.UsageError("give --seed or --seeds, not both")
    first, dots, last = seeds.partition("..")
    try:
        found = range(int(first), int(last) + 1)
    except ValueError:
        found = range(0)
    if not dots or not found:
        raise CommandError(f"--seeds {seeds!r}: give the first and the last one, such as 1..100")
    return found


def table(reports: Sequence[RunReport]) -> list[str]:
    """What came of some runs, as aligned lines to be read."""
    rows: list[tuple[str, ...]] = []
    notes: list[str] = []
    for report in reports:
        for one in report.demos:
            seed = "–" if report.seed is None else str(report.seed)
            rows.append((
                seed, str(report.lap), one.demo, one.standing, f"{one.seconds:.1f} s",
                str(one.row), str(one.recoveries), str(one.transitions),
            ))  # fmt: skip
            if one.failure is not None:
                text = f"  {one.failure.message} — frame {one.failure.frame},"
                text += f" {one.failure.time:.3f} s"
                notes += [f"{one.demo}, seed {seed}, lap {report.lap}:", text]
                if one.clip is not None:
                    notes.append(f"  clip {one.clip}")
    lines = table_lines(_HEAD, rows, ("demo", "result"))
    finished = sum(report.finished for report in reports)
    lines.append(f"{finished} of {len(reports)} runs finished")
    return [*lines, *notes]
