"""What a person has picked out: fields on top, lanes and plots of fields, pinned objects."""

from collections.abc import Mapping
from typing import Any, NamedTuple, TypeVar

_T = TypeVar("_T")


class Field(NamedTuple):
    """A field of an object, or a watched value of it."""

    object: int
    name: str
    watch: bool = False


class Picks:
    """Picks are toggled: what is picked already is dropped."""

    def __init__(self) -> None:
        self.stars: dict[str, tuple[str, ...]] = {}
        """By type: the names of fields that its objects show on top."""
        self.lanes: tuple[Field, ...] = ()
        """What has a lane in the timeline."""
        self.plots: tuple[Field, ...] = ()
        """What is plotted; without any, what the selected object has."""
        self.objects: tuple[int, ...] = ()
        """Whose lanes stay on top when another one is selected."""

    def star(self, type: str, name: str) -> None:
        """Show a field on top for all objects of a type."""
        self.stars[type] = _toggled(self.stars.get(type, ()), name)

    def lane(self, field: Field) -> None:
        """Give a field a lane in the timeline."""
        self.lanes = _toggled(self.lanes, field)

    def plot(self, field: Field) -> None:
        """Plot a field whoever is selected."""
        self.plots = _toggled(self.plots, field)

    def clear_plots(self) -> None:
        """Plot what the selected object has."""
        self.plots = ()

    def pin(self, object: int) -> None:
        """Keep an object's lanes on top."""
        self.objects = _toggled(self.objects, object)

    @property
    def facts(self) -> dict[str, Any]:
        """All that can be kept for another recording: what goes by type."""
        return {"stars": {type: list(names) for type, names in self.stars.items() if names}}

    def take(self, facts: Mapping[str, Any]) -> None:
        """Take what was kept; what makes no sense is left out."""
        told = facts.get("stars", {})
        if isinstance(told, Mapping):
            self.stars = {
                str(type): tuple(str(name) for name in names)
                for type, names in told.items()
                if isinstance(names, list | tuple)
            }


def _toggled(row: tuple[_T, ...], one: _T) -> tuple[_T, ...]:
    return tuple(each for each in row if each != one) if one in row else (*row, one)
