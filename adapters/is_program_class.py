"""Which classes are a program's own, rather than a library's."""

import sys

_LIBRARIES = frozenset({
    __name__.partition(".")[0], "builtins", "pygame", "pygame_gui", "numpy", "pymunk", "OpenGL",
    "moderngl", "PIL", "gymnasium", "pettingzoo", "mujoco", "torch", "scipy", "pandas", "cffi",
    "pyglet", "arcade",
})  # fmt: skip
_WITH_EXAMPLES = ("pygame", "arcade")
"""Libraries whose examples are programs."""


def is_program_class(kind: type) -> bool:
    """Whether a class is the program's rather than a library's."""
    module = str(getattr(kind, "__module__", "builtins"))
    top = module.partition(".")[0]
    if top in _WITH_EXAMPLES and module.startswith(f"{top}.examples."):
        return True
    return top not in _LIBRARIES and top not in sys.stdlib_module_names
