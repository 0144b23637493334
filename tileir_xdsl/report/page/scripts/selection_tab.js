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

function lineButton(text, at) {
  return button(text.lines[at].text.trim(), () => showLine(text, at), { class: "code-line", title: `Line ${at + 1}` });
}

/** One entry for each text in which the lines differ from those of the text before. */
function stations(ids) {
  let before = "";
  return texts.flatMap((text) => {
    const numbers = linesWith(text, ids);
    const key = numbers.map((at) => withoutNames(text.lines[at])).join("\n");
    if (key === before || (!numbers.length && !before)) return [];
    const isGone = numbers.length === 0;
    before = key;
    return [stationElement(text, numbers, isGone)];
  });
}

function stationElement(text, numbers, isGone) {
  const rest = numbers.slice(LINES_SHOWN);
  const lines = (of) => of.map((at) => h("li", {}, lineButton(text, at)));
  return h(
    "li",
    { class: "station" },
    h("h4", { text: isGone ? `${text.title}: gone` : text.title }),
    h("ul", { class: "code-lines" }, lines(numbers.slice(0, LINES_SHOWN))),
    rest.length
      ? h("details", {}, h("summary", { text: `${plural(rest.length, "more line").replace("more lines", "lines more")}` }), h("ul", { class: "code-lines" }, lines(rest)))
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
