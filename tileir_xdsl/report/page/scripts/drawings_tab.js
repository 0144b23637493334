// The tab "Drawings": the pass's pictures, which zoom and whose parts can be highlighted.

let zoom = 1;

/** The drawings of the selected pass, or else of the last pass before it that has some. */
function drawingsInSight() {
  for (let index = selected; index >= 0; index--) {
    if (phases[index].drawings.length) return { index, drawings: phases[index].drawings };
  }
  return { index: selected, drawings: [] };
}

/** An SVG text as an element; whatever could run or load something is taken out. */
function svgElement(svg) {
  const root = new DOMParser().parseFromString(svg, "image/svg+xml").documentElement;
  if (root.localName !== "svg") return h("p", { text: "This drawing cannot be shown." });
  for (const one of root.querySelectorAll("script, foreignObject, image, iframe")) one.remove();
  return document.importNode(root, true);
}

const dataIds = (element) => element.dataset.id.split(/[\s,]+/).filter(Boolean);

/** What ids are called: the first line of a text that has one of them. */
function nameOfIds(ids) {
  for (const text of texts) {
    const [at] = linesWith(text, ids);
    if (at !== undefined) return nameOfLine(text.lines[at]);
  }
  return ids.join(" ");
}

function clickedDrawing(event) {
  const part = event.target.closest("[data-id]");
  if (!part) return;
  const ids = dataIds(part);
  toggleHighlight(ids, nameOfIds(ids));
}

/** Buttons for all that a drawing's parts stand for, as parts themselves take no focus. */
function partButtons(svg) {
  const parts = new Map();
  for (const part of svg.querySelectorAll("[data-id]")) parts.set(part.dataset.id, dataIds(part));
  if (!parts.size) return null;
  const buttons = [...parts.values()].slice(0, 60).map((ids) => idsButton(ids, nameOfIds(ids)));
  return h("p", { class: "parts" }, "Shown in it: ", buttons);
}

function setZoom(value) {
  zoom = Math.max(0.25, Math.min(value, 8));
  for (const one of document.querySelectorAll(".drawing")) one.style.setProperty("--zoom", zoom);
  for (const one of document.querySelectorAll(".zoom")) one.textContent = `${Math.round(zoom * 100)} %`;
}

function zoomControls() {
  return h(
    "span",
    { class: "zoom-controls", role: "group", "aria-label": "Zoom" },
    button("−", () => setZoom(zoom / 1.25), { "aria-label": "Smaller" }),
    h("output", { class: "zoom", text: `${Math.round(zoom * 100)} %` }),
    button("+", () => setZoom(zoom * 1.25), { "aria-label": "Larger" }),
    button("Fit", () => setZoom(1), { title: "As wide as the page" }),
  );
}

/** Saves a text as a file, without any server. */
function save(name, text) {
  const link = h("a", { download: name, href: URL.createObjectURL(new Blob([text], { type: "application/json" })) });
  link.click();
  URL.revokeObjectURL(link.href);
  announce(`Saved ${name}`);
}

function drawingElement(drawing) {
  const svg = svgElement(drawing.svg);
  const picture = h("div", { class: "drawing", tabindex: 0, role: "group", "aria-label": drawing.title, onclick: clickedDrawing }, svg);
  picture.style.setProperty("--zoom", zoom);
  const width = svg.viewBox?.baseVal?.width;
  if (width) picture.style.setProperty("--width", `${width}px`);
  svg.removeAttribute("width");
  svg.removeAttribute("height");
  const trace = drawing.trace
    ? button("Save Perfetto trace", () => save(`${report.kernels[0] ?? "kernel"}.trace.json`, JSON.stringify(drawing.trace)))
    : null;
  return h(
    "figure",
    {},
    h("figcaption", {}, h("h3", { text: drawing.title }), drawing.ids.length ? idsButton(drawing.ids, nameOfIds(drawing.ids)) : null, " ", trace),
    picture,
    partButtons(svg),
    drawing.text ? h("details", {}, h("summary", { text: "In words" }), h("pre", { class: "words", text: drawing.text })) : null,
  );
}

let chosenDrawing = 0;

/** A labelled choice of one of several texts. */
function choiceOf(label, names, chosen, act) {
  const options = names.map((name, at) => h("option", { value: at, text: name, selected: at === chosen }));
  const choice = h("select", { "aria-label": label, onchange: () => act(Number(choice.value)) }, options);
  return h("label", {}, `${label} `, choice);
}

function drawingsTab() {
  const { index, drawings } = drawingsInSight();
  if (!drawings.length) return [h("p", { text: "There is nothing to draw up to this pass." })];
  const drawn = phases.flatMap((phase, at) => (phase.drawings.length ? [at] : []));
  chosenDrawing = Math.min(chosenDrawing, drawings.length - 1);
  const titles = drawings.map(({ title }) => title);
  return [
    h(
      "div",
      { class: "jumps" },
      choiceOf("After pass", drawn.map((at) => phaseText[at].title), drawn.indexOf(index), (at) => select(drawn[at])),
      choiceOf("Drawing", titles, chosenDrawing, chooseDrawing),
      zoomControls(),
    ),
    drawingElement(drawings[chosenDrawing]),
  ];
}

function chooseDrawing(at) {
  chosenDrawing = at;
  showTab();
  byId("tab-panel").querySelector('[aria-label="Drawing"]').focus();
}

/** Outlines the parts of the drawing that are highlighted. */
function markDrawing() {
  for (const part of document.querySelectorAll(".drawing [data-id]")) {
    const slot = slotsOf(dataIds(part)).at(-1);
    part.classList.toggle("lit", slot !== undefined);
    if (slot === undefined) part.style.removeProperty("--lit");
    else part.style.setProperty("--lit", `var(--slot-${slot})`);
  }
}
