"""The picture that an environment renders, for its recording. Imports no library."""

import weakref
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


class BorrowingRenderer:
    """Renders an environment that was made without a render mode: it borrows the mode
    `rgb_array` for that moment. It does not keep the environment alive.

    Args:
        env: An environment whose `render_mode` is None or `rgb_array`.
        failed: Called once, with the error, if it can't be rendered so; it is not tried again.
    """

    def __init__(self, env: Any, failed: Callable[[Exception], object]) -> None:
        self._env = weakref.ref(env)
        self._failed: Callable[[Exception], object] | None = failed

    @classmethod
    def of(cls, env: Any, failed: Callable[[Exception], object]) -> "BorrowingRenderer | None":
        """One for an environment, or for the first of several; None if it draws by itself, or
        can't draw pixels."""
        inner = getattr(env, "unwrapped", env)
        several = getattr(inner, "envs", None)
        if isinstance(several, list | tuple):
            return cls.of(several[0], failed) if several else None
        mode = getattr(inner, "render_mode", None)
        modes = getattr(inner, "metadata", {}).get("render_modes", ())
        if mode not in (None, "rgb_array") or "rgb_array" not in modes:
            return None
        return cls(inner, failed)

    def __call__(self) -> Any:
        """The pixels, or None if it gives none."""
        env = self._env()
        if env is None or self._failed is None:
            return None
        before = env.render_mode
        env.render_mode = "rgb_array"
        try:
            return env.render()
        except Exception as error:
            failed, self._failed = self._failed, None
            failed(error)
            return None
        finally:
            env.render_mode = before
