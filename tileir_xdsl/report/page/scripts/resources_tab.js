// The tabs "Resources" and "Run": what the kernel needs, and what it did when it was run.

const number = (value) => (typeof value === "number" ? value.toLocaleString("en", { maximumFractionDigits: 3 }) : String(value));

function registersRow({ predicted, actual, limited_by: hint }) {
  const parts = [predicted === null || predicted === undefined ? null : `${number(predicted)} predicted`];
  parts.push(actual === null || actual === undefined ? "not assembled" : `${number(actual)} by ptxas`);
  if (hint) parts.push(`limited by the hint ${hint}`);
  return parts.filter(Boolean).join(", ");
}

const RESOURCES = [
  ["registers", "Registers a thread", registersRow],
  ["spills", "Spilled, bytes a thread", number],
  ["shared_bytes", "Shared memory, bytes", number],
  ["tensor_columns", "Tensor memory, columns", number],
  ["threads", "Threads a block", number],
  ["blocks_per_sm", "Blocks a multiprocessor", number],
  ["occupancy", "Occupancy", (value) => `${number(value * 100)} %`],
  ["limit", "Limited by", String],
];

function resourceRows(resources) {
  const known = RESOURCES.flatMap(([key, name, text]) => {
    const value = resources[key];
    return value === null || value === undefined ? [] : [[name, value !== null && typeof value === "object" && key !== "registers" ? facts(value) : text(value)]];
  });
  const names = new Set([...RESOURCES.map(([key]) => key), "roofline"]);
  const others = Object.entries(resources).filter(([key, value]) => !names.has(key) && value !== null);
  return [...known, ...others.map(([key, value]) => [key.replaceAll("_", " "), facts(value)])];
}

/** The roofline in numbers: what bounds the kernel, and the peaks that this rests on. */
function rooflineElement(roofline) {
  const fed = roofline.intensity * roofline.peak_bandwidth;
  const bound = fed < roofline.peak_flops ? "memory bandwidth" : "arithmetic";
  const part = Math.min(1, fed / roofline.peak_flops);
  const rows = Object.entries(roofline).map(([key, value]) => [key.replaceAll("_", " "), number(value)]);
  return [
    h("h3", { text: "Roofline" }),
    h("p", { text: `Bound by ${bound}: ${number(roofline.intensity)} flops a byte allow ${number(part * 100)} % of the peak.` }),
    table(["", ""], rows),
  ];
}

/** Remarks of all passes, as they often tell what a resource cost. */
function allRemarks() {
  const rows = phases.flatMap((phase, index) =>
    phase.remarks.map((remark) => [button(phaseText[index].title, () => select(index), { class: "jump" }), remark]),
  );
  return rows.length ? [h("h3", { text: "Remarks of all passes" }), table(["Pass", "Remark"], rows)] : [];
}

/** The last drawings of shared and tensor memory and of resources, in the order of the passes. */
function resourceDrawings() {
  const kinds = ["resources", "shared_memory", "tensor_memory"];
  return kinds.flatMap((kind) => {
    const last = phases.findLast((phase) => phase.drawings.some((drawing) => drawing.kind === kind));
    return last ? last.drawings.filter((drawing) => drawing.kind === kind).map(drawingElement) : [];
  });
}

function resourcesTab() {
  const { resources } = report;
  if (!resources) return [h("p", { text: "The compilation did not get as far as its resources." }), ...allRemarks()];
  return [
    h("h2", { text: `Resources on ${report.gpu}` }),
    h(
      "div",
      { class: "columns" },
      h("section", {}, table(["Resource", "Value"], resourceRows(resources))),
      h("section", {}, spillsElement(resources), resources.roofline ? rooflineElement(resources.roofline) : null),
    ),
    ...allRemarks(),
    ...resourceDrawings(),
  ];
}

function siteElement(site) {
  if (typeof site !== "object" || site === null) return h("code", { text: String(site) });
  const { title, line, text, ids, ...others } = site;
  const place = [title, line].filter((part) => part !== undefined && part !== null).join(":");
  return h(
    "span",
    {},
    place ? `${place} ` : "",
    text ? h("code", { text }) : null,
    ids?.length ? idsButton(ids, text ?? place) : null,
    Object.keys(others).length ? facts(others) : null,
  );
}

/** Plain rows that share their names as one table. */
function rowsTable(rows) {
  if (!rows.every((row) => row !== null && typeof row === "object" && !Array.isArray(row))) return facts(rows);
  const names = [...new Set(rows.flatMap(Object.keys))].filter((name) => name !== "ids");
  const cells = rows.map((row) => [
    ...names.map((name) => (typeof row[name] === "number" ? row[name] : row[name] === undefined ? "" : facts(row[name]))),
    row.ids?.length ? idsButton(row.ids, nameOfIds(row.ids)) : "",
  ]);
  return table([...names.map((name) => name.replaceAll("_", " ")), ""], cells);
}

/** A tile as a grid; of more dimensions than two, slice by slice. */
function tileElement(values) {
  if (!Array.isArray(values)) return h("code", { text: number(values) });
  if (!values.some(Array.isArray)) return table(values.map((_, at) => at), [values.map(number)]);
  if (!values.some((row) => Array.isArray(row) && row.some(Array.isArray))) {
    const heads = ["", ...values[0].map((_, at) => at)];
    return table(heads, values.map((row, at) => [h("b", { text: at }), ...row.map(number)]));
  }
  return h("ol", { start: 0 }, values.map((slice) => h("li", {}, tileElement(slice))));
}

function valueElement({ id, shape, values }) {
  const name = nameOfValue(id);
  return h(
    "details",
    {},
    h("summary", { text: `${name}: ${shape.join("×") || "scalar"}` }),
    idsButton([id], name),
    h("div", { class: "tile", tabindex: 0, role: "group", "aria-label": `Values of ${name}` }, tileElement(values)),
  );
}

/** The name that a value has where it first appears. */
function nameOfValue(id) {
  for (const text of texts) {
    const [at] = linesWith(text, [id]);
    if (at === undefined) continue;
    const { text: line, spans } = text.lines[at];
    const place = spans.indexOf(id);
    if (place >= 2) return line.slice(spans[place - 2], spans[place - 1]);
  }
  return id;
}

function raceElement(race) {
  return h(
    "li",
    {},
    h("p", { text: race.message }),
    h("p", {}, "First: ", siteElement(race.first)),
    h("p", {}, "Second: ", siteElement(race.second)),
  );
}

function runTab() {
  const { run } = report;
  if (!run) return [h("p", { text: "The kernel was not run: give it inputs, and this tab shows what it did." })];
  const counts = Object.entries(run.instructions).sort((a, b) => b[1] - a[1]);
  const instruction = (name) => button(name, () => searchFor(name), { class: "link", title: "Search for it in all texts" });
  return [
    h("h2", { text: "In the emulator" }),
    h("h3", { text: run.races.length ? plural(run.races.length, "race") : "No race found" }),
    h("ol", { class: "races" }, run.races.map(raceElement)),
    table(["Instruction", "Executed"], counts.map(([name, count]) => [instruction(name), count]), "Instructions"),
    run.barrier_waits.length ? h("h3", { text: "Waits at barriers" }) : null,
    run.barrier_waits.length ? rowsTable(run.barrier_waits) : null,
    run.values.length ? h("h3", { text: "Values" }) : null,
    ...run.values.map(valueElement),
  ];
}
