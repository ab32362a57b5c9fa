// Follows a playhead and prints who stands where: node follow.mjs [ENDPOINT] [FRAME TO SEEK]
import { objects } from "./frame.mjs";
import { Playhead } from "./playhead.mjs";

const playhead = await new Playhead().connect(process.argv[2], "follow");
process.once("SIGINT", () => playhead.close());
if (process.argv[3]) await playhead.seek({ frame: Number(process.argv[3]) });

for await (const { mode, frame, time } of playhead.times()) {
  if (frame === 0) continue; // nothing is recorded yet
  const { image } = await playhead.ask({ do: "frame", frame });
  const { types } = await playhead.ask({ do: "types", frame });
  const seen = [...objects(image, types)].map(
    ({ id, type, position: [x, y] }) => `${type} ${id} at (${x.toFixed(1)}, ${y.toFixed(1)})`,
  );
  console.log(`${mode} ${frame} ${time.toFixed(3)} s: ${seen.join(", ")}`);
}
