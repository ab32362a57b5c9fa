"""The playthrough agent: plays a game as a demo shows it, seeing only what the game tells."""

import math
from collections.abc import Callable
from random import Random

from ...games.playable import Observation
from ...playback.pad import NEUTRAL, Pad
from ...recorder.statements.instrumentation import NULL_INSTRUMENTATION, Instrumentation, Rejected
from ..recorded_demo import INTERVAL, Demo
from .breadcrumbs import Breadcrumbs
from .button_presses import ButtonPresser
from .demo_route import DemoEvent, DemoRoute, RouteStart
from .engine_axes import EngineGeometry, Place, Stick, apart, turn_to
from .event_counter import EventLog
from .observation_view import ObservationView, SeenThing
from .playthrough_settings import AgentSettings, Start
from .replay_report import Kind, ReplayFailure, ReplayReport
from .screen_driver import ScreenDriver
from .state_transitions import BACK, MOVE, RULED, check_state_transition
from .states.back_to_demoroute import BackToDemoroute
from .states.boss_battle import BossBattle
from .states.collect_item import CollectItem, Tries
from .states.enemy_battle import EnemyBattle
from .states.fighting import Target
from .states.message_skip import MessageSkip
from .states.move_checkpoint import MoveCheckpoint
from .states.pad_replay import PadReplay
from .states.state import State
from .states.unlimited_pad_replay import UnlimitedPadReplay
from .trace_writer import TraceWriter
from .walk_to_place import Walker

STATE_CLASSES: dict[str, type[State]] = {
    state.name: state
    for state in (
        MoveCheckpoint, MessageSkip, PadReplay, UnlimitedPadReplay, CollectItem, EnemyBattle,
        BossBattle, BackToDemoroute,
    )
}  # fmt: skip
CHAIN = 4
"""The most states that one frame may pass through."""


class PlaythroughAgent:
    """Plays one demo: `step` is called once each communication frame.

    Args:
        demo: What it follows.
        settings: For the game that is played.
        instruments: Where it leaves its traces.
        agent: The id of the object that it plays, for the traces.
        rng: Where it takes chance from; the same one gives the same replay.
        clock: The game time (seconds) of its frames; None counts them.
    """

    def __init__(
        self, demo: Demo, settings: AgentSettings, *,
        instruments: Instrumentation = NULL_INSTRUMENTATION, agent: int = 0,
        rng: Random | None = None, clock: Callable[[], float] | None = None,
    ) -> None:  # fmt: skip
        self.settings = settings
        self.object = agent
        """The id of the object that it plays; it may become another one."""
        self.geometry = EngineGeometry(settings.engine)
        self.route = DemoRoute(demo, settings, self.geometry)
        self.event_startend_index = self.route.event_startend_index
        """The rows of each event: {id: [[start, end], …]}, from 0, the last row included."""
        self.report = ReplayReport(demo.name, len(demo))
        self.events = EventLog(self.route, settings.events, self.report)
        self.hands = ButtonPresser()
        self.walker = Walker(settings, self.geometry, self.hands)
        self.telling = TraceWriter(instruments, self.geometry)
        self.items_tried = Tries(settings.items.retries, settings.items.same)
        self.row: int = 0
        """The demo's row that it refers to: where in the demo it is."""
        self.target_row = 0
        self.furthest = 0
        self.event_buffer: list[int | str] = [0]
        """Points of return, the newest last: rows, and between them what happened."""
        self.last_checkpoint: Place | None = None
        """Where it was when it last followed the demo."""
        self.tar_enemy: Target | None = None
        """Who is fought."""
        self.pad_replay_numb = 0
        """How many more rows of the pad are replayed."""
        self.replayed: int | None = None
        """The last row of a replay that was as in the demo: it may be the row of a start."""
        self.returning: int | None = 0
        """The row that it goes back to; first of all to the demo's beginning."""
        self.trail = Breadcrumbs(
            settings.recovery.crumb, settings.recovery.trail, settings.moving.warp
        )
        self.retraced: list[Place] | None = None
        """What is left of its own trail on the way back; None while it goes straight."""
        self.fine_until = 0
        """Up to this row it follows every row."""
        self.ruled = False
        """Whether a state that ignores the demo has been entered since it last followed it."""
        self.screens_until = 0
        """The demo's screens before this row are behind."""
        self.talking = 0
        """Frames that it has been trying to begin a conversation."""
        self.differing: dict[str, int] = {}
        """For each mode that a press switches, frames in which it was not as in the demo."""
        self.attempts = 0
        """Recoveries since it last came to a new row."""
        self.stuck_by: tuple[Kind, str] = ("stuck", "")
        """What the first of them was for."""
        self.wiggling = 0
        self.wiggle: Stick = (0.0, 0.0)
        self._rng = rng or Random(0)
        self._clock = clock
        self._popups = ScreenDriver(settings.orders, popups=True)
        self._pardoned: list[tuple[str, Place, int]] = []
        self._stuck_at = -1
        self._wrong_level = 0
        self._restarted = 0
        self._at_end = 0
        self._dead = False
        self._state: State | None = None
        self._done = False

    @property
    def step_state(self) -> str:
        """The name of the present state."""
        return MOVE if self._state is None else self._state.name

    @property
    def done(self) -> bool:
        """Whether the replay is over, well or not."""
        return self._done

    @property
    def failure(self) -> ReplayFailure | None:
        """Why it was given up; None if it was not."""
        return self.report.failure

    @property
    def progress(self) -> float:
        """How far in the demo it is, 0 … 1."""
        if self._done and self.failure is None:
            return 1.0
        return self.row / max(1, self.route.count - 1)

    def now(self, frame: int) -> float:
        """The game time of one of its frames, as far as it is known."""
        if self._clock is None:
            return frame * INTERVAL
        return self._clock() - (self.report.frames - frame) * INTERVAL

    def step(self, observation: Observation) -> Pad:
        """One communication frame: see, decide, and hold this."""
        if self._done:
            return NEUTRAL
        self.report.frames += 1
        sight = ObservationView(observation, self.geometry)
        if self._state is None:
            self._enter(MOVE, sight, "", "start", (), ())
        pad = self._decide(sight)
        self.report.row = self.row
        self.telling.frame(self, sight, pad)
        return pad

    def _decide(self, sight: ObservationView) -> Pad:
        seen = sight.seen
        if seen.finished:
            self.finish()
        elif self._fails_by_time(sight) or self._stands_still(sight):
            pass
        elif (pad := self._popups.step(seen)) is not None:
            self.report.popups = self._popups.driven
            if self._popups.exhausted:
                self.fail("screen", f"screen {seen.screen!r} does not close")
            self.hands.pad()
            return NEUTRAL if self._done else pad
        else:
            self.trail.step(sight.place)
            self._take_events(sight)
            self._act(sight)
        return NEUTRAL if self._done else self.hands.pad()

    def _act(self, sight: ObservationView) -> None:
        for _ in range(CHAIN):
            if self._done:
                return
            transition = check_state_transition(self, sight)
            if transition is not None:
                self.change(
                    transition.target, sight, won=transition.won, also_true=transition.also_true,
                    rejected=transition.rejected,
                )  # fmt: skip
            assert self._state is not None
            if not self._state.step(self, sight):
                break
        at_end = self.row >= self.route.count - 1 and self.returning is None
        at_end = at_end and self.step_state == MOVE and self.events.gate is None
        at_end = at_end and self.start_here() is None
        self._at_end = self._at_end + 1 if at_end else 0
        if self._at_end > self.settings.events.settle:
            self.finish()  # the last press has come, and what came of it was seen

    def change(
        self, state: str, sight: ObservationView, *, won: str, also_true: tuple[str, ...] = (),
        rejected: tuple[Rejected, ...] = (),
    ) -> None:  # fmt: skip
        """Go over to another state; the present row becomes a point of return."""
        self.push(self.row)
        if state in RULED:
            if not self.ruled:
                self.last_checkpoint = sight.place
            self.ruled = True
        self.talking = 0
        self._enter(state, sight, self.step_state, won, also_true, rejected)

    def _enter(
        self, state: str, sight: ObservationView, source: str, won: str, also_true: tuple[str, ...],
        rejected: tuple[Rejected, ...],
    ) -> None:  # fmt: skip
        self._state = STATE_CLASSES[state](self, sight)
        self.report.transitions[state] = self.report.transitions.get(state, 0) + 1
        self.telling.transition(self, sight, source, state, won, also_true, rejected)

    def push(self, entry: int | str) -> None:
        """Keep a point of return, or between two of them what happened."""
        if not self.event_buffer or self.event_buffer[-1] != entry:
            self.event_buffer.append(entry)
            del self.event_buffer[: -self.settings.recovery.length]

    def reach(self, row: int) -> None:
        """The demo's row referred to is now this one."""
        self.row, self.talking = row, 0
        self.furthest = max(self.furthest, row)

    def advance(self, row: int) -> None:
        """The same, if that is farther on; what was to be gone back to is behind then."""
        if row > self.row:
            self.reach(row)
            self.returning = None

    def next_row(self) -> int:
        """The row of the way point to go to; the present one if none can be walked to."""
        row = self.route.next_move_checkpoint_data(self.row, fine=self.row < self.fine_until)
        gate = self.events.gate
        if gate is not None:
            row = min(row, max(gate.start, self.row))
        return min(row, self.route.part_end(self.row))

    def opening(self) -> RouteStart | None:
        """The conversation that is to be begun at the present row."""
        opening = self.route.openings.get(self.row)
        if opening is None:
            return None
        gate = self.events.gate
        if gate is not None and gate.start == opening.start:
            return opening
        stay = self.route.screen_starts.get(opening.start)
        return opening if stay is not None and opening.start >= self.screens_until else None

    def starting(self, sight: ObservationView) -> str | None:
        """What the pad's replay begins for at the present row, if the game is ready."""
        start = self.start_here()
        if start is None or self.returning is not None or self.wiggling or not self.free(sight):
            return None
        if self.opening() is not None or self.unready(start, sight):
            return None
        return start.name

    def start_here(self) -> Start | None:
        """What the pad is to be replayed for at the present row, and was not yet."""
        return None if self.replayed == self.row else self.route.starts.get(self.row)

    def unready(self, start: Start, sight: ObservationView) -> str:
        """What is not as it was in the demo before the present row; empty if all is."""
        before = max(0, self.row - 1)
        if self.route.can_jump[before] and not sight.seen.can_jump:
            return "no jump is available"
        if start.where in self.route.own and not sight.seen.extras.get(start.where):
            return f"{start.where} is {sight.seen.extras.get(start.where)!r}"
        if start.face:
            off = turn_to(sight.heading, self.route.heading(before))
            if abs(off) > self.settings.turning.still:
                return f"it faces {math.degrees(off):+.0f}° off where it did"
        for column in start.ready:
            if column in self.route.own:
                wanted, told = self.route.told(before, column), sight.seen.extras.get(column)
                if told != wanted:
                    return f"{column} is {told!r}, in the demo's row {before} it was {wanted!r}"
        return ""

    def free(self, sight: ObservationView) -> bool:
        """Whether the pad moves the player."""
        seen = sight.seen
        return not (seen.message or seen.screen or seen.dead or self.events.skipping)

    def enemies(self, sight: ObservationView) -> list[SeenThing]:
        """Enemies to fight, the nearest first."""
        if not sight.seen.enemies:
            return []
        rules, now = self.settings.enemies, self.report.frames
        self._pardoned = [pardon for pardon in self._pardoned if pardon[2] > now]
        return [
            found
            for found in sight.within(sight.seen.enemies, rules.range, rules.height)
            if not any(
                label == found.thing.label and apart(place, found.place) <= rules.same
                for label, place, _ in self._pardoned
            )
        ]

    def bosses(self, sight: ObservationView) -> list[SeenThing]:
        """Bosses to fight where the player is, the nearest first."""
        seen, rules = sight.seen, self.settings.bosses
        if not seen.bosses:
            return []
        fight = rules.fight
        if seen.field and (not rules.fields or seen.field in rules.fields):
            return sight.within(seen.bosses, fight.range, fight.height)
        for region in rules.regions:
            inside = apart(self.geometry.place(region.at), sight.place) <= region.radius
            wanted = [boss for boss in seen.bosses if region.boss in ("", boss.label)]
            if inside and wanted:
                return sight.within(seen.bosses, fight.range, fight.height)
        return []

    def items(self, sight: ObservationView) -> list[SeenThing]:
        """Items to fetch, the nearest first."""
        if not sight.seen.items:
            return []
        rules = self.settings.items
        return [
            found
            for found in sight.within(sight.seen.items, rules.range, rules.height)
            if not self.items_tried.is_ignored(found.thing.label, found.place)
        ]

    def pardon(self, found: SeenThing, why: str) -> None:
        """Leave an enemy alone for a while."""
        until = self.report.frames + self.settings.enemies.pardon
        self._pardoned.append((found.thing.label, found.place, until))
        self.report.pardoned.append(f"{found.thing.label}: {why}")
        self.telling.said(self, f"gave up on enemy {found.thing.label!r}: {why}")

    def give_up_item(self, found: SeenThing) -> None:
        """Say that an item is left where it is."""
        x, y, z = found.thing.position
        told = f"{found.thing.label} at ({x:g}, {y:g}, {z:g})"
        self.report.ignored_items.append(told)
        self.telling.said(self, f"gave up on item {told}")

    def way_back(self) -> str:
        """The state after one that is no part of the demo."""
        return BACK if self.ruled and self.last_checkpoint is not None else MOVE

    def count_recovery(self, kind: Kind, reason: str) -> bool:
        """A recovery is due; False if there were too many without a new row."""
        if self.furthest > self._stuck_at:
            self._stuck_at, self.attempts, self.stuck_by = self.furthest, 0, (kind, reason)
        self.attempts += 1
        if self.attempts > self.settings.recovery.attempts:
            return False
        self.report.recoveries += 1
        return True

    def start_wiggle(self) -> None:
        """Walk anywhere for some frames."""
        self.wiggling = self.settings.recovery.wiggle
        angle = self._rng.uniform(-math.pi, math.pi)
        self.wiggle = math.cos(angle), math.sin(angle)

    def finish(self) -> None:
        """The replay has come to its good end."""
        self._done = True
        self.report.finished = True

    def fail(self, kind: Kind, reason: str) -> None:
        """Give the replay up: said once, by a check on the player."""
        if self._done:
            return
        self._done = True
        route, state = self.route, self.step_state
        message = (
            f"the replay of {route.name} failed at row {self.row} of {route.count} in {state}:"
            f" {reason}"
        )
        self.report.failure = ReplayFailure(kind, message, self.row, state, self.report.frames)
        self.telling.instruments.check(False, message, focus=self.object)

    def _fails_by_time(self, sight: ObservationView) -> bool:
        limits = self.settings.limits
        most = limits.factor * self.route.count + limits.slack
        if self.report.frames > most:
            self.fail("time-out", f"{self.report.frames} frames, more than {most:.0f}")
        screen = sight.seen.screen
        restarts = screen in self.settings.screens.restarts
        if restarts and self.route.screen_at(screen, self.row) is None:
            self._restarted += 1
        else:
            self._restarted = 0
        if self._restarted > self.settings.events.settle:
            self.fail("restarted", f"the game shows its screen {screen!r}")
        return self._done

    def _stands_still(self, sight: ObservationView) -> bool:
        """Whether there is nothing to do but to wait."""
        return self._restarted > 0 or self._is_dead(sight) or self._is_lost(sight)

    def _is_dead(self, sight: ObservationView) -> bool:
        if sight.seen.dead and not self._dead:
            self.report.deaths += 1
            if self.report.deaths > self.settings.limits.deaths:
                self.fail("died", f"the player died at {_told(sight)}")
        elif self._dead and not sight.seen.dead and self._state is not None:
            # It lives again, perhaps elsewhere: on from the nearest row that it has been at.
            self.row = self.route.nearest(sight.place, self.row)
            self.returning, self.replayed = self.row, None
            self.trail.clear()
            self.event_buffer = [
                entry for entry in self.event_buffer if isinstance(entry, int) and entry <= self.row
            ]
            self.change(MOVE, sight, won="alive_again")
        self._dead = sight.seen.dead
        return self._dead

    def _is_lost(self, sight: ObservationView) -> bool:
        route, level = self.route, sight.seen.level
        if level == route.levels[self.row] or not route.tells_levels:
            self._wrong_level = 0
            return False
        following = route.next_level(self.row)
        if following is not None and route.levels[following] == level:
            self._arrive(following, sight)
            return self._done
        self._wrong_level += 1
        if self._wrong_level > self.settings.limits.level:
            wanted = route.levels[self.row]
            self.fail("level", f"the game is in level {level!r}, the demo in {wanted!r}")
        return True

    def _arrive(self, row: int, sight: ObservationView) -> None:
        """The game has gone on to the demo's next level; there is no way back."""
        while (gate := self.events.gate) is not None and gate.start < row:
            if not self.events.is_brief(gate):
                # It may begin only just now, with the level.
                if gate.id == sight.seen.event or gate.end >= row:
                    break
                self.fail("event", f"event {gate.id} was missed: the level went on without it")
                return
            self.events.give_up(gate)
        self._wrong_level = 0
        self.event_buffer.clear()
        self.trail.clear()
        self.last_checkpoint = self.returning = None
        self.fine_until = 0
        self.advance(row)
        self.push(row)
        self.walker.forget()
        if self.step_state not in (MOVE, "message_skip", "unlimited_pad_replay"):
            self.change(MOVE, sight, won="level_changed")

    def _take_events(self, sight: ObservationView) -> None:
        events = self.events
        ended = events.step(sight.seen.event)
        if events.skipped is not None and events.matched is not None:
            self.fail(
                "order",
                f"event {events.matched.id} came before event {events.skipped.id}, which is due"
                f" from row {events.skipped.start} on",
            )
        if ended is not None:
            self._behind(ended, sight)

    def _behind(self, event: DemoEvent, sight: ObservationView) -> None:
        """An event of the demo is over: the route goes on behind it, if the player is there.

        One that came early, by a fight for instance, leaves the player somewhere else.
        """
        route, near = self.route, self.settings.events.near
        after = min(event.end + 1, route.count - 1)
        there = min(
            apart(sight.place, route.place(event.end)), apart(sight.place, route.place(after))
        )
        opening = route.openings_by_start.get(event.start)
        begun = event.start if opening is None else opening.press
        if self.row >= begun or there <= near:
            self.advance(event.end)
        self.push(event.id)


def _told(sight: ObservationView) -> str:
    return "({:.1f}, {:.1f}, {:.1f})".format(*sight.seen.position)
