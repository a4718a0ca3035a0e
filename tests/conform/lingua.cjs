// Lingua as a process for `peers.py`: a line {kind, to, payload} in, a line {output} or {error} out. Its package has to
// be where NODE_PATH says. With `version` as the argument it prints that alone.
const fs = require("node:fs"), path = require("node:path"), readline = require("node:readline");

const lingua = require("@braintrust/lingua-wasm");
if (process.argv[2] === "version") {
  const home = path.resolve(path.dirname(require.resolve("@braintrust/lingua-wasm")), "..");
  console.log(JSON.parse(fs.readFileSync(path.join(home, "package.json"))).version);
  process.exit();
}

const steps = {
  request: (to, payload) => lingua.transform_request(JSON.stringify(payload), to, payload.model).data,
  response: (to, payload) => lingua.transform_response(JSON.stringify(payload), to).data,
  stream: (to, events) => {
    const session = new lingua.TransformStreamSession(to);
    const made = events.flatMap((one) => session.push(JSON.stringify(one)));
    return [...made, ...session.finish()].map((one) => one.data);
  },
};
readline.createInterface({ input: process.stdin }).on("line", (line) => {
  const { kind, to, payload } = JSON.parse(line);
  try {
    console.log(JSON.stringify({ output: steps[kind](to, payload) }));
  } catch (error) {
    console.log(JSON.stringify({ error: String(error.message ?? error) }));
  }
});
