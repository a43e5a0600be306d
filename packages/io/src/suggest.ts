/** Suggests the word that was probably meant. */

/** Common names of fields that have another name here. */
const synonyms: Readonly<Record<string, readonly string[]>> = {
  young: ['E'],
  youngs: ['E'],
  youngsmodulus: ['E'],
  youngmodulus: ['E'],
  shearmodulus: ['G'],
  poisson: ['nu'],
  poissonratio: ['nu'],
  rho: ['density'],
  r: ['radius'],
  dt: ['step'],
  timestep: ['step'],
  g: ['gravity'],
  n: ['edges'],
  segments: ['edges'],
  nodes: ['edges'],
  name: ['id', 'title'],
  start: ['from'],
  end: ['to', 'duration'],
  ei: ['EI1'],
  method: ['integrator'],
  rest: ['natural'],
};

/** The most similar candidate, or undefined if none is similar. */
export function nearestWord(word: string, candidates: readonly string[]): string | undefined {
  const lower = word.toLowerCase();
  const same = candidates.find((candidate) => candidate.toLowerCase() === lower);
  if (same !== undefined) return same;
  const key = lower.replace(/[^a-z0-9]/g, '');
  const synonym = Object.hasOwn(synonyms, key) ? synonyms[key].find((name) => candidates.includes(name)) : undefined;
  if (synonym !== undefined) return synonym;
  let best: string | undefined;
  // a third of the letters may be wrong; a word of one or two letters is never a misspelling of another
  let bestDistance = Math.min(3, Math.floor(word.length / 3)) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(lower, candidate.toLowerCase());
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** Insertions, deletions, substitutions and swaps of neighbours that turn one word into the other. */
function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = last[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1);
      row[j] = Math.min(last[j] + 1, row[j - 1] + 1, substitution);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        row[j] = Math.min(row[j], before[j - 2] + 1);
    }
    before = last;
    last = row;
  }
  return last[b.length];
}
