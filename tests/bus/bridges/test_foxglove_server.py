"""The bridge to Foxglove, seen by a client that speaks its WebSocket protocol."""

import pytest

from playhead.bus.client.client import Client
from playhead.playback.commands import Enter
from playhead.recorder.packets.trace_types import StateTransition
from playhead.recorder.statements.statement_messages import TransitionStatement

from ...support.waits import until
from .foxglove_app import (
    PAUSED,
    PLAYING,
    answers,
    app,
    location_of,
    protobuf,
    seconds,
    vector,
)

pytest.importorskip("foxglove")
closed = pytest.importorskip("websockets.exceptions").ConnectionClosed
pytestmark = pytest.mark.slow


@pytest.fixture
def served(game, bridge):
    """A game of 32 frames, and a bridge to it."""
    playing = game()
    playing.world.during = lambda: playing.session.draw.line((0, 0, 0), (0, 0, 5), object=2)
    playing.run(32)
    return playing, bridge("foxglove", playing.endpoint, "--bind", "127.0.0.1:*")


def test_the_scene_is_that_of_the_frame_sought(served):
    playing, bridging = served
    with app(bridging.address) as foxglove, Client(playing.endpoint) as tool:
        assert foxglove.await_frame(32)["mode"] == "live"
        assert {"time", "playbackControl"} <= set(foxglove.info["capabilities"])
        for frame in (8, 24, 3):
            tool.seek(frame=frame)
            assert foxglove.await_frame(frame)["mode"] == "paused"
            assert foxglove.time == pytest.approx(frame / 64)
            entities = foxglove.entities()
            assert entities.keys() == {"ball_1", "ball_2", "ball_3", "drawn"}
            for id in (1, 2, 3):
                assert location_of(entities[f"ball_{id}"]) == pytest.approx(
                    [id + id * frame / 64, 0, 0]
                )
            (line,) = entities["drawn"][11]
            assert [vector(point) for point in protobuf(line)[5]] == [[0, 0, 0], [0, 0, 5]]
            assert foxglove.json("/values")["ball_3"]["position"]["x"] == 3 + 3 * frame / 64
        assert foxglove.states[-1].status == PAUSED
        assert foxglove.states[-1].jumped
        tool.focus(1)
        foxglove.until(lambda: foxglove.json("/playhead")["focus"] == 1)
        assert 11 not in foxglove.entities()["drawn"]
        tool.leave()
        playing.run(4)
        assert foxglove.await_frame(36)["mode"] == "live"
        assert foxglove.states[-1].status == PLAYING
    assert bridging.ended() == ""


def test_whoever_comes_while_the_game_is_paused_sees_where(served):
    playing, bridging = served
    with Client(playing.endpoint) as tool:
        tool.seek(frame=5)
        for _ in range(2):
            with app(bridging.address) as foxglove:
                foxglove.await_frame(5)


def test_its_buttons_and_its_bar_move_the_game(served):
    playing, bridging = served
    with app(bridging.address) as foxglove, Client(playing.endpoint) as tool:
        foxglove.await_frame(32)
        state = foxglove.ask(plays=False)
        assert (state.status, state.time) == (PAUSED, 0.5)
        assert not playing.session.live
        state = foxglove.ask(plays=False, seek=0.25)
        assert (state.status, state.time, state.jumped) == (PAUSED, 0.25, True)
        foxglove.await_frame(16)
        until(lambda: tool.time.frame == 16, tool)
        with playing.running(200):
            state = foxglove.ask(plays=True, rate=2.0)
            assert (state.status, state.rate) == (PLAYING, 2.0)
            foxglove.until(lambda: foxglove.json("/playhead")["frame"] > 20)
            foxglove.until(lambda: foxglove.states[-1].status == PAUSED)  # at the end
        state = foxglove.ask(plays=True, rate=0.0, seek=0.125)
        assert (state.status, state.time) == (PLAYING, 0.125)
        assert state.rate == pytest.approx(0.01)
        state = foxglove.ask(plays=False, seek=99.0)
        assert (state.status, state.time) == (PAUSED, 0.5)
        answered = [state.request for state in foxglove.states if state.request]
        assert len(answered) == len(set(answered)) == 5, "each request has one answer"


def test_the_bars_range_is_the_recorded_span_and_is_sent_again_when_the_game_outgrows_it(
    game, bridge
):
    playing = game()
    playing.run(64)
    playing.do(lambda: playing.session.apply(Enter(), now=True))
    bridging = bridge("foxglove", playing.endpoint, "--bind", "127.0.0.1:*")
    with app(bridging.address) as foxglove:
        foxglove.await_frame(64)
        assert seconds(foxglove.info["dataStartTime"]) == pytest.approx(1 / 64)
        assert seconds(foxglove.info["dataEndTime"]) == 1.0
        playing.do(playing.session.leave)
        playing.run(1)
        with pytest.raises(closed):
            foxglove.until(lambda: False)
    until(lambda: answers(bridging.address))  # an app looks for it every few seconds
    with app(bridging.address) as foxglove:
        foxglove.await_frame(65)
        assert seconds(foxglove.info["dataEndTime"]) == pytest.approx(65 / 64 + 600)
        playing.run(20)
        foxglove.await_frame(85)


def test_logs_decisions_and_marks_come_with_their_instant(served, tool):
    playing, bridging = served
    with app(bridging.address) as foxglove:
        foxglove.await_frame(32)
        mover = tool(playing)
        mover.emit(
            TransitionStatement(
                1, StateTransition("roll", "slow", "fast", "it is steep"), time=8 / 64
            )
        )
        mover.log("bumpy", level="error", time=8 / 64)
        mover.mark("the hill", time=8 / 64)
        mover.flush()
        playing.run(1)
        mover.seek(frame=8)
        foxglove.await_frame(8)
        foxglove.until(lambda: {"/log", "/decisions", "/marks"} <= foxglove.newest.keys())
        result = {topic: foxglove.newest[f"/{topic}"] for topic in ("log", "decisions", "marks")}
    assert {when for when, _ in result.values()} == {0.125}
    log, decision, mark = (protobuf(data) for _, data in result.values())
    assert (log[2], log[3]) == ([4], [b"bumpy"])
    assert decision[3] == ["roll: slow → fast because it is steep".encode()]
    assert decision[4] == [b"ball_1"]
    assert mark[3] == [b"mark: the hill"]
