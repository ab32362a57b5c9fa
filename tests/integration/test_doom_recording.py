"""A real Doom through a small ring: what the ring says is what was."""

from random import Random

import numpy as np
import pytest

pytest.importorskip("vizdoom")

from playhead.errors import EvictedError
from playhead.games.doom.doom_game import DoomRun
from playhead.playback.commands import SeekFrame, Step
from playhead.recorder.packets.packet_types import Kind
from playhead.recorder.reading.frame_source import TOLERANCE
from playhead.session import Session

MINUTE = 60 * 35


@pytest.mark.slow
@pytest.mark.parametrize(("tics", "memory"), [(MINUTE, "1600 KiB"), (5 * MINUTE, "8 MiB")])
def test_deathmatch_through_a_small_ring_equals_a_plain_log_of_the_same_run(tics, memory):
    log: list[tuple] = []
    with (
        DoomRun("deathmatch", seed=5) as run,
        Session(run.world, memory, handlers=run.handlers) as session,
    ):
        run.attach(session)
        states, message = [], {}
        for tic in range(tics):
            run.step()
            table = run.game.objects
            if tic % 97 == 0:
                player, state = run.game.self_id, f"period {tic // 97}"
                session.trace.state(player, "log", message.get(player, ""), state, won="time")
                message[player] = state
                session.fact(0, "tic", tic)
                latched_tic = tic
            session.update(run.dt)
            log.append((run.world.time(), table.ids.copy(), table.records.copy(), list(table)))
            states.append((run.game.self_id, message.get(run.game.self_id), latched_tic))
            log[-1] = (*log[-1][:3], [name for _, name, _ in log[-1][3]])

        source = session.source
        span = source.span
        assert span is not None
        assert session.status.frames == tics
        assert session.status.frames_held < tics // 3, "it has not evicted many times over"
        assert session.status.packets_dropped == session.status.latch_refused == 0
        lines = np.asarray(run.game.lines, np.float32)
        rng = Random(1)
        for _ in range(500):
            time = rng.uniform(span.start, span.end)
            frame = source.frame_at(time)
            stamp = source.stamp(frame)
            assert stamp.time <= time + TOLERANCE
            assert stamp.next is None or source.stamp(stamp.next).time > time
            _, ids, records, types = log[frame - 1]
            packets = source.objects(frame)
            assert [packet.id for packet in packets] == ids.tolist()
            assert [packet.type for packet in packets] == types
            assert b"".join(packet.payload for packet in packets) == records.tobytes()
            shown = np.array([packet.position for packet in packets], np.float32)
            assert np.array_equal(shown, records["position"].astype(np.float32))
            player, state, tic = states[frame - 1]
            assert source.latched(frame, 0, Kind.FACT, "tic") == tic
            held = source.latched(frame, player, Kind.STATE, "log")
            assert (held and held.target) == state
            assert source.recorded_types(frame) >= set(types)
        for frame in rng.sample(range(span.oldest, span.newest + 1), 10):
            (drawn,) = [one for one in source.drawn(frame) if one.latched == "map"]
            assert np.array_equal(drawn.values["segments"], lines)
        with pytest.raises(EvictedError):
            source.stamp(span.oldest - 1)


@pytest.mark.slow
@pytest.mark.parametrize("tics", [300, 2000])
@pytest.mark.parametrize("scenario", ["deathmatch", "map01"])
def test_doom_goes_the_same_with_and_without_the_recorder(scenario, tics):
    hashes = []
    for recorder in (False, True):
        with DoomRun(scenario, seed=3) as run:
            session = Session(run.world, "4 MiB", handlers=run.handlers) if recorder else None
            if session is not None:
                run.attach(session)
            received = []
            for tic in range(tics):
                run.step()
                if session is not None:
                    session.update(run.dt)
                    if tic % 150 == 149:
                        session.apply(SeekFrame(tic - 100), now=True)
                        session.leave()
                if tic % 100 == 0:
                    received.append(run.state_hash())
            hashes.append((*received, run.state_hash()))
            if session is not None:
                session.close()
    assert hashes[0] == hashes[1]


@pytest.mark.slow
def test_in_playback_doom_stands_still_and_its_past_is_shown_by_stand_ins():
    with (
        DoomRun("map01", seed=3) as run,
        Session(run.world, "8 MiB", handlers=run.handlers) as session,
    ):
        run.attach(session)
        for _ in range(200):
            run.step()
            session.update(run.dt)
        before, tic = run.state_hash(), run.game.tic
        session.apply(SeekFrame(50), now=True)
        packets = session.source.objects(50)
        assert run.world.stand_ins.keys() == {packet.id for packet in packets}
        assert run.world.paused
        assert run.world.input_locked
        session.apply(Step(-10))
        moved = {packet.id: packet.position for packet in session.source.objects(40)}
        assert {id: one.position for id, one in run.world.stand_ins.items()} == moved
        assert (run.state_hash(), run.game.tic) == (before, tic)
        session.leave()
        assert not run.world.stand_ins
        run.step()
        session.update(run.dt)
        assert session.status.frames == 201
