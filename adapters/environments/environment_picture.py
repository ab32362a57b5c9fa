"""The picture that an environment renders, for its recording. Imports no library."""

from collections.abc import Callable
from typing import Any


def renderer_of(env: Any) -> Callable[[], Any] | None:
    """What renders an environment as an array of pixels; None if it was not made with
    `render_mode="rgb_array"`.

    It is the innermost environment's own, since a wrapper that collects what is rendered would take
    this for its user's call. Of environments that are stepped together it is the first one's.
    """
    inner = getattr(env, "unwrapped", env)
    several = getattr(inner, "envs", None)
    if isinstance(several, list | tuple):
        return renderer_of(several[0]) if several else None
    if getattr(inner, "render_mode", None) != "rgb_array":
        return None
    render = getattr(inner, "render", None)
    return render if callable(render) else None
