"""The playthrough agent: follows a demo through a game, and sees only observations."""

from collections.abc import Callable
from random import Random

from ...games.playable_interface import Observation
from ...playback.pads.pad import NEUTRAL, Pad
from ...recorder.statements.instrumentation_interface import (
    NULL_INSTRUMENTATION,
    Instrumentation,
    Rejected,
)
from ...recorder.world_adapter import Conventions
from ..recorded_demo import INTERVAL, Demo
from .agent_context import PlaythroughAgentContext
from .agent_memory import AgentMemory
from .custom_state_failures import StateGuard
from .debug_call_rules import DebugCall, DebugRules
from .dialogue.event_matcher import EventLog
from .dialogue.screen_skipper import ScreenDriver
from .engine_axes import EngineGeometry, plan_distance
from .observation_view import ObservationView
from .ordered_agent_states import PlaythroughAgentStates
from .pad.button_presser import ButtonPresser
from .pad.input_latency_estimator import PadDelay
from .playthrough_settings import AgentSettings
from .replay_report import Kind, ReplayFailure, ReplayReport
from .route.demo_route import DemoEvent, DemoRoute
from .route.game_pathfinding import FindPath, no_path
from .route.redo_missed_events import redo_from
from .route.row_tasks import opening_here, start_here
from .route.walk_to_place import Walker
from .state_names import MESSAGE, MOVE, UNLIMITED
from .state_transitions import check_state_transition, maker_of, situation_of
from .states.agent_state import PlaythroughAgentState
from .target_choice import TargetChooser
from .trace_writer import TraceWriter

CHAIN = 4
"""The most states that one frame may pass through."""


class PlaythroughAgent:
    """Plays one demo: `step` is called once each communication frame.

    Args:
        demo: The demo to follow.
        settings: For the game that is played.
        instruments: Its traces go there.
        agent: The id of the object that it plays, for the traces.
        rng: Source of random numbers; the same seed gives the same replay.
        clock: The game time (seconds) of its frames; None counts them.
        states: Its states and their conditions; the usual ones by default.
        conventions: How the game's positions are to be read, if the settings leave that to it.
        sticks: The same for its sticks.
        debug: Calls a debug function of the game.
        find_path: Asks the game for a way, for games that know where one can walk.

    Raises:
        AgentError: the states don't fit together.
    """

    def __init__(
        self, demo: Demo, settings: AgentSettings, *,
        instruments: Instrumentation = NULL_INSTRUMENTATION, agent: int = 0,
        rng: Random | None = None, clock: Callable[[], float] | None = None,
        states: PlaythroughAgentStates | None = None, conventions: Conventions | None = None,
        sticks: str = "world", debug: DebugCall = lambda name, argument: None,
        find_path: FindPath = no_path,
    ) -> None:  # fmt: skip
        self._states = PlaythroughAgentStates() if states is None else states
        self._table = self._states.table
        self._maker = maker_of(self._table)
        self._guard = StateGuard() if self._states.are_own else None
        geometry = EngineGeometry(settings.engine, conventions, sticks)
        route = DemoRoute(demo, settings, geometry)
        report = ReplayReport(demo.name, len(demo))
        events = EventLog(route, settings.events, report)
        memory = AgentMemory(settings)
        presser = ButtonPresser()
        walker = Walker(settings, geometry, presser)
        trace = TraceWriter(
            instruments, agent, geometry=geometry, route=route, memory=memory, events=events,
            report=report, walker=walker, game_time=self._game_time,
            segments=settings.showing.segments, states=self._states.names,
        )  # fmt: skip
        self.report = report
        self.memory = memory
        self.context = PlaythroughAgentContext(
            settings=settings, geometry=geometry, route=route, memory=memory, events=events,
            report=report, presser=presser, walker=walker,
            targets=TargetChooser(settings, geometry, report, trace), trace=trace,
            debug=DebugRules(
                settings.debug, debug, route=route, memory=memory, report=report, trace=trace
            ),
            find_path=find_path, rng=rng or Random(0), change_state=self._change,
        )  # fmt: skip
        self._clock = clock
        self._delay = PadDelay(settings.engine.facing == "turn")
        self._popups = ScreenDriver(settings.orders, popups=True)
        self._wrong_level = 0
        self._restarted = 0
        self._at_end = 0
        self._dead = False
        self._state: PlaythroughAgentState | None = None

    @property
    def step_state(self) -> str:
        """The name of the present state."""
        return self.memory.state

    @property
    def row(self) -> int:
        """Where in the demo it is."""
        return self.memory.row

    @property
    def done(self) -> bool:
        """Whether the replay is over, well or not."""
        return self.context.done

    @property
    def failure(self) -> ReplayFailure | None:
        """Why it was given up; None if it was not."""
        return self.report.failure

    @property
    def progress(self) -> float:
        """How far in the demo it is, 0 … 1."""
        if self.done and self.failure is None:
            return 1.0
        return self.row / max(1, self.context.route.count - 1)

    def step(self, observation: Observation) -> Pad:
        """One communication frame: observe, decide; returns the pad to hold."""
        if self.done:
            return NEUTRAL
        self.report.frames += 1
        view = ObservationView(observation, self.context.geometry, self._delay)
        pad = self._decide(view) if self._guard is None else self._decide_guarded(view, self._guard)
        self._delay.sent(pad.right[0])
        self.report.row = self.row
        self.context.trace.frame(view, pad)
        return pad

    def _decide_guarded(self, view: ObservationView, guard: StateGuard) -> Pad:
        """The same with states of one's own, which may do anything."""
        pads: list[Pad] = []
        mistake = guard.call(lambda: pads.append(self._decide(view)))
        if mistake is not None:
            kind: Kind = "hangs" if mistake.kind == "hangs" else "raised"
            self.context.fail(kind, mistake.reason, mistake.traceback)
        return pads[0] if pads else NEUTRAL

    def _decide(self, view: ObservationView) -> Pad:
        if self._state is None:
            self._enter(MOVE, view, "", "start", (), ())
        context = self.context
        seen = view.seen
        context.debug.step(view)
        if seen.finished:
            context.finish()
        elif self._fails_by_time(view) or self._stands_still(view):
            pass
        elif (pad := self._popups.step(seen)) is not None:
            self.report.popups = self._popups.driven
            if self._popups.exhausted:
                context.fail("screen", f"screen {seen.screen!r} does not close")
            context.presser.pad()
            return NEUTRAL if self.done else pad
        else:
            self.memory.trail.step(view.point)
            self.memory.explored_map.step(view.point)
            self._take_events(view)
            self._act(view)
        return NEUTRAL if self.done else context.presser.pad()

    def _act(self, view: ObservationView) -> None:
        context = self.context
        for _ in range(CHAIN):
            if self.done:
                return
            situation = situation_of(context, view)
            transition = check_state_transition(
                situation, self.memory.state, self._table, context.trace.hooks
            )
            context.trace.decision(situation.inputs, self.memory.state, transition, self._maker)
            if transition is not None:
                self._change(
                    transition.target, view, transition.won, transition.also_true,
                    transition.rejected,
                )  # fmt: skip
            assert self._state is not None
            if not self._state.step(context, view):
                break
        at_end = self.row >= context.route.count - 1 and self.memory.returning is None
        at_end = at_end and self.memory.state == MOVE and context.events.gate is None
        at_end = at_end and start_here(context) is None
        self._at_end = self._at_end + 1 if at_end else 0
        if self._at_end > context.settings.events.settle:
            # The last press has come, and what came of it was seen.
            self._at_end = 0
            if not redo_from(context, view, "the demo is at its end"):
                context.finish()

    def _change(
        self, state: str, view: ObservationView, won: str, also_true: tuple[str, ...] = (),
        rejected: tuple[Rejected, ...] = (),
    ) -> None:  # fmt: skip
        """Go over to another state; the present row becomes a point of return."""
        memory = self.memory
        memory.push(memory.row)
        if self._states.of(state).leaves_route:
            if not memory.ruled:
                memory.last_checkpoint = view.point
            memory.ruled = True
        memory.talking = 0
        self._enter(state, view, memory.state, won, also_true, rejected)

    def _enter(
        self, state: str, view: ObservationView, source: str, won: str, also_true: tuple[str, ...],
        rejected: tuple[Rejected, ...],
    ) -> None:  # fmt: skip
        self._state = self._states.of(state)(self.context, view)
        self.memory.state = state
        self.report.transitions[state] = self.report.transitions.get(state, 0) + 1
        self.context.trace.transition(view, source, state, won, also_true, rejected)

    def _game_time(self, frame: int) -> float:
        """The game time of one of the agent's frames, as far as it is known."""
        if self._clock is None:
            return frame * INTERVAL
        return self._clock() - (self.report.frames - frame) * INTERVAL

    def _fails_by_time(self, view: ObservationView) -> bool:
        context = self.context
        limits = context.settings.limits
        most = limits.factor * context.route.count + limits.slack + self.memory.detour_frames
        if self.report.frames > most:
            blocked_by = self.memory.blocked_by
            last = f"; it was last held up by: {blocked_by}" if blocked_by else ""
            context.fail("time-out", f"{self.report.frames} frames, more than {most:.0f}{last}")
        screen = view.seen.screen
        restarts = screen in context.settings.screens.restarts
        if restarts and context.route.screen_at(screen, self.row) is None:
            self._restarted += 1
        else:
            self._restarted = 0
        if self._restarted > context.settings.events.settle:
            context.fail("restarted", f"the game shows its screen {screen!r}")
        return self.done

    def _stands_still(self, view: ObservationView) -> bool:
        """Whether there is nothing to do but wait."""
        return self._restarted > 0 or self._is_dead(view) or self._is_lost(view)

    def _is_dead(self, view: ObservationView) -> bool:
        memory = self.memory
        context = self.context
        if view.seen.dead and not self._dead:
            self.report.deaths += 1
            if self.report.deaths > context.settings.limits.deaths:
                context.fail("died", f"the player died at {_position_text(view)}")
        elif self._dead and not view.seen.dead and self._state is not None:
            # It lives again, perhaps elsewhere: on from the nearest row that it has been at.
            memory.row = context.route.nearest(view.point, self.row)
            memory.returning, memory.replayed = self.row, None
            memory.deeds_done.clear()
            memory.trail.clear()
            memory.event_buffer = [
                entry
                for entry in memory.event_buffer
                if isinstance(entry, int) and entry <= self.row
            ]
            self._change(MOVE, view, "alive_again")
        self._dead = view.seen.dead
        return self._dead

    def _is_lost(self, view: ObservationView) -> bool:
        context = self.context
        route, level = context.route, view.seen.level
        if level == route.levels[self.row] or not route.tells_levels:
            self._wrong_level = 0
            return False
        following = route.next_level(self.row)
        if following is not None and route.levels[following] == level:
            self._arrive(following, view)
            return self.done
        self._wrong_level += 1
        if self._wrong_level > context.settings.limits.level:
            wanted = route.levels[self.row]
            context.fail("level", f"the game is in level {level!r}, the demo in {wanted!r}")
        return True

    def _arrive(self, row: int, view: ObservationView) -> None:
        """The game has gone on to the demo's next level; there is no way back."""
        memory = self.memory
        context = self.context
        while (gate := context.events.gate) is not None and gate.start < row:
            if not context.events.is_brief(gate):
                # It may begin only just now, with the level.
                if gate.id == view.seen.event or gate.end >= row:
                    break
                context.fail("event", f"event {gate.id} was missed: the level went on without it")
                return
            context.events.give_up(gate)
        self._wrong_level = 0
        memory.event_buffer.clear()
        memory.trail.clear()
        memory.last_checkpoint = memory.returning = None
        memory.fine_until = 0
        memory.advance(row)
        memory.push(row)
        context.walker.forget()
        if memory.state not in (MOVE, MESSAGE, UNLIMITED):
            self._change(MOVE, view, "level_changed")

    def _take_events(self, view: ObservationView) -> None:
        events = self.context.events
        ended = events.step(view.seen.event, due=self._has_begun_it())
        if ended is not None and events.assumed:
            lacking = self._lacking_after(ended, view)
            if lacking:
                self.context.trace.log(f"{events.assumed} is not {ended.id}: {lacking}")
                events.take_back()
                return
            self.context.trace.log(f"{events.assumed} is what {ended.id} was in the demo")
            events.confirm(ended)
        if events.skipped is not None and events.matched is not None:
            self.context.fail(
                "order",
                f"event {events.matched.id} came before event {events.skipped.id}, which is due"
                f" from row {events.skipped.start} on",
            )
        if ended is not None:
            self._behind(ended, view)

    def _has_begun_it(self) -> bool:
        """Whether the agent does just now what began the demo's next event."""
        gate = self.context.events.gate
        return gate is not None and (
            opening_here(self.context) is not None or self.row >= gate.start
        )

    def _lacking_after(self, event: DemoEvent, view: ObservationView) -> str:
        """What an event of the demo led to that is not so now; empty if all is."""
        route, last = self.context.route, event.end + self.context.settings.events.settle
        extras = view.seen.extras
        return "; ".join(
            f"{one.column} is {extras.get(one.column)!r}, in the demo it was {one.after!r} then"
            for one in route.decided(event.start, last)
            if not one.holds(extras.get(one.column))
        )

    def _behind(self, event: DemoEvent, view: ObservationView) -> None:
        """An event of the demo is over: go on after it, if the player is there.

        If it came early, by a fight for instance, the player is somewhere else.
        """
        route, near = self.context.route, self.context.settings.events.near
        after = min(event.end + 1, route.count - 1)
        there = min(
            plan_distance(view.point, route.point(event.end)),
            plan_distance(view.point, route.point(after)),
        )
        opening = route.openings_by_start.get(event.start)
        begun = event.start if opening is None else opening.press
        if self.row >= begun or there <= near:
            self.memory.advance(event.end)
        self.memory.push(event.id)


def _position_text(view: ObservationView) -> str:
    return "({:.1f}, {:.1f}, {:.1f})".format(*view.seen.position)
