"""Why something did not come, as lines of text."""

import math
from collections.abc import Iterator

from ...recorder.monotonic_timeline import exactly
from ...recorder.text.how_often_in_words import how_often
from ..trees.tree_text import value_text
from .why_not_answer import WhyNot, WhyNotObstacle

_MOST_VALUES = 12


def why_not_lines(found: WhyNot) -> Iterator[str]:
    """The answer, then each obstacle with its nearest miss."""
    whose = found.name or (f"object {found.agent}" if found.agent else "the world")
    stretch = f"frames {found.first} to {found.last}"
    if found.came:
        yield (
            f"{whose} · {found.decider}: {found.state} came {how_often(found.came)} in {stretch},"
            f" first in frame {found.came_first}"
        )
    else:
        yield f"{whose} · {found.decider}: {found.state} did not come in {stretch}"
    if found.comes_from:
        yield f"It can come from {', '.join(found.comes_from)} only"
    if not found.decisions:
        yield "Nothing was decided there: it was in that state, or nothing is recorded of it"
    width = max((len(one.what) for one in found.obstacles), default=0)
    for one in found.obstacles:
        yield f"  {one.what:<{width}}  {one.count:>6} of {found.decisions}  {miss_text(one)}"
    nearest = next(iter(found.obstacles), None)
    for one in found.obstacles:
        if one.nearest.lacks is not None and math.isfinite(one.nearest.lacks):
            nearest = one
            break
    if nearest is not None and nearest.kind in ("condition", "node"):
        miss = nearest.nearest
        yield f"Nearest miss of {nearest.what}: frame {miss.frame} at {exactly(miss.time)} s"
        values = list(miss.values.items())
        yield from (f"  {name} = {value_text(value)}" for name, value in values[:_MOST_VALUES])
        if len(values) > _MOST_VALUES:
            yield f"  and {len(values) - _MOST_VALUES} more values"
    yield from (f"note: {line}" for line in found.notes)


def miss_text(one: WhyNotObstacle) -> str:
    """When it came nearest, and how near."""
    miss = one.nearest
    if one.kind in ("state", "order"):
        return f"last in frame {one.last}"
    where = f"frame {miss.frame}, {exactly(miss.time)} s"
    if miss.lacks is None:
        return f"last: {where}: {miss.reason}"
    if math.isinf(miss.lacks):
        return f"never near; last: {where}: {miss.reason}"
    return f"nearest: {where}, by {miss.lacks:.3g}: {miss.reason}"
