/**
 * Contacts of a rod on a branch of equilibria (statics/branchContacts.ts): with obstacles, without friction.
 *
 * A closed contact is a spring that is STIFFNESS times as stiff as an edge: it sinks by 1e-8 of the rod's length, and the branch stays smooth until a
 * contact closes or opens. Between points the forces are stored as those of the last step, as after any search for equilibria.
 */
import { SceneError } from '../../errors.ts';
import { pow, square } from '../../math/rounded/index.ts';
import type { BranchContacts } from '../../model.ts';
import type { Pin } from '../../scene/compiled.ts';
import { appendContact, type ContactSet, copyContact, createContactSet } from '../contactSet.ts';
import type { ContactContext } from '../context.ts';
import type { LoneRest } from '../links/forceStatics.ts';
import { findSortedContacts } from '../stages.ts';
import { dropHeld, keep, listActive, storeContacts } from './refine.ts';
import { createTouching, forceOf, meanStiffness, type Touching } from './touching.ts';

const STIFFNESS = 1e4;
/** A contact breaks the law if it overlaps by more than this share of its size, or pulls with more than this share of the force scale. */
const OVERLAP = 1e-4;
const PULL = 1e-6;
/** Contacts closer together than this many edges are one contact, which slides from a node onto an edge or back. */
const SAME_PLACE = 0.1;
/** Forces below this share of the force scale are stored as zero. */
const NO_FORCE = 1e-8;

/** Contacts of a rod that is followed along a branch. */
export interface FollowedContacts extends BranchContacts {
  /** Acts on the rod as a load that depends on its state. */
  engage(): void;
  /** Stores the forces as those of the last step, and stops acting. */
  release(): void;
}

export interface FollowedRod {
  readonly rod: number;
  readonly alone: LoneRest;
  readonly pins: readonly Pin[];
}

/** Throws if contacts that carry force now are not supported. */
export function followContacts(
  context: ContactContext,
  { rod, alone, pins }: FollowedRod,
  t: number,
): FollowedContacts {
  const held = listActive(context, rod);
  if (!held || held.stuck.count > 0)
    throw new SceneError(
      ['statics', 'follow'],
      'follow: branch supports contact with obstacles without friction; at the start the rod touches a rod, or an obstacle with friction. Use friction: 0, or follow: instants',
    );
  const { free: active } = held;
  dropHeld(active, pins, t);
  active.impulse.fill(0);
  const { length, edgeCount } = context.rods[rod];
  const bending = meanStiffness(context.rods[rod]);
  const stiffness = STIFFNESS * bending * pow(edgeCount / length, 3);
  const touching = createTouching(context, rod, active, stiffness);
  let remove: (() => void) | undefined;
  return {
    ...createLaw(context, { rod, pins, active, touching, leastForce: bending / square(length) }),
    engage() {
      if (remove) return;
      alone.clearForces(rod);
      remove = alone.addLoad(rod, touching.source);
    },
    release() {
      if (!remove) return;
      remove();
      remove = undefined;
      const weights = active.weightA.slice();
      const { force } = touching.update();
      const rounding = NO_FORCE * Math.max(force, bending / square(length));
      for (let c = 0; c < active.count; c++)
        if (forceOf(active, c) < rounding) active.impulse.fill(0, 3 * c, 3 * c + 3);
      storeContacts(context, rod, [active]);
      active.impulse.fill(0);
      active.weightA.set(weights);
    },
  };
}

interface LawParts {
  readonly rod: number;
  readonly pins: readonly Pin[];
  readonly active: ContactSet;
  readonly touching: Touching;
  /** Contact forces below this are compared with it [N]. */
  readonly leastForce: number;
}

/** A contact that breaks the law, or is at its limit, and whether it was closed when it was listed. */
interface Listed {
  readonly set: ContactSet;
  readonly wasClosed: boolean;
}

type Status = 'closed' | 'open';

/** Measures contacts against the law: excess is positive beyond its limit, relative to the force scale or to the contact's size. */
interface Gauge {
  readonly scale: number;
  excessOf(set: ContactSet, c: number, status: Status): number;
}

/** At the current state. */
function createGauge({ active, touching, leastForce }: LawParts): Gauge {
  let scale = leastForce;
  for (let c = 0; c < active.count; c++)
    scale = Math.max(scale, touching.stiffness * Math.abs(touching.measureGap(active, c)));
  return {
    scale,
    excessOf(set, c, status) {
      const gap = touching.measureGap(set, c);
      return status === 'closed' ? (touching.stiffness * gap) / scale : -gap / set.size[c];
    },
  };
}

/** Replaces contacts that have slid from a node onto an edge or back. */
function slideContacts(context: ContactContext, parts: LawParts, t: number): boolean {
  const { active, touching } = parts;
  const open = findOpen(context, parts, t, OVERLAP);
  if (typeof open === 'string') return false;
  let isChanged = false;
  for (const set of open) {
    const at = touching.measurePlace(set, 0);
    const isSame = (c: number): boolean =>
      active.collider[c] === set.collider[0] && Math.abs(touching.measurePlace(active, c) - at) < SAME_PLACE;
    if (keep(active, (c) => !isSame(c)) === 0) continue;
    appendContact(active, set, 0);
    isChanged = true;
  }
  return isChanged;
}

function createLaw(context: ContactContext, parts: LawParts): BranchContacts {
  const { active, touching } = parts;
  let listed: Listed[] = [];
  const isListed = (key: number): boolean => listed.some(({ set }) => set.key[0] === key);
  const statusOf = ({ key }: ContactSet): Status =>
    active.key.subarray(0, active.count).includes(key[0]) ? 'closed' : 'open';
  /** Adds closed contacts beyond `pull` and open ones beyond `overlap`. Returns why open ones cannot be followed, or ''. */
  const list = (t: number, pull: number, overlap: number): string => {
    const gauge = createGauge(parts);
    for (let c = 0; c < active.count; c++)
      if (!isListed(active.key[c]) && gauge.excessOf(active, c, 'closed') > pull)
        listed.push({ set: copyOne(active, c), wasClosed: true });
    const open = findOpen(context, parts, t, overlap);
    if (typeof open === 'string') return open;
    for (const set of open) if (!isListed(set.key[0])) listed.push({ set, wasClosed: false });
    return '';
  };
  return {
    trouble: '',
    listBroken(t) {
      listed = [];
      this.trouble = list(t, PULL, OVERLAP);
      return listed.length;
    },
    addNear(t, margin) {
      list(t, -margin, -margin);
    },
    slide: (t) => slideContacts(context, parts, t),
    measureListed() {
      const gauge = createGauge(parts);
      return listed.map(({ set }) => gauge.excessOf(set, 0, statusOf(set)));
    },
    whichListedBreak() {
      const excess = this.measureListed();
      return listed.map(({ set }, k) => excess[k] > (statusOf(set) === 'closed' ? PULL : OVERLAP));
    },
    keepListed(isKept) {
      listed = listed.filter((_, k) => isKept[k]);
    },
    openIdle() {
      const least = PULL * createGauge(parts).scale;
      return keep(active, (c) => -touching.stiffness * touching.measureGap(active, c) > least) > 0;
    },
    wereClosed: () => listed.map(({ wasClosed }) => wasClosed),
    setListed(isClosed) {
      listed.forEach(({ set }, k) => {
        keep(active, (c) => active.key[c] !== set.key[0]);
        if (isClosed[k]) appendContact(active, set, 0);
      });
    },
  };
}

function copyOne(set: ContactSet, c: number): ContactSet {
  const one = createContactSet(1);
  one.count = 1;
  copyContact(one, 0, set, c);
  return one;
}

/** Contacts that are not closed and overlap by more than this share of their size; or why they cannot be followed. */
function findOpen(
  context: ContactContext,
  { rod, pins, active }: LawParts,
  t: number,
  overlap: number,
): ContactSet[] | string {
  const known = new Set(active.key.subarray(0, active.count));
  findSortedContacts(context, t, 1e-9, { data: new Float64Array(0), count: 0 });
  const { contacts, colliders } = context;
  const found: ContactSet[] = [];
  let trouble = '';
  for (let c = 0; c < contacts.count; c++) {
    if (contacts.gap[c] >= -overlap * contacts.size[c] || known.has(contacts.key[c])) continue;
    if (contacts.collider[c] < 0) trouble ||= 'the rod touches itself, where this method ends';
    if (contacts.rodA[c] !== rod || contacts.collider[c] < 0) continue;
    const set = copyOne(contacts, c);
    set.impulse.fill(0);
    if (dropHeld(set, pins, t) > 0) continue;
    if (contacts.staticFriction[c] > 0) {
      const { id } = colliders[contacts.collider[c]];
      trouble ||= `the rod touches '${id}', which has friction; branches support contact without friction`;
    } else found.push(set);
  }
  contacts.count = 0;
  return trouble || found;
}
