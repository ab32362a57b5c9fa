/**
 * The example without a window: node --experimental-websocket headless.js --url ws://…
 *
 * Without --url it runs alone and says the state after each step.
 */

import { STEP, Yard } from "./yard.js";

const given = (name, otherwise) => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? otherwise : process.argv[at + 1];
};
const url = given("url", "");
const steps = Number(given("steps", 600));
const rate = Number(given("rate", 60));
const yard = new Yard(url || "ws://127.0.0.1:1/", (line) => console.log(line));
if (!url) yard.playhead.close();

let started = !url; // a run to be recorded begins when somebody records
function turn() {
  started ||= yard.playhead.recording;
  if (started && yard.playhead.live) {
    yard.step();
    if (!url) yard.report("step", { time: yard.steps * STEP });
  }
  if (yard.steps < steps) {
    if (url) setTimeout(turn, 1000 / rate);
    else turn.again = true;
  } else {
    yard.report("end");
    yard.playhead.close();
  }
}
do {
  turn.again = false;
  turn();
} while (turn.again);
