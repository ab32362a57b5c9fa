// Prints what a clip holds, as lines of JSON: the file, then each frame, then what is not known.
import { Clip } from "./clip.mjs";

function json(value) {
  if (value === undefined) return "null";
  if (typeof value === "bigint") return String(value);
  if (Object.is(value, -0)) return "-0.0";
  if (typeof value === "number" && !Number.isFinite(value)) return `"${value}"`;
  if (typeof value === "number" && Math.abs(value) >= 2 ** 53) return value.toExponential();
  if (Buffer.isBuffer(value)) return JSON.stringify(value.toString("hex"));
  if (Array.isArray(value)) return `[${value.map(json).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const pairs = value instanceof Map ? [...value] : Object.entries(value);
  return `{${pairs.map(([key, one]) => `${JSON.stringify(String(key))}:${json(one)}`).join(",")}}`;
}

const [path, wanted] = process.argv.slice(2);
const clip = new Clip(path);
const lines = [];
if (wanted === undefined) {
  const { metadata, attachments, chunks } = clip;
  lines.push({ metadata, attachments: Object.keys(attachments), shot: attachments["shot.png"], chunks });
  for (const { facts, keyframe, packets, ...frame } of clip.frames()) {
    const told = packets.map(({ payload, ...packet }) => packet);
    lines.push({ ...frame, keyframe, packets: told });
  }
  lines.push({ unknown: clip.unknown });
} else {
  const { facts } = clip.frame(BigInt(wanted));
  const found = new Map();
  for (const [key, { payload }] of facts.rows) {
    const [object, kind] = key.split(" ");
    if (kind === "8") found.set(object, payload);
  }
  lines.push({ names: found });
}
process.stdout.write(lines.map((line) => `${json(line)}\n`).join(""));
