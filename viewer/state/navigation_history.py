"""The navigation history: where the playhead was before each jump, for back and forward."""

_MOST = 100


class NavigationHistory:
    """Frames that were left by a jump, to go back to and forward again."""

    def __init__(self) -> None:
        self._back: list[int] = []
        self._forward: list[int] = []

    def leave(self, frame: int) -> None:
        """A frame is left by a jump; what lay ahead is forgotten."""
        if not self._back or self._back[-1] != frame:
            self._back.append(frame)
            del self._back[:-_MOST]
        self._forward.clear()

    def go(self, direction: int, frame: int) -> int | None:
        """Where to go from a frame, back or forward; None if there is nothing there."""
        source, other = self._back, self._forward
        if direction > 0:
            source, other = other, source
        while source:
            found = source.pop()
            if found != frame:
                other.append(frame)
                return found
        return None
