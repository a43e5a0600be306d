/**
 * Two other methods for the impulses of a step: a test oracle, and the cheap method that many codes use.
 *
 * `solveGaussSeidel`: solves one contact after the other with all others fixed, on the full response matrix W. The simplest correct method, and
 * quadratic in the number of contacts. It agrees with ADMM on stacks and slopes; for ropes under tension around obstacles it does not converge,
 * which is why it is not the default.
 *
 * `solveLumped`: the same sweeps as if nodes were free masses [Bridson2002]. The rod's step then propagates the impulses, but friction does not
 * depend on its tension: a rope around a bollard slips as if it had none. For many hairs and small steps.
 */
import { hypot, square } from '../../math/rounded/index.ts';
import type { Rod } from '../../scene/compiled.ts';
import type { ContactSet } from '../contactSet.ts';
import type { Finder } from '../detect/finderData.ts';
import type { ImpulseResult, SideArrays } from './sideArrays.ts';

/** New impulse of contact c for the relative velocity u (which includes the current impulse) and the normal and tangential responses. */
function project(
  out: Float64Array,
  set: ContactSet,
  c: number,
  ux: number,
  uy: number,
  uz: number,
  along: number,
  across: number,
): void {
  const o = 3 * c;
  const nx = set.normal[o];
  const ny = set.normal[o + 1];
  const nz = set.normal[o + 2];
  const p = set.impulse;
  const un = ux * nx + uy * ny + uz * nz;
  const pn0 = p[o] * nx + p[o + 1] * ny + p[o + 2] * nz;
  const pn = Math.max(0, pn0 - (un + set.bias[c]) / along);
  let tx = p[o] - pn0 * nx - (ux - un * nx) / across;
  let ty = p[o + 1] - pn0 * ny - (uy - un * ny) / across;
  let tz = p[o + 2] - pn0 * nz - (uz - un * nz) / across;
  const size = Math.sqrt(tx * tx + ty * ty + tz * tz);
  const most = (set.sliding[c] ? set.dynamicFriction[c] : set.staticFriction[c]) * pn;
  if (size > most) {
    tx *= most / size;
    ty *= most / size;
    tz *= most / size;
  }
  out[0] = pn * nx + tx;
  out[1] = pn * ny + ty;
  out[2] = pn * nz + tz;
}

const next = new Float64Array(3);

/** Relative velocities of all contacts from those of the sides. */
function relate(
  out: Float64Array,
  set: ContactSet,
  arrays: SideArrays,
  velocity: Float64Array,
  to: 'surface' | 'rest',
): void {
  for (let c = 0; c < set.count; c++) {
    const a = 3 * arrays.sideA[c];
    const b = 3 * arrays.sideB[c];
    for (let k = 0; k < 3; k++) {
      const fixed = to === 'surface' ? set.surface[3 * c + k] : 0;
      out[3 * c + k] = velocity[a + k] - (b >= 0 ? velocity[b + k] : fixed);
    }
  }
}

/** The factors of the ports must be those without point masses. */
export function solveGaussSeidel(
  result: ImpulseResult,
  set: ContactSet,
  arrays: SideArrays,
  scale: number,
  tolerance: number,
  limit: number,
): void {
  const size = 3 * set.count;
  // column 3c + k of W: response of all contacts to a unit impulse along axis k at contact c
  const matrix = new Float64Array(size * size);
  const { right, velocityChange, sideA, sideB, impulseStart } = arrays;
  const column = new Float64Array(size);
  for (let j = 0; j < size; j++) {
    const c = Math.floor(j / 3);
    right.fill(0);
    right[3 * sideA[c] + (j % 3)] = 1;
    if (sideB[c] >= 0) right[3 * sideB[c] + (j % 3)] = -1;
    for (const one of arrays.bundles) one.port.solve(one.velocityChange, one.right, one.sides);
    relate(column, set, arrays, velocityChange, 'rest');
    for (let i = 0; i < size; i++) matrix[i * size + j] = column[i];
  }
  const u = new Float64Array(size);
  relate(u, set, arrays, arrays.reached, 'surface');
  const p = set.impulse;
  for (let j = 0; j < size; j++) {
    const change = p[j] - impulseStart[j];
    if (change !== 0) for (let i = 0; i < size; i++) u[i] += matrix[i * size + j] * change;
  }
  result.converged = false;
  for (let sweep = 0; sweep < limit; sweep++) {
    let error = 0;
    let swing = scale;
    for (let c = 0; c < set.count; c++) {
      const o = 3 * c;
      const trace = matrix[o * size + o] + matrix[(o + 1) * size + o + 1] + matrix[(o + 2) * size + o + 2];
      if (!(trace > 0)) continue;
      let along = 0;
      for (let i = 0; i < 3; i++)
        for (let k = 0; k < 3; k++) along += set.normal[o + i] * matrix[(o + i) * size + o + k] * set.normal[o + k];
      // the larger tangential response is a safe bound for both
      project(next, set, c, u[o], u[o + 1], u[o + 2], along, Math.max(trace - along, 1e-9 * trace));
      for (let k = 0; k < 3; k++) {
        const change = next[k] - p[o + k];
        if (change === 0) continue;
        p[o + k] = next[k];
        error = Math.max(error, Math.abs(change) * along);
        for (let i = 0; i < size; i++) u[i] += matrix[i * size + o + k] * change;
      }
      swing = Math.max(swing, 0.1 * along * hypot(p[o], p[o + 1], p[o + 2]));
    }
    result.iterations = sweep + 1;
    result.error = error;
    result.admissible = tolerance * swing;
    if (error <= result.admissible) {
      result.converged = true;
      return;
    }
  }
}

/** Change of the velocity of all nodes of the scene by the impulses of the sweeps so far [m/s]. */
let moved: Float64Array = new Float64Array(0);

/**
 * Ten sweeps with the nodes as free masses. Each contact sees the effect of the others on its nodes: when each saw its own impulse alone, a node
 * with three contacts was stopped three times over, and a pile of rods at 1/240 s flew apart with 17 times its energy. A rod responds less than its
 * free masses would, so several rounds converge where one does not; `error` is the residual before the sweeps.
 */
export function solveLumped(
  result: ImpulseResult,
  set: ContactSet,
  arrays: SideArrays,
  finder: Finder,
  tolerance: number,
): void {
  const { reached, sideA, sideB } = arrays;
  const { rods, nodeOffset, nodeHeld } = finder;
  if (moved.length < 3 * finder.nodeCount) moved = new Float64Array(3 * finder.nodeCount);
  moved.fill(0);
  const inverseMass = (rod: number, node: number): number =>
    nodeHeld[nodeOffset[rod] + node] ? 0 : 1 / rods[rod].nodeMass[node];
  const after = (rod: number, edge: number): number => (edge + 1) % rods[rod].nodeCount;
  const response = (rod: number, edge: number, weight: number): number =>
    square(1 - weight) * inverseMass(rod, edge) + weight * weight * inverseMass(rod, after(rod, edge));
  const read = (rod: number, edge: number, weight: number, k: number): number =>
    (1 - weight) * moved[3 * (nodeOffset[rod] + edge) + k] +
    weight * moved[3 * (nodeOffset[rod] + after(rod, edge)) + k];
  const push = (rod: number, edge: number, weight: number, k: number, impulse: number): void => {
    const next = after(rod, edge);
    moved[3 * (nodeOffset[rod] + edge) + k] += (1 - weight) * inverseMass(rod, edge) * impulse;
    moved[3 * (nodeOffset[rod] + next) + k] += weight * inverseMass(rod, next) * impulse;
  };
  result.iterations = 10;
  result.error = 0;
  result.admissible = tolerance;
  for (let sweep = 0; sweep < 10; sweep++) {
    for (let c = 0; c < set.count; c++) {
      const o = 3 * c;
      const a = 3 * sideA[c];
      const b = 3 * sideB[c];
      const [rodA, edgeA, weightA] = [set.rodA[c], set.edgeA[c], set.weightA[c]];
      const [rodB, edgeB, weightB] = [set.rodB[c], set.edgeB[c], set.weightB[c]];
      const w = response(rodA, edgeA, weightA) + (rodB >= 0 ? response(rodB, edgeB, weightB) : 0);
      if (!(w > 0)) continue;
      const at = (k: number): number =>
        reached[a + k] -
        (b >= 0 ? reached[b + k] : set.surface[o + k]) +
        read(rodA, edgeA, weightA, k) -
        (rodB >= 0 ? read(rodB, edgeB, weightB, k) : 0);
      project(next, set, c, at(0), at(1), at(2), w, w);
      for (let k = 0; k < 3; k++) {
        const change = next[k] - set.impulse[o + k];
        if (sweep === 0) result.error = Math.max(result.error, Math.abs(change) * w);
        set.impulse[o + k] = next[k];
        push(rodA, edgeA, weightA, k, change);
        if (rodB >= 0) push(rodB, edgeB, weightB, k, -change);
      }
    }
  }
  result.converged = result.error <= tolerance;
}

/** Partner of an edge's contact: the collider, or the edge of the other rod. */
const otherOf = (set: ContactSet, c: number, first: boolean): string =>
  set.collider[c] >= 0
    ? `c${set.collider[c]}`
    : first
      ? `${set.rodB[c]} ${set.edgeB[c]}`
      : `${set.rodA[c]} ${set.edgeA[c]}`;

/**
 * Marks contacts at a node if one of its two edges is closer to the same partner in its interior: they are the closest point of the other edge, not
 * of the rod. A repulsion field that counts them pushes up to twice where a rod crosses near a node.
 */
function findCopies(set: ContactSet, rods: readonly Rod[]): Set<number> {
  const inner = new Map<string, number>();
  const sides = [
    { first: true, rod: set.rodA, edge: set.edgeA, weight: set.weightA },
    { first: false, rod: set.rodB, edge: set.edgeB, weight: set.weightB },
  ] as const;
  for (let c = 0; c < set.count; c++) {
    for (const { first, rod, edge, weight } of sides) {
      if (rod[c] < 0 || weight[c] === 0 || weight[c] === 1) continue;
      const key = `${rod[c]} ${edge[c]} ${otherOf(set, c, first)}`;
      inner.set(key, Math.min(inner.get(key) ?? Infinity, set.gap[c]));
    }
  }
  const copies = new Set<number>();
  for (let c = 0; c < set.count; c++) {
    for (const { first, rod, edge, weight } of sides) {
      if (rod[c] < 0 || (weight[c] !== 0 && weight[c] !== 1)) continue;
      const { edgeCount, closed } = rods[rod[c]];
      const other = otherOf(set, c, first);
      const step = weight[c] === 0 ? -1 : 1;
      const neighbour = closed ? (edge[c] + step + edgeCount) % edgeCount : edge[c] + step;
      for (const e of [edge[c], neighbour])
        if ((inner.get(`${rod[c]} ${e} ${other}`) ?? Infinity) <= set.gap[c]) copies.add(c);
    }
  }
  return copies;
}

/** Forces of a repulsion field that begins at distance `reach` from the surfaces, as impulses of the step. */
export function applyRepulsion(
  result: ImpulseResult,
  set: ContactSet,
  rods: readonly Rod[],
  stiffness: number,
  reach: number,
  dt: number,
): void {
  const copies = findCopies(set, rods);
  result.iterations = 1;
  result.error = 0;
  result.admissible = 0;
  result.converged = true;
  for (let c = 0; c < set.count; c++) {
    const push = copies.has(c) ? 0 : stiffness * Math.max(0, reach - set.gap[c]) * dt;
    for (let k = 0; k < 3; k++) set.impulse[3 * c + k] = push * set.normal[3 * c + k];
  }
}
