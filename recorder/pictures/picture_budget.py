"""Decides when the next picture of a name is due, within a budget of bytes a second."""

from .picture_settings import PictureSettings

MOST_NAMES = 16
"""Pictures of more names than this are refused: what is remembered of each may not grow."""
PICTURES_IN_SECOND = 4
"""Pictures are made smaller where the budget has not so many of them in a second."""
FUNCTION_SHARE = 0.05
"""The share of real time that functions which make pictures may take …"""
AT_ONCE = 0.5
"""… but for so many seconds at the beginning, or after a rest."""
_FIRST_SIZE = 16 << 10
"""Bytes that a picture is taken to have before the first one is compressed."""
_REST_AFTER_FAILURE = 1.0
"""Timeline seconds for which a picture is not asked for after it could not be had."""


class FunctionTime:
    """The real time that functions which make pictures may take, so that no slow one slows a game.

    They have `AT_ONCE` seconds to begin with, so that a short run has all its pictures, and from
    then on the share `FUNCTION_SHARE` of the time that passes.
    """

    def __init__(self) -> None:
        self._left = AT_ONCE
        self._counted: float | None = None

    def is_left(self, now: float) -> bool:
        """Whether another function may be called, at an instant of a clock of real time."""
        if self._counted is not None:
            passed = max(now - self._counted, 0.0)
            self._left = min(self._left + passed * FUNCTION_SHARE, AT_ONCE)
        self._counted = now
        return self._left > 0.0

    def spent(self, seconds: float) -> None:
        """A function has taken so long."""
        self._left -= seconds


class PictureStream:
    """The pictures of one name: when the next one is due, and how large it may be."""

    def __init__(self, share: float) -> None:
        self.size = float(_FIRST_SIZE)
        """Bytes of the newest picture."""
        self.divisor = 1
        """What its sides are divided by for the sake of the budget."""
        self._bytes = max(share, self.size)
        """What may be spent now: enough for the first one in any case."""
        self._counted = float("-inf")
        """The instant up to which the budget was counted, timeline seconds."""
        self._taken = float("-inf")
        self._rests_until = float("-inf")

    def is_due(self, now: float, share: float, interval: float) -> bool:
        """Whether a picture of an instant is to be recorded.

        Args:
            now: Timeline seconds.
            share: The bytes of a second.
            interval: The least seconds between two pictures.
        """
        if now < self._counted:  # the timeline never runs back, but the recording may be another
            self._taken = self._rests_until = float("-inf")
        elif self._counted > float("-inf"):
            # A picture larger than the share of a second has to be saved for.
            most = max(share, self.size)
            self._bytes = min(self._bytes + (now - self._counted) * share, most)
        self._counted = now
        is_time = now - self._taken >= interval * (1.0 - 1e-6) and now >= self._rests_until
        return is_time and self._bytes >= self.size

    def taken(self, now: float) -> None:
        """A picture of this instant is being compressed: it is taken to be as large as the last."""
        self._taken = now
        self._bytes -= self.size

    def returned(self) -> None:
        """There will be no such picture."""
        self._bytes += self.size

    def failed(self, now: float) -> None:
        """A picture of this instant could not be had: others are not asked for at once."""
        self._rests_until = now + _REST_AFTER_FAILURE

    def compressed(self, size: int, divisor: int, target_size: float) -> None:
        """A picture has become so many bytes, with its sides divided by `divisor`."""
        self._bytes += self.size - size
        self.size, self.divisor = float(size), divisor
        if divisor > 1:
            larger = size * (divisor / (divisor - 1)) ** 2
            self.divisor -= larger < target_size / 2


class PictureBudget:
    """The streams of all names, which share the bytes of a second. For use under one lock."""

    def __init__(self, settings: PictureSettings, room: int) -> None:
        self._bytes_per_second = settings.bytes_per_second(room)
        self._interval = 1.0 / settings.per_second
        self.streams: dict[str, PictureStream] = {}

    @property
    def share(self) -> float:
        """The bytes of a second that each name has."""
        return self._bytes_per_second / max(len(self.streams), 1)

    @property
    def target_size(self) -> float:
        """The bytes that a picture shall have at most, so that there are several in a second."""
        return self.share / PICTURES_IN_SECOND

    def stream(self, name: str) -> PictureStream | None:
        """The pictures of a name; None if there are too many names."""
        found = self.streams.get(name)
        if found is None and len(self.streams) < MOST_NAMES:
            found = self.streams[name] = PictureStream(
                self._bytes_per_second / (len(self.streams) + 1)
            )
        return found

    def is_due(self, stream: PictureStream, now: float) -> bool:
        """Whether a picture of an instant is to be recorded."""
        return stream.is_due(now, self.share, self._interval)
