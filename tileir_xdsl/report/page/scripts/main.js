// Brings the page up: which texts are open, which pass is selected, the header's controls.

const THEMES = ["auto", "light", "dark"];
const PANEL_COLUMNS = 60;
const GUTTER = 76; // the number of a line, and the overview

const THEME_KEY = "tileir-report-theme";

function storedTheme() {
  try {
    return localStorage.getItem(THEME_KEY) ?? "auto";
  } catch {
    return "auto";
  }
}

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  byId("theme").textContent = `Theme: ${theme}`;
  try {
    localStorage.setItem(THEME_KEY, theme);
  } catch {
    announce("The browser keeps nothing: the theme lasts until the page is closed");
  }
  changed("theme");
}

function nextTheme() {
  const now = THEMES.indexOf(document.documentElement.dataset.theme);
  setTheme(THEMES[(now + 1) % THEMES.length]);
}

/** The pass to begin with: of the address, the failing one, else the last before `llvm`. */
function firstPhase(place) {
  const given = Number.parseInt(place.get("phase"), 10);
  if (phases[given]) return given;
  if (report.failure) return Math.min(report.failure.phase, phases.length - 1);
  const last = phases.findLastIndex((phase) => ["nv_tileas", "tilecpu"].includes(phase.level));
  return last >= 0 ? last : phases.length - 1;
}

/** How many panels have room for sixty characters of a line, beside its numbers and the overview. */
function panelsThatFit() {
  const line = h("span", { class: "text measured", text: "0".repeat(PANEL_COLUMNS) });
  document.body.append(line);
  const width = line.getBoundingClientRect().width + GUTTER;
  line.remove();
  return Math.max(2, Math.floor(byId("panels").clientWidth / width));
}

/** Opens the source, the pass, and machine code as far as they fit, each where the kernel begins. */
function openFirstPanels() {
  const key = phaseText[selected].key;
  const wanted = [sourceTexts.length && "source-0", key, ...codeTexts.map((text) => text.key)];
  for (const one of wanted.filter(Boolean).slice(0, panelsThatFit())) openPanel(one, one === key);
  for (const panel of panels) panel.view.begin(kernelLine(panel.text()));
  activate(panels.find((panel) => panel.follows));
}

/** The line where the first kernel begins in a text; without one, the first that is of an op. */
function kernelLine({ lines }) {
  const name = report.kernels[0]?.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const begin = new RegExp(`(?:\\bdef |\\bentry |func @|entry @|func )@?${name}\\b`);
  const found = lines.findIndex(({ text }) => begin.test(text));
  return found >= 0 ? found : Math.max(0, lines.findIndex(({ ids }) => ids.length > 0));
}

function showFailure() {
  const place = placeOfFailure();
  if (report.failure.ids.length) highlight(report.failure.ids, "failure");
  const phase = phaseOfText(place.text);
  if (phase >= 0) select(phase);
  showLine(place.text, place.line ?? 0);
  chooseTab("pass");
}

function start() {
  const place = new URLSearchParams(location.hash.slice(1));
  selected = firstPhase(place);
  startTabs();
  startDivider();
  startSearch();
  startKeys();
  byId("theme").addEventListener("click", nextTheme);
  byId("show-help").addEventListener("click", toggleHelp);
  byId("show-difference").addEventListener("click", toggleDifference);
  byId("show-unchanged").addEventListener("click", toggleUnchanged);
  byId("copy-command").addEventListener("click", (event) => copy(report.command, event.currentTarget));
  byId("show-failure")?.addEventListener("click", showFailure);
  addEventListener("hashchange", () => {
    const { phase, tab: name } = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
    if (phases[Number(phase)]) select(Number(phase));
    if (name) chooseTab(name);
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => changed("theme"));
  setTheme(storedTheme());
  showLegend();
  if (!live || !restorePlace()) openFirstPanels();
  changed("phase");
  chooseTab(place.get("tab") ?? (report.resources && !report.failure ? "resources" : "pass"));
  if (live) startLive();
  document.documentElement.dataset.ready = String(Math.round(performance.now()));
}

start();
