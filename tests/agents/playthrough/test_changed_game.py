"""The game has changed since the demo: something stands in the way, somebody has moved, an event
has another name, the player is slower."""

import msgspec
import pytest

from playhead.agents.playthrough.state_names import DETOUR
from playhead.games.playable_interface import ObservedEntity
from playhead.playback.pads.pad import NEUTRAL, Button

from . import field as fields
from .field import Area, Field, Person, record, replay, settings_of


def walked(tmp_path, *places):
    return record(Field([Area("a")]), [("go", *place) for place in places], tmp_path / "walk.csv")


def town(at=(8.0, 1.0), event="E1", walls=()):
    """Somebody by the name of Ann, who gives a key."""
    ann = Person(at, event, gives="key", name="Ann")
    return Field([Area("a", people=[ann, Person((2.0, 5.0), "E9", name="Bob")], walls=walls)])


def talked(tmp_path):
    deeds = [("go", 8, 0), ("talk", 8, 1), ("go", 14, 0)]
    return record(town(), deeds, tmp_path / "talk.csv")


def test_a_tree_on_the_path_is_walked_round(tmp_path):
    demo = walked(tmp_path, (12, 0))
    agent = replay(Field([Area("a", walls=[(5.5, -0.5, 6.5, 0.5)])]), demo)
    assert agent.report.finished, agent.failure
    assert agent.report.transitions[DETOUR] >= 1


@pytest.mark.parametrize("bottom", [-3.0, -4.5, -1.5])
def test_a_wall_of_six_metres_is_walked_round(tmp_path, bottom):
    demo = walked(tmp_path, (12, 0))
    agent = replay(Field([Area("a", walls=[(6, bottom, 6.5, bottom + 6.0)])]), demo)
    assert agent.report.finished, agent.failure
    assert agent.report.recoveries <= 3


def test_a_dead_end_is_left_again(tmp_path):
    demo = walked(tmp_path, (12, 0))
    walls = [(7, -3, 7.5, 3), (3, 3, 7.5, 3.5), (3, -3.5, 7.5, -3)]
    agent = replay(Field([Area("a", walls=walls)]), demo)
    assert agent.report.finished, agent.failure


def test_where_nothing_has_changed_there_is_no_detour(tmp_path):
    agent = replay(Field([Area("a")]), walked(tmp_path, (6, 0), (6, 6), (0, 6)))
    assert agent.report.finished
    assert (agent.report.recoveries, DETOUR in agent.report.transitions) == (0, False)


def test_a_detour_skips_nothing_that_is_to_be_done(tmp_path):
    field = town(walls=[(4, -3, 4.5, 3)])
    agent = replay(field, talked(tmp_path))
    assert agent.report.finished, agent.failure
    assert field.done == ["E1"]
    assert agent.report.transitions[DETOUR] >= 1


@pytest.mark.parametrize("at", [(9.5, 1.0), (8.0, 3.5), (6.5, -1.0), (8.0, 0.0), (10.0, -1.5)])
def test_who_has_moved_is_found_by_name(tmp_path, at):
    field = town(at)
    agent = replay(field, talked(tmp_path))
    assert agent.report.finished, agent.failure
    assert field.flags == {"key"}


def test_who_is_far_away_is_not_looked_for(tmp_path):
    agent = replay(town((8.0, 30.0)), talked(tmp_path))
    assert agent.failure is not None
    assert "nothing came of talking" in agent.failure.message


class Mill(Field):
    """A lever that the button Y pulls, and a gate that it opens."""

    columns = {**fields.COLUMNS, "flags": str}

    def __init__(self, lever=(8.0, 1.0)):
        super().__init__([Area("a", locks=[("open", (11.0, -60.0, 11.5, 60.0))])])
        self.lever, self.pulled = lever, 0

    def step(self, pad):
        pressed = pad.held & ~self.before
        super().step(pad)
        self.pulled = max(0, self.pulled - 1)
        if pressed & Button.Y and self._facing(*self.lever, fields.REACH, 0.9):
            self.pulled = 3
            self.flags ^= {"open"}

    def observe(self):
        seen = super().observe()
        extras = {**seen.extras, "flags": ", ".join(sorted(self.flags))}
        extras["speaker"] = "lever" if self.pulled else ""
        lever = ObservedEntity("lever", (*self.lever, 0.0))
        return msgspec.structs.replace(seen, people=(lever,), extras=extras)


USES = settings_of("pad_replay: {starts: [{name: deed, pressed: [Y], outcome: true, face: true}]}")


def pulled(tmp_path):
    deeds = [("go", 8, 0), ("go", 8, 0.2), ("press", Button.Y), ("go", 14, 0)]
    return record(Mill(), deeds, tmp_path / "pull.csv", {"flags": "equal"})


@pytest.mark.parametrize("lever", [(8.0, 1.0), (9.5, 2.0), (6.0, -1.5), (8.0, 3.5)])
def test_a_lever_that_has_moved_is_found_by_name(tmp_path, lever):
    mill = Mill(lever)
    agent = replay(mill, pulled(tmp_path), USES)
    assert agent.report.finished, agent.failure
    assert mill.flags == {"open"}
    assert agent.report.recoveries <= 3  # nobody told it how near is near enough


@pytest.mark.parametrize(
    "wall",
    [
        (5.0, -0.2, 11.0, 0.4),  # where the demo stood
        (7.7, -3.0, 8.3, 3.0),  # around the lever, which can be reached through it
        (7.9, -2.9, 8.1, 0.5),  # across the path, up to where the demo stood
    ],
)
def test_a_lever_is_used_from_another_side_if_a_wall_of_six_metres_is_where_the_demo_stood(
    tmp_path, wall
):
    mill = Mill()
    mill.area.walls.append(wall)
    agent = replay(mill, pulled(tmp_path), USES)
    assert agent.report.finished, agent.failure
    assert mill.flags == {"open"}


def test_a_lever_that_is_walled_in_fails_with_what_could_not_be_reached(tmp_path):
    mill = Mill()
    mill.area.walls.append((6.0, -1.0, 10.0, 3.0))
    agent = replay(mill, pulled(tmp_path), USES)
    assert agent.failure is not None
    assert "no way to row" in agent.failure.message
    assert mill.flags == set()


def test_a_lever_that_is_gone_fails_with_what_it_did(tmp_path):
    agent = replay(Mill((8.0, 30.0)), pulled(tmp_path), USES)
    assert agent.failure is not None
    assert "flags is ''" in agent.failure.message


def test_an_event_with_another_name_is_taken_for_the_demos(tmp_path):
    field = town(event="E1_revised")
    agent = replay(field, talked(tmp_path))
    assert agent.report.finished, agent.failure
    assert field.done == ["E1_revised"]
    assert agent.report.renamed == ["E1 is E1_revised now"]


def test_an_event_of_the_demo_is_never_taken_for_another_one(tmp_path):
    deeds = [("go", 8, 0), ("talk", 8, 1), ("go", 2, 4), ("talk", 2, 5), ("go", 6, 4)]
    demo = record(town(), deeds, tmp_path / "both.csv")
    agent = replay(town(event="E9"), demo)
    assert agent.failure is not None
    assert agent.failure.kind == "order"
    assert agent.report.renamed == []


def test_a_slower_player_takes_longer(tmp_path, monkeypatch):
    demo = talked(tmp_path)
    monkeypatch.setattr(fields, "SPEED", 0.7 * fields.SPEED)
    agent = replay(town(), demo)
    assert agent.report.finished, agent.failure
    assert agent.report.recoveries <= 3  # nobody told it how near is near enough


def test_a_slower_player_begins_a_jump_nearer_to_where_it_leads(tmp_path, monkeypatch):
    pit = (6.0, -40.0, 8.4, 40.0)
    demo = record(
        Field([Area("a", pits=[pit])]), [("go", 5.5, 0), ("jump", 12, 0)], tmp_path / "j.csv"
    )
    monkeypatch.setattr(fields, "SPEED", 0.85 * fields.SPEED)
    agent = replay(Field([Area("a", pits=[pit])]), demo)
    assert agent.report.finished, agent.failure
    assert agent.memory.shifts


class Bridge(Field):
    """A bridge over a trench that only stairs lead out of, and a gust on it, once."""

    def __init__(self) -> None:
        super().__init__([Area("a")])
        self.gusts = 1

    def height(self, x: float, y: float) -> float:
        if not 5.0 <= x <= 9.0 or abs(y) <= 0.5:
            return 0.0
        return min(0.0, max(-3.0, -3.0 + 0.5 * (y - 6.0)))

    def step(self, pad):
        was = self.x, self.y
        super().step(pad)
        if self.gusts and self.x > 7.0:
            self.gusts, self.y = 0, 1.0
        elif self.height(self.x, self.y) - self.height(*was) > 0.5:
            self.x, self.y = was

    def observe(self):
        seen = super().observe()
        return msgspec.structs.replace(seen, position=(self.x, self.y, self.height(self.x, self.y)))


def test_after_a_fall_the_game_is_asked_for_the_way_back(tmp_path):
    demo = walked(tmp_path, (14, 0))
    asked = []

    def find_path(start, goal, near):
        asked.append((start, goal))
        return [(7, 4, -3), (7, 12.5, 0), (4, 12.5, 0), (4, 0, 0), goal]

    agent = replay(Bridge(), demo, find_path=find_path)
    assert agent.report.finished, agent.failure
    assert agent.report.recoveries == 1
    ((start, goal),) = asked
    assert (start[2], goal[2]) == (-3.0, 0.0)
    assert 6.5 <= goal[0] <= 8.5


def test_a_game_that_shows_a_wrong_way_is_not_asked_for_ever(tmp_path):
    asked = []

    def find_path(start, goal, near):
        asked.append(start)
        return [(20, start[1], -3), goal]

    agent = replay(Bridge(), walked(tmp_path, (14, 0)), find_path=find_path)
    assert agent.done
    assert 1 <= len(asked) <= 30


def test_on_the_routes_own_floor_the_game_is_not_asked(tmp_path):
    def find_path(start, goal, near):
        raise AssertionError("the agent's own map is enough")

    field = Field([Area("a", walls=[(6, -3.0, 6.5, 3.0)])])
    agent = replay(field, walked(tmp_path, (12, 0)), find_path=find_path)
    assert agent.report.finished, agent.failure


class Doorway(Field):
    """A door that Y opens from near, and that shuts soon; somebody holds the player up, once."""

    DOOR = (6.0, -40.0, 6.6, 40.0)

    def __init__(self, holds: int = 0) -> None:
        super().__init__([Area("a", walls=[self.DOOR])])
        self.open_for, self.opened, self.holds = 0, 0, holds

    def step(self, pad):
        if pad.held & ~self.before & Button.Y and abs(self.x - 6.3) < 1.5:
            self.open_for, self.opened = 25, self.opened + 1
        held_up = self.open_for and self.holds
        self.holds -= bool(held_up)
        inside = abs(self.x - 6.3) < 0.6
        self.open_for = max(int(inside and self.open_for > 0), self.open_for - 1)
        self.area.walls = [] if self.open_for else [self.DOOR]
        super().step(NEUTRAL if held_up else pad)


def test_a_door_that_has_shut_again_is_opened_again(tmp_path):
    settings = settings_of(
        "pad_replay: {frames: 12, drift: 3.0, starts: [{name: use, pressed: [Y]}]}\n"
        "recovery: {detour: 900}"
    )
    deeds = [("go", 5.4, 0), ("press", Button.Y), ("go", 14, 0)]
    demo = record(Doorway(), deeds, tmp_path / "door.csv")
    field = Doorway(holds=40)
    agent = replay(field, demo, settings)
    assert agent.report.finished, agent.failure
    assert field.opened == 2
    assert agent.report.recoveries == 1


class Terrace(Field):
    """A terrace that only a jump leads up to, and a gust on it, once."""

    def __init__(self, gusts: int = 1) -> None:
        super().__init__([Area("a")])
        self.gusts = gusts

    def step(self, pad):
        was = self.x
        super().step(pad)
        if was <= 6.0 < self.x and not self.z:
            self.x = was  # its edge is a wall for who walks
        if self.gusts and self.x > 10.0:
            self.gusts, self.x = 0, 5.5

    def observe(self):
        seen = super().observe()
        top = 2.0 if self.x > 6.0 else 0.0
        return msgspec.structs.replace(seen, position=(self.x, self.y, max(self.z, top)))


def test_who_fell_from_where_a_jump_had_led_goes_back_to_that_jump(tmp_path):
    deeds = [("go", 5.5, 0), ("jump", 16, 0)]
    demo = record(Terrace(gusts=0), deeds, tmp_path / "jump.csv")
    agent = replay(Terrace(), demo)
    assert agent.report.finished, agent.failure
    assert agent.report.recoveries == 1
