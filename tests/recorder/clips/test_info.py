"""The facts of a clip, as `playhead clip info` tells them."""

from contextlib import closing
from types import SimpleNamespace
from typing import Any

from playhead.recorder.clips.clip_source import ClipSource
from playhead.recorder.clips.save_clip import save
from playhead.recorder.clips.verify_clip import verify
from playhead.recorder.handler_interface import HandlerSpec
from playhead.recorder.packets.layouts.layout import Layout
from playhead.recorder.recorder import Recorder
from playhead.recorder.world_adapter import Conventions


class Nothing:
    """Records an object as itself, without a payload."""

    layout = Layout()

    def size(self, thing: Any) -> int:
        return 0

    def record(self, thing: Any, packet: Any) -> None:
        pass


def test_the_facts_are_those_of_the_newest_game_and_not_of_the_oldest(tmp_path):
    with closing(Recorder("1 MiB", about={"game": "old", "level": 1, "seed": 3})) as recorder:
        for name in ("guard", "door"):
            recorder.add_handler(HandlerSpec(name, Nothing(), None))
        recorder.update([(1, "guard", SimpleNamespace())], 0.5)
        recorder.describe(Conventions(), {"game": "new", "level": 2})
        recorder.restart()
        recorder.update([(1, "door", SimpleNamespace())], 0.5)
        save(tmp_path / "x.mcap", recorder.ring, about={"trigger": "mine"})
    with ClipSource.open(tmp_path / "x.mcap") as clip:
        facts = clip.info()
    assert facts["games"] == 2
    assert facts["metadata"]["about"] == {"game": "new", "level": "2", "trigger": "mine"}
    assert [(row["id"], row["type"]) for row in facts["objects"]] == [(1, "door")]
    assert verify(tmp_path / "x.mcap").ok


def test_a_recording_of_one_game_has_its_facts(tmp_path):
    with closing(Recorder("1 MiB", about={"game": "only", "level": 1})) as recorder:
        recorder.update([], 0.5)
        save(tmp_path / "x.mcap", recorder.ring)
    with ClipSource.open(tmp_path / "x.mcap") as clip:
        assert (clip.info()["games"], clip.info()["metadata"]["about"]) == (
            1, {"game": "only", "level": "1"},
        )  # fmt: skip
