// Elements, messages and copying: what every other part builds with.

/** An element; attributes named `onX` listen to X, `text` is its text, null and false are left out. */
function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "text") element.textContent = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return element;
}

function button(text, act, attributes = {}) {
  return h("button", { type: "button", text, onclick: act, ...attributes });
}

const byId = (id) => document.getElementById(id);

const plural = (count, word) =>
  `${count.toLocaleString("en")} ${word}${count === 1 ? "" : /(s|ch)$/.test(word) ? "es" : "s"}`;

/** Says a sentence below the header, and to those who listen rather than look. */
function announce(sentence) {
  byId("status").textContent = sentence;
}

/** Parts of the page that ask to be told when something changed, by what changed. */
const listeners = new Map();

function whenChanged(what, act) {
  listeners.set(what, [...(listeners.get(what) ?? []), act]);
}

function changed(what) {
  for (const act of listeners.get(what) ?? []) act();
}

/** Puts a text on the clipboard; where the browser forbids that, selects it to be copied by hand. */
async function copy(text, beside) {
  try {
    await navigator.clipboard.writeText(text);
    announce("Copied");
  } catch {
    const field = h("input", { class: "to-copy", readonly: true, "aria-label": "Text to copy" });
    field.value = text;
    beside.parentElement.querySelector(".to-copy")?.remove();
    beside.after(field);
    field.focus();
    field.select();
    announce("Selected: press Ctrl+C (or Command+C) to copy");
  }
}

function copyButton(text, label = "Copy") {
  return button(label, (event) => copy(text(), event.currentTarget), { class: "copy" });
}

/** A table; cells are texts or elements, numbers are set to the right. */
function table(heads, rows, caption) {
  const cell = (content) =>
    content instanceof Node
      ? h("td", {}, content)
      : h("td", { text: content ?? "", class: typeof content === "number" ? "number" : null });
  return h(
    "table",
    {},
    caption ? h("caption", { text: caption }) : null,
    h("thead", {}, h("tr", {}, heads.map((head) => h("th", { text: head, scope: "col" })))),
    h("tbody", {}, rows.map((cells) => h("tr", {}, cells.map(cell)))),
  );
}

const plainFact = (value) => h("code", { text: String(value) });

const isPlain = (value) => value === null || typeof value !== "object";

/** Nested plain data as text, tables and lists that open; `leaf` shows what is not nested. */
function facts(value, leaf = plainFact) {
  if (isPlain(value)) return leaf(value);
  if (Array.isArray(value)) return factList(value, leaf);
  const rows = Object.entries(value).map(([name, fact]) => [
    h("dt", { text: name }),
    h("dd", {}, facts(fact, leaf)),
  ]);
  return h("dl", { class: "facts" }, rows);
}

function factList(values, leaf) {
  const isShort = values.every(isPlain) && values.join(", ").length < 90;
  if (isShort) return leaf(values.join(", "));
  const items = h("ul", { class: "facts" }, values.map((value) => h("li", {}, facts(value, leaf))));
  if (values.length < 7) return items;
  return h("details", {}, h("summary", { text: `${values.length} of them` }), items);
}
