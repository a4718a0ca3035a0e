// The filters of three pages: the index of rules and the models, whose tables are in the page, and the matrix, whose
// rows are data in it.
// It makes no request. A row is shown if it holds the text and a word of it is ticked.

const element = (tag, properties = {}, ...children) => {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
};

const badge = (kind, word) => element("span", { className: `${kind} ${word}` }, word);

// Text field, checkboxes for `words` and a count, all in `box`; returns a function that filters the rows it is given.
function filters(box, kind, words, label) {
  const text = element("input", { type: "search", placeholder: label, ariaLabel: label });
  const ticks = words.map((word) => element("input", { type: "checkbox", value: word, checked: true }));
  const count = element("output");
  box.append(text, ...ticks.map((tick) => element("label", {}, tick, badge(kind, tick.value))), count);
  let rows = [];
  const apply = () => {
    const ticked = ticks.filter((tick) => tick.checked).map((tick) => tick.value);
    const wanted = text.value.trim().toLowerCase();
    for (const row of rows) {
      const words = [...row.querySelectorAll(`.${kind}`)].map((one) => one.textContent);
      row.hidden = !row.textContent.toLowerCase().includes(wanted) || !words.some((word) => ticked.includes(word));
    }
    count.value = `${rows.filter((row) => !row.hidden).length} of ${rows.length}`;
  };
  box.addEventListener("input", apply);
  return (found) => { rows = found; apply(); };
}

function rulesPage(box) {
  const show = filters(box, "severity", ["law", "info", "loss", "error"], "Rule or words");
  show([...document.querySelectorAll(".rules tbody tr")]);
}

function modelsPage(box) {
  const show = filters(box, "protocol", ["chat", "responses", "messages", "gemini"], "Model, setting, source");
  show([...document.querySelectorAll(".models tbody tr")]);
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

function pairsPage(box) {
  const { verdicts, links, lacking, pairs } = JSON.parse(document.getElementById("pairs").textContent);
  const select = (label) => {
    const names = [...new Set(Object.keys(pairs).flatMap((pair) => pair.split(" ")))];
    return element("select", { ariaLabel: label }, ...names.map((name) => element("option", {}, name)));
  };
  const [src, dst] = [select("from"), select("to")];
  box.append(element("label", {}, "from ", src), element("label", {}, "to ", dst));
  const show = filters(box, "verdict", verdicts, "Field, place, rule");
  const draw = () => {
    const rows = (pairs[`${src.value} ${dst.value}`] ?? []).map(([subject, kinds, verdict, outcomes]) =>
      element("tr", {},
        element("td", {}, element("code", {}, subject)),
        element("td", {}, kinds.replace(" ", ", ")),
        element("td", {}, badge("verdict", verdict)),
        element("td", {}, ...listed(outcomes, links, lacking[dst.value]))));
    const counts = verdicts.map((verdict) => `${rows.filter((row) => row.cells[2].textContent === verdict).length} ${verdict}`);
    const heads = ["field or place", "in", "in general", "verdicts, the first that holds"];
    document.getElementById("pair").replaceChildren(
      element("p", {}, src.value === dst.value ? "A payload returns to its own protocol unchanged." : counts.join(", ")),
      element("table", {}, element("thead", {}, element("tr", {}, ...heads.map((head) => element("th", {}, head)))),
        element("tbody", {}, ...rows)));
    show(rows);
  };
  [src.value, dst.value] = Object.keys(pairs)[0].split(" ");
  src.addEventListener("change", draw);
  dst.addEventListener("change", draw);
  draw();
}

for (const box of document.querySelectorAll("[data-filters]")) ({ rules: rulesPage, models: modelsPage, pairs: pairsPage })[box.dataset.filters](box);
