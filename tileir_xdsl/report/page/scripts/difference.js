// The difference of two lists of keys: Myers' algorithm (1986) in its form of linear space.

/** Where a shortest path of edits through a[aFrom..aTo], b[bFrom..bTo] has its middle snake. */
function middleSnake(a, aFrom, aTo, b, bFrom, bTo) {
  const n = aTo - aFrom;
  const m = bTo - bFrom;
  const delta = n - m;
  const half = Math.ceil((n + m) / 2);
  const forward = new Int32Array(2 * half + 3);
  const backward = new Int32Array(2 * half + 3);
  const middle = half + 1;
  for (let d = 0; d <= half; d++) {
    for (let k = -d; k <= d; k += 2) {
      const down = k === -d || (k !== d && forward[middle + k - 1] < forward[middle + k + 1]);
      let x = down ? forward[middle + k + 1] : forward[middle + k - 1] + 1;
      const start = x;
      while (x < n && x - k < m && a[aFrom + x] === b[bFrom + x - k]) x++;
      forward[middle + k] = x;
      const meets = delta % 2 !== 0 && Math.abs(delta - k) < d;
      if (meets && x + backward[middle + delta - k] >= n) {
        return [aFrom + start, bFrom + start - k, aFrom + x, bFrom + x - k];
      }
    }
    for (let k = -d; k <= d; k += 2) {
      const down = k === -d || (k !== d && backward[middle + k - 1] < backward[middle + k + 1]);
      let x = down ? backward[middle + k + 1] : backward[middle + k - 1] + 1;
      const start = x;
      while (x < n && x - k < m && a[aTo - 1 - x] === b[bTo - 1 - (x - k)]) x++;
      backward[middle + k] = x;
      const meets = delta % 2 === 0 && Math.abs(delta - k) <= d;
      if (meets && x + forward[middle + delta - k] >= n) {
        return [aTo - x, bTo - (x - k), aTo - start, bTo - (start - k)];
      }
    }
  }
  return [aFrom, bFrom, aFrom, bFrom];
}

/** Adds the pairs of equal entries that are kept, in order. */
function keep(a, aFrom, aTo, b, bFrom, bTo, pairs) {
  while (aFrom < aTo && bFrom < bTo && a[aFrom] === b[bFrom]) pairs.push([aFrom++, bFrom++]);
  const tail = [];
  while (aFrom < aTo && bFrom < bTo && a[aTo - 1] === b[bTo - 1]) tail.push([--aTo, --bTo]);
  if (aFrom < aTo && bFrom < bTo) {
    const [x, y, u, v] = middleSnake(a, aFrom, aTo, b, bFrom, bTo);
    keep(a, aFrom, x, b, bFrom, y, pairs);
    for (let step = 0; step < u - x; step++) pairs.push([x + step, y + step]);
    keep(a, u, aTo, b, v, bTo, pairs);
  }
  pairs.push(...tail.reverse());
}

/** The pairs of positions that stay, of all entries; what only one list has is set aside first. */
function keptPairs(before, after) {
  const numbers = new Map();
  const numbered = (keys) =>
    keys.map((key) => {
      if (!numbers.has(key)) numbers.set(key, numbers.size);
      return numbers.get(key);
    });
  const [a, b] = [numbered(before), numbered(after)];
  const [inA, inB] = [new Set(a), new Set(b)];
  const places = (list, other) => list.flatMap((key, at) => (other.has(key) ? [at] : []));
  const [aPlaces, bPlaces] = [places(a, inB), places(b, inA)];
  const pairs = [];
  const [aKeys, bKeys] = [aPlaces.map((at) => a[at]), bPlaces.map((at) => b[at])];
  keep(aKeys, 0, aKeys.length, bKeys, 0, bKeys.length, pairs);
  return pairs.map(([x, y]) => [aPlaces[x], bPlaces[y]]);
}

/** The steps from one list of keys to another: ["same", i, j], ["removed", i, null], ["added", null, j]. */
function difference(before, after) {
  const steps = [];
  let [i, j] = [0, 0];
  for (const [x, y] of [...keptPairs(before, after), [before.length, after.length]]) {
    while (i < x) steps.push(["removed", i++, null]);
    while (j < y) steps.push(["added", null, j++]);
    if (x < before.length) steps.push(["same", i++, j++]);
  }
  return steps;
}

/** Folds runs of equal steps that are farther than `context` from any change: ["fold", from, to]. */
function folded(steps, context = 3) {
  const near = new Uint8Array(steps.length);
  steps.forEach(([kind], at) => {
    if (kind !== "same") near.fill(1, Math.max(0, at - context), at + context + 1);
  });
  const result = [];
  for (let at = 0; at < steps.length; ) {
    let end = at;
    while (end < steps.length && !near[end]) end++;
    if (end - at > 1) result.push(["fold", at, end]);
    else if (end > at) result.push(steps[at]);
    else result.push(steps[end++]);
    at = end;
  }
  return result;
}
