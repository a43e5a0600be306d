/**
 * Refines an equilibrium that relaxation has found, and judges its stability: Newton's method of the rod's own model, with the contacts that carry force as
 * loads. For contact with obstacles. Where friction holds a point of the rod, it stays where it is (sticking.ts). A rod that touches rods, or that slides, keeps
 * the result of relaxation, without a verdict.
 *
 * A contact with gap g and force λ has the potential −λ g + ½ k g² (augmented Lagrangian). After each search λ becomes λ − k g, until gaps vanish. The
 * stiffness k is far above that of the rod, so the negative eigenvalues of the tangent are those of the rod with its contacts held closed. Contacts that
 * pull are dropped, contacts that the rod penetrates are added, and the search is repeated.
 */
import type { EquilibriumOptions, EquilibriumReport } from '../../model.ts';
import type { Pin, Rod } from '../../scene/compiled.ts';
import { appendContact, type ContactSet, copyContact, createContactSet } from '../contactSet.ts';
import type { ContactContext } from '../context.ts';
import type { LoneRest } from '../links/forceStatics.ts';
import { placeCollider } from '../shapes/collider.ts';
import { findSortedContacts } from '../stages.ts';
import { listStored, storeWarmStart } from '../warmStart.ts';
import { createSticking, type Sticking } from './sticking.ts';
import { createTouching, forceOf, type Touching } from './touching.ts';

/** Stiffness of contacts, relative to that of an edge of the rod. */
const STIFFNESS = 100;
const MOST_UPDATES = 40;
const MOST_CHANGES = 20;
/** A gap counts as closed below this many lengths of the rod, or if it changes no force by more than this share of the largest. */
const CLOSED = 1e-12;
const CHANGE = 1e-9;
/** Overlaps that make a new contact, in contact sizes. */
const OVERLAP = 1e-6;

/** The rod's own search, and its pins. */
export interface HeldRod {
  readonly alone: LoneRest;
  readonly pins: readonly Pin[];
}

/**
 * Stores the contact forces as the warm start. Undefined if the rod has contacts that this cannot treat, or if no equilibrium was found; the rod's state is
 * then arbitrary.
 */
export function refineRod(
  context: ContactContext,
  { alone, pins }: HeldRod,
  rod: number,
  t: number,
  options: EquilibriumOptions,
): EquilibriumReport | undefined {
  const held = listActive(context, rod);
  if (!held) return undefined;
  const { free, stuck } = held;
  for (const set of [free, stuck]) dropHeld(set, pins, t);
  for (const collider of context.colliders) placeCollider(collider, t, 0);
  const stiffness = stiffnessOfContacts(context.rods[rod], [free, stuck]);
  const touching = createTouching(context, rod, free, stiffness);
  const sticking = createSticking(context, rod, stuck, stiffness);
  const removals = [touching, sticking].map(({ source }) => alone.addLoad(rod, source));
  try {
    for (let change = 0; change < MOST_CHANGES; change++) {
      const report = closeGaps(alone, rod, t, options, touching, sticking);
      if (!report?.converged || !sticking.isWithinCone()) return undefined;
      const sunken = addSunken(context, rod, held, t);
      if (sunken === undefined) return undefined;
      const added = sunken - dropHeld(free, pins, t);
      if (dropPulling(free) + added > 0) continue;
      storeContacts(context, rod, [free, stuck]);
      return report;
    }
    return undefined;
  } finally {
    for (const remove of removals) remove();
  }
}

/** Contacts of a rod with obstacles: without friction, and those in which friction holds the rod. */
export interface HeldContacts {
  readonly free: ContactSet;
  readonly stuck: ContactSet;
}

/** Undefined if the rod touches rods or has links, or if a contact with friction slides. */
export function listActive(
  { warmStart, colliders, finder, links }: ContactContext,
  rod: number,
): HeldContacts | undefined {
  if (links.every.rods.includes(rod)) return undefined;
  const stored = createContactSet();
  listStored(stored, warmStart);
  const [free, stuck] = [createContactSet(), createContactSet()];
  for (let c = 0; c < stored.count; c++) {
    if (stored.rodB[c] === rod && stored.collider[c] < 0) return undefined;
    if (stored.rodA[c] !== rod) continue;
    const index = stored.collider[c];
    if (index < 0) return undefined;
    const edge = finder.edgeOffset[rod] + stored.edgeA[c];
    const friction = colliders[index].staticFriction * finder.edgeFriction[edge];
    stored.staticFriction[c] = friction;
    if (friction > 0 && stored.slides[c]) return undefined;
    appendContact(friction > 0 ? stuck : free, stored, c);
  }
  return { free, stuck };
}

/** [N/m]: of an edge that bends, or, for a rope, that is pulled tight by the contact forces. */
function stiffnessOfContacts({ halfEI1, halfEI2, length, edgeCount }: Rod, sets: readonly ContactSet[]): number {
  const edge = length / edgeCount;
  let bending = 0;
  for (let h = 0; h < halfEI1.length; h++) bending = Math.max(bending, halfEI1[h], halfEI2[h]);
  let force = 0;
  for (const set of sets) for (let c = 0; c < set.count; c++) force += Math.abs(forceOf(set, c));
  return STIFFNESS * Math.max(bending / (edge * edge * edge), force / edge);
}

/** Searches and updates forces until the gaps are closed. Undefined if they do not close. */
function closeGaps(
  alone: LoneRest,
  rod: number,
  t: number,
  { tolerance }: EquilibriumOptions,
  touching: Touching,
  sticking: Sticking,
): EquilibriumReport | undefined {
  const { length } = touching.rod;
  let iterations = 0;
  for (let update = 0; update < MOST_UPDATES; update++) {
    const report = alone.equilibrate(rod, t, { stability: 'report', tolerance });
    iterations += report.iterations;
    if (!report.converged) return undefined;
    const [one, other] = [touching.update(), sticking.update()];
    const [gap, force] = [Math.max(one.gap, other.gap), Math.max(one.force, other.force)];
    if (gap <= CLOSED * length || touching.stiffness * gap <= CHANGE * force) return { ...report, iterations };
  }
  return undefined;
}

/** Removes contacts that pull; returns their number. */
function dropPulling(active: ContactSet): number {
  return keep(active, (c) => forceOf(active, c) > 0);
}

/** Removes contacts at nodes that pins hold along the normal: pin and obstacle share a force that statics cannot divide. Returns their number. */
export function dropHeld(active: ContactSet, pins: readonly Pin[], t: number): number {
  return keep(active, (c) => {
    const weight = active.weightA[c];
    if (weight > 0 && weight < 1) return true;
    const node = active.edgeA[c] + weight;
    const held = pins.filter((pin) => pin.node === node && pin.holds(t));
    const isFree = [0, 1, 2].map((k) => !held.some(({ holdX, holdY, holdZ }) => [holdX, holdY, holdZ][k]));
    return isFree.some((free, k) => free && Math.abs(active.normal[3 * c + k]) > 1e-6);
  });
}

/** Removes the other contacts; returns their number. */
export function keep(active: ContactSet, isKept: (c: number) => boolean): number {
  const { count } = active;
  let kept = 0;
  for (let c = 0; c < count; c++) if (isKept(c)) copyContact(active, kept++, active, c);
  active.count = kept;
  return count - kept;
}

/**
 * Adds contacts at points where the rod penetrates an obstacle; returns their number, or undefined if it penetrates a rod, or if friction acts there.
 */
function addSunken(
  context: ContactContext,
  rod: number,
  { free: active, stuck }: HeldContacts,
  t: number,
): number | undefined {
  const known = new Set([active, stuck].flatMap(({ key, count }) => [...key.subarray(0, count)]));
  findSortedContacts(context, t, 1e-9, { data: new Float64Array(0), count: 0 });
  const { contacts } = context;
  const before = active.count;
  let isSupported = true;
  for (let c = 0; c < contacts.count; c++) {
    if (contacts.gap[c] >= -OVERLAP * contacts.size[c] || known.has(contacts.key[c])) continue;
    const isBetweenRods = contacts.collider[c] < 0;
    if (contacts.rodA[c] !== rod && !(isBetweenRods && contacts.rodB[c] === rod)) continue;
    if (isBetweenRods || contacts.staticFriction[c] > 0) isSupported = false;
    else appendContact(active, contacts, c);
  }
  contacts.count = 0;
  return isSupported ? active.count - before : undefined;
}

/** Replaces the stored contacts of a rod. */
export function storeContacts({ warmStart }: ContactContext, rod: number, sets: readonly ContactSet[]): void {
  const stored = createContactSet();
  listStored(stored, warmStart);
  const order = [
    ...Array.from({ length: stored.count }, (_, c) => ({ set: stored, c })).filter(({ c }) => stored.rodA[c] !== rod),
    ...sets.flatMap((set) => Array.from({ length: set.count }, (_, c) => ({ set, c }))),
  ].sort((one, other) => one.set.key[one.c] - other.set.key[other.c]);
  const sorted = createContactSet();
  for (const { set, c } of order) appendContact(sorted, set, c);
  storeWarmStart(warmStart, sorted, 1);
}
