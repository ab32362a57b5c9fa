"""The rows of the arena panel: their text, and the action of each cell."""

from collections.abc import Callable
from enum import Enum
from functools import partial
from typing import Any, NamedTuple

from ...toolkit.menu_entries import MenuAction
from .arena_placement_model import (
    ENEMY,
    ArenaState,
    PlacementTool,
    choose_order,
    lock_order,
    tools_of,
)

Order = dict[str, Any]


class ArenaRowKind(Enum):
    """The kinds of rows, which look different."""

    HEADING = "heading"
    TEXT = "text"
    ERROR = "error"
    """Why an order was refused."""
    CHIPS = "chips"
    ODDS = "odds"


class Probability(NamedTuple):
    """A probability that can be changed."""

    target: str
    difficulty: int
    value: float
    locked: bool


class ArenaCell(NamedTuple):
    """A chip, bar or lock that can be pressed."""

    text: str
    action: PlacementTool | Order | Probability
    on: bool
    """Whether it shows what is chosen or valid now."""
    help: str
    """What pressing it does, for the hover card."""

    @property
    def chooses(self) -> bool:
        """Whether it chooses the mode, which can't be changed afterwards."""
        return isinstance(self.action, dict) and self.action["order"] == "choose"


class ArenaRow(NamedTuple):
    """A line of the panel."""

    kind: ArenaRowKind
    title: str
    cells: tuple[ArenaCell, ...] = ()

    @property
    def summary(self) -> str:
        """The row as plain text."""
        if self.kind is not ArenaRowKind.CHIPS:
            return self.title
        chips = " ".join(f"[{cell.text}]" if cell.on else cell.text for cell in self.cells)
        return f"{self.title}\t{chips}".strip()

    @property
    def is_start_screen(self) -> bool:
        """Whether one of its cells chooses the mode."""
        return any(cell.chooses for cell in self.cells)


_MODES_IN_A_ROW = 3
_TARGET_ORDERS = (
    ("FreeMode", "free", "give the free target: defeat all enemies in the hall"),
    ("StayMode", "stay", "give the target to stay"),
    ("ClearGame", "clear", "remove all enemies and blocks, and give the target to stay"),
)


def rows_of(
    state: ArenaState, tool: PlacementTool | None, error_text: str, blocked: str
) -> list[ArenaRow]:
    """All rows of the panel.

    Args:
        tool: The chosen tool.
        error_text: Why the newest order was refused; empty if it was not.
        blocked: Why no orders can be sent now; empty if they can.
    """
    reasons = filter(None, dict.fromkeys((blocked, error_text)))
    errors = [ArenaRow(ArenaRowKind.ERROR, reason) for reason in reasons]
    if state.choices:
        return [*_start_screen_rows(state), *errors, *_odds_rows(state)]
    rows = [ArenaRow(ArenaRowKind.TEXT, state.summary), *errors]
    if state.by_hand:
        rows.append(ArenaRow(ArenaRowKind.CHIPS, "order", tuple(
            ArenaCell(text, {"order": order}, state.target == order, help)
            for text, order, help in _TARGET_ORDERS
        )))  # fmt: skip
        rows += _tool_rows(state, tool)
    else:
        rows.append(ArenaRow(ArenaRowKind.TEXT, state.unordered))
        rows += _odds_rows(state)
        if not state.drawn:
            rows.append(
                ArenaRow(ArenaRowKind.TEXT, "Its rounds have no blocks, so no probabilities")
            )
    return rows


def _start_screen_rows(state: ArenaState) -> list[ArenaRow]:
    rows = [ArenaRow(ArenaRowKind.HEADING, "Choose a mode: it stays for the whole run")]
    chips = [
        ArenaCell(mode, choose_order(mode), False, f"choose {mode}: it can't be changed later")
        for mode in state.choices
    ]
    rows += [
        ArenaRow(ArenaRowKind.CHIPS, "", tuple(chips[at : at + _MODES_IN_A_ROW]))
        for at in range(0, len(chips), _MODES_IN_A_ROW)
    ]
    return [*rows, ArenaRow(ArenaRowKind.TEXT, state.summary)]


def _odds_rows(state: ArenaState) -> list[ArenaRow]:
    rows = []
    for target in state.drawn:
        rows.append(ArenaRow(ArenaRowKind.HEADING, f"How likely the next {target} block is"))
        rows += _target_odds_rows(state, target)
    return rows


def _tool_rows(state: ArenaState, tool: PlacementTool | None) -> list[ArenaRow]:
    rows = []
    tools = tools_of(state)
    chosen = None if tool is None else tool._replace(preset="")
    for target in dict.fromkeys(one.target for one in tools):
        chips = tuple(
            ArenaCell(str(one.difficulty or one.target), one, one == chosen, f"place: {one.title}")
            for one in tools
            if one.target == target
        )
        rows.append(
            ArenaRow(ArenaRowKind.CHIPS, f"{target} block" if target != ENEMY else "place", chips)
        )
    if tool is not None and tool.difficulty:
        names = state.presets[tool.target][tool.difficulty - 1]
        presets = [
            ("in turn", tool._replace(preset="")),
            *((name, tool._replace(preset=name)) for name in names),
        ]
        rows.append(ArenaRow(ArenaRowKind.CHIPS, "", tuple(
            ArenaCell(text, one, one == tool, f"place: {one.title}") for text, one in presets
        )))  # fmt: skip
    return rows


def _target_odds_rows(state: ArenaState, target: str) -> list[ArenaRow]:
    rows = []
    odds = state.odds[target]
    for difficulty, (value, locked) in enumerate(zip(odds.values, odds.locked, strict=True), 1):
        lock = "locked" if locked else "open"
        what = f"{target} difficulty {difficulty}"
        rows.append(ArenaRow(ArenaRowKind.ODDS, f"{what}: {value:.3f}, {lock}", (
            ArenaCell(f"{value:.3f}", Probability(target, difficulty, value, locked), False,
                 f"{what}: {value:.3f}; Enter types another probability"),
            ArenaCell(lock, lock_order(state, target, difficulty), locked,
                 f"{what} is {lock}; Enter {'unlocks' if locked else 'locks'} it"),
        )))  # fmt: skip
    return rows


def menu_entries_of(
    state: ArenaState,
    choose: Callable[[PlacementTool], object],
    order: Callable[[Order], object],
) -> list[MenuAction]:
    """The entries of the panel's menu. A bar (|) in a label leads into a submenu."""
    entries: list[MenuAction] = []

    def add(label: str, tool: PlacementTool) -> None:
        entries.append((label, partial(choose, tool)))

    entries += [(f"Choose {mode}", partial(order, choose_order(mode))) for mode in state.choices]
    for tool in tools_of(state):
        if tool.target == ENEMY:
            add("Enemy", tool)
            continue
        path = f"{tool.target.capitalize()} block|Difficulty {tool.difficulty}"
        add(f"{path}|In turn", tool)
        for name in state.presets[tool.target][tool.difficulty - 1]:
            add(f"{path}|{name.capitalize()}", tool._replace(preset=name))
    for label, name, _ in _TARGET_ORDERS if state.by_hand else ():
        entries.append((label, partial(order, {"order": name})))
    return entries
