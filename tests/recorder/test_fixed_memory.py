"""However long the run and whatever is said in it, nothing grows."""

import gc
import tracemalloc
from pathlib import Path

import pytest

from playhead.errors import CapacityError
from playhead.recorder.packets.packet_types import Kind
from playhead.recorder.recorder import Recorder
from playhead.recorder.statements.instrumentation_interface import Belief
from playhead.recorder.statements.statement_messages import SetMark


def resident() -> int:
    """Bytes of this process in memory; 0 where there is no /proc."""
    try:
        pages = Path("/proc/self/statm").read_text().split()[1]
    except OSError:
        return 0
    return int(pages) * 4096


def say_something_new(recorder, n, thing):
    """A frame in which all that may change from frame to frame does."""
    recorder.log(f"line {n}", level="info" if n % 2 else "error")
    recorder.draw.text((n, 0, 0), f"text {n}")
    recorder.draw.line((n, 0, 0), (0, n, 0), latch="one")
    recorder.watch("speed", n)
    recorder.trace.state(
        1, "guard", f"state {n}", f"state {n + 1}", won=f"because {n}", values={f"value {n}": n},
        beliefs=[Belief(n + 1, (n, 0.0, 0.0), n)],
    )  # fmt: skip
    recorder.trace.tree(
        1, "brain", [("success", "failure", "running")[n % 3]], blackboard={f"entry {n}": n}
    )
    recorder.fact(1, "fact", f"value {n}")
    id = n // 10 + 1  # objects come, get a name, and go
    recorder.name(id, f"thing {n}")
    if n % 50 == 0:
        recorder.emit(SetMark(f"mark {n}"))
    recorder.update([(id, "thing", thing(float(n))), (n + 1, f"ghost {n}", None)], 0.01)


def grown(act, frames: range) -> int:
    """Bytes that Python holds more after the last two thirds of these frames."""
    tracemalloc.start()
    try:
        held = []
        for frame in frames:
            act(frame)
            if frame - frames.start in (len(frames) // 3, len(frames) - 1):
                gc.collect()
                held.append(tracemalloc.get_traced_memory()[0])
    finally:
        tracemalloc.stop()
    return held[1] - held[0]


def test_python_keeps_nothing_of_what_was_stated(make_recorder, thing):
    recorder = make_recorder("256 KiB", strict=False)
    for gone in range(2000):  # the ends of objects are remembered in a table of fixed size
        recorder.despawn(10**6 + gone)
    for n in range(1500):
        say_something_new(recorder, n, thing)
    # 2,000 frames are compared: one kept object a frame would be 56,000 bytes at the least. Below
    # that lie tables of the interpreter that double when it pleases.
    assert grown(lambda n: say_something_new(recorder, n, thing), range(1500, 4500)) < 50_000
    assert recorder.status.latch_refused == 0


def test_twenty_thousand_frames_take_no_more_memory_than_the_first_thousands(make_recorder, thing):
    recorder = make_recorder("1 MiB", strict=False)
    accounts = recorder.ring.accounts
    for n in range(5000):
        say_something_new(recorder, n, thing)
    latched = recorder.status.latch_used
    gc.collect()
    before = resident()
    for n in range(5000, 20_000):
        say_something_new(recorder, n, thing)
    gc.collect()
    assert resident() - before < 3 << 20
    status = recorder.status
    assert status.frames == 20_000
    assert status.memory == accounts["total"] == 1 << 20
    assert status.packets_dropped == status.latch_refused == status.calls_dropped == 0
    assert status.latch_used < latched + status.latch_memory / 16, (
        "what was latched for the gone is given back"
    )


def test_names_without_end_fill_the_latch_area_and_no_more(make_recorder):
    recorder = make_recorder("256 KiB", strict=False)
    frames = []

    def watch(n):
        recorder.watch(f"value {n}", n)
        frames[:] = [recorder.update([], 0.01)]

    for n in range(6000):
        watch(n)
    assert grown(watch, range(6000, 9000)) < 50_000
    assert recorder.status.latch_refused > 2000
    assert recorder.source.watches(frames[0]) == {(0, ""): 8999.0}, (
        "the value is there, without a name"
    )


def test_a_recorder_takes_the_memory_that_it_was_given():
    for size in (64 << 10, 1 << 20, 16 << 20):
        recorder = Recorder(size, latch=8192)
        assert recorder.status.memory == size
        assert recorder.status.latch_memory <= 8192
        recorder.close()
    with pytest.raises(CapacityError):
        Recorder("1 MiB", latch="2 MiB")


def test_nothing_is_lost_but_facts_where_there_is_no_latch_area(make_recorder, thing):
    recorder = make_recorder(latch=0, strict=False)
    recorder.name(1, "one")
    recorder.trace.state(1, "guard", "a", "b", won="x")
    recorder.log("a line")
    recorder.draw.line((0, 0, 0), (1, 1, 1), latch="one")
    frame = recorder.update([(1, "thing", thing(2.5))], 0.1)
    source = recorder.source
    assert [packet.payload for packet in source.objects(frame)] == [b"\0\0\0\0\0\0\4@"]
    assert [line.text for line in source.logs(frame)] == ["a line"]
    assert source.latched(frame, 1, Kind.NAME, "") is None
    ((agent, trace),) = source.traces(frame)
    assert (agent, trace.target) == (1, "b"), "its own frame tells of the transition"
    assert source.machines(frame) == []
    assert recorder.status.latch_refused > 0
    assert recorder.source.stamp(frame).flags & 8


def test_names_that_found_no_room_do_not_stand_for_one_another(make_recorder):
    recorder = make_recorder("1 MiB", latch="32 KiB", strict=False)
    recorder.fact(1, "", "kept")
    recorder.trace.state(1, "", "a", "kept", won="x")
    recorder.draw.sphere((1, 1, 1), 1.0, object=1, latch="")
    n = 0
    while not recorder.status.latch_refused:
        n += 1
        recorder.watch(f"value {n}", n)
    recorder.fact(1, "late", "lost")
    recorder.trace.state(1, "late", "a", "lost", won="x")
    recorder.draw.sphere((2, 2, 2), 2.0, object=1, latch="late")
    frame, source = recorder.update([], 0.1), recorder.source
    assert source.latched(frame, 1, Kind.FACT, "") == "kept"
    assert source.latched(frame, 1, Kind.STATE, "").target == "kept"
    assert [drawn.values["radius"] for drawn in source.drawn(frame)] == [1.0]
    assert recorder.status.latch_refused >= 4
