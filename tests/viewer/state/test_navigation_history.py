"""The way back from a jump."""

from playhead.viewer.state.navigation_history import NavigationHistory


def test_one_goes_back_and_forward_again():
    trips = NavigationHistory()
    trips.leave(10)
    trips.leave(20)
    assert trips.go(-1, 30) == 20
    assert trips.go(-1, 20) == 10
    assert trips.go(-1, 10) is None
    assert trips.go(1, 10) == 20
    assert trips.go(1, 20) == 30


def test_a_new_jump_forgets_the_way_forward():
    trips = NavigationHistory()
    trips.leave(10)
    assert trips.go(-1, 20) == 10
    trips.leave(10)
    assert trips.go(1, 50) is None
    assert trips.go(-1, 50) == 10
