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
import type { Bundle } from '../model.ts';
import type { Samples } from '../port.ts';
import type { Rod } from '../scene/compiled.ts';
import { type LinkPlan, poseOf } from '../scene/links.ts';
import { createFrame, poseFrame, writeNormal, writeRelative } from './linkFrames.ts';
import { measureLinks } from './linkStrain.ts';
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
  /** Links of each rod of the scene, and the part of its mass that each of them has to itself [kg]. */
  readonly perRod: Int32Array;
  readonly share: Float64Array;
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

const sum = (list: Float64Array): number => list.reduce((all, one) => all + one, 0);
const frameA = createFrame();
const frameB = createFrame();
const normal = new Float64Array(3);
/** Of links that need no numbers of their own. */
const nothing = new Float64Array(9);

export function createLinks(plans: readonly LinkPlan[], rods: readonly Rod[], samples: readonly Samples[]): Links {
  let firstSide = 0;
  // a cloth has very many links: their numbers lie in pieces of some thousand
  let pool = new Float64Array(0);
  let used = 0;
  const take = (length: number): Float64Array => {
    if (used + length > pool.length) {
      pool = new Float64Array(1 << 16);
      used = 0;
    }
    used += length;
    return pool.subarray(used - length, used);
  };
  const list = plans.map((plan, index): Link => {
    const { rodA, rodB, weightA, weightB, about, starts } = plan;
    poseFrame(frameA, poseOf(starts[rodA], plan.edgeA), weightA);
    poseFrame(frameB, poseOf(starts[Math.max(rodB, 0)], plan.edgeB), weightB);
    let offsetA: Float64Array = nothing;
    let offsetB: Float64Array = nothing;
    const point = rodB >= 0 ? nothing : take(3);
    if (rodB < 0) point.set(plan.point);
    let apart = false;
    if (!plan.together) {
      const between = [0, 1, 2].map((k) => (rodB >= 0 ? frameB.point[k] : point[k]) - frameA.point[k]);
      if (rodB < 0) for (let k = 0; k < 3; k++) point[k] -= between[k];
      else {
        // both carry the middle of what lies between them
        apart = Math.hypot(...between) > 1e-9 * Math.min(frameA.length, frameB.length);
        if (apart) {
          offsetA = take(3);
          offsetB = take(3);
        }
        for (let k = 0; apart && k < 3; k++) {
          for (let m = 0; m < 3; m++) {
            offsetA[k] += 0.5 * frameA.matrix[3 * m + k] * between[m];
            offsetB[k] -= 0.5 * frameB.matrix[3 * m + k] * between[m];
          }
        }
      }
    }
    const turnRest = about === 'all' ? take(9) : nothing;
    if (about === 'all') writeRelative(turnRest, frameA.matrix, rodB >= 0 ? frameB.matrix : undefined);
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
      coefficient: take(3 * rows * sideCount),
      strain: take(rows),
      impulse: take(rows),
      impulseStart: take(rows),
      factor: take(rows * rows),
    };
  });
  const perRod = new Int32Array(rods.length);
  for (const { rodA, rodB } of plans) {
    perRod[rodA]++;
    if (rodB >= 0) perRod[rodB]++;
  }
  const links: Links = {
    list,
    perRod,
    share: Float64Array.from(perRod, (count, r) => (count > 0 ? sum(rods[r].nodeMass) / count : 0)),
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

/** Forces on the first rod and strains of a link at the end of the last step. */
export function memoryOf({ memory }: Links, { index, rows }: Link): { force: Float64Array; strain: Float64Array } {
  const o = 2 * MOST_ROWS * index;
  return { force: memory.subarray(o, o + rows), strain: memory.subarray(o + MOST_ROWS, o + MOST_ROWS + rows) };
}

/** Impulses to start from: the forces in `memory`. */
export function recallLinks(list: readonly Link[], memory: Float64Array, dt: number): void {
  for (const { index, rows, impulse } of list)
    for (let r = 0; r < rows; r++) impulse[r] = dt * memory[2 * MOST_ROWS * index + r];
}

/** A link at rest: what the next step starts from. `force` is against the spring. */
export function settleLink({ memory }: Links, link: Link, force: ArrayLike<number>): void {
  const o = 2 * MOST_ROWS * link.index;
  for (let r = 0; r < link.rows; r++) {
    memory[o + r] = -force[r];
    memory[o + MOST_ROWS + r] = force[r] / stiffnessOf(link, r);
  }
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
