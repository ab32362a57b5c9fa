// A tool in Node that a test tells what to do, by lines of JSON: {ask}, {where: sequence}, {read},
// {hooks: [call, ...given]}.
import { createInterface } from "node:readline";

import { header, objects } from "./frame.mjs";
import { HookManager } from "./hooks.js";
import { Playhead } from "./playhead.mjs";

const playhead = await new Playhead().connect(process.argv[2], "node", false);
const hooks = new HookManager(playhead);
const heard = new Map();
let told = () => {};

(async () => {
  for await (const time of playhead.times()) {
    heard.set(time.sequence, { frame: time.frame, mode: time.mode });
    told(time.sequence);
  }
})();

async function where(sequence) {
  while (!heard.has(sequence)) await new Promise((resolve) => (told = resolve));
  return heard.get(sequence);
}

async function read(frame) {
  const { image } = await playhead.ask({ do: "frame", frame });
  const { types } = await playhead.ask({ do: "types", frame });
  return { header: header(image), objects: [...objects(image, types)] };
}

const plain = (_, value) => (typeof value === "bigint" ? Number(value) : value);
const say = (what) => console.log(JSON.stringify(what, plain));

say({ origin: playhead.welcome.origin });
for await (const line of createInterface({ input: process.stdin })) {
  const wanted = JSON.parse(line);
  try {
    if (wanted.ask) say(await playhead.ask(wanted.ask));
    else if (wanted.where !== undefined) say(await where(wanted.where));
    else if (wanted.hooks) {
      const [call, ...given] = wanted.hooks;
      say((await hooks[call](...given)) ?? null);
    } else say(await read(wanted.read));
  } catch (error) {
    say({ is: "error", kind: error.kind ?? "bug", message: error.message });
  }
}
await playhead.close();
