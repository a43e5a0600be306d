/** The search for pairs of edges against all pairs, one by one. */
import { expect, test } from 'vitest';
import { addCandidates, findCandidates } from '../../src/batch/simd/candidates.ts';
import { type Candidates, createPairSearch, type NodeRows } from '../../src/batch/simd/pairMemory.ts';

const [STRANDS, NODES, RADIUS] = [40, 9, 2e-4];

function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32 - 0.5;
  };
}

/** Strands side by side in a box of 2 cm, which move by `way` and, each node by itself, by `own` [m]. */
function rowsOf(seed: number): { rows: NodeRows; move(way: number, own: number): void } {
  const random = randomNumbers(seed);
  const floats = new Float32Array(8 * STRANDS * NODES);
  const rows: NodeRows = { floats, first: 0, nodes: NODES, strands: STRANDS };
  for (let s = 0; s < STRANDS; s++) {
    let x = [0.02 * random(), 0.02 * random(), 0.02 * random()];
    const along = [3e-3 * random(), 3e-3 * random(), 3e-3 * random()];
    for (let i = 0; i < NODES; i++) {
      floats.set([...x, RADIUS], 8 * (s * NODES + i));
      x = x.map((one, k) => one + along[k] + 5e-4 * random());
    }
  }
  return {
    rows,
    move(way, own) {
      for (let n = 0; n < STRANDS * NODES; n++)
        for (let k = 0; k < 3; k++) floats[8 * n + 4 + k] = way * (k - 1) + own * random();
    },
  };
}

/** Least distance of points of two edges at a part of the step, to a hundredth of an edge [m]. */
function distanceAt({ floats }: NodeRows, a: number, b: number, time: number): number {
  const at = (n: number): number[] => [0, 1, 2].map((k) => floats[8 * n + k] + time * floats[8 * n + 4 + k]);
  const [p, q] = [at(a), at(a + 1)];
  const [r, s] = [at(b), at(b + 1)];
  const [u, v] = [q.map((x, k) => x - p[k]), s.map((x, k) => x - r[k])];
  const vv = v[0] ** 2 + v[1] ** 2 + v[2] ** 2;
  let least = Infinity;
  for (let n = 0; n <= 20; n++) {
    const x = p.map((one, k) => one + (n / 20) * u[k] - r[k]);
    const t = Math.min(1, Math.max(0, (x[0] * v[0] + x[1] * v[1] + x[2] * v[2]) / vv));
    least = Math.min(least, Math.hypot(...x.map((one, k) => one - t * v[k])));
  }
  return least;
}

/** Pairs of edges of different strands that touch within the step. */
function touching(rows: NodeRows): string[] {
  const found: string[] = [];
  for (let a = 0; a < STRANDS * NODES; a++)
    for (let b = a + 1; b < STRANDS * NODES; b++) {
      if ((a + 1) % NODES === 0 || (b + 1) % NODES === 0 || Math.floor(a / NODES) === Math.floor(b / NODES)) continue;
      if (distanceAt(rows, a, b, 0) > 5e-3) continue;
      if ([0, 0.25, 0.5, 0.75, 1].some((time) => distanceAt(rows, a, b, time) < 2 * RADIUS)) found.push(`${a} ${b}`);
    }
  return found;
}

function namesOf({ edges, count }: Candidates): string[] {
  return Array.from({ length: count }, (_, k) => `${edges[2 * k]} ${edges[2 * k + 1]}`);
}

test('no pair that touches within the step is missed, nor one that other displacements make touch', () => {
  for (let seed = 1; seed < 3; seed++) {
    const { rows, move } = rowsOf(seed);
    const search = createPairSearch({ strands: STRANDS, nodes: NODES });
    for (const [way, own] of [
      [2e-3, 1e-3],
      [-1e-3, 6e-4],
      [0, 5e-3],
    ]) {
      move(way, own);
      const names = new Set(namesOf(findCandidates(search, rows, () => false, 1)));
      const expected = touching(rows);
      expect(expected.length).toBeGreaterThan(1);
      expect(expected.filter((name) => !names.has(name))).toEqual([]);
    }
  }
});

/** Moves strand s from its present place, each of its nodes by itself by up to `own`/2 [m]. */
function shift({ floats }: NodeRows, s: number, own: number, random: () => number): void {
  for (let n = s * NODES; n < (s + 1) * NODES; n++) for (let k = 0; k < 3; k++) floats[8 * n + k] += own * random();
}

test('a search that goes on from the last one misses nothing, keeps its order, and forgets pairs that have parted', () => {
  const random = randomNumbers(9);
  const { rows, move } = rowsOf(5);
  const search = createPairSearch({ strands: STRANDS, nodes: NODES });
  const notItself = (): boolean => false;
  move(0, 1e-4);
  let reused = 0;
  for (let step = 0; step < 30; step++) {
    // most strands creep, and some jump
    for (let s = 0; s < STRANDS; s++) shift(rows, s, (s + step) % 11 === 0 ? 2e-3 : 2e-6, random);
    const before = namesOf(search.found);
    const names = namesOf(findCandidates(search, rows, notItself));
    const fresh = namesOf(findCandidates(createPairSearch({ strands: STRANDS, nodes: NODES }), rows, notItself));
    const found = new Set(names);
    if (step % 10 === 9) expect(touching(rows).filter((name) => !found.has(name))).toEqual([]);
    expect(found.size).toBe(names.length);
    const pairs = names.map((name) => name.split(' ').map(Number));
    expect(pairs).toEqual(pairs.toSorted(([a, b], [c, d]) => a - c || b - d));
    expect(names.length).toBeLessThan(1.2 * fresh.length + 10);
    if (names.some((name, k) => before[k] !== name) && before.some((name) => found.has(name))) reused++;
  }
  expect(reused).toBeGreaterThan(10);
});

test('pairs that are added to candidates are there once, in order', () => {
  const to: Candidates = { edges: Int32Array.of(1, 5, 1, 9, 4, 6), count: 3 };
  const all = addCandidates(to, [
    [4, 8],
    [1, 7],
    [1, 9],
    [0, 2],
  ]);
  expect(namesOf(all)).toEqual(['0 2', '1 5', '1 7', '1 9', '4 6', '4 8']);
});
