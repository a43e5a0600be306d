/**
 * Links: springs between points of rods, solved together with the contacts of a step.
 *
 * A link has strains e (three of position, one or three of rotation) with e' = C v at its sides, and the law
 *     impulse p = −(h k (e + h u) + h c u),    u = C v at the end of the step.
 * This is implicit Euler, stable for any stiffness. In the solver's local step it is a linear system of at most 6 × 6 per link, in closed form like the
 * contact law. The rods see only forces at points, so links work for every model that supports contact.
 *
 * Sides, strains and their potentials: docs/notes/contact-solver.md#strains-of-links.
 */

import { SceneError } from '../../errors.ts';
import { hypot, sin } from '../../math/rounded/index.ts';
import type { Bundle } from '../../model.ts';
import type { Samples } from '../../port.ts';
import type { Rod } from '../../scene/compiled.ts';
import { type LinkPlan, pathOfLink } from '../../scene/links.ts';
import type { SharedLinks } from '../../threads/contactThreads.ts';
import type { BundlePlace } from '../bundlePlace.ts';
import { createLinkRows, GIVEN, linkBytes, MEMORY, MOST_ROWS } from './arrays.ts';
import { describeCrossing } from './crossings.ts';
import { createFrame, startFrame, writeNormal, writeRelative } from './frames.ts';
import type { Link, LinkSet, Links } from './linkData.ts';
import { selectLinks } from './linkSides.ts';
import { COMMIT, lengthOf, RECALL, RECALL_NEXT, REMEMBER, runLinkLoop, UNMIXED, UNPLACED } from './loops.ts';
import { findPositions } from './positions.ts';
import { measureLinks } from './strain.ts';

const sum = (list: Float64Array): number => list.reduce((all, one) => all + one, 0);
const frameA = createFrame();
const frameB = createFrame();
const normal = new Float64Array(3);
const between = new Float64Array(3);
/** Data of links that need none. */
const nothing = new Float64Array(9);

/** Writes the frames of both ends at the start of the scene, and the vector between them; returns true if they are apart. */
function standAtStart({ rodA, rodB, edgeA, edgeB, weightA, weightB, together, point, starts }: LinkPlan): boolean {
  startFrame(frameA, starts[rodA], edgeA, weightA);
  startFrame(frameB, starts[Math.max(rodB, 0)], edgeB, weightB);
  for (let k = 0; k < 3; k++) between[k] = together ? 0 : (rodB >= 0 ? frameB.point[k] : point[k]) - frameA.point[k];
  return rodB >= 0 && hypot(between[0], between[1], between[2]) > 1e-9 * Math.min(frameA.length, frameB.length);
}

/** Angle between the tangents of the frames that `standAtStart` wrote. */
function angleAtStart(plan: LinkPlan, rods: readonly Rod[]): number {
  const { rodA, rodB, about } = plan;
  const angle = rodB >= 0 ? writeNormal(normal, frameA.matrix, frameB.matrix) : 0;
  if (about === 'normal' && !(sin(angle) > 0.1))
    throw new SceneError(
      [...pathOfLink(plan), 'rotation', 'about'],
      `rods '${rods[rodA].id}' and '${rods[rodB].id}' are almost parallel there and have no common normal; use about: all`,
    );
  return angle;
}

function createLink(plan: LinkPlan, rods: readonly Rod[], firstSide: number, broken: Float64Array): Link {
  const { index } = plan;
  const { rodB, about } = plan;
  const apart = standAtStart(plan);
  const [offsetA, offsetB] = apart ? [new Float64Array(3), new Float64Array(3)] : [nothing, nothing];
  const point = rodB >= 0 ? nothing : Float64Array.from(plan.point);
  for (let k = 0; k < 3; k++) {
    if (rodB < 0) point[k] -= between[k];
    // both ends are attached to the midpoint between them
    for (let m = 0; m < 3 && apart; m++) {
      offsetA[k] += 0.5 * frameA.matrix[3 * m + k] * between[m];
      offsetB[k] -= 0.5 * frameB.matrix[3 * m + k] * between[m];
    }
  }
  const turnRest = about === 'all' ? new Float64Array(9) : nothing;
  if (about === 'all') writeRelative(turnRest, frameA.matrix, rodB >= 0 ? frameB.matrix : undefined);
  const angleRest = angleAtStart(plan, rods);
  const perEnd = about === 'all' || apart ? 3 : about === 'normal' ? 2 : 1;
  const rows = rowsOf(about);
  const sideCount = (rodB >= 0 ? 2 : 1) * perEnd;
  return {
    index,
    plan,
    rows,
    perEnd,
    sideCount,
    firstSide,
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
    broken: broken.subarray(index, index + 1),
  };
}

/** Numbers of links per rod and of sides, by one pass over the plans. Links other than crossings get records of their own. */
interface LinkCounts {
  readonly others: readonly Link[];
  /** Index among the plans of each crossing. */
  readonly linkOf: readonly number[];
  readonly perRod: Int32Array;
  /** First entry of each rod among the sides of all. */
  readonly entryOfRod: Int32Array;
  readonly otherSides: number;
  /** Least length of a linked edge [m]. */
  readonly size: number;
}

function countLinks(plans: readonly LinkPlan[], rods: readonly Rod[], broken: Float64Array): LinkCounts {
  const others: Link[] = [];
  const perRod = new Int32Array(rods.length);
  const entryOfRod = new Int32Array(rods.length + 1);
  const linkOf: number[] = [];
  let otherSides = 0;
  let size = plans.length > 0 ? Infinity : 0;
  plans.forEach((plan, index) => {
    const { rodA, rodB, edgeA } = plan;
    perRod[rodA]++;
    if (rodB >= 0) perRod[rodB]++;
    size = Math.min(size, rods[rodA].edgeLengthRest[edgeA]);
    let perEnd = 2;
    if (plan.about === 'normal' && !standAtStart(plan)) linkOf.push(index);
    else {
      const link = createLink(plan, rods, otherSides, broken);
      perEnd = link.perEnd;
      otherSides += link.sideCount;
      others.push(link);
    }
    entryOfRod[rodA + 1] += perEnd;
    if (rodB >= 0) entryOfRod[rodB + 1] += perEnd;
  });
  for (let r = 0; r < rods.length; r++) entryOfRod[r + 1] += entryOfRod[r];
  return { others, linkOf, perRod, entryOfRod, otherSides, size };
}

/** `share`: allocates memory for rows that threads see. */
export function createLinks(
  plans: readonly LinkPlan[],
  rods: readonly Rod[],
  samples: readonly Samples[],
  share?: (bytes: number) => SharedLinks | undefined,
): Links {
  const broken = new Float64Array(plans.length + 1);
  const { others, linkOf, perRod, entryOfRod, otherSides, size } = countLinks(plans, rods, broken);
  const held = Int32Array.from(rods.keys()).filter((r) => perRod[r] > 0);
  const crossings = linkOf.length;
  const sizes = { links: plans.length, crossings, rods: held.length, sides: entryOfRod[rods.length], otherSides };
  const shared = share?.(linkBytes(sizes));
  const rows = createLinkRows(shared?.memory ?? new ArrayBuffer(linkBytes(sizes)), sizes);
  rows.linkOf.set(linkOf);
  const every: LinkSet = {
    count: plans.length,
    crossings: Int32Array.from({ length: crossings }, (_, c) => c),
    others,
    rods: held,
  };
  let list: Link[] | undefined;
  const links: Links = {
    count: plans.length,
    plans,
    get list() {
      let k = 0;
      list ??= plans.map((plan, i) => (others[k]?.index === i ? others[k++] : createLink(plan, rods, 0, broken)));
      return list;
    },
    every,
    rows,
    selected: undefined,
    shared,
    position: findPositions(samples, held),
    perRod,
    share: Float64Array.from(perRod, (count, r) => (count > 0 ? sum(rods[r].nodeMass) / count : 0)),
    entryOfRod,
    size,
    sideArm: new Float64Array(3 * otherSides),
    memory: rows.memory,
    broken,
    coarse: {},
  };
  describeRows(links, rods);
  measureLinks(links, every, rods, samples);
  for (const { index, strain } of others) links.memory.set(strain, MOST_ROWS * (2 * index + 1));
  for (let c = 0; c < crossings; c++)
    for (let m = 0; m < 4; m++) rows.memory[MEMORY * linkOf[c] + MOST_ROWS + m] = rows.given[GIVEN * c + m];
  return links;
}

/** Writes the constants of the rows. */
function describeRows({ plans, rows, entryOfRod, every, position }: Links, rods: readonly Rod[]): void {
  const next = entryOfRod.slice();
  let c = 0;
  let k = 0;
  const addSide = (rod: number, edge: number, weight: number, begins: boolean, code: number): void => {
    const e = next[rod]++;
    rows.edge[e] = edge;
    rows.weight[e] = weight;
    rows.begins[e] = begins ? 1 : 0;
    rows.code[e] = code;
  };
  plans.forEach((plan, index) => {
    const { rodA, edgeA, rodB, edgeB } = plan;
    if (rows.linkOf[c] !== index) {
      const { perEnd, sideCount, firstSide } = every.others[k++];
      for (let i = 0; i < sideCount; i++) {
        const [rod, edge, weight] = i < perEnd ? [rodA, edgeA, plan.weightA] : [rodB, edgeB, plan.weightB];
        addSide(rod, edge, perEnd === 1 ? weight : i % perEnd === 1 ? 1 : 0, i % perEnd === 0, -1 - (firstSide + i));
      }
      return;
    }
    standAtStart(plan);
    describeCrossing(rows, c, plan, angleAtStart(plan, rods));
    for (let i = 0; i < 4; i++) {
      const [rod, edge] = i < 2 ? [rodA, edgeA] : [rodB, edgeB];
      addSide(rod, edge, i % 2, i % 2 === 0, 4 * c + i);
      rows.node[4 * c + i] = position.first[rod] + 3 * ((edge + (i % 2)) % rods[rod].nodeCount);
    }
    c++;
  });
}

/** Rods by their places in the bundles of a world. */
interface PlacedRods {
  readonly rods: readonly Rod[];
  readonly bundles: readonly Bundle[];
  readonly placeOfRod: readonly BundlePlace[];
}

/**
 * Throws for links on rods that a world cannot move: those without a contact port. Before a step (`motion`) no link may be on one; before an equilibrium
 * (`rest`) the model must have the equations of a rod at rest instead.
 */
export function refuseUnlinkable(
  plans: readonly LinkPlan[],
  { rods, bundles, placeOfRod }: PlacedRods,
  before: 'motion' | 'rest',
): void {
  const checked = new Set<number>();
  const check = (plan: LinkPlan, rod: number): void => {
    if (checked.has(rod)) return;
    checked.add(rod);
    const { bundle: b, index } = placeOfRod[rod];
    const bundle = bundles[b];
    if (bundle.contact || (before === 'rest' && bundle.atRest?.(index))) return;
    const what =
      before === 'rest' ? 'cannot be linked with these options' : 'has links in equilibria only, not in motion';
    throw new SceneError(
      pathOfLink(plan),
      `rod '${rods[rod].id}' of model '${bundle.model}' ${what}; use der with an implicit integrator, helix, strand or fiber without stiffness damping`,
    );
  };
  for (const plan of plans) {
    check(plan, plan.rodA);
    if (plan.rodB >= 0) check(plan, plan.rodB);
  }
}

/** What a broken link keeps of its stiffness and damping: with none, its law would divide zero by zero. */
const REMNANT = 1e-12;

export function stiffnessOf({ plan, broken }: Link, row: number): number {
  return (broken[0] === 1 ? REMNANT : 1) * (row < 3 ? plan.stiffness : plan.turnStiffness);
}
export function dampingOf({ plan, broken }: Link, row: number): number {
  return (broken[0] === 1 ? REMNANT : 1) * (row < 3 ? plan.damping : plan.turnDamping);
}

/** Energy of all springs at the end of the last step [J]. */
export function energyOfLinks(links: Links): number {
  let energy = 0;
  for (let k = 0; k < links.count; k++) energy += energyOfLink(links, k);
  return energy;
}

/** Energy of one spring [J]; 0 if it has broken. */
export function energyOfLink({ plans, memory, broken }: Links, k: number): number {
  if (broken[k] === 1) return 0;
  const { stiffness, turnStiffness } = plans[k];
  const o = MOST_ROWS * (2 * k + 1);
  let energy = 0;
  // strains that a link does not have are zero
  for (let r = 0; r < MOST_ROWS; r++)
    energy += 0.5 * (r < 3 ? stiffness : turnStiffness) * (memory[o + r] * memory[o + r]);
  return energy;
}

/** Strains of a link: three of position, and those of rotation. */
const rowsOf = (about: LinkPlan['about']): number => 3 + (about === 'all' ? 3 : about === 'normal' ? 1 : 0);

/** Forces on the first rod and strains of a link at the end of the last step. */
export function memoryOf({ memory }: Links, plan: LinkPlan): { force: Float64Array; strain: Float64Array } {
  const o = MEMORY * plan.index;
  const rows = rowsOf(plan.about);
  return { force: memory.subarray(o, o + rows), strain: memory.subarray(o + MOST_ROWS, o + MOST_ROWS + rows) };
}

/** A loop that uses no sides. */
function loopRows({ rows, shared, position: { data } }: Links, kind: number, dt: number): void {
  given[0] = dt;
  if (shared?.run(kind, given)) return;
  const input = { rows, arrays: UNPLACED, mix: UNMIXED, position: data, numbers: given };
  runLinkLoop(kind, input, 0, lengthOf(kind, rows, UNPLACED));
}
const given = new Float64Array(1);

/** Initial impulses: the forces of the last step, or of the last substep of the current step. */
export function recallLinks(links: Links, set: LinkSet, since: 'last-substep' | 'last-step', dt: number): void {
  selectLinks(links, set);
  loopRows(links, since === 'last-substep' ? RECALL_NEXT : RECALL, dt);
  const from = since === 'last-substep' ? links.rows.next : links.memory;
  for (const { index, rows, impulse } of set.others)
    for (let r = 0; r < rows; r++) impulse[r] = dt * from[MEMORY * index + r];
}

/** Sets a link at rest as the warm start of the next step. `force` opposes the spring. */
export function setLinkForce({ memory }: Links, link: Link, force: ArrayLike<number>): void {
  const o = 2 * MOST_ROWS * link.index;
  for (let r = 0; r < link.rows; r++) {
    memory[o + r] = -force[r];
    memory[o + MOST_ROWS + r] = force[r] / stiffnessOf(link, r);
  }
}

/** Before the first substep of a step: some links start from the previous step. */
export function resumeLinks({ rows: { memory, next, linkOf } }: Links, { crossings, others }: LinkSet): void {
  const resume = (index: number): void => {
    for (let k = MEMORY * index; k < MEMORY * (index + 1); k++) next[k] = memory[k];
  };
  for (const { index } of others) resume(index);
  for (const c of crossings) resume(linkOf[c]);
}

/** Stores the results of a step of length dt, or of a substep, for the next. */
export function rememberLinks(links: Links, set: LinkSet, dt: number): void {
  const { next } = links.rows;
  selectLinks(links, set);
  loopRows(links, REMEMBER, dt);
  for (const link of set.others) {
    const o = MEMORY * link.index;
    for (let r = 0; r < link.rows; r++) {
      const force = link.impulse[r] / dt;
      const rate = dampingOf(link, r) / dt;
      next[o + r] = force;
      // force = −k e − c (e − e₀)/h
      next[o + MOST_ROWS + r] = (rate * link.strain[r] - force) / (stiffnessOf(link, r) + rate);
    }
  }
}

/** Ends the step: its results become the warm start of the next one. */
export function commitLinks(links: Links): void {
  loopRows(links, COMMIT, 0);
}
