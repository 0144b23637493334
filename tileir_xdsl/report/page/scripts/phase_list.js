// The list of passes, from which panels are chosen: time, ops, what changed, what was said.

let showsUnchanged = false;
const openedFolds = new Set();

const saysSomething = (phase) => phase.remarks.length || phase.decisions.length || phase.drawings.length;

const isFailed = (index) => report.failure !== null && index === Math.min(report.failure.phase, phases.length - 1);

/** Passes that changed nothing and said nothing are folded, but for the one that is selected. */
const isFoldable = (index) =>
  !phases[index].changed && !saysSomething(phases[index]) && !isFailed(index) && index > 0;

/** Runs of passes: [index] for one that is shown, [first, .., last] for those folded together. */
function phaseGroups() {
  const groups = [];
  phases.forEach((_, index) => {
    const last = groups.at(-1);
    const joins = last && isFoldable(index) && isFoldable(last.at(-1));
    if (joins) last.push(index);
    else groups.push([index]);
  });
  return groups;
}

const isFolded = (group) =>
  isFoldable(group[0]) && !showsUnchanged && !openedFolds.has(group[0]) && !group.includes(selected);

const milliseconds = (seconds) => `${(seconds * 1000).toFixed(seconds < 0.01 ? 1 : 0)} ms`;

function timeBar(phase) {
  const longest = Math.max(...phases.map(({ seconds }) => seconds), 1e-9);
  const bar = h("span", { class: "time-bar", title: milliseconds(phase.seconds) });
  bar.style.setProperty("--part", phase.seconds / longest);
  return bar;
}

/** The change in the number of ops, signed; empty where there is none. */
function opsChange(index) {
  if (index === 0) return "";
  const change = countOps(phases[index]) - countOps(phases[index - 1]);
  return change ? `${change > 0 ? "+" : "−"}${Math.abs(change)}` : "";
}

/** Which highlights a text has, as letters, and how many lines the search hits in it. */
function marksOf(text) {
  const letters = highlights
    .filter(({ ids }) => linesWith(text, ids).length)
    .map(({ slot }) => h("b", { class: `slot-${slot}`, text: PALETTE[slot] }));
  const hits = hitCount(text);
  const count = hits ? h("span", { class: "hits", text: hits, title: `${plural(hits, "line")} found` }) : null;
  return h("span", { class: "row-marks" }, letters, count);
}

function openButton(text) {
  const isOpen = panels.some((panel) => panel.key === text.key && !panel.follows);
  return button(isOpen ? "−" : "+", () => togglePanel(text.key), {
    class: "open",
    "aria-pressed": String(isOpen),
    "aria-label": `${isOpen ? "Close" : "Open"} a panel of its own: ${text.title}`,
    title: isOpen ? "Close its panel" : "Open in a panel of its own",
  });
}

function opsOf(index) {
  return [
    h("span", { class: "ops", text: `${countOps(phases[index])} ops`, title: "Ops after the pass, and the change" }),
    h("span", { class: "ops-change", text: opsChange(index) }),
  ];
}

/** That a pass failed, how many remarks it made and how many choices. */
function badges(index) {
  const { remarks, decisions } = phases[index];
  const badge = (name, text, title) => h("span", { class: name, text, title });
  return h(
    "span",
    { class: "badges" },
    isFailed(index) ? badge("bad", "✖ failed", "The compilation ended here") : null,
    remarks.length ? badge("remark", `!${remarks.length}`, plural(remarks.length, "remark")) : null,
    decisions.length ? badge("decided", `?${decisions.length}`, plural(decisions.length, "decision")) : null,
  );
}

function phaseRow(index) {
  const phase = phases[index];
  const main = h(
    "button",
    {
      type: "button",
      class: "phase-name",
      "aria-current": index === selected ? "true" : null,
      "data-phase": index,
      title: phase.spec,
      onclick: () => select(index),
    },
    h("span", { class: "phase-number", text: index }),
    h("span", { class: "phase-line" }, h("span", { class: "phase-title", text: phase.pass }), badges(index)),
    h("span", {}),
    h("span", { class: "phase-line" }, timeBar(phase), opsOf(index)),
  );
  const classes = ["phase", index === selected ? "selected" : "", phase.changed ? "" : "unchanged"];
  return h("li", { class: classes.join(" ") }, main, marksOf(phaseText[index]), openButton(phaseText[index]));
}

function foldRow(group) {
  const open = () => {
    openedFolds.add(group[0]);
    showPhases();
    byId("phases").querySelector(`[data-phase="${group[0]}"]`).focus();
  };
  return h(
    "li",
    { class: "folded" },
    button(`▸ ${group.length} unchanged`, open, {
      "aria-expanded": "false",
      title: group.map((index) => phases[index].pass).join(", "),
    }),
  );
}

function textRow(text) {
  const name = button(`${text.title} (${plural(text.lines.length, "line")})`, () => togglePanel(text.key), {
    class: "text-name",
  });
  return h("li", { class: "phase" }, name, marksOf(text), openButton(text));
}

function showPhases() {
  const focused = document.activeElement?.closest?.("#phases [data-phase]")?.dataset.phase;
  const passes = phaseGroups().flatMap((group) =>
    isFolded(group) ? [foldRow(group)] : group.map(phaseRow),
  );
  byId("phases").replaceChildren(...sourceTexts.map(textRow), ...passes, ...codeTexts.map(textRow));
  if (focused !== undefined) byId("phases").querySelector(`[data-phase="${focused}"]`)?.focus();
  showInList(byId("phases").querySelector(".selected"));
}

/** Scrolls the list, and nothing else, as far as it takes to see a row. */
function showInList(row) {
  if (!row) return;
  const list = byId("phases");
  const [top, bottom] = [row.offsetTop, row.offsetTop + row.offsetHeight];
  if (top < list.scrollTop) list.scrollTop = top;
  else if (bottom > list.scrollTop + list.clientHeight) list.scrollTop = bottom - list.clientHeight;
}

function toggleUnchanged() {
  showsUnchanged = !showsUnchanged;
  openedFolds.clear();
  byId("show-unchanged").setAttribute("aria-pressed", String(showsUnchanged));
  showPhases();
}

/** Selects the next pass that is not folded, or the one before. */
function stepPhase(by) {
  const shown = phaseGroups().filter((group) => !isFolded(group)).flat();
  const at = shown.indexOf(selected);
  select(shown[Math.max(0, Math.min(at + by, shown.length - 1))]);
  announce(`${phaseText[selected].title}: ${plural(countOps(phases[selected]), "op")}`);
  if (document.activeElement?.closest("#phases")) byId("phases").querySelector(`[data-phase="${selected}"]`)?.focus();
}

for (const what of ["phase", "panels", "highlights", "search"]) whenChanged(what, showPhases);
