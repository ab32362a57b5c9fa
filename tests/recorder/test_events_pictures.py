"""Events and pictures: what happened in a frame, and what the game's screen showed then."""

import threading

import pytest

from playhead.errors import EvictedError, RecordingError
from playhead.recorder.clips.clip_source import ClipSource
from playhead.recorder.clips.save_clip import save
from playhead.recorder.packets.packet_types import PacketType
from playhead.recorder.packets.picture_validation import MOST_BYTES
from playhead.recorder.saving.csv_export import export_csv
from playhead.recorder.statements.instrumentation_interface import NullInstrumentation
from playhead.recorder.statements.statement_messages import GameEvent, Picture
from playhead.recorder.statements.statement_queue import StatementSource, WaitingStatement

from ..support.pictures import picture_bytes

JPEG = picture_bytes()


def in_a_thread(work):
    thread = threading.Thread(target=work)
    thread.start()
    thread.join(30)


def test_all_events_of_a_frame_count_in_their_order(recorder):
    recorder.event("hit", {"damage": 3}, object=7)
    recorder.event("door opened")
    recorder.event("hit", {"damage": 4}, object=7)
    recorder.event("hit", object=8)
    first, second = recorder.update([], 0.1), recorder.update([], 0.1)
    assert recorder.source.events(first) == [
        (7, "hit", {"damage": 3}), (0, "door opened", None), (7, "hit", {"damage": 4}),
        (8, "hit", None),
    ]  # fmt: skip
    assert recorder.source.statements(first).events == recorder.source.events(first)
    assert recorder.source.events(second) == []


@pytest.mark.parametrize(
    "say",
    [
        lambda r: r.event("hit", object()),
        lambda r: r.event(5),
        lambda r: r.event(None, 1),
        lambda r: r.event("hit", object=-1),
        lambda r: r.event("hit", object="orc"),
    ],
)
def test_wrong_events_are_refused_and_cost_the_frame_nothing(recorder, say):
    with pytest.raises(RecordingError):
        say(recorder)
    frame = recorder.update([], 0.1)
    assert recorder.source.events(frame) == []


@pytest.mark.parametrize("format", ["jpeg", "png", "webp"])
def test_a_picture_is_of_its_frame_and_of_several_of_one_name_the_last_counts(recorder, format):
    recorder.picture(picture_bytes(format, "old"), format=format)
    recorder.picture(picture_bytes(format, "new"), format=format, width=640, height=65535)
    recorder.picture(memoryview(picture_bytes(format, "map")), format=format, name="map")
    first, second = recorder.update([], 0.1), recorder.update([], 0.1)
    assert recorder.source.pictures(first) == {
        "screen": Picture(picture_bytes(format, "new"), format, 640, 65535),
        "map": Picture(picture_bytes(format, "map"), format, name="map"),
    }
    assert recorder.source.pictures(second) == {}


WRONG = [
    (Picture(b""), "empty"),
    (Picture(b"GIF89a"), "begins with b'GIF89a', which is no jpeg"),
    (Picture(JPEG, "png"), "which is no png"),
    (Picture(b"RIFF0000WAVE", "webp"), "which is no webp"),
    (Picture(JPEG, "gif"), "format 'gif': there are jpeg, png, webp"),
    (Picture(JPEG, ""), "format ''"),
    (Picture(JPEG, width=-1), "width -1"),
    (Picture(JPEG, height=65536), "height 65536"),
    (Picture(JPEG, name="x" * 201), "200 characters"),
    (Picture(picture_bytes(size=MOST_BYTES + 1)), f"{MOST_BYTES + 1} bytes; {MOST_BYTES} is"),
]  # fmt: skip


@pytest.mark.parametrize(("picture", "says"), WRONG)
def test_a_wrong_picture_is_refused_in_words_from_everywhere(recorder, picture, says):
    for take in (recorder.emit, recorder.accept, recorder.accept_in_step):
        with pytest.raises(RecordingError, match=says):
            take(picture)
    with pytest.raises(RecordingError, match=says):
        recorder.picture(
            picture.data, format=picture.format, width=picture.width, height=picture.height,
            name=picture.name,
        )  # fmt: skip
    assert recorder.source.pictures(recorder.update([], 0.1)) == {}


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"image": "text"}, "data is a str"),
        ({"image": [[0, 0, 0]]}, "data is a list: give an array of pixels"),
        ({"image": None}, "NoneType"),
        ({"image": 5}, "data is a int"),
        ({"image": JPEG, "name": 5}, "name is a text"),
        ({"image": JPEG, "width": 1.5}, "width 1.5"),
        ({"image": JPEG, "width": True}, "width True"),
    ],
)
def test_what_is_no_picture_is_refused_in_words(recorder, given, says):
    with pytest.raises(RecordingError, match=says):
        recorder.picture(**given)


def test_not_strict_wrong_ones_are_counted_by_their_calls(make_recorder):
    recorder = make_recorder(strict=False)
    recorder.event("hit", object())
    recorder.picture(b"")
    recorder.update([], 0.1)
    assert recorder.status.calls_refused == {"event": 1, "picture": 1}


def test_the_newest_picture_of_a_name_is_found_however_old_it_is(make_recorder):
    recorder = make_recorder("2 MiB")
    for frame in range(1, 201):
        if frame in (5, 40):
            recorder.picture(picture_bytes(text=str(frame)))
        if frame == 30:
            recorder.picture(picture_bytes(text="map"), name="map")
        recorder.update([], 0.125)
    found = recorder.source.newest_picture
    assert found(4, "screen") is None
    assert [found(at, "screen")[0] for at in (5, 39, 40, 120)] == [5, 5, 40, 40]
    assert found(40 + 80, "screen")[1].data == picture_bytes(text="40")
    assert found(200, "screen")[0] == 40
    assert (found(29, "map"), found(199, "map")[0], found(99, "radar")) == (None, 30, None)
    with pytest.raises(EvictedError):
        found(201, "screen")


def test_the_largest_picture_is_recorded_and_is_in_a_clip(make_recorder, tmp_path):
    recorder = make_recorder("8 MiB")
    data = picture_bytes("png", size=MOST_BYTES)
    recorder.picture(data, format="png")
    in_a_thread(lambda: recorder.picture(data, format="png", name="thread"))
    recorder.event("shot")
    frame = recorder.update([], 0.1)
    for _ in range(5):
        recorder.update([], 0.1)
    save(tmp_path / "x.mcap", recorder.ring)
    with ClipSource.open(tmp_path / "x.mcap") as clip:
        for source in (recorder.source, clip):
            assert {one.data for one in source.pictures(frame).values()} == {data}
            assert source.newest_picture(frame + 5, "thread") == (
                frame,
                Picture(data, "png", name="thread"),
            )
            assert source.events(frame) == [(0, "shot", None)]
        for type in (PacketType.EVENT, PacketType.PICTURE):
            assert clip.type_of(frame, type)[0] == f".{type.name.lower()}"


def test_threads_state_events_and_pictures_too(recorder):
    def work():
        value, data = {"x": 1}, bytearray(JPEG)
        recorder.event("net", value, object=3)
        recorder.picture(data)
        value["x"], data[5:] = 2, b""

    in_a_thread(work)
    frame = recorder.update([], 0.1)
    assert recorder.source.events(frame) == [(3, "net", {"x": 1})]
    assert recorder.source.pictures(frame)["screen"].data == JPEG


def test_pictures_of_threads_and_others_wait_within_their_bounds(make_recorder):
    recorder = make_recorder("64 MiB")
    data = picture_bytes(size=MOST_BYTES)
    in_a_thread(lambda: [recorder.picture(data, name=str(at)) for at in range(6)])
    for at in range(6):
        recorder.accept(Picture(data, name=f"peer {at}"), len(data))
    recorder.accept_in_step(GameEvent("hit"), 10)
    assert recorder.queue.put(
        WaitingStatement(GameEvent("small"), None, StatementSource.THREAD, 10)
    )
    frame = recorder.update([], 0.1)
    assert len(recorder.source.pictures(frame)) == 8
    assert recorder.status.calls_dropped == 4
    assert recorder.source.events(frame) == [(0, "small", None)]


def test_a_step_that_is_not_recorded_takes_its_events_and_pictures_with_it(recorder):
    queue = recorder.queue
    for message in (GameEvent("hit"), Picture(JPEG)):
        queue.add_to_step(message, None, 10)
    queue.step_waits()
    queue.add_to_step(GameEvent("later"), None, 10)
    queue.step_waits()
    queue.end_step()
    assert recorder.source.events(recorder.update([], 0.1)) == [(0, "later", None)]


def test_nobody_listening_nothing_is_even_looked_at():
    nobody = NullInstrumentation()
    nobody.event(5, object(), object="orc")
    nobody.picture("no picture", format=7)


def test_the_table_of_events_has_every_one(recorder, tmp_path):
    recorder.event("hit", {"damage": 3}, object=7)
    recorder.event("hit")
    recorder.update([], 0.5)
    export_csv(recorder.source, tmp_path / "csv")
    rows = (tmp_path / "csv" / "events.csv").read_text().splitlines()
    assert rows == [
        "frame,time,object,name,value", '1,0.5,7,hit,"{""damage"": 3}"', "1,0.5,0,hit,",
    ]  # fmt: skip
