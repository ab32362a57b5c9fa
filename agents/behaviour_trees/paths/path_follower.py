"""The path of one body to its goal: requested, awaited without stopping the game, followed."""

import math
from typing import Literal, NamedTuple

from ....games.tree_body_interface import Place, Point
from .path_client import PathClient
from .path_messages import PathAnswer

State = Literal["none", "pending", "found", "unreachable", "lost"]
STALE = 1.0
"""Seconds after which an answer whether there is a way is asked for again."""
AGAIN = 0.25
"""Seconds that are at least between two requests for the way to the same goal."""
OFF_WAY = 4.0
"""Cells off the way, or off the goal that was asked for, at which it is asked for again."""
STILL = 1.5
"""Seconds without getting on after which the way is asked for again."""


class Way(NamedTuple):
    """What is known of the way."""

    state: State
    ahead: Point | None = None
    """The next point of it."""


class _Whether(NamedTuple):
    request: int
    asked: float
    goal: Place
    state: State


class PathFollower:
    """Finds the ways of one body.

    Args:
        paths: The path search; None where no map is known: then every way is straight.
        cell: From one cell of the map to the next.
        answer_after: Seconds of game time after which an answer is taken, and waited for if it has
            not come. So the same run gets the same answers at the same time, however long the
            search took. None for a game that runs in real time: it never waits.
    """

    def __init__(
        self, paths: PathClient | None, cell: float = 1.0, answer_after: float | None = None
    ) -> None:
        self._paths, self._cell, self._answer_after = paths, cell, answer_after
        self._whether: dict[str, _Whether] = {}
        self.forget()

    def forget(self) -> None:
        """Give the way up."""
        self.points: list[Point] = []
        """What is left of the way."""
        self._goal: Place | None = None
        """The goal that the way leads to, or was asked for."""
        self._state: State = "none"
        self._request = 0
        self._asked = -math.inf

    def go(self, here: Place, goal: Place, now: float, still: float) -> Way:
        """What to do now to get to a goal."""
        if self._paths is None:
            self._state = "found"
            return Way("found", (goal[0], goal[1]))
        if self._goal is None or math.dist(self._goal[:2], goal[:2]) > 40 * self._cell:
            self.forget()
        self._take(now)
        may_ask = not self._request and now - self._asked >= AGAIN
        if may_ask and self._is_old(here, goal, now, still):
            self._request = self._paths.request(here, goal)
            self._asked, self._goal = now, goal
            if self._state != "found":
                self._state = "pending"
        return Way(self._state, self._ahead(here, goal) if self._state == "found" else None)

    def is_reachable(self, key: str, here: Place, goal: Place, now: float) -> State:
        """Whether there is a way; `pending` until that is known. `key` is what asks."""
        if self._paths is None:
            return "found"
        known = self._whether.get(key)
        if known is None or math.dist(known.goal[:2], goal[:2]) > self._cell:
            known = self._ask_whether(here, goal, now, "pending")
        elif known.request:
            answer = self._answer(known.request, known.asked, now)
            if answer is not None:
                state: State = "lost" if answer.status == "timed out" else answer.status
                known = known._replace(request=0, state=state)
        elif now - known.asked >= STALE:
            known = self._ask_whether(here, goal, now, known.state)
        self._whether[key] = known
        return known.state

    def _ask_whether(self, here: Place, goal: Place, now: float, state: State) -> _Whether:
        assert self._paths is not None
        request = self._paths.request(here, goal, only_whether=True)
        return _Whether(request, now, goal, state)

    def _answer(self, request: int, asked: float, now: float) -> PathAnswer | None:
        assert self._paths is not None
        if self._answer_after is None:
            return self._paths.answer(request)
        return self._paths.wait(request) if now - asked >= self._answer_after else None

    def _take(self, now: float) -> None:
        """Take the answer, if there is one by now."""
        if not self._request:
            return
        answer = self._answer(self._request, self._asked, now)
        if answer is None:
            return
        self._request = 0
        if answer.status == "found":
            self._state, self.points = "found", list(answer.points)
        else:
            self._state = "unreachable" if answer.status == "unreachable" else "lost"
            self.points = []

    def _is_old(self, here: Place, goal: Place, now: float, still: float) -> bool:
        """Whether what is known of the way does not hold any more."""
        if self._goal is None:
            return True
        far = OFF_WAY * self._cell
        moved = math.dist(self._goal[:2], goal[:2])
        left = math.dist(here[:2], goal[:2])
        if moved > min(far, max(self._cell, 0.25 * left)):
            return True
        if self._state in ("unreachable", "lost"):
            return now - self._asked >= STALE
        return still >= STILL and now - self._asked >= STILL

    def _ahead(self, here: Place, goal: Place) -> Point:
        while self.points and math.dist(self.points[0], here[:2]) < 0.5 * self._cell:
            self.points.pop(0)
        if len(self.points) > 1:
            return self.points[0]
        return (goal[0], goal[1])
