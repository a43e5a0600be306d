/**
 * Inextensible edges of rods that bodies join: the matrix G W Gᵀ of all their constraints with the inverse W of the
 * generalised mass (quaternion, translation, centreline) [Bergou2008 §8.1], and the effect of multipliers on nodes and bodies.
 *
 * C_j = ½(|e_j|² − ē_j²), ∇C_j = ∓e_j at its two nodes. A welded node moves with its body, x = r + R a: it has no mass of its own, and ∇C acts on the
 * body as (e, a × e). So welds hold to rounding, whatever the projection does. Edges of different rods are coupled only at bodies: the matrix is sparse.
 */
import { analyzeSparse, createSparsePattern, factorSparse, type SparseFactor } from '../../linalg/sparse.ts';
import type { ExplicitBody } from './explicitBody.ts';
import type { ExplicitWork } from './explicitWork.ts';
import type { DerRod } from './rod.ts';
import type { Member } from './welds.ts';

/** An edge that ends on a body. */
interface Incidence {
  readonly edge: number;
  /** Index of the constraint among those of all edges of the system. */
  readonly constraint: number;
  /** −1 if the edge begins at the body, 1 if it ends there. */
  readonly sign: number;
  readonly member: number;
  readonly lever: Float64Array;
  /** e and a × e. */
  readonly pull: Float64Array;
}

export interface EdgeConstraints {
  readonly count: number;
  /** First constraint of each rod. */
  readonly first: readonly number[];
  readonly values: Float64Array;
  readonly factor: SparseFactor;
  /** Right-hand side and multipliers. */
  readonly x: Float64Array;
  /** Slots between edge j and the next along the rod, −1 if there is none; one array per rod. */
  readonly chain: readonly Int32Array[];
  /** Edges that end on each body, and the slots of all their pairs (row-major). */
  readonly incidences: readonly (readonly Incidence[])[];
  readonly pairSlots: readonly Int32Array[];
}

export function createConstraints(members: readonly Member[], bodyCount: number): EdgeConstraints {
  const first: number[] = [];
  let count = 0;
  for (const { der } of members) {
    first.push(count);
    count += der.edgeCount;
  }
  const pairs: [number, number][] = [];
  members.forEach(({ der }, m) => {
    for (let j = 1; j < der.edgeCount; j++) pairs.push([first[m] + j - 1, first[m] + j]);
    if (der.rod.closed) pairs.push([first[m] + der.edgeCount - 1, first[m]]);
  });
  const incidences = Array.from({ length: bodyCount }, (_, b) =>
    members.flatMap(({ der, ties }, m) =>
      ties
        .filter((tie) => tie.body === b)
        .flatMap(({ node, lever }) =>
          edgesAt(der, node).map(({ edge, sign }): Incidence => {
            return { edge, constraint: first[m] + edge, sign, member: m, lever, pull: new Float64Array(6) };
          }),
        ),
    ),
  );
  for (const list of incidences) for (const a of list) for (const b of list) pairs.push([a.constraint, b.constraint]);
  const pattern = createSparsePattern(count, pairs);
  return {
    count,
    first,
    values: new Float64Array(pattern.slots),
    factor: analyzeSparse(pattern, pairs),
    x: new Float64Array(count),
    chain: members.map(({ der }, m) =>
      Int32Array.from({ length: der.edgeCount }, (_, j) => {
        const next = j + 1 < der.edgeCount ? j + 1 : der.rod.closed ? 0 : -1;
        return next < 0 ? -1 : pattern.slotOf(first[m] + j, first[m] + next);
      }),
    ),
    incidences,
    pairSlots: incidences.map((list) =>
      Int32Array.from(list.flatMap((a) => list.map((b) => pattern.slotOf(a.constraint, b.constraint)))),
    ),
  };
}

function edgesAt(der: DerRod, node: number): { edge: number; sign: number }[] {
  const before = node > 0 ? node - 1 : der.rod.closed ? der.edgeCount - 1 : -1;
  const list = before >= 0 ? [{ edge: before, sign: 1 }] : [];
  if (node < der.edgeCount) list.push({ edge: node, sign: -1 });
  return list;
}

const turned = new Float64Array(3);

/** Updates e and a × e of all edges that end on a body. */
function writePulls(constraints: EdgeConstraints, edges: readonly Float64Array[]): void {
  for (const list of constraints.incidences) {
    for (const { member, edge, lever: a, pull } of list) {
      const e = edges[member];
      const o = 3 * edge;
      pull[0] = e[o];
      pull[1] = e[o + 1];
      pull[2] = e[o + 2];
      pull[3] = a[1] * e[o + 2] - a[2] * e[o + 1];
      pull[4] = a[2] * e[o] - a[0] * e[o + 2];
      pull[5] = a[0] * e[o + 1] - a[1] * e[o];
    }
  }
}

/** G W Gᵀ for the given edge vectors (one array per rod) and the current levers and inverse masses; factored. */
export function factorConstraints(
  constraints: EdgeConstraints,
  works: readonly ExplicitWork[],
  edges: readonly Float64Array[],
  bodies: readonly ExplicitBody[],
): boolean {
  const { values, first, chain } = constraints;
  values.fill(0);
  works.forEach(({ inverseMass: w }, m) => {
    const e = edges[m];
    const slots = chain[m];
    const n = slots.length;
    const nodes = w.length;
    for (let j = 0; j < n; j++) {
      const o = 3 * j;
      const next = j + 1 < nodes ? j + 1 : 0;
      values[first[m] + j] = (w[j] + w[next]) * (e[o] * e[o] + e[o + 1] * e[o + 1] + e[o + 2] * e[o + 2]);
      if (slots[j] < 0) continue;
      const p = j + 1 < n ? o + 3 : 0;
      values[slots[j]] = -w[next] * (e[o] * e[p] + e[o + 1] * e[p + 1] + e[o + 2] * e[p + 2]);
    }
  });
  writePulls(constraints, edges);
  bodies.forEach(({ inverseMass: t, inverseInertia: I }, b) => {
    const list = constraints.incidences[b];
    const slots = constraints.pairSlots[b];
    const n = list.length;
    for (let i = 0; i < n; i++) {
      const p = list[i].pull;
      for (let k = 0; k < 3; k++) turned[k] = I[3 * k] * p[3] + I[3 * k + 1] * p[4] + I[3 * k + 2] * p[5];
      for (let j = 0; j < n; j++) {
        // each pair once: both orders share a slot; an edge with both ends on the body couples to itself in both
        if (j > i && slots[i * n + j] !== list[i].constraint) continue;
        const q = list[j].pull;
        values[slots[i * n + j]] +=
          list[i].sign *
          list[j].sign *
          (t[0] * p[0] * q[0] +
            t[1] * p[1] * q[1] +
            t[2] * p[2] * q[2] +
            turned[0] * q[3] +
            turned[1] * q[4] +
            turned[2] * q[5]);
      }
    }
  });
  return factorSparse(constraints.factor, values, 1e-12);
}

/** Effect of multipliers x on the bodies: impulses −Σ sign·x·(e, a × e)·scale, with the edges of the last factorization. */
export function pullBodies(constraints: EdgeConstraints, bodies: readonly ExplicitBody[], scale: number): void {
  const { x, incidences } = constraints;
  bodies.forEach(({ impulse, angularImpulse }, b) => {
    for (const { constraint, sign, pull } of incidences[b]) {
      const size = -sign * x[constraint] * scale;
      for (let k = 0; k < 3; k++) {
        impulse[k] += size * pull[k];
        angularImpulse[k] += size * pull[3 + k];
      }
    }
  });
}

/** Moves the nodes of a rod (positions or velocities) by multipliers x along its edges. */
export function pullNodes(
  out: Float64Array,
  nodeCount: number,
  w: Float64Array,
  e: Float64Array,
  x: Float64Array,
  first: number,
): void {
  const edgeCount = e.length / 3;
  for (let j = 0; j < edgeCount; j++) {
    const next = j + 1 < nodeCount ? j + 1 : 0;
    const size = x[first + j];
    for (let k = 0; k < 3; k++) {
      const pull = size * e[3 * j + k];
      out[4 * j + k] += w[j] * pull;
      out[4 * next + k] -= w[next] * pull;
    }
  }
}
