/**
 * What packets hold, and how a frame of them is read: numpy's formats, written and read in place.
 *
 * @module
 */

export const FRAME = 96; // bytes of a frame's header
export const RUN = 24; // … of a run's
export const PACKET = 40; // … of a packet's
export const NONE = 0xffffffffffffffffn;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

const NUMBERS = {
  f4: [4, "Float32"], f8: [8, "Float64"], i1: [1, "Int8"], i2: [2, "Int16"], i4: [4, "Int32"],
  i8: [8, "BigInt64"], u1: [1, "Uint8"], u2: [2, "Uint16"], u4: [4, "Uint32"],
  u8: [8, "BigUint64"],
};

/** How one value of a numpy format is written and read. */
function codecOf(format) {
  const [, kind, digits] = /^[<|]?([fiubSU])(\d+)$/.exec(format) ?? [];
  const count = Number(digits);
  if (kind === "b" && count === 1) {
    return {
      size: 1,
      write: (view, at, value) => view.setUint8(at, value ? 1 : 0),
      read: (view, at) => view.getUint8(at) !== 0,
    };
  }
  if (kind === "S" && count) {
    return {
      size: count,
      write: (view, at, value) => {
        bytesOf(view, at, count).set(encoder.encode(value).slice(0, count));
      },
      read: (view, at) => decoder.decode(bytesOf(view, at, count)).replace(/\0+$/, ""),
    };
  }
  if (kind === "U" && count) {
    return {
      size: 4 * count,
      write: (view, at, value) => {
        const points = [...value].slice(0, count).map((c) => c.codePointAt(0));
        points.forEach((point, i) => view.setUint32(at + 4 * i, point, true));
      },
      read: (view, at) => {
        const points = Array.from({ length: count }, (_, i) => view.getUint32(at + 4 * i, true));
        return String.fromCodePoint(...points.filter((p) => p > 0 && p <= 0x10ffff));
      },
    };
  }
  const number = NUMBERS[kind + digits];
  if (!number) throw new TypeError(`format ${JSON.stringify(format)} can't be recorded`);
  const [size, name] = number;
  const [get, set] = [`get${name}`, `set${name}`];
  return {
    size,
    write: size === 8 && kind !== "f"
      ? (view, at, value) => view[set](at, BigInt(value), true)
      : (view, at, value) => view[set](at, value, true),
    read: (view, at) => view[get](at, true),
  };
}

export function bytesOf(view, at, size) {
  return new Uint8Array(view.buffer, view.byteOffset + at, size);
}

/** What packets of one type hold: made by `Playhead.type`. */
export class PacketType {
  constructor(number, name, fields, { tail, channels = [] } = {}) {
    if (!(number >= 32 && number <= 65535)) throw new RangeError(`type ${number}: begin at 32`);
    this.number = number;
    this.name = name;
    this.size = 0;
    this.fields = Object.entries(fields).map(([key, given]) => {
      const spec = typeof given === "string" ? { format: given } : given;
      const { format, shape = [], unit, role } = spec;
      const codec = codecOf(format);
      const count = shape.reduce((product, n) => product * n, 1);
      const field = { key, format, shape, unit, role, codec, count, at: this.size };
      this.size += codec.size * count;
      return field;
    });
    this.tail = tail && { name: "tail", shape: [], role: undefined, space: undefined, ...tail };
    const textual = tail && (tail.format === "utf8" || tail.format === "msgpack");
    this.tailCodec = tail && !textual ? codecOf(tail.format) : null;
    this.channels = channels;
  }

  /** The declaration, as the protocol has it. */
  get ask() {
    const told = (what) => Object.fromEntries(
      [...this.fields.map((f) => [f.key, f[what]]), [this.tail?.name, this.tail?.[what]]]
        .filter(([, value]) => value !== undefined),
    );
    const { tail } = this;
    return {
      do: "define_type", number: this.number, name: this.name, channels: this.channels,
      fields: this.fields.map((f) => [f.key, f.format, f.shape]),
      units: told("unit"), roles: told("role"),
      ...(tail && { tail: tail.format, tail_shape: tail.shape, tail_name: tail.name }),
      ...(tail?.space && { space: tail.space }),
    };
  }

  /** The tail's bytes. */
  tailOf(values) {
    const given = this.tail && values[this.tail.name];
    if (given === undefined || given === null) return new Uint8Array(0);
    if (typeof given === "string") return encoder.encode(given);
    if (!this.tailCodec) return given; // MessagePack, ready made
    const { size, write } = this.tailCodec;
    const view = new DataView(new ArrayBuffer(size * given.length));
    for (let i = 0; i < given.length; i++) write(view, i * size, given[i]);
    return new Uint8Array(view.buffer);
  }

  /** Write values where `view` has room for them. */
  write(view, at, values, tail) {
    for (const { key, codec, count, shape, at: offset } of this.fields) {
      const value = values[key];
      if (shape.length === 0) {
        codec.write(view, at + offset, value);
      } else {
        if (value.length !== count) throw new RangeError(`${this.name}.${key}: ${count} values`);
        for (let i = 0; i < count; i++) codec.write(view, at + offset + i * codec.size, value[i]);
      }
    }
    bytesOf(view, at + this.size, tail.length).set(tail);
  }

  /** A payload's values: numbers, or flat arrays of them where a field has a shape. */
  read(view, at, size) {
    const values = {};
    for (const { key, codec, count, shape, at: offset } of this.fields) {
      const read = (_, i) => codec.read(view, at + offset + i * codec.size);
      const all = Array.from({ length: count }, read);
      values[key] = shape.length === 0 ? all[0] : all;
    }
    if (this.tail) {
      const bytes = bytesOf(view, at + this.size, size - this.size).slice();
      const { format, name } = this.tail;
      values[name] = format === "utf8" ? decoder.decode(bytes) : bytes;
      if (this.tailCodec) {
        const codec = this.tailCodec;
        const inside = new DataView(bytes.buffer);
        const count = Math.floor(bytes.length / codec.size);
        values[name] = Array.from({ length: count }, (_, i) => codec.read(inside, i * codec.size));
      }
    }
    return values;
  }

  /** The bytes that these values are recorded as. */
  bytes(values) {
    const tail = this.tailOf(values);
    const view = new DataView(new ArrayBuffer(this.size + tail.length));
    this.write(view, 0, values, tail);
    return new Uint8Array(view.buffer);
  }
}

/**
 * The runs of a frame by itself: `{ type, size, packets: [offset, …] }`.
 *
 * @throws RangeError it is damaged: nothing of it is to be used.
 */
export function runsOf(view) {
  const damaged = () =>
    new RangeError("a frame to be shown is damaged: nothing of it was put back");
  const length = view.byteLength;
  if (length < FRAME || view.getBigUint64(64, true) !== BigInt(length)) throw damaged();
  const total = view.getUint32(80, true);
  const begin = view.getBigUint64(48, true);
  if ((begin === NONE) !== (total === 0) || (total && begin > BigInt(length))) throw damaged();
  const runs = [];
  for (let at = Number(begin), seen = 0; seen < total;) {
    if (at < FRAME || at % 8 || at + RUN > length) throw damaged();
    const [next, count, stride, size] = [0, 4, 8, 12].map((i) => view.getUint32(at + i, true));
    const bytes = RUN + count * stride;
    seen += count;
    if (!count || stride % 8 || stride < PACKET + size || at + bytes > length || seen > total
        || next * 8 !== (seen < total ? bytes : 0)) throw damaged();
    const packets = Array.from({ length: count }, (_, i) => at + RUN + i * stride);
    const [type, flags] = [view.getUint16(at + 20, true), view.getUint16(at + 22, true)];
    runs.push({ type, flags, size, packets });
    at += bytes;
  }
  return runs;
}
