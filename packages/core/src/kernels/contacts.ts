/** Copies contacts of two rods to and from a kernel's memory. */
import { slipLimit } from '../contact/solve/sideVelocities.ts';
import type { SingleRodBatch } from '../model.ts';
import { contactEntries } from './description.ts';

const { WEIGHT, NORMAL, BIAS, SURFACE, FRICTION, SIZE, THERE, EDGE, IMPULSE, RHO, VELOCITY, CONTACT_ENTRIES } =
  contactEntries;

/** Writes the contacts of rod `i` of the job to a lane, and empty slots up to `count`. */
export function writeContacts(
  { doubles, integers }: { readonly doubles: Float64Array; readonly integers: Int32Array },
  address: number,
  lane: number,
  { contacts, from, to, dt }: SingleRodBatch,
  i: number,
  count: number,
): void {
  const { weightA, edgeA, normal, bias, surface, size, impulse, sliding, staticFriction, dynamicFriction } = contacts;
  const first = i < 0 ? 0 : from[i];
  const last = i < 0 ? 0 : to[i];
  for (let k = 0; k < count; k++) {
    const o = (address >> 3) + 2 * CONTACT_ENTRIES * k + lane;
    const c = first + k;
    if (c >= last) {
      for (let entry = 0; entry < RHO; entry++) if (entry !== EDGE) doubles[o + 2 * entry] = 0;
      integers[2 * (o - lane + 2 * EDGE) + lane] = 0;
      continue;
    }
    doubles[o + 2 * WEIGHT] = weightA[c];
    integers[2 * (o - lane + 2 * EDGE) + lane] = edgeA[c];
    doubles[o + 2 * BIAS] = bias[c];
    doubles[o + 2 * FRICTION] = sliding[c] ? dynamicFriction[c] : staticFriction[c];
    doubles[o + 2 * SIZE] = size[c] / dt;
    doubles[o + 2 * THERE] = 1;
    for (let axis = 0; axis < 3; axis++) {
      doubles[o + 2 * (NORMAL + axis)] = normal[3 * c + axis];
      doubles[o + 2 * (SURFACE + axis)] = surface[3 * c + axis];
      doubles[o + 2 * (IMPULSE + axis)] = impulse[3 * c + axis];
    }
  }
}

/** Copies impulses and sliding states back. */
export function readContacts(
  doubles: Float64Array,
  address: number,
  lane: number,
  { contacts, from, to, speed }: SingleRodBatch,
  i: number,
): void {
  const { normal, surface, impulse, slides } = contacts;
  for (let c = from[i]; c < to[i]; c++) {
    const o = (address >> 3) + 2 * CONTACT_ENTRIES * (c - from[i]) + lane;
    let along = 0;
    let square = 0;
    for (let axis = 0; axis < 3; axis++) {
      impulse[3 * c + axis] = doubles[o + 2 * (IMPULSE + axis)];
      const u = doubles[o + 2 * (VELOCITY + axis)] - surface[3 * c + axis];
      along += u * normal[3 * c + axis];
      square += u * u;
    }
    // as `markSliding` of contact, for contacts that were solved for
    const slip = Math.sqrt(Math.max(0, square - along * along));
    if (doubles[o + 2 * RHO] > 0) slides[c] = slip > slipLimit(speed) ? 1 : 0;
  }
}
