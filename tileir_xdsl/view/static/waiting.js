// A page without a report: loads itself again when there is one, or something else to say.

const { name, revision } = document.body.dataset;
const PAUSE = 3000;

async function changes(since) {
  const answer = await fetch(`../changes?since=${since}`);
  return answer.json();
}

let seen = "";
for (;;) {
  try {
    const { revision: last, entries } = await changes(seen);
    seen = last;
    if (entries[name]?.revision !== revision) {
      location.reload();
      break;
    }
  } catch {
    document.getElementById("state").textContent = "tileir view has ended.";
    await new Promise((done) => setTimeout(done, PAUSE));
  }
}
