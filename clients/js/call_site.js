/**
 * Where a game made a call: the file and line that are recorded with it.
 *
 * @module
 */

const OWN = ["call_site.js", "playhead.js"].map((name) => new URL(name, import.meta.url).href);

/** The file and line that called into the client. */
export function callSite() {
  for (const line of (new Error().stack ?? "").split("\n")) {
    const found = /(?:\(|@|at )(?:async )?([^()@]+):(\d+):\d+\)?$/.exec(line);
    // A page's address may carry the token in its query: what is recorded holds none of that.
    const file = found?.[1].split(/[?#]/, 1)[0];
    if (file && !OWN.includes(file)) return { file, line: Number(found[2]) };
  }
  return { file: "", line: 0 };
}
