// The tabs "Pass" and "Decisions": what the selected pass did, and what it chose why.

function opsTable(index) {
  const now = phases[index].ops;
  const before = index > 0 ? phases[index - 1].ops : now;
  const change = (name) => (now[name] ?? 0) - (before[name] ?? 0);
  const names = [...new Set([...Object.keys(now), ...Object.keys(before)])];
  names.sort((a, b) => Math.abs(change(b)) - Math.abs(change(a)) || (now[b] ?? 0) - (now[a] ?? 0));
  const signed = (number) => (number > 0 ? `+${number}` : number < 0 ? `−${-number}` : "");
  const rows = names.map((name) => [
    button(name, () => searchFor(name), { class: "link", title: "Search for it in all texts" }),
    now[name] ?? 0,
    h("span", { class: "number", text: signed(change(name)) }),
  ]);
  return table(["Op", "Count", "Change"], rows, "Ops after the pass");
}

function passTab() {
  const phase = phases[selected];
  const before = phaseText.slice(0, selected).at(-1);
  return [
    h("h2", { text: phaseText[selected].title }),
    h(
      "p",
      {},
      `${phase.changed ? "Changed the module" : "Changed nothing"} in ${milliseconds(phase.seconds)}; level `,
      h("code", { text: phase.level }),
      `, ${plural(countOps(phase), "op")}. `,
      before && phase.changed ? button("Difference (d)", toggleDifference) : null,
    ),
    h("p", {}, h("code", { class: "spec", text: phase.spec }), " ", copyButton(() => phase.spec)),
    failureNote(),
    phase.remarks.length ? h("h3", { text: "Remarks" }) : null,
    h("ul", {}, phase.remarks.map((remark) => h("li", { class: "remark-line", text: remark }))),
    opsTable(selected),
  ];
}

function failureNote() {
  if (!isFailed(selected)) return null;
  return h("pre", { class: "failure-note", text: report.failure.message });
}

/** A force text with its buttons: copied from a file, tried at once where a server shows the page. */
function forceCell(force) {
  if (!force) return "";
  return h(
    "span",
    { class: "force" },
    h("code", { text: force }),
    copyButton(() => force),
    live?.forced ? button("Choose", () => choose(force), { title: "Compile again with this choice" }) : null,
  );
}

function candidatesTable(decision) {
  const rows = decision.candidates.map((candidate) => [
    h("span", {}, candidate.name === decision.chosen ? h("strong", { text: `✔ ${candidate.name}` }) : candidate.name),
    candidate.score ?? "",
    candidate.pruned ?? "",
    forceCell(candidate.force),
  ]);
  return table(["Candidate", "Score", "Ruled out because", "To choose it"], rows);
}

const OP_REFERENCE = /(#\d+ [a-z_]\w*\.[\w.]+)/;

/** A fact in which ops like `#4 nv_tileas.dot` are buttons that lead to them in the pass's input. */
function factOf(phase, functionName) {
  const { lines } = phaseText[Math.max(phase - 1, 0)];
  const begin = Math.max(0, lines.findIndex(({ text }) => text.includes(`@${functionName}(`)));
  const opButton = (reference) => {
    const [label, op] = reference.split(" ");
    const at = lines.findIndex(
      (line, place) => place > begin && `#${line.number}` === label && line.text.includes(op),
    );
    if (at < 0) return reference;
    return button(reference, () => showOp(phaseText[Math.max(phase - 1, 0)], at), { class: "link" });
  };
  return (value) =>
    h("code", {}, String(value).split(OP_REFERENCE).map((part) => (OP_REFERENCE.test(part) ? opButton(part) : part)));
}

/** Shows a line in a panel and highlights where it stems from. */
function showOp(text, at) {
  const line = text.lines[at];
  if (line.ids.length) highlight(line.ids, nameOfLine(line));
  showLine(text, at);
}

/** What a decision is about: its op, else its first plain facts. */
function nameOfDecision({ op, about, facts: known }) {
  if (op) return about ? `${op}: ${about}` : op;
  const plain = Object.entries(known).filter(([, fact]) => isPlain(fact));
  return plain.slice(0, 4).map(([name, fact]) => `${name}: ${fact}`).join(", ") || Object.keys(known).join(", ");
}

function decisionElement(decision, phase, opened) {
  const summary = h(
    "summary",
    {},
    h("span", { class: "op-label", text: nameOfDecision(decision) }),
    ...(decision.chosen === null ? [] : [" → ", h("strong", { text: decision.chosen })]),
  );
  const hasFacts = Object.keys(decision.facts).length > 0;
  return h(
    "details",
    { class: "decision", open: opened },
    summary,
    h(
      "p",
      {},
      decision.ids.length ? idsButton(decision.ids, decision.op) : null,
      decision.function ? ` in @${decision.function}` : null,
      decision.why ? `: ${decision.why}` : null,
    ),
    decision.candidates.length ? candidatesTable(decision) : null,
    hasFacts ? h("h4", { text: "The pass's report" }) : null,
    hasFacts ? facts(decision.facts, factOf(phase, decision.function)) : null,
  );
}

function decisionsTab() {
  const { decisions } = phases[selected];
  const others = phases.flatMap((phase, index) => (phase.decisions.length ? [index] : []));
  const jumps = others.map((index) =>
    button(`${index} ${phases[index].pass} (${phases[index].decisions.length})`, () => select(index), {
      "aria-current": index === selected ? "true" : null,
      class: "jump",
    }),
  );
  const heading = `${plural(decisions.length, "decision")} of ${phaseText[selected].title}`;
  const numbers =
    "The number after # is that of the op in the pass's input, where it stands beside the line number.";
  return [
    h("nav", { "aria-label": "Passes that decided something", class: "jumps" }, jumps),
    h("h2", { text: heading }),
    decisions.length ? h("p", { class: "hint", text: numbers }) : null,
    ...decisions.map((decision) => decisionElement(decision, selected, decisions.length < 4)),
  ];
}
