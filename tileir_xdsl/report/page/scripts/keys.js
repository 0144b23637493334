// Keys, and the overlay that lists them.

const KEYS = [
  ["j ↓", "Next pass", ["j", "ArrowDown"], () => stepPhase(1)],
  ["k ↑", "Pass before", ["k", "ArrowUp"], () => stepPhase(-1)],
  ["/", "Search in all texts", ["/"], () => byId("search").select()],
  ["n", "Next marked line of the panel", ["n"], () => activePanel?.view.goToMarked(1)],
  ["N", "Marked line before", ["N"], () => activePanel?.view.goToMarked(-1)],
  ["d", "Difference from the text before: open, close", ["d"], () => toggleDifference()],
  ["p", "PTX or LLVM IR: open, close", ["p"], () => codeTexts.length && togglePanel(codeTexts[0].key)],
  ["u", "Show or fold unchanged passes", ["u"], () => toggleUnchanged()],
  ["m", "Fill the row with the panel, and back", ["m"], () => activePanel && toggleWide(activePanel)],
  ["x", "Close the panel", ["x"], () => activePanel && closePanel(activePanel)],
  ["[ ]", "Tab before, next tab", ["[", "]"], (key) => stepTab(key === "[" ? -1 : 1)],
  ["s", "What became of the last highlight: the tab Selection", ["s"], () => chooseTab("selection")],
  ["Escape", "Clear all highlights", ["Escape"], () => clearHighlights()],
  ["t", "Light, dark, as the system", ["t"], () => nextTheme()],
  ["?", "These keys", ["?"], () => toggleHelp()],
];

const KEYS_IN_TEXT = [
  ["1 … 9", "Go to a panel; 0 to the list of passes"],
  ["↑ ↓ Page Home End", "In a panel: move by lines"],
  ["← →", "In a panel: move over the values of a line"],
  ["Enter Space", "In a panel: highlight the value or line, or clear it"],
];

function goToPanel(key) {
  if (key === "0") return byId("phases").querySelector('[aria-current="true"]')?.focus();
  const panel = panels[Number(key) - 1];
  panel?.element.scrollIntoView({ block: "nearest", inline: "nearest" });
  panel?.view.box.focus();
}

function pressed(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const isTyping = event.target.closest("input:not([type=checkbox]), select, textarea");
  if (isTyping || (byId("help").open && event.key !== "?")) return;
  if (/^\d$/.test(event.key)) return goToPanel(event.key);
  const isScrolling = event.key.startsWith("Arrow") && event.target.closest("#tab-panel");
  const row = KEYS.find(([, , keys]) => keys.includes(event.key));
  if (!row || isScrolling) return;
  event.preventDefault();
  row[3](event.key);
}

function toggleHelp() {
  const help = byId("help");
  if (help.open) help.close();
  else help.showModal();
}

function startKeys() {
  const rows = [...KEYS.map(([keys, does]) => [keys, does]), ...KEYS_IN_TEXT];
  byId("help-keys").replaceChildren(
    ...rows.flatMap(([keys, does]) => [
      h("dt", {}, keys.split(" ").map((key) => (key === "…" ? " … " : h("kbd", { text: key })))),
      h("dd", { text: does }),
    ]),
  );
  document.addEventListener("keydown", pressed);
}
