// Why a kernel spills: how many registers it may have, and which accesses of local memory it has.

const REGISTERS_OF_MULTIPROCESSOR = 65536;
const MOST_REGISTERS_OF_THREAD = 255;

/** The number behind a directive of PTX, and its line; null where there is none. */
function directive(pattern) {
  const at = ptxText?.lines.findIndex(({ text }) => pattern.test(text)) ?? -1;
  return at < 0 ? null : { at, value: Number(pattern.exec(ptxText.lines[at].text)[1]) };
}

/** What holds down the registers of a thread: a sentence, and the line of PTX that says so. */
function registerBound(threads) {
  const given = directive(/^\s*\.maxnreg\s+(\d+)/);
  const blocks = directive(/^\s*\.minnctapersm\s+(\d+)/);
  const part = Math.floor(REGISTERS_OF_MULTIPROCESSOR / ((blocks?.value ?? 1) * (threads ?? 1)));
  const most = Math.min(MOST_REGISTERS_OF_THREAD, part - (part % 8));
  if (given && given.value <= most) {
    return { at: given.at, text: `The kernel asks for at most ${given.value} registers a thread.` };
  }
  if (most < MOST_REGISTERS_OF_THREAD) {
    const text =
      `The kernel asks for ${plural(blocks?.value ?? 1, "thread block")} of ${threads} threads on a multiprocessor, ` +
      `whose ${number(REGISTERS_OF_MULTIPROCESSOR)} registers are then ${most} a thread.`;
    return { at: blocks?.at ?? null, text };
  }
  return { at: null, text: `A thread can have ${MOST_REGISTERS_OF_THREAD} registers, and this kernel needs more.` };
}

/** The lines of machine code that store to and load from local memory, by what they stem from. */
function spillsByOrigin() {
  const groups = new Map();
  sassText?.lines.forEach((line, at) => {
    const kind = /\b(STL|LDL)\b/.exec(line.text)?.[1];
    if (!kind) return;
    const key = line.ids.join(" ");
    const group = groups.get(key) ?? { ids: line.ids, at, STL: 0, LDL: 0 };
    group[kind] += 1;
    groups.set(key, group);
  });
  return [...groups.values()].sort((a, b) => b.STL + b.LDL - a.STL - a.LDL);
}

/** The line of the source, or else of the module as read, that ids stand for. */
function originButton(ids) {
  const text = [...sourceTexts, ...phaseText].find((one) => linesWith(one, ids).length);
  if (!text) return "unknown";
  const [at] = linesWith(text, ids);
  return button(text.lines[at].text.trim(), () => showOp(text, at), { class: "code-line", title: text.title });
}

function spillsElement({ spills, registers, threads }) {
  if (!spills) return [];
  const bound = registerBound(threads);
  const groups = spillsByOrigin();
  const rows = groups.map(({ ids, at, STL, LDL }) => [
    originButton(ids),
    STL,
    LDL,
    button(`line ${at + 1}`, () => showOp(sassText, at), { class: "jump", title: "Show it in the machine code" }),
  ]);
  return [
    h("h3", { text: `Why ${number(spills)} bytes are spilled` }),
    h(
      "p",
      {},
      bound.text,
      bound.at === null ? null : [" ", button(`PTX line ${bound.at + 1}`, () => showLine(ptxText, bound.at), { class: "jump" })],
      registers.predicted === null ? null : ` Values in use were predicted to need ${number(registers.predicted)}.`,
    ),
    rows.length ? table(["Spilled around", "Stores", "Loads", "Machine code"], rows) : null,
  ];
}
