"""pad_replay: the demo's pad row by row, for a short time."""

from ..agent_context import PlaythroughAgentContext
from ..engine_axes import PlanPoint, plan_distance
from ..observation_view import ObservationView
from ..pad.pad_playback import replay_walk
from ..route.blocked_path_recovery import move_recovery
from ..route.interaction_pose import interaction_pose
from ..route.row_tasks import why_not_ready
from ..state_names import MOVE, REPLAY
from .agent_state import PlaythroughAgentState


class PadReplay(PlaythroughAgentState):
    """Replays `pad_replay_numb` rows from the start; a further start in them begins it again, if
    the game is ready for it."""

    name = REPLAY

    def __init__(self, context: PlaythroughAgentContext, view: ObservationView) -> None:
        super().__init__(context, view)
        context.memory.pad_replay_numb = context.settings.pad_replay.frames
        context.walker.forget()
        self._first = self._row = context.memory.row
        self._moved = interaction_pose(context, view, self._first).moved
        self._over = False
        self._waits = self._flew = 0
        self._moment = self._first
        """The row that it was begun for: of a press, or of a jump."""

    def step(self, context: PlaythroughAgentContext, view: ObservationView) -> bool:
        memory = context.memory
        if self._over:
            return self._verify(context, view)
        row = self._row
        memory.reach(row)
        start = context.route.starts.get(row)
        if row != self._first and start is not None:
            if not view.seen.in_air and why_not_ready(context, start, view):
                context.change(MOVE, view, won="not_ready")
                return True
            memory.pad_replay_numb = context.settings.pad_replay.frames
        if start is not None:
            lead = context.settings.pad_replay.lead if start.lead is None else start.lead
            self._moment = row + (lead or 0)
        if self._yields(context, view):
            self._leave(context, view, "enemy_in_range")
            return True
        replay_walk(context, view, row, self._first)
        self._row += 1
        memory.pad_replay_numb = max(0, memory.pad_replay_numb - 1)
        self._over = self._ends(context, row)
        if self._over and not self._flying(context, view) and not self._lacking(context, view):
            self._leave(context, view, "time_is_up")
        return False

    def _yields(self, context: PlaythroughAgentContext, view: ObservationView) -> bool:
        """Whether what it was begun for is done, and an enemy is there."""
        after = context.settings.pad_replay.fights
        return (
            after is not None and self._row > self._moment + after and not view.seen.in_air
            and bool(context.targets.enemies(view)) and not self._lacking(context, view)
        )  # fmt: skip

    def _ends(self, context: PlaythroughAgentContext, row: int) -> bool:
        route, gate = context.route, context.events.gate
        if row >= route.part_end(row) or (gate is not None and row >= gate.start):
            return True
        if context.memory.pad_replay_numb > 0:
            return False
        return not (context.settings.pad_replay.airborne and route.in_air[row])

    def _leave(self, context: PlaythroughAgentContext, view: ObservationView, won: str) -> None:
        context.memory.replayed = context.memory.row
        start = context.route.starts.get(self._first)
        if start is not None and start.outcome:
            context.memory.deeds_done.add(self._first)
        context.change(MOVE, view, won=won)

    def _lacking(self, context: PlaythroughAgentContext, view: ObservationView) -> str:
        """What is not as it was in the demo."""
        row = self._row - 1
        point = self._place(context)
        off, higher = plan_distance(view.point, point), view.point[2] - point[2]
        settings, beside = context.settings, any(self._moved)  # there other things are in the way
        if not beside and (off > settings.pad_replay.drift or abs(higher) > settings.moving.height):
            return (
                f"{off:.1f} m off and {higher:+.1f} m above row {row} after the replay from row"
                f" {self._first}"
            )
        extras = view.seen.extras
        lacking = {
            column: context.route.value(row, column)
            for column in settings.pad_replay.verify
            if column in context.route.own
            and extras.get(column) != context.route.value(row, column)
        }
        start = context.route.starts.get(self._first)
        if start is not None and start.outcome:
            changes = context.route.decided(self._first, row)
            lacking |= {
                one.column: one.after for one in changes if not one.holds(extras.get(one.column))
            }
        for column, expected in lacking.items():
            return f"{column} is {extras.get(column)!r}, in the demo's row {row} it is {expected}"
        return ""

    def _place(self, context: PlaythroughAgentContext) -> PlanPoint:
        """Where the player has to be after the newest row that was replayed."""
        x, y, z = context.route.point(self._row - 1)
        return x + self._moved[0], y + self._moved[1], z

    def _flying(self, context: PlaythroughAgentContext, view: ObservationView) -> bool:
        """Whether the player is in the air still, and the demo's was not."""
        return view.seen.in_air and not context.route.in_air[self._row - 1]

    def _verify(self, context: PlaythroughAgentContext, view: ObservationView) -> bool:
        """What was done may be seen later only; what is still lacking then is done again."""
        self._flew += 1
        if self._flying(context, view) and self._flew <= context.settings.pad_replay.wait:
            context.walker.approach(
                view, self._place(context), REPLAY, radius=context.settings.moving.exact, exact=True
            )
            return False
        lacking = self._lacking(context, view)
        self._waits += 1
        if not lacking:
            self._leave(context, view, "as_in_the_demo")
            return True
        if self._waits > context.settings.events.settle:
            context.change(MOVE, view, won="not_as_in_the_demo")
            context.memory.row = context.memory.target_row = self._first
            end = self._place(context)
            if plan_distance(view.point, end) > context.settings.moving.exact:
                context.memory.shift(self._first, end[0] - view.point[0], end[1] - view.point[1])
            move_recovery(context, view, lacking, here=True)
        return False
