"""Since when the nodes of a tree run, against going back tick by tick."""

from typing import NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from playhead.viewer.reader.history.node_running_since import RunningSince

NODES = 3
STATUSES = st.tuples(*[st.sampled_from(["running", "Running", "success", ""])] * NODES)


class Tick(NamedTuple):
    statuses: tuple[str, ...]


def looked_back(ticks, at, node):
    """The same the slow way, as long as nothing was let go."""
    since = None
    for index in range(at, -1, -1):
        statuses = ticks[index].statuses
        if node >= len(statuses) or statuses[node].lower() != "running":
            break
        since = index
    return since


@given(st.data())
def test_it_is_as_if_one_looked_back_whatever_comes_between_or_goes(data):
    ticks, runs, dropped = [], RunningSince(), 0
    every = []
    """With those that were let go."""
    for _ in range(data.draw(st.integers(1, 30))):
        match data.draw(st.sampled_from(["append", "append", "append", "insert", "drop", "ask"])):
            case "append":
                tick = Tick(data.draw(STATUSES)[: data.draw(st.integers(1, NODES))])
                runs.cut(len(ticks))
                ticks.append(tick)
                every.append(tick)
            case "insert":
                index = data.draw(st.integers(0, len(ticks)))
                tick = Tick(data.draw(STATUSES))
                ticks.insert(index, tick)
                every.insert(dropped + index, tick)
                runs.cut(index)
            case "drop" if ticks:
                # Whoever asked before knows still; who did not has nothing to look back to.
                runs.since(ticks, len(ticks) - 1, 0)
                count = data.draw(st.integers(0, len(ticks) - 1))
                del ticks[:count]
                runs.drop(count)
                dropped += count
            case "ask" if ticks:
                at, node = data.draw(st.integers(0, len(ticks) - 1)), data.draw(st.integers(0, 3))
                expected = looked_back(every, dropped + at, node)
                result = runs.since(ticks, at, node)
                if expected is None:
                    assert result is None
                elif expected >= dropped:
                    assert result == expected - dropped
                else:  # the tick at the new beginning may have been put there since
                    assert result is not None
                    assert result <= 0


def test_what_does_not_change_takes_no_room():
    ticks, runs = [Tick(("running", ""))] * 1000, RunningSince()
    assert runs.since(ticks, 999, 0) == 0
    assert runs.since(ticks, 999, 1) is None
    assert runs.since(ticks, 999, 7) is None
    assert len({id(begun) for begun in runs._begun}) == 1
    runs.drop(400)
    assert runs.since(ticks[400:], 599, 0) == -400
