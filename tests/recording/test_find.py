"""Searching for the instants at which an expression becomes true."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, example, given, settings

import playhead as ph
from playhead.errors import CommandError, PlayheadError
from playhead.recording.search.expression import MOST_CHARACTERS, parse

from ..support.process import PLAYHEAD, run_process
from .search_model import hits as plain_hits

FRAMES = 700
"""More than are read at once."""


def guards_at(step: int) -> dict[str, dict[str, Any]]:
    """Three guards; one of them is there for a while, twice."""
    guards = {
        "north": {"x": float(step % 50), "hp": 100.0 - step // 10, "mood": "calm"},
        "south": {"x": 7.0, "hp": float(step % 90), "mood": "angry" if step % 64 > 40 else "calm"},
        "visitor": {"x": -1.0, "hp": 5.0, "mood": "angry"},
    }
    if not (100 <= step < 140 or 500 <= step < 510):
        del guards["visitor"]
    return guards


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("find") / "guards.mcap"
    held = {name: dict(values) for name, values in guards_at(100).items()}
    here: dict[str, dict[str, Any]] = {}
    with ph.record(lambda: here, path, dt=1 / 64) as rec:
        for step in range(FRAMES):
            with rec.frame():
                now = guards_at(step)
                for name, values in now.items():
                    held[name].update(values)
                here = {name: held[name] for name in now}
                if step % 3 == 0:
                    rec.watch("alarm", float(step))
                if step % 100 == 0:
                    north = held["north"]
                    states = ("Patrol", "Flee")
                    source, target = states[step // 100 % 2 - 1], states[step // 100 % 2]
                    rec.trace.state(north, "mind", source if step else "", target, won="it is time")
                    rec.event("bell", object=north)
    return path


@pytest.fixture(scope="module")
def run(clip: Path) -> Iterator[ph.Recording]:
    with ph.open(clip) as opened:
        yield opened


class Tracks(dict[int, list[dict[str, Any]]]):
    """By object, what its fields are in each frame."""

    def __repr__(self) -> str:  # hypothesis would print all of them
        return f"tracks of {len(self)} objects"


@pytest.fixture(scope="module")
def tracks(run: ph.Recording) -> Tracks:
    found = Tracks()
    for frame in range(1, FRAMES + 1):
        for one in run.objects(frame):
            rows = found.setdefault(one.id, [{} for _ in range(FRAMES)])
            rows[frame - 1] = dict(guards_at(frame - 1)[one.name])
    return found


_LETTERS = "hp x.mod('\")<>=+-*/%[],:0.1 not and or\n\t\\é𝔵{}#@~^&|!"
_NAMES = st.sampled_from(("x", "hp", "mood"))
_NUMBERS = st.sampled_from(("0", "5", "7.0", "50", "-1", "99.5"))
_NUMERIC = st.recursive(
    st.sampled_from(("x", "hp")) | _NUMBERS,
    lambda inner: st.one_of(
        st.builds("({} + {})".format, inner, inner), st.builds("({} - {})".format, inner, inner),
        st.builds("previous({})".format, inner), st.builds("abs({})".format, inner),
    ),
    max_leaves=4,
)  # fmt: skip
_TRUTHS = st.recursive(
    st.one_of(
        st.builds("{} {} {}".format, _NUMERIC, st.sampled_from(("<", ">=", "==", "!=")), _NUMERIC),
        st.builds("mood {} '{}'".format, st.sampled_from(("==", "!=")),
                  st.sampled_from(("calm", "angry", "sad"))),
        st.builds("changed({})".format, _NAMES),
        st.builds("previous(mood) != mood".format),
    ),
    lambda inner: st.one_of(
        st.builds("({} and {})".format, inner, inner), st.builds("({} or {})".format, inner, inner),
        st.builds("not ({})".format, inner), st.builds("previous({})".format, inner),
    ),
    max_leaves=5,
)  # fmt: skip


@settings(deadline=None, max_examples=20, suppress_health_check=list(HealthCheck))
@given(_TRUTHS)
@example("not (previous(hp) > 3 or changed(mood))")
@example("previous(previous(x)) == 5 and x < 50")
def test_the_hits_are_those_of_looking_at_each_object_in_each_frame(run, tracks, text):
    if not any(name in text for name in ("x", "hp", "mood")):
        return
    found = [(hit.frame, hit.object) for hit in run.find(text)]
    assert found == plain_hits(parse(text), tracks), text


def frames(run: ph.Recording, text: str, **rest: Any) -> list[int]:
    return [hit.frame for hit in run.find(text, **rest)]


def test_a_hit_says_when_whom_and_by_which_values(run):
    hit = next(run.find("visitor.hp < 50 and mood == 'angry'"))
    assert (hit.frame, hit.name) == (101, "visitor")
    assert hit.time == pytest.approx(101 / 64)
    assert hit.values == {"visitor.hp": 5.0, "mood": "angry"}


def test_states_transitions_and_events_are_found_without_reading_frames(run):
    assert frames(run, "state == 'Flee'") == [101, 301, 501]
    assert frames(run, "state('mind') != 'Flee'") == [1, 201, 401, 601]
    assert frames(run, "entered('Flee')") == [101, 301, 501]
    assert frames(run, "left('Flee', 'mind')") == [201, 401, 601]
    assert frames(run, "north.state == 'Flee' and previous(state) != 'Flee'") == [101, 301, 501]
    assert frames(run, "event('bell')") == [1, 101, 201, 301, 401, 501, 601]


def test_what_is_true_at_the_beginning_of_the_range_is_a_hit_but_was_not_entered_there(run):
    assert frames(run, "state == 'Flee'", first=150) == [150, 301, 501]
    assert frames(run, "entered('Flee')", first=150) == [301, 501]
    assert frames(run, "state == 'Flee'", first=150, last=310) == [150, 301]


def test_what_is_watched_of_the_world_goes_along_with_every_object(run):
    assert frames(run, "alarm >= 600")[0] == 601
    assert {hit.object for hit in run.find("alarm >= 600")} == {0}
    assert {hit.name for hit in run.find("alarm >= 100 and alarm < 103 and hp > 0")} == {
        "north", "south", "visitor",
    }  # fmt: skip


def test_another_object_can_be_named_beside_those_that_are_meant(run):
    hits = list(run.find('"north".hp < 60 and x == 7'))
    assert [hit.frame for hit in hits if hit.name == "south"] == [411]
    assert {hit.name for hit in hits} == {"north", "south"}  # north is at x 7 now and then
    assert {hit.name for hit in run.find("mood == 'calm'", objects=["north"])} == {"north"}


def test_time_and_frame_narrow_the_search(run):
    assert frames(run, "frame == 77 and hp >= 0") == [77, 77]
    assert min(frames(run, "time >= 5 and x >= 0")) == 320


def test_an_object_that_comes_again_is_hit_again(run):
    assert frames(run, "visitor.hp == 5") == [101, 501]


def test_a_ring_and_a_running_game_answer_the_same(clip, tmp_path):
    here = {"a": {"hp": 10.0}}
    with ph.record(here, tmp_path / "run.ring", dt=1 / 64, bus="tcp://127.0.0.1:*") as rec:
        for step in range(50):
            with rec.frame():
                here["a"]["hp"] = 10.0 - step
        with ph.open(tmp_path / "run.ring") as ring, ph.connect(rec.bus.endpoint) as live:
            assert frames(ring, "hp < 0") == frames(live.recording, "hp < 0") == [12]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "give an expression"), (3, "give an expression"), ("hp <", "invalid syntax"),
        ("hpp < 5", "did you mean 'hp'"), ("nobody.hp < 5", "nobody.hp"),
        ("'nobody'.hp < 5", "no object and no type"), ("__import__('os')", "calls '__import__'"),
        ("hp.__class__ == 3", "hp.__class__"), ("[hp for hp in x]", "not part of the language"),
        ("hp is None", "not part of the language"), ("hp in x", "compares by what is not"),
        ("hp < 1e999", "too large"),
        ("9 ** hp > 1", "not part of the language"), ("position > 3", "vector of 3 parts"),
        ("mood", "neither true nor false"), ("mood < 5", "a text with a number"),
        ("mood + 1 > 0", "calculates with a text"), ("time > 3", "nothing that is recorded"),
        ("state('a', 'b') == 'c'", "other arguments"), ("entered(hp)", "texts in quotes"),
        ("(" * 300 + "hp" + ")" * 300, "find"), ("hp " + "+ 1" * 500, "characters"),
        ("north.hp < 3 and x:=4", "invalid syntax"), ("changed(hp=3)", "other arguments"),
        ("north.hp < 3\0", "find"), ("f'{hp}' == 'x'", "not part of the language"),
        ("not " * 90 + "hp", ""), ("not " * 240 + "hp", "levels deep"),
        ("-" * 900 + "hp > 1", "find"),
    ],
)  # fmt: skip
def test_what_is_no_expression_is_refused_with_its_place_or_answered(run, text, message):
    try:
        list(run.find(text))
    except CommandError as error:
        assert message in str(error)
    else:
        assert message == ""


@settings(deadline=None, max_examples=150, suppress_health_check=list(HealthCheck))
@given(
    st.text(
        st.sampled_from("hp x.mod('\")<>=+-*/%[],:0.1 not and or\n\t\\é𝔵{}#@~^&|!"), max_size=40
    )
)
def test_nonsense_is_refused_by_an_error_of_playhead_and_never_run(run, text):
    try:
        next(run.find(text), None)
    except PlayheadError as error:
        assert "find" in str(error)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x > 3 and hpp < 5", "'hpp', character 11 of 'x > 3 and hpp < 5', is no field"),
        ("x > 3 and nort.hp < 5", "'nort.hp', character 11"),
        ("x > 3 and 'nort'.hp < 5", "'nort', character 11 of"),
        ("x > 3 and 'nort'.hp < 5", "did you mean 'north'?"),
        ("hp > 0 and entered('Fle')", "'Fle', character 20 of"),
        ("hp > 0 and entered('Fle')", "did you mean 'Flee'?"),
        ("state == 'patrol'", "'patrol', character 10 of \"state == 'patrol'\""),
        ("x > 3 and\n mood < 5", "(character 12 of 'x > 3 and  mood < 5')"),
        ("'é' == mood and hp in x", "character 17 of"),
        ("hp > 1 && x > 1", "write 'and' for '&&'"),
        ("!(hp > 1)", "write 'not' for '!'"),
    ],
)
def test_an_error_names_the_place_in_the_expression_and_what_to_do(run, text, message):
    with pytest.raises(CommandError) as caught:
        list(run.find(text))
    assert message in str(caught.value)


def test_a_state_that_nobody_was_in_and_that_is_like_no_other_is_no_hit(run):
    assert frames(run, "state == 'Dance'") == []


def test_an_object_is_named_by_its_id_in_quotes(run):
    assert frames(run, '"1".hp < 60') == frames(run, "north.hp < 60") == [411]
    assert frames(run, "hp < 60 and x >= 0", objects=["1"]) == frames(run, "hp < 60", objects=[1])


def test_a_rare_state_is_found_without_reading_the_frames_before_it(tmp_path):
    reasons = {900: "why " * 500, 950: "it is time"}  # the first one too long for the index
    here = {"guard": {"hp": 1.0}}
    with ph.record(lambda: here, tmp_path / "rare.mcap", dt=1 / 64) as rec:
        for step in range(1, 1000):
            with rec.frame():
                if step % 50 == 0:
                    ends = ("Flee", "Patrol") if step in reasons else ("Patrol", "Patrol")
                    won = reasons.get(step, "on")
                    rec.trace.state(here["guard"], "mind", *reversed(ends), won=won)
    with ph.open(tmp_path / "rare.mcap") as run:
        assert frames(run, "state == 'Flee'") == [900]
        assert frames(run, "entered('Flee') and hp > 0") == [900, 950]
        assert frames(run, "entered('Flee') or state == 'Flee'", first=920) == [920]
        assert frames(run, "state == 'Flee' or hp < 0", last=899) == []


def test_an_expression_that_is_too_long_is_not_given_to_the_parser():
    with pytest.raises(CommandError, match="characters"):
        parse("hp < " + "1" * MOST_CHARACTERS)


def test_the_command_prints_hits_and_exits_with_1_without_any(clip):
    done = run_process(PLAYHEAD, "find", str(clip), "north.hp < 60")
    assert done.returncode == 0
    assert done.stdout.split()[:5] == ["6.421875", "s", "frame", "411", "north"]
    row = json.loads(run_process(PLAYHEAD, "find", str(clip), "north.hp < 60", "--json").stdout)
    assert (row["frame"], row["object"], row["values"]) == (411, 1, {"north.hp": 59.0})
    none = run_process(PLAYHEAD, "find", str(clip), "hp < -5")
    assert (none.returncode, none.stderr) == (1, "no hit\n")
    wrong = run_process(PLAYHEAD, "find", str(clip), "hpp < 5")
    assert wrong.returncode == 2
    assert "did you mean 'hp'?" in wrong.stderr


def test_an_object_without_a_name_is_called_by_its_type_and_id_wherever_one_asks(tmp_path):
    class Coin:
        def __init__(self, x: float) -> None:
            self.x, self.y = x, 0.0

    coins = [Coin(10.0 * number) for number in range(3)]
    with ph.record(coins, tmp_path / "coins.mcap", dt=1 / 60) as rec:
        for _ in range(10):
            with rec.frame():
                coins[1].x += 1
    with ph.open(tmp_path / "coins.mcap") as coins_run:
        (hit,) = coins_run.find("x > 15 and x < 19")
        assert (hit.frame, hit.name) == (6, "Coin 2")
        assert [one.frame for one in coins_run.find('"Coin 2".x > 15')] == [6]
        assert [one.frame for one in coins_run.find("x > 15", objects=["Coin 2"])] == [6]
        assert coins_run.object("Coin 2", 6)["x"] == 16
        with pytest.raises(CommandError, match="Coins 2"):
            next(coins_run.find('"Coins 2".x > 15'))


def test_the_status_of_a_tree_s_node_is_that_of_its_last_tick(tmp_path):
    path, guard = tmp_path / "tree.mcap", {"hp": 1.0}
    nodes = (ph.TreeNode("root", "selector"), ph.TreeNode("Attack", parent=0),
             ph.TreeNode("Rest", parent=0))  # fmt: skip
    with ph.record({"guard": guard}, path, dt=0.1) as rec:
        for step in range(600):
            with rec.frame():
                if step == 0:
                    rec.trace.define_tree(guard, "brain", nodes)
                if step % 5 == 0:  # it is ticked in each fifth frame only
                    attacks = step // 100 % 2 == 1
                    rec.trace.tree(
                        guard, "brain",
                        ("Running", *(("Running", "") if attacks else ("Failure", "Running"))),
                    )  # fmt: skip
    with ph.open(path) as run:
        assert [hit.frame for hit in run.find('node("Attack") == "running"')] == [101, 301, 501]
        assert [hit.frame for hit in run.find('node("Rest", "brain") == ""')] == [101, 301, 501]
        assert next(run.find('changed(node("Attack"))')).frame == 101
        assert list(run.find('node("Attack", "legs") == "running"')) == []
        assert next(run.find('node("Attack") == "failure"', start=20.0)).name == "guard"
        with pytest.raises(CommandError, match="did you mean 'Attack'"):
            list(run.find('node("Attak") == "running"'))
        with pytest.raises(CommandError, match="texts in quotes"):
            list(run.find("node(Attack)"))
