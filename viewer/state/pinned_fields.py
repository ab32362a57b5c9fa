"""What a user has pinned: starred fields, lanes and plots of fields, objects."""

from collections.abc import Mapping
from enum import Enum
from typing import Any, NamedTuple, TypeVar

_T = TypeVar("_T")


class ObjectField(NamedTuple):
    """A field of an object, or a watched value of it."""

    object: int
    name: str
    watch: bool = False


Group = tuple[ObjectField, ...]
"""Fields that share one axis."""


class PlotKind(Enum):
    """What a plot has across."""

    TIME = "time"
    XY = "xy"
    """Another field, or of a vector its first part."""
    HISTOGRAM = "histogram"
    """The values themselves; upward is how often each was recorded."""


class PlotStyle(NamedTuple):
    """A user's choices for a plot."""

    kind: PlotKind = PlotKind.TIME
    log: bool = False
    """Whether its axis of values is logarithmic."""
    span: tuple[float, float] | None = None
    """The lower and the upper end of that axis, as logarithms if it is logarithmic; None: all."""


class PinnedFields:
    """Picks are toggled: what is picked already is dropped."""

    def __init__(self) -> None:
        self.stars: dict[str, tuple[str, ...]] = {}
        """The names of fields that objects show on top, by type."""
        self.lanes: tuple[ObjectField, ...] = ()
        """What has a lane in the timeline."""
        self.plot_groups: tuple[Group, ...] = ()
        """What is plotted, from top to bottom; without any, what the selected object has."""
        self.plot_styles: dict[Group, PlotStyle] = {}
        """The styles of plots that differ from the default."""
        self.objects: tuple[int, ...] = ()
        """Whose lanes stay on top when another one is selected."""

    def star(self, type: str, name: str) -> None:
        """Show a field on top for all objects of a type."""
        self.stars[type] = _toggled(self.stars.get(type, ()), name)

    def lane(self, field: ObjectField) -> None:
        """Give a field a lane in the timeline."""
        self.lanes = _toggled(self.lanes, field)

    @property
    def plots(self) -> Group:
        """All fields that are plotted with any selection."""
        return tuple(field for group in self.plot_groups for field in group)

    def plot(self, field: ObjectField) -> None:
        """Plot a field with any selection."""
        if field in self.plots:
            self.plot_groups = without(self.plot_groups, field)
        else:
            self.plot_groups = (*self.plot_groups, (field,))

    def clear_plots(self) -> None:
        """Plot what the selected object has."""
        self.plot_groups = ()

    def style_plot(self, group: Group, style: PlotStyle) -> None:
        """Have a plot look like this."""
        self.plot_styles[group] = style

    def pin(self, object: int) -> None:
        """Keep an object's lanes on top."""
        self.objects = _toggled(self.objects, object)

    @property
    def facts(self) -> dict[str, Any]:
        """The values to be saved for other recordings: those that go by type."""
        return {"stars": {type: list(names) for type, names in self.stars.items() if names}}

    def take(self, facts: Mapping[str, Any]) -> None:
        """Take saved values; malformed ones are left out."""
        stars = facts.get("stars", {})
        if isinstance(stars, Mapping):
            self.stars = {
                str(type): tuple(str(name) for name in names)
                for type, names in stars.items()
                if isinstance(names, list | tuple)
            }


def _toggled(row: tuple[_T, ...], one: _T) -> tuple[_T, ...]:
    return tuple(each for each in row if each != one) if one in row else (*row, one)


def without(groups: tuple[Group, ...], field: ObjectField) -> tuple[Group, ...]:
    """Plots without a field."""
    left = (tuple(one for one in group if one != field) for group in groups)
    return tuple(group for group in left if group)


def placed(
    groups: tuple[Group, ...], field: ObjectField, at: int, *, shared: bool
) -> tuple[Group, ...]:  # fmt: skip
    """Plots with a field moved to another plot; it leaves the one where it was.

    Args:
        at: The plot whose axis it is to share, or in front of which it gets one of its own.
    """
    emptied = [tuple(one for one in group if one != field) for group in groups]
    if shared and at < len(emptied):
        emptied[at] = (*emptied[at], field)
    else:
        emptied.insert(at, (field,))
    return tuple(group for group in emptied if group)


def joined_groups(groups: tuple[Group, ...], at: int) -> tuple[Group, ...]:
    """Plots of which one shares the axis of the plot above it."""
    return (*groups[: at - 1], groups[at - 1] + groups[at], *groups[at + 1 :])


def split_groups(groups: tuple[Group, ...], at: int) -> tuple[Group, ...]:
    """Plots of which one is taken apart, each of its fields for itself."""
    return (*groups[:at], *((field,) for field in groups[at]), *groups[at + 1 :])
