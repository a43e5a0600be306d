/**
 * The contacts of a step, as arrays, sorted by key.
 *
 * A key names the two features in contact (a node or the interior of an edge, and a rod or a collider). It is the same in the next step, so the
 * last impulse is found again for the warm start. Sorting by key makes the result independent of the order of detection, and so of trees, threads
 * and restarts.
 */

/** Features: 2·node for a node, 2·node + 1 for the interior of the edge that starts there; then the colliders. */
export const FEATURE_LIMIT: number = 2 ** 26;

export interface ContactSet {
  count: number;
  key: Float64Array;
  /** Rod of the scene, its edge, and the weight of the edge's second node: first side, and second (−1 for a collider). */
  rodA: Int32Array;
  edgeA: Int32Array;
  weightA: Float64Array;
  rodB: Int32Array;
  edgeB: Int32Array;
  weightB: Float64Array;
  /** Index of the collider, −1 for contact between rods. */
  collider: Int32Array;
  /** Unit normal from the second side to the first, 3 numbers each. */
  normal: Float64Array;
  /** Gap between the surfaces at the start of the step, along the normal [m]; observers get the current one (gaps.ts). */
  gap: Float64Array;
  /** Velocity of the obstacle's surface [m/s], 3 numbers each. */
  surface: Float64Array;
  /** Distance from the axis to the contact point, along the normal [m]. */
  leverA: Float64Array;
  leverB: Float64Array;
  /** For a collider on a body: the contact point [m], 3 numbers each. Unused otherwise. */
  point: Float64Array;
  staticFriction: Float64Array;
  dynamicFriction: Float64Array;
  restitution: Float64Array;
  /** Length that gaps are compared with: the smaller radius [m]. */
  size: Float64Array;
  /** Impulse on the first side [N s], 3 numbers each: the solver's unknown. */
  impulse: Float64Array;
  /** 1 if the contact slides at the start of the step: it then has dynamic friction in every pass. */
  sliding: Uint8Array;
  /** 1 if the contact slides at the end of the step. */
  slides: Uint8Array;
  /** Lower bound of the normal velocity, negated [m/s]. */
  bias: Float64Array;
  /** Normal velocity at the start of the step [m/s]. */
  approach: Float64Array;
  /**
   * 1 if the contact was found at the end of the step or on the way there. Its gap is then that of the start along a normal of the end, and does
   * not mean an overlap at the start. The gap may end at `floor` [m]: 0, or negative if the two overlapped at the start.
   */
  swept: Uint8Array;
  floor: Float64Array;
}

const fields = {
  key: 1,
  weightA: 1,
  weightB: 1,
  normal: 3,
  gap: 1,
  surface: 3,
  leverA: 1,
  leverB: 1,
  point: 3,
  staticFriction: 1,
  dynamicFriction: 1,
  restitution: 1,
  size: 1,
  impulse: 3,
  bias: 1,
  approach: 1,
  floor: 1,
} as const;
const integers = ['rodA', 'edgeA', 'rodB', 'edgeB', 'collider'] as const;
const bytes = ['sliding', 'slides', 'swept'] as const;
const doubles = Object.keys(fields) as (keyof typeof fields)[];

/** Written out field by field: an object filled by computed names becomes a slow dictionary in V8. */
export function createContactSet(capacity = 64): ContactSet {
  const make = (name: keyof typeof fields): Float64Array => new Float64Array(fields[name] * capacity);
  return {
    count: 0,
    key: make('key'),
    rodA: new Int32Array(capacity),
    edgeA: new Int32Array(capacity),
    weightA: make('weightA'),
    rodB: new Int32Array(capacity),
    edgeB: new Int32Array(capacity),
    weightB: make('weightB'),
    collider: new Int32Array(capacity),
    normal: make('normal'),
    gap: make('gap'),
    surface: make('surface'),
    leverA: make('leverA'),
    leverB: make('leverB'),
    point: make('point'),
    staticFriction: make('staticFriction'),
    dynamicFriction: make('dynamicFriction'),
    restitution: make('restitution'),
    size: make('size'),
    impulse: make('impulse'),
    sliding: new Uint8Array(capacity),
    slides: new Uint8Array(capacity),
    bias: make('bias'),
    approach: make('approach'),
    swept: new Uint8Array(capacity),
    floor: make('floor'),
  };
}

const nothing = createContactSet(1);

/** Appends a contact, all zero; returns its index. */
export function addContact(set: ContactSet): number {
  const c = makePlace(set);
  copyContact(set, c, nothing, 0);
  return c;
}

function makePlace(set: ContactSet): number {
  const c = set.count++;
  if (c === set.key.length) {
    for (const name of doubles) set[name] = enlarge(set[name]);
    for (const name of integers) set[name] = enlarge(set[name]);
    for (const name of bytes) set[name] = enlarge(set[name]);
  }
  return c;
}

/** Appends a contact with a collider and clears only the fields that the detector does not write: clearing all took half the time of detection. */
export function addColliderPlace(set: ContactSet): number {
  const c = makePlace(set);
  set.weightB[c] = 0;
  set.edgeB[c] = 0;
  set.rodB[c] = -1;
  set.restitution[c] = 0;
  set.bias[c] = 0;
  set.approach[c] = 0;
  set.floor[c] = 0;
  set.sliding[c] = 0;
  set.slides[c] = 0;
  set.swept[c] = 0;
  set.leverB[c] = 0;
  for (let k = 3 * c; k < 3 * c + 3; k++) {
    set.impulse[k] = 0;
    // `floor` is part of the saved state, so no value of another step may remain
    set.point[k] = 0;
  }
  return c;
}

function enlarge<T extends Float64Array | Int32Array | Uint8Array>(array: T): T {
  const larger = new (array.constructor as new (n: number) => T)(2 * array.length);
  larger.set(array);
  return larger;
}

/** Writes contact j of `from` over contact i, which keeps its impulse and whether it slides. Writes both to contact j, too. */
export function replaceContact(to: ContactSet, i: number, from: ContactSet, j: number): void {
  for (let k = 0; k < 3; k++) from.impulse[3 * j + k] = to.impulse[3 * i + k];
  from.sliding[j] = to.sliding[i];
  copyContact(to, i, from, j);
}

/** Copies field by field: looping over names took ten times as long. A test compares it with the list of fields. */
export function copyContact(to: ContactSet, i: number, from: ContactSet, j: number): void {
  to.key[i] = from.key[j];
  to.weightA[i] = from.weightA[j];
  to.weightB[i] = from.weightB[j];
  to.gap[i] = from.gap[j];
  to.staticFriction[i] = from.staticFriction[j];
  to.dynamicFriction[i] = from.dynamicFriction[j];
  to.restitution[i] = from.restitution[j];
  to.size[i] = from.size[j];
  to.bias[i] = from.bias[j];
  to.approach[i] = from.approach[j];
  to.floor[i] = from.floor[j];
  copy3(to.normal, 3 * i, from.normal, 3 * j);
  copy3(to.surface, 3 * i, from.surface, 3 * j);
  to.leverA[i] = from.leverA[j];
  to.leverB[i] = from.leverB[j];
  copy3(to.point, 3 * i, from.point, 3 * j);
  copy3(to.impulse, 3 * i, from.impulse, 3 * j);
  to.rodA[i] = from.rodA[j];
  to.edgeA[i] = from.edgeA[j];
  to.rodB[i] = from.rodB[j];
  to.edgeB[i] = from.edgeB[j];
  to.collider[i] = from.collider[j];
  to.sliding[i] = from.sliding[j];
  to.slides[i] = from.slides[j];
  to.swept[i] = from.swept[j];
}

export function copy3(to: Float64Array, i: number, from: Float64Array, j: number): void {
  to[i] = from[j];
  to[i + 1] = from[j + 1];
  to[i + 2] = from[j + 2];
}

/** Appends a copy of contact j of `from`; returns its index. */
export function appendContact(to: ContactSet, from: ContactSet, j: number): number {
  const c = makePlace(to);
  copyContact(to, c, from, j);
  return c;
}

/** Grows the capacity to `count` contacts. */
export function ensureCapacity(set: ContactSet, count: number): void {
  const { count: there } = set;
  while (set.key.length < count) {
    set.count = set.key.length;
    makePlace(set);
  }
  set.count = there;
}

/** Adds all contacts of `from` to `to`. */
export function appendContacts(to: ContactSet, from: ContactSet): void {
  const at = to.count;
  ensureCapacity(to, at + from.count);
  to.count = at + from.count;
  for (const name of doubles) to[name].set(from[name].subarray(0, fields[name] * from.count), fields[name] * at);
  for (const name of integers) to[name].set(from[name].subarray(0, from.count), at);
  for (const name of bytes) to[name].set(from[name].subarray(0, from.count), at);
}

/** First index in the sorted keys whose key is not below `key`. */
export function findKey(keys: Float64Array, count: number, key: number): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (keys[middle] < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** True if the keys are strictly increasing. */
export function isSorted({ key, count }: ContactSet): boolean {
  for (let c = 1; c < count; c++) if (!(key[c] > key[c - 1])) return false;
  return true;
}

/** Fills `to` with the contacts of `from` in the order of their keys, the first of each key; `from` must not be used afterwards. */
export function sortContacts(to: ContactSet, from: ContactSet): void {
  const { count } = from;
  if (isSorted(from)) {
    // the two sets exchange their arrays
    const emptied = { ...to };
    Object.assign(to, from);
    Object.assign(from, emptied, { count: 0 });
    return;
  }
  const sorted = from.key.slice(0, count).sort();
  // index of each sorted key in `from`: equal keys are adjacent, and the first of them wins
  const place = new Int32Array(count).fill(-1);
  for (let c = 0; c < count; c++) {
    const at = findKey(sorted, count, from.key[c]);
    if (place[at] < 0) place[at] = c;
  }
  to.count = 0;
  for (let k = 0; k < count; k++) if (place[k] >= 0) appendContact(to, from, place[k]);
}

/** Points of an edge that are farther apart than this are distinct contacts. */
const APART = 0.1;

/**
 * Newly found contacts replace those that the sorted set has under their keys, and start from their normal impulse. An earlier contact elsewhere
 * on the same edges is kept under a key in between: held at only one point, an edge may rotate into an obstacle at the other, and back.
 */
export function takePlaces(to: ContactSet, from: ContactSet): void {
  for (let c = 0; c < to.count; c++) {
    let j = placeOfKey(from, to.key[c]);
    if (j < 0) continue;
    const beside = placeOfKey(from, to.key[c] + 0.5);
    if (from.swept[j] && distanceOfPlaces(to, c, from, j) > APART) {
      to.key[c] += 0.5;
      if (beside < 0) continue;
      j = beside;
    }
    let size = 0;
    for (let k = 0; k < 3; k++) size += from.impulse[3 * j + k] * from.normal[3 * j + k];
    for (let k = 0; k < 3; k++) to.impulse[3 * c + k] = size * to.normal[3 * c + k];
    to.sliding[c] = from.sliding[j];
  }
}

function placeOfKey({ key, count }: ContactSet, wanted: number): number {
  const j = findKey(key, count, wanted);
  return j < count && key[j] === wanted ? j : -1;
}

function distanceOfPlaces(a: ContactSet, i: number, b: ContactSet, j: number): number {
  return Math.max(Math.abs(a.weightA[i] - b.weightA[j]), Math.abs(a.weightB[i] - b.weightB[j]));
}
