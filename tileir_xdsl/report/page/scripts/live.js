// Only where `tileir view` shows the page: choices are forced, and the page follows its kernel.

const PAUSE_WITHOUT_SERVER = 5000;

function say(sentence) {
  byId("live-state").textContent = sentence;
}

/** What a forced choice is about: the pass and the op, without what is chosen. */
const subjectOf = (text) => text.slice(0, text.lastIndexOf("="));

/** Compiles again with a choice, which takes the place of another one for the same op. */
function choose(text) {
  return force([...live.forced.filter((other) => subjectOf(other) !== subjectOf(text)), text]);
}

function unchoose(text) {
  return force(live.forced.filter((other) => other !== text));
}

async function force(texts) {
  say("Compiling again with other choices");
  try {
    const answer = await fetch(`../force/${encodeURIComponent(live.name)}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ force: texts }),
    });
    if (!answer.ok) throw new Error(await answer.text());
    live.hasAsked = true;
  } catch (error) {
    say(`Not compiled again: ${error.message}`);
  }
}

/** What the bar says of the state that the page shows. */
function stateInWords({ status, message }) {
  if (status === "compiling") return "Compiling again";
  if (message) return `Not compiled: ${message}`;
  return status === "failed" ? "Failed: see the diagnostic" : "Up to date";
}

function showBar() {
  const forced = live.forced?.length
    ? button(`${plural(live.forced.length, "choice")} forced`, () => chooseTab("choices", true), { class: "jump" })
    : null;
  byId("live-bar").append(
    ...[
      h("a", { href: "../", text: "All kernels" }),
      forced,
      live.forced?.length ? button("Give up all", () => force([])) : null,
      h("span", { id: "live-state", role: "status", text: stateInWords(live) }),
    ].filter(Boolean),
  );
}

const untilSeen = () =>
  new Promise((done) => {
    if (document.hidden) document.addEventListener("visibilitychange", () => done(), { once: true });
    else done();
  });

/** The next changes. Browsers open few connections to a server: a page that nobody sees asks for nothing. */
async function nextChanges(since) {
  await untilSeen();
  const leaving = new AbortController();
  const leave = () => document.hidden && leaving.abort();
  document.addEventListener("visibilitychange", leave);
  try {
    const answer = await fetch(`../changes?since=${since}`, { signal: leaving.signal });
    return await answer.json();
  } catch {
    if (leaving.signal.aborted) return { revision: since, entries: null };
    say("tileir view has ended: the page stays as it is");
    await new Promise((done) => setTimeout(done, PAUSE_WITHOUT_SERVER));
    return { revision: "", entries: null };
  } finally {
    document.removeEventListener("visibilitychange", leave);
  }
}

/** Loads the page again when there is another report, with all that is open. */
async function follow() {
  let seen = "";
  for (;;) {
    const { revision, entries } = await nextChanges(seen);
    seen = revision;
    const entry = entries?.[live.name];
    if (entries && !entry) say("The file is gone: the page stays as it is");
    if (!entry) continue;
    if (entry.revision !== live.revision && entry.status !== "compiling") {
      if (live.hasAsked) chooseTab("choices");
      keepPlaceForReload();
      location.reload();
      return;
    }
    if (live.forced) say(stateInWords(entry));
  }
}

function startLive() {
  showBar();
  follow();
}
