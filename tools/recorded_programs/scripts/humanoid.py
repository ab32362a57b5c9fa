from pathlib import Path

import gymnasium
import mujoco

path = Path(gymnasium.__file__).parent / "envs" / "mujoco" / "assets" / "humanoid.xml"
model = mujoco.MjModel.from_xml_path(str(path))
data = mujoco.MjData(model)
for _ in range(300):
    mujoco.mj_step(model, data)
print(data.qpos)
