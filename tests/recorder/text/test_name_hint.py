from playhead.recorder.text.name_hint import name_hint


def test_the_nearest_name_is_offered_whatever_its_case() -> None:
    assert name_hint("Swich", ("switch", "shrine")) == "did you mean 'switch'?"
    assert name_hint("boss", ("Boss", "shrine")) == "did you mean 'Boss'?"


def test_known_names_are_listed_where_none_is_near() -> None:
    assert name_hint("zzz", ("b", "a", "b")) == "there are b, a"
    assert name_hint("zzz", ("b",)) == "there is only b"
    assert name_hint("zzz", ()) == "there are none"


def test_a_long_list_is_cut() -> None:
    hint = name_hint("zzz", (f"name {number}" for number in range(20)))
    assert hint.endswith("name 10, name 11 and 8 more")


def test_a_name_of_any_length_is_compared_in_no_time() -> None:
    assert name_hint("x" * 10_000_000, ("switch", "shrine")) == "there are switch, shrine"
