/**
 * Hair as a continuum on a grid: for hair too dense to resolve contact pair by pair [Hadap2001].
 *
 * Points along the rods transfer mass and velocity to a staggered grid. There friction equalizes the velocities of neighbouring cells over time,
 * and a pressure, never negative, keeps cells below a density: hair resists compression but not separation. The changes of velocity return as
 * forces on the nodes before the step.
 *
 * Points are sampled every half cell along the edges: with edges longer than a cell, a density from nodes alone would depend on where they happen
 * to lie. Forty sweeps of projected Gauss–Seidel, in the order of the cells, compute the pressure. The model gives drag and volume, but no friction:
 * hair does not stick and cannot be knotted.
 */

import { SceneError } from '../errors.ts';
import { exp, pow } from '../math/rounded/index.ts';
import type { LoadSource, Samples } from '../port.ts';
import type { Rod } from '../scene/compiled.ts';

const SWEEPS = 40;
/** Limits of cells per grid, 88 bytes each, and of points, 76 bytes each. */
const MOST_CELLS = 4e6;
const MOST_POINTS = 4e6;

interface Points {
  readonly count: number;
  /** Rod, its first node, the second, and the weight of the second. */
  readonly rod: Int32Array;
  readonly first: Int32Array;
  readonly second: Int32Array;
  readonly weight: Float64Array;
  readonly mass: Float64Array;
}

export interface Continuum {
  /** Load on each rod, from the last `update`. */
  readonly sources: readonly LoadSource[];
  /** Sets the density limit, if the scene does not, from the rods at the start. Throws SceneError. */
  begin(): void;
  /** Computes forces for a step of dt from the current samples. Returns the reason if there are none, else an empty string. */
  update(dt: number): string;
  /** Forces of the last update, 3 per node, rod by rod [N]: part of the state. */
  save(): Float64Array;
  restore(saved: Float64Array): void;
  readonly savedLength: number;
  /** Mass-weighted mean density at the last update [kg/m³]. */
  readonly density: number;
}

/** Points per edge: one every half cell. */
function countParts({ edgeLengthRest }: Rod, edge: number, cell: number): number {
  return Math.max(1, Math.ceil(edgeLengthRest[edge] / (0.5 * cell)));
}

function layPoints(rods: readonly Rod[], cell: number): Points {
  let count = 0;
  for (const rod of rods) for (let j = 0; j < rod.edgeCount; j++) count += countParts(rod, j, cell);
  if (!(count <= MOST_POINTS))
    throw new SceneError(
      ['contact', 'continuum', 'cell'],
      `cells of ${cell} m need ${count.toPrecision(3)} points along the rods, and ${MOST_POINTS} are the most; make the cell larger`,
    );
  const list: { rod: number; first: number; second: number; weight: number; mass: number }[] = [];
  rods.forEach((rod, r) => {
    for (let j = 0; j < rod.edgeCount; j++) {
      const next = (j + 1) % rod.nodeCount;
      const parts = countParts(rod, j, cell);
      // each half of the edge has the mass of its node
      const ends =
        !rod.closed && rod.nodeCount > 2 ? [j === 0 ? 1 : 0.5, next === rod.nodeCount - 1 ? 1 : 0.5] : [0.5, 0.5];
      const mass = ends[0] * rod.nodeMass[j] + ends[1] * rod.nodeMass[next];
      for (let k = 0; k < parts; k++)
        list.push({ rod: r, first: j, second: next, weight: (k + 0.5) / parts, mass: mass / parts });
    }
  });
  return {
    count: list.length,
    rod: Int32Array.from(list, ({ rod }) => rod),
    first: Int32Array.from(list, ({ first }) => first),
    second: Int32Array.from(list, ({ second }) => second),
    weight: Float64Array.from(list, ({ weight }) => weight),
    mass: Float64Array.from(list, ({ mass }) => mass),
  };
}

/** Fields on a grid of n cells: three components on faces, and cells. */
interface CellGrid {
  readonly origin: Float64Array;
  readonly size: Int32Array;
  faceMass: Float64Array;
  faceVelocity: Float64Array;
  faceBefore: Float64Array;
  cellMass: Float64Array;
  pressure: Float64Array;
}

/** The eight grid neighbours of a point on the lattice shifted by `shift` along `axis`, as offsets and weights. */
const corner = new Int32Array(8);
const share = new Float64Array(8);

function findCorners(grid: CellGrid, cell: number, x: number, y: number, z: number, axis: number): void {
  const { origin, size } = grid;
  // faces across `axis` lie on the cell's border along it, and at its centre along the other axes
  const u = (x - origin[0]) / cell - (axis === 0 ? 0 : 0.5);
  const v = (y - origin[1]) / cell - (axis === 1 ? 0 : 0.5);
  const w = (z - origin[2]) / cell - (axis === 2 ? 0 : 0.5);
  const i = Math.floor(u);
  const j = Math.floor(v);
  const k = Math.floor(w);
  const a = u - i;
  const b = v - j;
  const c = w - k;
  const o = i + size[0] * (j + size[1] * k);
  for (let m = 0; m < 8; m++) {
    const p = m & 1;
    const q = (m >> 1) & 1;
    const r = m >> 2;
    corner[m] = o + p + size[0] * (q + size[1] * r);
    share[m] = (p ? a : 1 - a) * (q ? b : 1 - b) * (r ? c : 1 - c);
  }
}

/** The hair of a scene on its grid. */
interface GridHair {
  readonly cell: number;
  readonly relaxation: number;
  readonly gravity: readonly number[];
  readonly samples: () => readonly Samples[];
  readonly points: Points;
  readonly position: Float64Array;
  readonly velocity: Float64Array;
  readonly grid: CellGrid;
  /** Forces on the nodes of each rod [N], 3 per node. */
  readonly forces: readonly Float64Array[];
  /** Density limit, and the mean density at the points [kg/m³]. */
  most: number;
  density: number;
}

function createHair(
  rods: readonly Rod[],
  samples: GridHair['samples'],
  gravity: readonly number[],
  { cell, relaxation = 0.02, density = 0 }: ContinuumSpec,
): GridHair {
  const points = layPoints(rods, cell);
  const empty = new Float64Array(0);
  return {
    cell,
    relaxation,
    gravity,
    samples,
    points,
    position: new Float64Array(3 * points.count),
    velocity: new Float64Array(3 * points.count),
    grid: {
      origin: new Float64Array(3),
      size: new Int32Array(3),
      faceMass: empty,
      faceVelocity: empty,
      faceBefore: empty,
      cellMass: empty,
      pressure: empty,
    },
    forces: rods.map((rod) => new Float64Array(3 * rod.nodeCount)),
    most: density,
    density: 0,
  };
}

/** Computes positions of the points, velocities under gravity alone, and a grid around them. Returns an error text, or nothing. */
function gather({ cell, points, position, velocity, grid, samples, gravity }: GridHair, dt: number): string {
  const all = samples();
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  for (let p = 0; p < points.count; p++) {
    const { nodePosition, nodeVelocity } = all[points.rod[p]];
    const a = 3 * points.first[p];
    const b = 3 * points.second[p];
    const w = points.weight[p];
    for (let k = 0; k < 3; k++) {
      const x = (1 - w) * nodePosition[a + k] + w * nodePosition[b + k];
      position[3 * p + k] = x;
      velocity[3 * p + k] = (1 - w) * nodeVelocity[a + k] + w * nodeVelocity[b + k] + dt * gravity[k];
      if (x < low[k]) low[k] = x;
      if (x > high[k]) high[k] = x;
    }
  }
  let count = 1;
  for (let k = 0; k < 3; k++) {
    // whole cells from the origin, so that the grid does not move with the hair; two cells of margin
    const first = Math.floor(low[k] / cell) - 2;
    grid.origin[k] = first * cell;
    grid.size[k] = Math.floor(high[k] / cell) + 3 - first;
    count *= grid.size[k];
  }
  if (!(count <= MOST_CELLS))
    return `the hair spreads over ${count} cells of ${cell} m; make contact.continuum.cell larger`;
  if (grid.cellMass.length < count) {
    grid.faceMass = new Float64Array(3 * count);
    grid.faceVelocity = new Float64Array(3 * count);
    grid.faceBefore = new Float64Array(3 * count);
    grid.cellMass = new Float64Array(count);
    grid.pressure = new Float64Array(count);
  }
  grid.faceMass.fill(0);
  grid.faceVelocity.fill(0);
  grid.cellMass.fill(0);
  grid.pressure.fill(0);
  return '';
}

/** Transfers mass and velocity of the points to the grid. */
function spread({ cell, points, position, velocity, grid }: GridHair): void {
  const { faceMass, faceVelocity, faceBefore, cellMass } = grid;
  const count = grid.size[0] * grid.size[1] * grid.size[2];
  for (let p = 0; p < points.count; p++) {
    const m = points.mass[p];
    const [x, y, z] = [position[3 * p], position[3 * p + 1], position[3 * p + 2]];
    for (let axis = 0; axis < 3; axis++) {
      findCorners(grid, cell, x, y, z, axis);
      for (let c = 0; c < 8; c++) {
        const f = axis * count + corner[c];
        faceMass[f] += share[c] * m;
        faceVelocity[f] += share[c] * m * velocity[3 * p + axis];
      }
    }
    findCorners(grid, cell, x, y, z, -1);
    for (let c = 0; c < 8; c++) cellMass[corner[c]] += share[c] * m;
  }
  for (let f = 0; f < 3 * count; f++) {
    if (faceMass[f] > 0) faceVelocity[f] /= faceMass[f];
    faceBefore[f] = faceVelocity[f];
  }
}

/** Pressure that keeps cells from filling beyond the density: div u ≥ (1 − most/ρ)/dt, within bounds. */
function press({ cell, grid, most }: GridHair, dt: number): void {
  const { cellMass, faceVelocity: u, pressure } = grid;
  const [nx, ny, nz] = grid.size;
  const count = nx * ny * nz;
  const volume = pow(cell, 3);
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    for (let k = 1; k + 1 < nz; k++) {
      for (let j = 1; j + 1 < ny; j++) {
        for (let i = 1; i + 1 < nx; i++) {
          const o = i + nx * (j + ny * k);
          const rho = cellMass[o] / volume;
          if (!(rho > 0.05 * most)) continue;
          const want = Math.max(-0.9, Math.min(0.1, 1 - most / rho)) / dt;
          const [right, back, top] = [o + 1, count + o + nx, 2 * count + o + nx * ny];
          const flow = u[right] - u[o] + u[back] - u[count + o] + u[top] - u[2 * count + o];
          const change = Math.max(-pressure[o], (want * cell - flow) / 6);
          if (change === 0) continue;
          pressure[o] += change;
          u[right] += change;
          u[o] -= change;
          u[back] += change;
          u[count + o] -= change;
          u[top] += change;
          u[2 * count + o] -= change;
        }
      }
    }
  }
}

/** Converts changes of velocity at the points to forces on the nodes. */
function collect(hair: GridHair, dt: number): void {
  const { cell, points, position, velocity, grid, forces, most, relaxation } = hair;
  const { faceVelocity, faceBefore, cellMass } = grid;
  const count = grid.size[0] * grid.size[1] * grid.size[2];
  const blend = 1 - exp(-dt / relaxation);
  const volume = pow(cell, 3);
  for (const force of forces) force.fill(0);
  let density = 0;
  let total = 0;
  for (let p = 0; p < points.count; p++) {
    const m = points.mass[p];
    const [x, y, z] = [position[3 * p], position[3 * p + 1], position[3 * p + 2]];
    findCorners(grid, cell, x, y, z, -1);
    let rho = 0;
    for (let c = 0; c < 8; c++) rho += (share[c] * cellMass[corner[c]]) / volume;
    density += m * rho;
    total += m;
    const alike = blend * Math.min(1, (2 * rho) / most);
    const force = forces[points.rod[p]];
    const w = points.weight[p];
    for (let axis = 0; axis < 3; axis++) {
      findCorners(grid, cell, x, y, z, axis);
      let [before, after] = [0, 0];
      for (let c = 0; c < 8; c++) {
        before += share[c] * faceBefore[axis * count + corner[c]];
        after += share[c] * faceVelocity[axis * count + corner[c]];
      }
      const change = after - before + alike * (before - velocity[3 * p + axis]);
      force[3 * points.first[p] + axis] += ((1 - w) * m * change) / dt;
      force[3 * points.second[p] + axis] += (w * m * change) / dt;
    }
  }
  hair.density = density / total;
}

/** Lengths in metres, density in kg/m³, relaxation time in seconds. */
interface ContinuumSpec {
  readonly cell: number;
  readonly density?: number;
  readonly relaxation?: number;
}

export function createContinuum(
  rods: readonly Rod[],
  samples: () => readonly Samples[],
  gravity: readonly number[],
  spec: ContinuumSpec,
): Continuum {
  const hair = createHair(rods, samples, gravity, spec);
  const { forces } = hair;
  return {
    sources: forces.map(
      (force): LoadSource => ({
        dependsOnState: false,
        potential: () => 0,
        addLoads({ nodeForce }) {
          for (let k = 0; k < nodeForce.length; k++) nodeForce[k] += force[k];
        },
      }),
    ),
    get density() {
      return hair.density;
    },
    begin() {
      const fault = gather(hair, 1);
      if (fault) throw new SceneError(['contact', 'continuum', 'cell'], fault);
      if (spec.density !== undefined) return;
      spread(hair);
      // twice the density at the start
      hair.most = Infinity;
      collect(hair, 1);
      hair.most = 2 * hair.density;
      for (const force of forces) force.fill(0);
    },
    savedLength: forces.reduce((sum, { length }) => sum + length, 0),
    save() {
      return Float64Array.from(forces.flatMap((force) => [...force]));
    },
    restore(saved) {
      let at = 0;
      for (const force of forces) {
        force.set(saved.subarray(at, at + force.length));
        at += force.length;
      }
    },
    update(dt) {
      const fault = gather(hair, dt);
      if (fault) return fault;
      spread(hair);
      press(hair, dt);
      collect(hair, dt);
      return '';
    },
  };
}
