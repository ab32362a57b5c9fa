// Reads a packet's payload by its layout, to the last byte.
import { unpackMessage } from "./bytes.mjs";

/** Each field by its name; struct fields that are absent have their defaults. */
export function readPayload({ layout, latched = [], value = "", values = {}, structs = {} },
                            payload, kind) {
  const found = {};
  const isLatched = kind !== undefined;
  let at = 0;
  const take = (format, shape) => {
    if (shape.length) {
      return Array.from({ length: shape[0] }, () => take(format, shape.slice(1)));
    }
    const [size, one] = readOne(format, payload, at);
    at += size;
    return one;
  };
  for (const [name, format, shape] of [...(isLatched ? latched : []), ...(layout.fields ?? [])]) {
    found[name] = take(format, shape);
  }
  if (layout.tail) found[layout.tail_name || "tail"] = tail();
  if (at !== payload.length) throw new Error(`${payload.length - at} bytes too many`);
  return found;

  function tail() {
    if (layout.tail === "utf8") {
      return new TextDecoder("utf-8", { ignoreBOM: true }).decode(payload.subarray(at, (at = payload.length)));
    }
    if (layout.tail === "msgpack") {
      const type = value || (isLatched ? values[kind] : "") || "any";
      return read(type, unpackMessage(payload.subarray(at, (at = payload.length))), structs);
    }
    const elements = [];
    while (at < payload.length) elements.push(take(layout.tail, layout.tail_shape ?? []));
    return elements;
  }
}

const LETTERS = { "?": "|b1", b: "|i1", B: "|u1", h: "<i2", H: "<u2", i: "<i4", I: "<u4", q: "<i8",
                  Q: "<u8", e: "<f2", f: "<f4", d: "<f8" };

function readOne(format, data, at) {
  const [, order, kind, digits] =
    /^([<|>=]?)([biufcSUVMm])(\d+)/.exec(LETTERS[format.replace("=", "")] ?? format) ?? [];
  const n = Number(digits);
  if (!kind) throw new Error(`the format ${format} is none of those on the page`);
  const size = kind === "U" ? 4 * n : n;
  if (at + size > data.length) throw new Error("a payload is cut off");
  let bytes = data.subarray(at, at + size);
  const part = order === ">" ? (kind === "c" ? n / 2 : kind === "U" ? 4 : size) : 0;
  if (part > 1) {
    bytes = Buffer.from(bytes);
    for (let from = 0; from < size; from += part) bytes.subarray(from, from + part).reverse();
  }
  switch (kind) {
    case "b": return [size, bytes[0] !== 0];
    case "u": return [size, unsigned(bytes)];
    case "i": case "M": case "m": return [size, BigInt.asIntN(8 * size, unsigned(bytes))];
    case "f": return [size, float(bytes)];
    case "c": return [size, [float(bytes.subarray(0, n / 2)), float(bytes.subarray(n / 2))]];
    case "U": return [size, codePoints(bytes)];
    case "S": return [size, trimmed(bytes)];
    default: return [size, bytes];
  }
}

const unsigned = (bytes) => BigInt(`0x${Buffer.from(bytes).reverse().toString("hex")}`);

function float(bytes) {
  if (bytes.length === 8) return bytes.readDoubleLE(0);
  if (bytes.length === 4) return bytes.readFloatLE(0);
  const bits = bytes.readUInt16LE(0);
  const [sign, exponent, rest] = [bits >> 15 ? -1 : 1, (bits >> 10) & 31, bits & 1023];
  if (exponent === 31) return rest ? NaN : sign * Infinity;
  return sign * (exponent ? 2 ** (exponent - 15) * (1 + rest / 1024) : 2 ** -14 * (rest / 1024));
}

function trimmed(bytes) {
  let end = bytes.length;
  while (end && bytes[end - 1] === 0) end--;
  return bytes.subarray(0, end);
}

function codePoints(bytes) {
  let text = "";
  for (let at = 0; at < bytes.length; at += 4) text += String.fromCodePoint(bytes.readUInt32LE(at));
  return text.replace(/\0+$/, "");
}

/** A MessagePack value as its type says. */
function read(text, value, structs) {
  const choices = split(text, "|");
  if (choices.length > 1) {
    if (value === null) return null;
    const named = choices.find((one) => one in structs || /^[[({]/.test(one));
    return named && typeof value === "object" ? read(named, value, structs) : value;
  }
  const inner = text.slice(1, -1);
  if (text[0] === "[") return value.map((one) => read(inner, one, structs));
  if (text[0] === "(") {
    const types = split(inner, ",");
    if (types.length !== value.length) throw new Error(`${value.length} values for ${text}`);
    return value.map((one, place) => read(types[place], one, structs));
  }
  if (text[0] === "{") {
    const [keys, values] = split(inner, ":");
    return new Map([...value].map(([key, one]) => [read(keys, key, structs), read(values, one, structs)]));
  }
  if (text in structs) return readStruct(structs[text], value, structs);
  if (!["any", "none", "bool", "int", "float", "str", "bytes"].includes(text)) {
    throw new Error(`the type ${text} is none of those on the page`);
  }
  return value;
}

function readStruct({ fields, array = false }, value, structs) {
  const found = new Map();
  for (const [place, [name, type, ...rest]] of fields.entries()) {
    const isThere = array ? place < value.length : value.has(name);
    if (!isThere && !rest.length) throw new Error(`a struct without ${name}`);
    found.set(name, isThere ? read(type, array ? value[place] : value.get(name), structs) : rest[0]);
  }
  return found;
}

/** The parts of a text between marks that stand in no bracket. */
function split(text, mark) {
  const parts = [""];
  let depth = 0;
  for (const letter of text) {
    if ("[({".includes(letter)) depth++;
    if ("])}".includes(letter)) depth--;
    if (letter === mark && depth === 0) parts.push("");
    else parts[parts.length - 1] += letter;
  }
  return parts.map((part) => part.trim());
}
