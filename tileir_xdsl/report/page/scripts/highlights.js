// What is highlighted: up to seven sets of ids, each with a colour of Okabe and Ito and a letter.

const PALETTE = ["A", "B", "C", "D", "E", "F", "G"];

/** [{slot, ids, label}], the oldest first. */
const highlights = [];

const sameIds = (a, b) => a.size === b.size && [...a].every((id) => b.has(id));

function freeSlot() {
  if (highlights.length === PALETTE.length) highlights.shift();
  return PALETTE.findIndex((_, slot) => highlights.every((other) => other.slot !== slot));
}

/** Highlights ids, or clears them if just these are highlighted; true if they are now. */
function toggleHighlight(ids, label) {
  const wanted = new Set(ids);
  const at = highlights.findIndex((highlight) => sameIds(highlight.ids, wanted));
  if (at >= 0) highlights.splice(at, 1);
  else highlights.push({ slot: freeSlot(), ids: wanted, label });
  const count = texts.filter((text) => linesWith(text, wanted).length).length;
  announce(at >= 0 ? `${label}: cleared` : `${label}: highlighted in ${plural(count, "text")}`);
  changed("highlights");
  return at < 0;
}

/** Highlights ids, whether or not they are already. */
function highlight(ids, label) {
  const wanted = new Set(ids);
  if (!highlights.some((other) => sameIds(other.ids, wanted))) toggleHighlight(ids, label);
}

function clearHighlights() {
  if (!highlights.length) return;
  highlights.length = 0;
  announce("Highlights cleared");
  changed("highlights");
}

const slotsOf = (ids) =>
  highlights.filter((one) => ids.some((id) => one.ids.has(id))).map((one) => one.slot);

/** The highlights that a line is part of, as a whole or by a value in it. */
function slotsOfLine(line) {
  if (!highlights.length) return [];
  const values = line.spans.filter((_, at) => at % 3 === 2);
  return slotsOf([...line.ids, ...values]);
}

/** The lines of a text that are part of any highlight. */
const highlightedLines = (text) =>
  linesWith(text, new Set(highlights.flatMap(({ ids }) => [...ids])));

/** The legend: each highlight can be cleared on its own. */
function showLegend() {
  const entries = highlights.map(({ slot, ids, label }) =>
    button(`${PALETTE[slot]} ${label} ×`, () => toggleHighlight(ids, label), {
      class: `legend slot-${slot}`,
      "aria-label": `Clear highlight ${PALETTE[slot]}: ${label}`,
    }),
  );
  const clear = [
    button("What became of it", () => chooseTab("selection", true), { title: "The tab Selection (s)" }),
    button("Clear all", clearHighlights, { title: "Escape" }),
  ];
  const hint = h("span", { class: "hint", text: "Click a value, a line or an instruction to find it in all texts." });
  byId("legend").replaceChildren(...entries, ...(entries.length ? clear : [hint]));
}

/** A button that highlights ids and shows them in the panels. */
function idsButton(ids, label) {
  return button(label, () => toggleHighlight(ids, label), {
    class: "ids",
    "aria-pressed": String(highlights.some((other) => sameIds(other.ids, new Set(ids)))),
    "data-ids": ids.join(" "),
  });
}

/** Buttons that stand for ids say whether these are highlighted. */
function markIdsButtons() {
  for (const one of document.querySelectorAll("button.ids")) {
    const ids = one.dataset.ids.split(" ");
    const is = highlights.find((other) => sameIds(other.ids, new Set(ids)));
    one.setAttribute("aria-pressed", String(is !== undefined));
    one.className = is ? `ids slot-${is.slot}` : "ids";
  }
}

whenChanged("highlights", showLegend);
whenChanged("highlights", markIdsButtons);
