// What the reader has open, kept over a reload of the same kernel.

const placeKey = () => `tileir-view:${location.pathname}`;

/** Keeps what the address does not say: the open panels, the highlights, the sizes. */
function keepPlaceForReload() {
  const place = {
    panels: panels.map(({ key, follows, from, to, byNames, view, element }) => {
      const { cursor, box } = view;
      const wide = element.classList.contains("wide");
      return { key, follows, from, to, byNames, cursor, top: box.scrollTop, left: box.scrollLeft, wide };
    }),
    active: panels.indexOf(activePanel),
    highlights: highlights.map(({ ids, label }) => ({ ids: [...ids], label })),
    drawing: chosenDrawing,
    below: Number(byId("divider").getAttribute("aria-valuenow")),
    unchanged: showsUnchanged,
  };
  try {
    sessionStorage.setItem(placeKey(), JSON.stringify(place));
  } catch {
    // The page begins anew.
  }
}

function keptPlace() {
  try {
    const kept = sessionStorage.getItem(placeKey());
    sessionStorage.removeItem(placeKey());
    return JSON.parse(kept);
  } catch {
    return null;
  }
}

function restorePanel(kept) {
  const known = [kept.key, kept.from, kept.to].filter((key) => key && key !== DIFFERENCE);
  if (!known.every((key) => textByKey.has(key))) return;
  const panel = new Panel(kept.key, kept.follows);
  Object.assign(panel, { from: kept.from, to: kept.to, byNames: kept.byNames });
  if (panel.follows && kept.key !== DIFFERENCE) panel.key = phaseText[selected].key;
  panels.push(panel);
  sortPanels();
  panel.show();
  panel.view.cursor = Math.min(kept.cursor, panel.view.rows.length - 1);
  panel.view.box.scrollTo(kept.left, kept.top);
  if (kept.wide) toggleWide(panel);
  return panel;
}

/** Brings back what `keepPlaceForReload` has kept; false if there is nothing. */
function restorePlace() {
  const place = keptPlace();
  if (!place) return false;
  const restored = place.panels.map(restorePanel);
  activate(restored[place.active] ?? panels[0] ?? null);
  for (const { ids, label } of place.highlights) highlight(ids, label);
  chosenDrawing = place.drawing;
  setDivider(place.below);
  if (place.unchanged) toggleUnchanged();
  changed("panels");
  return true;
}
