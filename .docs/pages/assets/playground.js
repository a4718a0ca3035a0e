// The playground's page: two payloads and the findings between them. The conversion is in playground.worker.js.

const { available, protocols, kinds, examples, rules } = JSON.parse(document.getElementById("playground-data").textContent);
const root = document.getElementById("panes");

const element = (tag, properties = {}, ...children) => {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
};
const select = (label, words) => element("select", { ariaLabel: label }, ...words.map((word) => element("option", { value: word }, word || "detect")));

const from = select("from", protocols), to = select("to", protocols), kind = select("kind", ["", ...kinds]);
const pick = element("select", { ariaLabel: "example" }, element("option", { value: "" }, "an example…"),
  ...examples.map((one, at) => element("option", { value: at }, `${one.from} ${one.kind}`)));
const swap = element("button", { type: "button", title: "The result as the source" }, "⇄");
const source = element("textarea", { ariaLabel: "source", spellcheck: false });
const target = element("textarea", { ariaLabel: "target", readOnly: true, spellcheck: false });
const state = element("output", { className: "state" });
const found = element("ol", { className: "findings" });

root.replaceChildren(
  element("div", { className: "filters" }, element("label", {}, "from ", from), element("label", {}, "to ", to),
    element("label", {}, "kind ", kind), pick, swap),
  element("div", { className: "panes" }, source, element("div", { className: "between" }, state, found), target));

// --- the address: what is chosen, and the payload, compressed ---

const base64 = (bytes) => btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
const bytesOf = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (one) => one.charCodeAt(0));
const through = async (bytes, stream) => new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
const packed = async (text) => {
  const bytes = await through(new TextEncoder().encode(text), new CompressionStream("deflate-raw"));
  let made = "";
  for (let at = 0; at < bytes.length; at += 3 << 10) made += base64(bytes.subarray(at, at + (3 << 10))); // thirds: no padding inside
  return made;
};
const unpacked = async (text) => new TextDecoder().decode(await through(bytesOf(text), new DecompressionStream("deflate-raw")));

async function remember() {
  const words = new URLSearchParams({ from: from.value, to: to.value, kind: kind.value, payload: await packed(source.value) });
  history.replaceState(history.state, "", `#${words}`);
}

async function recall() {
  const words = new URLSearchParams(location.hash.slice(1));
  const example = examples.find((one) => one.from === (words.get("from") ?? "openai_chat_completions") && one.kind === "request") ?? examples[0];
  from.value = words.get("from") ?? example.from;
  to.value = words.get("to") ?? protocols.find((one) => one !== from.value);
  kind.value = words.get("kind") ?? "";
  try {
    source.value = words.has("payload") ? await unpacked(words.get("payload")) : example.text;
  } catch {
    source.value = example.text;
  }
}

// --- the conversion ---

let worker, asked = 0;

function convert() {
  if (!available) return;
  state.value = worker ? "…" : "Loading Python: 13 MB, once.";
  worker ??= start();
  worker.postMessage({ id: ++asked, call: "shown", text: source.value, from: from.value, to: to.value, kind: kind.value });
}

const LONGEST = 100_000; // characters for which remedies are searched: each search takes about twenty conversions

function explain(id) {
  if (id !== asked || source.value.length > LONGEST) return;
  worker.postMessage({ id, call: "explained", text: source.value, from: from.value, to: to.value, kind: kind.value });
}

function start() {
  const made = new Worker(new URL("./playground.worker.js", import.meta.url), { type: "module" });
  made.addEventListener("error", (event) => { state.value = `Python could not be started. ${event.message ?? ""}`; });
  made.addEventListener("message", ({ data }) => { if (data.id === asked) show(data); });
  return made;
}

function show({ id, failure, output, refused, findings }) {
  if (failure) { state.value = failure; return; }
  if (output === undefined) { list(findings); return; } // the same findings with remedies
  target.value = output;
  const losses = findings.filter((one) => one.severity === "loss").reduce((sum, one) => sum + one.paths.length, 0);
  state.value = refused ? "Refused." : losses ? `Converted; ${losses} lost.` : "Converted; nothing lost.";
  list(findings);
  if (refused || losses) setTimeout(explain, 300, id);
}

function list(findings) {
  found.replaceChildren(...findings.map(({ severity, rule, paths, message, remedies }) => element("li", {},
    element("span", { className: `severity ${severity}` }, severity), " ",
    rules[rule] ? element("a", { href: rules[rule] }, rule) : rule, " ",
    ...paths.flatMap((path) => [element("code", {}, path || "the whole payload"), " "]), message,
    ...remedies.map((remedy) => element("small", { className: "remedy" }, remedy)))));
}

let waiting;
const changed = () => { convert(); remember(); };
source.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(changed, 300); });
for (const one of [from, to, kind]) one.addEventListener("change", changed);
pick.addEventListener("change", () => {
  const one = examples[pick.value];
  if (!one) return;
  [from.value, kind.value, source.value] = [one.from, one.kind, one.text];
  if (to.value === one.from) to.value = protocols.find((name) => name !== one.from);
  changed();
});
swap.addEventListener("click", () => {
  if (target.value) source.value = target.value;
  [from.value, to.value] = [to.value, from.value];
  changed();
});
addEventListener("hashchange", async () => { await recall(); convert(); });

if (!available) state.value = "This site was built without Python for browsers: `npm install --prefix .docs` before the build adds it.";
await recall();
convert();
