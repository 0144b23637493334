// The tabs below the panels, and the bar that divides the two.

const TABS = [
  ["pass", "Pass", passTab, ["phase"]],
  ["decisions", "Decisions", decisionsTab, ["phase"]],
  ["selection", "Selection", selectionTab, ["highlights"]],
  ["drawings", "Drawings", drawingsTab, ["phase"]],
  ["resources", "Resources", resourcesTab, []],
  ["run", "Run", runTab, []],
  ...(live ? [["choices", "Choices", choicesTab, []]] : []),
];

let tab = "pass";

function showTab() {
  const [, title, contents] = TABS.find(([name]) => name === tab);
  const body = byId("tab-panel");
  body.setAttribute("aria-label", title);
  body.replaceChildren(...contents().filter(Boolean));
  markDrawing();
}

function chooseTab(name, focus = false) {
  tab = TABS.some(([one]) => one === name) ? name : "pass";
  for (const one of byId("tabs").children) {
    const is = one.dataset.tab === tab;
    one.setAttribute("aria-selected", String(is));
    one.tabIndex = is ? 0 : -1;
    if (is && focus) one.focus();
  }
  byId("tab-panel").setAttribute("aria-labelledby", `tab-${tab}`);
  byId("tab-panel").scrollTop = 0;
  showTab();
  keepPlace();
}

function stepTab(by, focus = false) {
  const at = TABS.findIndex(([name]) => name === tab);
  chooseTab(TABS.at((at + by) % TABS.length)[0], focus);
}

/** How many things the tab of a name has to show for the selected pass; null where it is no number. */
function tabCount(name) {
  if (name === "decisions") return phases[selected].decisions.length;
  if (name === "drawings") return drawingsInSight().drawings.length;
  if (name === "run") return report.run?.races.length || null;
  return null;
}

function showTabCounts() {
  for (const [name, title] of TABS) {
    const count = tabCount(name);
    byId(`tab-${name}`).textContent = count ? `${title} ${count}` : title;
  }
}

function startTabs() {
  const buttons = TABS.map(([name, title]) =>
    button(title, () => chooseTab(name), {
      id: `tab-${name}`,
      role: "tab",
      "data-tab": name,
      "aria-controls": "tab-panel",
    }),
  );
  byId("tabs").replaceChildren(...buttons);
  byId("tabs").addEventListener("keydown", (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    stepTab(by, true);
  });
}

/** The position in the address, so that a reload or a link comes back to it. */
function keepPlace() {
  history.replaceState(null, "", `#phase=${selected}&tab=${tab}`);
}

function setDivider(part) {
  const bounded = Math.max(10, Math.min(part, 85));
  document.documentElement.style.setProperty("--below", `${bounded}vh`);
  byId("divider").setAttribute("aria-valuenow", String(Math.round(bounded)));
}

function startDivider() {
  const divider = byId("divider");
  const now = () => Number(divider.getAttribute("aria-valuenow"));
  divider.addEventListener("pointerdown", (event) => {
    divider.setPointerCapture(event.pointerId);
    event.preventDefault();
  });
  divider.addEventListener("pointermove", (event) => {
    if (divider.hasPointerCapture(event.pointerId)) setDivider(100 - (100 * event.clientY) / innerHeight);
  });
  divider.addEventListener("keydown", (event) => {
    const by = { ArrowUp: 5, ArrowDown: -5 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    setDivider(now() + by);
  });
}

whenChanged("phase", () => {
  showTabCounts();
  keepPlace();
});
for (const [name, , , causes] of TABS) {
  for (const cause of causes) {
    whenChanged(cause, () => {
      if (tab === name) showTab();
    });
  }
}
whenChanged("highlights", markDrawing);
