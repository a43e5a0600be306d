/** Contacts in the memory of the kernels as rows of shared memory (CONTACT_ROW), and back. */
import { CONTACT_ROW } from '../gpu/requests.ts';
import { contactFields, countVectors, vectorsBefore } from './description.ts';
import { firstOf, indexOf, type LaneMemory } from './memory.ts';

/** Vectors per contact, and offsets of some of its fields in vectors. */
const RECORD = countVectors(contactFields);
const [ACTIVE, PART, FORCE, PUSH, NORMAL] = ['active', 'part', 'force', 'push', 'normal'].map((name) =>
  vectorsBefore(contactFields, name),
);

/** Index of the first number of contact c of edge j; its fields follow at four times the vectors before them. */
function placeOf({ contacts, task }: LaneMemory, s: number, j: number, c: number): number {
  return indexOf(contacts, s, (2 * task.obstacles * j + c) * RECORD);
}

/** Index in a row of the other strand, for contacts between strands. */
export const OTHER = 12;

/** Copies three numbers, four apart in memory, to a row, times `sign`. */
export function writeVector(rows: Float32Array, at: number, from: Float32Array, place: number, sign: 1 | -1): void {
  for (let k = 0; k < 3; k++) rows[at + k] = sign * from[place + 4 * k];
}

/** Reads contacts with obstacles. Returns the number of active ones, which may exceed the capacity of `rows`. */
export function readRows(groups: readonly LaneMemory[], rows: Float32Array): number {
  let count = 0;
  groups.forEach((memory, group) => {
    const { task, floats } = memory;
    for (let s = 0; s < task.strands.length; s++)
      for (let j = 0; j < task.nodes - 1; j++)
        for (let c = 0; c < 2 * task.obstacles; c++) {
          const at = placeOf(memory, s, j, c);
          const age = floats[at + 4 * ACTIVE];
          if (age === 0) continue;
          const o = CONTACT_ROW * count++;
          if (o + CONTACT_ROW > rows.length) continue;
          rows[o] = group;
          rows[o + 1] = firstOf(task) + s;
          rows[o + 2] = j;
          rows[o + 3] = c;
          rows[o + 4] = age;
          rows[o + 5] = floats[at + 4 * PART];
          writeVector(rows, o + 6, floats, at + 4 * FORCE, 1);
          writeVector(rows, o + 9, floats, at + 4 * NORMAL, 1);
          rows.fill(0, o + OTHER, o + CONTACT_ROW);
        }
  });
  return count;
}

/** Replaces all contacts with obstacles. */
export function writeRows(groups: readonly LaneMemory[], rows: Float32Array, count: number): void {
  for (const { floats, contacts, keptContacts, blocks } of groups)
    for (let block = 0; block < blocks; block++) {
      const at = contacts.first + block * contacts.bytes;
      floats.fill(0, at / 4, (at + keptContacts.bytes) / 4);
    }
  for (let k = 0; k < count; k++) {
    const row = rows.subarray(CONTACT_ROW * k, CONTACT_ROW * (k + 1));
    const [group, strand, j, c, age, part] = row;
    if (row[OTHER] > 0) continue;
    const memory = groups[group];
    const { floats, task, blocks } = memory;
    const s = strand - firstOf(task);
    // of another thread
    if (s < 0 || s >= task.strands.length) continue;
    // lanes without a strand of their own repeat the last one
    const last = s === task.strands.length - 1 ? 4 * blocks - 1 : s;
    for (let lane = s; lane <= last; lane++) {
      const at = placeOf(memory, lane, j, c);
      floats[at + 4 * ACTIVE] = age;
      floats[at + 4 * PART] = part;
      for (let k = 0; k < 3; k++) {
        floats[at + 4 * (FORCE + k)] = floats[at + 4 * (PUSH + k)] = row[6 + k];
        floats[at + 4 * (NORMAL + k)] = row[9 + k];
      }
    }
  }
}
