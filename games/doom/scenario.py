"""The scenarios of Doom that can be played: which files, which map, who takes part."""

from pathlib import Path

import msgspec

from ...errors import GameError

TICS_PER_SECOND = 35
"""Doom's clock: one tic is one simulation step."""


class Scenario(msgspec.Struct, frozen=True):
    """One way to start Doom, given to the engine as it is."""

    name: str
    config: str
    """A `.cfg` among ViZDoom's scenarios, or a path."""
    map: str
    """The map in the wad, such as `map01`."""
    wad: str = "freedoom2.wad"
    """The game's data: a file that ViZDoom ships, or a path."""
    args: tuple[str, ...] = ()
    """More of the engine's command line."""
    bots: int = 0
    """Players of the engine's own, added again in each episode."""
    buttons: tuple[str, ...] = (
        "MOVE_FORWARD",
        "MOVE_BACKWARD",
        "MOVE_LEFT",
        "MOVE_RIGHT",
        "TURN_LEFT_RIGHT_DELTA",
        "ATTACK",
        "USE",
        "SELECT_NEXT_WEAPON",
    )
    """ViZDoom's names of what an action presses, in the action's order. A delta that turns is in
    degrees, one that moves goes up to 50, which is running."""
    variables: tuple[tuple[str, str], ...] = (
        ("health", "HEALTH"),
        ("armor", "ARMOR"),
        ("ammo", "SELECTED_WEAPON_AMMO"),
        ("frags", "FRAGCOUNT"),
        ("kills", "KILLCOUNT"),
        ("deaths", "DEATHCOUNT"),
        ("x", "POSITION_X"),
        ("y", "POSITION_Y"),
    )
    """Our name and ViZDoom's name of each number of the player that is read every tic."""
    skill: int = 3
    """1 … 5, if nothing else is asked for."""
    episode_tics: int | None = None
    """After so many tics the map starts again; None: as the config says."""
    looks: bool = False
    """Whether the engine says in each tic what is on the player's screen."""
    goal: bool = False
    """Whether there is an exit to reach: then a scripted person goes there if nobody else plays."""


SCENARIOS = {
    scenario.name: scenario
    for scenario in (
        Scenario(
            name="deathmatch",
            config="cig.cfg",
            map="map01",
            args=(
                "-host 1",
                "-deathmatch",
                "+timelimit 5",
                # The engine respawns the dead by itself, so that no tic is skipped over.
                "+sv_forcerespawn 1",
                "+sv_spawnfarthest 1",
            ),
            bots=7,
        ),
        Scenario(
            name="map01",
            config="freedoom2.cfg",
            map="map01",
            buttons=(
                "MOVE_FORWARD_BACKWARD_DELTA",
                "MOVE_LEFT_RIGHT_DELTA",
                "TURN_LEFT_RIGHT_DELTA",
                "ATTACK",
                "USE",
                "SELECT_NEXT_WEAPON",
                "SELECT_PREV_WEAPON",
            ),
            variables=(
                ("health", "HEALTH"),
                ("armor", "ARMOR"),
                ("ammo", "SELECTED_WEAPON_AMMO"),
                ("weapon", "SELECTED_WEAPON"),
                ("bullets", "AMMO2"),
                ("shells", "AMMO3"),
                ("kills", "KILLCOUNT"),
                ("items", "ITEMCOUNT"),
                ("x", "POSITION_X"),
                ("y", "POSITION_Y"),
            ),
            looks=True,
            goal=True,
        ),
    )
}
"""The scenario with a name; `doom:` may come before the name."""


def find_scenario(name: str) -> Scenario:
    """The scenario of this name, with or without `doom:` before it.

    Raises:
        GameError: there is none; the message lists those there are.
    """
    scenario = SCENARIOS.get(name.removeprefix("doom:"))
    if scenario is None:
        known = ", ".join(f"doom:{known}" for known in SCENARIOS)
        raise GameError(f"{name!r} is no scenario of Doom; known are {known}")
    return scenario


def resolve(file: str, folder: Path) -> str:
    """The path of a scenario's file: absolute as given, or the one shipped in `folder`."""
    return str(folder / file)
