// A frame by itself (docs/ring.md), read: its header and its objects, by what `types` says of them.

const FIRST_OBJECT = 32; // types below are playhead's own: drawings, traces, log lines
const LATCHED = 1;
const LATCHED_HEADER = 48;

// image: a `frame` answer's; types: a `types` answer's, of the same frame.
export function* objects(image, types) {
  const view = new DataView(image.buffer, image.byteOffset, image.byteLength);
  const layouts = new Map(types.map((type) => [type.number, type]));
  const runs = Number(view.getBigUint64(48, true));
  if (view.getBigUint64(48, true) === 0xffffffffffffffffn) return; // a frame without packets
  for (let run = runs, next = 1; next; run += next * 8) {
    next = view.getUint32(run, true);
    const [count, stride, size] = [4, 8, 12].map((at) => view.getUint32(run + at, true));
    const [type, flags] = [20, 22].map((at) => view.getUint16(run + at, true));
    if (type < FIRST_OBJECT || flags & LATCHED) continue;
    for (let packet = run + 24; packet < run + 24 + count * stride; packet += stride) {
      yield { ...object(view, packet, layouts.get(type), size), type: layouts.get(type)?.name };
    }
  }
}

export function header(image) {
  const view = new DataView(image.buffer, image.byteOffset, image.byteLength);
  return {
    frame: Number(view.getBigUint64(0, true)),
    time: view.getFloat64(24, true),
    delta: view.getFloat64(32, true),
    packets: view.getUint32(80, true),
    epoch: view.getUint32(88, true),
  };
}

function object(view, packet, layout, size) {
  const flags = view.getUint8(packet + 11);
  const vector = (at) => [0, 4, 8].map((more) => view.getFloat32(packet + at + more, true));
  const values = {};
  for (const [name, format, shape, offset] of layout?.fields ?? []) {
    values[name] = field(view, packet + 40 + offset, format, shape);
  }
  return {
    id: view.getBigUint64(packet, true),
    targetable: view.getUint8(packet + 10) !== 0,
    damaged: (flags & 1) !== 0,
    visible: (flags & 2) === 0,
    position: vector(16),
    angles: vector(28),
    values: flags & 1 ? {} : values,
    tail: size - (layout?.size ?? 0), // bytes of joints and such
  };
}

// A numpy format: byte order (always little), kind, bytes.
function field(view, at, format, [length, ...inner]) {
  const kind = format[1];
  const bytes = Number(format.slice(2));
  if (length !== undefined) {
    const step = inner.reduce((product, n) => product * n, bytes);
    return Array.from({ length }, (_, i) => field(view, at + i * step, format, inner));
  }
  const read = {
    f2: () => view.getUint16(at, true), // as bits: not every JavaScript has half floats
    f4: () => view.getFloat32(at, true),
    f8: () => view.getFloat64(at, true),
    i1: () => view.getInt8(at),
    i2: () => view.getInt16(at, true),
    i4: () => view.getInt32(at, true),
    i8: () => view.getBigInt64(at, true),
    u1: () => view.getUint8(at),
    u2: () => view.getUint16(at, true),
    u4: () => view.getUint32(at, true),
    u8: () => view.getBigUint64(at, true),
    b1: () => view.getUint8(at) !== 0,
  }[kind + bytes];
  if (read) return read();
  const raw = new Uint8Array(view.buffer, view.byteOffset + at, bytes);
  return kind === "S" ? new TextDecoder().decode(raw).replace(/\0+$/, "") : raw;
}
