"""What a person has picked out."""

from playhead.viewer.state.pinned_fields import ObjectField, PinnedFields


def test_picking_twice_drops_it():
    picks = PinnedFields()
    for one in (ObjectField(1, "hp"), ObjectField(2, "hp"), ObjectField(1, "hp")):
        picks.lane(one)
        picks.plot(one)
    assert picks.lanes == picks.plots == (ObjectField(2, "hp"),)
    picks.clear_plots()
    assert picks.plots == ()
    picks.pin(3)
    picks.pin(4)
    picks.pin(3)
    assert picks.objects == (4,)


def test_stars_go_by_type_and_can_be_kept():
    picks, other = PinnedFields(), PinnedFields()
    picks.star("guard", "hp")
    picks.star("guard", "state")
    picks.star("crate", "x")
    picks.star("crate", "x")
    assert picks.facts == {"stars": {"guard": ["hp", "state"]}}
    other.take(picks.facts)
    assert other.stars == {"guard": ("hp", "state")}


def test_what_was_kept_and_makes_no_sense_is_left_out():
    picks = PinnedFields()
    picks.take({"stars": {"guard": 7, "crate": ["x", 3]}})
    assert picks.stars == {"crate": ("x", "3")}
    picks.take({"stars": []})
    assert picks.stars == {"crate": ("x", "3")}
