"""`playhead view`: the desktop viewer on a clip, a ring, a running game, or where a link leads."""

import gc
import os
import re
import sys
from pathlib import Path

import click

from ...errors import CommandError
from ...playback.recording_url import RecordingLink, is_link
from ...recorder.saving.atomic_file import check_folder
from ...runner.terminal.safe_terminal_output import echo
from ...runner.terminal.signal_handling import die_at_once
from ...viewer_process import why_no_display
from ..bus.connection_options import FILE, KEYS_HELP, pass_of

_SIZE = re.compile(r"(\d+)[x×](\d+)")


@click.command()
@click.argument("target", required=False)
@click.option("--at", metavar="T|#FRAME|MARK", help="Where to go first.")
@click.option("--focus", metavar="ID|NAME", help="The object to select.")
@click.option("--reuse", is_flag=True, help="Show it in a viewer that runs, if there is one.")
@click.option(
    "--screenshot", type=click.Path(dir_okay=False, path_type=Path), metavar="PNG",
    help="Save a picture of the window and end; needs no display.",
)  # fmt: skip
@click.option(
    "--wait", type=click.FloatRange(min=0), metavar="SECONDS",
    help="How long a picture waits for a game that is not there; 5, unless your settings say"
    " otherwise.",
)  # fmt: skip
@click.option("--size", default="1600x900", show_default=True, metavar="WxH", help="In pixels.")
@click.option(
    "--theme", type=click.Choice(("dark", "light")),
    help="The colours; else those that a window used last, for a picture dark.",
)  # fmt: skip
@click.option("--keys", type=FILE, help=KEYS_HELP)
@click.option("--server", type=FILE, help="The service's public key.")
def view(
    target: str | None,
    at: str | None,
    focus: str | None,
    reuse: bool,
    screenshot: Path | None,
    wait: float | None,
    size: str,
    theme: str | None,
    keys: Path | None,
    server: Path | None,
) -> None:
    """Look into TARGET: a clip, the ring of a running or killed game, a running game's address, or
    a link to an instant of one of these.

    Without TARGET it waits for a game on this machine, at tcp://127.0.0.1:5670. A clip opens where
    a check failed first, and that of a replay where it first went another way than its demo; in
    front of a running game, grabbing the timeline pauses it and End lets it run on. Press ? in the
    window for all keys.

    \b
    Example:
      playhead view failed.mcap
      playhead view game.ring --at 12.5 --focus 'guard 7'
      playhead view 5670
      playhead view --reuse 'playhead:///clips/failed.mcap#frame=480&focus=7'
      playhead view failed.mcap --at '#480' --screenshot failed.png --size 1920x1080
    """
    found = _SIZE.fullmatch(size)
    if found is None or not 320 <= int(found[1]) <= 16_384 or not 240 <= int(found[2]) <= 16_384:
        raise CommandError(f"--size {size!r}: give width and height in pixels, such as 1920x1080")
    if reuse and (screenshot or keys):
        with_what = "--screenshot" if screenshot else "--keys"
        raise click.UsageError(f"--reuse hands a link to a running viewer: {with_what} stays here")
    from ...viewer.backends.open_target import check_target, target_of
    from ...viewer.toolkit.time_text import parse_seek

    link = RecordingLink.of(target) if target is not None and is_link(target) else None
    opened = target_of(target if link is None else link.target, pass_of(keys, server))
    command = link.command if link is not None else None
    if at is not None:
        command = parse_seek(at)
    commands = () if command is None else (command,)
    selected = check_target(opened, commands, _object_of(focus))
    selected = selected or (link.focus if link is not None else 0)
    if reuse:
        if isinstance(selected, str):
            raise CommandError(f"--focus {selected!r}: with --reuse and a game give an object's id")
        if _sent_to_running_viewer(RecordingLink.to(opened.location, command, focus=selected)):
            return
    if wait is not None and screenshot is None:
        raise click.UsageError(
            "--wait is for --screenshot: a window waits for as long as it is open"
        )
    if screenshot is not None:
        if screenshot.suffix.lower() != ".png":
            raise CommandError(
                f"--screenshot {screenshot}: a picture is a PNG: name it {screenshot.stem}.png"
            )
        check_folder(screenshot)
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    elif not os.environ.get("QT_QPA_PLATFORM") and (why := why_no_display()):
        raise CommandError(
            f"no window can be opened: {why}. For a picture give --screenshot PNG; for a window set"
            " DISPLAY to a display that runs"
        )
    die_at_once()
    try:
        # Nothing of what is imported is garbage: looking for it takes a seventh of the start.
        gc.disable()
        from ...viewer.app import viewer_main as app
    except ImportError as error:
        if isinstance(error, ModuleNotFoundError) or (error.name or "").startswith("playhead"):
            raise
        raise CommandError(
            f"Qt can't be loaded ({error}): it needs libraries of the system, on Debian\n"
            "apt-get install libegl1 libgl1 libglib2.0-0 libdbus-1-3 libfontconfig1 libxkbcommon0"
        ) from None
    finally:
        gc.enable()
    pixels = int(found[1]), int(found[2])
    if screenshot is None:
        sys.exit(app.show(opened, focus=selected, commands=commands, size=pixels,
                          theme=theme or ""))  # fmt: skip
    app.screenshot(
        opened, screenshot, focus=selected, commands=commands, size=pixels, wait=wait,
        theme=theme or "",
    )  # fmt: skip
    echo(f"saved {screenshot}")


def _object_of(text: str | None) -> int | str:
    """An object as it is typed: an id, or a name."""
    if text is None:
        return 0
    if text.lstrip("+-").isdecimal() and text.isascii():
        if int(text) < 1:
            raise click.UsageError(f"--focus {text}: ids go from 1 on")
        return int(text)
    return text


def _sent_to_running_viewer(link: RecordingLink) -> bool:
    """Whether a viewer that runs shows a link now."""
    from ...bus.running_viewer import send_link

    process = send_link(link)
    if process:
        echo(f"shown in the viewer that runs already (process {process})")
    return process > 0
