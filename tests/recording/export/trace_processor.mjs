// Runs Perfetto's trace processor, as ui.perfetto.dev does in a web worker, without a browser:
// `node trace_processor.mjs FOLDER < REQUESTS > REPLIES`. FOLDER has the worker's script and its
// WebAssembly; requests and replies are each one TraceProcessorRpcStream. What the processor logs
// goes to the standard error.
import { Console } from "node:console";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const folder = process.argv[2];
const replies = [];

// The worker fetches its WebAssembly by a synchronous request.
class FileRequest {
  open(_method, name) {
    this.name = name;
  }
  send() {
    this.response = readFileSync(join(folder, this.name));
  }
}

// What the script takes for the globals of a worker. It refuses to run where it sees `process`.
const worker = { location: { href: "" } };
const globals = {
  self: worker,
  WorkerGlobalScope: Object,
  XMLHttpRequest: FileRequest,
  console: new Console(process.stderr),
  process: undefined,
};
const script = readFileSync(join(folder, "engine_bundle.js"), "utf8");
new Function(...Object.keys(globals), script)(...Object.values(globals));

// Its one message is the port by which requests come and replies go. It answers a request before
// it returns, and is ready for the first one when its own promises are fulfilled.
const port = { postMessage: (reply) => replies.push(reply) };
worker.onmessage({ data: port });
await new Promise(setImmediate);
port.onmessage({ data: new Uint8Array(readFileSync(0)) });
process.stdout.write(Buffer.concat(replies));
