"""Pictures in a recording: in their frame, within their budget, at no cost to the game."""

import gc
import sys
import threading

import numpy as np
import pytest

from playhead.errors import CapacityError, CommandError, RecordingError
from playhead.recorder.clips.clip_source import ClipSource
from playhead.recorder.clips.save_clip import save
from playhead.recorder.pictures import picture_encoder
from playhead.recorder.pictures.jpeg_codec import decompressed
from playhead.recorder.pictures.picture_recorder import PictureRecorder
from playhead.recorder.pictures.picture_settings import PictureSettings

simplejpeg = pytest.importorskip("simplejpeg")


def grey(level, height=48, width=64):
    return np.full((height, width, 3), level, np.uint8)


def level_of(picture):
    return int(decompressed(picture.data, "test").mean().round())


def noise(seed, height=360, width=640):
    """Costs a JPEG as many bytes as any picture of that size."""
    return np.random.default_rng(seed).integers(0, 256, (height, width, 3)).astype(np.uint8)


@pytest.fixture
def hold_encoder(monkeypatch):
    """While it is held no picture is compressed; `set` lets them go on."""
    go = threading.Event()
    encode = picture_encoder._encoded

    def held(job):
        assert go.wait(30)
        return encode(job)

    monkeypatch.setattr(picture_encoder, "_encoded", held)
    yield go
    go.set()


def test_pictures_are_found_in_the_frames_that_they_show(make_recorder):
    recorder = make_recorder("4 MiB")
    for level in range(0, 200, 10):
        recorder.picture(grey(level))
        frame = recorder.update([], 0.1)
        recorder.wait_for_pictures(10)
    recorder.update([], 0.1)
    source = recorder.source
    assert [level_of(source.pictures(at)["screen"]) for at in range(1, frame + 1)] == [
        *range(0, 200, 10)
    ]
    assert source.pictures(frame + 1) == {}
    found, picture = source.newest_picture(frame + 1, "screen")
    assert (found, picture.width, picture.height, picture.format) == (frame, 64, 48, "jpeg")


def test_a_late_picture_lands_on_its_frame_in_ring_and_clip(
    make_recorder, hold_encoder, tmp_path
):  # fmt: skip
    recorder = make_recorder("4 MiB")
    recorder.update([], 0.1)
    recorder.picture(grey(90))
    for _ in range(5):
        recorder.update([], 0.1)
    assert recorder.source.newest_picture(6, "screen") is None
    hold_encoder.set()
    assert recorder.wait_for_pictures(10)
    recorder.picture(grey(200), name="map")
    recorder.wait_for_pictures(10)
    recorder.update([], 0.1)
    save(tmp_path / "x.mcap", recorder.ring, chunk_bytes=1000)
    with ClipSource.open(tmp_path / "x.mcap") as clip:
        for source in (recorder.source, clip):
            assert [sorted(source.pictures(at)) for at in range(1, 8)] == [
                [], ["screen"], [], [], [], [], ["map"],
            ]  # fmt: skip
            found = source.newest_picture
            assert [found(at, "screen") and found(at, "screen")[0] for at in (1, 2, 3, 7)] == [
                None, 2, 2, 2,
            ]  # fmt: skip
            entries = source.picture_entries(1, 7)
            assert [(one.frame, one.recorded, name) for one, name in entries] == [
                (2, 7, "screen"), (7, 7, "map"),
            ]  # fmt: skip


def test_what_is_changed_after_the_call_was_recorded_as_it_was(make_recorder, hold_encoder):
    recorder, image = make_recorder("4 MiB"), grey(100)
    recorder.picture(image)
    image[:] = 0
    hold_encoder.set()
    recorder.wait_for_pictures(10)
    frame = recorder.update([], 0.1)
    assert level_of(recorder.source.pictures(frame)["screen"]) == 100


def test_a_thread_that_is_behind_costs_pictures_and_never_the_game(make_recorder, hold_encoder):
    recorder = make_recorder("16 MiB")
    for level in range(20):
        recorder.picture(grey(level))
        recorder.update([], 0.1)
    status = recorder.status.pictures
    assert (status.busy, status.recorded) == (17, 0)
    hold_encoder.set()
    recorder.wait_for_pictures(10)
    recorder.update([], 0.1)
    assert recorder.status.pictures.recorded == 3
    assert [one.frame for one, _ in recorder.source.picture_entries(1, 21)] == [1, 2, 3]


def test_a_function_is_called_only_when_a_picture_is_due(make_recorder):
    recorder, calls = make_recorder("4 MiB", pictures=PictureSettings(per_second=2)), []
    for step in range(40):
        recorder.picture(lambda step=step: calls.append(step) or grey(step))
        recorder.wait_for_pictures(10)
        recorder.update([], 0.125)
    assert calls == [*range(0, 40, 4)]
    assert recorder.status.pictures.not_due == 40 - len(calls)


def test_a_function_that_raises_costs_its_picture_and_is_left_alone_for_a_second(make_recorder):
    recorder, calls = make_recorder("4 MiB", strict=False), []

    def render():
        calls.append(1)
        raise OSError("no context")

    for _ in range(30):
        recorder.picture(render)
        recorder.update([], 0.1)
    assert len(calls) == 3
    assert recorder.status.calls_refused == {"picture": 3}
    assert recorder.status.pictures.failed == 3
    recorder = make_recorder("4 MiB", strict=True)
    with pytest.raises(RecordingError, match="no context"):
        recorder.picture(render)


@pytest.mark.parametrize("memory", ["512 KiB", "2 MiB", "16 MiB"])
def test_a_thousand_pictures_a_second_take_no_more_than_their_share(make_recorder, memory):
    recorder = make_recorder(memory)
    budget = PictureSettings().bytes_per_second(recorder.ring.accounts["capacity"])
    images = [noise(seed) for seed in range(3)]
    for step in range(3000):
        recorder.picture(images[step % 3])
        if recorder.status.pictures.not_due <= step:
            recorder.wait_for_pictures(10)
        recorder.update([], 0.01)
    status = recorder.status.pictures
    assert status.bytes <= 31 * budget + 32_000  # the first picture may be had at once
    assert status.recorded >= (2 if memory == "512 KiB" else 15)
    assert status.recorded + status.not_due + status.busy == 3000


def test_pictures_become_smaller_where_the_budget_has_not_four_in_a_second(make_recorder):
    recorder = make_recorder("4 MiB", pictures=PictureSettings(budget="40 KiB"))
    images = [noise(seed) for seed in range(3)]
    for step in range(200):
        recorder.picture(images[step % 3])
        recorder.wait_for_pictures(10)
        recorder.update([], 0.1)
    entries = recorder.source.picture_entries(1, 200)
    widths = {recorder.source.picture_at(entry).width for entry, _ in entries}
    assert max(widths) < 640
    assert min(widths) >= 160
    assert len(entries) > 3 * 20


def test_cameras_share_the_budget_and_each_has_its_pictures(make_recorder):
    recorder = make_recorder("16 MiB", pictures=PictureSettings(budget="100 KiB"))
    for step in range(200):
        for name in ("front", "rear", "map"):
            recorder.picture(noise(step % 2, 90, 160), name=name)
            recorder.wait_for_pictures(10)
        recorder.update([], 0.05)
    names = [name for _, name in recorder.source.picture_entries(1, 200)]
    counts = {name: names.count(name) for name in set(names)}
    assert set(counts) == {"front", "rear", "map"}
    assert max(counts.values()) <= min(counts.values()) + 2


def test_too_many_names_are_refused_and_the_others_go_on(make_recorder):
    recorder = make_recorder("16 MiB", strict=False)
    for number in range(20):
        recorder.picture(grey(10), name=f"camera {number}")
        recorder.wait_for_pictures(10)
    recorder.picture(grey(10), name=5)
    frame = recorder.update([], 0.1)
    assert len(recorder.source.pictures(frame)) == 16
    assert recorder.status.calls_refused == {"picture": 5}


def test_a_ring_too_small_for_a_picture_takes_a_smaller_one_or_says_so(make_recorder):
    recorder = make_recorder("128 KiB", strict=False)
    most = recorder.ring.accounts["capacity"] // 8
    recorder.picture(noise(1))
    recorder.wait_for_pictures(10)
    frame = recorder.update([], 0.1)
    picture = recorder.source.pictures(frame)["screen"]
    assert len(picture.data) <= most
    assert picture.width < 640
    tiny = PictureRecorder(PictureSettings(), 2000)
    assert tiny.take(noise(1), "screen", 0.0, 1)
    tiny.wait(10)
    (failed,) = tiny.take_encoded()
    assert "the recording has room for 250 of one: give it more memory" in str(failed.error)
    tiny.close()


def test_huge_pictures_are_made_smaller(make_recorder):
    recorder = make_recorder("16 MiB")
    recorder.picture(np.broadcast_to(np.uint8(77), (4320, 7680, 3)))
    recorder.wait_for_pictures(30)
    frame = recorder.update([], 0.1)
    picture = recorder.source.pictures(frame)["screen"]
    assert (picture.width, picture.height, level_of(picture)) == (640, 360, 77)


def test_sizes_may_change_from_picture_to_picture(make_recorder):
    recorder, sizes = make_recorder("16 MiB"), [(9, 5), (500, 900), (1, 1), (48, 64), (2000, 30)]
    for height, width in sizes:
        recorder.picture(grey(50, height, width))
        recorder.wait_for_pictures(10)
        recorder.update([], 0.1)
    source = recorder.source
    found = [source.pictures(at)["screen"] for at in range(1, 6)]
    assert [(one.height, one.width) for one in found] == [
        (9, 5), (500, 900), (1, 1), (48, 64), (666, 10),
    ]  # fmt: skip
    assert [level_of(one) for one in found] == [50] * 5


def test_what_a_thread_finds_wrong_is_counted_or_raised_at_the_frames_end(make_recorder):
    for strict in (False, True):
        recorder = make_recorder("4 MiB", strict=strict)
        recorder.picture(np.full((4, 4, 3), 200.0))
        recorder.wait_for_pictures(10)
        if strict:
            with pytest.raises(RecordingError, match="divide it by 255"):
                recorder.update([], 0.1)
        else:
            recorder.update([], 0.1)
        assert recorder.status.calls_refused == {"picture": 1}
        assert recorder.status.pictures.failed == 1


@pytest.mark.parametrize("strict", [True, False])
def test_a_picture_whose_frame_is_gone_is_counted(strict, make_recorder, hold_encoder):
    recorder = make_recorder("16 MiB", strict=strict)
    recorder.picture(grey(1))
    for _ in range(700):
        recorder.update([], 0.01)
    hold_encoder.set()
    recorder.wait_for_pictures(10)
    recorder.update([], 0.01)
    assert recorder.status.pictures.failed == 1
    assert "compressed too late" in recorder.status.newest_fault
    assert recorder.source.picture_entries(1, 701) is None


def test_without_the_library_it_is_reported_once_what_to_install(
    make_recorder, monkeypatch, caplog
):
    monkeypatch.setitem(sys.modules, "simplejpeg", None)
    recorder = make_recorder("4 MiB", strict=False)
    for _ in range(60):
        recorder.picture(grey(1))
        recorder.update([], 0.1)
    (record,) = caplog.records
    assert "simplejpeg, which is not installed: " in record.getMessage()
    assert "[pictures]" in record.getMessage()


def test_pictures_may_be_switched_off_and_then_nothing_is_looked_at(make_recorder):
    recorder = make_recorder("4 MiB", pictures=False)
    recorder.picture(lambda: 1 / 0)
    recorder.picture("no picture")
    recorder.update([], 0.1)
    assert recorder.status.pictures.failed == 0


def test_worker_threads_give_pictures_too(make_recorder):
    recorder = make_recorder("16 MiB")

    def work(number):
        recorder.picture(grey(number), name=f"camera {number}")

    threads = [threading.Thread(target=work, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
        thread.join(10)
    recorder.wait_for_pictures(10)
    frame = recorder.update([], 0.1)
    assert sorted(recorder.source.pictures(frame)) == ["camera 0", "camera 1", "camera 2"]


def test_after_close_no_thread_is_left_and_no_copy(make_recorder):
    recorder = make_recorder("4 MiB")
    recorder.picture(grey(1))
    recorder.close()
    assert not [one for one in threading.enumerate() if one.name == "playhead-pictures"]
    with pytest.raises(RecordingError, match="closed"):
        recorder.picture(grey(1))
    gc.collect()


@pytest.mark.parametrize(
    ("settings", "error", "says"),
    [
        ({"per_second": 0}, CommandError, "per_second 0"),
        ({"per_second": float("nan")}, CommandError, "per_second nan"),
        ({"per_second": "30"}, CommandError, "per_second '30'"),
        ({"side": 8}, CommandError, "side 8: give a whole number from 16 to 4096"),
        ({"side": 640.0}, CommandError, "side 640.0"),
        ({"quality": 101}, CommandError, "quality 101"),
        ({"budget": 0}, CapacityError, "budget 0"),
        ({"budget": "much"}, CapacityError, "much"),
    ],
)
def test_settings_that_make_no_sense_are_refused_by_their_name(settings, error, says):
    with pytest.raises(error, match=says):
        PictureSettings(**settings)


def test_what_is_no_setting_is_refused(make_recorder):
    with pytest.raises(CommandError, match="give PictureSettings"):
        make_recorder("4 MiB", pictures=10)


def test_an_error_of_the_librarys_own_costs_its_picture_and_the_thread_goes_on(
    make_recorder, monkeypatch
):
    recorder = make_recorder("4 MiB", strict=False)
    compress, broken = picture_encoder.compressed, [MemoryError("none left")]

    def fail_once(*given):
        if broken:
            raise broken.pop()
        return compress(*given)

    monkeypatch.setattr(picture_encoder, "compressed", fail_once)
    for name in ("first", "second"):
        recorder.picture(grey(90), name=name)
        recorder.pictures.wait(30)
    frame = recorder.update([], 0.1)
    assert set(recorder.source.pictures(frame)) == {"second"}
    assert "a picture can't be compressed: MemoryError('none left')" in recorder.status.newest_fault
