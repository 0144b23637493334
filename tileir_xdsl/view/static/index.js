// The kernels and reports of the folder, kept up to date.

const PAUSE = 3000;
const byId = (id) => document.getElementById(id);

function element(tag, text, name = "") {
  const made = document.createElement(tag);
  made.textContent = text;
  made.className = name;
  return made;
}

function describe(entry) {
  if (entry.kind === "report") return "made before";
  if (entry.status === undefined) return "is made when you open it";
  return entry.message ? `${entry.status}: ${entry.message}` : entry.status;
}

/** The row of an entry; what is there is filled anew, so that the focus stays. */
function row(name) {
  const found = [...byId("entries").children].find((one) => one.dataset.name === name);
  if (found) return found;
  const link = element("a", name);
  link.href = `report/${encodeURIComponent(name)}`;
  const made = element("tr", "");
  made.dataset.name = name;
  made.append(element("td", ""), element("td", ""), element("td", ""));
  made.firstChild.append(link);
  return made;
}

function show(entries) {
  const rows = Object.entries(entries).map(([name, entry]) => {
    const made = row(name);
    const [, state, forced] = made.children;
    state.textContent = describe(entry);
    state.className = entry.status === "failed" ? "failed" : "";
    forced.replaceChildren(...(entry.forced ?? []).map((text) => element("code", text)));
    return made;
  });
  const list = byId("entries");
  if (rows.length !== list.children.length || rows.some((one, at) => one !== list.children[at])) {
    list.replaceChildren(...rows);
  }
  list.closest("table").hidden = rows.length === 0;
  const nothing = "There are no kernels (.mlir, .tilebc, .tileirbc) and no reports (report.json) in the folder.";
  byId("state").textContent = rows.length ? "" : nothing;
}

/** Browsers open few connections to a server: a page that nobody sees asks for nothing. */
function seen() {
  if (!document.hidden) return Promise.resolve();
  return new Promise((done) => document.addEventListener("visibilitychange", done, { once: true }));
}

let last = "";
for (;;) {
  await seen();
  const leaving = new AbortController();
  const leave = () => document.hidden && leaving.abort();
  document.addEventListener("visibilitychange", leave);
  try {
    const answer = await fetch(`changes?since=${last}`, { signal: leaving.signal });
    const { revision, entries } = await answer.json();
    last = revision;
    show(entries);
  } catch {
    if (!leaving.signal.aborted) {
      byId("state").textContent = "tileir view has ended.";
      await new Promise((done) => setTimeout(done, PAUSE));
    }
  }
  document.removeEventListener("visibilitychange", leave);
}
