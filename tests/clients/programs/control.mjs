// The client in JavaScript, moved by lines of JSON: [act, ...given]; says what each resolves with.
import { createInterface } from "node:readline";

const { Playhead } = await import(process.argv[2]);
const say = (what) => console.log(JSON.stringify(what));
const NUMBERS = { NaN: NaN, Infinity: Infinity, "-Infinity": -Infinity }; // no JSON has them
let steps = 0;

const playhead = await new Promise((resolve) => {
  const made = new Playhead(process.argv[3], {
    on: { recording: () => resolve(made), error: (text) => console.error(text) },
  });
});
const guard = playhead.type(32, "guard", { hp: "<f4" });

function step() {
  playhead.begin(++steps / 64, 1 / 64);
  playhead.add(guard, 7, {}, { hp: steps });
  playhead.end();
}

const acts = {
  run: (count) => {
    for (let i = 0; i < count; i++) step();
    return steps;
  },
  mark: (name) => playhead.mark(name),
  name: (id, name) => playhead.name(id, name),
  close: () => playhead.close(),
};

// A game that runs on by itself while it advances, and only then.
setInterval(() => {
  if (advancing && playhead.live) step();
}, 1);
let advancing = false;

say("there");
for await (const line of createInterface({ input: process.stdin })) {
  const [act, ...given] = JSON.parse(line, (_, value) => NUMBERS[value] ?? value);
  try {
    if (act === "advance") {
      playhead.advance(...given).then(
        (state) => {
          advancing = false;
          say(state);
        },
        (error) => {
          advancing = false;
          say({ kind: error.kind, message: error.message });
        },
      );
      advancing = true;
    } else {
      const [call, part] = act.split(".").reverse(); // "hooks.list" is a call of a part
      const owner = part ? playhead[part] : playhead;
      say((await (acts[act] ?? owner[call].bind(owner))(...given)) ?? null);
    }
  } catch (error) {
    say({ kind: error.kind ?? "bug", message: error.message });
  }
}
process.exit(0);
