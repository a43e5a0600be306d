/**
 * Links: springs between places on rods, solved together with the contacts of a step.
 *
 * A link is a handful of strains e (three of position, one or three of rotation) with e' = C v at its sides, and the law
 *     impulse p = −(h k (e + h u) + h c u),    u = C v at the end of the step:
 * implicit Euler, so a spring may be as stiff as it likes. In the solver's local step this is a linear system of at most
 * 6 × 6 for each link, in closed form like the law of contact; the rods see nothing but forces at points, and so links
 * work for every model that contact works for.
 *
 * Sides. Strains of position alone need one point of each rod. With rotation, or where the places are apart and the sections
 * carry the offset, an end has two nodes of the edge and a point beside it that moves with the spin; from them follow
 * the edge's angular velocity ω = t × (v₁ − v₀)/l + spin·t, and the velocity of any point the edge carries. Places of
 * a link are points of an edge, best its middle: a torque put on two edges next to a node makes the moment vanish there,
 * which is wrong at first order.
 *
 * Strains are those of potentials that do not change under rigid motion:
 *     position   d = P_A − P_B between points carried by the edges            ½ k |d|²
 *     all        φ = log(R_A Cᵀ R_Bᵀ), how R_A differs from R_B C             ½ k |φ|², whose gradient is φ exactly
 *     normal     the angle between the tangents, about their common normal    ½ k γ²
 * C is taken at the start of the step: an error of first order in the rotation of a step, as implicit Euler has.
 *
 * Tried: pairs of bars between points with lever arms, which need no new kind of side. Seven contacts a crossing instead of
 * six sides, and no offset that turns with the rods.
 */
import { SceneError } from '../errors.ts';
import { rotationFromQuaternion } from '../math/quaternion.ts';
import type { Bundle } from '../model.ts';
import type { Samples } from '../port.ts';
import type { Rod } from '../scene/compiled.ts';
import type { EdgePose, LinkPlan } from '../scene/links.ts';
import type { Place } from './sides.ts';

const MOST_ROWS = 6;

export interface Link {
  readonly index: number;
  readonly plan: LinkPlan;
  readonly rows: number;
  /** Sides of an end: 1, 2 or 3; the second end of a link to a point has none. */
  readonly perEnd: number;
  readonly sideCount: number;
  /** Place of its first side among those of all links. */
  readonly firstSide: number;
  /** The carried points in the frames of the edges (d1, d2, t) [m]. */
  readonly offsetA: Float64Array;
  readonly offsetB: Float64Array;
  /** The fixed point, rest vector included. */
  readonly point: Float64Array;
  /** R_Bᵀ R_A at rest, by rows; for a point R_A itself. */
  readonly turnRest: Float64Array;
  /** Angle between the tangents at rest. */
  readonly angleRest: number;
  /** C by rows and sides, 3 each; written at the start of a step. */
  readonly coefficient: Float64Array;
  /** [m] and [rad] */
  readonly strain: Float64Array;
  /** What the law gives [N s] and [N m s], and the same at the last linearisation. */
  readonly impulse: Float64Array;
  readonly impulseStart: Float64Array;
  /** Cholesky factor of the local law. */
  readonly factor: Float64Array;
}

export interface Links {
  readonly list: readonly Link[];
  /** The shortest edge that is linked [m]; 0 without links. */
  readonly size: number;
  readonly sideCount: number;
  readonly sideRod: Int32Array;
  readonly sideEdge: Int32Array;
  readonly sideWeight: Float64Array;
  /** Velocity that unit spin gives, 3 each; written at the start of a step. */
  readonly sideArm: Float64Array;
  /**
   * Of the last step: forces [N] and torques [N m], which the next one starts from, and strains as the law has them, MOST_ROWS a
   * link each. Energies go by these strains: those measured carry the solver's tolerance, and ½ k e² of a stiff spring much of it.
   */
  readonly memory: Float64Array;
  /** The same of the step under way, or of a piece of it. */
  readonly next: Float64Array;
}

/** Frame of an edge by columns d1, d2, t; with its chord. */
interface EdgeFrame {
  readonly matrix: Float64Array;
  readonly point: Float64Array;
  length: number;
}
const createFrame = (): EdgeFrame => ({ matrix: new Float64Array(9), point: new Float64Array(3), length: 0 });
const frameA = createFrame();
const frameB = createFrame();

function readFrame(out: EdgeFrame, samples: Samples, rod: Rod, edge: number, weight: number): void {
  const { nodePosition: x, edgeTangent: t, edgeDirector: d } = samples;
  const a = 3 * edge;
  const b = 3 * ((edge + 1) % rod.nodeCount);
  let square = 0;
  for (let k = 0; k < 3; k++) {
    out.point[k] = (1 - weight) * x[a + k] + weight * x[b + k];
    square += (x[b + k] - x[a + k]) ** 2;
    const i = (k + 1) % 3;
    const j = (k + 2) % 3;
    out.matrix[3 * k] = d[a + k];
    out.matrix[3 * k + 1] = t[a + i] * d[a + j] - t[a + j] * d[a + i];
    out.matrix[3 * k + 2] = t[a + k];
  }
  out.length = Math.sqrt(square);
}

/** The same from the start of the scene. */
function poseFrame(out: EdgeFrame, { from, to, director: d }: EdgePose, weight: number): void {
  out.length = Math.hypot(to[0] - from[0], to[1] - from[1], to[2] - from[2]);
  const t = to.map((x, k) => (x - from[k]) / out.length);
  for (let k = 0; k < 3; k++) {
    const [i, j] = [(k + 1) % 3, (k + 2) % 3];
    out.point[k] = (1 - weight) * from[k] + weight * to[k];
    out.matrix[3 * k] = d[k];
    out.matrix[3 * k + 1] = t[i] * d[j] - t[j] * d[i];
    out.matrix[3 * k + 2] = t[k];
  }
}

const cross = (out: Float64Array, a: ArrayLike<number>, b: ArrayLike<number>): Float64Array => {
  const x = a[1] * b[2] - a[2] * b[1];
  const y = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
  out[0] = x;
  out[1] = y;
  return out;
};
const dot = (a: ArrayLike<number>, b: ArrayLike<number>): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

export function createLinks(plans: readonly LinkPlan[], rods: readonly Rod[], samples: readonly Samples[]): Links {
  let firstSide = 0;
  const list = plans.map((plan, index): Link => {
    const { rodA, rodB, weightA, weightB, about } = plan;
    poseFrame(frameA, plan.startA, weightA);
    poseFrame(frameB, plan.startB, weightB);
    const offsetA = new Float64Array(3);
    const offsetB = new Float64Array(3);
    const point = Float64Array.from(plan.point);
    let apart = false;
    if (!plan.together) {
      const between = [0, 1, 2].map((k) => (rodB >= 0 ? frameB.point[k] : point[k]) - frameA.point[k]);
      if (rodB < 0) for (let k = 0; k < 3; k++) point[k] -= between[k];
      else {
        // both carry the middle of what lies between them
        apart = Math.hypot(...between) > 1e-9 * Math.min(frameA.length, frameB.length);
        for (let k = 0; apart && k < 3; k++) {
          for (let m = 0; m < 3; m++) {
            offsetA[k] += 0.5 * frameA.matrix[3 * m + k] * between[m];
            offsetB[k] -= 0.5 * frameB.matrix[3 * m + k] * between[m];
          }
        }
      }
    }
    const turnRest = new Float64Array(9);
    writeRelative(turnRest, frameA.matrix, rodB >= 0 ? frameB.matrix : undefined);
    const angleRest = rodB >= 0 ? writeNormal(normal, frameA.matrix, frameB.matrix) : 0;
    if (about === 'normal' && !(Math.sin(angleRest) > 0.1))
      throw new SceneError(
        [...plan.path, 'rotation', 'about'],
        `rods '${rods[rodA].id}' and '${rods[rodB].id}' are almost parallel there and have no common normal; use about: all`,
      );
    const perEnd = about === 'all' || apart ? 3 : about === 'normal' ? 2 : 1;
    const rows = 3 + (about === 'all' ? 3 : about === 'normal' ? 1 : 0);
    const sideCount = (rodB >= 0 ? 2 : 1) * perEnd;
    firstSide += sideCount;
    return {
      index,
      plan,
      rows,
      perEnd,
      sideCount,
      firstSide: firstSide - sideCount,
      offsetA,
      offsetB,
      point,
      turnRest,
      angleRest,
      coefficient: new Float64Array(3 * rows * sideCount),
      strain: new Float64Array(rows),
      impulse: new Float64Array(rows),
      impulseStart: new Float64Array(rows),
      factor: new Float64Array(rows * rows),
    };
  });
  const links: Links = {
    list,
    size: plans.reduce(
      (least, { rodA, edgeA }) => Math.min(least, rods[rodA].edgeLengthRest[edgeA]),
      list.length > 0 ? Infinity : 0,
    ),
    sideCount: firstSide,
    sideRod: new Int32Array(firstSide),
    sideEdge: new Int32Array(firstSide),
    sideWeight: new Float64Array(firstSide),
    sideArm: new Float64Array(3 * firstSide),
    memory: new Float64Array(2 * MOST_ROWS * list.length),
    next: new Float64Array(2 * MOST_ROWS * list.length),
  };
  for (const { plan, perEnd, sideCount, firstSide: first } of list) {
    for (let i = 0; i < sideCount; i++) {
      const end = i < perEnd;
      links.sideRod[first + i] = end ? plan.rodA : plan.rodB;
      links.sideEdge[first + i] = end ? plan.edgeA : plan.edgeB;
      const weight = end ? plan.weightA : plan.weightB;
      links.sideWeight[first + i] = perEnd === 1 ? weight : i % perEnd === 1 ? 1 : 0;
    }
  }
  measureLinks(links, list, rods, samples);
  for (const { index, strain } of list) links.memory.set(strain, MOST_ROWS * (2 * index + 1));
  return links;
}

/** What a model cannot do is said before the run. */
export function refuseUnlinkable(
  plans: readonly LinkPlan[],
  rods: readonly Rod[],
  bundles: readonly Bundle[],
  placeOfRod: readonly Place[],
): void {
  for (const { rodA, rodB, path } of plans) {
    for (const rod of rodB >= 0 ? [rodA, rodB] : [rodA]) {
      const bundle = bundles[placeOfRod[rod].bundle];
      if (bundle.contact) continue;
      throw new SceneError(
        [...path],
        `rod '${rods[rod].id}' of model '${bundle.model}' cannot be linked with these options; use der with an implicit integrator, helix, strand or fiber without stiffness damping`,
      );
    }
  }
}

/** R_Bᵀ R_A, or R_A. */
function writeRelative(out: Float64Array, a: Float64Array, b: Float64Array | undefined): void {
  for (let i = 0; i < 3; i++) {
    for (let j = 0; j < 3; j++)
      out[3 * i + j] = b ? b[i] * a[j] + b[3 + i] * a[3 + j] + b[6 + i] * a[6 + j] : a[3 * i + j];
  }
}

const normal = new Float64Array(3);
const tangentA = new Float64Array(3);
const tangentB = new Float64Array(3);

/** Unit normal of the two tangents, and the angle between them. */
function writeNormal(out: Float64Array, a: Float64Array, b: Float64Array): number {
  for (let k = 0; k < 3; k++) {
    tangentA[k] = a[3 * k + 2];
    tangentB[k] = b[3 * k + 2];
  }
  cross(out, tangentA, tangentB);
  const sine = Math.sqrt(dot(out, out));
  const angle = Math.atan2(sine, dot(tangentA, tangentB));
  // parallel: any direction across
  if (!(sine > 1e-9)) for (let k = 0; k < 3; k++) out[k] = a[3 * k];
  else for (let k = 0; k < 3; k++) out[k] /= sine;
  return angle;
}

const deviation = new Float64Array(9);
const quaternion = new Float64Array(4);

/** Rotation vector of the matrix D = R_A (R_B C)ᵀ, by rows. */
function writeDeviation(out: Float64Array, a: Float64Array, b: Float64Array | undefined, rest: Float64Array): void {
  for (let i = 0; i < 3; i++) {
    for (let j = 0; j < 3; j++) {
      let sum = 0;
      for (let m = 0; m < 3; m++) {
        // (R_B C)(j, m)
        const wanted = b
          ? b[3 * j] * rest[m] + b[3 * j + 1] * rest[3 + m] + b[3 * j + 2] * rest[6 + m]
          : rest[3 * j + m];
        sum += a[3 * i + m] * wanted;
      }
      deviation[3 * i + j] = sum;
    }
  }
  writeQuaternion(quaternion, deviation);
  rotationFromQuaternion(out, 0, quaternion, 0);
}

/** Of a rotation matrix by rows, w first, w ≥ 0: from the largest of its four squares. */
function writeQuaternion(q: Float64Array, m: Float64Array): void {
  const trace = m[0] + m[4] + m[8];
  if (trace > 0) {
    const s = 2 * Math.sqrt(1 + trace);
    q[0] = 0.25 * s;
    q[1] = (m[7] - m[5]) / s;
    q[2] = (m[2] - m[6]) / s;
    q[3] = (m[3] - m[1]) / s;
    return;
  }
  const k = m[0] >= m[4] && m[0] >= m[8] ? 0 : m[4] >= m[8] ? 1 : 2;
  const i = (k + 1) % 3;
  const j = (k + 2) % 3;
  const s = 2 * Math.sqrt(Math.max(0, 1 + m[4 * k] - m[4 * i] - m[4 * j]));
  const sign = m[3 * j + i] - m[3 * i + j] < 0 ? -1 : 1;
  q[0] = (sign * (m[3 * j + i] - m[3 * i + j])) / s;
  q[1 + k] = sign * 0.25 * s;
  q[1 + i] = (sign * (m[3 * i + k] + m[3 * k + i])) / s;
  q[1 + j] = (sign * (m[3 * j + k] + m[3 * k + j])) / s;
}

const carried = new Float64Array(3);
const axis = new Float64Array(3);
const lever = new Float64Array(3);

/** Strains at the present samples, C, and the arms of the sides, of some links. */
export function measureLinks(
  { sideArm }: Links,
  list: readonly Link[],
  rods: readonly Rod[],
  samples: readonly Samples[],
): void {
  for (const link of list) {
    const { plan, strain, offsetA, offsetB, perEnd, firstSide, coefficient } = link;
    const { rodA, rodB, about } = plan;
    readFrame(frameA, samples[rodA], rods[rodA], plan.edgeA, plan.weightA);
    if (rodB >= 0) readFrame(frameB, samples[rodB], rods[rodB], plan.edgeB, plan.weightB);
    for (let k = 0; k < 3; k++) {
      const a = frameA.point[k] + carriedBy(frameA, offsetA, k);
      strain[k] = a - (rodB >= 0 ? frameB.point[k] + carriedBy(frameB, offsetB, k) : link.point[k]);
    }
    const other = rodB >= 0 ? frameB.matrix : undefined;
    if (about === 'all') {
      writeDeviation(axis, frameA.matrix, other, link.turnRest);
      strain.set(axis, 3);
    } else if (about === 'normal') strain[3] = link.angleRest - writeNormal(normal, frameA.matrix, frameB.matrix);
    coefficient.fill(0);
    writeEnd(link, frameA, offsetA, plan.weightA, 0, 1);
    if (rodB >= 0) writeEnd(link, frameB, offsetB, plan.weightB, perEnd, -1);
    if (perEnd < 3) continue;
    for (let k = 0; k < 3; k++) {
      sideArm[3 * (firstSide + 2) + k] = 0.5 * frameA.length * frameA.matrix[3 * k];
      if (rodB >= 0) sideArm[3 * (firstSide + 5) + k] = 0.5 * frameB.length * frameB.matrix[3 * k];
    }
  }
}

/** Component k of R·offset. */
function carriedBy({ matrix: r }: EdgeFrame, offset: Float64Array, k: number): number {
  return r[3 * k] * offset[0] + r[3 * k + 1] * offset[1] + r[3 * k + 2] * offset[2];
}

/** Rows of one end into C, `side` being its first; the second end counts negative. `normal` is that of both. */
function writeEnd(
  link: Link,
  frame: EdgeFrame,
  offset: Float64Array,
  weight: number,
  side: number,
  sign: number,
): void {
  const { rows, perEnd } = link;
  const { matrix: r, length } = frame;
  if (perEnd === 1) {
    for (let k = 0; k < 3; k++) addCoefficient(link, k, side, k, sign);
    return;
  }
  const t = tangentA;
  for (let k = 0; k < 3; k++) t[k] = r[3 * k + 2];
  for (let k = 0; k < 3; k++) carried[k] = r[3 * k] * offset[0] + r[3 * k + 1] * offset[1];
  cross(lever, t, carried);
  for (let e = 0; e < 3; e++) {
    addCoefficient(link, e, side, e, sign * (1 - weight));
    addCoefficient(link, e, side + 1, e, sign * weight);
    if (perEnd < 3) continue;
    // the carried point turns with the tangent: δ(R·offset) = along·δt − t (across·δt), δt = (1 − t tᵀ)(δx₁ − δx₀)/l
    for (let k = 0; k < 3; k++) {
      const tilt = (sign * (offset[2] * ((k === e ? 1 : 0) - t[e] * t[k]) - t[e] * carried[k])) / length;
      addCoefficient(link, e, side, k, -tilt);
      addCoefficient(link, e, side + 1, k, tilt);
    }
    addSpin(link, e, side, frame, sign * lever[e]);
  }
  for (let row = 3; row < rows; row++) {
    for (let k = 0; k < 3; k++) axis[k] = rows === 4 ? normal[k] : k === row - 3 ? 1 : 0;
    cross(lever, axis, t);
    for (let k = 0; k < 3; k++) {
      const rate = (sign * lever[k]) / length;
      addCoefficient(link, row, side, k, -rate);
      addCoefficient(link, row, side + 1, k, rate);
    }
    if (perEnd === 3) addSpin(link, row, side, frame, sign * dot(axis, t));
  }
}

function addCoefficient({ coefficient, sideCount }: Link, row: number, side: number, k: number, value: number): void {
  coefficient[3 * (row * sideCount + side) + k] += value;
}

/** value × spin: the third side moves like the first, and with the spin along d1 by half a length. */
function addSpin(link: Link, row: number, side: number, { matrix: r, length }: EdgeFrame, value: number): void {
  for (let k = 0; k < 3; k++) {
    const c = (2 * value * r[3 * k]) / length;
    addCoefficient(link, row, side, k, -c);
    addCoefficient(link, row, side + 2, k, c);
  }
}

export function stiffnessOf({ plan }: Link, row: number): number {
  return row < 3 ? plan.stiffness : plan.turnStiffness;
}
export function dampingOf({ plan }: Link, row: number): number {
  return row < 3 ? plan.damping : plan.turnDamping;
}

/** Energy of all springs at the end of the last step [J]. */
export function energyOfLinks({ list, memory }: Links): number {
  let energy = 0;
  for (const link of list) {
    const o = MOST_ROWS * (2 * link.index + 1);
    for (let r = 0; r < link.rows; r++) energy += 0.5 * stiffnessOf(link, r) * memory[o + r] ** 2;
  }
  return energy;
}

/** Impulses to start from: the forces in `memory`. */
export function recallLinks(list: readonly Link[], memory: Float64Array, dt: number): void {
  for (const { index, rows, impulse } of list)
    for (let r = 0; r < rows; r++) impulse[r] = dt * memory[2 * MOST_ROWS * index + r];
}

/** Before the first piece of a step: some links start from the step before. */
export function resumeLinks({ memory, next }: Links, list: readonly Link[]): void {
  for (const { index } of list)
    for (let k = 2 * MOST_ROWS * index; k < 2 * MOST_ROWS * (index + 1); k++) next[k] = memory[k];
}

/** What a step of length dt, or a piece, leaves to the next. */
export function rememberLinks({ next }: Links, list: readonly Link[], dt: number): void {
  for (const link of list) {
    const o = 2 * MOST_ROWS * link.index;
    for (let r = 0; r < link.rows; r++) {
      const force = link.impulse[r] / dt;
      const rate = dampingOf(link, r) / dt;
      next[o + r] = force;
      // force = −k e − c (e − e₀)/h
      next[o + MOST_ROWS + r] = (rate * link.strain[r] - force) / (stiffnessOf(link, r) + rate);
    }
  }
}

/** The links of a group of contacts, and where their sides stand among those of the group. */
export interface LinkGroup {
  readonly links: readonly Link[];
  /** By side of the links in turn. */
  readonly side: Int32Array;
  /** Sides at the busiest node of each. */
  readonly crowd: Int32Array;
  /** Length of the step [s]. */
  dt: number;
}

/** The arrays of the solver that links have to do with; see SideArrays. */
interface SolverArrays {
  readonly mass: Float64Array;
  readonly response: Float64Array;
  readonly start: Float64Array;
  readonly copy: Float64Array;
  readonly right: Float64Array;
  readonly free: Float64Array;
}

/** Point masses ρ of the sides. */
export function weighLinks({ links, side, crowd }: LinkGroup, arrays: SolverArrays): void {
  let s = 0;
  for (const { sideCount } of links) {
    for (let i = 0; i < sideCount; i++, s++) {
      const response = arrays.response[side[s]];
      arrays.mass[side[s]] = response > 0 ? 1 / (crowd[s] * response) : 0;
    }
  }
}

/** Factors of the local laws: 1/a + Σ C Cᵀ/ρ, a = h²k + h c. False where one is not positive. */
export function factorLinks({ links, side, dt }: LinkGroup, { mass }: SolverArrays): boolean {
  let first = 0;
  for (const link of links) {
    const { rows, sideCount, coefficient: c, factor: f } = link;
    for (let r = 0; r < rows; r++) {
      for (let q = 0; q <= r; q++) {
        let sum = r === q ? 1 / (dt * dt * stiffnessOf(link, r) + dt * dampingOf(link, r)) : 0;
        for (let i = 0; i < sideCount; i++) {
          const rho = mass[side[first + i]];
          if (rho === 0) continue;
          const [a, b] = [3 * (r * sideCount + i), 3 * (q * sideCount + i)];
          sum += (c[a] * c[b] + c[a + 1] * c[b + 1] + c[a + 2] * c[b + 2]) / rho;
        }
        for (let m = 0; m < q; m++) sum -= f[r * rows + m] * f[q * rows + m];
        if (r === q && !(sum > 0)) return false;
        f[r * rows + q] = r === q ? Math.sqrt(sum) : sum / f[q * rows + q];
      }
    }
    first += sideCount;
  }
  return true;
}

/** What the solver iterates on, from the impulses as they are. */
export function startLinks({ links, side }: LinkGroup, weight: Float64Array, arrays: SolverArrays): void {
  const { start, copy, free, mass } = arrays;
  let first = 0;
  for (const link of links) {
    for (let i = 0; i < link.sideCount; i++) {
      const s = side[first + i];
      for (let k = 0; k < 3; k++) {
        copy[3 * s + k] = start[3 * s + k];
        weight[3 * s + k] = mass[s];
        const p = impulseAt(link, link.impulse, i, k);
        free[3 * s + k] = start[3 * s + k] - (mass[s] > 0 ? p / mass[s] : 0);
      }
    }
    first += link.sideCount;
  }
}

/** Component k of Cᵀp at side i. */
function impulseAt({ rows, sideCount, coefficient }: Link, impulse: ArrayLike<number>, i: number, k: number): number {
  let sum = 0;
  for (let r = 0; r < rows; r++) sum += coefficient[3 * (r * sideCount + i) + k] * impulse[r];
  return sum;
}

/** The law of every link: from q the impulses and the copies. Returns the largest velocity that an impulse makes [m/s]. */
export function applyLinks({ links, side, dt }: LinkGroup, arrays: SolverArrays): number {
  const { mass, copy, free, response } = arrays;
  let swing = 0;
  let first = 0;
  for (const link of links) {
    const { rows, sideCount, coefficient: c, factor: f, impulse: p, strain } = link;
    for (let r = 0; r < rows; r++) {
      const k = stiffnessOf(link, r);
      let u = (k * strain[r]) / (dt * k + dampingOf(link, r));
      for (let i = 0; i < sideCount; i++) {
        const s = 3 * side[first + i];
        const o = 3 * (r * sideCount + i);
        u += c[o] * free[s] + c[o + 1] * free[s + 1] + c[o + 2] * free[s + 2];
      }
      for (let m = 0; m < r; m++) u += f[r * rows + m] * p[m];
      p[r] = -u / f[r * rows + r];
    }
    for (let r = rows - 1; r >= 0; r--) {
      let sum = p[r];
      for (let m = r + 1; m < rows; m++) sum -= f[m * rows + r] * p[m];
      p[r] = sum / f[r * rows + r];
    }
    for (let i = 0; i < sideCount; i++) {
      const s = side[first + i];
      for (let k = 0; k < 3; k++) {
        const impulse = impulseAt(link, p, i, k);
        copy[3 * s + k] = free[3 * s + k] + (mass[s] > 0 ? impulse / mass[s] : 0);
        swing = Math.max(swing, Math.abs(impulse) * response[s]);
      }
    }
    first += sideCount;
  }
  return swing;
}

/** What the rods follow: ρ(y − v₀) + Cᵀ(p − p₀). */
export function pullSides({ links, side }: LinkGroup, arrays: SolverArrays): void {
  const { start, copy, right, mass } = arrays;
  let first = 0;
  for (const link of links) {
    for (let i = 0; i < link.sideCount; i++) {
      const s = side[first + i];
      for (let k = 0; k < 3; k++) {
        const change = impulseAt(link, link.impulse, i, k) - impulseAt(link, link.impulseStart, i, k);
        right[3 * s + k] = mass[s] * (copy[3 * s + k] - start[3 * s + k]) + change;
      }
    }
    first += link.sideCount;
  }
}

/** Forces [N] at sides from …; see `writeForces`. */
export function writeLinkForces(
  { links, side, dt }: LinkGroup,
  force: Float64Array,
  from: number,
  count: number,
): void {
  let first = 0;
  for (const link of links) {
    for (let i = 0; i < link.sideCount; i++) {
      const s = side[first + i] - from;
      if (s < 0 || s >= count) continue;
      for (let k = 0; k < 3; k++) force[3 * s + k] = impulseAt(link, link.impulse, i, k) / dt;
    }
    first += link.sideCount;
  }
}
