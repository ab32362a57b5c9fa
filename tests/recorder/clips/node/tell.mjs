// Prints what is asked of a clip as JSON: node tell.mjs CLIP FRAME
import { Clip } from "./clip.mjs";

const [path, frame] = process.argv.slice(2);
const clip = await Clip.open(path);
const { id, time, delta, packets, fact } = clip.frame(BigInt(frame));
const plain = (_, value) => (typeof value === "bigint" ? String(value) : value);
let missing = null;
try {
  clip.frame(10n ** 9n);
} catch (error) {
  missing = error.message;
}
const held = (object, kind, key) => {
  const found = fact(BigInt(object), kind, key);
  return found === undefined ? null : Buffer.from(found.payload).toString("hex");
};
console.log(
  JSON.stringify({
    metadata: clip.metadata,
    attachments: Object.keys(clip.attachments),
    shot: Buffer.from(clip.attachments["shot.png"]).toString(),
    chunks: clip.chunks,
    frame: { id, time, delta, packets: packets.length },
    objects: clip.objects(BigInt(frame)),
    names: { 1: held(1, 8, 0), 2: held(2, 8, 0) },
    missing,
  }, plain),
);
