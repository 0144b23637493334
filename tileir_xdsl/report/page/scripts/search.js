// Search in all texts: hits are marked in the panels and counted in the list of passes.

const searched = () => byId("search").value.trim().toLowerCase();

let hitCounts = new Map(); // by lines of a text

function hitCount(text) {
  const wanted = searched();
  if (!wanted) return 0;
  if (!hitCounts.has(text.lines)) {
    hitCounts.set(text.lines, text.lines.filter((line) => lowerOf(line).includes(wanted)).length);
  }
  return hitCounts.get(text.lines);
}

/** The text of a line in small letters, made once. */
function lowerOf(line) {
  line.lower ??= line.text.toLowerCase();
  return line.lower;
}

function search() {
  hitCounts = new Map();
  const found = texts.filter(hitCount);
  const result = byId("search-result");
  result.replaceChildren();
  if (searched()) {
    const [first] = found;
    result.append(found.length ? `in ${plural(found.length, "text")} ` : "not found");
    if (first) result.append(button(`first: ${first.title}`, () => showFirstHit(first), { class: "jump" }));
  }
  changed("search");
}

function showFirstHit(text) {
  const wanted = searched();
  showLine(text, text.lines.findIndex((line) => lowerOf(line).includes(wanted)));
}

function searchFor(wanted) {
  byId("search").value = wanted;
  search();
  announce(byId("search-result").textContent);
}

/** Enter goes to the next hit of the panel that was used last. */
function searchPressed(event) {
  if (event.key === "Enter") {
    event.preventDefault();
    if (activePanel && activePanel.view.wanted !== searched()) search();
    activePanel?.view.goToMarked(event.shiftKey ? -1 : 1);
  } else if (event.key === "Escape") {
    event.stopPropagation();
    byId("search").value = "";
    search();
    activePanel?.view.box.focus();
  }
}

function startSearch() {
  let pause = 0;
  byId("search").addEventListener("input", () => {
    clearTimeout(pause);
    pause = setTimeout(search, 120);
  });
  byId("search").addEventListener("keydown", searchPressed);
}
