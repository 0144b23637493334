// A text of any length in a box: only the rows in sight are elements.

const ROW_HEIGHT = 18;
const MARGIN_ROWS = 12;

class TextView {
  /** `name` makes ids of rows unique; `openFold` is called with a fold that was chosen. */
  constructor(name, openFold) {
    Object.assign(this, { name, openFold, rows: [], language: "mlir", dead: NO_IDS });
    Object.assign(this, { wanted: "", cursor: 0, token: -1, frame: 0, isPressed: false });
    this.visible = h("div", { class: "rows", role: "presentation" });
    this.space = h("div", { class: "space", role: "presentation" }, this.visible);
    this.box = h(
      "div",
      { class: "text", tabindex: 0, role: "listbox", "aria-multiselectable": "true" },
      this.space,
    );
    this.overview = h("canvas", { class: "overview", "aria-hidden": "true", width: 10, height: 1 });
    this.element = h("div", { class: "text-frame" }, this.box, this.overview);
    this.box.addEventListener("scroll", () => {
      this.isPressed = false;
      this.draw();
    });
    this.box.addEventListener("pointerdown", () => {
      this.isPressed = true;
      for (const end of ["pointerup", "pointercancel"]) addEventListener(end, () => this.released(), { once: true });
    });
    this.box.addEventListener("click", (event) => this.clicked(event));
    this.box.addEventListener("keydown", (event) => this.pressed(event));
    this.overview.addEventListener("click", (event) => {
      const part = event.offsetY / this.overview.clientHeight;
      this.reveal(Math.floor(part * this.rows.length));
    });
    new ResizeObserver(() => this.refresh()).observe(this.box);
  }

  show(rows, language, dead, label) {
    Object.assign(this, { rows, language, dead });
    this.cursor = Math.min(this.cursor, Math.max(rows.length - 1, 0));
    this.token = -1;
    this.box.setAttribute("aria-label", label);
    const longest = rows.reduce((most, { line, note }) => Math.max(most, (line?.text ?? note ?? "").length), 0);
    this.space.style.height = `${rows.length * ROW_HEIGHT}px`;
    this.space.style.minWidth = `calc(${longest + 2}ch + 110px)`;
    this.isNumbered = rows.some(({ line }) => line?.number !== undefined);
    this.box.classList.toggle("numbered", this.isNumbered);
    this.refresh();
  }

  /** Draws the rows in sight again, and the overview. */
  refresh() {
    this.draw();
    this.drawOverview();
  }

  /** A row that is replaced while a button is down gets no click, so rows are drawn on release. */
  released() {
    if (!this.isPressed) return;
    this.isPressed = false;
    this.draw();
  }

  draw() {
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      if (this.isPressed) return;
      const first = Math.max(0, Math.floor(this.box.scrollTop / ROW_HEIGHT) - MARGIN_ROWS);
      const count = Math.ceil(this.box.clientHeight / ROW_HEIGHT) + 2 * MARGIN_ROWS;
      const rows = this.rows.slice(first, first + count);
      this.visible.style.top = `${first * ROW_HEIGHT}px`;
      this.visible.replaceChildren(...rows.map((row, index) => rowElement(row, first + index, this)));
      this.box.setAttribute("aria-activedescendant", `${this.name}-row-${this.cursor}`);
    });
  }

  /** Marks on the right where highlighted lines, hits, changes and diagnostics are. */
  drawOverview() {
    const height = Math.max(1, this.box.clientHeight);
    this.overview.height = height;
    const ink = this.overview.getContext("2d");
    const paint = (at, name, x, width) => {
      ink.fillStyle = colourOf(name);
      ink.fillRect(x, Math.floor((at * height) / this.rows.length), width, 2);
    };
    this.rows.forEach((row, at) => {
      if (row.note !== undefined) paint(at, "--bad", 0, 10);
      if (row.mark === "+") paint(at, "--added", 0, 3);
      if (row.mark === "-") paint(at, "--removed", 0, 3);
      if (!row.line) return;
      for (const slot of slotsOfLine(row.line)) paint(at, `--slot-${slot}`, 2, 8);
      if (this.wanted && row.line.text.toLowerCase().includes(this.wanted)) paint(at, "--ink", 6, 4);
    });
  }

  /** Puts the cursor on a row and scrolls it into sight, away from the edges. */
  reveal(at) {
    if (!this.rows.length) return;
    this.cursor = Math.max(0, Math.min(at, this.rows.length - 1));
    this.token = -1;
    const top = this.cursor * ROW_HEIGHT;
    const { scrollTop, clientHeight } = this.box;
    if (top < scrollTop || top > scrollTop + clientHeight - 2 * ROW_HEIGHT) {
      this.box.scrollTop = top - clientHeight / 3;
    }
    this.draw();
  }

  /** Has a line at the top, with the cursor on it. */
  begin(line) {
    this.cursor = Math.max(0, this.rows.findIndex((row) => row.line && row.number === line));
    this.box.scrollTop = this.cursor * ROW_HEIGHT;
    this.draw();
  }

  /** Moves by rows, with no more scrolling than it takes. */
  step(by) {
    this.cursor = Math.max(0, Math.min(this.cursor + by, this.rows.length - 1));
    this.token = -1;
    const top = this.cursor * ROW_HEIGHT;
    const { scrollTop, clientHeight } = this.box;
    if (top < scrollTop) this.box.scrollTop = top;
    if (top > scrollTop + clientHeight - 2 * ROW_HEIGHT) this.box.scrollTop = top - clientHeight + 2 * ROW_HEIGHT;
    this.draw();
  }

  /** The rows that are highlighted, or that the search hits while there is one. */
  marked() {
    const isMarked = ({ line }) =>
      line && (this.wanted ? line.text.toLowerCase().includes(this.wanted) : slotsOfLine(line).length > 0);
    return this.rows.flatMap((row, at) => (isMarked(row) ? [at] : []));
  }

  /** Goes to the next marked row (by 1) or the one before (by -1), around the end. */
  goToMarked(by) {
    const marked = this.marked();
    if (!marked.length) return announce("Nothing is marked in this panel");
    const next = by > 0 ? marked.find((at) => at > this.cursor) : marked.findLast((at) => at < this.cursor);
    this.reveal(next ?? marked.at(by > 0 ? 0 : -1));
    announce(`${marked.indexOf(this.cursor) + 1} of ${marked.length}`);
  }

  isInSight(at) {
    const top = at * ROW_HEIGHT;
    return top >= this.box.scrollTop && top < this.box.scrollTop + this.box.clientHeight - ROW_HEIGHT;
  }

  /** Scrolls to the first highlighted row unless one is in sight. */
  followHighlights() {
    this.refresh();
    const marked = this.rows.flatMap(({ line }, at) => (line && slotsOfLine(line).length ? [at] : []));
    if (marked.length && !marked.some((at) => this.isInSight(at))) this.reveal(marked[0]);
  }

  /** Highlights the value that the cursor is on, else the whole line; opens a fold. */
  choose() {
    const row = this.rows[this.cursor];
    if (!row || row.note !== undefined) return;
    if (row.fold !== undefined) return this.openFold(row.fold);
    const { line } = row;
    if (this.token >= 0) {
      const [start, end, id] = line.spans.slice(this.token * 3, this.token * 3 + 3);
      toggleHighlight([id], line.text.slice(start, end));
    } else if (line.ids.length) {
      toggleHighlight(line.ids, nameOfLine(line));
    } else {
      announce("Nothing is known of where this line comes from");
    }
  }

  clicked(event) {
    const row = event.target.closest(".row");
    if (!row || !getSelection().isCollapsed) return;
    this.cursor = Number(row.dataset.row);
    const value = event.target.closest("[data-value]");
    this.token = value ? Number(value.dataset.value) : -1;
    this.choose();
    this.draw();
  }

  /** Steps over the values of a line; before the first is the line as a whole. */
  stepToken(by) {
    const values = (this.rows[this.cursor]?.line?.spans.length ?? 0) / 3;
    this.token = Math.max(-1, Math.min(this.token + by, values - 1));
    this.draw();
  }

  pressed(event) {
    const page = Math.max(1, Math.floor(this.box.clientHeight / ROW_HEIGHT) - 2);
    const acts = {
      ArrowDown: () => this.step(1),
      ArrowUp: () => this.step(-1),
      PageDown: () => this.step(page),
      PageUp: () => this.step(-page),
      Home: () => this.step(-this.rows.length),
      End: () => this.step(this.rows.length),
      ArrowRight: () => this.stepToken(1),
      ArrowLeft: () => this.stepToken(-1),
      Enter: () => this.choose(),
      " ": () => this.choose(),
    };
    const act = acts[event.key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    act();
    if (event.key !== "Enter" && event.key !== " ") this.sayCursor();
  }

  sayCursor() {
    const row = this.rows[this.cursor];
    const spans = row?.line?.spans ?? [];
    if (this.token >= 0) announce(row.line.text.slice(spans[this.token * 3], spans[this.token * 3 + 1]));
  }
}

/** A colour of the style sheet as one that a canvas understands, in the theme that is on. */
function colourOf(name) {
  if (!colours.has(name)) {
    const probe = h("span", {});
    probe.style.color = `var(${name})`;
    document.body.append(probe);
    colours.set(name, getComputedStyle(probe).color);
    probe.remove();
  }
  return colours.get(name);
}

const colours = new Map();

whenChanged("theme", () => colours.clear());

/** What a line is called in the legend: its op, or its first word. */
function nameOfLine(line) {
  const text = line.text.replace(/\/\*.*?\*\//g, "").trim();
  const afterResults = /^%[^=]*= +([\w.]+)/.exec(text)?.[1];
  return afterResults ?? /^(?:@!?\S+ +)?([\w.:"@$]+)/.exec(text)?.[1] ?? text.slice(0, 40);
}
