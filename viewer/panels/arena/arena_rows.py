"""The rows of the arena panel, without painting: their text, and what each field does."""

from collections.abc import Callable
from enum import Enum
from functools import partial
from typing import Any, NamedTuple

from .arena_model import ENEMY, ArenaState, PlacementTool, choose_order, lock_order, tools_of

Orders = dict[str, Any]


class ArenaRowKind(Enum):
    """What a row looks like."""

    HEADING = "heading"
    WORDS = "words"
    WRONG = "wrong"
    """Words that say why something was refused."""
    CHIPS = "chips"
    ODDS = "odds"


class Share(NamedTuple):
    """A probability that can be changed."""

    target: str
    difficulty: int
    value: float
    locked: bool


class ArenaCell(NamedTuple):
    """A field that can be pressed."""

    words: str
    does: PlacementTool | Orders | Share
    on: bool
    """Whether it is what holds now."""
    help: str
    """What it does, for people."""

    @property
    def chooses(self) -> bool:
        """Whether it chooses the mode, once and for all."""
        return isinstance(self.does, dict) and self.does["order"] == "choose"


class ArenaRow(NamedTuple):
    """A line of the panel."""

    kind: ArenaRowKind
    title: str
    cells: tuple[ArenaCell, ...] = ()

    @property
    def summary(self) -> str:
        """As plain text."""
        if self.kind is not ArenaRowKind.CHIPS:
            return self.title
        words = " ".join(f"[{cell.words}]" if cell.on else cell.words for cell in self.cells)
        return f"{self.title}\t{words}".strip()

    @property
    def asks(self) -> bool:
        """Whether one of its fields chooses the mode."""
        return any(cell.chooses for cell in self.cells)


_A_ROW = 3
"""Modes in a row: their names are long."""
_BUTTONS = (
    ("FreeMode", "free", "give the free target: defeat all enemies in the hall"),
    ("StayMode", "stay", "give the target to stay"),
    ("ClearGame", "clear", "remove all enemies and blocks, and give the target to stay"),
)


def rows_of(
    state: ArenaState, tool: PlacementTool | None, error_text: str, blocked: str
) -> list[ArenaRow]:
    """All lines of the panel.

    Args:
        tool: What is held.
        trouble: Why the newest order was refused.
        blocked: Why nothing can be ordered now.
    """
    wrong = [
        ArenaRow(ArenaRowKind.WRONG, why) for why in dict.fromkeys((blocked, error_text)) if why
    ]
    if state.choices:
        return [*_choosing(state), *wrong, *_drawing(state)]
    rows = [ArenaRow(ArenaRowKind.WORDS, state.summary), *wrong]
    if state.by_hand:
        rows.append(ArenaRow(ArenaRowKind.CHIPS, "order", tuple(
            ArenaCell(words, {"order": order}, state.target == order, help)
            for words, order, help in _BUTTONS
        )))  # fmt: skip
        rows += _placing(state, tool)
    else:
        rows.append(ArenaRow(ArenaRowKind.WORDS, state.unordered))
        rows += _drawing(state)
        if not state.drawn:
            rows.append(
                ArenaRow(ArenaRowKind.WORDS, "Its rounds have no blocks, so no probabilities")
            )
    return rows


def _choosing(state: ArenaState) -> list[ArenaRow]:
    rows = [ArenaRow(ArenaRowKind.HEADING, "Choose a mode: it stays for the whole run")]
    chips = [
        ArenaCell(mode, choose_order(mode), False, f"choose {mode}: it can't be changed later")
        for mode in state.choices
    ]
    rows += [
        ArenaRow(ArenaRowKind.CHIPS, "", tuple(chips[at : at + _A_ROW]))
        for at in range(0, len(chips), _A_ROW)
    ]
    return [*rows, ArenaRow(ArenaRowKind.WORDS, state.summary)]


def _drawing(state: ArenaState) -> list[ArenaRow]:
    rows = []
    for target in state.drawn:
        rows.append(ArenaRow(ArenaRowKind.HEADING, f"How likely the next {target} block is"))
        rows += _odds(state, target)
    return rows


def _placing(state: ArenaState, tool: PlacementTool | None) -> list[ArenaRow]:
    rows = []
    tools = tools_of(state)
    held = None if tool is None else tool._replace(preset="")
    for target in dict.fromkeys(one.target for one in tools):
        chips = tuple(
            ArenaCell(str(one.difficulty or one.target), one, one == held, f"place: {one.title}")
            for one in tools
            if one.target == target
        )
        rows.append(
            ArenaRow(ArenaRowKind.CHIPS, f"{target} block" if target != ENEMY else "place", chips)
        )
    if tool is not None and tool.difficulty:
        names = state.presets[tool.target][tool.difficulty - 1]
        every = [
            ("in turn", tool._replace(preset="")),
            *((n, tool._replace(preset=n)) for n in names),
        ]
        rows.append(ArenaRow(ArenaRowKind.CHIPS, "", tuple(
            ArenaCell(words, one, one == tool, f"place: {one.title}") for words, one in every
        )))  # fmt: skip
    return rows


def _odds(state: ArenaState, target: str) -> list[ArenaRow]:
    rows = []
    odds = state.odds[target]
    for difficulty, (value, locked) in enumerate(zip(odds.values, odds.locked, strict=True), 1):
        lock = "locked" if locked else "open"
        what = f"{target} difficulty {difficulty}"
        rows.append(ArenaRow(ArenaRowKind.ODDS, f"{what}: {value:.3f}, {lock}", (
            ArenaCell(f"{value:.3f}", Share(target, difficulty, value, locked), False,
                 f"{what}: {value:.3f}; Enter types another probability"),
            ArenaCell(lock, lock_order(state, target, difficulty), locked,
                 f"{what} is {lock}; Enter {'unlocks' if locked else 'locks'} it"),
        )))  # fmt: skip
    return rows


def offered(
    state: ArenaState,
    choose: Callable[[PlacementTool], object],
    order: Callable[[Orders], object],
) -> list[tuple[str, Callable[[], object]]]:
    """What the menu offers: words, and what they do. A bar in the words leads into a menu below."""
    offers: list[tuple[str, Callable[[], object]]] = []

    def add(words: str, tool: PlacementTool) -> None:
        offers.append((words, partial(choose, tool)))

    offers += [(f"Choose {mode}", partial(order, choose_order(mode))) for mode in state.choices]
    for tool in tools_of(state):
        if tool.target == ENEMY:
            add("Enemy", tool)
            continue
        path = f"{tool.target.capitalize()} block|Difficulty {tool.difficulty}"
        add(f"{path}|In turn", tool)
        for name in state.presets[tool.target][tool.difficulty - 1]:
            add(f"{path}|{name.capitalize()}", tool._replace(preset=name))
    for words, name, _ in _BUTTONS if state.by_hand else ():
        offers.append((words, partial(order, {"order": name})))
    return offers
