// The filters of three pages: the index of rules and the models, whose tables are in the page, and the matrix, whose
// rows are data in it.
// It makes no request. A row is shown if it holds the text and a word of it is ticked. What is chosen stands in the
// address: `?filter=seed&without=exact,omitted`, and for the matrix `from` and `to`.

const element = (tag, properties = {}, ...children) => {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
};

const badge = (kind, word) => element("span", { className: `${kind} ${word}` }, word);

const address = new URLSearchParams(location.search);

function remember(name, value) {
  if (value) address.set(name, value); else address.delete(name);
  const query = address.toString().replaceAll("%2C", ",");
  history.replaceState(history.state, "", (query ? `?${query}` : location.pathname) + location.hash);
}

// Text field, checkboxes for `words` and a count, all in `box`; returns a function that filters the rows it is given.
function filters(box, kind, words, label) {
  const text = element("input", { type: "search", placeholder: label, ariaLabel: label });
  const without = (address.get("without") ?? "").split(",");
  const ticks = words.map((word) => element("input", { type: "checkbox", value: word, checked: !without.includes(word) }));
  text.value = address.get("filter") ?? "";
  const count = element("output");
  box.append(text, ...ticks.map((tick) => element("label", {}, tick, badge(kind, tick.value))), count);
  let rows = [];
  const apply = () => {
    const ticked = ticks.filter((tick) => tick.checked).map((tick) => tick.value);
    const wanted = text.value.trim().toLowerCase();
    for (const row of rows) {
      const words = [...row.querySelectorAll(`.${kind}`)].map((one) => one.textContent);
      const held = `${row.textContent} ${row.dataset.names ?? ""}`.toLowerCase();
      row.hidden = !held.includes(wanted) || !words.some((word) => ticked.includes(word));
    }
    count.value = `${rows.filter((row) => !row.hidden).length} of ${rows.length}`;
  };
  box.addEventListener("input", () => {
    remember("filter", text.value.trim());
    remember("without", ticks.filter((tick) => !tick.checked).map((tick) => tick.value).join());
    apply();
  });
  return (found) => { rows = found; apply(); };
}

function rulesPage(box) {
  const show = filters(box, "severity", ["law", "info", "loss", "error"], "Rule or words");
  show([...document.querySelectorAll(".rules tbody tr")]);
}

function modelsPage(box) {
  const rows = [...document.querySelectorAll(".models tbody tr")];
  const protocols = new Set(rows.flatMap((row) => [...row.querySelectorAll(".protocol")].map((one) => one.textContent)));
  filters(box, "protocol", [...protocols], "Model, setting, source")(rows);
}

function outcome([verdict, rule, some, without], links, assumed) {
  const lacking = without && `servers without ${without}${assumed.includes(without) ? " (assumed)" : ""}`;
  const when = [some ? "some values" : "", lacking].filter(Boolean).join(", ");
  const cited = rule ? [" ", element("a", { href: links[rule] }, rule)] : [];
  return element("li", {}, badge("verdict", verdict), ...cited, when ? `: ${when}` : "");
}

// Nothing where the one verdict is that the value is supported unchanged.
const listed = (outcomes, ...known) =>
  outcomes.length > 1 || outcomes[0][1] ? [element("ul", {}, ...outcomes.map((one) => outcome(one, ...known)))] : [];

// The name that a protocol has for a field or place, a line may end after each slash of it; all names for the filter.
const path = (name) => element("code", {}, ...name.split("/").flatMap((part, at) => (at ? ["/", element("wbr"), part] : [part])));
const called = (names = []) => (names.length ? [path(names[0].split(" ")[0])] : []);

function pairsPage(box) {
  const { verdicts, links, lacking, wire, pairs } = JSON.parse(document.getElementById("pairs").textContent);
  const protocols = [...new Set(Object.keys(pairs).flatMap((pair) => pair.split(" ")))];
  const select = (label, otherwise) => {
    const made = element("select", { ariaLabel: label }, ...protocols.map((name) => element("option", {}, name)));
    made.value = protocols.includes(address.get(label)) ? address.get(label) : otherwise;
    return made;
  };
  const [src, dst] = Object.keys(pairs)[0].split(" ").map((name, at) => select(["from", "to"][at], name));
  box.append(element("label", {}, "from ", src), element("label", {}, "to ", dst));
  const show = filters(box, "verdict", verdicts, "Field of either protocol, place, rule");
  const draw = () => {
    const rows = (pairs[`${src.value} ${dst.value}`] ?? []).map(([subject, kinds, verdict, outcomes]) => {
      const [from, to] = [src, dst].map((side) => wire[side.value][subject] ?? []);
      const row = element("tr", {},
        element("td", {}, ...called(from), element("small", {}, subject)),
        element("td", {}, ...called(to)),
        element("td", {}, kinds.replace(" ", ", ")),
        element("td", {}, badge("verdict", verdict)),
        element("td", {}, ...listed(outcomes, links, lacking[dst.value])));
      row.dataset.names = [...from, ...to].join(" ");
      return row;
    });
    const counts = verdicts.map((verdict) => `${rows.filter((row) => row.cells[3].textContent === verdict).length} ${verdict}`);
    const heads = [src.value, dst.value, "in", "in general", "verdicts, the first that holds"];
    document.getElementById("pair").replaceChildren(
      element("p", {}, src.value === dst.value ? "A payload returns to its own protocol unchanged." : counts.join(", ")),
      element("table", {}, element("thead", {}, element("tr", {}, ...heads.map((head) => element("th", {}, head)))),
        element("tbody", {}, ...rows)));
    show(rows);
  };
  box.addEventListener("change", (event) => {
    if (event.target === src || event.target === dst) {
      remember("from", src.value);
      remember("to", dst.value);
      draw();
    }
  });
  draw();
}

for (const box of document.querySelectorAll("[data-filters]")) ({ rules: rulesPage, models: modelsPage, pairs: pairsPage })[box.dataset.filters](box);
