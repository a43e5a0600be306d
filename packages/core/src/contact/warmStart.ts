/**
 * The warm start: data that one step leaves for the next.
 *
 * For every contact that carries force: the key, the force on the first side [N], whether it slid, and what observers and reactions read. The
 * numbers are in one plain array, so that they can be part of a saved state.
 */
import { SceneError } from '../errors.ts';
import { addContact, type ContactSet, copy3 } from './contactSet.ts';

export interface WarmStart {
  data: Float64Array;
  count: number;
}

/**
 * Numbers per contact: key, force 3, sliding; rod, edge and weight of both sides, collider, gap; normal 3, lever of the first side; for a
 * collider the point, 3, for a rod the lever of the second side.
 */
export const WARM_START_STRIDE = 20;

/** Stores the contacts of a step of length dt that carry force. */
export function storeWarmStart(warmStart: WarmStart, set: ContactSet, dt: number): void {
  if (warmStart.data.length < WARM_START_STRIDE * set.count)
    warmStart.data = new Float64Array(2 * WARM_START_STRIDE * set.count);
  const { data } = warmStart;
  let count = 0;
  for (let c = 0; c < set.count; c++) {
    const x = set.impulse[3 * c];
    const y = set.impulse[3 * c + 1];
    const z = set.impulse[3 * c + 2];
    if (x === 0 && y === 0 && z === 0) continue;
    const o = WARM_START_STRIDE * count++;
    data[o] = set.key[c];
    data[o + 1] = x / dt;
    data[o + 2] = y / dt;
    data[o + 3] = z / dt;
    data[o + 4] = set.slides[c];
    data[o + 5] = set.rodA[c];
    data[o + 6] = set.edgeA[c];
    data[o + 7] = set.weightA[c];
    data[o + 8] = set.rodB[c];
    data[o + 9] = set.edgeB[c];
    data[o + 10] = set.weightB[c];
    data[o + 11] = set.collider[c];
    data[o + 12] = set.gap[c];
    copy3(data, o + 13, set.normal, 3 * c);
    data[o + 16] = set.leverA[c];
    if (set.collider[c] >= 0) copy3(data, o + 17, set.point, 3 * c);
    else {
      data[o + 17] = set.leverB[c];
      data[o + 18] = 0;
      data[o + 19] = 0;
    }
  }
  warmStart.count = count;
}

/** Copies the entries of the given rods. */
export function copyWarmStart(to: WarmStart, from: WarmStart, wanted: (rod: number) => boolean): void {
  to.count = 0;
  for (let m = 0; m < from.count; m++) {
    const o = WARM_START_STRIDE * m;
    const rod = from.data[o + 5];
    if (!wanted(rod)) continue;
    if (to.data.length < WARM_START_STRIDE * (to.count + 1)) {
      const larger = new Float64Array(2 * to.data.length + 64 * WARM_START_STRIDE);
      larger.set(to.data);
      to.data = larger;
    }
    for (let k = 0; k < WARM_START_STRIDE; k++) to.data[WARM_START_STRIDE * to.count + k] = from.data[o + k];
    to.count++;
  }
}

/** Lists the stored contacts, with their impulse over one second. */
export function listStored(set: ContactSet, { data, count }: WarmStart): void {
  set.count = 0;
  for (let m = 0; m < count; m++) {
    const o = WARM_START_STRIDE * m;
    const c = addContact(set);
    set.key[c] = data[o];
    copy3(set.impulse, 3 * c, data, o + 1);
    set.slides[c] = data[o + 4];
    set.rodA[c] = data[o + 5];
    set.edgeA[c] = data[o + 6];
    set.weightA[c] = data[o + 7];
    set.rodB[c] = data[o + 8];
    set.edgeB[c] = data[o + 9];
    set.weightB[c] = data[o + 10];
    set.collider[c] = data[o + 11];
    set.gap[c] = data[o + 12];
    copy3(set.normal, 3 * c, data, o + 13);
    set.leverA[c] = data[o + 16];
    if (set.collider[c] >= 0) copy3(set.point, 3 * c, data, o + 17);
    else set.leverB[c] = data[o + 17];
  }
}

/** The stored contacts as plain numbers. */
export function saveWarmStart({ data, count }: WarmStart): Float64Array {
  const saved = new Float64Array(WARM_START_STRIDE * count + 1);
  saved.set(data.subarray(0, WARM_START_STRIDE * count));
  saved[WARM_START_STRIDE * count] = WARM_START_STRIDE;
  return saved;
}

/** Throws if `saved` has another layout. */
export function restoreWarmStart(warmStart: WarmStart, saved: Float64Array | undefined): void {
  if (saved === undefined || saved.length === 0) {
    warmStart.count = 0;
    return;
  }
  if (saved[saved.length - 1] !== WARM_START_STRIDE || saved.length % WARM_START_STRIDE !== 1)
    throw new SceneError([], 'the saved contact forces have a layout that this version does not read');
  warmStart.count = (saved.length - 1) / WARM_START_STRIDE;
  warmStart.data = saved.slice(0, WARM_START_STRIDE * warmStart.count);
}

/** Gives contacts that persist the impulse and the sliding state of the last step. Both lists are sorted by key. */
export function applyWarmStart(set: ContactSet, warmStart: WarmStart, dt: number): void {
  let m = 0;
  for (let c = 0; c < set.count; c++) {
    const key = set.key[c];
    while (m < warmStart.count && warmStart.data[WARM_START_STRIDE * m] < key) m++;
    if (m >= warmStart.count) return;
    const o = WARM_START_STRIDE * m;
    if (warmStart.data[o] !== key) continue;
    for (let k = 0; k < 3; k++) set.impulse[3 * c + k] = warmStart.data[o + 1 + k] * dt;
    set.sliding[c] = warmStart.data[o + 4];
  }
}
