// The panels: texts side by side. One of them follows the pass that is selected.

const panels = [];

let selected = 0; // the index of the phase that is selected
let activePanel = null;
let panelCount = 0;

const DIFFERENCE = "difference";

/** The options of a panel's choice of text, or of one side of a difference. */
function textOptions(chosen, withDifference) {
  const option = (text) =>
    h("option", { value: text.key, text: text.title, title: text.path, selected: text.key === chosen });
  const group = (label, members) =>
    members.length ? [h("optgroup", { label }, members.map(option))] : [];
  return [
    ...group("Source", sourceTexts),
    ...group("After pass", phaseText),
    ...group("Machine", codeTexts),
    ...group("Compilation before", earlierTexts),
    ...(withDifference
      ? [h("option", { value: DIFFERENCE, text: "Difference of two", selected: chosen === DIFFERENCE })]
      : []),
  ];
}

class Panel {
  constructor(key, follows) {
    Object.assign(this, { key, follows, from: null, to: null, byNames: false, opened: new Set() });
    panelCount += 1;
    this.name = `panel-${panelCount}`;
    this.view = new TextView(this.name, (fold) => {
      this.opened.add(fold);
      this.show();
    });
    this.choice = h("select", {
      "aria-label": "Text of this panel",
      onchange: () => this.chose(this.choice.value),
    });
    this.number = h("kbd", {});
    this.marks = h("span", { class: "marks" });
    this.compared = h("div", { class: "compared", hidden: true });
    this.element = h(
      "section",
      { class: "panel", id: this.name, onfocusin: () => activate(this), onpointerdown: () => activate(this) },
      this.bar(),
      this.compared,
      this.view.element,
    );
  }

  bar() {
    const go = (by) => () => this.view.goToMarked(by);
    this.followButton = button("⇄", () => this.toggleFollow(), {
      class: "follow",
      title: "Show the pass that is selected in this panel",
      "aria-label": "Follow the selected pass",
    });
    this.wide = button("□", () => toggleWide(this), {
      title: "Fill the row with this panel (m)",
      "aria-label": "Fill the row with this panel",
      "aria-pressed": "false",
    });
    return h(
      "div",
      { class: "bar" },
      this.number,
      this.choice,
      this.marks,
      button("↑", go(-1), { title: "Marked line before (N)", "aria-label": "Marked line before" }),
      button("↓", go(1), { title: "Next marked line (n)", "aria-label": "Next marked line" }),
      this.followButton,
      this.wide,
      button("×", () => closePanel(this), { title: "Close (x)", "aria-label": "Close this panel" }),
    );
  }

  /** The text that is shown; for a difference the one that it leads to. */
  text() {
    return textByKey.get(this.key === DIFFERENCE ? this.to : this.key);
  }

  chose(key) {
    this.follows = false;
    if (key === DIFFERENCE) this.compare();
    else this.key = key;
    this.show();
    changed("panels");
  }

  /** Compares the selected pass with the text before it, until others are chosen. */
  compare() {
    this.to = this.key === DIFFERENCE ? this.to : phaseText[selected].key;
    this.from = textBefore(this.to).key;
    this.key = DIFFERENCE;
    this.opened.clear();
  }

  toggleFollow() {
    this.follows = !this.follows;
    if (this.follows) {
      for (const other of panels) if (other !== this) other.follows = false;
      this.followSelected();
    }
    changed("panels");
  }

  followSelected() {
    if (this.key === DIFFERENCE) {
      this.to = phaseText[selected].key;
      this.from = textBefore(this.to).key;
      this.opened.clear();
    } else {
      this.key = phaseText[selected].key;
    }
    this.show();
  }

  comparedControls() {
    const side = (name, label) => {
      const choice = h("select", { "aria-label": label }, textOptions(this[name], false));
      choice.addEventListener("change", () => {
        this[name] = choice.value;
        this.follows = false;
        this.opened.clear();
        this.show();
        changed("panels");
      });
      return h("label", {}, `${label} `, choice);
    };
    const names = h("input", { type: "checkbox" });
    names.checked = this.byNames;
    names.addEventListener("change", () => {
      this.byNames = names.checked;
      this.opened.clear();
      this.show();
    });
    return [side("from", "From"), side("to", "to"), h("label", {}, names, " names count")];
  }

  show() {
    this.choice.replaceChildren(...textOptions(this.key, true));
    const compares = this.key === DIFFERENCE;
    this.compared.hidden = !compares;
    const text = this.text();
    this.view.wanted = searched();
    if (compares) {
      const before = textByKey.get(this.from);
      const rows = differenceRows(before, text, this.byNames, this.opened);
      const count = (mark) => rows.filter((row) => row.mark === mark).length;
      this.compared.replaceChildren(
        ...this.comparedControls(),
        h("span", { class: "changes", text: `+${count("+")} −${count("-")}` }),
      );
      this.view.show(rows, text.language, text.dead, `Difference of ${before.title} and ${text.title}`);
    } else {
      this.view.show(rowsOf(text), text.language, text.dead, text.title);
    }
    this.showMarks();
  }

  showMarks() {
    const count = this.view.marked().length;
    this.marks.textContent = count ? `${count}` : "";
    this.marks.title = `${plural(count, "marked line")}`;
  }
}

/** The text before a text; for a pass the last one that differs, so that there is something to see. */
function textBefore(key) {
  const at = texts.findIndex((text) => text.key === key);
  const { lines } = texts[at];
  const isBefore = (text) => text.lines !== lines && !text.isEarlier;
  return texts.slice(0, at).findLast(isBefore) ?? texts[at];
}

function activate(panel) {
  if (activePanel === panel) return;
  activePanel = panel;
  for (const one of panels) one.element.classList.toggle("active", one === panel);
}

function openPanel(key, follows = false) {
  const panel = new Panel(key, follows);
  panels.push(panel);
  sortPanels();
  panel.show();
  activate(panel);
  changed("panels");
  return panel;
}

/** Panels stand in the order in which the kernel goes through their texts. */
function sortPanels() {
  const place = (panel) => texts.indexOf(panel.text()) + (panel.key === DIFFERENCE ? 0.5 : 0);
  panels.sort((a, b) => place(a) - place(b));
  const children = byId("panels").children;
  if (panels.every(({ element }, at) => children[at] === element)) return;
  const focused = document.activeElement;
  const scrolled = panels.map(({ view }) => [view.box.scrollTop, view.box.scrollLeft]);
  byId("panels").replaceChildren(...panels.map(({ element }) => element));
  panels.forEach(({ view }, at) => view.box.scrollTo(scrolled[at][1], scrolled[at][0]));
  if (focused?.isConnected) focused.focus({ preventScroll: true });
}

function closePanel(panel) {
  panels.splice(panels.indexOf(panel), 1);
  panel.element.remove();
  if (activePanel === panel) activePanel = null;
  const next = panels.at(-1);
  if (next) {
    activate(next);
    next.view.box.focus();
  }
  changed("panels");
}

function toggleWide(panel) {
  const isWide = panel.element.classList.contains("wide");
  for (const one of panels) {
    one.element.classList.toggle("wide", one === panel && !isWide);
    one.wide.setAttribute("aria-pressed", String(one === panel && !isWide));
  }
  byId("panels").classList.toggle("has-wide", !isWide);
  for (const one of panels) one.view.refresh();
}

/** Opens a panel for a text, or closes the one that shows it. */
function togglePanel(key) {
  const open = panels.find((panel) => panel.key === key && !panel.follows);
  if (open) return closePanel(open);
  const panel = openPanel(key);
  panel.element.scrollIntoView({ block: "nearest", inline: "nearest" });
  panel.view.box.focus();
}

/** Opens the difference of the selected pass from what was before it, or closes it. */
function toggleDifference() {
  const open = panels.find((panel) => panel.key === DIFFERENCE);
  if (open) return closePanel(open);
  const panel = new Panel(phaseText[selected].key, false);
  panel.compare();
  panels.push(panel);
  sortPanels();
  panel.show();
  activate(panel);
  changed("panels");
  panel.element.scrollIntoView({ block: "nearest", inline: "nearest" });
  panel.view.box.focus();
}

/** Selects a pass: the panel that follows shows it, and so do the tabs. */
function select(index, line = null) {
  selected = Math.max(0, Math.min(index, phases.length - 1));
  let following = panels.find((panel) => panel.follows);
  if (!following && line !== null) following = openPanel(phaseText[selected].key, true);
  following?.followSelected();
  if (line !== null) following.view.reveal(rowOfLine(following.view, line));
  sortPanels();
  changed("phase");
  changed("panels");
}

const rowOfLine = (view, line) => view.rows.findIndex((row) => row.number === line && row.mark !== "-");

/** Shows a line of any text: in a panel that has it open, else in the one that follows, else anew. */
function showLine(text, line) {
  const phase = phaseOfText(text);
  const open = panels.find((panel) => panel.key === text.key);
  if (!open && phase >= 0) return select(phase, line);
  const panel = open ?? openPanel(text.key);
  activate(panel);
  panel.element.scrollIntoView({ block: "nearest", inline: "nearest" });
  panel.view.reveal(rowOfLine(panel.view, line));
}

whenChanged("panels", () => {
  panels.forEach((panel, at) => {
    panel.number.textContent = at < 9 ? at + 1 : "";
    panel.element.setAttribute("aria-label", `Panel ${at + 1}: ${panel.text().title}`);
    panel.followButton.setAttribute("aria-pressed", String(panel.follows));
  });
  const isWide = panels.some(({ element }) => element.classList.contains("wide"));
  byId("panels").classList.toggle("has-wide", isWide);
  byId("no-panels").hidden = panels.length > 0;
});

whenChanged("highlights", () => {
  for (const panel of panels) {
    panel.view.followHighlights();
    panel.showMarks();
  }
});

whenChanged("search", () => {
  for (const panel of panels) {
    panel.view.wanted = searched();
    panel.view.refresh();
    panel.showMarks();
  }
});

whenChanged("theme", () => {
  for (const panel of panels) panel.view.refresh();
});
