"""What a library's adapter needs of the session whose steps it begins and ends."""

from typing import Protocol

from ..recorder.recorder import Recorder


class StepHost(Protocol):
    """A session that records a step between `open_step` and `close_step`."""

    @property
    def recorder(self) -> Recorder: ...

    @property
    def closed(self) -> bool: ...

    def open_step(self) -> None: ...

    def close_step(self, dt: float | None) -> None: ...
