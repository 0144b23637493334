// The rows of a text or of a difference, and one row as elements.
//
// A row is {line, number, mark}, where mark is "+", "-" or "", {note} for a diagnostic in its
// place, or {fold, count} for lines that are folded away.

const lineRow = (line, number, mark = "") => ({ line, number, mark });

const noteRows = (message) => message.split("\n").map((note) => ({ note }));

/** The rows of a text, with the diagnostic that stopped the compilation where it belongs. */
function rowsOf(text) {
  const rows = text.lines.map((line, number) => lineRow(line, number));
  const failed = placeOfFailure();
  const inSource = failureInSource(text);
  if (failed?.text === text) {
    rows.splice(failed.line === null ? 0 : failed.line + 1, 0, ...noteRows(report.failure.message));
  } else if (inSource !== null) {
    rows.splice(inSource + 1, 0, ...noteRows(report.failure.message));
  }
  return rows;
}

/** The rows of the difference of two texts; folds of `opened` are shown. */
function differenceRows(before, after, byNames, opened) {
  const compilations = before.isEarlier || after.isEarlier ? withoutAnyNames : withoutNames;
  const key = byNames ? (line) => line.text : compilations;
  const steps = difference(before.lines.map(key), after.lines.map(key));
  const lineOf = ([kind, i, j]) =>
    kind === "removed"
      ? lineRow(before.lines[i], i, "-")
      : lineRow(after.lines[j], j, kind === "added" ? "+" : "");
  return folded(steps).flatMap((step) => {
    const [kind, from, to] = step;
    if (kind !== "fold") return [lineOf(step)];
    if (opened.has(from)) return steps.slice(from, to).map(lineOf);
    return [{ fold: from, count: to - from }];
  });
}

/** Where a search hits a line: [start, end] pairs. */
function hitsIn(text, wanted) {
  if (!wanted) return [];
  const hits = [];
  const lower = text.toLowerCase();
  for (let at = lower.indexOf(wanted); at >= 0; at = lower.indexOf(wanted, at + wanted.length)) {
    hits.push([at, at + wanted.length]);
  }
  return hits;
}

/** The characters of a line cut where tokens, values or hits begin or end. */
function cuts(line, marks, hits) {
  const at = new Set([0, line.text.length]);
  for (const [start, end] of [...marks, ...hits]) at.add(start).add(end);
  for (let index = 0; index < line.spans.length; index += 3) {
    at.add(line.spans[index]).add(line.spans[index + 1]);
  }
  return [...at].sort((a, b) => a - b);
}

function valueAt(line, start) {
  for (let at = 0; at < line.spans.length; at += 3) {
    if (line.spans[at] <= start && start < line.spans[at + 1]) return at / 3;
  }
  return -1;
}

const covers = (ranges, start) => ranges.find(([from, to]) => from <= start && start < to);

/** The text of a line in spans: syntax, values that can be clicked, hits of the search. */
function code(line, language, { dead, wanted, token }) {
  const marks = tokens(language, line.text);
  const hits = hitsIn(line.text, wanted);
  const at = cuts(line, marks, hits);
  const pieces = at.slice(1).map((end, index) => {
    const start = at[index];
    const value = valueAt(line, start);
    const classes = [covers(marks, start)?.[2]];
    const attributes = {};
    if (value >= 0) {
      const id = line.spans[value * 3 + 2];
      attributes["data-value"] = value;
      classes.push("linked", ...slotsOf([id]).slice(-1).map((slot) => `slot-${slot}`));
      if (dead.has(id)) classes.push("dead");
      if (value === token) classes.push("token");
    }
    if (covers(hits, start)) classes.push("hit");
    return h("span", { class: classes.filter(Boolean).join(" "), text: line.text.slice(start, end), ...attributes });
  });
  return h("span", { class: `code${definesDead(line, dead) ? " dead" : ""}` }, pieces);
}

/** Whether the first thing in a line is a value that nothing uses. */
const definesDead = (line, dead) =>
  line.spans.length > 0 && dead.has(line.spans[2]) && line.text.slice(0, line.spans[0]).trim() === "";

function opNumber({ number }) {
  const text = number === undefined ? "" : `#${number}`;
  return h("span", { class: "op-number", text, title: text && "The number of this op in reports and in force=" });
}

function gutter(row, slots, isNumbered) {
  const { line, number, mark } = row;
  return h(
    "span",
    { class: "gutter" },
    h("span", { class: "letters" }, slots.map((slot) => h("b", { class: `slot-${slot}`, text: PALETTE[slot] }))),
    h("span", { class: "mark", text: mark }),
    h("span", { class: "line-number", text: number + 1 }),
    isNumbered ? opNumber(line) : null,
  );
}

/** A row as an option of the list that a panel's text is. */
function rowElement(row, at, view) {
  const isCursor = at === view.cursor;
  const attributes = {
    id: `${view.name}-row-${at}`,
    role: "option",
    "aria-setsize": view.rows.length,
    "aria-posinset": at + 1,
    "data-row": at,
  };
  const classes = ["row", isCursor ? "cursor" : ""];
  if (row.note !== undefined) {
    return h("div", { ...attributes, class: `${classes.join(" ")} note`, text: row.note, "aria-selected": "false" });
  }
  if (row.fold !== undefined) {
    const text = `⋯ ${plural(row.count, "equal line")}: click or press Enter to show`;
    return h("div", { ...attributes, class: `${classes.join(" ")} fold`, text, "aria-selected": "false" });
  }
  const slots = slotsOfLine(row.line);
  const whole = slotsOf(row.line.ids).at(-1);
  if (whole !== undefined) classes.push(`tint-${whole}`);
  if (row.mark) classes.push(row.mark === "+" ? "added" : "removed");
  return h(
    "div",
    { ...attributes, class: classes.join(" "), "aria-selected": String(slots.length > 0) },
    gutter(row, slots, view.isNumbered),
    code(row.line, view.language, { dead: view.dead, wanted: view.wanted, token: isCursor ? view.token : -1 }),
  );
}
