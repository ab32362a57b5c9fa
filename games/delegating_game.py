"""A game around another one, which has all the members of the other."""

from typing import Any, ClassVar, Self


class _MemberOfGame:
    """An attribute of the game inside. What is set on the instance itself comes first."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, instance: Any, owner: type) -> Any:
        return self if instance is None else getattr(instance._game, self._name)


class DelegatingGame:
    """What a subclass does not have is the game's inside.

    Python's `isinstance` of a protocol does not ask `__getattr__` (since 3.12). Therefore each
    instance gets a class of its own, with one descriptor for each public member of the game.
    """

    shared: ClassVar[frozenset[str] | None] = None
    """The names of those members of the game that it has, too; None for all public ones."""
    _game: Any
    """The game inside."""

    def __new__(cls, game: Any, *_: Any, **__: Any) -> Self:
        names = cls.shared or {name for name in dir(game) if not name.startswith("_")}
        members = {
            name: _MemberOfGame(name)
            for name in names.intersection(dir(game)) if not hasattr(cls, name)
        }  # fmt: skip
        own: type[Self] = type(cls.__name__, (cls,), members)
        instance = super().__new__(own)
        instance._game = game
        return instance

    def __getattr__(self, name: str) -> Any:
        # While the game is not set yet, nothing can be asked of it.
        if name == "_game" or (self.shared is not None and name not in self.shared):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return getattr(self._game, name)
