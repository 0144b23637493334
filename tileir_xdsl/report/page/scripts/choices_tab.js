// The tab "Choices": what the reader has forced, and what it has changed.

function forcedElement(text) {
  return h(
    "li",
    { class: "force" },
    h("code", { text }),
    button("Give up", () => unchoose(text), { "aria-label": `Give up ${text}`, title: "Compile again without it" }),
  );
}

const signedChange = (before, after) => {
  if (typeof before !== "number" || typeof after !== "number" || before === after) return "";
  const part = before ? ` (${((100 * (after - before)) / before).toFixed(1)} %)` : "";
  return `${after > before ? "+" : "−"}${number(Math.abs(after - before))}${part}`;
};

/** Numbers of the two compilations; those that differ are set apart by weight and by the change. */
function comparisonTable(rows, caption) {
  const cell = (value, differs) => h(differs ? "strong" : "span", { class: "number", text: value === null ? "none" : number(value) });
  const cells = rows.map(([name, before, after]) => [
    name,
    cell(before, false),
    cell(after, before !== after),
    h("span", { class: "number", text: signedChange(before, after) }),
  ]);
  return table(["", "Before", "Now", "Change"], cells, caption);
}

/** Opens the difference of an earlier text and the one in its place. */
function openEarlier(earlier) {
  const panel = panels.find(({ key }) => key === DIFFERENCE) ?? new Panel(DIFFERENCE, false);
  Object.assign(panel, { key: DIFFERENCE, follows: false, from: earlier.key, to: lastTextOf(earlier.path).key });
  if (!panels.includes(panel)) panels.push(panel);
  panel.opened.clear();
  sortPanels();
  panel.show();
  activate(panel);
  changed("panels");
  panel.element.scrollIntoView({ block: "nearest", inline: "nearest" });
  panel.view.box.focus();
}

function comparison() {
  if (!live.rows) return [h("p", { text: "There is no compilation before this one to compare with." })];
  const differences = earlierTexts
    .filter(({ path }) => lastTextOf(path))
    .map((text) => button(text.path, () => openEarlier(text), { class: "jump" }));
  return [
    h("h3", { text: "Against the compilation before" }),
    h("p", { class: "jumps" }, "Differences: ", differences),
    comparisonTable(live.rows),
    live.instructions.length
      ? comparisonTable(live.instructions, "Instructions of PTX that there are more or fewer of")
      : h("p", { text: "The PTX has the same instructions as often." }),
  ];
}

function choicesTab() {
  if (!live.forced) return [h("p", { text: "This report was made before: there is no kernel to compile again." })];
  const forced = live.forced.length
    ? h("ul", {}, live.forced.map(forcedElement))
    : h("p", { text: "Nothing is forced. The tab Decisions offers what can be." });
  return [h("h2", { text: "Forced choices" }), forced, ...comparison()];
}
