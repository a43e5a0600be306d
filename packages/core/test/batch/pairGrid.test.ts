/** The search for pairs of edges against all pairs, one by one. */
import { expect, test } from 'vitest';
import { addCandidates, coversMotion, findCandidates } from '../../src/batch/simd/pairGrid.ts';
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

test('no pair that touches within the step is missed, nor one that other displacements make touch where the search covers them', () => {
  let covered = 0;
  for (let seed = 1; seed < 4; seed++) {
    const { rows, move } = rowsOf(seed);
    const search = createPairSearch({ strands: STRANDS, nodes: NODES });
    move(2e-3, 1e-3);
    const names = new Set(namesOf(findCandidates(search, rows, () => false)));
    const expected = touching(rows);
    expect(expected.length).toBeGreaterThan(3);
    expect(expected.filter((name) => !names.has(name))).toEqual([]);
    move(-1e-3, 6e-4);
    if (coversMotion(search, rows)) {
      covered++;
      expect(touching(rows).filter((name) => !names.has(name))).toEqual([]);
    }
    findCandidates(search, rows, () => false);
    move(0, 5e-3);
    expect(coversMotion(search, rows)).toBe(false);
  }
  expect(covered).toBeGreaterThan(0);
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
