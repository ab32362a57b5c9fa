"""The parts of a field have one spelling in `find`, `history` and their errors."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import playhead as ph


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("spelling") / "run.mcap"
    enemy = {"name": "enemy 2", "rect": [0, 10, 20, 30], "x": 0.1}
    with ph.record([enemy], path, dt=0.1) as rec:
        for step in range(5):
            with rec.frame():
                enemy["rect"] = [-step, 10, 20, 30]
                enemy["x"] = 0.1 * step
    return path


@pytest.fixture(scope="module")
def run(clip: Path) -> Iterator[ph.Recording]:
    with ph.open(clip) as run:
        yield run


@pytest.mark.parametrize("field", ["rect[0]", "rect.0", "rect.x", "rect.left"])
def test_history_takes_every_spelling_of_a_part(run, field):
    assert run.history("enemy 2", field).values.tolist() == [0, -1, -2, -3, -4]


@pytest.mark.parametrize("name", ["rect[0]", "rect.left", "rect.x"])
def test_find_takes_the_same_and_says_them_as_they_were_written(run, name):
    (hit,) = run.find(f'"enemy 2".{name} < -2')
    assert (hit.frame, hit.values) == (4, {f"enemy 2.{name}": -3})


def test_unknown_fields_and_parts_are_answered_alike_with_what_there_is(run):
    for field, hint in (("rct", "did you mean 'rect'"), ("rect.right", "also left, top, width")):
        with pytest.raises(ph.errors.CommandError, match=hint):
            run.history("enemy 2", field)
        with pytest.raises(ph.errors.CommandError, match=hint):
            list(run.find(f"{field} < 0"))
