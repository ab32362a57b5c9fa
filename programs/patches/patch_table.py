"""Which module is patched by what, as soon as the program imports it."""

from collections.abc import Callable
from types import ModuleType

from ..import_hooks import Patch
from ..unmodified_program_recorder import ProgramRecorder
from .arcade_patch import patch_window
from .environment_patch import patch_gymnasium, patch_gymnasium_vector, patch_pettingzoo
from .physics_patch import patch_mujoco, patch_pymunk
from .pygame_patch import patch_display, patch_sprite

_PATCHES: dict[str, Callable[[ModuleType, ProgramRecorder], object]] = {
    "arcade.application": patch_window,
    "pygame.display": patch_display,
    "pygame.sprite": patch_sprite,
    "pymunk.space": patch_pymunk,
    "mujoco": patch_mujoco,
    "gymnasium.core": patch_gymnasium,
    "gymnasium.vector.vector_env": patch_gymnasium_vector,
    "pettingzoo.utils.env": patch_pettingzoo,
}


def patches_for(recorder: ProgramRecorder) -> dict[str, Patch]:
    """The patches, by the module that each is for."""

    def bound(patch: Callable[[ModuleType, ProgramRecorder], object]) -> Patch:
        return lambda module: patch(module, recorder)

    return {name: bound(patch) for name, patch in _PATCHES.items()}
