"""Expressions of a search, as a person or a tool types them: read, and answered of a recording."""

import tempfile
from pathlib import Path

import playhead as ph
from playhead.errors import CommandError
from playhead.recording.search.expression import parse

SEEDS = [
    text.encode()
    for text in (
        "hp < 50", "guard.hp >= 10 and mood == 'calm'", '"guard 7".x > 0', '"1".hp == 3',
        "state == 'Flee'", "state('mind') != 'Flee' or not (hp < 3)", "entered('Flee', 'mind')",
        "left('Patrol')", "changed(hp)", "previous(previous(x)) == 5", "abs(x - 3) % 2 < 1",
        "norm(position) > 3", "position.x < -1e9", "position[0] == 0", "event('bell')",
        "time > 0.5 and frame < 9 and hp > 0", "1 < hp < 30", "-hp < +3", "hp ** 2",
        "hp if x else 3",
        "[hp for hp in x]", "__import__('os')", "hp.__class__", "f'{hp}'", "hp := 3",
        "é == '\U0001d535'",
        "(" * 90 + "hp" + ")" * 90, "not " * 90 + "hp", "'a' 'b' == mood", "hp < 1e999", "\0", "",
    )
]  # fmt: skip
FILE = Path(tempfile.mkdtemp(prefix="playhead-fuzz-")) / "guards.mcap"


def _record() -> None:
    guards = {name: {"hp": 10.0, "x": 0.0, "mood": "calm"} for name in ("guard", "guard 7")}
    with ph.record(lambda: guards, FILE, dt=1 / 64) as rec:
        for step in range(12):
            with rec.frame():
                guards["guard"].update(hp=10.0 - step, mood="angry" if step > 6 else "calm")
                if step % 4 == 0:
                    ends = ("Patrol", "Flee") if step % 8 else ("Flee", "Patrol")
                    rec.trace.state(guards["guard"], "mind", *ends, won="it is time")
                    rec.event("bell", object=guards["guard 7"])


_record()
RECORDING = ph.open(FILE)


def one_input(data: bytes) -> None:
    text = data.decode(errors="surrogateescape")
    try:
        parse(text)
        hits = list(RECORDING.find(text))
    except CommandError as error:
        if "find" not in str(error):
            raise AssertionError(f"it is not said what was wrong: {error}") from error
        return
    assert hits == sorted(hits, key=lambda hit: (hit.frame, hit.object))
    assert all(1 <= hit.frame <= 12 for hit in hits)
