// Reads an exported file and compares every message, and the schemas in the file, with what
// Foxglove has published of them. Prints how many messages each topic has, and what is wrong.
import { open } from "node:fs/promises";
import schemas from "@foxglove/schemas/jsonschema.js";
import { McapIndexedReader } from "@mcap/core";
import Ajv from "ajv";
import lz4 from "lz4js";

class Readable {
  constructor(file, size) {
    this.file = file;
    this.length = size;
  }
  async size() {
    return BigInt(this.length);
  }
  async read(offset, length) {
    const { buffer } = await this.file.read(Buffer.alloc(Number(length)), 0, Number(length), Number(offset));
    return buffer;
  }
}

// A field that nobody knows would be ignored by a viewer: here it is an error.
function strict(schema) {
  if (Array.isArray(schema)) return schema.map(strict);
  if (schema === null || typeof schema !== "object") return schema;
  const made = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, strict(value)]));
  if (made.type === "object" && made.properties) made.additionalProperties = false;
  return made;
}

function differs(ours, theirs, path, wrong) {
  if (ours.type === "array") return differs(ours.items, theirs.items ?? {}, `${path}[]`, wrong);
  for (const [name, field] of Object.entries(ours.properties ?? {})) {
    const known = theirs.properties?.[name];
    if (!known) wrong.push(`${path}.${name} is not among the published fields`);
    else if (known.type && known.type !== field.type) wrong.push(`${path}.${name} is ${known.type}`);
    else differs(field, known, `${path}.${name}`, wrong);
  }
}

const file = await open(process.argv[2]);
const reader = await McapIndexedReader.Initialize({
  readable: new Readable(file, (await file.stat()).size),
  decompressHandlers: { lz4: (data) => lz4.decompress(data) },
});
const ajv = new Ajv({ strict: false });
const counts = {}, wrong = [], checks = {};
for (const schema of reader.schemasById.values()) {
  const published = schemas[schema.name.replace("foxglove.", "")];
  if (!schema.name.startsWith("foxglove.")) continue;
  if (schema.encoding !== "jsonschema") wrong.push(`${schema.name} is in ${schema.encoding}`);
  checks[schema.id] = ajv.compile(strict(published));
  differs(JSON.parse(new TextDecoder().decode(schema.data)), published, schema.name, wrong);
}
for await (const message of reader.readMessages()) {
  const channel = reader.channelsById.get(message.channelId);
  const value = JSON.parse(new TextDecoder().decode(message.data));
  counts[channel.topic] = (counts[channel.topic] ?? 0) + 1;
  const check = checks[channel.schemaId];
  if (check && !check(value)) wrong.push(`${channel.topic}: ${ajv.errorsText(check.errors)}`);
}
await file.close();
console.log(JSON.stringify({ counts, wrong: wrong.slice(0, 20) }));
