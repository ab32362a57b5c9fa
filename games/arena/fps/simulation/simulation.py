"""One step of all arenas: agents turn, walk and shoot, are rewarded, and rounds end."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..learning.actions import Actions
from .batch_state import WANDER_TIME, WANDERS, BatchState
from .ray_sensor import Floats, RayHits, RaySet, Tag
from .rewards import TERMS, RewardValues, distance_reward, facing_reward, spin_penalty
from .round_targets_and_modes import Target

LOST, RUNNING, WON = -1, 0, 1

# Looking up a member takes longer than comparing a short column with it.
_FREE, _GOTO, _ATTACK, _STAY = (
    int(target) for target in (Target.FREE, Target.GOTO, Target.ATTACK, Target.STAY)
)
_ENEMY = int(Tag.ENEMY)
_TERM = {name: number for number, name in enumerate(TERMS)}


class EnemyHit(NamedTuple):
    """An enemy was hit."""

    arena: int
    agent: int
    enemy: int
    """Its index among the arena's."""
    is_target: bool
    """Whether it was a target."""
    defeated: bool


class StepResult(NamedTuple):
    """What a step came to."""

    terms: Floats
    """(arenas, agents, terms): the parts of the rewards, see `TERMS`."""
    results: npt.NDArray[np.int64]
    """(arenas,): `WON`, `LOST` or `RUNNING`."""
    fired: npt.NDArray[np.bool_]
    """(arenas, agents): who has shot."""
    hits: list[EnemyHit]

    @property
    def rewards(self) -> Floats:
        """(arenas, agents)"""
        total: Floats = self.terms.sum(axis=-1)
        return total


class HallSimulation:
    """Steps some arenas.

    Args:
        rewarded: Whether rewards are given: in training.
    """

    def __init__(
        self, arenas: BatchState, rays: RaySet, values: RewardValues, rewarded: bool = True
    ) -> None:
        self.arenas = arenas
        self.rays = rays
        self.values = values
        self._rewarded = rewarded
        self._phase = max(1, round(WANDER_TIME / arenas.rules.step))
        self._rows, self._enemy_rows = np.arange(arenas.count), np.arange(arenas.enemies)
        self.ray_hits = self._cast(slice(None))
        """What the agents see now."""

    # --- seeing ---------------------------------------------------------------------------------

    def look(self, arenas: npt.NDArray[np.int64] | None = None) -> None:
        """Cast all rays again, or those of some arenas: something was moved from outside."""
        if arenas is None:
            self.ray_hits = self._cast(slice(None))
            return
        columns: Iterable[tuple[npt.NDArray[Any], npt.NDArray[Any]]]
        columns = zip(self.ray_hits, self._cast(arenas), strict=True)
        for column, fresh in columns:
            column[arenas] = fresh

    def _cast(self, rows: "slice | npt.NDArray[np.int64]") -> RayHits:
        state = self.arenas
        return self.rays.cast(
            state.at[:, rows], state.sine[rows], state.cosine[rows], state.centers[:, rows],
            state.halves[:, rows],
        )  # fmt: skip

    # --- a step ---------------------------------------------------------------------------------

    def step(self, actions: Actions) -> StepResult:
        """Advance all arenas by one step."""
        state, rules = self.arenas, self.arenas.rules
        state.ticks += 1
        self._record_turns(actions.turn)
        state.turn_to(np.remainder(state.yaw + np.radians(actions.turn * rules.degrees), 2 * np.pi))
        self._walk(actions)
        self.ray_hits = self._cast(slice(None))
        fired = actions.attack & (state.gun == 0)
        state.gun = np.where(fired, rules.rest_steps - 1, np.maximum(state.gun - 1, 0))
        terms = np.zeros((state.count, state.agents, len(TERMS)))
        hits = self._shoot(fired, terms)
        downed = sorted({hit.arena for hit in hits if hit.defeated})
        if downed:
            self.look(np.array(downed))
        # Most steps are about few targets: what none of the arenas has is not worked out.
        targets = set(state.target.tolist())
        self._reward(actions, fired, terms, targets)
        results = self._judge(targets)
        if results.any():
            terms[results == WON, :, _TERM["win"]] = self.values.win
            terms[results == LOST, :, _TERM["lose"]] = self.values.lose
        if not self._rewarded:
            terms[:] = 0.0
        return StepResult(terms, results, fired, hits)

    def _record_turns(self, turn: Floats) -> None:
        state = self.arenas
        at = (state.ticks - 1) % state.rules.records
        state.turns[self._rows, :, at] = turn

    def _walk(self, actions: Actions) -> None:
        state, rules = self.arenas, self.arenas.rules
        forward, right = actions.forward, actions.right
        # Aslant it is no faster.
        pace = rules.speed * rules.step / np.sqrt(np.maximum(forward**2 + right**2, 1))
        by = np.zeros_like(state.at)
        by[0, :, : state.agents] = (forward * state.sine + right * state.cosine) * pace
        by[1, :, : state.agents] = (forward * state.cosine - right * state.sine) * pace
        if state.drift.any():
            phase = (state.ticks // self._phase) % WANDERS
            drift = state.drift[self._rows, phase]
            by[:, :, state.agents :] = drift.transpose(1, 0, 2) * rules.step
        state.move(by)

    def _shoot(self, fired: npt.NDArray[np.bool_], terms: Floats) -> list[EnemyHit]:
        state = self.arenas
        ahead, away = self.ray_hits.hits[..., -1], self.ray_hits.lengths[..., -1]
        found = fired & (ahead >= state.agents) & (away <= state.rules.range)
        hits: list[EnemyHit] = []
        if not found.any():
            return hits
        for arena, agent in np.argwhere(found).tolist():
            enemy = int(ahead[arena, agent]) - state.agents
            is_target = bool(state.is_target[arena, enemy])
            term = "target_hit" if is_target else "non_target_hit"
            terms[arena, agent, _TERM[term]] += getattr(self.values, term)
            state.health[arena, enemy] -= 1
            hits.append(
                EnemyHit(arena, agent, enemy, is_target, bool(state.health[arena, enemy] == 0))
            )
        # Only now: two may have hit the same one at the same instant.
        for hit in hits:
            if hit.defeated:
                state.defeat(hit.arena, hit.enemy)
        return hits

    # --- rewards --------------------------------------------------------------------------------

    def _reward(
        self, actions: Actions, fired: npt.NDArray[np.bool_], terms: Floats, targets: set[int]
    ) -> None:
        state, values = self.arenas, self.values
        terms[..., _TERM["move"]] = values.move * ((actions.forward != 0) | (actions.right != 0))
        total = state.turns.sum(axis=-1)
        terms[..., _TERM["spin"]] = spin_penalty(actions.turn, total, values)
        if _FREE in targets:
            facing = facing_reward(self._off_enemies(), values)
            terms[..., _TERM["facing"]] = np.where((state.target == _FREE)[:, None], facing, 0.0)
        if _GOTO in targets:
            self._reward_going((state.target == _GOTO)[:, None], terms)
        if _ATTACK in targets:
            facing_it = (state.target == _ATTACK)[:, None] & self.faces_firebase()
            terms[..., _TERM["suppressive"]] = values.suppressive * (facing_it & fired)
            terms[..., _TERM["facing_area"]] = values.facing_area * (facing_it & ~fired)

    def _reward_going(self, goto: npt.NDArray[np.bool_], terms: Floats) -> None:
        state, values = self.arenas, self.values
        away = self.distance()
        inside = away <= state.diameter[:, None] / 2
        # In the first step of a round there is no distance before.
        before = np.where(np.isnan(state.before), away, state.before)
        gained = distance_reward(before, away, values)
        terms[..., _TERM["distance"]] = np.where(goto & ~inside, gained, 0.0)
        terms[..., _TERM["in_area"]] = values.in_area * (goto & inside)
        state.before = np.where(goto, away, np.nan)

    def _off_enemies(self) -> Floats:
        """Metres from each agent's line of view to the nearest enemy that a ray has detected."""
        state, ray_hits = self.arenas, self.ray_hits
        seen = np.where(ray_hits.tags == _ENEMY, ray_hits.hits - state.agents, -1)[..., :-1]
        detected = (seen[..., None] == self._enemy_rows).any(axis=2)
        rel = state.at[:, :, None, state.agents :] - state.at[:, :, : state.agents, None]
        off = np.abs(rel[0] * state.cosine[..., None] - rel[1] * state.sine[..., None])
        nearest: Floats = np.where(detected, off, np.inf).min(axis=-1, initial=np.inf)
        return nearest

    # --- how agents stand to the fire base --------------------------------------------------------

    def distance(self) -> Floats:
        """Metres from each agent to the middle of the fire base, where there is one."""
        state = self.arenas
        dx, dy = state.at[:, :, : state.agents] - state.firebase[:, :, None]
        away: Floats = np.sqrt(dx * dx + dy * dy)
        return away

    def inside(self) -> npt.NDArray[np.bool_]:
        """Which agents are in the fire base."""
        diameter = self.arenas.diameter[:, None]
        if not diameter.any():
            return np.zeros((self.arenas.count, self.arenas.agents), bool)
        return (diameter > 0.0) & (self.distance() <= diameter / 2)

    def faces_firebase(self) -> npt.NDArray[np.bool_]:
        """Which agents look straight at some part of the fire base, or stand in it."""
        state = self.arenas
        dx, dy = state.firebase[:, :, None] - state.at[:, :, : state.agents]
        radius = state.diameter[:, None] / 2
        along = dx * state.sine + dy * state.cosine
        off = np.abs(dx * state.cosine - dy * state.sine)
        faces: npt.NDArray[np.bool_] = (along > 0.0) & (off <= radius)
        faces |= np.hypot(dx, dy) <= radius
        return faces

    # --- the end --------------------------------------------------------------------------------

    def _judge(self, targets: set[int]) -> npt.NDArray[np.int64]:
        state = self.arenas
        target = state.target
        results = np.where((target != _STAY) & (state.ticks >= state.rules.limit), LOST, RUNNING)
        if _FREE in targets:
            results[(target == _FREE) & ~state.health.any(axis=1)] = WON
        if _ATTACK in targets:
            results[(target == _ATTACK) & ~(state.needed & (state.health > 0)).any(axis=1)] = WON
        if _GOTO in targets:
            near = (self.distance() <= state.rules.centre).any(axis=1)
            results[(target == _GOTO) & near] = WON
        return results
