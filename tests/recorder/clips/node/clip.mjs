// Reads a clip by docs/clip-format.md and docs/ring.md, and by nothing else.
import { readFileSync } from "node:fs";
import { crc32, unpackLz4, unpackMessage } from "./bytes.mjs";
import { readPayload } from "./payload.mjs";

const MAGIC = Buffer.from("894d434150300d0a", "hex");
const [HEADER, FOOTER, SCHEMA, MESSAGE, CHUNK, ATTACHMENT, ATTACHMENT_INDEX, METADATA] =
  [1, 2, 3, 5, 6, 9, 10, 12];
const [FRAMES, LATCHED] = [1, 2];
const [TYPE, TEXT] = [1, 2];
const FIRST_OBJECT = 32;
const NONE = (1n << 64n) - 1n;

/** What the page says of types below 32, for files of format 1.0, which do not say it. */
const message = (name) => ({ name, layout: { tail: "msgpack" } });
const drawing = { latched: [["position", "<f4", [3]], ["angles", "<f4", [3]], ["channels", "<u4", []]] };
const watch = {
  name: ".watch",
  layout: { fields: [["name", "<u4", []], ["reserved", "<u4", []], ["value", "<f8", []]] },
};
const PAGE = {
  1: drawing, 2: drawing, 3: drawing, 4: drawing, 5: drawing, 6: drawing, 7: watch,
  8: message(".log"), 9: message(".state"), 10: message(".tree"), 11: message(".animation"),
  12: message(".mark"), 13: message(".fact"), 14: { name: ".tombstone", layout: {} },
};

/** Takes one thing behind the other out of a record. */
class Fields {
  constructor(data) {
    this.data = data;
    this.at = 0;
  }
  bytes(length) {
    if (this.at + length > this.data.length) throw new Error("a record is cut off");
    return this.data.subarray(this.at, (this.at += length));
  }
  u16() { return this.bytes(2).readUInt16LE(0); }
  u32() { return this.bytes(4).readUInt32LE(0); }
  u64() { return Number(this.bytes(8).readBigUInt64LE(0)); }
  text() { return this.bytes(this.u32()).toString("utf8"); }
}

function* records(data) {
  for (const fields = new Fields(data); fields.at < data.length; ) {
    const start = fields.at;
    const opcode = fields.bytes(1)[0];
    yield { opcode, start, content: fields.bytes(fields.u64()) };
  }
}

export class Clip {
  constructor(path) {
    this.file = readFileSync(path);
    const end = this.file.length - MAGIC.length;
    if (!this.file.subarray(0, 8).equals(MAGIC)) throw new Error("this is no MCAP file");
    if (!this.file.subarray(end).equals(MAGIC)) throw new Error("the file is cut off");
    if (new Fields(this.#record(8, HEADER)).text() !== "playhead") throw new Error("no clip");
    const footer = end - 29;
    const summary = new Fields(this.#record(footer, FOOTER)).u64();
    if (crc32(this.file.subarray(summary, end - 4)) !== this.file.readUInt32LE(end - 4)) {
      throw new Error("the summary is damaged");
    }
    Object.assign(this, { metadata: {}, attachments: {}, schema: null, unknown: new Map() });
    for (const { opcode, content } of records(this.file.subarray(8, summary))) {
      if (opcode === METADATA) this.#metadata(content);
    }
    if (!this.metadata.playhead.format.startsWith("1.")) throw new Error("another major version");
    for (const { opcode, content } of records(this.file.subarray(summary, footer))) {
      if (opcode === ATTACHMENT_INDEX) this.#attachment(new Fields(content).u64());
      if (opcode === SCHEMA) this.#schema(new Fields(content));
    }
    this.chunks = unpackMessage(this.attachments["playhead/chunks"]).map(
      ([first, count, start, last, offset]) => ({ first, count, start, end: last, offset }),
    );
  }

  /** The content of the record at a place of the file. */
  #record(at, opcode) {
    if (this.file[at] !== opcode) throw new Error(`no record ${opcode} at ${at}`);
    return new Fields(this.file.subarray(at + 9)).bytes(
      Number(this.file.readBigUInt64LE(at + 1)),
    );
  }

  #metadata(content) {
    const fields = new Fields(content);
    const name = fields.text();
    const pairs = {};
    for (const map = new Fields(fields.bytes(fields.u32())); map.at < map.data.length; ) {
      const key = map.text();
      pairs[key] = map.text();
    }
    const { check, ...rest } = pairs;
    const told = [name];
    for (const key of Object.keys(rest).sort()) told.push(key, rest[key]);
    const crc = crc32(Buffer.from(told.map((text) => `${text}\0`).join(""), "utf8"));
    if (crc.toString(16).padStart(8, "0") !== check) throw new Error(`metadata ${name} are damaged`);
    this.metadata[name] = rest;
  }

  #attachment(at) {
    const content = this.#record(at, ATTACHMENT);
    if (crc32(content.subarray(0, -4)) !== content.readUInt32LE(content.length - 4)) {
      throw new Error(`the attachment at ${at} is damaged`);
    }
    const fields = new Fields(content);
    fields.bytes(16);
    const name = fields.text();
    fields.text();
    this.attachments[name] = fields.bytes(fields.u64());
  }

  #schema(fields) {
    fields.u16();
    if (fields.text() !== "playhead.Frame" || fields.text() !== "playhead+json") return;
    this.schema = JSON.parse(fields.bytes(fields.u32()).toString("utf8"));
  }

  /** The keyframe and the frame images of a chunk. */
  #chunk({ offset }) {
    const fields = new Fields(this.#record(Number(offset), CHUNK));
    fields.bytes(16);
    const size = fields.u64();
    const crc = fields.u32();
    const packing = fields.text();
    const packed = fields.bytes(fields.u64());
    const data = packing === "lz4" ? unpackLz4(packed, size) : packed;
    if (data.length !== size || crc32(data) !== crc) throw new Error("a chunk is damaged");
    const found = { images: [], held: null };
    for (const { opcode, content } of records(data)) {
      if (opcode !== MESSAGE) continue;
      if (content.readUInt16LE(0) === FRAMES) found.images.push(content.subarray(22));
      if (content.readUInt16LE(0) === LATCHED) found.held = unpackMessage(content.subarray(22));
    }
    return found;
  }

  /** All frames, or those of the chunk with one, in order: stamp, packets, and what holds then. */
  *frames(wanted = null) {
    const rows = this.chunks.filter(
      ({ first, count }) => wanted === null || (first <= wanted && wanted < first + count),
    );
    if (!rows.length) throw new Error(`frame ${wanted} is not held`);
    for (const row of rows) {
      const { images, held } = this.#chunk(row);
      const facts = new Facts(this.schema);
      for (const [object, kind, key, frame, type, payload] of held) {
        facts.set(object, kind, key, { frame, type, payload });
      }
      const keyframe = held.map(([object, kind, key, frame, type, payload]) => ({
        object, kind, key, frame, ...facts.read({ type, payload, kind }),
      }));
      for (const [place, image] of images.entries()) {
        const frame = readImage(image);
        if (frame.id !== row.first + BigInt(place)) throw new Error("another frame");
        for (const packet of frame.packets) facts.apply(frame.id, packet);
        for (const packet of frame.packets) {
          Object.assign(packet, facts.read(packet));
          if (packet.name === null) {
            this.unknown.set(packet.type, (this.unknown.get(packet.type) ?? 0) + 1);
          }
        }
        yield { ...frame, facts, keyframe: place ? null : keyframe };
      }
    }
  }

  frame(wanted) {
    for (const frame of this.frames(wanted)) if (frame.id === wanted) return frame;
  }
}

/** What is latched, by object, kind and key. */
class Facts {
  constructor(schema) {
    this.rows = new Map();
    this.types = new Map();
    this.own = schema?.packets ?? {};
  }
  set(object, kind, key, row) {
    this.rows.set(`${object} ${kind} ${key}`, row);
    if (BigInt(kind) === BigInt(TYPE)) this.types.delete(Number(key));
  }
  get(object, kind, key) {
    return this.rows.get(`${object} ${kind} ${key}`);
  }
  apply(frame, { id, type, latched, payload }) {
    if (!latched) return;
    if (latched.ended) this.rows.delete(`${id} ${latched.kind} ${latched.key}`);
    else this.set(id, latched.kind, latched.key, { frame, type, payload });
  }
  text(number) {
    return number ? unpackMessage(this.get(0, TEXT, number).payload) : "";
  }
  /** How a type is laid out; null if neither the file nor the page says it. */
  type(number) {
    if (!this.types.has(number)) {
      const row = this.get(0, TYPE, number);
      const told = row ? plain(unpackMessage(row.payload)) : this.own[number];
      const known = PAGE[number];
      const said = told || known?.layout ? { ...known, ...told } : null;
      if (!said && number >= FIRST_OBJECT) throw new Error(`type ${number} is told nowhere`);
      this.types.set(number, said);
    }
    return this.types.get(number);
  }
  /** Name and values of a packet, or of a row of the keyframe. */
  read({ type, payload, kind, flags = 0, latched = null }) {
    const said = this.type(Number(type));
    if (said === null) return { name: null, values: null };
    if (flags & 1 || latched?.ended) {
      if (latched?.ended && payload.length) throw new Error("an end that holds something");
      return { name: said.name, values: null };
    }
    const values = readPayload(said, payload, latched?.kind ?? kind);
    const texts = {};
    for (const [field, { role }] of Object.entries(said.layout.notes ?? {})) {
      if (role === "text") texts[field] = this.text(values[field]);
    }
    return { name: said.name, values, texts };
  }
}

/** Maps as objects, and integers as numbers, in what says how to read. */
function plain(value) {
  if (value instanceof Map) {
    return Object.fromEntries([...value].map(([key, one]) => [String(key), plain(one)]));
  }
  if (Array.isArray(value)) return value.map(plain);
  return typeof value === "bigint" ? Number(value) : value;
}

function readImage(image) {
  const packets = [];
  let read = 96;
  for (let run = image.readBigUInt64LE(48); run !== NONE; ) {
    const at = Number(run);
    const [next, count, stride, size, channels] = [0, 4, 8, 12, 16].map((field) =>
      image.readUInt32LE(at + field));
    if (at !== read) throw new Error("bytes between two runs");
    for (let n = 0; n < count; n++) {
      packets.push(readPacket(image.subarray(at + 24 + n * stride), size, channels,
                              image.readUInt16LE(at + 22) & 1));
    }
    read += 24 + count * stride;
    run = next ? run + 8n * BigInt(next) : NONE;
  }
  if (read !== image.length) throw new Error("bytes behind the last run");
  if (packets.length !== image.readUInt32LE(80)) throw new Error("another number of packets");
  return {
    id: image.readBigUInt64LE(0), time: image.readDoubleLE(24), delta: image.readDoubleLE(32),
    flags: image.readUInt32LE(84), epoch: image.readUInt32LE(88), packets,
  };
}

function readPacket(data, size, channels, isLatched) {
  const three = (at) => [0, 4, 8].map((field) => data.readFloatLE(at + field));
  const all = data.subarray(40, 40 + size);
  const latched = isLatched
    ? { frame: all.readBigUInt64LE(0), ordinal: all.readBigUInt64LE(24),
        key: all.readBigUInt64LE(32), kind: all.readUInt16LE(44),
        ended: Boolean(all.readUInt16LE(46) & 1) }
    : null;
  return {
    id: data.readBigUInt64LE(0), type: data.readUInt16LE(8), targetable: Boolean(data[10]),
    flags: data[11], position: three(16), angles: three(28), channels, latched,
    payload: isLatched ? all.subarray(48) : all,
  };
}
