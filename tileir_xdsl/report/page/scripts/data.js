// The report as it is embedded, and the texts in it.
//
// A text is {key, title, path, language, lines, dead}; a line {text, ids, spans, number}, where spans are
// [start, end, id, start, end, id, ..]. Equal lines of the report are one object.

const report = JSON.parse(byId("report").textContent);

/** What `tileir view` adds to a report that it shows; null for the page of a file. */
const live = JSON.parse(byId("live")?.textContent ?? "null");

const lineTable = report.line_table.map(([text, ids, spans, number]) => ({ text, ids, spans, number }));

const linesOf = (indices) => indices.map((index) => lineTable[index]);

const NO_IDS = new Set();

const baseName = (path) => path.split("/").pop();

function givenText(text, key, title = baseName(text.title)) {
  return { key, title, path: text.title, language: text.language, lines: linesOf(text.lines), dead: NO_IDS };
}

/** What stands for the passes of a text that could not be read. */
const NOTHING_READ = {
  pass: "read", spec: "read", level: "", seconds: 0, changed: false, ops: {}, lines: [], dead: [],
  remarks: [], decisions: [], drawings: [],
};

const phases = report.phases.length ? report.phases : [NOTHING_READ];

/** The phases' texts: one that changed nothing has the lines of the one before it. */
function phaseTexts() {
  let lines = [];
  return phases.map((phase, index) => {
    if (phase.lines !== null) lines = linesOf(phase.lines);
    const title = `${index} ${phase.pass}`;
    return { key: `phase-${index}`, title, path: phase.spec, language: "mlir", lines, dead: new Set(phase.dead) };
  });
}

const phaseText = phaseTexts();
const sourceTexts = report.sources.map((source, index) => givenText(source, `source-${index}`));
const codeTexts = Object.entries(report.code_titles).flatMap(([key, title]) =>
  report[key] ? [givenText(report[key], key, title)] : [],
);
const [ptxText, sassText] = ["ptx", "sass"].map((key) => codeTexts.find((text) => text.key === key) ?? null);

/** What the compilation before this one ended with, where a server knows it. */
const earlierTexts = (live?.earlier ?? []).map(({ title, language, lines }) => ({
  key: `earlier-${title}`, title: `${title}, before`, path: title, language, dead: NO_IDS, isEarlier: true,
  lines: lines.map((line) => ({ ...line, spans: line.spans.flat() })),
}));

/** The last text of a level, or generated code: what there may be an earlier text of. */
function lastTextOf(title) {
  const code = codeTexts.find((text) => text.title === title);
  return code ?? phaseText.findLast((_, at) => phases[at].level === title);
}

/** All texts in the order in which the kernel goes through them, each after its earlier one. */
const texts = [...sourceTexts, ...phaseText, ...codeTexts]
  .flatMap((text) => [...earlierTexts.filter(({ path }) => lastTextOf(path) === text), text]);

const textByKey = new Map(texts.map((text) => [text.key, text]));

const phaseOfText = (text) => phaseText.indexOf(text);

const countOps = (phase) => Object.values(phase.ops).reduce((sum, count) => sum + count, 0);

/** Line numbers by id, made when it is first asked for; texts with the same lines share it. */
const indexes = new WeakMap();

function indexOf(text) {
  let index = indexes.get(text.lines);
  if (index) return index;
  index = new Map();
  const add = (id, number) => {
    const numbers = index.get(id) ?? [];
    if (numbers.at(-1) !== number) numbers.push(number);
    index.set(id, numbers);
  };
  text.lines.forEach((line, number) => {
    for (const id of line.ids) add(id, number);
    for (let at = 2; at < line.spans.length; at += 3) add(line.spans[at], number);
  });
  indexes.set(text.lines, index);
  return index;
}

/** The numbers of the lines of a text that carry one of some ids, in order. */
function linesWith(text, ids) {
  const index = indexOf(text);
  const found = [...ids].flatMap((id) => index.get(id) ?? []);
  return [...new Set(found)].sort((a, b) => a - b);
}

/** The text of a line with ids in place of names, by which lines that only rename are the same. */
function withoutNames(line) {
  if (line.unnamed !== undefined) return line.unnamed;
  let result = "";
  let end = 0;
  for (let at = 0; at < line.spans.length; at += 3) {
    result += `${line.text.slice(end, line.spans[at])}\u0000${line.spans[at + 2]}`;
    end = line.spans[at + 1];
  }
  line.unnamed = result + line.text.slice(end);
  return line.unnamed;
}

/** The text of a line without names: ids of values mean nothing to another compilation. */
const withoutAnyNames = (line) => line.text.replace(/%[\w$]+/g, "%");

/** Where the failure belongs: {text, line}, by the ids of the diagnostic, else by its position. */
function placeOfFailure() {
  const { failure } = report;
  if (!failure) return null;
  const text = phaseText[Math.min(failure.phase, phaseText.length - 1)] ?? sourceTexts[0];
  const [line] = linesWith(text, failure.ids);
  return { text, line: line ?? null };
}

/** The line of a source that the failure's position names; null if none does. */
function failureInSource(text) {
  const [, title, line] = /^(.*):(\d+):\d+$/.exec(report.failure?.where ?? "") ?? [];
  const number = Number(line) - 1;
  const isNamed = title !== undefined && baseName(title) === text.title;
  return isNamed && sourceTexts.includes(text) && number < text.lines.length ? number : null;
}
