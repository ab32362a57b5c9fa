"""`playhead find`: how a hit reads."""

import playhead as ph


def test_a_hit_has_the_object_s_id_parts_in_brackets_and_six_digits(run_here, tmp_path):
    enemy = {"name": "enemy 2", "rect": [0, 10, 20, 30], "x": 0.1}
    with ph.record([enemy], tmp_path / "run.mcap", dt=0.1) as rec:
        for step in range(5):
            with rec.frame():
                enemy["rect"][0], enemy["x"] = -step, 0.1 * step
    done = run_here("find", tmp_path / "run.mcap", "rect[0] < -2 and x != 7")
    assert done.out == "     0.400 s  frame 4        enemy 2 (id 1)   rect[0] = -3, x = 0.3\n"
