"""A town and a cave for the field, and what the demo's person does there."""

from pathlib import Path

from playhead.agents.recorded_demo import Demo
from playhead.playback.pads.pad import Button

from .field import Area, Deed, Enemy, Field, Person, record

ITEM = ("coin", 2.0, 1.0)


def town(seed: int = 0, *, enemies: bool = True, popups: int = 0) -> Field:
    """Somebody to ask, a question to answer, a shop, a gate, a jump, a boss; enemies by chance."""
    outside = Area(
        "town",
        walls=[(4, -6, 5, 3), (9, -3, 10, 6), (17, -9, 17.5, 3), (17, 9, 17.5, 14)],
        people=[
            Person((12, 0), "elder", gives="asked"),
            Person((12, 4), "choice", choice="yes"),
            Person((15, 6), "keeper", shop=True, pages=1),
        ],
        items=[ITEM, ("coin", 7, 0)],
        enemies=[Enemy((2, 5)), Enemy((7, 3)), Enemy((14, 3))] if enemies else [],
        locks=[("yes", (17, 3, 17.5, 9))],
        triggers=[("gate", (18, 3, 20, 9))],
        doors=[((24, 2, 26, 10), "cave", (0, 0), "bought 2")],
    )
    cave = Area(
        "cave",
        pits=[(4, -20, 6.5, 20)],
        bosses=[Enemy((14, 0), "ogre", 5.0), Enemy((15, 1), "guard", 2.0)],
        arena=(10, -5, 18, 5),
        goal=(22, -2, 25, 2),
    )
    return Field([outside, cave], seed=seed, popups=popups)


DEEDS: tuple[Deed, ...] = (
    ("go", 3, 0), ("go", 3, 4), ("go", 7, 4), ("go", 7, -4), ("go", 11, -4), ("wait", 20),
    ("go", 11.2, 0), ("talk",), ("go", 11.1, 4), ("talk", Button.DOWN),
    ("go", 14.1, 6), ("talk",), ("wait", 8),
    ("press", Button.DOWN, Button.DOWN, Button.A, Button.B),
    ("go", 16, 5), ("go", 18.5, 5), ("wait", 5), ("press", Button.A, Button.A),
    ("go", 22, 6), ("go", 24.2, 6), ("go", 3.6, 0), ("jump", 8.5, 0), ("go", 9, 0),
    ("aim",), ("wait", 10), ("go", 11, 0), ("fight",), ("go", 19, 0), ("go", 22.3, 0),
)  # fmt: skip


def town_demo(folder: Path) -> Demo:
    """How a person plays it when nobody is in the way."""
    field = town(enemies=False)
    demo = record(field, DEEDS, folder / "town.csv")
    assert field.finished
    return demo
