"""pad_replay: the demo's pad row by row, for a short time."""

from typing import TYPE_CHECKING

from ..engine_axes import apart
from ..pad_playback import replay_walk
from ..route_follower import move_recovery
from ..state_transitions import MOVE, REPLAY
from .state import State

if TYPE_CHECKING:
    from ..observation_view import ObservationView
    from ..playthrough_agent import PlaythroughAgent


class PadReplay(State):
    """Replays `pad_replay_numb` rows from the start; a further start in them begins it anew, if
    the game is ready for it."""

    name = REPLAY

    def __init__(self, agent: "PlaythroughAgent", sight: "ObservationView") -> None:
        super().__init__(agent, sight)
        agent.pad_replay_numb = agent.settings.pad_replay.frames
        agent.walker.forget()
        self._first = self._row = agent.row
        self._over = False
        self._waits = self._flew = 0

    def step(self, agent: "PlaythroughAgent", sight: "ObservationView") -> bool:
        if self._over:
            return self._verify(agent, sight)
        row = self._row
        agent.reach(row)
        start = agent.route.starts.get(row)
        if row != self._first and start is not None:
            if not sight.seen.in_air and agent.unready(start, sight):
                agent.change(MOVE, sight, won="not_ready")
                return True
            agent.pad_replay_numb = agent.settings.pad_replay.frames
        replay_walk(agent, sight, row)
        self._row += 1
        agent.pad_replay_numb = max(0, agent.pad_replay_numb - 1)
        self._over = self._ends(agent, row)
        if self._over and not self._flying(agent, sight) and not self._lacking(agent, sight):
            self._leave(agent, sight, "time_is_up")
        return False

    def _ends(self, agent: "PlaythroughAgent", row: int) -> bool:
        route, gate = agent.route, agent.events.gate
        if row >= route.part_end(row) or (gate is not None and row >= gate.start):
            return True
        if agent.pad_replay_numb > 0:
            return False
        return not (agent.settings.pad_replay.airborne and route.in_air[row])

    def _leave(self, agent: "PlaythroughAgent", sight: "ObservationView", won: str) -> None:
        agent.replayed = agent.row
        agent.change(MOVE, sight, won=won)

    def _lacking(self, agent: "PlaythroughAgent", sight: "ObservationView") -> str:
        """What is not as it was in the demo."""
        row = self._row - 1
        place = agent.route.place(row)
        off, higher = apart(sight.place, place), sight.place[2] - place[2]
        if off > agent.settings.pad_replay.drift or abs(higher) > agent.settings.moving.height:
            return (
                f"{off:.1f} m off and {higher:+.1f} m above row {row} after the replay from row"
                f" {self._first}"
            )
        for column in agent.settings.pad_replay.verify:
            if column in agent.route.own:
                wanted, told = agent.route.told(row, column), sight.seen.extras.get(column)
                if told != wanted:
                    return f"{column} is {told!r}, in the demo's row {row} it is {wanted}"
        return ""

    def _flying(self, agent: "PlaythroughAgent", sight: "ObservationView") -> bool:
        """Whether the player is in the air still, and the demo's was not."""
        return sight.seen.in_air and not agent.route.in_air[self._row - 1]

    def _verify(self, agent: "PlaythroughAgent", sight: "ObservationView") -> bool:
        """What was done may be seen later only; what is still lacking then is done again."""
        self._flew += 1
        if self._flying(agent, sight) and self._flew <= agent.settings.pad_replay.wait:
            place = agent.route.place(self._row - 1)
            agent.walker.approach(
                sight, place, REPLAY, radius=agent.settings.moving.exact, exact=True
            )
            return False
        lacking = self._lacking(agent, sight)
        self._waits += 1
        if not lacking:
            self._leave(agent, sight, "as_in_the_demo")
            return True
        if self._waits > agent.settings.events.settle:
            agent.change(MOVE, sight, won="not_as_in_the_demo")
            agent.row = agent.target_row = self._first
            move_recovery(agent, sight, lacking, here=True)
        return False
