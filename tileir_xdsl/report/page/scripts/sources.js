// Values in the source: the report has origins of its lines only, but the module as it was read has
// the same names on lines of the same origins.

/** The ids of values by name, on the lines of the module as read that have one of some origins. */
function valuesRead(ids) {
  const read = phaseText[0];
  const names = new Map();
  for (const at of linesWith(read, ids)) {
    const { text, spans } = read.lines[at];
    for (let span = 0; span < spans.length; span += 3) names.set(text.slice(spans[span], spans[span + 1]), spans[span + 2]);
  }
  return names;
}

function linkSource(text) {
  for (const line of text.lines) {
    if (line.spans.length || !line.ids.length) continue;
    const names = valuesRead(line.ids);
    line.spans = [...line.text.matchAll(/%[\w$.-]+/g)].flatMap((match) => {
      const id = names.get(match[0]);
      return id === undefined ? [] : [match.index, match.index + match[0].length, id];
    });
  }
}

sourceTexts.filter(({ language }) => language === "mlir").forEach(linkSource);
