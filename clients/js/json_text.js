/**
 * JSON as the gateway reads and writes it.
 *
 * @module
 */

/** An id as this client gives it: a number while a number holds it exactly, else a BigInt. */
export function idOf(value) {
  const id = BigInt(value);
  return id <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(id) : id;
}

/** JSON as the gateway reads it: large whole numbers are text, and all text is well-formed. */
export function jsonOf(value) {
  return JSON.stringify(value, (_, part) => {
    if (typeof part === "bigint") return idOf(part) === part ? String(part) : Number(part);
    return typeof part === "string" && part.toWellFormed ? part.toWellFormed() : part;
  });
}

/** Bytes as text. */
export function base64Of(bytes) {
  const parts = [];
  for (let at = 0; at < bytes.length; at += 0x8000) {
    parts.push(String.fromCharCode(...bytes.subarray(at, at + 0x8000)));
  }
  return btoa(parts.join(""));
}
