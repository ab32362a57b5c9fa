"""Walking to places, and back on one's own trail."""

import math
from itertools import pairwise

import pytest

from playhead.agents.playthrough.engine_axes import EngineGeometry
from playhead.agents.playthrough.observation_view import ObservationView, same
from playhead.agents.playthrough.pad.button_presser import ButtonPresser
from playhead.agents.playthrough.playthrough_settings import AgentSettings, parse_settings
from playhead.agents.playthrough.route.breadcrumbs import Breadcrumbs
from playhead.agents.playthrough.route.walk_to_place import Walker
from playhead.agents.playthrough.target_choice import Tries
from playhead.games.playable_interface import ObservedEntity

from ..rows import seen


class WalkerSetup:
    """A walker, and what it does with the hands."""

    def __init__(self, text: str = "") -> None:
        self.settings: AgentSettings = parse_settings(text)
        self.geometry = EngineGeometry(self.settings.engine)
        self.presser = ButtonPresser()
        self.walker = Walker(self.settings, self.geometry, self.presser)

    def view_at(self, x: float = 0.0, y: float = 0.0, **rest: float) -> ObservationView:
        return ObservationView(seen(x, y, **rest), self.geometry)

    def walk(self, x, y, to, goal="there", radius=0.5, **rest):
        z = rest.pop("z", 0.0)
        facing = rest.pop("facing", 0.0)
        there = self.walker.approach(
            self.view_at(x, y, z=z, facing=facing), to, goal, radius=radius, **rest
        )
        return there, self.presser.pad()


def test_it_walks_straight_and_is_there_within_the_radius():
    setup = WalkerSetup()
    there, pad = setup.walk(0, 0, (3.0, 4.0, 0.0))
    assert not there
    assert pad.left == pytest.approx((0.6, 0.8))
    there, pad = setup.walk(2.8, 3.7, (3.0, 4.0, 0.0))
    assert there
    assert pad.left == (0.0, 0.0)


def test_a_place_on_another_floor_is_not_there():
    setup = WalkerSetup()
    assert not setup.walk(0, 0, (0.1, 0.0, 2.0))[0]
    assert setup.walk(0, 0, (0.1, 0.0, 0.5))[0]


def test_it_slows_down_where_it_must_stop_and_comes_as_near_as_it_can():
    setup = WalkerSetup()
    pushes = []
    for x in (0.0, 0.4, 0.7, 0.9):
        there, pad = setup.walk(x, 0, (1.0, 0.0, 0.0), radius=0.25, exact=True)
        assert not there
        pushes.append(pad.left[0])
    assert pushes == pytest.approx([1.0, 0.6, 0.3, 0.3])
    assert setup.walk(0.95, 0, (1.0, 0.0, 0.0), radius=0.25, exact=True)[0]
    # Having gone past it, it does not swing to and fro.
    setup = WalkerSetup()
    setup.walk(0.9, 0, (1.0, 0.0, 0.0), radius=0.25, exact=True)
    assert setup.walk(1.15, 0, (1.0, 0.0, 0.0), radius=0.25, exact=True)[0]


def test_to_have_gone_past_is_enough_where_the_settings_say_so():
    for passing in (True, False):
        setup = WalkerSetup()
        setup.walk(0, 0, (2.0, 0.0, 0.0), passing=passing)
        assert setup.walk(2.6, 0.1, (2.0, 0.0, 0.0), passing=passing)[0] is passing
    setup = WalkerSetup()
    setup.walk(0, 0, (2.0, 0.0, 0.0), passing=True)
    assert not setup.walk(2.6, 3.0, (2.0, 0.0, 0.0), passing=True)[0]


def test_no_progress_for_so_many_frames_is_being_stuck():
    setup = WalkerSetup("recovery: {stuck: 10}")
    for frame in range(30):
        setup.walk(frame * 0.1, 0, (9.0, 0.0, 0.0))
        assert not setup.walker.stuck
    for _ in range(9):
        setup.walk(2.9, 0, (9.0, 0.0, 0.0))
    assert not setup.walker.stuck
    setup.walk(2.92, 0, (9.0, 0.0, 0.0))
    assert setup.walker.stuck
    setup.walk(2.9, 0, (9.0, 5.0, 0.0), "another place")
    assert not setup.walker.stuck


def test_who_has_to_turn_first_does_not_walk_meanwhile():
    setup = WalkerSetup("engine: {facing: turn, sticks: player}\nturning: {sidle: 0.5}")
    _, pad = setup.walk(0, 0, (0.0, 3.0, 0.0), facing=0.0)
    assert pad.left == (0.0, 0.0)
    assert pad.right == (-1.0, 0.0)
    _, pad = setup.walk(0, 0, (0.0, 3.0, 0.0), facing=1.3)
    assert pad.left[1] > 0.9
    assert -0.6 < pad.right[0] < 0.0


def test_a_game_with_a_stick_to_aim_faces_what_it_points_at():
    setup = WalkerSetup("engine: {facing: aim}")
    assert not setup.walker.face(setup.view_at(facing=0.0), math.pi / 2)
    pad = setup.presser.pad()
    assert pad.right == pytest.approx((0.0, 1.0), abs=1e-9)
    assert pad.left == (0.0, 0.0)
    assert setup.walker.face(setup.view_at(facing=math.pi / 2), math.pi / 2)


def test_where_walking_turns_a_nudge_does_until_it_faces_there():
    setup = WalkerSetup("turning: {nudge: 0.2, still: 0.1}")
    assert not setup.walker.face(setup.view_at(facing=0.0), 1.0)
    assert math.hypot(*setup.presser.pad().left) == pytest.approx(0.2)
    assert setup.walker.face(setup.view_at(facing=0.95), 1.0)
    assert setup.presser.pad().left == (0.0, 0.0)


def test_the_run_button_is_held_while_it_walks():
    setup = WalkerSetup("keys: {run: RB}")
    assert setup.walk(0, 0, (3.0, 0.0, 0.0))[1].held == 32
    assert setup.walk(3, 0, (3.0, 0.0, 0.0))[1].held == 0


def test_a_trail_leads_back_the_way_it_came():
    trail = Breadcrumbs(0.5, 100, 3.0)
    around = [(0.0, 0.0), (0.0, 2.0), (2.0, 2.0), (2.0, 0.0)]
    for start, end in pairwise(around):
        for step in range(21):
            share = step / 20
            trail.step((
                start[0] + share * (end[0] - start[0]), start[1] + share * (end[1] - start[1]), 0.0
            ))  # fmt: skip
    back = trail.back_to((0.0, 0.1, 0.0))
    assert back[0] == (0.0, 0.1, 0.0)
    assert back[-1][:2] == pytest.approx((2.0, 0.0), abs=0.6)
    assert all(math.dist(one, other) < 0.8 for one, other in pairwise(back))


def test_a_trail_does_not_lead_over_a_jump_of_the_place_and_is_bounded():
    trail = Breadcrumbs(0.5, 10, 3.0)
    for at in range(100):
        trail.step((at * 0.5, 0.0, 0.0))
    assert len(trail.back_to((0.0, 0.0, 0.0))) == 11
    trail.step((500.0, 0.0, 0.0))
    assert trail.back_to((40.0, 0.0, 0.0)) == [(40.0, 0.0, 0.0), (500.0, 0.0, 0.0)]
    trail.clear()
    assert trail.back_to((1.0, 0.0, 0.0)) == [(1.0, 0.0, 0.0)]


def test_of_things_with_one_name_the_nearest_to_the_last_place_is_the_same_one():
    things = tuple(ObservedEntity("imp", (x, 0.0, 0.0), 1.0) for x in (1.0, 2.0, 5.0))
    view = WalkerSetup().view_at()
    found = same(view.around(things), "imp", (2.4, 0.0, 0.0), 1.0)
    assert found is not None
    assert found.point == (2.0, 0.0, 0.0)
    assert same(view.around(things), "imp", (3.5, 0.0, 0.0), 1.0) is None
    assert same(view.around(things), "ogre", (2.0, 0.0, 0.0), 1.0) is None


def test_what_is_in_range_is_near_on_the_plan_and_on_the_same_floor():
    things = tuple(
        ObservedEntity(str(at), place, 1.0)
        for at, place in enumerate(
            [(3.0, 0, 0), (1.0, 0, 0), (1.0, 0, 5.0), (9.0, 0, 0), (0, 1.0, 0)]
        )
    )
    near = WalkerSetup().view_at().within(things, 4.0, 1.5)
    assert [found.thing.label for found in near] == ["1", "4", "0"]


def test_tries_are_counted_for_each_item_by_where_it_lies():
    tries = Tries(2, 0.5)
    one, other = (1.0, 0.0, 0.0), (5.0, 0.0, 0.0)
    assert [tries.try_again("coin", one) for _ in range(2)] == [True, True]
    assert tries.try_again("coin", other)
    assert not tries.is_ignored("coin", one)
    assert not tries.try_again("coin", (1.2, 0.0, 0.0))
    assert tries.is_ignored("coin", one)
    assert not tries.is_ignored("coin", other)
    assert not tries.is_ignored("gem", one)
