// The tab "Selection": what became of the last highlight, pass by pass, and what was decided about it.

/** What to follow: the last highlight, and the origins of the lines in which its values stand. */
function followedIds() {
  const { ids } = highlights.at(-1);
  const origins = new Set([...ids].filter((id) => id.startsWith("o")));
  if (origins.size) return origins;
  for (const text of phaseText) {
    const defined = linesWith(text, ids).map((at) => text.lines[at]).find((line) => definesOneOf(line, ids));
    if (defined?.ids.length) return new Set(defined.ids);
  }
  return ids;
}

/** Whether the values on the left of a line's `=` are among ids. */
function definesOneOf(line, ids) {
  const equals = line.text.indexOf(" = ");
  return line.spans.some((id, at) => at % 3 === 2 && ids.has(id) && line.spans[at - 1] <= equals);
}

const LINES_SHOWN = 4;

/** The text of a line, with what is new in it against another marked. */
function markedText(line, before) {
  if (before === undefined) return [line.text.trim()];
  const words = (text) => text.trim().split(/(\s+|[,<>(){}[\]])/).filter(Boolean);
  const now = words(line.text);
  return difference(words(before.text), now)
    .filter(([kind]) => kind !== "removed")
    .map(([kind, , at]) => (kind === "added" ? h("mark", { text: now[at] }) : now[at]));
}

function lineButton(text, at, before) {
  const attributes = { type: "button", class: "code-line", title: `Line ${at + 1}`, onclick: () => showLine(text, at) };
  return h("button", attributes, markedText(text.lines[at], before));
}

/** One entry for each text in which the lines differ from those of the text before. */
function stations(ids) {
  let before = [];
  return texts.flatMap((text) => {
    const numbers = linesWith(text, ids);
    const lines = numbers.map((at) => text.lines[at]);
    const key = (some) => some.map(withoutNames).join("\n");
    if (key(lines) === key(before)) return [];
    const station = stationElement(text, numbers, before);
    before = lines;
    return [station];
  });
}

/** Lines of one text; they are compared with those before one by one where there are as many. */
function stationElement(text, numbers, before) {
  const compares = before.length === numbers.length && text.language === "mlir";
  const items = numbers.map((at, place) => h("li", {}, lineButton(text, at, compares ? before[place] : undefined)));
  const rest = items.slice(LINES_SHOWN);
  return h(
    "li",
    { class: "station" },
    h("h4", { text: numbers.length ? text.title : `${text.title}: gone` }),
    h("ul", { class: "code-lines" }, items.slice(0, LINES_SHOWN)),
    rest.length
      ? h("details", {}, h("summary", { text: `${rest.length} more` }), h("ul", { class: "code-lines" }, rest))
      : null,
  );
}

/** The decisions of all passes about ids: those about fewest others first, and of these the first open. */
function decisionsAbout(ids) {
  const found = phases.flatMap((phase, index) =>
    phase.decisions.filter((decision) => decision.ids.some((id) => ids.has(id))).map((decision) => ({ decision, index })),
  );
  const others = ({ decision }) => decision.ids.filter((id) => !ids.has(id)).length;
  found.sort((a, b) => others(a) - others(b) || a.index - b.index);
  return found.map(({ decision, index }, at) =>
    h(
      "div",
      { class: "about" },
      button(phaseText[index].title, () => select(index), { class: "jump", title: "Select this pass" }),
      decisionElement(decision, index, at === 0),
    ),
  );
}

function selectionTab() {
  if (!highlights.length) {
    return [h("p", { text: "Click a value, a line or an instruction: this tab then shows what became of it, and who decided what about it." })];
  }
  const { label } = highlights.at(-1);
  const ids = followedIds();
  const decided = decisionsAbout(ids);
  const count = decided.length ? plural(decided.length, "decision") : "No pass decided anything";
  const left = h("section", {}, h("h3", { text: `${count} about it` }), decided);
  const right = h("section", {}, h("h3", { text: "Its lines, wherever they change" }), h("ol", { class: "stations" }, stations(ids)));
  return [h("h2", { text: `What became of ${label}` }), h("div", { class: "columns" }, left, right)];
}
