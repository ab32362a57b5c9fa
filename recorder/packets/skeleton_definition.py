"""The joints of a model, which are latched."""

import msgspec


class Skeleton(msgspec.Struct, frozen=True):
    """The joints of a model: latched once, while packets hold only matrices."""

    name: str
    joints: tuple[str, ...]
    parents: tuple[int, ...]
    """Index of each joint's parent; −1 for a root."""
