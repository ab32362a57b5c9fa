// What the page takes for granted: the LZ4 frame format, MessagePack, and the CRC-32 of zlib.

const TABLE = Uint32Array.from({ length: 256 }, (_, n) => {
  for (let bit = 0; bit < 8; bit++) n = n & 1 ? (n >>> 1) ^ 0xedb88320 : n >>> 1;
  return n;
});

export function crc32(data) {
  let crc = -1;
  for (const byte of data) crc = TABLE[(crc ^ byte) & 255] ^ (crc >>> 8);
  return ~crc >>> 0;
}

/** The content of an LZ4 frame, which has `size` bytes. */
export function unpackLz4(data, size) {
  if (data.readUInt32LE(0) !== 0x184d2204) throw new Error("this is no LZ4 frame");
  const flags = data[4];
  let at = 4 + 2 + (flags & 8 ? 8 : 0) + (flags & 1 ? 4 : 0) + 1;
  const out = Buffer.alloc(size);
  let to = 0;
  for (;;) {
    const head = data.readUInt32LE(at);
    at += 4;
    if (head === 0) break;
    const length = head & 0x7fffffff;
    const block = data.subarray(at, at + length);
    to = head >>> 31 ? to + block.copy(out, to) : unpackBlock(block, out, to);
    at += length + (flags & 16 ? 4 : 0);
  }
  at += flags & 4 ? 4 : 0;
  if (to !== size || at !== data.length) throw new Error("an LZ4 frame of another size");
  return out;
}

function unpackBlock(block, out, to) {
  let at = 0;
  const more = (length) => {
    if (length === 15) do length += block[at]; while (block[at++] === 255);
    return length;
  };
  while (at < block.length) {
    const token = block[at++];
    const literals = more(token >> 4);
    to += block.copy(out, to, at, at + literals);
    at += literals;
    if (at === block.length) break;
    const back = block.readUInt16LE(at);
    at += 2;
    const end = to + more(token & 15) + 4;
    if (back === 0 || back > to || end > out.length) throw new Error("a broken LZ4 block");
    for (; to < end; to++) out[to] = out[to - back];
  }
  return to;
}

/** The one value that some MessagePack bytes hold. Integers are BigInt, maps Map, binary Buffer. */
export function unpackMessage(data) {
  let at = 0;
  const take = (length) => {
    if (at + length > data.length) throw new Error("MessagePack that is cut off");
    return data.subarray(at, (at += length));
  };
  const unsigned = (size) => BigInt(`0x${take(size).toString("hex")}`);
  const length = (size) => Number(unsigned(size));
  const text = (size) => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(take(size));
  const array = (size) => Array.from({ length: size }, value);
  const map = (size) => new Map(Array.from({ length: size }, () => [value(), value()]));
  const extension = (size) => ({ extension: take(1).readInt8(0), data: take(size) });
  const numbers = {
    0xca: () => take(4).readFloatBE(0), 0xcb: () => take(8).readDoubleBE(0),
    0xcc: () => unsigned(1), 0xcd: () => unsigned(2), 0xce: () => unsigned(4),
    0xcf: () => unsigned(8), 0xd0: () => BigInt.asIntN(8, unsigned(1)),
    0xd1: () => BigInt.asIntN(16, unsigned(2)), 0xd2: () => BigInt.asIntN(32, unsigned(4)),
    0xd3: () => BigInt.asIntN(64, unsigned(8)),
  };
  function value() {
    const head = take(1)[0];
    if (head < 0x80) return BigInt(head);
    if (head < 0x90) return map(head & 15);
    if (head < 0xa0) return array(head & 15);
    if (head < 0xc0) return text(head & 31);
    if (head >= 0xe0) return BigInt(head - 256);
    if (head in numbers) return numbers[head]();
    switch (head) {
      case 0xc0: return null;
      case 0xc2: return false;
      case 0xc3: return true;
      case 0xc4: case 0xc5: case 0xc6: return take(length(1 << (head - 0xc4)));
      case 0xc7: case 0xc8: case 0xc9: return extension(length(1 << (head - 0xc7)));
      case 0xd4: case 0xd5: case 0xd6: case 0xd7: case 0xd8: return extension(1 << (head - 0xd4));
      case 0xd9: case 0xda: case 0xdb: return text(length(1 << (head - 0xd9)));
      case 0xdc: case 0xdd: return array(length(2 << (head - 0xdc)));
      case 0xde: case 0xdf: return map(length(2 << (head - 0xde)));
      default: throw new Error(`no MessagePack: ${head}`);
    }
  }
  const found = value();
  if (at !== data.length) throw new Error(`${data.length - at} bytes behind a MessagePack value`);
  return found;
}
