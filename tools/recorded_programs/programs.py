"""Twenty-two programs of other people that know nothing of playhead, as their packages ship them.

Some are a few lines that run what a package ships.
"""

from pathlib import Path
from typing import NamedTuple

SCRIPTS = Path(__file__).parent / "scripts"


class ListedProgram(NamedTuple):
    """A program, as its package ships it; or a few lines that run what its package ships."""

    package: str
    arguments: str
    """What comes after `playhead record`."""
    lines: str = ""
    """Of a script of a few lines: what it runs."""
    watched: str = "none"
    """The libraries whose steps are part of its outcome."""

    @property
    def name(self) -> str:
        """What the table calls it."""
        return self.lines or f"`{self.arguments}`"

    @property
    def stem(self) -> str:
        """The name of its files."""
        parts = self.arguments.split()[-1 if self.lines else 1].removesuffix(".py").split(".")
        return f"{self.package}-{parts[-2] if parts[-1] == 'manual_policy' else parts[-1]}"

    @property
    def command(self) -> list[str]:
        """Its arguments, with the paths of scripts."""
        if self.lines:
            return [str(SCRIPTS / self.arguments)]
        return self.arguments.split()


PROGRAMS = (
    ListedProgram("pygame-ce", "-m pygame.examples.aliens", watched="pygame"),
    ListedProgram("pygame-ce", "-m pygame.examples.chimp", watched="pygame"),
    ListedProgram("pygame-ce", "-m pygame.examples.moveit", watched="pygame"),
    ListedProgram("pygame-ce", "-m pygame.examples.testsprite", watched="pygame"),
    ListedProgram("pygame-ce", "-m pygame.examples.stars", watched="pygame"),
    ListedProgram("pygame-ce", "-m pygame.examples.go_over_there", watched="pygame"),
    ListedProgram("pymunk", "-m pymunk.examples.breakout", watched="pygame+pymunk"),
    ListedProgram("pymunk", "-m pymunk.examples.newtons_cradle /i", watched="pygame+pymunk"),
    ListedProgram("pymunk", "-m pymunk.examples.tank", watched="pygame+pymunk"),
    ListedProgram("pymunk", "-m pymunk.examples.platformer", watched="pygame+pymunk"),
    ListedProgram("gymnasium", "-m gymnasium.envs.box2d.lunar_lander"),
    ListedProgram("gymnasium", "-m gymnasium.envs.box2d.car_racing", watched="pygame"),
    ListedProgram("gymnasium", "cartpole.py", "CartPole-v1, random actions"),
    ListedProgram("gymnasium", "frozen_lake.py", "FrozenLake-v1, random actions"),
    ListedProgram("gymnasium", "ant.py", "Ant-v5 (MuJoCo), random actions", watched="mujoco"),
    ListedProgram("mujoco", "humanoid.py", "Gymnasium's humanoid.xml, mj_step", watched="mujoco"),
    ListedProgram(
        "pettingzoo",
        "-m pettingzoo.butterfly.knights_archers_zombies.manual_policy",
        watched="pygame",
    ),
    ListedProgram("pettingzoo", "pistonball.py", "pistonball_v6, parallel, random actions"),
    ListedProgram("pettingzoo", "connect_four.py", "connect_four_v3, turns, random actions"),
    ListedProgram("arcade", "-m arcade.examples.sprite_collect_coins", watched="arcade"),
    ListedProgram("arcade", "-m arcade.examples.asteroid_smasher", watched="arcade"),
    ListedProgram("freegames", "-m freegames.snake"),
)
