// Reads a clip by docs/clip-format.md and docs/ring.md, with MCAP's own library for the container.
import { readFileSync } from "node:fs";
import { McapIndexedReader } from "@mcap/core";
import { decode } from "@msgpack/msgpack";
import lz4 from "lz4js";
import { crc32 } from "@foxglove/crc";

const FRAMES = 1;
const LATCHED = 2;
const WORLD = 0n;
const TYPE = 1;
const FIRST_OBJECT = 32;
const NONE = (1n << 64n) - 1n;
const MESSAGE_HEAD = 9 + 22;
const unpack = (bytes) => decode(bytes, { useBigInt64: true });

export class Clip {
  static async open(path) {
    const file = readFileSync(path);
    const readable = {
      size: async () => BigInt(file.length),
      read: async (at, length) => new Uint8Array(file.subarray(Number(at), Number(at + length))),
    };
    const decompressHandlers = { lz4: (packed) => lz4.decompress(packed) };
    const reader = await McapIndexedReader.Initialize({ readable, decompressHandlers });
    if (reader.header.profile !== "playhead") throw new Error("this is no clip");
    const clip = new Clip();
    Object.assign(clip, { file, reader, metadata: {}, attachments: {} });
    for await (const record of reader.readMetadata()) {
      clip.metadata[record.name] = Clip.#checked(record);
    }
    if (!clip.metadata.playhead.format.startsWith("1.")) throw new Error("another major version");
    for await (const record of reader.readAttachments({ validateCrcs: true })) {
      clip.attachments[record.name] = record.data;
    }
    clip.chunks = unpack(clip.attachments["playhead/chunks"]).map(
      ([first, count, start, end, offset]) => ({
        first: BigInt(first), count: Number(count), start, end, offset: Number(offset),
      }),
    );
    return clip;
  }

  static #checked({ name, metadata }) {
    const pairs = Object.fromEntries(metadata);
    const { check, ...rest } = pairs;
    const told = [name];
    for (const key of Object.keys(rest).sort()) told.push(key, rest[key]);
    const crc = crc32(Buffer.from(told.map((text) => `${text}\0`).join(""), "utf8"));
    if (crc.toString(16).padStart(8, "0") !== check) throw new Error(`metadata ${name} are damaged`);
    return rest;
  }

  /** Where each frame and the keyframe stand in an unpacked chunk. */
  #chunk(row) {
    const view = new DataView(this.file.buffer, this.file.byteOffset + row.offset);
    if (view.getUint8(0) !== 6) throw new Error("this is no chunk");
    const size = Number(view.getBigUint64(9 + 16, true));
    const crc = view.getUint32(9 + 24, true);
    const at = 9 + 28 + 4 + view.getUint32(9 + 28, true);
    const packed = this.file.subarray(
      row.offset + at + 8, row.offset + at + 8 + Number(view.getBigUint64(at, true)),
    );
    const data = Buffer.from(lz4.decompress(packed));
    if (data.length !== size || crc32(data) !== crc) throw new Error("a chunk is damaged");
    const found = { images: [], held: null };
    for (let place = 0; place < data.length; ) {
      const length = Number(data.readBigUInt64LE(place + 1));
      const body = data.subarray(place + MESSAGE_HEAD, place + 9 + length);
      if (data[place] === 5 && data.readUInt16LE(place + 9) === FRAMES) found.images.push(body);
      if (data[place] === 5 && data.readUInt16LE(place + 9) === LATCHED) found.held = unpack(body);
      place += 9 + length;
    }
    return found;
  }

  /** A frame's stamp, its packets, and all that holds at it. */
  frame(id) {
    const row = this.chunks.find(({ first, count }) => first <= id && id < first + BigInt(count));
    if (!row) throw new Error(`frame ${id} is not held`);
    const { images, held } = this.#chunk(row);
    const facts = new Map();
    const key = (object, kind, name) => `${object} ${kind} ${name}`;
    for (const [object, kind, name, , type, payload] of held) {
      facts.set(key(object, kind, name), { type, payload });
    }
    let frame = null;
    for (const image of images.slice(0, Number(id - row.first) + 1)) {
      frame = readImage(image);
      for (const { id: object, type, payload, latched } of frame.packets) {
        if (!latched) continue;
        const name = key(object, payload.readUInt16LE(44), payload.readBigUInt64LE(32));
        if (payload.readUInt16LE(46) & 1) facts.delete(name);
        else facts.set(name, { type, payload: payload.subarray(48) });
      }
    }
    if (frame.id !== id) throw new Error("the chunk has another frame");
    return { ...frame, fact: (object, kind, name) => facts.get(key(object, kind, name)) };
  }

  /** The objects of a frame: id, type and fields. */
  objects(id) {
    const frame = this.frame(id);
    return frame.packets.filter(({ type }) => type >= FIRST_OBJECT).map((packet) => {
      const { name, layout } = unpack(frame.fact(WORLD, TYPE, packet.type).payload);
      return { id: packet.id, type: name, position: packet.position,
               fields: packet.flags & 1 ? null : readFields(layout, packet.payload) };
    });
  }
}

function readImage(image) {
  const packets = [];
  let run = image.readBigUInt64LE(48);
  while (run !== NONE) {
    const at = Number(run);
    const next = image.readUInt32LE(at);
    const [count, stride, size] = [4, 8, 12].map((field) => image.readUInt32LE(at + field));
    const latched = (image.readUInt16LE(at + 22) & 1) !== 0;
    for (let n = 0; n < count; n++) {
      const from = at + 24 + n * stride;
      packets.push({
        id: image.readBigUInt64LE(from),
        type: image.readUInt16LE(from + 8),
        flags: image[from + 11],
        position: [16, 20, 24].map((field) => image.readFloatLE(from + field)),
        latched,
        payload: image.subarray(from + 40, from + 40 + size),
      });
    }
    run = next ? run + 8n * BigInt(next) : NONE;
  }
  return {
    id: image.readBigUInt64LE(0), time: image.readDoubleLE(24), delta: image.readDoubleLE(32),
    packets,
  };
}

const NUMBERS = {
  "<f4": [4, "readFloatLE"], "<f8": [8, "readDoubleLE"], "<i2": [2, "readInt16LE"],
  "<u2": [2, "readUInt16LE"], "<i4": [4, "readInt32LE"], "<u4": [4, "readUInt32LE"],
  "<i8": [8, "readBigInt64LE"], "<u8": [8, "readBigUInt64LE"],
  "|u1": [1, "readUInt8"], "|i1": [1, "readInt8"], "|b1": [1, "readUInt8"],
};

function readFields(layout, payload) {
  const fields = {};
  let at = 0;
  const shaped = (format, shape) => {
    if (!shape.length) {
      const [size, read] = NUMBERS[format];
      at += size;
      return payload[read](at - size);
    }
    const [length, ...rest] = shape.map(Number);
    return Array.from({ length }, () => shaped(format, rest));
  };
  for (const [name, format, shape] of layout.fields ?? []) fields[name] = shaped(format, shape);
  if (layout.tail === "utf8") fields[layout.tail_name || "tail"] = payload.toString("utf8", at);
  return fields;
}
