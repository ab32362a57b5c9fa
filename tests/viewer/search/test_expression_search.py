"""An expression searched for in slices, on recordings with and without an index."""

import time

import pytest

import playhead as ph
from playhead.errors import BusError, ExpressionError
from playhead.viewer.backends.open_target import open_file
from playhead.viewer.search import expression_search
from playhead.viewer.search.expression_search import ExpressionSearch

EXPRESSIONS = ("hp < 90", 'entered("Chase")', "changed(hp)", "south.x > 4", "speed > 0.9")


def search_all(search, source, *, slices=None):
    """Everything that a search finds in what is held, and its last update."""
    hits = []
    for _ in range(10_000):
        more = search.go_on(source, source.span, time.monotonic() + 0.001, backwards=False)
        update = search.take()
        hits += update.hits
        if not more:
            return hits, update
    raise AssertionError("the search did not end")


@pytest.fixture(params=["clip", "ring"])
def backend(request):
    one = open_file(request.getfixturevalue(request.param))
    yield one
    one.close()


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_it_finds_what_the_recording_s_own_search_finds(backend, text, monkeypatch):
    monkeypatch.setattr(expression_search, "_PART", 20)
    monkeypatch.setattr(expression_search, "_GROWS", 0.0)
    hits, update = search_all(ExpressionSearch(text, lambda: None), backend.source)
    with ph.open(backend_path(backend)) as recording:
        expected = [(hit.frame, hit.object) for hit in recording.find(text)]
    assert expected
    assert [(hit.frame, hit.object) for hit in hits] == expected
    assert update.progress == 1.0
    assert update.error is None


def backend_path(backend):
    source = backend.source
    return source.clip.path if hasattr(source, "clip") else source.ring.path


def test_no_expression_is_refused_at_once():
    with pytest.raises(ExpressionError):
        ExpressionSearch("hp <", lambda: None)


def test_a_name_that_nothing_has_is_an_error_once_all_was_searched(backend, monkeypatch):
    monkeypatch.setattr(expression_search, "_GROWS", 0.0)
    _, update = search_all(ExpressionSearch("hpp < 3", lambda: None), backend.source)
    assert isinstance(update.error, ExpressionError)
    assert update.error.column == 1
    assert "hp" in str(update.error)


def test_too_many_hits_end_it(backend, monkeypatch):
    monkeypatch.setattr(expression_search, "MOST_HITS", 5)
    monkeypatch.setattr(expression_search, "_GROWS", 0.0)
    hits, update = search_all(
        ExpressionSearch("frame % 2 == 0 and hp > 0", lambda: None), backend.source
    )
    assert len(hits) == 5
    assert update.is_full


def test_a_lost_connection_loses_no_hit(backend, monkeypatch):
    monkeypatch.setattr(expression_search, "_PART", 20)
    monkeypatch.setattr(expression_search, "_GROWS", 0.0)
    search = ExpressionSearch("hp < 90", lambda: None)
    usual, fails = search._part, iter((True,))

    def part(source, first, last):
        if next(fails, False):
            raise BusError("gone")
        return usual(source, first, last)

    monkeypatch.setattr(search, "_part", part)
    with pytest.raises(BusError):
        search_all(search, backend.source)
    hits, _ = search_all(search, backend.source)
    assert hits


def test_another_recording_begins_anew(backend, monkeypatch):
    monkeypatch.setattr(expression_search, "_GROWS", 0.0)
    search = ExpressionSearch("hp < 90", lambda: None)
    first, _ = search_all(search, backend.source)
    search.restart()
    assert search.take().restarted
    again, _ = search_all(search, backend.source)
    assert again == first
