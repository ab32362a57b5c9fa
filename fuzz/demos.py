"""Demos as files, read as the tester reads them: a demo that an agent can follow, or an error."""

import csv
import io
import tempfile
from pathlib import Path

from playhead.agents.demo_reader import RANGES, read_demo
from playhead.agents.playthrough.engine_axes import EngineGeometry
from playhead.agents.playthrough.playthrough_settings import settings_for
from playhead.agents.playthrough.route.demo_route import DemoRoute
from playhead.agents.recorded_demo import COLUMNS, TYPES
from playhead.errors import DamagedError

OWN: dict[str, type] = {"coins": float, "aiming": bool, "cursor": str}
LEVELS = ("yard", "cave")
SETTINGS = settings_for("arena:village")
GEOMETRY = EngineGeometry(SETTINGS.engine)
FILE = Path(tempfile.mkdtemp(prefix="playhead-fuzz-")) / "walk.csv"


def _text(rows: int, *, named: bool = True, **cells: object) -> bytes:
    """A demo of a walk along x; `cells` stand in every row of their columns."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    kinds = dict(zip(COLUMNS, TYPES, strict=True)) | OWN
    if named:
        writer.writerow(kinds)
    plain = {float: "0.0", bool: "False", str: ""}
    for row in range(rows):
        values = {name: plain[kind] for name, kind in kinds.items()}
        values |= {"player_x": f"{row / 10}", "level": "yard", "event": "None"}
        writer.writerow((values | cells).values())
    return file.getvalue().encode()


SEEDS = [
    _text(3), _text(3, named=False), _text(1, event="talk", cursor="yes"), _text(2, level="moon"),
    _text(2, stick_x="1.5"), _text(2, player_z="1e308"), _text(2, coins="-inf"),
    _text(2, button_a="True", in_air="1", trigger_l_value="1"), b"\xef\xbb\xbf" + _text(2),
    _text(2).replace(b"player_y,player_z", b"player_z,player_y"), b'"', b"",
]  # fmt: skip


def one_input(data: bytes) -> None:
    FILE.write_bytes(data)
    try:
        demo = read_demo(FILE, columns=OWN, levels=LEVELS, outcomes={"coins": "equal"})
    except DamagedError as error:
        if str(FILE) not in str(error):
            raise AssertionError(f"no place is named: {error}") from error
        return
    assert len(demo) > 0
    assert set(demo.columns["level"]) <= set(LEVELS)
    for name, (least, most) in RANGES.items():
        assert demo.columns[name].min() >= least - 1e-3
        assert demo.columns[name].max() <= most + 1e-3
    route = DemoRoute(demo, SETTINGS, GEOMETRY)
    assert route.count == len(demo.rows)
