/** The example in a page: runs the yard once per picture, draws it, and steers the view. */

import { STEP, Yard } from "./yard.js";

const query = new URLSearchParams(location.search);
const steps = Number(query.get("steps") ?? Infinity);
const speed = Number(query.get("rate") ?? 1 / STEP) * STEP; // game time ÷ real time
const canvas = document.querySelector("canvas");
const pen = canvas.getContext("2d");
const status = document.querySelector("output");
const yard = new Yard(query.get("gateway") ?? "ws://127.0.0.1:5671/", (line) => console.log(line));
let view = [0, 0]; // where the player has pushed the camera
let started = false;

addEventListener("keydown", ({ key }) => {
  if (!yard.playhead.live) return; // the scrub controls own the input
  if (key === "ArrowLeft") view[0] -= 0.2;
  if (key === "ArrowRight") view[0] += 0.2;
});

function disc([x, y, z], radius, color) {
  const scale = canvas.width / 14;
  pen.beginPath();
  pen.arc(canvas.width / 2 + (x - view[0]) * scale, canvas.height * 0.7 - (z + y * 0.3) * scale,
    radius * scale, 0, 7);
  pen.fillStyle = color;
  pen.fill();
}

function draw() {
  pen.clearRect(0, 0, canvas.width, canvas.height);
  for (const { type, values, hidden } of yard.objects.values()) {
    if (hidden) continue;
    const color = `#${(values.color ?? 0).toString(16).padStart(6, "0")}`;
    disc(values.position, type.name === "guard" ? 0.5 : 0.25, color);
  }
  for (const { position, visible } of yard.standIns.values()) {
    if (visible) disc(position, 0.25, "#0003");
  }
  const { live, recording, error, counts } = yard.playhead;
  status.value = `${live ? (recording ? "recorded" : "alone") : "paused"}, step ${yard.steps},`
    + ` ${counts.frames} frames sent, ${counts.framesDropped} dropped ${error}`;
}

/** Pictures come at the screen's rate; the game's steps are all of the same length. */
let before = performance.now();
let owed = 0;
function turn(now) {
  owed = Math.min(owed + (now - before) / 1000 * speed, 0.25);
  before = now;
  started ||= yard.playhead.recording || !query.has("steps");
  for (; owed >= STEP; owed -= STEP) {
    if (!started || !yard.playhead.live || yard.steps >= steps) continue;
    yard.step();
    if (yard.steps === steps) {
      yard.report("end");
      yard.playhead.close();
    }
  }
  draw();
  if (yard.playhead.live) yard.playhead.pictureOf(canvas, { name: "page" });
  requestAnimationFrame(turn);
}
requestAnimationFrame(turn);
