"""A recording as a file for Foxglove: what is in it, and that it is what Foxglove has published."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from mcap.reader import make_reader

from playhead.bus.bridges.foxglove_file import TOPICS, export_foxglove
from playhead.bus.bridges.foxglove_messages import COMPRESSED_IMAGE
from playhead.errors import RecordingError
from playhead.recorder.world_adapter import Conventions

from ...node import node_folder, run_node
from ...support.other_process import OtherProcess
from ...support.pictures import picture_bytes

HERE = Path(__file__).parent / "node"


def with_everything(stage: Any, frames: int = 3) -> Any:
    """A stage on which everything there is was drawn and said in the first frame."""
    session = stage.session
    draw = session.draw
    draw.line((0, 0, 0), (1, 0, 0), color=(255, 0, 0))
    draw.lines([((0, 0, 0), (0, 1, 0)), ((0, 0, 0), (0, 0, 1))])
    draw.sphere((1, 2, 3), 0.5)
    draw.box((0, 0, 1), (1, 2, 3), angles=(0, 0, 1.0))
    draw.polygon([(0, 0, 0), (1, 0, 0), (1, 1, 0)])
    draw.text((0, 0, 2), "here")
    session.log("hello", level="warning", object=1)
    session.trace.state(1, "guard", "Idle", "Flee", won="hp < 20")
    session.mark("there", "a note", object=1)
    session.watch("speed", 3.5, 1)
    session.watch("broken", float("nan"), 1)
    for _ in range(frames):
        stage.step()
    return stage


def messages(path: Path) -> dict[str, list[tuple[int, Any]]]:
    """By topic: time in nanoseconds and message."""
    found: dict[str, list[tuple[int, Any]]] = {topic: [] for topic in TOPICS}
    with path.open("rb") as file:
        reader = make_reader(file, validate_crcs=True)
        for schema, channel, message in reader.iter_messages():
            assert (channel.message_encoding, schema.encoding) == ("json", "jsonschema")
            assert schema.name == TOPICS.get(channel.topic, COMPRESSED_IMAGE)
            found.setdefault(channel.topic, []).append((message.log_time, json.loads(message.data)))
    return found


def test_every_frame_is_a_scene_of_its_time(stage, tmp_path):
    made = with_everything(stage())
    assert export_foxglove(made.source, tmp_path / "x.mcap") == 3
    found = messages(tmp_path / "x.mcap")
    assert [at for at, _ in found["/scene"]] == [round(n * 1e9 / 64) for n in (1, 2, 3)]
    (_, first), (_, second), _ = found["/scene"]
    assert [one["type"] for one in first["deletions"]] == [1]
    entities = {one["id"]: one for one in first["entities"]}
    assert set(entities) == {"walker_1", "lamp_3", "drawn"}  # the other walker is not visible
    walker = entities["walker_1"]
    assert walker["arrows"][0]["pose"]["position"] == {"x": 1.0, "y": 2.0, "z": 3.0}
    turn = walker["arrows"][0]["pose"]["orientation"]
    assert (turn["z"], turn["w"]) == pytest.approx((0.5**0.5, 0.5**0.5), abs=1e-6)
    assert {"key": "hp", "value": "7"} in walker["metadata"]
    assert len(walker["lines"][0]["points"]) == 4  # two bones
    drawn = entities["drawn"]
    assert [len(line["points"]) for line in drawn["lines"]] == [2, 4, 3]
    assert [line["type"] for line in drawn["lines"]] == [0, 2, 1]
    assert drawn["lines"][0]["color"] == {"r": 1.0, "g": 0.0, "b": 0.0, "a": 1.0}
    assert drawn["spheres"][0]["size"] == {"x": 1.0, "y": 1.0, "z": 1.0}
    assert drawn["cubes"][0]["size"] == {"x": 1.0, "y": 2.0, "z": 3.0}
    assert [text["text"] for text in drawn["texts"]] == ["here"]
    gone = next(one for one in second["entities"] if one["id"] == "drawn")
    assert not any(gone[name] for name in ("lines", "cubes", "spheres", "texts"))


def test_log_lines_and_every_number_have_topics_of_their_own(stage, tmp_path):
    made = with_everything(stage())
    export_foxglove(made.source, tmp_path / "x.mcap")
    found = messages(tmp_path / "x.mcap")
    ((_, line),) = found["/log"]
    assert (line["level"], line["message"], line["name"]) == (3, "hello", "walker_1")
    assert Path(line["file"]) == Path(__file__)
    assert "Idle → Flee because hp < 20" in found["/decisions"][0][1]["message"]
    assert found["/marks"][0][1]["message"] == "mark: there: a note"
    values = found["/values"][0][1]["walker_1"]
    assert (values["speed"], values["hp"], values["position.x"]) == (3.5, 7.0, 1.0)
    assert "broken" not in values


def test_each_camera_has_a_topic_of_compressed_images_at_their_time(stage, tmp_path):
    made = stage()
    for step in range(3):
        made.session.picture(picture_bytes(text=str(step)))
        if step == 1:
            made.session.picture(picture_bytes("png"), format="png", name="map")
        made.step()
    export_foxglove(made.source, tmp_path / "x.mcap")
    found = messages(tmp_path / "x.mcap")
    images = [(at, base64.b64decode(one["data"])) for at, one in found["/pictures/screen"]]
    assert images == [(round((n + 1) * 1e9 / 64), picture_bytes(text=str(n))) for n in range(3)]
    ((at, one),) = found["/pictures/map"]
    assert (at, one["format"], one["frame_id"]) == (round(2e9 / 64), "png", "map")


def test_axes_are_turned_to_right_handed_with_z_up(stage, tmp_path):
    made = with_everything(stage(Conventions(up="y", handedness="left")), 1)
    export_foxglove(made.source, tmp_path / "x.mcap")
    ((_, scene),) = messages(tmp_path / "x.mcap")["/scene"]
    walker = next(one for one in scene["entities"] if one["id"] == "walker_1")
    location = walker["arrows"][0]["pose"]["position"]
    assert location["z"] == 2.0  # the game's y


def test_what_has_no_place_is_left_out(stage, tmp_path):
    made = stage()
    made.world.things[1].position = (float("nan"), 0.0, 0.0)
    made.session.draw.line((0, 0, 0), (float("inf"), 0, 0))
    made.step()
    export_foxglove(made.source, tmp_path / "x.mcap")
    ((_, scene),) = messages(tmp_path / "x.mcap")["/scene"]
    assert {one["id"] for one in scene["entities"]} == {"lamp_3", "drawn"}
    assert scene["entities"][-1]["lines"] == []


def test_a_stretch_is_exported_and_nothing_is_replaced(stage, tmp_path):
    made = with_everything(stage(), 9)
    done: list[tuple[int, int]] = []
    path = tmp_path / "x.mcap"
    assert export_foxglove(made.source, path, 3, 5, progress=lambda *at: done.append(at)) == 3
    assert done == [(1, 3), (2, 3), (3, 3)]
    assert len(messages(path)["/scene"]) == 3
    with pytest.raises(RecordingError, match="is there already"):
        export_foxglove(made.source, path)
    export_foxglove(made.source, path, overwrite=True)
    assert len(messages(path)["/scene"]) == 9
    assert [file.name for file in tmp_path.iterdir()] == ["x.mcap"]


def test_marks_that_came_late_stand_at_their_frame(stage, tmp_path):
    made = with_everything(stage(), 4)
    OtherProcess(made.session.recorder).set_mark("late", time=2 / 64)
    made.step()
    export_foxglove(made.source, tmp_path / "x.mcap")
    marks = messages(tmp_path / "x.mcap")["/marks"]
    assert [(at, one["message"]) for at, one in marks][1] == (round(2e9 / 64), "mark: late")


@pytest.mark.slow
def test_every_message_is_what_foxglove_has_published(stage, tmp_path):
    folder = node_folder("foxglove-check", HERE, "@foxglove/schemas")
    export_foxglove(with_everything(stage()).source, tmp_path / "x.mcap")
    facts = json.loads(run_node(folder, "check.mjs", tmp_path / "x.mcap"))
    assert facts["wrong"] == []
    assert facts["counts"] == {
        "/scene": 3, "/values": 3, "/log": 1, "/decisions": 1, "/marks": 1,
    }  # fmt: skip
