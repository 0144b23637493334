// Brings the page up: which texts are open, which pass is selected, the header's controls.

const THEMES = ["auto", "light", "dark"];
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
  const last = phases.findLastIndex((phase) => phase.level === "nv_tileas");
  return last >= 0 ? last : phases.length - 1;
}

function openFirstPanels() {
  if (sourceTexts.length) openPanel("source-0");
  openPanel(phaseText[selected].key, true);
  if (ptxText && innerWidth >= 900) openPanel("ptx");
  if (sassText && innerWidth >= 1400) openPanel("sass");
  activate(panels.find((panel) => panel.follows));
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
  chooseTab(place.get("tab") ?? "pass");
  if (live) startLive();
  document.documentElement.dataset.ready = String(Math.round(performance.now()));
}

start();
