"""`playhead demo`: records a game, pauses it at a failed check, and scrubs back."""

import subprocess
import sys
from pathlib import Path
from random import Random

import click

from ...errors import GameError
from ...games.arena.guard_yard import SEED
from ...games.arena.yard_game import ArenaGame
from ...playback.commands import Enter, Leave, SeekFrame, SeekTime, Step
from ...recorder.checks.failed_check_tracker import FailedCheck
from ...recorder.checks.failure_report import check_text, decision_lines
from ...runner.command_line_session import CommandSession, print_endpoint
from ...runner.realtime_loop import RealtimeLoop
from ...runner.terminal.safe_terminal_output import echo
from ...runner.window_launcher import GameWindow
from ...session import Session
from ...viewer_process import python_path, why_no_viewer
from ..bus.bus_server_options import BusCommand, bus_options, settings_of
from .run import HIDDEN, can_have_window

MOST_STEPS = 60 * 60
"""The demo's check fails within a minute of game time, or the demo has failed."""
RUN_ON = 600
"""Steps that the resumed game is compared with one that was never paused."""
PICTURE = "1920x1080"


@click.command(cls=BusCommand)
@click.option("--headless", is_flag=True, help="Tell the story without a window.")
@click.option(
    "--seed", type=int, default=SEED, show_default=True,
    help="Decides everything that is left to chance.",
)  # fmt: skip
@click.option(
    "--out", type=click.Path(file_okay=False, path_type=Path), default=Path("out"),
    show_default=True, help="The folder for the recording and the story.",
)  # fmt: skip
@bus_options
def demo(
    headless: bool,
    seed: int,
    out: Path,
    bus: str | None,
    keys: Path | None,
    clients: Path | None,
) -> None:
    """The main job on the built-in arena: record, fail, pause, scrub back, resume.

    One guard of the yard has a flaw in its logic. The story names the check that it fails, its
    last decisions with their reasons, and the frames around the mistake.

    With a display the viewer opens at the culprit, where the game is paused: look around, let
    it run on, and close the window to hear the rest. Without one, or with --headless, a picture of
    the viewer at that instant is written beside the clip.

    With --bus the game runs in real time, and at the failure it stays paused for your own tools to
    look into, until one of them says `leave` or you press Ctrl-C here; then the story goes on.

    \b
    Example:
      playhead demo
      playhead demo --headless --seed 7 --out out
      playhead demo --bus
    """
    at = settings_of(bus, keys, clients)
    window = bus is None and not headless and can_have_window(locked=False)
    out.mkdir(parents=True, exist_ok=True)
    ring = out / "demo.ring"
    story: list[str] = []

    def say(*lines: str) -> None:
        story.extend(lines)
        echo(lines)

    with (
        ArenaGame(seed=seed, flaw=True) as game,
        CommandSession(
            game.world, "32 MiB", handlers=game.handlers, path=ring, about=game.about,
            bus=at if at is not None else HIDDEN if window else False,
        ) as session,
    ):  # fmt: skip
        game.attach(session)
        loop = None
        if at is not None:
            loop = RealtimeLoop(session, game.dt)
            print_endpoint(session)
        failed = play_until_it_fails(game, session, loop)
        say(*failure_text(session, failed))
        say("", *decision_lines(session.source, failed.frame, failed.object))
        say(*frames_text(session, failed))
        if loop is not None:
            pause_for_tools(session, failed, loop)
        elif window:
            show_failure(game, session, failed)
        say(*scrub_text(game, session, seed))
        say(*memory_text(session))
        saved = session.save(out / "demo.mcap", overwrite=True)
    say(
        "",
        f"The recording is {ring}, the clip of it {saved.path} ({saved.frames:,} frames,"
        f" {saved.bytes / 2**20:.1f} MiB), this story {out / 'demo.txt'}.",
    )
    if bus is None and not window:
        say(save_picture(saved.path, out / "demo.png", failed))
    (out / "demo.txt").write_text("\n".join(story) + "\n", encoding="utf-8")


def play_until_it_fails(
    game: ArenaGame, session: Session, loop: RealtimeLoop | None = None
) -> FailedCheck:
    """Run the game until a check has failed and the world is paused.

    Args:
        loop: The loop of a game in real time that obeys tools.

    Raises:
        GameError: nothing failed within a minute, so there is no story to tell.
    """
    failed: list[FailedCheck] = []
    session.on_failed_check(failed.append)
    for _ in range(MOST_STEPS):
        if loop is not None:
            loop.wait_for_step()
        game.step()
        session.update(game.dt)
        if failed:
            return failed[0]
    raise GameError(
        f"seed {game.about['seed']}: no check failed in {MOST_STEPS * game.dt:.0f} s of game time;"
        " try another seed"
    )


def pause_for_tools(session: Session, failed: FailedCheck, loop: RealtimeLoop) -> None:
    """Stand still at the failure until a tool lets the game run on, or Ctrl-C is pressed."""
    session.apply(SeekFrame(failed.frame))
    assert session.bus is not None
    echo(
        f"\nThe game is paused at frame {failed.frame}:"
        f" playhead ctl {session.bus.endpoint} step -1, and such."
        "\nIts `leave`, or Ctrl-C here, lets the story go on."
    )
    try:
        loop.wait_until_live()
    except KeyboardInterrupt:
        echo()


def show_failure(game: ArenaGame, session: Session, failed: FailedCheck) -> None:
    """Open the viewer where the failure is, and serve it until it is closed, or Ctrl-C is pressed.

    Raises:
        GameError: the window broke.
    """
    session.apply(SeekFrame(failed.frame))
    assert session.bus is not None
    echo(
        f"\nThe viewer opens at frame {failed.frame}, where the game is paused: look around."
        "\nEnd, twice, lets the game run on. Close the window, or press Ctrl-C here, to go on."
    )
    windows: list[GameWindow] = []
    loop = RealtimeLoop(session, game.dt, ended=lambda: windows[0].code is not None)
    windows.append(GameWindow(session.bus.endpoint, loop.wake, focus=failed.object))
    try:
        while loop.wait_for_step():
            game.step()
            session.update(game.dt)
    except KeyboardInterrupt:
        echo()
    finally:
        code = windows[0].close()
    if code:
        raise GameError(f"the window broke, with exit code {code}")


def save_picture(clip: Path, picture: Path, failed: FailedCheck) -> str:
    """Save a picture of the viewer at the failure; returns a sentence that says where it is, or why
    there is none."""
    why = why_no_viewer()
    if why:
        return f"No picture of the viewer: {why}."
    done = subprocess.run(
        [sys.executable, "-P", "-m", "playhead", "view", str(clip), "--at", f"#{failed.frame}",
         "--focus", str(failed.object), "--screenshot", str(picture), "--size", PICTURE],
        env={**python_path(), "QT_QPA_PLATFORM": "offscreen"},
        capture_output=True, text=True,
    )  # fmt: skip
    if done.returncode:
        error = " ".join(done.stderr.split()).removeprefix("playhead: ")
        return f"No picture of the viewer: {error}"
    return f"What the viewer shows of it is in {picture}."


def failure_text(session: Session, failed: FailedCheck) -> list[str]:
    """What was recorded, and what failed."""
    source, status = session.source, session.status
    return [
        f"Recorded {status.frames:,} frames ({failed.time:.2f} s of game time) of"
        f" {len(source.objects(failed.frame))} objects.",
        "",
        *check_text(source, failed, folder=Path(failed.file).parent),
        "  The game is paused at that frame, its input is locked, the camera is on the guard.",
    ]


def frames_text(session: Session, failed: FailedCheck) -> list[str]:
    """Step back from the failure, frame by frame as a person would, and say what is seen."""
    transitions = session.source.transitions(failed.frame, failed.object, "guard", 1)
    wrong = transitions[0].frame if transitions else failed.frame
    lines = ["", "Scrubbing back from the failure:", f"  {'frame':>6} {'time':>9}  state    what"]
    frames = [failed.frame, (failed.frame + wrong) // 2, wrong, wrong - 1, wrong - 150]
    for frame in dict.fromkeys(max(frame, 1) for frame in frames):
        state = session.apply(SeekFrame(frame))
        assert state is not None
        assert state.frame is not None
        lines.append(_frame_text(session, state.frame, failed.object))
    return lines


def _frame_text(session: Session, frame: int, guard: int) -> str:
    source = session.source
    seen = {packet.id: values for packet, values in source.decoded(frame)}
    packets = {packet.id: packet for packet in source.objects(frame)}
    player = next(packet for packet in packets.values() if packet.type == "player")
    x, y, _ = (a - b for a, b in zip(player.position, packets[guard].position, strict=True))
    age = source.watches(frame).get((guard, "belief_age"))
    belief = "no belief" if age is None else f"its belief is {age:.2f} s old"
    state = bytes(seen[guard]["state"]).decode()
    away = (x * x + y * y) ** 0.5
    return (
        f"  {frame:>6} {source.stamp(frame).time:>8.3f}s  {state:<8}"
        f" the player is {away:.1f} m away, {belief}"
    )


def scrub_text(game: ArenaGame, session: Session, seed: int) -> list[str]:
    """Scrub wildly, resume, and compare with a game that was never paused."""
    session.apply(SeekFrame(session.status.frames))
    session.apply(Leave())
    before = game.state_hash()
    rng = Random(seed)
    span = session.source.span
    assert span is not None
    session.apply(Enter(), now=True)
    for _ in range(200):
        session.apply(SeekTime(rng.uniform(span.start, span.end)))
        session.apply(Step(rng.choice((-5, -1, 1, 5))))
    scrubbed = game.state_hash()
    session.leave()
    after = game.state_hash()
    with ArenaGame(seed=seed, flaw=True) as reference:
        for _ in range(session.status.frames + RUN_ON):
            reference.step()
        for _ in range(RUN_ON):
            game.step()
        same = reference.state_hash() == game.state_hash()
    return [
        "",
        "200 random seeks and steps, then resume:",
        f"  state hash before   {before}",
        f"  while scrubbed      {scrubbed}",
        f"  after resuming      {after}  {_verdict(after == before)}",
        f"  {RUN_ON} steps on, against a game never recorded or paused: {_verdict(same)}",
    ]


def _verdict(same: bool) -> str:
    if not same:
        raise GameError("the resumed game differs from the one that was paused")
    return "equal"


def memory_text(session: Session) -> list[str]:
    """What it took."""
    status = session.status
    return [
        "",
        f"Memory: {status.memory / 2**20:.0f} MiB, fixed; {status.bytes_used / 2**20:.1f} MiB of it"
        f" in use for {status.seconds_held:.1f} s: {status.packets:,} packets, and pictures as time"
        f" allows. Cost: {status.cost_us_p50:.0f} µs a frame (median), {status.cost_us_p99:.0f} µs"
        f" (p99). Dropped: {status.packets_dropped}.",
    ]
