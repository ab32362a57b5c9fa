"""`playhead replay`: an agent replays demos, one after another."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import click

from ...agents.playthrough.custom_state_loader import load_states
from ...agents.replay.demos.demo_files import DemoFile, read_demos, shipped
from ...agents.replay.replay_outcome import DemoOutcome, RunReport
from ...errors import CommandError
from ...games.game_catalog import FAMILIES
from ...games.user_code_loader import own_path
from ...runner.external_agent_player import ExternalAgentPlayer
from ...runner.parallel_replay import ReplayJobs, rings_of
from ...runner.realtime_loop import AGENT
from ...runner.replay_game_opener import GameRequest, ReplayGames
from ...runner.replay_per_seed import (
    OLDER,
    Listener,
    ReplaySetup,
    SeedPlayer,
    make_batch,
    memory_for,
)
from ...runner.replay_worker import ReplayTask
from ...runner.terminal.progress_bar import bar
from ...runner.terminal.safe_terminal_output import echo
from ..bus.bus_server_options import BusCommand, bus_options, settings_of
from ..bus.connection_options import CLIPS, FILE, JSON_RUNS, JUNIT, connected
from ..games.run import HIDDEN, can_have_window
from .replay_output import ReplayOutput
from .seeds_and_exit_code import FAILED, seeds_of

SILENCE, HANG = 5.0, 30.0
"""Seconds without a word after which a game in another process, or one that is played as fast as it
goes, has failed."""


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
@click.option(
    "--agent", default="", metavar="MODULE:FACTORY",
    help="States of your own for the agent: package.module:factory, or file.py.",
)  # fmt: skip
@click.option("--memory", help="All that a recording gets; by default it holds the whole play.")
@click.option("--jobs", type=click.IntRange(1), default=1, show_default=True, help="Runs at once.")
@click.option(
    "--retries", type=click.IntRange(0), default=0, show_default=True, metavar="N",
    help="Play a run that failed up to N times more: flaky, or broken?",
)  # fmt: skip
@JUNIT
@click.option(
    "--then", metavar="COMMAND",
    help="At the end run this in the shell, with the summary on stdin.",
)  # fmt: skip
@CLIPS
@click.option("--outside", is_flag=True, help="The agent plays from a process of its own.")
@click.option("--connect", metavar="ENDPOINT", help="Play in a game that runs with --bus.")
@click.option(
    "--patience", type=float,
    help="Seconds of silence after which a game has failed: 30; on the bus 5.",
)  # fmt: skip
@click.option("--headless", is_flag=True, help="Without a window.")
@bus_options
@click.option("--server", type=FILE, help="With --connect: the service's public key.")
@click.option(
    "--pause/--no-pause", default=None,
    help="With a window or --bus: whether a failure stops the game; by default if anybody watches.",
)  # fmt: skip
@JSON_RUNS
def replay(**options: Any) -> None:
    """Play demos again in GAME, one after another, and say what came of it.

    Demos are CSV files of `playhead demo-record`; where none is named, those that come along with
    the game are played: arena:village and doom:map01 have some. An agent follows them through the
    game, fights and fetches by its own rules, and gets back on the way when it is stuck. What
    begins where the one before ended is played on from there; else the saved game beside the demo
    is loaded. A failure is a failed check: with a viewer connected the game is paused there,
    --clips keeps what led to it. So is a crash, a hang or a failed check of the game itself; what
    is left is then played in a new game. The exit code is 1 if any demo failed.

    With a display the game runs in the viewer, with a panel to choose demos, to skip and to start
    again. With --headless, or without a display, all is played as fast as the game goes.

    \b
    Example:
      playhead replay arena:village
      playhead replay arena:village village.csv
      playhead replay arena:village one.csv two.csv --times 3 --headless --json
      playhead replay arena:village village.csv --seeds 1..100 --latency 2 --clips failures
      playhead replay arena:village --seeds 1..200 --jobs 2 --retries 1 --junit report.xml
      playhead replay doom:map01 map01.csv --skill 2 --headless
      playhead replay arena:village village.csv --outside
      playhead replay --connect 5670 village.csv
      playhead replay maze.py:Maze walk.csv --agent swimming.py --seeds 1..10
    """
    with bar("replaying") as update:
        command = _ReplayCommand(options, lambda share: update(round(1000 * share), 1000))
        try:
            command.play()
        except BaseException:
            command.end(broken_off=True)  # what was done is kept
            raise
        command.end()
    if not (command.succeeded and all(report.finished for report in command.output.reports)):
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
        self._demos: list[DemoFile] = []
        if self._paths:
            # Their mistakes are reported before a game is started.
            self._demos = read_demos(self._paths)
        for odd in (odd for one in self._demos for odd in one.demo.oddities):
            echo(f"playhead: {odd}", err=True)
        names = [one.name for one in self._demos]
        as_json = options["as_json"]
        self.output = ReplayOutput(self._game, names, self._seeds, as_json=as_json)
        self.succeeded = True
        """Whether the command at the end did, if there is one."""
        self._jobs: ReplayJobs | None = None
        junit: Path | None = options["junit"]
        if junit is not None and not junit.absolute().parent.is_dir():
            raise CommandError(f"--junit {junit}: there is no folder {junit.parent}")

    def play(self) -> None:
        """Play everything."""
        options = self._options
        if options["agent"]:
            own_path(options["agent"], ())
            load_states(options["agent"])  # its mistakes are reported before a game is started
        if self._connect is not None:
            self._replay_connected(self._connect)
            return
        own_path(self._game, list(FAMILIES))
        request = self._game_request()
        setup = self._setup(request)
        if request.window or options["bus"] is not None:
            self._replay_here(setup)
        else:
            self._replay_in_workers(setup)

    def end(self, *, broken_off: bool = False) -> None:
        """Report all that was played, also if the rest was broken off."""
        options, output = self._options, self.output
        if self._jobs is not None and broken_off:
            self._jobs.interrupted()
        if broken_off and not output.reports:
            return
        output.end()
        if options["junit"] is not None:
            output.junit(options["junit"])
        if options["then"] is not None:
            self.succeeded = output.then(options["then"], options["junit"])

    def _game_request(self) -> GameRequest:
        options = self._options
        settings = {} if options["skill"] is None else {"skill": options["skill"]}
        window = not options["headless"] and can_have_window(locked=options["keys"] is not None)
        at = settings_of(options["bus"], options["keys"], options["clients"])
        if options["pause"] is not None and at is None and not window:
            raise click.UsageError(
                "--pause and --no-pause need a window or --bus: nothing could resume it"
            )
        alone = at is not None or window
        if alone and (options["jobs"] > 1 or options["retries"]):
            raise click.UsageError(
                "--jobs and --retries are for unattended runs: --headless without --bus"
            )
        if at is None and (window or options["outside"]):
            at = settings_of(HIDDEN, None, None)
        memory = options["memory"]
        return GameRequest(
            self._game, settings, memory or memory_for(self._paths), 0.0 if memory else OLDER,
            None, at, window, options["pause"], options["bus"] is not None,
        )  # fmt: skip

    def _setup(self, request: GameRequest) -> ReplaySetup:
        options = self._options
        return ReplaySetup(
            request, tuple(self._paths), options["times"], options["latency"], options["lost"],
            options["clips"], options["numbers"], options["outside"],
            SILENCE if options["patience"] is None else options["patience"], options["agent"],
        )  # fmt: skip

    def _replay_in_workers(self, setup: ReplaySetup) -> None:
        """As fast as the games go, in processes that may crash."""
        options, clips, output = self._options, setup.clips, self.output
        patience = HANG if options["patience"] is None else options["patience"]
        is_new = clips is not None and not clips.exists()
        if clips is not None:
            clips.mkdir(parents=True, exist_ok=True)  # the recordings are written there, too
        tasks = [
            ReplayTask(setup, seed, patience, ring=None if clips is None else rings_of(clips, seed))
            for seed in self._seeds
        ]

        def on_outcome(outcome: DemoOutcome, task: ReplayTask, lap: int) -> None:
            output.outcome(outcome, task.seed, lap, task.attempt)

        try:
            with ReplayJobs(
                tasks, self._demos, count=options["jobs"], retries=options["retries"],
                on_outcome=on_outcome, on_report=output.report,
                on_progress=lambda done: self._on_progress(done / len(tasks)),
            ) as jobs:  # fmt: skip
                self._jobs = jobs
                jobs.play()
        finally:
            for task in tasks:
                if task.ring is not None:
                    task.ring.unlink(missing_ok=True)
            if clips is not None and is_new and not any(clips.iterdir()):
                clips.rmdir()  # nothing failed

    # --- in this process ------------------------------------------------------------------------

    def _replay_here(self, setup: ReplaySetup) -> None:
        """Replay in a window or on the bus, one seed after another."""
        with closing(ReplayGames(setup.request)) as games:
            player: SeedPlayer | None = None
            for seed in self._seeds:
                listener = self._listener(seed)
                if setup.outside:
                    ExternalAgentPlayer(setup, games, listener).play(seed)
                else:
                    # One for all seeds: its report is of all that was played.
                    player = player or SeedPlayer(setup, games, listener)
                    player.play(seed, last=seed == self._seeds[-1])
                self._done += 1
                if games.ended:
                    break

    def _listener(self, seed: int | None) -> Listener:
        def on_report(report: RunReport) -> None:
            for outcome in report.demos:
                self.output.outcome(outcome, report.seed, report.lap)
            self.output.report(report)

        return Listener(on_report, on_progress=self._progress)

    def _progress(self, share: float) -> None:
        self._on_progress((self._done + share) / len(self._seeds))

    def _replay_connected(self, endpoint: str) -> None:
        from ...agents.replay.remote_game import RemoteGame

        options = self._options
        if options["jobs"] > 1 or options["retries"]:
            raise click.UsageError(
                "--jobs and --retries are for games that are started here: leave them out with"
                " --connect"
            )
        patience = SILENCE if options["patience"] is None else options["patience"]
        with connected(
            endpoint, options["keys"], options["server"], name=AGENT, timeout=patience
        ) as client:
            game_port = RemoteGame(client, patience=patience, pause=options["pause"])
            if options["seeds"] is not None and not game_port.can_restart:
                raise CommandError(
                    f"--seeds {options['seeds']}: {game_port.name} can't be restarted with a seed:"
                    " its replay.game says no `restarts`"
                )
            self.output.game = game_port.name
            paths = tuple(self._paths or _shipped(game_port.name))
            setup = self._setup(GameRequest(game_port.name, {}))._replace(paths=paths)
            listener = self._listener(self._seeds[0])
            batch = make_batch(setup, game_port.facts, listener)
            repeats = game_port.can_restart or (game_port.can_load and batch.can_repeat)
            if options["times"] > 1 and not repeats:
                raise CommandError(
                    f"--times {options['times']}: there is no saved game to begin again from"
                )
            game_port.on_request = batch.handle_request
            with closing(game_port):
                for seed in self._seeds:
                    batch.queue.start()
                    while batch.queue.begin_lap():
                        report = batch.lap(game_port, seed)
                        assert report is not None, "no other game can take the place of this one"
                        listener.on_report(report)
                    batch.queue.reset()
                    batch.publish()
                    self._done += 1
                    if game_port.silent:
                        break
        if options["clips"] is None and not all(one.finished for one in self.output.reports):
            echo(
                f"playhead: what failed is still recorded: `playhead ctl {endpoint} save"
                " failed.mcap` keeps it; with --clips DIR each failure keeps a clip",
                err=True,
            )


def _shipped(game: str) -> list[Path]:
    found = shipped(game)
    if not found:
        raise CommandError(
            f"no demos of {game} come along, as for arena:village and doom:map01:"
            " name at least one file, such as village.csv"
        )
    return found
